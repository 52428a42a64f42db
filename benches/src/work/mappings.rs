//! Large blocks: mapped, touched and unmapped.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::blocks::Blocks;
use crate::clock;
use crate::contender::Pass;

/// What touches every page of it.
const PAGE_BYTES: usize = 4096;

/// The sizes, in MiB.
const SIZES_MIB: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Allocates, touches and frees a block of each size; a block is an operation.
pub(crate) fn sweep<B: Blocks>(allocator: &mut B) -> Pass {
    let ns = clock::time(|| {
        for mib in SIZES_MIB {
            let bytes = mib << 20;
            // SAFETY: a page is a power of two, and no size here is near `isize::MAX`.
            let layout = unsafe { Layout::from_size_align_unchecked(bytes, PAGE_BYTES) };
            let block = allocator.allocate(layout);
            touch(block, bytes);
            // SAFETY: the block was just taken with this layout and is freed once.
            unsafe { allocator.free(block, layout) };
        }
    });
    Pass { ns, operations: SIZES_MIB.len() as u64 }
}

/// Writes one byte to each page of a live block of `bytes` bytes.
fn touch(block: NonNull<u8>, bytes: usize) {
    for offset in (0..bytes).step_by(PAGE_BYTES) {
        // SAFETY: the offset is less than the block's length.
        let place = unsafe { block.add(offset) };
        // SAFETY: the place is in the live block.
        unsafe { place.write_volatile(1) };
    }
}
