//! The report of an allocator of offsets that was dropped with live blocks.

use core::cell::Cell;
use core::fmt;

/// How many blocks a leak report lists.
const LISTED: usize = 16;

/// An allocator of offsets.
pub(crate) trait OffsetBlocks {
    /// Its name.
    fn name(&self) -> &str;

    /// The live blocks and their length together.
    fn live(&self) -> (usize, usize);

    /// What a length is counted in.
    fn unit(&self) -> &'static str;

    /// Visits offset and length of every live block.
    fn each_live(&self, visit: &mut dyn FnMut(u64, u64));
}

/// Panics if there are live blocks, or writes the report if a panic is already unwinding.
pub(crate) fn assert_none(blocks: &dyn OffsetBlocks) {
    if blocks.live().0 != 0 {
        report(blocks);
    }
}

#[cold]
#[inline(never)]
fn report(blocks: &dyn OffsetBlocks) {
    let leak = OffsetLeak { blocks };
    #[cfg(feature = "std")]
    if std::thread::panicking() {
        crate::contract::misuse::write_stderr(format_args!("{leak}\n"));
        return;
    }
    panic!("{leak}");
}

/// The report, formatted without allocating.
pub(crate) struct OffsetLeak<'a> {
    pub(crate) blocks: &'a dyn OffsetBlocks,
}

impl fmt::Display for OffsetLeak<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((live, granted), unit) = (self.blocks.live(), self.blocks.unit());
        write!(
            f,
            "allocator `{}` was dropped with {live} live block{} of {granted} {unit}",
            self.blocks.name(),
            if live == 1 { "" } else { "s" },
        )?;
        let (shown, result) = (Cell::new(0), Cell::new(Ok(())));
        self.blocks.each_live(&mut |offset, len| {
            if shown.get() < LISTED && result.get().is_ok() {
                result.set(write!(f, "\n  offset {offset}, {len} {unit}"));
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
