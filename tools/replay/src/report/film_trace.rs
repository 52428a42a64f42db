//! A buddy allocator on a real run: a stretch of a trace, at the scale at which most happens.
//!
//! A tree that can be looked at has 64 leaves, a trace has blocks from a byte to megabytes. So one
//! looks through a window of sizes: the calls for blocks of that size are all made, from the start of
//! the trace, and the others are left to somebody else, as a pool or a slab in front of a buddy would
//! take them. Each scale from 32 KiB to 64 MiB is tried; the stretch with most splits and merges and
//! fewest refusals is filmed.

use core::ops::Range;

use crate::report::data::Film;
use crate::report::drive::Drive;
use crate::report::film::{Camera, with_buddy};
use crate::trace::{Event, Op, Trace};

const LEVELS: u32 = 7;

/// Scales: the region is two to the power of these.
const REGION_LOG2: Range<u32> = 15..27;

/// How many calls a film shows.
const CALLS: usize = 120;

/// How many calls of a scale are looked through for the best stretch.
const CALLS_SEEN: usize = 3000;

/// What a refusal costs a stretch, in changed blocks.
const REFUSAL_COST: i64 = 40;

/// A call of a scale: which event of the trace it is, and what it does at this scale.
type SceneCall = (usize, Event);

/// A stretch of calls at a scale.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    region_bytes: usize,
    first: usize,
    score: i64,
}

/// Films a trace; `None` if no scale has enough calls.
pub(super) fn film(trace: &Trace) -> Option<Film> {
    let best = REGION_LOG2
        .filter_map(|log2| best_stretch(trace, 1 << log2))
        .max_by_key(|stretch| stretch.score)?;
    let calls = scene(trace, best.region_bytes);
    let shown = calls.get(best.first..best.first + CALLS)?;
    let (opening, frames) = with_buddy(best.region_bytes, LEVELS, |buddy, tree| {
        let camera = Camera::new(buddy, tree);
        let mut drive = Drive::new(buddy, trace.slots as usize);
        calls[..best.first].iter().for_each(|(_, event)| drive.apply(*event));
        let opening = (0..trace.slots)
            .filter_map(|slot| drive.live(slot))
            .filter_map(|live| Some((camera.number_of(live)?, live.layout.size())))
            .collect();
        let mut frames = vec![camera.open()];
        for (_, event) in shown {
            camera.shoot(&mut drive, *event, &mut frames);
        }
        (opening, frames)
    })?;
    let sizes = sizes(best.region_bytes);
    let (from, to) = (shown.first()?.0, shown.last()?.0);
    Some(Film {
        title: format!("{}: events {} to {}", trace.name, from + 1, to + 1),
        about: format!(
            "A stretch of the recorded program {}, between its events {} and {}: the {} calls for \
             blocks of {} to {} bytes, made to a buddy allocator of {LEVELS} levels that has served \
             all such calls since the start. Smaller and larger blocks are left to other allocators.",
            trace.name,
            from + 1,
            to + 1,
            shown.len(),
            sizes.start,
            sizes.end - 1,
        ),
        region_bytes: best.region_bytes,
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

/// Returns the calls of a trace at a scale. A block that comes into the window of sizes by a
/// reallocation is allocated there, one that leaves it is freed.
fn scene(trace: &Trace, region_bytes: usize) -> Vec<SceneCall> {
    let sizes = sizes(region_bytes);
    let mut inside = vec![false; trace.slots as usize];
    let mut calls = Vec::new();
    for (index, event) in trace.events.iter().enumerate() {
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
    calls
}

/// Finds the stretch of a scale in which most changes.
fn best_stretch(trace: &Trace, region_bytes: usize) -> Option<Stretch> {
    let calls = scene(trace, region_bytes);
    if calls.len() < CALLS {
        return None;
    }
    let scores = with_buddy(region_bytes, LEVELS, |buddy, tree| {
        let camera = Camera::new(buddy, tree);
        let mut drive = Drive::new(buddy, trace.slots as usize);
        let mut before = camera.states();
        let mut score = |(_, event): &SceneCall| {
            let refused = drive.refused();
            drive.apply(*event);
            let after = camera.states();
            let changed = before.bytes().zip(after.bytes()).filter(|(a, b)| a != b).count();
            before = after;
            changed as i64 - REFUSAL_COST * (drive.refused() - refused) as i64
        };
        calls.iter().map(&mut score).collect::<Vec<_>>()
    })?;
    let (first, score) = scores
        .windows(CALLS)
        .map(|stretch| stretch.iter().sum::<i64>())
        .enumerate()
        .max_by_key(|(_, score)| *score)?;
    Some(Stretch {
        region_bytes,
        first,
        score,
    })
}

#[cfg(test)]
mod tests;
