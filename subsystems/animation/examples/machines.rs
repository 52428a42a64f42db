//! Steps the state machines of many characters, without sampling, and prints the time of each.
//!
//! ```text
//! cargo run --release -p loligo-animation --example machines [characters] [steps] [steps between decisions]
//! ```
//!
//! With `forget` as a fourth argument nothing is kept from step to step.

#[path = "../tests/it/mocap.rs"]
mod mocap;

use core::error::Error;
use std::time::Instant;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_animation::compile::{CompressOptions, RawEvent, compile_machine, compress};
use loligo_animation::{Clip, ClipTable, Machine, MachineTable, Machines, Skeleton};
use loligo_containers::{BlobBytes, Endian};
use loligo_ids::IdString32;
use mocap::{MocapTerms, Random, body, clip};

/// A character that walks in all directions, jumps, and aims.
const SOURCE: &str = include_str!("../tests/it/hero.machine");

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().map_or(Ok(1000), |text| text.parse::<usize>())?;
    let steps = arguments.next().map_or(Ok(600), |text| text.parse::<usize>())?;
    let between = arguments.next().map_or(Ok(30), |text| text.parse::<usize>())?.max(1);
    let forgets = arguments.next().is_some_and(|text| text == "forget");
    let body = body(true);
    let compiled = compile_machine(SOURCE.as_bytes(), &body, Endian::NATIVE);
    let compiled = compiled.map_err(|error| error.to_string())?;
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("animation", &pages);
    let skeleton = BlobBytes::try_copy(&body.build(Endian::NATIVE)?, &heap)?;
    let skeleton = Skeleton::open(&skeleton)?;
    let mut packed = Vec::new();
    for seed in 0..compiled.clips.len() as u64 {
        let terms = MocapTerms { seed, frames: 31, rate: 30.0, noise: 0.0, speed: 1.0 };
        let mut raw = clip(&body, terms);
        let event = |frame| RawEvent { frame, name: "step".into(), bone: Some(2) };
        raw.events = vec![event(4.0), event(19.0)];
        let options = CompressOptions { bound: 1.0e-3, rounds: 4, ..CompressOptions::default() };
        packed.push(BlobBytes::try_copy(&compress(&body, &raw, &options)?.bytes, &heap)?);
    }
    let mut tables = Vec::new();
    for bytes in &packed {
        tables.push(ClipTable::try_new(Clip::open(bytes)?, &skeleton, &heap)?);
    }
    let clips: Vec<_> = tables.iter().collect();
    let bytes = BlobBytes::try_copy(&compiled.bytes, &heap)?;
    let machine = Machine::open(&bytes)?;
    let table = MachineTable::try_new(machine, &skeleton, &clips, &heap)?;
    let mut machines = Machines::try_new(count, &table, &heap)?;
    let names =
        ["x", "z", "jump", "aim", "hurt"].map(|name| machine.variable(IdString32::new(name)));
    let [Some(x), Some(z), Some(jump), Some(aim), Some(_)] = names else { return Ok(()) };
    let mut random = Random(1);
    let (mut events, mut samples, mut seconds) = (0_usize, 0_usize, 0.0);
    for step in 0..steps {
        for character in (step % between..count).step_by(between) {
            machines.set(character, x, random.between(-1.0, 1.0));
            machines.set(character, z, random.between(-1.0, 3.0));
            machines.set(character, jump, random.between(0.0, 0.6));
            machines.set(character, aim, random.between(0.0, 1.0));
        }
        for character in (0..count).filter(|_| forgets) {
            let _ = machines.variables_mut(character);
        }
        let begin = Instant::now();
        machines.step(&table, 1.0 / 60.0, |_| events += 1);
        seconds += begin.elapsed().as_secs_f64();
        samples += (0..count)
            .map(|at| (0..2).map(|layer| machines.samples(at, layer).len()).sum::<usize>())
            .sum::<usize>();
    }
    let all = (count * steps) as f64;
    println!(
        "{count} characters of {} bytes, {steps} steps: {:.0} ns a character, {:.2} clips, {:.3} events; the \
         machine has {} bytes",
        machines.bytes() / count.max(1),
        seconds * 1.0e9 / all,
        samples as f64 / all,
        events as f64 / all,
        compiled.bytes.len()
    );
    Ok(())
}
