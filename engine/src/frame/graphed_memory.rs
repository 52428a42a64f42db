//! What graphs show of allocators. It is recorded for those that a graph names, and for no others.

use loligo_allocators::{SharedRef, Stats};
use loligo_monitor::{Graphs, Source, current};

use crate::memory::{Memory, SharedAllocator};

/// What is before the name of an allocator in the name of a value.
const IN_USE: &str = "memory.";
const UNUSED: &str = "unused.";

/// A mebibyte, in which bytes are shown.
const MIB: f32 = (1 << 20) as f32;

/// Records what the graphs show of allocators: a series `memory.NAME` is the mebibytes of live blocks,
/// `unused.NAME` the part, 0 to 1, of the memory that it holds in which no live block is. A series of a
/// heap is its bytes.
pub(super) fn record_memory<'m>(graphs: &Graphs<'m, SharedAllocator<'m>>, memory: &Memory<'m>) {
    for series in graphs.all().iter().flat_map(|graph| graph.series()) {
        let value = series.name();
        if series.source() == Source::Heap {
            if let (Some(heap), Ok(Some(name))) = (named(memory, value), current::try_name(value)) {
                current::counter(name, heap.stats().granted.cast_signed() as i64);
            }
            continue;
        }
        let found = if let Some(name) = value.strip_prefix(IN_USE) {
            named(memory, name).map(|allocator| allocator.stats().granted as f32 / MIB)
        } else if let Some(name) = value.strip_prefix(UNUSED) {
            named(memory, name).map(|allocator| unused(&holder(memory, allocator).stats()))
        } else {
            continue;
        };
        // Where there is no such allocator, or names are too many, the graph has no line.
        if let (Some(found), Ok(Some(name))) = (found, current::try_name(value)) {
            current::float(name, found);
        }
    }
}

/// Returns the allocator of a name: of a subsystem, or one that several share.
fn named<'m>(memory: &Memory<'m>, name: &str) -> Option<SharedRef<'m>> {
    memory.subsystem(name).or_else(|| first(memory, |visited| visited.name() == name))
}

/// Returns what holds the memory of an allocator: what is below a subsystem's proxy, else itself.
fn holder<'m>(memory: &Memory<'m>, allocator: SharedRef<'m>) -> SharedRef<'m> {
    let is_proxy = memory.subsystem(allocator.name()).is_some();
    let below = allocator.backing_identity().filter(|_| is_proxy);
    below.and_then(|below| first(memory, |of| of.identity() == below)).unwrap_or(allocator)
}

fn first<'m>(
    memory: &Memory<'m>,
    mut is_it: impl FnMut(SharedRef<'m>) -> bool,
) -> Option<SharedRef<'m>> {
    let mut found = None;
    memory.visit(&mut |visited| {
        if found.is_none() && is_it(visited) {
            found = Some(visited);
        }
    });
    found
}

/// The part of what an allocator holds that no live block uses: what is free, and lost by rounding.
fn unused(stats: &Stats) -> f32 {
    if stats.reserved == 0 {
        return 0.0;
    }
    (1.0 - stats.requested as f32 / stats.reserved as f32).clamp(0.0, 1.0)
}
