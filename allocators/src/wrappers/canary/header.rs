//! The header of a block, and the sizes that follow from it.

use core::alloc::Layout;
use core::mem::offset_of;
use core::ptr::{self, NonNull};

use crate::bookkeeping::mark;

use super::guard;

/// Bytes of a header.
pub(super) const HEADER: usize = size_of::<Header>();

/// Bytes from the start of a header to its block.
const FRONT: usize = HEADER + guard::BEFORE;

/// The least alignment, that of a header's words and of the guard before a block.
const ALIGN_MIN: usize = 8;

/// Larger totals are refused: their size would not fit its word, or would not make a layout. No
/// 64-bit address space holds them; with 32 bits the limit is 1 GiB.
pub(super) const TOTAL_MAX: usize = if usize::BITS == 64 { 1 << 57 } else { 1 << 30 };

/// Bits of the word for the alignment's base-2 logarithm.
const SHIFT_BITS: u32 = 6;

/// The factors of a header's words in its check word: powers of three. No sum or difference of
/// them, including the check word's own factor 1, is zero.
const PREV: u64 = 3;
const NEXT: u64 = 9;
const WORD: u64 = 27;

/// The words before a block and its guard.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The header of the block allocated next after this one, or null.
    pub(super) prev: *mut Self,
    /// The header of the block allocated last before this one, or null.
    pub(super) next: *mut Self,
    /// The block's size and the base-2 logarithm of its alignment.
    word: u64,
    /// The seal of the words above.
    check: u64,
}

impl Header {
    /// Reads the words at `at`, which may not be a header.
    ///
    /// # Safety
    ///
    /// The bytes there may be read.
    #[inline(always)]
    pub(super) unsafe fn read(at: NonNull<Self>) -> Self {
        mark::defined(at.cast(), HEADER);
        // Word by word, as they were written: a wider load over recent stores stalls the processor.
        let header = Self {
            // SAFETY: the caller's promise.
            prev: unsafe { word_at(at, offset_of!(Self, prev)) },
            // SAFETY: as above.
            next: unsafe { word_at(at, offset_of!(Self, next)) },
            // SAFETY: as above.
            word: unsafe { word_at(at, offset_of!(Self, word)) },
            // SAFETY: as above.
            check: unsafe { word_at(at, offset_of!(Self, check)) },
        };
        mark::no_access(at.cast(), HEADER);
        header
    }

    /// Writes the header of a block that becomes the first of the list, before `next`.
    ///
    /// # Safety
    ///
    /// The bytes at `at` are those of a block's header.
    #[inline(always)]
    pub(super) unsafe fn write_first(at: NonNull<Self>, next: *mut Self, word: u64, secret: u64) {
        let header = Self { prev: ptr::null_mut(), next, word, check: 0 };
        let check = header.seal(at, secret);
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        unsafe { at.write(Self { check, ..header }) };
        mark::no_access(at.cast(), HEADER);
    }

    /// Returns `true` if the back link of a header is `prev`. The header may be damaged.
    ///
    /// # Safety
    ///
    /// `at` is where a live block has its header.
    #[inline(always)]
    pub(super) unsafe fn leads_back(at: NonNull<Self>, prev: *mut Self) -> bool {
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        let leads = unsafe { (*at.as_ptr()).prev } == prev;
        mark::no_access(at.cast(), HEADER);
        leads
    }

    /// As [`leads_back`](Self::leads_back), for the link to `next`.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    pub(super) unsafe fn leads_on(at: NonNull<Self>, next: *mut Self) -> bool {
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        let leads = unsafe { (*at.as_ptr()).next } == next;
        mark::no_access(at.cast(), HEADER);
        leads
    }

    /// Changes the back link of a header from `old` to `new`. The check word is adjusted by the
    /// difference: if it was valid before, it is valid afterwards, and otherwise not.
    ///
    /// # Safety
    ///
    /// `at` is where a live block has its header.
    #[inline(always)]
    pub(super) unsafe fn lead_back(at: NonNull<Self>, old: *mut Self, new: *mut Self) {
        let to = at.as_ptr();
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        unsafe { (*to).prev = new };
        // SAFETY: as above.
        let check = unsafe { &mut (*to).check };
        *check = turned(*check, old.addr() as u64, new.addr() as u64, PREV);
        mark::no_access(at.cast(), HEADER);
    }

    /// As [`lead_back`](Self::lead_back), for the link to the next header.
    ///
    /// # Safety
    ///
    /// As there.
    #[inline(always)]
    pub(super) unsafe fn lead_on(at: NonNull<Self>, old: *mut Self, new: *mut Self) {
        let to = at.as_ptr();
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        unsafe { (*to).next = new };
        // SAFETY: as above.
        let check = unsafe { &mut (*to).check };
        *check = turned(*check, old.addr() as u64, new.addr() as u64, NEXT);
        mark::no_access(at.cast(), HEADER);
    }

    /// Changes the word of an intact header.
    ///
    /// # Safety
    ///
    /// As for [`lead_back`](Self::lead_back).
    pub(super) unsafe fn set_word(at: NonNull<Self>, old: u64, new: u64) {
        let to = at.as_ptr();
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        unsafe { (*to).word = new };
        // SAFETY: as above.
        let check = unsafe { &mut (*to).check };
        *check = turned(*check, old, new, WORD);
        mark::no_access(at.cast(), HEADER);
    }

    /// Marks the header of a block that is freed. The mark depends on no other word, as the backing
    /// may overwrite the first bytes of a freed block.
    ///
    /// # Safety
    ///
    /// The bytes at `at` are those of a block's header.
    #[inline(always)]
    pub(super) unsafe fn kill(at: NonNull<Self>, secret: u64) {
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        unsafe { (*at.as_ptr()).check = !tag(at, secret) };
    }

    /// Computes the check word of these words at this address: a sum that starts with a secret.
    /// Changing one word always changes it, and equal changes of several words do not cancel out.
    /// Overwriting all words with a valid header requires the secret. A link can be changed without
    /// reading the other words.
    #[inline(always)]
    fn seal(&self, at: NonNull<Self>, secret: u64) -> u64 {
        tag(at, secret)
            .wrapping_add((self.prev.addr() as u64).wrapping_mul(PREV))
            .wrapping_add((self.next.addr() as u64).wrapping_mul(NEXT))
            .wrapping_add(self.word.wrapping_mul(WORD))
    }

    #[inline(always)]
    pub(super) fn is_sealed(&self, at: NonNull<Self>, secret: u64) -> bool {
        self.check == self.seal(at, secret)
    }

    /// Returns `true` if a header is intact and its block has this shape.
    #[inline(always)]
    pub(super) fn is_sealed_as(&self, shape: Shape, at: NonNull<Self>, secret: u64) -> bool {
        self.word == shape.word && Self { word: shape.word, ..*self }.is_sealed(at, secret)
    }

    pub(super) fn is_dead(&self, at: NonNull<Self>, secret: u64) -> bool {
        self.check == !tag(at, secret)
    }

    /// Returns the shape that the word of an intact header states.
    #[inline(always)]
    pub(super) fn shape(&self) -> Shape {
        let align = 1 << (self.word & ((1 << SHIFT_BITS) - 1));
        Shape::with((self.word >> SHIFT_BITS) as usize, align, self.word)
    }
}

