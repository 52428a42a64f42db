//! Checks of several blocks at once: contents, orders of freeing, changes of size.

use core::alloc::Layout;

use crate::oracle::{Key, Oracle};
use crate::rule::{Rule, Violation, require};

use super::sizes::{alignments_of, interesting_sizes, layout, served};

/// How many blocks a check holds at once.
const BLOCKS: usize = 40;

/// The name is there, and stays.
pub(super) fn name(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let before = oracle.allocator().name().to_owned();
    require(!before.is_empty(), Rule::Name, || "the name is empty".to_owned())?;
    let layout = layout(1, 1);
    let key = served(oracle.allocate(layout)?, layout)?;
    let after = oracle.allocator().name().to_owned();
    require(after == before, Rule::Name, || format!("`{before}` is now called `{after}`"))?;
    oracle.free(key)
}

/// Allocates blocks of mixed sizes until there are enough or one is refused.
fn some_blocks(oracle: &mut Oracle<'_>) -> Result<Vec<Key>, Violation> {
    let limits = *oracle.limits();
    let most = (limits.memory.unwrap_or(1 << 20) / (2 * BLOCKS)).min(limits.size_max);
    let mut keys = Vec::new();
    for index in 0..BLOCKS {
        let size = (index * 37 + index * index) % (most + 1);
        let align = (1 << (index % 5)).min(limits.align_max);
        match oracle.allocate(layout(size, align))? {
            Some(key) => keys.push(key),
            None => break,
        }
    }
    require(
        keys.len() > 1 || limits.memory.is_some_and(|bytes| bytes < 1024),
        Rule::Served,
        || format!("an allocator with room refuses a second block after {}", keys.len()),
    )?;
    Ok(keys)
}

/// Many blocks keep their contents while others come and go.
pub(super) fn contents(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let keys = some_blocks(oracle)?;
    for key in keys.iter().step_by(2) {
        oracle.free(*key)?;
        oracle.check_all()?;
    }
    some_blocks(oracle)?;
    oracle.check_all()?;
    oracle.free_all()
}

/// Blocks can be freed first to last, last to first, and from the middle.
pub(super) fn orders_of_free(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    for order in 0..4 {
        let mut keys = some_blocks(oracle)?;
        let count = keys.len();
        match order {
            0 => {}
            1 => keys.reverse(),
            2 => keys.rotate_left(count / 2),
            _ => keys.sort_by_key(|key| (oracle.layout(*key).size() * 7919) % 101),
        }
        for key in keys {
            oracle.free(key)?;
        }
        oracle.check_all()?;
    }
    Ok(())
}

/// Memory that was written to comes back as zeros where that is asked.
pub(super) fn zeroed(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    for size in interesting_sizes(&limits).into_iter().filter(|&size| size <= limits.touch_max) {
        for align in [1, 32, 4096] {
            if align > limits.align_max {
                continue;
            }
            let layout = layout(size, align);
            // The oracle writes a pattern over each block, so what is freed here is not zero.
            if let Some(key) = oracle.allocate(layout)? {
                oracle.free(key)?;
            }
            if let Some(key) = oracle.allocate_zeroed(layout)? {
                oracle.free(key)?;
            }
        }
    }
    Ok(())
}

/// A free with any size between the one asked and the one granted lowers the counters alike.
pub(super) fn sized_free(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    for size in [0, 1, 5, 13, 17, 33, 100, 1000, 5000] {
        for share in [0, 100, 255] {
            for align in [1, 8, 128] {
                if size <= limits.size_max
                    && align <= limits.align_max
                    && let Some(key) = oracle.allocate(layout(size, align))?
                {
                    oracle.free_sized(key, share)?;
                }
            }
        }
    }
    Ok(())
}

/// Blocks of random sizes and lives, by a fixed seed.
pub(super) fn churn(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    let most = (limits.memory.unwrap_or(1 << 20) / 16).min(limits.size_max) as u64 + 1;
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut keys: Vec<Key> = Vec::new();
    for _ in 0..600 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let draw = random >> 8;
        if keys.len() < BLOCKS && !draw.is_multiple_of(3) {
            let bits = draw / 3 % 64;
            let size = ((random >> 20) % most) >> (bits % u64::from(64 - most.leading_zeros()));
            let align = (1 << (draw / 256 % 8)).min(limits.align_max);
            let layout = layout(size as usize, align);
            let key = if draw.is_multiple_of(4) {
                oracle.allocate_zeroed(layout)?
            } else {
                oracle.allocate(layout)?
            };
            keys.extend(key);
        } else if !keys.is_empty() {
            let key = keys.swap_remove((draw / 8) as usize % keys.len());
            if draw.is_multiple_of(2) {
                oracle.free(key)?;
            } else {
                oracle.free_sized(key, (draw >> 16) as u8)?;
            }
        }
    }
    oracle.free_all()
}

/// Sizes change in place or do not; either way nothing else does.
pub(super) fn resize_in_place(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    let sizes: Vec<usize> =
        interesting_sizes(&limits).into_iter().filter(|&size| size <= limits.touch_max).collect();
    for neighbour in [false, true] {
        let first = layout(sizes.len().min(limits.size_max), 1);
        let key = served(oracle.allocate(first)?, first)?;
        let other = if neighbour { oracle.allocate(first)? } else { None };
        for &size in sizes.iter().chain(sizes.iter().rev().step_by(3)) {
            oracle.resize(key, size, (size % 256) as u8)?;
        }
        oracle.check_all()?;
        oracle.free_sized(key, 255)?;
        if let Some(other) = other {
            oracle.free(other)?;
        }
    }
    Ok(())
}

/// Contents are kept up to the lesser size, growing and shrinking, with a neighbour in the way.
pub(super) fn reallocate(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    let sizes: Vec<usize> =
        interesting_sizes(&limits).into_iter().filter(|&size| size <= limits.touch_max).collect();
    let first = layout(1, 1);
    let mut key = served(oracle.allocate(first)?, first)?;
    for (index, &size) in sizes.iter().chain(sizes.iter().rev()).enumerate() {
        let neighbour = if index % 3 == 0 { oracle.allocate(first)? } else { None };
        let new = layout(size, 1);
        if let Some(moved) = oracle.reallocate(key, new, (index * 85 % 256) as u8)? {
            key = moved;
        }
        if let Some(neighbour) = neighbour {
            oracle.free(neighbour)?;
        }
    }
    oracle.free(key)
}

/// A block may be moved to a stricter or a laxer alignment.
pub(super) fn reallocate_alignment(oracle: &mut Oracle<'_>) -> Result<(), Violation> {
    let limits = *oracle.limits();
    let size = limits.size_max.min(40);
    let first = layout(size, 1);
    let mut key = served(oracle.allocate(first)?, first)?;
    let aligns: Vec<usize> = alignments_of(&limits).collect();
    for &align in aligns.iter().chain(aligns.iter().rev()) {
        // A neighbour for each step keeps the block from being aligned by luck.
        let neighbour = oracle.allocate(Layout::new::<u8>())?;
        if let Some(moved) = oracle.reallocate(key, layout(size, align), 0)? {
            key = moved;
        }
        if let Some(neighbour) = neighbour {
            oracle.free(neighbour)?;
        }
    }
    oracle.free(key)
}
