//! Checks of single requests: every size, every alignment, none and too much.

use core::alloc::Layout;

use crate::limits::Limits;
use crate::oracle::{Key, Oracle};
use crate::rule::{Rule, Violation, require};

/// Sizes around each power of two up to the greatest that is served, and that one.
pub(super) fn interesting_sizes(limits: &Limits) -> Vec<usize> {
    let mut sizes = vec![0, limits.size_max];
    for shift in 0..usize::BITS - 2 {
        let power = 1_usize << shift;
        sizes.extend([power - 1, power, power + 1, power + power / 2]);
    }
    sizes.retain(|&size| size <= limits.size_max);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The alignments up to the greatest that is served.
pub(super) fn alignments_of(limits: &Limits) -> impl Iterator<Item = usize> + use<> {
    let most = limits.align_max;
    (0..usize::BITS - 1).map(|shift| 1 << shift).take_while(move |&align| align <= most)
}

/// Returns the key of a block that must have been served.
pub(super) fn served(key: Option<Key>, layout: Layout) -> Result<Key, Violation> {
    key.ok_or_else(|| {
        Violation::new(Rule::Served, format!("an allocator with room refuses {layout:?}"))
    })
}

pub(super) fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align)
        .unwrap_or_else(|_| panic!("{size} bytes at alignment {align} make no layout"))
}

/// Each size, alone in the allocator, freed in both ways.
pub(super) fn sizes(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    for size in interesting_sizes(oracle.limits()) {
        let layout = layout(size, 1);
        let key = served(oracle.allocate(layout)?, layout)?;
        oracle.free(key)?;
        let key = served(oracle.allocate(layout)?, layout)?;
        oracle.free_sized(key, 0)?;
    }
    Ok(())
}

/// Each alignment with a small size, alone in the allocator; then with others, which may be
/// refused.
pub(super) fn alignments(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let most = oracle.limits().size_max;
    for align in alignments_of(&oracle.limits().clone()) {
        let small = layout(1, align);
        let key = served(oracle.allocate(small)?, small)?;
        oracle.free(key)?;
        for size in [align - 1, align, align + 1, 3 * align] {
            if size <= most
                && let Some(key) = oracle.allocate(layout(size, align))?
            {
                oracle.free_sized(key, 255)?;
            }
        }
    }
    Ok(())
}

/// A block of each alignment, all alive at once, the small alignments between the great ones.
pub(super) fn alignments_together(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let aligns: Vec<usize> = alignments_of(oracle.limits()).collect();
    for (index, &align) in aligns.iter().enumerate() {
        for align in [align, aligns[aligns.len() - 1 - index]] {
            let size = (index * 7 + 1).min(oracle.limits().size_max);
            oracle.allocate(layout(size, align))?;
        }
    }
    oracle.check_all()?;
    oracle.free_all()
}

/// Blocks of size zero are distinct, hold a byte each and must be freed.
pub(super) fn zero_size(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let none = layout(0, 1);
    let first = served(oracle.allocate(none)?, none)?;
    let mut count = 1;
    for align in [1, 1, 1, 8, 1, 64] {
        if align <= oracle.limits().align_max {
            count += usize::from(oracle.allocate(layout(0, align))?.is_some());
            count += usize::from(oracle.allocate_zeroed(layout(0, align))?.is_some());
        }
    }
    require(oracle.len() == count && oracle.bytes(first) > 0, Rule::Overlap, || {
        format!("{count} blocks of size zero share {} addresses", oracle.len())
    })?;
    oracle.check_all()?;
    oracle.free_all()
}

/// Sizes that no address space holds are refused, in every way of asking, with a block alive.
pub(super) fn huge(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let small = layout(oracle.limits().size_max.min(24), 1);
    let key = served(oracle.allocate(small)?, small)?;
    let most = isize::MAX as usize;
    for align in alignments_of(&oracle.limits().clone()) {
        for size in [most - (align - 1), most - (align - 1) - 1, most / 2 + 1, most / 8 * 7] {
            let Ok(layout) = Layout::from_size_align(size, align) else {
                continue;
            };
            oracle.allocate(layout)?;
            oracle.allocate_zeroed(layout)?;
            oracle.reallocate(key, layout, 0)?;
            oracle.resize(key, size, 255)?;
        }
    }
    oracle.check_all()?;
    oracle.free(key)
}
