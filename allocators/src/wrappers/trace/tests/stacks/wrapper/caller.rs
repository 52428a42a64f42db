//! The caller of the function in `wrapper`, from the line of the same number.

use core::ptr::NonNull;

use super::ask;
use crate::contract::allocator::Allocator;

// What is before the call is here for its length alone, so that the line below has its number. It
// must stay the one that the constant next to the wrapper says, and the test looks whether it does.

/// Asks by way of the wrapper.
#[inline(never)]
pub(in crate::wrappers::trace::tests::stacks) fn call(allocator: &dyn Allocator) -> NonNull<u8> {
    // The call follows.
    // It is line 17, as that of the call in the wrapper:
    // both must stay there.
    let block = ask(allocator);
    core::hint::black_box(block)
}
