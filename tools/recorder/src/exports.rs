//! The functions that the program calls in place of the C library's.
//!
//! Each is a stub of three instructions, which passes its stack pointer and its frame pointer as
//! two more arguments: the return address is at the one, and by it the call site; the other leads
//! to the callers. Blocks and errors are those of the real function.

use core::ffi::c_int;

use crate::caller::Caller;
use crate::raw::{OP_ALLOCATE, OP_ALLOCATE_ZEROED, OP_FREE, OP_LAND, OP_LIFT};
use crate::run::record;
use crate::system::{EINVAL, ENOMEM, errno, set_errno};
use crate::thread::Inside;
use crate::{early, real};

/// Defines an exported function that jumps to another with its stack pointer and its frame pointer
/// as the last arguments.
macro_rules! stub {
    ($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?,
        $take:literal, $take_frame:literal => $target:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// As of the function of this name in the C library's manual.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            core::arch::naked_asm!($take, $take_frame, "jmp {}", sym $target)
        }
    };
}
pub(crate) use stub;

stub! {
    /// Allocates.
    malloc(bytes: usize) -> *mut u8, "mov rsi, rsp", "mov rdx, rbp" => malloc_at
}
stub! {
    /// Allocates zeros.
    calloc(count: usize, bytes: usize) -> *mut u8, "mov rdx, rsp", "mov rcx, rbp" => calloc_at
}
stub! {
    /// Changes a block's size.
    realloc(block: *mut u8, bytes: usize) -> *mut u8, "mov rdx, rsp", "mov rcx, rbp" => realloc_at
}
stub! {
    /// Changes a block's size, given as a product.
    reallocarray(block: *mut u8, count: usize, bytes: usize) -> *mut u8,
    "mov rcx, rsp", "mov r8, rbp" => reallocarray_at
}
stub! {
    /// Frees.
    free(block: *mut u8), "mov rsi, rsp", "mov rdx, rbp" => free_at
}
stub! {
    /// Allocates by alignment and size.
    aligned_alloc(align: usize, bytes: usize) -> *mut u8,
    "mov rdx, rsp", "mov rcx, rbp" => aligned_alloc_at
}
stub! {
    /// Allocates by alignment and size, and returns an error number.
    posix_memalign(block: *mut *mut u8, align: usize, bytes: usize) -> c_int,
    "mov rcx, rsp", "mov r8, rbp" => posix_memalign_at
}
stub! {
    /// Allocates by alignment and size.
    memalign(align: usize, bytes: usize) -> *mut u8, "mov rdx, rsp", "mov rcx, rbp" => memalign_at
}
stub! {
    /// Allocates on a page's boundary.
    valloc(bytes: usize) -> *mut u8, "mov rsi, rsp", "mov rdx, rbp" => valloc_at
}
stub! {
    /// Allocates whole pages.
    pvalloc(bytes: usize) -> *mut u8, "mov rsi, rsp", "mov rdx, rbp" => pvalloc_at
}

/// The logarithm of the alignment of each block of `malloc`.
const ALIGN_LOG2: u8 = 4;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Returns the block that the real function gives, and records it.
///
/// # Safety
///
/// `place` and `frame` are those of one of the stubs above, `allocate` is safe to call.
unsafe fn allocated(
    (op, align): (u8, usize),
    bytes: usize,
    (place, frame): (*const u64, *const u64),
    allocate: impl FnOnce() -> *mut u8,
) -> *mut u8 {
    let inside = Inside::enter();
    let block = allocate();
    if inside.is_some() && !block.is_null() {
        let align_log2 = align.checked_ilog2().unwrap_or(0) as u8;
        // SAFETY: the caller's promise.
        record(op, align_log2, block, bytes as u64, unsafe { Caller::new(place, frame) });
    }
    block
}

/// What there is where a real function is missing or not known yet.
fn nothing() -> *mut u8 {
    set_errno(ENOMEM);
    core::ptr::null_mut()
}

unsafe extern "C" fn malloc_at(bytes: usize, place: *const u64, frame: *const u64) -> *mut u8 {
    if !real::found() {
        return early::allocate(bytes);
    }
    let call = || match real::malloc::get() {
        // SAFETY: the caller's promise, passed on.
        Some(malloc) => unsafe { malloc(bytes) },
        None => nothing(),
    };
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    unsafe { allocated((OP_ALLOCATE, 1 << ALIGN_LOG2), bytes, (place, frame), call) }
}

unsafe extern "C" fn calloc_at(
    count: usize,
    bytes: usize,
    place: *const u64,
    frame: *const u64,
) -> *mut u8 {
    let Some(whole) = count.checked_mul(bytes) else { return nothing() };
    if !real::found() {
        return early::allocate(whole);
    }
    let call = || match real::calloc::get() {
        // SAFETY: the caller's promise, passed on.
        Some(calloc) => unsafe { calloc(count, bytes) },
        None => nothing(),
    };
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    unsafe { allocated((OP_ALLOCATE_ZEROED, 1 << ALIGN_LOG2), whole, (place, frame), call) }
}

