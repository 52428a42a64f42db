//! Collisions that become sounds and sparks a frame later: two physics threads write a stream each,
//! the world merges them by time, and each system above takes what it knows and skips the rest.
//!
//! Run it with `cargo run -p loligo-containers --example collision_events`.

use core::error::Error;
use std::thread;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{DoubleBufferedEvents, Event, EventReader, EventStream};
use loligo_ids::id32;

/// Two bodies have met. All events of physics begin with their time.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Collision {
    time_us: u32,
    bodies: [u32; 2],
    place: [f32; 3],
    impulse: f32,
}

impl Event for Collision {
    const TYPE: u32 = id32!("collision").hash();
}

/// A body has come to rest.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
struct FellAsleep {
    time_us: u32,
    body: u32,
}

impl Event for FellAsleep {
    const TYPE: u32 = id32!("fell_asleep").hash();
}

/// What the world answers with: something to be heard.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Heard {
    loudness: f32,
    place: [f32; 3],
}

impl Event for Heard {
    const TYPE: u32 = id32!("heard").hash();
}

/// How strong an impulse must be to be heard.
const AUDIBLE: f32 = 2.0;

/// Simulates one half of the world for a frame: the bodies of a stack of boxes that falls over.
fn simulate(island: u32, frame: u32, events: &mut EventStream<'_, impl Allocator + ?Sized>) {
    let start_us = frame * 16_667;
    for hit in 0..4u32 {
        let time_us = start_us + 1_000 * island + 3_500 * hit;
        events.push(Collision {
            time_us,
            bodies: [100 * island + hit, 100 * island + hit + 1],
            place: [island as f32, 0.0, hit as f32],
            impulse: 4.0 - frame as f32 - 0.5 * hit as f32,
        });
        if frame == 2 {
            events.push(FellAsleep { time_us: time_us + 1, body: 100 * island + hit });
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("events", &pages);
    let mut physics: DoubleBufferedEvents<'_> = DoubleBufferedEvents::new(&heap);
    let mut sounds: EventStream<'_> = EventStream::new(&heap);
    let mut recorded: EventStream<'_> = EventStream::new(&heap);
    let mut busiest = 0;

    for frame in 0..4 {
        // Each thread has its own memory and stream, so none waits for another.
        let pages = &pages;
        let islands = thread::scope(|scope| {
            let threads = [0, 1].map(|island| {
                scope.spawn(move || {
                    let mut events: EventStream<'_, PageAllocator> = EventStream::new_in(pages);
                    simulate(island, frame, &mut events);
                    events
                })
            });
            threads.map(|thread| thread.join().expect("simulating does not panic"))
        });
        let readers = islands.each_ref().map(EventStream::reader);
        // The time is the first field of every event of physics, whatever its type.
        physics.writer().try_merge(&readers, |event| event.field::<u32>(0))?;

        // The world answers what happened in the frame before.
        for event in physics.last().of::<Collision>() {
            if event.impulse >= AUDIBLE {
                sounds.try_push(Heard { loudness: event.impulse / 4.0, place: event.place })?;
            }
        }
        recorded.try_append(physics.last())?;
        println!(
            "frame {frame}: {:2} events are written, {:2} are answered, {:2} sounds so far",
            physics.writer().iter().count(),
            physics.last().iter().count(),
            sounds.iter().count(),
        );
        busiest = busiest.max(physics.writer().as_bytes().len());
        physics.swap();
    }
    assert_eq!(sounds.of::<Heard>().count(), 8 + 6 + 2, "the weak ones are not heard");

    // All that happened, in order of time, though it came from two threads.
    let times: Vec<u32> = recorded.iter().filter_map(|event| event.field(0)).collect();
    assert!(times.is_sorted(), "{times:?}");
    let asleep: Vec<u32> = recorded.of::<FellAsleep>().map(|event| event.body).collect();
    println!("asleep after frame 2, in that order: {asleep:?}");
    assert_eq!(asleep, [0, 100, 1, 101, 2, 102, 3, 103], "the threads' events alternate");

    // The recording is bytes. A tool that shows it knows collisions alone, and believes nothing.
    let mut file = recorded.as_bytes().to_vec();
    let replay = EventReader::open(&file)?;
    println!(
        "recorded: {} bytes, {} collisions among {} events; the busiest frame took {busiest} bytes",
        file.len(),
        replay.of::<Collision>().count(),
        replay.iter().count(),
    );
    assert_eq!(replay.of::<Collision>().count(), 24, "those of three frames were answered");
    file[4] = 200;
    let refused = EventReader::open(&file).err();
    println!("damaged: {}", refused.map_or_else(String::new, |error| error.to_string()));
    assert!(refused.is_some(), "a size that is not true leads past the next header");
    Ok(())
}
