//! The allocators of ours that are drawn.

use core::mem::MaybeUninit;

use loligo_allocators::{BuddyAllocator, HeapAllocator, PageAllocator, SlabAllocator};

use crate::report::film::Buddy;
use crate::report::sample::{Ground, Samples};
use crate::report::timeline::Timeline;
use crate::trace::Trace;

/// What the heap takes first; each region after it is twice as large. By default it reserves so much
/// address space at once that no growth could be seen.
const HEAP_REGION_BYTES: usize = 1 << 20;

/// Leaves of the buddy.
const LEAF_BYTES: usize = 16;

/// Samples each allocator over the trace, one after the other, so that the memory of one is given
/// back before the next takes its own. One whose memory cannot be had is left out.
pub(super) fn sample_all(trace: &Trace, line: &Timeline) -> Vec<Samples> {
    let mut all = vec![heap(trace, line), slab(trace, line)];
    all.extend(buddy(trace, line));
    all
}

fn heap(trace: &Trace, line: &Timeline) -> Samples {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::with_region_bytes("heap", &pages, HEAP_REGION_BYTES);
    Samples::take("heap", &heap, &Ground::Backing(&pages), trace, line)
}

fn slab(trace: &Trace, line: &Timeline) -> Samples {
    let pages = PageAllocator::new("pages");
    let slab: SlabAllocator<'_, _> = SlabAllocator::new("slab", &pages);
    Samples::take("slab", &slab, &Ground::Backing(&pages), trace, line)
}

/// The buddy has one region for good: the smallest of a few that serves the whole trace.
fn buddy(trace: &Trace, line: &Timeline) -> Option<Samples> {
    let peak = usize::try_from(trace.peak_live_bytes).ok()?;
    let mut last = None;
    for quarters in [5, 6, 8, 12, 16] {
        let bytes = (peak.checked_mul(quarters)? / 4).max(4096).next_multiple_of(4096);
        let mut memory: Vec<u8> = Vec::new();
        memory.try_reserve_exact(bytes).ok()?;
        let region: &mut [MaybeUninit<u8>] = &mut memory.spare_capacity_mut()[..bytes];
        let start = region.as_ptr().addr();
        let buddy: Buddy<'_> = BuddyAllocator::from_region("buddy", region, LEAF_BYTES).ok()?;
        let ground = Ground::Region(start..start + bytes);
        let samples = Samples::take("buddy", &buddy, &ground, trace, line);
        let is_whole = samples.refused() == 0;
        last = Some(samples);
        if is_whole {
            break;
        }
    }
    last
}