unsafe extern "C" fn realloc_at(
    block: *mut u8,
    bytes: usize,
    place: *const u64,
    frame: *const u64,
) -> *mut u8 {
    if block.is_null() {
        // SAFETY: a reallocation of nothing is an allocation.
        return unsafe { malloc_at(bytes, place, frame) };
    }
    if let Some(old) = early::size(block) {
        // SAFETY: as above.
        let moved = unsafe { malloc_at(bytes, place, frame) };
        if !moved.is_null() {
            // SAFETY: both blocks have at least that number of bytes, and do not overlap.
            unsafe { block.copy_to_nonoverlapping(moved, old.min(bytes)) };
        }
        return moved;
    }
    let Some(realloc) = real::realloc::get() else { return nothing() };
    let Some(_inside) = Inside::enter() else {
        // SAFETY: the caller's promise, passed on.
        return unsafe { realloc(block, bytes) };
    };
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    let caller = unsafe { Caller::new(place, frame) };
    record(OP_LIFT, 0, block, 0, caller);
    // SAFETY: the caller's promise, passed on.
    let moved = unsafe { realloc(block, bytes) };
    record(OP_LAND, ALIGN_LOG2, moved, bytes as u64, caller);
    moved
}

unsafe extern "C" fn reallocarray_at(
    block: *mut u8,
    count: usize,
    bytes: usize,
    place: *const u64,
    frame: *const u64,
) -> *mut u8 {
    match count.checked_mul(bytes) {
        // SAFETY: the caller's promise, passed on.
        Some(whole) => unsafe { realloc_at(block, whole, place, frame) },
        None => nothing(),
    }
}

unsafe extern "C" fn free_at(block: *mut u8, place: *const u64, frame: *const u64) {
    if block.is_null() || early::size(block).is_some() {
        return;
    }
    // A block that is not of the early ones came from a real function.
    let Some(free) = real::free::get() else { return };
    let inside = Inside::enter();
    if inside.is_some() {
        let errno = errno();
        // SAFETY: the stub hands in its stack pointer and its frame pointer.
        record(OP_FREE, 0, block, 0, unsafe { Caller::new(place, frame) });
        set_errno(errno);
    }
    // SAFETY: the caller's promise, passed on.
    unsafe { free(block) };
}

unsafe extern "C" fn aligned_alloc_at(
    align: usize,
    bytes: usize,
    place: *const u64,
    frame: *const u64,
) -> *mut u8 {
    if !real::found() {
        return nothing();
    }
    let call = || match real::aligned_alloc::get() {
        // SAFETY: the caller's promise, passed on.
        Some(aligned_alloc) => unsafe { aligned_alloc(align, bytes) },
        None => nothing(),
    };
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    unsafe { allocated((OP_ALLOCATE, align), bytes, (place, frame), call) }
}

unsafe extern "C" fn posix_memalign_at(
    block: *mut *mut u8,
    align: usize,
    bytes: usize,
    place: *const u64,
    frame: *const u64,
) -> c_int {
    if !real::found() {
        return ENOMEM;
    }
    let Some(posix_memalign) = real::posix_memalign::get() else { return ENOMEM };
    let mut result = EINVAL;
    let call = || {
        // SAFETY: the caller's promise, passed on.
        result = unsafe { posix_memalign(block, align, bytes) };
        if result != 0 {
            return core::ptr::null_mut();
        }
        // SAFETY: the function has succeeded, so it has written the block to the given address.
        unsafe { block.read() }
    };
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    unsafe { allocated((OP_ALLOCATE, align), bytes, (place, frame), call) };
    result
}

unsafe extern "C" fn memalign_at(
    align: usize,
    bytes: usize,
    place: *const u64,
    frame: *const u64,
) -> *mut u8 {
    if !real::found() {
        return nothing();
    }
    let call = || match real::memalign::get() {
        // SAFETY: the caller's promise, passed on.
        Some(memalign) => unsafe { memalign(align, bytes) },
        None => nothing(),
    };
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    unsafe { allocated((OP_ALLOCATE, align), bytes, (place, frame), call) }
}

unsafe extern "C" fn valloc_at(bytes: usize, place: *const u64, frame: *const u64) -> *mut u8 {
    if !real::found() {
        return nothing();
    }
    let call = || match real::valloc::get() {
        // SAFETY: the caller's promise, passed on.
        Some(valloc) => unsafe { valloc(bytes) },
        None => nothing(),
    };
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    unsafe { allocated((OP_ALLOCATE, PAGE), bytes, (place, frame), call) }
}

unsafe extern "C" fn pvalloc_at(bytes: usize, place: *const u64, frame: *const u64) -> *mut u8 {
    if !real::found() {
        return nothing();
    }
    let call = || match real::pvalloc::get() {
        // SAFETY: the caller's promise, passed on.
        Some(pvalloc) => unsafe { pvalloc(bytes) },
        None => nothing(),
    };
    let whole = bytes.checked_next_multiple_of(PAGE).unwrap_or(bytes);
    // SAFETY: the stub hands in its stack pointer and its frame pointer.
    unsafe { allocated((OP_ALLOCATE, PAGE), whole, (place, frame), call) }
}
