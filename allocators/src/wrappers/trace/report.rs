//! The report of live blocks by call site: largest first, in columns, without allocating.

use core::fmt;
use core::panic::Location;

use crate::contract::allocator::Allocator;
use crate::wrappers::trace::TraceAllocator;
use crate::wrappers::trace::groups::Group;
use crate::wrappers::trace::stack::Stack;

#[cfg(test)]
mod tests;

/// The live blocks of one call site; with stacks, of one call site and stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiteUsage {
    /// The call site.
    pub site: &'static Location<'static>,
    /// Live blocks.
    pub blocks: usize,
    /// Their bytes as last requested.
    pub bytes: usize,
    /// The allocation number of the oldest of them.
    pub oldest: u64,
    /// Allocations since the allocator was created.
    pub allocations_total: u64,
}

impl From<Group> for SiteUsage {
    fn from(group: Group) -> Self {
        Self {
            site: group.site,
            blocks: group.blocks,
            bytes: group.bytes,
            oldest: group.oldest,
            allocations_total: group.total,
        }
    }
}

/// The report of a [`TraceAllocator`].
pub(super) struct Report<'r, 'a, B: Allocator + ?Sized, K: Allocator + ?Sized> {
    pub(super) trace: &'r TraceAllocator<'a, B, K>,
}

/// The widths of the columns.
struct Widths {
    blocks: usize,
    bytes: usize,
    oldest: usize,
}

impl<B: Allocator + ?Sized, K: Allocator + ?Sized> fmt::Display for Report<'_, '_, B, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stats = self.trace.stats();
        let ledger = &self.trace.ledger;
        write_report(f, self.trace.name(), [stats.live, stats.requested], &|visit| {
            ledger.each_group(&mut |number, group| visit(group, ledger.stack(number)));
        })
    }
}

/// What shows each group and its stack, as often as it is called.
pub(super) type Each<'e> = dyn Fn(&mut dyn FnMut(Group, Option<Stack>)) + 'e;

/// Writes a report of the live blocks and bytes in `live`, whose groups `each` shows.
pub(super) fn write_report(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    live: [usize; 2],
    each: &Each<'_>,
) -> fmt::Result {
    let mut sites = 0;
    let mut widths =
        Widths { blocks: "blocks".len(), bytes: "bytes".len(), oldest: "oldest".len() };
    each(&mut |group, _| {
        sites += 1;
        widths.blocks = widths.blocks.max(digits(group.blocks as u64));
        widths.bytes = widths.bytes.max(digits(group.bytes as u64));
        widths.oldest = widths.oldest.max(1 + digits(group.oldest));
    });
    write!(f, "allocator `{name}`: ")?;
    let [blocks, bytes] = live;
    if blocks == 0 {
        return f.write_str("no live blocks");
    }
    let (s, ss) = (plural(blocks), plural(sites));
    write!(f, "{blocks} live block{s} of {bytes} bytes, from {sites} site{ss}")?;
    let Widths { blocks, bytes, oldest } = widths;
    write!(f, "\n  {:>blocks$}  {:>bytes$}  {:>oldest$}  site", "blocks", "bytes", "oldest")?;
    let mut result = Ok(());
    each(&mut |group, stack| {
        if result.is_ok() {
            result = write_group(f, &group, &widths);
            #[cfg(feature = "stacks")]
            if result.is_ok()
                && let Some(stack) = stack
            {
                result = crate::wrappers::trace::stack::write_frames(f, &stack, group.site);
            }
            #[cfg(not(feature = "stacks"))]
            let _ = stack;
        }
    });
    result
}

fn write_group(f: &mut fmt::Formatter<'_>, group: &Group, widths: &Widths) -> fmt::Result {
    let Widths { blocks, bytes, oldest } = *widths;
    let hash = oldest - digits(group.oldest);
    write!(
        f,
        "\n  {:>blocks$}  {:>bytes$}  {:>hash$}{}  {}",
        group.blocks, group.bytes, "#", group.oldest, group.site
    )
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Returns the number of decimal digits of a number.
fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}
