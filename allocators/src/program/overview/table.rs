//! The table of an overview, for a terminal or a log.

use core::fmt::{self, Display};

use super::text::{Bytes, Plain, width};
use super::tree::Tree;
use crate::contract::allocator::Allocator;
use crate::contract::stats::Stats;

/// The columns after the name.
const COLUMNS: [Column; 6] = [
    Column { head: "live", cell: |row| Cell::Count(row.stats.live) },
    Column { head: "requested", cell: |row| Cell::Asked(row.stats.requested, row.stats.exact) },
    Column { head: "granted", cell: |row| Cell::Bytes(row.stats.granted) },
    Column { head: "reserved", cell: |row| Cell::Bytes(row.stats.reserved) },
    Column { head: "peak", cell: |row| Cell::Bytes(row.stats.peak_granted) },
    Column { head: "budget", cell: |row| row.budget.map_or(Cell::Nothing, Cell::Bytes) },
];

struct Column {
    head: &'static str,
    cell: fn(&Row) -> Cell,
}

/// The cells of one allocator.
struct Row {
    stats: Stats,
    budget: Option<usize>,
}

impl Row {
    fn of(allocator: &dyn Allocator) -> Self {
        Self { stats: allocator.stats(), budget: allocator.budget() }
    }
}

enum Cell {
    Nothing,
    Count(usize),
    Bytes(usize),
    /// With whether it is exact.
    Asked(usize, bool),
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Nothing => f.write_str("-"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Bytes(bytes) | Self::Asked(bytes, true) => Bytes(bytes).fmt(f),
            Self::Asked(bytes, false) => write!(f, "~{}", Bytes(bytes)),
        }
    }
}

/// Writes the table, two spaces between columns, names to the left and numbers to the right.
pub(super) fn write(f: &mut fmt::Formatter<'_>, tree: Tree<'_>) -> fmt::Result {
    let mut name_width = "allocator".len();
    let mut widths = COLUMNS.map(|column| column.head.len());
    let mut all_exact = true;
    tree.each(|index, depth| {
        let allocator = tree.get(index);
        let row = Row::of(allocator);
        name_width = name_width.max(2 * depth + width(Plain(allocator.name())));
        for (column, widest) in COLUMNS.iter().zip(&mut widths) {
            *widest = (*widest).max(width((column.cell)(&row)));
        }
        all_exact &= row.stats.exact;
        Ok(())
    })?;
    write!(f, "{:name_width$}", "allocator")?;
    for (column, width) in COLUMNS.iter().zip(widths) {
        write!(f, "  {:>width$}", column.head)?;
    }
    tree.each(|index, depth| {
        let allocator = tree.get(index);
        let row = Row::of(allocator);
        let name = Plain(allocator.name());
        // Another thread may have changed a counter since the widths were measured; then its cell
        // is wider, and nothing is lost.
        let behind = name_width.saturating_sub(2 * depth + width(&name));
        let before = 2 * depth;
        write!(f, "\n{:before$}{name}{:behind$}", "", "")?;
        for (column, widest) in COLUMNS.iter().zip(widths) {
            let cell = (column.cell)(&row);
            let before = widest.saturating_sub(width(&cell));
            write!(f, "  {:before$}{cell}", "")?;
        }
        Ok(())
    })?;
    if all_exact {
        Ok(())
    } else {
        f.write_str("\n~ granted bytes: requested bytes are not recorded")
    }
}
