//! A buddy allocator on a real run: a stretch of a trace, at the scale at which most happens.
//!
//! A tree that can be looked at has 64 leaves, a trace has blocks from a byte to megabytes. So one
//! looks through a window of sizes: the calls for blocks of that size are made, from some moment of
//! the trace on, and the others are left to somebody else, as a pool or a slab in front of a buddy
//! would take them. Scales from 4 KiB to 64 MiB and a few moments to start at are tried; the
//! stretch with most blocks, splits and merges and fewest refusals is filmed.

use core::ops::Range;

use crate::report::data::Film;
use crate::report::drive::Drive;
use crate::report::film::{Camera, with_buddy};
use crate::report::words::{bytes, grouped};
use crate::trace::{Event, Op, Trace};

const LEVELS: u32 = 7;

/// Scales: the region is two to the power of these.
const REGION_LOG2: Range<u32> = 12..27;

/// How many calls a film shows.
const CALLS: usize = 120;

/// How many calls are looked through for the best stretch, from each start at each scale.
const CALLS_SEEN: usize = 1500;

/// Starts, in quarters of the events that are left out.
const STARTS: Range<usize> = 0..4;

/// What a refusal costs a stretch, in points.
const REFUSAL_COST: i64 = 60;

/// The calls of a trace at one scale from one start on.
struct Scene {
    region_bytes: usize,
    start: usize,
    /// Which event of the trace a call is, and what it does at this scale.
    calls: Vec<(usize, Event)>,
}

/// A stretch of a scene.
struct Stretch {
    scene: Scene,
    calls: Range<usize>,
    score: i64,
}

/// Films a trace; `None` if no scale has enough calls.
pub(super) fn film(trace: &Trace) -> Option<Film> {
    let scales = REGION_LOG2.flat_map(|log2| STARTS.map(move |quarter| (1 << log2, quarter)));
    let Stretch { scene, calls, .. } = scales
        .filter_map(|(region_bytes, quarter)| {
            best_stretch(trace, Scene::of(trace, region_bytes, trace.events.len() / 4 * quarter))
        })
        .max_by_key(|stretch| stretch.score)?;
    let (opening, frames) = with_buddy(scene.region_bytes, LEVELS, |buddy, tree| {
        let camera = Camera::new(buddy, tree);
        let mut drive = Drive::new(buddy, trace.slots as usize);
        scene.calls[..calls.start].iter().for_each(|(_, event)| drive.apply(*event));
        let opening = (0..trace.slots)
            .filter_map(|slot| drive.live(slot))
            .filter_map(|live| Some((camera.number_of(live)?, live.layout.size())))
            .collect();
        let mut frames = vec![camera.open()];
        for (_, event) in &scene.calls[calls.clone()] {
            camera.shoot(&mut drive, *event, &mut frames);
        }
        (opening, frames)
    })?;
    let number = |call: usize| grouped(scene.calls[call].0 + 1);
    let sizes = sizes(scene.region_bytes);
    Some(Film {
        title: format!("{}, from event {}", trace.name, number(calls.start)),
        about: format!(
            "A stretch of the recorded program {}, its events {} to {}: the calls for blocks of \
             more than {} and up to {}, made to a buddy allocator of {LEVELS} levels that has \
             served all such calls since event {}. Smaller and larger blocks are left to others, \
             as a pool or a slab in front would take them.",
            trace.name,
            number(calls.start),
            number(calls.end - 1),
            bytes(sizes.start as usize - 1),
            bytes(sizes.end as usize - 1),
            grouped(scene.start + 1),
        ),
        region_bytes: scene.region_bytes,
        levels: LEVELS,
        opening,
        calls: frames,
    })
}

/// The sizes that are seen at a scale: over half a leaf, at most half the region.
fn sizes(region_bytes: usize) -> Range<u64> {
    let region = region_bytes as u64;
    (region >> LEVELS) + 1..(region >> 1) + 1
}

impl Scene {
    /// Collects the first calls at a scale. A block that comes into the window of sizes by a
    /// reallocation is allocated there, one that leaves it is freed; one from before the start is
    /// not seen.
    fn of(trace: &Trace, region_bytes: usize, start: usize) -> Self {
        let sizes = sizes(region_bytes);
        let mut inside = vec![false; trace.slots as usize];
        let mut calls = Vec::new();
        for (index, event) in trace.events.iter().enumerate().skip(start) {
            let fits = sizes.contains(&event.bytes);
            let was = core::mem::replace(&mut inside[event.slot as usize], fits);
            let op = match (was, fits) {
                (false, false) => continue,
                (false, true) => Op::Allocate,
                (true, false) => Op::Free,
                (true, true) => Op::Reallocate,
            };
            let bytes = if fits { event.bytes } else { 0 };
            calls.push((index, Event { op, bytes, ..*event }));
            if calls.len() == CALLS_SEEN {
                break;
            }
        }
        Self { region_bytes, start, calls }
    }
}

/// Finds the stretch of a scene in which most is to be seen.
fn best_stretch(trace: &Trace, scene: Scene) -> Option<Stretch> {
    let scores = with_buddy(scene.region_bytes, LEVELS, |buddy, tree| {
        let camera = Camera::new(buddy, tree);
        let mut drive = Drive::new(buddy, trace.slots as usize);
        let mut before = camera.states();
        let mut score = |(index, (_, event)): (usize, &(usize, Event))| {
            let (refused, was_live) = (drive.refused(), drive.live(event.slot).is_some());
            drive.apply(*event);
            let after = camera.states();
            let points = points(&before, &after, event.op);
            before = after;
            let refused = (drive.refused() - refused) as i64;
            // What a block does that was refused before is not to be seen.
            let seen = was_live || drive.live(event.slot).is_some() || refused > 0;
            seen.then_some((index, points - REFUSAL_COST * refused))
        };
        scene.calls.iter().enumerate().filter_map(&mut score).collect::<Vec<_>>()
    })?;
    let (calls, score) = scores
        .windows(CALLS)
        .map(|stretch| {
            let calls = stretch[0].0..stretch[CALLS - 1].0 + 1;
            (calls, stretch.iter().map(|(_, score)| score).sum::<i64>())
        })
        .max_by_key(|(_, score)| *score)?;
    (score > 0).then_some(Stretch { scene, calls, score })
}

/// Rates a call: changed blocks, blocks alive, and a bonus for the rarer reallocation.
fn points(before: &str, after: &str, op: Op) -> i64 {
    let changed = before.bytes().zip(after.bytes()).filter(|(a, b)| a != b).count();
    let alive = after.bytes().filter(|state| *state == b'a').count();
    let grows = if op == Op::Reallocate { 8 } else { 0 };
    (2 * changed.min(8) + alive.min(24) + grows) as i64
}

#[cfg(test)]
mod tests;
