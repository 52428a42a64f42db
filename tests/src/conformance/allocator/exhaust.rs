//! Checks of an allocator that is full.

use core::alloc::Layout;

use crate::limits::Limits;
use crate::oracle::{Key, Oracle};
use crate::rule::{Rule, Violation, require};

use super::sizes::layout;

/// The most blocks that a check fills an allocator with.
const BLOCKS_MAX: usize = 1200;

/// The layouts that a check fills the allocator with, each in turn until it is full.
fn fillings(limits: &Limits, memory: usize) -> Vec<Layout> {
    let least = memory.div_ceil(BLOCKS_MAX).clamp(1, limits.size_max);
    let mut fillings = Vec::new();
    for (size, align) in [
        (least, 1),
        (least + 1, 8),
        (limits.size_max / 16, 16),
        (limits.size_max / 3, 1),
        (limits.size_max, 1),
        (1, limits.align_max),
    ] {
        if size <= limits.size_max && align <= limits.align_max && size.max(align) >= least {
            fillings.push(layout(size, align));
        }
    }
    fillings
}

/// Allocates until a request is refused.
fn fill(oracle: &mut Oracle<'_>, layout: Layout) -> Result<Vec<Key>, Violation> {
    let mut keys = Vec::new();
    while let Some(key) = oracle.allocate(layout)? {
        keys.push(key);
        require(keys.len() <= 64 * BLOCKS_MAX, Rule::Served, || {
            format!("{} blocks of {layout:?} were served, more than there is memory", keys.len())
        })?;
    }
    Ok(keys)
}

/// A full allocator refuses without a change, and serves as much again when all is freed, in
/// whatever order.
pub(super) fn exhaustion(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    let Some(memory) = limits.memory else {
        return Ok(());
    };
    for layout in fillings(&limits, memory) {
        let mut before = None;
        for order in 0..if limits.reclaims { 4 } else { 1 } {
            let mut keys = fill(oracle, layout)?;
            let count = keys.len();
            require(before.is_none_or(|before| count >= before), Rule::Reclaimed, || {
                format!("{count} blocks of {layout:?} where {before:?} were served before")
            })?;
            before = before.max(Some(count));
            oracle.allocate_zeroed(layout)?;
            oracle.check_all()?;
            match order {
                0 => keys.reverse(),
                1 => {}
                2 => keys.sort_by_key(|key| oracle.layout(*key).size()),
                _ => {
                    let (odd, even): (Vec<_>, Vec<_>) =
                        keys.iter().enumerate().partition(|(index, _)| index % 2 == 1);
                    keys = odd.into_iter().chain(even).map(|(_, key)| *key).collect();
                }
            }
            for (index, key) in keys.into_iter().enumerate() {
                if index % 2 == 0 {
                    oracle.free(key)?;
                } else {
                    oracle.free_sized(key, 0)?;
                }
            }
        }
        if !limits.reclaims {
            break;
        }
    }
    Ok(())
}

/// A block freed in a full allocator makes room for one of its kind.
pub(super) fn full_and_one_free(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    let Some(memory) = limits.memory.filter(|_| limits.reclaims) else {
        return Ok(());
    };
    for layout in fillings(&limits, memory) {
        let mut keys = fill(oracle, layout)?;
        let count = keys.len();
        for turn in 0..count.min(24) {
            let key = keys.swap_remove(turn * 31 % count);
            oracle.free(key)?;
            let again = oracle.allocate(layout)?;
            keys.push(again.ok_or_else(|| {
                Violation::new(
                    Rule::Reclaimed,
                    format!("with one of {count} blocks of {layout:?} freed, another is refused"),
                )
            })?);
        }
        oracle.free_all()?;
    }
    Ok(())
}

/// A block that cannot grow, in place or elsewhere, stays as it was.
pub(super) fn refused_growth(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    let Some(memory) = limits.memory else {
        return Ok(());
    };
    let small = layout((memory / 64).clamp(1, limits.size_max), 1);
    let mut keys = fill(oracle, small)?;
    keys.truncate(8);
    for key in &mut keys {
        for size in [2 * small.size(), small.size() + 1, memory] {
            oracle.resize(*key, size, 0)?;
            if let Some(moved) = oracle.reallocate(*key, layout(size, 1), 255)? {
                *key = moved;
            }
        }
    }
    oracle.check_all()?;
    oracle.free_all()
}
