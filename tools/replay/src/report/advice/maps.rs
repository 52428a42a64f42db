//! The memory of a strategy at some moments of a recording.

use core::alloc::Layout;
use core::ops::Range;
use std::collections::BTreeMap;

use super::super::memory_map::Occupancy;
use super::super::sample::{Snapshot, moments, ranges};
use super::super::timeline::Timeline;
use crate::mapped::PAGE_BYTES;
use crate::ours::PAGES;
use crate::strategies::{Strategy, StrategyConfig};
use crate::subject::{Subject, resized};
use crate::trace::{Event, Op, Trace};

/// The use of each region is looked at once in this number of moments of the line.
const LOOK_EVERY: usize = 5;

/// Replays a trace over a strategy that takes its memory from pages, and keeps what its memory is
/// like at the quarters of the trace and at its peak. A region is shown as far as there were blocks
/// in it so far: what is before and after was never touched, but for an allocator's own books.
///
/// # Complexity
///
/// O(events + looks * live blocks).
pub(super) fn take(config: &StrategyConfig, trace: &Trace, line: &Timeline) -> Vec<Snapshot> {
    // Other users of the pages in this process are not part of the picture.
    let others = ranges(&PAGES);
    let mut replay = Replay::new(config, trace.slots as usize);
    let mut used = BTreeMap::new();
    let mut looks = line.at.iter().step_by(LOOK_EVERY).peekable();
    let mut moments = moments(line.peak_at, trace.events.len()).into_iter().peekable();
    let mut snapshots = Vec::new();
    for (index, event) in trace.events.iter().enumerate() {
        replay.apply(*event, trace.sites().map_or(0, |sites| sites.of(index)));
        let done = index + 1;
        let is_look = looks.next_if(|at| **at == done).is_some();
        let is_moment = moments.peek().is_some_and(|(at, _)| *at == done);
        if !is_look && !is_moment {
            continue;
        }
        let occupancy = occupancy(replay.blocks(), &others, &mut used);
        while let Some((at, label)) = moments.next_if(|(at, _)| *at == done) {
            let occupancy = occupancy.clone();
            snapshots.push(Snapshot { label, at, live: replay.live_bytes, occupancy });
        }
    }
    snapshots
}

/// Returns what a strategy holds and what of it is live.
fn occupancy(
    blocks: Vec<Range<usize>>,
    others: &[Range<usize>],
    used: &mut BTreeMap<usize, Range<usize>>,
) -> Occupancy {
    let mut regions = ranges(&PAGES);
    regions.retain(|region| others.iter().all(|other| other.start != region.start));
    used.retain(|start, _| regions.iter().any(|region| region.start == *start));
    let mut first = 0;
    for region in &mut regions {
        let end = first + blocks[first..].partition_point(|block| block.start < region.end);
        let here = &blocks[first..end];
        first = end;
        let (Some(low), Some(high)) = (here.first(), here.last()) else {
            continue;
        };
        let touched = low.start / PAGE_BYTES * PAGE_BYTES..high.end.next_multiple_of(PAGE_BYTES);
        let of = used.entry(region.start).or_insert_with(|| touched.clone());
        *of = of.start.min(touched.start)..of.end.max(touched.end);
    }
    for region in &mut regions {
        let of = used.get(&region.start).cloned().unwrap_or(region.start..region.start);
        *region = region.start.max(of.start)..region.end.min(of.end);
    }
    regions.retain(|region| !region.is_empty());
    Occupancy { regions, blocks }
}

/// A strategy and the blocks that are alive in it.
struct Replay {
    slots: Vec<Option<(*mut u8, Layout)>>,
    live_bytes: u64,
    strategy: Strategy,
}

impl Replay {
    fn new(config: &StrategyConfig, slots: usize) -> Self {
        let strategy = Strategy::new(&config.tree, None);
        Self { slots: vec![None; slots], live_bytes: 0, strategy }
    }

    /// Does what an event says. A refused request leaves its slot as it was.
    fn apply(&mut self, event: Event, site: u32) {
        self.strategy.at_site(site);
        let slot = event.slot as usize;
        let held = self.slots[slot];
        let made = match (event.op, held) {
            (Op::Free, _) => {
                self.free(slot);
                return;
            }
            (Op::Reallocate, Some((block, old))) => {
                let bytes = event.bytes as usize;
                // SAFETY: the block is live in the strategy with this layout; its slot is
                // rewritten.
                let moved = unsafe { self.strategy.reallocate(block, old, bytes) };
                // SAFETY: sizes of a trace are at most 2^47.
                (moved, unsafe { resized(old, bytes) })
            }
            (Op::Reallocate, None) => return,
            (Op::Allocate | Op::AllocateZeroed, _) => {
                let layout = Layout::from_size_align(event.bytes as usize, 1 << event.align_log2);
                let Ok(layout) = layout else {
                    return;
                };
                (self.strategy.allocate(layout), layout)
            }
        };
        if !made.0.is_null() {
            self.live_bytes -= held.map_or(0, |(_, layout)| layout.size() as u64);
            self.live_bytes += made.1.size() as u64;
            self.slots[slot] = Some(made);
        }
    }

    /// Returns the bytes that the program asked for and has not freed, in ascending order. A walk
    /// would also show what one part of a strategy lends another.
    fn blocks(&self) -> Vec<Range<usize>> {
        let held = self.slots.iter().flatten();
        let mut blocks: Vec<Range<usize>> =
            held.map(|(block, layout)| block.addr()..block.addr() + layout.size()).collect();
        blocks.sort_unstable_by_key(|range| range.start);
        blocks
    }

    fn free(&mut self, slot: usize) {
        if let Some((block, layout)) = self.slots[slot].take() {
            self.live_bytes -= layout.size() as u64;
            // SAFETY: the block came from the strategy with this layout, and the slot is empty now.
            unsafe { self.strategy.deallocate(block, layout) };
        }
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        for slot in 0..self.slots.len() {
            self.free(slot);
        }
    }
}
