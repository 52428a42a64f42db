//! Replaces `system` in tests: the same calls, counted, some of them refused, with the sum of a
//! thread's mapped bytes.

use core::cell::Cell;
use core::ops::Range;
use core::ptr::NonNull;

#[path = "system.rs"]
mod real;

pub(in crate::pages::page) use self::real::{Access, advise_huge};
pub(crate) use self::real::{page_size, whole_pages};
use crate::contract::allocator::AllocError;

/// The kinds of calls, each a bit.
pub(crate) const MAP: u8 = 1;
pub(crate) const UNMAP: u8 = 2;
pub(crate) const REMAP: u8 = 4;
/// Changes of access.
pub(crate) const PROTECT: u8 = 8;
/// Release of contents.
pub(crate) const DISCARD: u8 = 16;
pub(crate) const EVERY: u8 = MAP | UNMAP | REMAP | PROTECT | DISCARD;

std::thread_local! {
    static KINDS: Cell<u8> = const { Cell::new(0) };
    static REFUSED: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
    static MAPPED: Cell<isize> = const { Cell::new(0) };
}

/// Runs `work` and refuses this thread's calls of the given kinds whose numbers are in the range,
/// the first being number 0. Returns the number of calls.
pub(crate) fn during(kinds: u8, refused: Range<u32>, work: impl FnOnce()) -> u32 {
    KINDS.set(kinds);
    REFUSED.set((refused.start, refused.end));
    ASKED.set(0);
    work();
    KINDS.set(0);
    ASKED.get()
}

/// Calls `test` once for every call to be refused, alone and with all later ones. Its argument runs
/// the part in which calls are refused.
pub(crate) fn each_refusal(kinds: u8, mut test: impl FnMut(&dyn Fn(&mut dyn FnMut()))) {
    for first in 0_u32.. {
        let most = Cell::new(0);
        for end in [first + 1, u32::MAX] {
            test(&|work| most.set(during(kinds, first..end, work).max(most.get())));
        }
        if most.get() <= first {
            assert!(first > 0, "there are calls to refuse");
            return;
        }
    }
}

/// Returns the bytes that this thread has mapped and not unmapped since it began.
pub(crate) fn mapped() -> isize {
    MAPPED.get()
}

pub(in crate::pages::page) fn map(
    bytes: usize,
    access: Access,
    unbacked: bool,
) -> Result<NonNull<u8>, AllocError> {
    ask(MAP)?;
    real::map(bytes, access, unbacked).inspect(|_| count(0, bytes))
}

#[cfg(windows)]
pub(in crate::pages::page) fn map_at(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<NonNull<u8>, AllocError> {
    ask(MAP)?;
    real::map_at(address, bytes, access).inspect(|_| count(0, bytes))
}

/// # Safety
///
/// As in `system`; so below.
pub(in crate::pages::page) unsafe fn unmap(
    address: NonNull<u8>,
    bytes: usize,
) -> Result<(), AllocError> {
    ask(UNMAP)?;
    // SAFETY: the caller's promise, passed on; so below.
    unsafe { real::unmap(address, bytes) }.inspect(|()| count(bytes, 0))
}

/// # Safety
///
/// See `unmap`.
pub(in crate::pages::page) unsafe fn grow(
    address: NonNull<u8>,
    old: usize,
    new: usize,
) -> Result<(), AllocError> {
    ask(REMAP)?;
    // SAFETY: see `unmap`.
    unsafe { real::grow(address, old, new) }.inspect(|()| count(old, new))
}

/// # Safety
///
/// See `unmap`.
pub(in crate::pages::page) unsafe fn grow_moving(
    address: NonNull<u8>,
    old: usize,
    new: usize,
) -> Result<NonNull<u8>, AllocError> {
    ask(REMAP)?;
    // SAFETY: see `unmap`.
    unsafe { real::grow_moving(address, old, new) }.inspect(|_| count(old, new))
}

/// A kernel that refuses this may have unmapped the target, as this simulation does.
///
/// # Safety
///
/// See `unmap`.
pub(in crate::pages::page) unsafe fn move_onto(
    address: NonNull<u8>,
    old: usize,
    target: NonNull<u8>,
    new: usize,
) -> Result<NonNull<u8>, AllocError> {
    let moved = ask(REMAP).and_then(|()| {
        // SAFETY: see `unmap`.
        unsafe { real::move_onto(address, old, target, new) }
    });
    if moved.is_err() {
        // SAFETY: the target is the caller's, and is not used afterwards.
        unsafe { real::unmap(target, new) }.expect("a mapping");
        count(new, 0);
    } else {
        count(old, 0);
    }
    moved
}

/// # Safety
///
/// See `unmap`.
pub(in crate::pages::page) unsafe fn protect(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<(), AllocError> {
    ask(PROTECT)?;
    // SAFETY: see `unmap`.
    unsafe { real::protect(address, bytes, access) }
}

/// # Safety
///
/// See `unmap`.
pub(in crate::pages::page) unsafe fn discard(
    address: NonNull<u8>,
    bytes: usize,
    access: Access,
) -> Result<(), AllocError> {
    ask(DISCARD)?;
    // SAFETY: see `unmap`.
    unsafe { real::discard(address, bytes, access) }
}

fn ask(kind: u8) -> Result<(), AllocError> {
    if KINDS.get() & kind == 0 {
        return Ok(());
    }
    let number = ASKED.get();
    ASKED.set(number + 1);
    let (first, end) = REFUSED.get();
    if (first..end).contains(&number) { Err(AllocError) } else { Ok(()) }
}

fn count(gone: usize, come: usize) {
    MAPPED.set(MAPPED.get() + come.cast_signed() - gone.cast_signed());
}
