//! The allocators of ours that are drawn, each made as for its row of the table.

use core::mem::MaybeUninit;

use loligo_allocators::BuddyAllocator;

use crate::report::film::Buddy;
use crate::report::sample::{Ground, Samples};
use crate::report::timeline::Timeline;
use crate::trace::Trace;

/// Leaves of the buddy.
const LEAF_BYTES: usize = 16;

/// Samples each allocator over the trace, one after the other. One whose memory cannot be had is
/// left out.
pub(super) fn sample_all(trace: &Trace, line: &Timeline) -> Vec<Samples> {
    [buddy(trace, line)].into_iter().flatten().collect()
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
        let whole = samples.refused() == 0;
        last = Some(samples);
        if whole {
            break;
        }
    }
    last
}
