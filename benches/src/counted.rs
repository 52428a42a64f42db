//! What runs under callgrind, one workload a run of this program.

use crate::callgrind::Counted;
use crate::contender::{Contender, Race};
use crate::rows::frame;
use crate::rows::pool::pool;
use crate::work::batch::{self, Batches};
use crate::work::churn::{Filled, LIVE, OneSize};
use crate::work::containers::list_pool::{LISTS, Lists};

/// Runs a workload for callgrind: the pairs of a script of batches, `times` times.
pub(crate) fn run(counted: Counted, times: u32) {
    match counted {
        Counted::Churn => Filled::new(pool(), LIVE).churn_untimed(times * batch::PAIRS),
        Counted::ChurnEmpty => {
            Filled::new(Nothing::new(), LIVE).churn_untimed(times * batch::PAIRS)
        }
        Counted::Batch => Batches::new(pool()).run_untimed(times),
        Counted::BatchEmpty => Batches::new(Nothing::new()).run_untimed(times),
        Counted::ListsUnsettled1 => Lists::<1>::unsettled(LISTS).walk(times),
        Counted::ListsSettled1 => Lists::<1>::settled(LISTS).walk(times),
        Counted::ListsUnsettled4 => Lists::<4>::unsettled(LISTS).walk(times),
        Counted::ListsSettled4 => Lists::<4>::settled(LISTS).walk(times),
        Counted::FrameMixed => passes(frame::mixed().ours, times),
        Counted::FrameMixedPeer => passes(peer(frame::mixed()), times),
        Counted::FrameValues => passes(frame::values().ours, times),
        Counted::FrameValuesPeer => passes(peer(frame::values()), times),
        Counted::FrameGrowing => passes(frame::growing().ours, times),
        Counted::FrameStacks => passes(frame::lifo256().ours, times),
        Counted::FrameStacksPeer => passes(peer(frame::lifo256()), times),
    }
}

/// Returns the first peer of a race.
fn peer(mut race: Race) -> Contender {
    race.peers.swap_remove(0)
}

/// Runs passes of a contender.
fn passes(mut contender: Contender, times: u32) {
    for _ in 0..times {
        let _ = contender.pass();
    }
}

/// A place that is written to where a block would be.
struct Nothing {
    word: Box<u64>,
}

impl Nothing {
    fn new() -> Self {
        Self { word: Box::new(0) }
    }
}

impl OneSize for Nothing {
    type Handle = usize;

    #[inline(always)]
    fn take(&mut self, word: u64) -> usize {
        let place: *mut u64 = &raw mut *self.word;
        // SAFETY: the place is ours; volatile, as the blocks of the others are written.
        unsafe { place.write_volatile(word) };
        place.addr()
    }

    #[inline(always)]
    unsafe fn give(&mut self, _: usize) {}
}