/// Reads a word of a possible header.
///
/// # Safety
///
/// The bytes there may be read.
#[inline(always)]
unsafe fn word_at<T: Copy>(at: NonNull<Header>, offset: usize) -> T {
    let from = at.as_ptr().wrapping_byte_add(offset).cast::<T>();
    // SAFETY: the caller's promise; an address that is not a block's may be unaligned.
    unsafe { from.read_unaligned() }
}

/// Returns the check word after one word has changed.
#[inline(always)]
fn turned(check: u64, old: u64, new: u64, factor: u64) -> u64 {
    check.wrapping_add(new.wrapping_sub(old).wrapping_mul(factor))
}

/// Returns the part of the check word that depends on the address and the allocator.
#[inline(always)]
fn tag(at: NonNull<Header>, secret: u64) -> u64 {
    (at.addr().get() as u64).rotate_left(7) ^ secret
}

/// Returns the address of a block's header.
///
/// # Safety
///
/// `block` is a block, or an address that a caller promised to be one, and not just above null.
#[inline(always)]
pub(super) unsafe fn header_of(block: NonNull<u8>) -> NonNull<Header> {
    let at = block.as_ptr().wrapping_sub(FRONT).cast();
    // SAFETY: the caller's promise.
    unsafe { NonNull::new_unchecked(at) }
}

/// Returns the address of a header's block.
#[inline]
pub(super) fn block_of(at: NonNull<Header>) -> NonNull<u8> {
    // SAFETY: a header is that many bytes before its block, in one block of the backing.
    unsafe { at.cast::<u8>().add(FRONT) }
}

/// The sizes of a block and of the words around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Bytes of the block.
    pub(super) size: usize,
    /// Bytes before it.
    pub(super) front: usize,
    /// Bytes in all.
    pub(super) total: usize,
    /// The alignment of the backing's block.
    align: usize,
    /// The word that the header stores for this shape.
    pub(super) word: u64,
}

impl Shape {
    /// Returns the shape of a block of `layout`, if any address space has room for it.
    #[inline(always)]
    pub(super) const fn of(layout: Layout) -> Option<Self> {
        let align = if layout.align() < ALIGN_MIN { ALIGN_MIN } else { layout.align() };
        Self::checked(layout.size(), align)
    }

    /// Returns the shape of this block with another size.
    #[inline]
    pub(super) const fn resized(self, size: usize) -> Option<Self> {
        Self::checked(size, self.align)
    }

    #[inline(always)]
    const fn checked(size: usize, align: usize) -> Option<Self> {
        let size = size + (size == 0) as usize;
        let word = (size as u64) << SHIFT_BITS | align.trailing_zeros() as u64;
        let shape = Self::with(size, align, word);
        if shape.total > TOTAL_MAX { None } else { Some(shape) }
    }

    /// The sum of a layout's size and alignment is at most half of the address space, so nothing
    /// overflows.
    #[inline(always)]
    const fn with(size: usize, align: usize, word: u64) -> Self {
        let front = (FRONT + align - 1) & !(align - 1);
        Self { size, front, total: front + size + guard::BEHIND, align, word }
    }

    /// Returns the layout of the backing's block.
    #[inline(always)]
    pub(super) const fn below(self) -> Layout {
        // SAFETY: `checked` ensures that the size is at most a quarter of the address space; so is
        // the alignment, a layout's, as the size is more than that. Rounded up they are less than
        // half.
        unsafe { Layout::from_size_align_unchecked(self.total, self.align) }
    }

    /// Bytes before the header.
    #[inline]
    pub(super) const fn pad(self) -> usize {
        self.front - FRONT
    }
}

/// Returns the layout of the largest size with this alignment.
pub(super) const fn greatest(align: usize) -> Layout {
    match Layout::from_size_align(isize::MAX as usize - (align - 1), align) {
        Ok(layout) => layout,
        Err(_) => panic!("the alignment is a layout's"),
    }
}
