//! Characters of a state machine.

use std::sync::OnceLock;

use loligo_animation::compile::{CompressOptions, RawEvent, compile_machine, compress};
use loligo_animation::{Clip, ClipTable, Machine, MachineTable, Machines, Skeleton};
use loligo_containers::Endian;
use loligo_ids::IdString32;

use super::kept;
use super::mocap::{MocapTerms, Random, body, clip};
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;

/// A character that walks in all directions, jumps, and aims.
const SOURCE: &str = include_str!("../../../../subsystems/animation/tests/it/hero.machine");

/// The machine, its skeleton and its clips, compiled once.
struct Compiled {
    machine: &'static [u8],
    skeleton: &'static [u8],
    clips: Vec<&'static [u8]>,
}

fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let body = body(true);
        let machine = compile_machine(SOURCE.as_bytes(), &body, Endian::NATIVE);
        let machine = machine.unwrap_or_else(|error| unreachable!("the source is right: {error}"));
        let packed = |seed| {
            let terms = MocapTerms { seed, frames: 31, rate: 30.0, noise: 0.0, speed: 1.0 };
            let event = |frame| RawEvent { frame, name: "step".into(), bone: Some(2) };
            let mut raw = clip(&body, terms);
            raw.events = vec![event(4.0), event(19.0)];
            let options =
                CompressOptions { bound: 1.0e-3, rounds: 4, ..CompressOptions::default() };
            kept(&compress(&body, &raw, &options).expect("it keeps the bound").bytes)
        };
        Compiled {
            machine: kept(&machine.bytes),
            skeleton: kept(&body.build(Endian::NATIVE).expect("its bones are in order")),
            clips: (0..machine.clips.len() as u64).map(packed).collect(),
        }
    })
}

/// Returns the table of the machine, which stays.
fn table() -> &'static MachineTable<'static, 'static> {
    let compiled = compiled();
    let skeleton = Skeleton::open(compiled.skeleton).expect("it was built");
    let of = |bytes: &&'static [u8]| {
        let clip = Clip::open(bytes).expect("it was compressed");
        ClipTable::try_new(clip, &skeleton, &HEAP).expect("there is memory")
    };
    let tables: &'static [ClipTable<'_, '_>] =
        compiled.clips.iter().map(of).collect::<Vec<_>>().leak();
    let clips: Vec<&'static ClipTable<'_, '_>> = tables.iter().collect();
    let machine = Machine::open(compiled.machine).expect("it was compiled");
    let table = MachineTable::try_new(machine, &skeleton, clips.leak(), &HEAP);
    Box::leak(Box::new(table.expect("its clips are those of the source")))
}

/// Returns the time of a character in a step.
pub(crate) fn machines() -> Contender {
    const CHARACTERS: usize = 1000;
    const STEPS: usize = 60;
    let table = table();
    let number = |name| table.machine().variable(IdString32::new(name)).expect("it is declared");
    let [x, z, jump, aim] = ["x", "z", "jump", "aim"].map(number);
    let mut machines = Machines::try_new(CHARACTERS, table, &HEAP).expect("there is memory");
    let mut random = Random(1);
    Contender::new("loligo", move || {
        let mut ns = 0;
        for step in 0..STEPS {
            // Each character decides twice a second.
            for character in (step % 30..CHARACTERS).step_by(30) {
                machines.set(character, x, random.between(-1.0, 1.0));
                machines.set(character, z, random.between(-1.0, 3.0));
                machines.set(character, jump, random.between(0.0, 0.6));
                machines.set(character, aim, random.between(0.0, 1.0));
            }
            let mut events = 0;
            ns += clock::time(|| machines.step(table, 1.0 / 60.0, |_| events += 1));
            core::hint::black_box(events);
        }
        Pass { ns, operations: (CHARACTERS * STEPS) as u64 }
    })
}
