//! Footsteps: the animation system, on several threads, says when a foot comes down and when a clip
//! has ended, without knowing sounds or players; the game makes the calls at one place of the
//! frame.
//!
//! Run it with `cargo run -p loligo-containers --example animation_callbacks`.

use core::error::Error;
use std::thread;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{Callback16, CallbackId, CallbackTable, Callbacks, Later};
use loligo_ids::{HoleTable, SmallId};

/// A unit of the game, which may be gone when a call about it is made.
struct Unit {
    name: &'static str,
    steps: u32,
}

/// 4 bytes, so that a call has room for more than the id.
type UnitId = SmallId<Unit>;

/// What calls work on.
struct Game<'a> {
    units: HoleTable<'a, Unit, UnitId>,
    log: Vec<String>,
    jump: CallbackId<Ended>,
}

/// A foot of a unit has come down: 12 bytes, all that a call has room for.
#[derive(Clone, Copy, AnyBitPattern, NoUninit)]
#[repr(C)]
struct FootDown {
    unit: u32,
    bone: u32,
    speed: f32,
}

/// A unit's clip has ended.
#[derive(Clone, Copy, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Ended {
    unit: u32,
    clip: u32,
}

fn foot_down(game: &mut Game<'_>, data: FootDown) {
    // The id says whether the unit is still there, however long ago the call was queued.
    match UnitId::from_bits(data.unit).and_then(|id| game.units.get_mut(id)) {
        Some(unit) => {
            unit.steps += 1;
            game.log.push(format!("{}: foot {} at {:.1} m/s", unit.name, data.bone, data.speed));
        }
        None => game.log.push("a foot of a unit that is gone".to_owned()),
    }
}

fn ended(game: &mut Game<'_>, later: &mut Later<'_, Callback16>, data: Ended) {
    game.log.push(format!("clip {} has ended", data.clip));
    // A call that is queued by a call is made in the next frame, so this frame's calls come to an
    // end.
    later.queue(game.jump, Ended { clip: data.clip + 1, ..data });
}

fn jumped(game: &mut Game<'_>, data: Ended) {
    game.log.push(format!("clip {} follows", data.clip));
}

/// Animates some units for a frame, on whatever thread.
fn animate<'a>(
    units: &[UnitId],
    on_foot: CallbackId<FootDown>,
    on_end: CallbackId<Ended>,
    memory: &'a PageAllocator,
) -> Callbacks<'a, Callback16, PageAllocator> {
    let mut calls = Callbacks::new_in(memory);
    for (bone, unit) in (0..).zip(units) {
        calls.queue(on_foot, FootDown { unit: unit.to_bits(), bone, speed: 1.5 });
    }
    if let Some(first) = units.first() {
        calls.queue(on_end, Ended { unit: first.to_bits(), clip: 10 });
    }
    calls
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("game", &pages);
    let mut table: CallbackTable<'_, Game<'_>> = CallbackTable::new(&heap);
    let on_foot = table.add(foot_down);
    let on_end = table.add_queueing(ended);
    let jump = table.add(jumped);

    let mut game = Game { units: HoleTable::new(&heap), log: Vec::new(), jump };
    let mut units = Vec::new();
    for name in ["Arthur", "Bors", "Kay", "Lot"] {
        units.push(game.units.insert(Unit { name, steps: 0 })?);
    }

    // Two threads animate two units each. They know two numbers, and nothing of the game.
    let queues = thread::scope(|scope| {
        let pages = &pages;
        let threads: Vec<_> = units
            .chunks(2)
            .map(|units| scope.spawn(move || animate(units, on_foot, on_end, pages)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("animating does not panic"))
            .collect::<Vec<_>>()
    });
    let mut calls: Callbacks<'_> = Callbacks::new(&heap);
    for mut queue in queues {
        calls.try_append(&mut queue)?;
    }
    println!("{} calls of {} bytes wait", calls.len(), size_of::<Callback16>());

    // Kay leaves before the calls are made.
    game.units.remove(units[2]);
    let ran = calls.run(&table, &mut game)?;
    println!("frame 1, {ran} calls:\n  {}", game.log.join("\n  "));
    assert_eq!((ran, calls.len()), (6, 2), "two calls have queued another");
    assert_eq!(game.log[3], "a foot of a unit that is gone", "Kay was the third");
    assert_eq!(game.units.iter().map(|unit| unit.steps).sum::<u32>(), 3, "a step each");

    game.log.clear();
    let ran = calls.run(&table, &mut game)?;
    println!("frame 2, {ran} calls:\n  {}", game.log.join("\n  "));
    assert_eq!(game.log, ["clip 11 follows", "clip 11 follows"], "one for each thread");
    assert!(calls.is_empty(), "nothing more was queued");
    Ok(())
}
