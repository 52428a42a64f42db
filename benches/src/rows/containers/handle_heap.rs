//! The heap of relocatable blocks: a free and an allocation compared with allocators that cannot
//! move theirs, and the memory that it needs where those have holes.
//!
//! The aims are our own, set before the first run. An operation here also takes and frees an id, in
//! a table apart from the blocks.

use std::alloc::System;

use loligo_allocators::HeapAllocator;

use crate::blocks::{Blocks, Global, Ours};
use crate::contender::{Contender, Race};
use crate::memory::PAGES;
use crate::outcome::{Aim, Reading};
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::handle_heap::{churn, memory_after_churn};
use crate::work::mixed::{Mixed, Sizes};

const LIVE: u32 = 10_000;
const PAIRS: u32 = 200_000;

/// Returns the rows of the heap of relocatable blocks.
pub(super) fn rows() -> Vec<Row> {
    let row = |name: &str, unit, aim, measure| {
        Row::new(format!("containers/handle-heap/{name}"), unit, aim, measure)
    };
    vec![
        row("churn", Unit::Ns, Aim::over_peer(2.0, 1.5), Measure::Race(beside_ours)),
        row("churn-system", Unit::Ns, Aim::over_peer(1.5, 1.0), Measure::Race(beside_system)),
        row("memory", Unit::BytesPerLiveByte, Aim::bytes(1.1, 1.05), Measure::Once(memory)),
    ]
}

fn sizes() -> Sizes {
    Sizes::uniform(16, 1024)
}

fn ours() -> Contender {
    churn("HandleHeap", LIVE, PAIRS, &sizes())
}

fn unmoved(name: &'static str, allocator: impl Blocks + 'static) -> Contender {
    let mut mixed = Mixed::new(allocator, LIVE, &sizes());
    Contender::new(name, move || mixed.churn(PAIRS))
}

fn beside_ours() -> Race {
    let heap = unmoved("heap", Ours(HeapAllocator::new_in("heap", &PAGES)));
    Race { ours: ours(), peers: vec![heap], absent: Vec::new() }
}

fn beside_system() -> Race {
    Race { ours: ours(), peers: vec![unmoved("malloc", Global(System))], absent: Vec::new() }
}

fn memory() -> Reading {
    let [compacted, unmoved] = memory_after_churn();
    let note = format!("{unmoved:.2} on the heap, which cannot move blocks");
    Reading::Alone { figures: vec![compacted], note: Some(note) }
}
