//! Contents of blocks: written by a seed, reread before each free.
//!
//! A byte's value depends on the block's seed and on its offset, so that any part of a block can be
//! checked after it moved or shrank.

#[cfg(test)]
mod tests;

use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::NonNull;

/// How many bytes at either end of a block too big to be touched are written.
const END_BYTES: usize = 64;

/// Which bytes of a block carry its pattern: all, or both ends.
///
/// ```text
/// 0         head                     tail       bytes
/// +---------+------ untouched ------+-----------+
/// | pattern |                       | pattern   |
/// +---------+-----------------------+-----------+
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    seed: u64,
    head: usize,
    tail: usize,
    bytes: usize,
}

impl Pattern {
    /// Writes a pattern over `bytes` bytes at `block`, or over both ends if they are more than
    /// `touch_max`.
    ///
    /// # Safety
    ///
    /// `block` is valid for writes of `bytes` bytes.
    pub(crate) unsafe fn write(
        block: NonNull<u8>,
        bytes: usize,
        touch_max: usize,
        seed: u64,
    ) -> Self {
        let (head, tail) = if bytes <= touch_max.max(2 * END_BYTES) {
            (bytes, bytes)
        } else {
            (END_BYTES, bytes - END_BYTES)
        };
        let pattern = Self { seed, head, tail, bytes };
        for range in pattern.ranges(bytes) {
            // SAFETY: the range is within the block, by the caller's promise valid for writes.
            let from = unsafe { block.add(range.start) };
            // SAFETY: as above; the memory is not referred to by anything else while it is written.
            let target = unsafe {
                core::slice::from_raw_parts_mut(
                    from.cast::<MaybeUninit<u8>>().as_ptr(),
                    range.len(),
                )
            };
            fill(target, seed, range.start);
        }
        pattern
    }

    /// Returns the first offset below `kept` whose byte is not the pattern's.
    ///
    /// # Safety
    ///
    /// `block` is valid for reads of `kept.min(bytes)` bytes, and the pattern was written there.
    pub(crate) unsafe fn first_difference(&self, block: NonNull<u8>, kept: usize) -> Option<usize> {
        self.ranges(kept).into_iter().find_map(|range| {
            // SAFETY: the range is within the bytes that the caller promises to be readable.
            let from = unsafe { block.add(range.start) };
            // SAFETY: as above, and they were written before.
            let found = unsafe { core::slice::from_raw_parts(from.as_ptr(), range.len()) };
            first_difference(found, self.seed, range.start)
        })
    }

    /// The two written ranges, cut at `kept`.
    fn ranges(&self, kept: usize) -> [Range<usize>; 2] {
        let end = kept.min(self.bytes);
        [0..self.head.min(end), self.tail.min(end)..end]
    }
}

/// Returns the first offset at which one of the `bytes` bytes at `block` is not zero; looks at both
/// ends only if they are more than `touch_max`.
///
/// # Safety
///
/// `block` is valid for reads of `bytes` initialised bytes.
pub(crate) unsafe fn first_nonzero(
    block: NonNull<u8>,
    bytes: usize,
    touch_max: usize,
) -> Option<usize> {
    let end = bytes.min(touch_max);
    // SAFETY: the caller promises that the bytes are readable.
    let head = unsafe { core::slice::from_raw_parts(block.as_ptr(), end) };
    head.iter().position(|&byte| byte != 0).or_else(|| {
        let start = bytes - end;
        // SAFETY: `start + end` is the block's length.
        let from = unsafe { block.add(start) };
        // SAFETY: the caller promises that the bytes are readable.
        let tail = unsafe { core::slice::from_raw_parts(from.as_ptr(), end) };
        tail.iter().position(|&byte| byte != 0).map(|offset| start + offset)
    })
}

/// The eight bytes of the pattern that start at offset `8 * word`.
fn word(seed: u64, word: u64) -> [u8; 8] {
    let mixed = (seed ^ word.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).to_le_bytes()
}

fn fill(target: &mut [MaybeUninit<u8>], seed: u64, offset: usize) {
    let mut at = offset;
    let mut rest = target;
    while !rest.is_empty() {
        let bytes = word(seed, at as u64 / 8);
        let skipped = at % 8;
        let count = (8 - skipped).min(rest.len());
        let (now, later) = rest.split_at_mut(count);
        for (slot, byte) in now.iter_mut().zip(&bytes[skipped..]) {
            slot.write(*byte);
        }
        at += count;
        rest = later;
    }
}

fn first_difference(found: &[u8], seed: u64, offset: usize) -> Option<usize> {
    let mut at = offset;
    let mut rest = found;
    while !rest.is_empty() {
        let bytes = word(seed, at as u64 / 8);
        let skipped = at % 8;
        let count = (8 - skipped).min(rest.len());
        let (now, later) = rest.split_at(count);
        if now != &bytes[skipped..skipped + count] {
            let wrong =
                now.iter().zip(&bytes[skipped..]).position(|(found, wanted)| found != wanted);
            return Some(at + wrong.unwrap_or(0));
        }
        at += count;
        rest = later;
    }
    None
}
