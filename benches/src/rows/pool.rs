//! The pool's rows.

use loligo_allocators::{PageAllocator, PoolAllocator};

use crate::blocks::Ours;
use crate::callgrind;
use crate::contender::{Contender, Race};
use crate::memory::PAGES;
use crate::outcome::Aim;
use crate::peers::bare_list::BareList;
use crate::peers::slab_keys::SlabKeys;
use crate::rows::{Measure, Row, Unit};
use crate::work::batch::Batches;
use crate::work::churn::{BLOCK, Filled, LIVE, OneSize};

/// Returns the pool's rows.
#[must_use]
pub fn rows() -> Vec<Row> {
    vec![
        Row::new("pool/churn64", Unit::Ns, Aim::over_peer(1.3, 1.15), Measure::Race(churn64)),
        Row::new("pool/batch64", Unit::Ns, Aim::over_peer(1.0, 0.9), Measure::Race(batch64)),
        Row::new(
            "pool/instructions",
            Unit::Instructions,
            Aim::count(40.0, 30.0),
            Measure::Once(callgrind::pool_instructions),
        ),
    ]
}

/// Returns our pool as the workloads of one size take it.
pub(crate) fn pool() -> Ours<PoolAllocator<'static, PageAllocator>> {
    Ours(PoolAllocator::new_in("pool", BLOCK, &PAGES))
}

/// Returns a contender in the churn of one size.
fn churning(name: &'static str, allocator: impl OneSize + 'static) -> Contender {
    let mut filled = Filled::new(allocator, LIVE);
    Contender::new(name, move || filled.churn(2_000_000))
}

fn churn64() -> Race {
    Race {
        ours: churning("pool", pool()),
        peers: vec![churning("bare free list", BareList::new(LIVE))],
        absent: Vec::new(),
    }
}

/// Returns a contender in the batches.
fn batching(name: &'static str, allocator: impl OneSize + 'static) -> Contender {
    let mut batches = Batches::new(allocator);
    Contender::new(name, move || batches.run(50))
}

fn batch64() -> Race {
    #[cfg_attr(not(feature = "peers-all"), expect(unused_mut, reason = "filled below"))]
    let mut peers = vec![batching("slab", SlabKeys::new())];
    #[cfg(feature = "peers-all")]
    {
        use crate::blocks::Global;
        peers.push(batching("snmalloc", Global(snmalloc_rs::SnMalloc)));
        peers.push(batching("jemalloc", Global(tikv_jemallocator::Jemalloc)));
    }
    Race {
        ours: batching("pool", pool()),
        peers,
        absent: crate::absent::absent(&["snmalloc", "jemalloc"]),
    }
}
