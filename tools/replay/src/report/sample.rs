//! Samples one allocator while it replays a trace: reserved bytes, gaps, memory maps.

use core::ops::Range;

use loligo_allocators::Allocator;

use crate::report::data::{AllocatorData, Moment};
use crate::report::drive::Drive;
use crate::report::memory_map::{CELLS_MAX, Occupancy};
use crate::report::timeline::Timeline;
use crate::trace::Trace;

/// The blocks are walked once in this number of moments of the line: that costs more than the
/// counters.
const WALK_EVERY: usize = 5;

/// Where an allocator's memory is.
pub(super) enum Ground<'a> {
    /// In the blocks that it holds from this allocator, which serves nobody else.
    Backing(&'a dyn Allocator),
    /// In one region from the start.
    Region(Range<usize>),
}

/// An allocator's state at a moment of the memory map, before the scale of the strips is known.
pub(super) struct Snapshot {
    pub(super) label: &'static str,
    pub(super) at: usize,
    pub(super) live: u64,
    pub(super) occupancy: Occupancy,
}

impl Snapshot {
    /// Returns the bytes held.
    pub(super) fn reserved(&self) -> usize {
        self.occupancy.reserved()
    }

    /// Draws the strip on a scale on which `longest` bytes fill one.
    pub(super) fn finish(self, longest: usize) -> Moment {
        let bytes_per_cell = longest.div_ceil(CELLS_MAX).max(1);
        Moment {
            label: self.label,
            at: self.at,
            live: self.live,
            reserved: self.reserved(),
            bytes_per_cell,
            cells: self.occupancy.cells(bytes_per_cell),
            regions: self.occupancy.regions.len(),
        }
    }
}

/// The samples of an allocator over a whole trace.
pub(super) struct Samples {
    data: AllocatorData,
    snapshots: Vec<Snapshot>,
}

impl Samples {
    /// Drives `allocator` through the trace and looks at it on the way.
    ///
    /// # Complexity
    ///
    /// O(events + walks * live blocks).
    pub(super) fn take(
        name: &'static str,
        allocator: &dyn Allocator,
        ground: &Ground<'_>,
        trace: &Trace,
        line: &Timeline,
    ) -> Self {
        let mut samples = Self {
            data: AllocatorData {
                name,
                reserved: Vec::with_capacity(line.at.len()),
                live: Vec::with_capacity(line.at.len()),
                walked_at: Vec::new(),
                free: Vec::new(),
                largest_free: Vec::new(),
                refused: 0,
                moments: Vec::new(),
            },
            snapshots: Vec::new(),
        };
        let mut drive = Drive::new(allocator, trace.slots as usize);
        let mut line_at = line.at.iter().enumerate().peekable();
        let mut moments = moments(line.peak_at, trace.events.len()).into_iter().peekable();
        for (index, event) in trace.events.iter().enumerate() {
            drive.apply(*event);
            let done = index + 1;
            if let Some((point, _)) = line_at.next_if(|(_, at)| **at == done) {
                samples.look(allocator, drive.live_bytes());
                if point % WALK_EVERY == 0 {
                    samples.walk(done, &occupancy(allocator, ground));
                }
            }
            while let Some((at, label)) = moments.next_if(|(at, _)| *at == done) {
                samples.snapshots.push(Snapshot {
                    label,
                    at,
                    live: drive.live_bytes(),
                    occupancy: occupancy(allocator, ground),
                });
            }
        }
        samples.data.refused = drive.refused();
        samples
    }

    fn look(&mut self, allocator: &dyn Allocator, live: u64) {
        self.data.reserved.push(allocator.stats().reserved);
        self.data.live.push(live);
    }

    fn walk(&mut self, at: usize, occupancy: &Occupancy) {
        let gaps = occupancy.gaps();
        self.data.walked_at.push(at);
        self.data.free.push(gaps.total);
        self.data.largest_free.push(gaps.largest);
    }

    /// Returns how many requests were refused.
    pub(super) fn refused(&self) -> u64 {
        self.data.refused
    }

    /// Returns the most bytes held at one of the moments of the memory map.
    pub(super) fn longest(&self) -> usize {
        self.snapshots.iter().map(Snapshot::reserved).max().unwrap_or(0)
    }

    /// Draws the strips on a scale on which `longest` bytes fill one, and returns all data.
    pub(super) fn finish(self, longest: usize) -> AllocatorData {
        let moments = self.snapshots.into_iter().map(|snapshot| snapshot.finish(longest));
        AllocatorData { moments: moments.collect(), ..self.data }
    }
}

/// Returns the moments of the memory map in order: the quarters of the trace and its peak.
pub(super) fn moments(peak_at: usize, events: usize) -> Vec<(usize, &'static str)> {
    let quarter = |n: usize| (events * n).div_ceil(4).max(1);
    let mut list = vec![
        (quarter(1), "25 %"),
        (quarter(2), "50 %"),
        (quarter(3), "75 %"),
        (quarter(4), "100 %"),
        (peak_at.max(1), "peak"),
    ];
    list.sort_by_key(|(at, _)| *at);
    list
}

/// Returns where the allocator's memory is and what of it is live.
fn occupancy(allocator: &dyn Allocator, ground: &Ground<'_>) -> Occupancy {
    let regions = match ground {
        Ground::Region(region) => vec![region.clone()],
        Ground::Backing(backing) => ranges(*backing),
    };
    Occupancy { regions, blocks: ranges(allocator) }
}

/// Returns the live blocks of an allocator in ascending order.
pub(super) fn ranges(allocator: &dyn Allocator) -> Vec<Range<usize>> {
    let mut list = Vec::with_capacity(allocator.stats().live);
    allocator.walk(&mut |block| {
        let start = block.address.addr().get();
        list.push(start..start + block.bytes);
    });
    list.sort_unstable_by_key(|range| range.start);
    list
}

#[cfg(test)]
mod tests;
