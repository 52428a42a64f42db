//! The leak report: an allocator was dropped with live blocks.

use core::cell::Cell;
use core::fmt;

use crate::contract::allocator::{Allocator, Block};

#[cfg(test)]
mod tests;

/// How many blocks a report lists.
const LISTED: usize = 16;

/// Panics if `allocator` has live blocks: name, count, bytes, the first 16 blocks. While a panic is
/// already unwinding (known with the feature `std`) the report goes to standard error instead.
///
/// # Panics
///
/// If there are live blocks.
pub(crate) fn assert_none(allocator: &dyn Allocator) {
    if allocator.stats().live != 0 {
        report(allocator);
    }
}

#[cold]
#[inline(never)]
fn report(allocator: &dyn Allocator) {
    let leak = Leak { allocator };
    #[cfg(feature = "std")]
    if std::thread::panicking() {
        crate::contract::misuse::write_stderr(format_args!("{leak}\n"));
        return;
    }
    panic!("{leak}");
}

/// The report, formatted without allocating.
struct Leak<'a> {
    allocator: &'a dyn Allocator,
}

impl fmt::Display for Leak<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stats = self.allocator.stats();
        write!(
            f,
            "allocator `{}` was dropped with {} live block{} of {} bytes",
            self.allocator.name(),
            stats.live,
            if stats.live == 1 { "" } else { "s" },
            stats.requested
        )?;
        let shown = Cell::new(0);
        let result = Cell::new(Ok(()));
        self.allocator.walk(&mut |block: Block| {
            if shown.get() < LISTED && result.get().is_ok() {
                result.set(write_block(f, &block));
            }
            shown.set(shown.get() + 1);
        });
        result.get()?;
        if shown.get() > LISTED {
            write!(f, "\n  and {} more", shown.get() - LISTED)?;
        }
        Ok(())
    }
}

fn write_block(f: &mut fmt::Formatter<'_>, block: &Block) -> fmt::Result {
    write!(f, "\n  {:p}, {} bytes", block.address, block.bytes)?;
    match block.site {
        Some(site) => write!(f, ", from {site}"),
        None => Ok(()),
    }
}
