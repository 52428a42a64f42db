//! The buddy's rows.

use std::rc::Rc;

use loligo_allocators::{Allocator, BuddyAllocator, PageAllocator};

use crate::blocks::{Blocks, Ours};
use crate::contender::{Contender, Pass, Race};
use crate::memory::{Arena, PAGES};
use crate::outcome::Aim;
use crate::peers::buddies::{BuddyAllocCrate, BuddySystem};
use crate::rows::{Measure, Row, Unit};
use crate::work::mixed::{Mixed, Sizes};
use crate::work::{doubling, strided};

/// Returns the buddy's rows.
#[must_use]
pub fn rows() -> Vec<Row> {
    vec![
        Row::new("buddy/free5000", Unit::Ms, Aim::over_peer(0.005, 0.001), Measure::Race(free5000)),
        Row::new("buddy/pow2churn", Unit::Ns, Aim::over_peer(1.0, 0.8), Measure::Race(pow2churn)),
        Row::new("buddy/doubling", Unit::Ns, Aim::over_peer(1.0, 0.9), Measure::Race(doubling)),
    ]
}

/// Bytes of the smallest block of all buddies.
const LEAF_BYTES: usize = 64;

/// Our buddy in a region.
type BuddyInRegion = BuddyAllocator<'static, dyn Allocator + Sync + 'static>;

/// Returns a contender that makes our buddy again in the region in each pass.
fn ours_in(arena: &Rc<Arena>, work: fn(&mut Ours<BuddyInRegion>) -> Pass) -> Contender {
    let arena = Rc::clone(arena);
    Contender::new("buddy", move || {
        // SAFETY: the buddy ends with this pass, and no two passes run at once.
        let region = unsafe { arena.lend() };
        let buddy = BuddyAllocator::from_region("buddy", LEAF_BYTES, region);
        work(&mut Ours(buddy.expect("the region holds many leaves")))
    })
}

/// Returns a contender that makes `buddy_system_allocator` again in the region in each pass.
fn buddy_system_in(arena: &Rc<Arena>, work: fn(&mut BuddySystem) -> Pass) -> Contender {
    let arena = Rc::clone(arena);
    Contender::new("buddy_system_allocator", move || {
        // SAFETY: the peer ends with this pass, and no two passes run at once.
        let region = unsafe { arena.lend() };
        // SAFETY: as above.
        work(&mut unsafe { BuddySystem::new(region) })
    })
}

/// Returns a contender that makes `buddy-alloc` again in the region in each pass.
fn buddy_alloc_in(arena: &Rc<Arena>, work: fn(&mut BuddyAllocCrate) -> Pass) -> Contender {
    let arena = Rc::clone(arena);
    Contender::new("buddy-alloc", move || {
        // SAFETY: the peer ends with this pass, and no two passes run at once.
        let region = unsafe { arena.lend() };
        // SAFETY: as above.
        work(&mut unsafe { BuddyAllocCrate::new(region) })
    })
}

fn free5000() -> Race {
    // Twice what the blocks need, so that no metadata is in the way.
    let bytes = 4 * strided::FREED * strided::BLOCK_BYTES as usize;
    let arena = Rc::new(Arena::new(bytes.next_power_of_two()));
    Race {
        ours: ours_in(&arena, strided::free_every_second),
        peers: vec![buddy_system_in(&arena, strided::free_every_second)],
        absent: Vec::new(),
    }
}

/// Returns a contender in the churn of powers of two.
fn churning(name: &'static str, allocator: impl Blocks + 'static) -> Contender {
    let mut mixed = Mixed::new(allocator, 2000, &Sizes::powers_of_two(64, 64 << 10));
    Contender::new(name, move || mixed.churn(500_000))
}

fn pow2churn() -> Race {
    let buddy: BuddyAllocator<'static, PageAllocator> =
        BuddyAllocator::new_in("buddy", 128 << 20, LEAF_BYTES, &PAGES)
            .expect("the machine has this memory");
    Race {
        ours: churning("buddy", Ours(buddy)),
        peers: vec![
            #[cfg(feature = "peers-all")]
            churning("snmalloc", crate::blocks::Global(snmalloc_rs::SnMalloc)),
        ],
        absent: crate::absent::absent(&["snmalloc"]),
    }
}

fn doubling() -> Race {
    let arena = Rc::new(Arena::new(doubling::REGION_BYTES));
    Race {
        ours: ours_in(&arena, doubling::double_in_turns),
        peers: vec![
            buddy_system_in(&arena, doubling::double_in_turns),
            buddy_alloc_in(&arena, doubling::double_in_turns),
        ],
        absent: Vec::new(),
    }
}
