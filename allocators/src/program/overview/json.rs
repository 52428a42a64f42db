//! An overview as JSON.

use core::fmt;

use super::text::InJson;
use super::tree::Tree;

/// An overview as JSON; made by [`Overview::json`](super::Overview::json).
#[derive(Clone, Copy)]
pub struct OverviewJson<'a> {
    pub(super) tree: Tree<'a>,
}

impl fmt::Display for OverviewJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{\"allocators\": [")?;
        let mut first = true;
        self.tree.each(|index, depth| {
            f.write_str(if core::mem::take(&mut first) { "\n" } else { ",\n" })?;
            write_allocator(f, self.tree, index, depth)
        })?;
        f.write_str("\n]}")
    }
}

fn write_allocator(
    f: &mut fmt::Formatter<'_>,
    tree: Tree<'_>,
    index: usize,
    depth: usize,
) -> fmt::Result {
    let allocator = tree.get(index);
    let stats = allocator.stats();
    write!(f, "  {{\"id\": {index}, \"parent\": ")?;
    write_or_null(f, tree.parent(index))?;
    write!(f, ", \"depth\": {depth}, \"name\": \"{}\", \"budget\": ", InJson(allocator.name()))?;
    write_or_null(f, allocator.budget())?;
    write!(f, ", \"exact\": {}", stats.exact)?;
    for (name, number) in [
        ("live", stats.live as u64),
        ("requested", stats.requested as u64),
        ("granted", stats.granted as u64),
        ("reserved", stats.reserved as u64),
        ("peak_requested", stats.peak_requested as u64),
        ("peak_granted", stats.peak_granted as u64),
        ("peak_reserved", stats.peak_reserved as u64),
        ("allocations_total", stats.allocations_total),
        ("requested_total", stats.requested_total),
        ("granted_total", stats.granted_total),
    ] {
        write!(f, ", \"{name}\": {number}")?;
    }
    f.write_str("}")
}

fn write_or_null(f: &mut fmt::Formatter<'_>, number: Option<usize>) -> fmt::Result {
    match number {
        Some(number) => write!(f, "{number}"),
        None => f.write_str("null"),
    }
}
