//! The guard words on both sides of a block.

use core::ptr::NonNull;

use crate::bookkeeping::mark;

use super::header::{HEADER, Shape};

/// Size of the guard before a block; the header before it is guarded by its check word.
pub(super) const BEFORE: usize = WORD;

/// Size of the guard after a block.
pub(super) const BEHIND: usize = 2 * WORD;

/// Size of a guard word.
const WORD: usize = size_of::<u64>();

/// The guard word: its bytes all differ, and none is zero or ASCII text.
const KNOWN: u64 = 0xc4a7_19b3_058d_f29e;

/// The changed bytes of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The number of changed bytes.
    pub(super) changed: usize,
    /// The changed byte nearest to the block.
    pub(super) nearest: *const u8,
    /// The distance of that byte from the block.
    pub(super) near: usize,
    /// The distance of the farthest changed byte from the block.
    pub(super) far: usize,
}

/// Writes the guards around a block, and poisons them and the header for the tools.
///
/// # Safety
///
/// The block is in a block of the backing as `shape` has it, and is not used yet.
#[inline(always)]
pub(super) unsafe fn write(block: NonNull<u8>, shape: Shape) {
    // SAFETY: the guard, the header and the pad are before the block.
    let start = unsafe { block.sub(shape.front) };
    // SAFETY: the guard is the word before the block.
    let before = unsafe { block.sub(BEFORE) };
    // SAFETY: it is a word within the backing's block.
    unsafe { put(before, 0) };
    for index in 0..shape.pad() / WORD {
        // SAFETY: the pad is a whole number of words.
        unsafe { put(start, index) };
    }
    mark::no_access(start, shape.front);
    // SAFETY: the caller's promise.
    unsafe { write_behind(block, shape.size) };
}

/// Writes the guard after a block of the given size, and poisons it for the tools.
///
/// # Safety
///
/// The backing's block has room for them.
#[inline(always)]
pub(super) unsafe fn write_behind(block: NonNull<u8>, size: usize) {
    // SAFETY: the guard follows the block's bytes.
    let behind = unsafe { block.add(size) };
    // What a block grew by may hold its old guard.
    mark::undefined(behind, BEHIND);
    // SAFETY: it is a word within the backing's block.
    unsafe { put(behind, 0) };
    // SAFETY: as above.
    unsafe { put(behind, 1) };
    mark::no_access(behind, BEHIND);
}

/// Returns `true` if no guard word around the block was changed.
///
/// # Safety
///
/// The block is live and has this shape.
#[inline(always)]
pub(super) unsafe fn holds(block: NonNull<u8>, shape: Shape) -> bool {
    // SAFETY: the guard is the word before the block.
    let before = unsafe { block.sub(BEFORE) };
    // SAFETY: the guard follows the block's bytes.
    let behind = unsafe { block.add(shape.size) };
    mark::defined(before, BEFORE);
    mark::defined(behind, BEHIND);
    // SAFETY: it is a word within the backing's block.
    let first = unsafe { get(before, 0) };
    // SAFETY: as above.
    let second = unsafe { get(behind, 0) };
    // SAFETY: as above.
    let third = unsafe { get(behind, 1) };
    mark::no_access(before, BEFORE);
    mark::no_access(behind, BEHIND);
    let differing = (first ^ KNOWN) | (second ^ KNOWN) | (third ^ KNOWN);
    // SAFETY: the caller's promise.
    differing == 0 && (shape.pad() == 0 || unsafe { pad_holds(block, shape) })
}

/// Returns `true` if the pad before the header is unchanged.
///
/// # Safety
///
/// As for [`holds`].
unsafe fn pad_holds(block: NonNull<u8>, shape: Shape) -> bool {
    // SAFETY: the pad comes first in the backing's block.
    let start = unsafe { block.sub(shape.front) };
    mark::defined(start, shape.pad());
    // SAFETY: the pad is a whole number of words.
    let holds = (0..shape.pad() / WORD).all(|index| unsafe { get(start, index) } == KNOWN);
    mark::no_access(start, shape.pad());
    holds
}

/// Returns the changed bytes before a block: in its guard, and in the `pad` bytes before its
/// header.
///
/// # Safety
///
/// The guard, and `pad` bytes before the header, are there.
pub(super) unsafe fn before(block: NonNull<u8>, pad: usize) -> Option<Span> {
    let skipped = BEFORE + HEADER;
    let distances = (0..BEFORE).chain(skipped..skipped + pad);
    // The words end at the block's start, so their bytes come in reverse.
    let bytes = distances
        .map(|distance| (distance, block.as_ptr().wrapping_sub(distance + 1), !distance % WORD));
    // SAFETY: the caller's promise.
    unsafe { span(bytes) }
}

/// Returns the changed bytes in the guard after a block.
///
/// # Safety
///
/// The block is live and has this size.
pub(super) unsafe fn behind(block: NonNull<u8>, size: usize) -> Option<Span> {
    // The words begin at the block's end, whatever its alignment.
    let bytes = (0..BEHIND)
        .map(|distance| (distance, block.as_ptr().wrapping_add(size + distance), distance % WORD));
    // SAFETY: the caller's promise.
    unsafe { span(bytes) }
}

/// Compares bytes, the nearest to the block first: distance, address, and the index of the expected
/// byte in the guard word.
///
/// # Safety
///
/// The bytes are there, and are a guard's.
unsafe fn span(bytes: impl Iterator<Item = (usize, *mut u8, usize)>) -> Option<Span> {
    let known = KNOWN.to_ne_bytes();
    let mut found: Option<Span> = None;
    for (distance, address, which) in bytes {
        // SAFETY: the caller's promise.
        if unsafe { byte(address) } == known[which] {
            continue;
        }
        let first = Span { changed: 0, nearest: address, near: distance, far: distance };
        let span = found.get_or_insert(first);
        span.changed += 1;
        span.far = distance;
    }
    found
}

/// # Safety
///
/// The byte is a guard's. It stays addressable for the tools, as damage is reported next.
unsafe fn byte(address: *mut u8) -> u8 {
    if let Some(address) = NonNull::new(address) {
        mark::defined(address, 1);
    }
    // SAFETY: the caller's promise.
    unsafe { address.read() }
}

/// # Safety
///
/// The word with this index after `start` is readable.
#[inline(always)]
unsafe fn get(start: NonNull<u8>, index: usize) -> u64 {
    // SAFETY: the caller's promise.
    let word = unsafe { start.add(index * WORD) };
    // SAFETY: as above; a guard after a block has no alignment.
    unsafe { word.cast::<u64>().read_unaligned() }
}

/// # Safety
///
/// The word with this index after `start` is writable.
#[inline(always)]
unsafe fn put(start: NonNull<u8>, index: usize) {
    // SAFETY: the caller's promise.
    let word = unsafe { start.add(index * WORD) };
    // SAFETY: as above; a guard after a block has no alignment.
    unsafe { word.cast::<u64>().write_unaligned(KNOWN) }
}
