//! Opening an arena that was copied, mapped or sent: everything in it is validated before use.

use core::mem::offset_of;

use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::buddy::error::BuddyError;
use crate::blocks::buddy::memory::{Memory, assemble};
use crate::blocks::buddy::meta::{
    Books, Head, LEVELS_MAX, MAGIC, META_ALIGN, SHIFT_MAX, Seal, VERSION,
};
use crate::blocks::buddy::shape::{Placed, Shape};
use crate::contract::allocator::Allocator;

/// Opens the arena in `memory`.
///
/// # Safety
///
/// The bytes are initialised, or were copied from an arena, including uninitialised bytes inside
/// its live blocks.
pub(crate) unsafe fn open<'a, B: Allocator + ?Sized>(
    name: &'a str,
    memory: Memory<'a, B>,
) -> Result<BuddyAllocator<'a, B>, BuddyError> {
    let bytes = memory.region().len();
    let header = find_magic(&memory)?;
    let head_at = memory.start().addr().get() + header;
    if !head_at.is_multiple_of(META_ALIGN) {
        let alignment = META_ALIGN;
        return Err(BuddyError::BadBase { alignment });
    }
    if bytes - header < size_of::<Head>() {
        let needed = header + size_of::<Head>();
        return Err(BuddyError::CutShort { needed, bytes });
    }
    // SAFETY: the header is in the memory.
    let head = unsafe { memory.start().add(header) }.cast::<Head>();
    // SAFETY: it is aligned and initialised, any bytes are a `Head`, and no other code reaches it.
    let head = unsafe { head.as_ref() };
    let mut seal = head.seal.get();
    let placed = check_seal(&seal, header, head_at)?;
    let needed = (header as u64).saturating_add(seal.bytes);
    if needed > bytes as u64 {
        let needed = usize::try_from(needed).unwrap_or(usize::MAX);
        return Err(BuddyError::CutShort { needed, bytes });
    }
    let align = head.books.greatest_align.get();
    if !align.is_power_of_two() || align < META_ALIGN as u64 {
        return Err(BuddyError::Damaged {
            what: "the greatest alignment is impossible",
            offset: header + offset_of!(Head, books) + offset_of!(Books, greatest_align),
        });
    }
    if placed.home.wrapping_sub(seal.home) & (align - 1) != 0 {
        let alignment = usize::try_from(align).unwrap_or(usize::MAX);
        return Err(BuddyError::BadBase { alignment });
    }
    // SAFETY: the seal holds, so the metadata and all leaves are in the memory, in that order.
    let buddy = unsafe { assemble(name, memory, placed) };
    match buddy.tree.check() {
        Ok(()) => {
            seal.home = placed.home;
            seal.sum = seal.mixed();
            buddy.tree.head().seal.set(seal);
            buddy.tree.close_free();
            Ok(buddy)
        }
        Err((what, leaf)) => {
            let offset = buddy.overhead_bytes() + buddy.tree.offset_of(leaf) as usize;
            // Live blocks of a damaged arena are not leaks.
            let _ = buddy.into_memory();
            Err(BuddyError::Damaged { what, offset })
        }
    }
}

/// Finds the header: at the first multiple of 16 in the old memory, which may not be one here.
fn find_magic<B: Allocator + ?Sized>(memory: &Memory<'_, B>) -> Result<usize, BuddyError> {
    let last = memory.region().len().saturating_sub(size_of::<u64>() - 1);
    for header in 0..META_ALIGN.min(last) {
        // SAFETY: eight bytes from here are in the memory.
        let at = unsafe { memory.start().add(header) };
        // SAFETY: they are initialised by the promise to `open`.
        let magic = unsafe { at.cast::<u64>().read_unaligned() };
        if magic == MAGIC {
            return Ok(header);
        }
    }
    Err(BuddyError::NotAnArena)
}

/// Checks that the header is consistent; returns the arena's place if it is.
fn check_seal(seal: &Seal, header: usize, head_at: usize) -> Result<Placed, BuddyError> {
    if seal.version != VERSION {
        return Err(BuddyError::WrongVersion { found: seal.version });
    }
    let damaged = BuddyError::Damaged { what: "the header does not hold together", offset: header };
    let shape =
        Shape { leaf_shift: seal.leaf_shift, top: seal.top, first: seal.first, end: seal.end };
    let limits = seal.sum == seal.mixed()
        && shape.top < LEVELS_MAX
        && shape.leaf_shift >= META_ALIGN.ilog2()
        && shape.leaf_shift <= SHIFT_MAX - shape.top
        && shape.first < shape.end
        && u64::from(shape.end) <= 1 << shape.top;
    if !limits {
        return Err(damaged);
    }
    let leaves = u64::from(shape.leaves()) << shape.leaf_shift;
    let data = usize::try_from(seal.data).map_err(|_| damaged)?;
    let fits = seal.fronts == shape.fronts()
        && data >= shape.meta_bytes()
        && data.is_multiple_of(META_ALIGN)
        && seal.data.checked_add(leaves) == Some(seal.bytes);
    if !fits {
        return Err(damaged);
    }
    let first = u64::from(shape.first) << shape.leaf_shift;
    Ok(Placed {
        shape,
        header,
        data,
        home: (head_at as u64).wrapping_add(seal.data).wrapping_sub(first),
    })
}
