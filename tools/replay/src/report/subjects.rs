//! The allocators of ours that are drawn.

use core::mem::MaybeUninit;

use loligo_allocators::{BuddyAllocator, HeapAllocator, PageAllocator, SlabAllocator};

use crate::report::film::Buddy;
use crate::report::sample::{Ground, Samples};
use crate::report::timeline::Timeline;
use crate::trace::Trace;

/// What the heap takes first; each region after it is twice as large. By default it reserves so
/// much address space at once that no growth could be seen.
const HEAP_REGION_BYTES: usize = 1 << 20;

/// The regions that are tried, in quarters of the peak of live bytes.
const REGION_QUARTERS: [usize; 5] = [5, 6, 8, 12, 16];

/// Leaves of the buddy, and of the one under the slab, as in the rows of the table.
const LEAF_BYTES: usize = 16;
const LARGE_LEAF_BYTES: usize = 512;

/// Samples each allocator over the trace, one after the other, so that the memory of one is given
/// back before the next takes its own. One whose memory cannot be had is left out.
pub(super) fn sample_all(trace: &Trace, line: &Timeline) -> Vec<Samples> {
    let mut all = vec![heap(trace, line)];
    all.extend(in_region(trace, |region| slab(region, trace, line)));
    all.extend(in_region(trace, |region| buddy(region, trace, line)));
    all
}

fn heap(trace: &Trace, line: &Timeline) -> Samples {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::with_region_bytes_in("heap", HEAP_REGION_BYTES, &pages);
    Samples::take("heap", &heap, &Ground::Backing(&pages), trace, line)
}

fn slab(region: &mut [MaybeUninit<u8>], trace: &Trace, line: &Timeline) -> Option<Samples> {
    let buddy: Buddy<'_> = BuddyAllocator::from_region("large", LARGE_LEAF_BYTES, region).ok()?;
    let slab = SlabAllocator::new_in("slab", &buddy);
    Some(Samples::take("slab", &slab, &Ground::Backing(&buddy), trace, line))
}

fn buddy(region: &mut [MaybeUninit<u8>], trace: &Trace, line: &Timeline) -> Option<Samples> {
    let range = region.as_ptr_range();
    let ground = Ground::Region(range.start.addr()..range.end.addr());
    let buddy: Buddy<'_> = BuddyAllocator::from_region("buddy", LEAF_BYTES, region).ok()?;
    Some(Samples::take("buddy", &buddy, &ground, trace, line))
}

/// Samples in the smallest of a few regions that serves the whole trace, or in the greatest.
fn in_region(
    trace: &Trace,
    sample: impl Fn(&mut [MaybeUninit<u8>]) -> Option<Samples>,
) -> Option<Samples> {
    let peak = usize::try_from(trace.peak_live_bytes).ok()?;
    let mut last = None;
    for quarters in REGION_QUARTERS {
        let bytes = (peak.checked_mul(quarters)? / 4).next_multiple_of(1 << 16) + (1 << 16);
        let mut memory: Vec<u8> = Vec::new();
        memory.try_reserve_exact(bytes).ok()?;
        let samples = sample(&mut memory.spare_capacity_mut()[..bytes])?;
        let is_whole = samples.refused() == 0;
        last = Some(samples);
        if is_whole {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests;
