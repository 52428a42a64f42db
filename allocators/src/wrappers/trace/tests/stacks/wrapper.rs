//! A function that allocates for its caller, on a line with the same number as its caller's.

pub(super) mod caller;

use core::ptr::NonNull;

use super::layout;
use crate::contract::allocator::Allocator;

/// The line of the call below, and of the one in `caller`.
pub(super) const LINE: u32 = 17;

#[track_caller]
#[inline(never)]
pub(super) fn ask(allocator: &dyn Allocator) -> NonNull<u8> {
    // Here is line 17.
    let block = allocator.allocate(layout(3, 8));
    core::hint::black_box(block).expect("there is memory").cast()
}
