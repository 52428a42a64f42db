//! The events of an animation, sorted by frame: gathered from several sources in any order, sorted
//! once, and asked for by range at each tick.
//!
//! ```sh
//! cargo run -p loligo-containers --example sorted_events
//! ```
#![forbid(unsafe_code)]

use core::error::Error;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::{SortedMap, SortedSet};

/// What happens at a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Footstep,
    Swing,
    Hit { damage: u32 },
    End,
}

/// What the animator placed.
const PLACED: [(u32, Event); 5] = [
    (40, Event::Hit { damage: 10 }),
    (5, Event::Footstep),
    (33, Event::Swing),
    (22, Event::Footstep),
    (60, Event::End),
];

/// What the designers changed for the heavy sword: it strikes later, and harder.
const HEAVY_SWORD: [(u32, Event); 2] = [(40, Event::Footstep), (47, Event::Hit { damage: 25 })];

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("animation", &pages);
    let mut events: SortedMap<u32, Event> = SortedMap::new(&heap);
    for (frame, event) in PLACED.into_iter().chain(HEAVY_SWORD) {
        events.try_push(frame, event)?;
    }
    println!("{} events wait to be sorted in", events.pending());
    events.sort();
    println!("{} frames have one; of two at one frame the later source wins", events.len());
    assert_eq!(events.get(&40), Some(&Event::Footstep), "the heavy sword strikes later");

    // A tick covers seven frames. Which sounds are needed is gathered, each once.
    let mut damage = 0;
    let mut sounds: SortedSet<&str> = SortedSet::new(&heap);
    for tick in 0..10 {
        let (from, to) = (tick * 7, tick * 7 + 7);
        for (frame, event) in events.range(from..to) {
            println!("tick {tick}: frame {frame:2}: {event:?}");
            match event {
                Event::Footstep => sounds.try_push("gravel")?,
                Event::Swing => sounds.try_push("whoosh")?,
                Event::Hit { damage: more } => {
                    sounds.try_push("clang")?;
                    damage += more;
                }
                Event::End => {}
            }
        }
    }
    sounds.sort();
    println!("damage {damage}, sounds {:?}", sounds.as_slice());
    assert_eq!(damage, 25, "it struck once, and harder");
    assert_eq!(sounds.as_slice(), ["clang", "gravel", "whoosh"], "each sound is needed once");
    assert_eq!(events.keys(), [5, 22, 33, 40, 47, 60], "each frame has one event");
    Ok(())
}
