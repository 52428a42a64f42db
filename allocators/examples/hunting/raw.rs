//! Memory used through raw pointers, correctly or not.
//!
//! All unsafe code of this program is here. The memory it accesses belongs to some allocator, or a
//! fault there is the purpose of the case; that a block no longer belongs to its caller is
//! the bug.
#![expect(unsafe_code, reason = "it writes past blocks and to freed ones, on purpose")]

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator};

/// A block, by its address; it may go to another thread, which is how some bugs begin.
#[derive(Clone, Copy)]
pub(crate) struct Block(NonNull<u8>);

// SAFETY: it is an address, read and written by volatile accesses that the cases put in order.
unsafe impl Send for Block {}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 4).expect("a small size")
}

/// Allocates a block, for the caller of this function.
#[track_caller]
pub(crate) fn take(memory: &dyn Allocator, bytes: usize) -> Result<Block, AllocError> {
    Ok(Block(memory.allocate(layout(bytes))?.cast()))
}

/// Frees a block, for the caller of this function.
#[track_caller]
pub(crate) fn free(memory: &dyn Allocator, block: Block) {
    // SAFETY: the block came from this allocator; that it may be free already is a case's bug.
    unsafe { memory.deallocate(block.0) };
}

/// Frees the block at an address that a walk has shown.
pub(crate) fn free_at(memory: &dyn Allocator, address: NonNull<u8>) {
    free(memory, Block(address));
}

/// Gives a block another size, for the caller of this function.
#[track_caller]
pub(crate) fn resize(
    memory: &dyn Allocator,
    block: Block,
    old: usize,
    new: usize,
) -> Result<Block, AllocError> {
    // SAFETY: the block is live and has the old layout.
    let moved = unsafe { memory.reallocate(block.0, layout(old), layout(new))? };
    Ok(Block(moved.cast()))
}

/// Writes the number at `index` of a block that is seen as an array of numbers.
pub(crate) fn put(block: Block, index: usize, number: u32) {
    let place = block.0.as_ptr().cast::<u32>().wrapping_add(index);
    // SAFETY: blocks are aligned to 4; whether the place is still the block's is the case's
    // business.
    unsafe { place.write_volatile(number) };
}

/// Reads the number at `index` of a block.
pub(crate) fn get(block: Block, index: usize) -> u32 {
    let place = block.0.as_ptr().cast::<u32>().wrapping_add(index);
    // SAFETY: as in `put`.
    unsafe { place.read_volatile() }
}

/// Writes the byte at `index` of a block.
pub(crate) fn put_byte(block: Block, index: usize, byte: u8) {
    let place = block.0.as_ptr().wrapping_add(index);
    // SAFETY: as in `put`.
    unsafe { place.write_volatile(byte) };
}
