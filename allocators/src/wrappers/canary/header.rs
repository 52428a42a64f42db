//! The words in front of a block, and the sizes that follow from them.

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

/// Blocks that take more in all are refused: their size would not fit its word, or their sizes make
/// no layout. No address space of 64 bits has them; with 32 bits the limit is 1 GiB.
pub(super) const TOTAL_MAX: usize = if usize::BITS == 64 { 1 << 57 } else { 1 << 30 };

/// Bits of the word that hold the alignment as a power of two.
const SHIFT_BITS: u32 = 6;

/// What the words of a header count in its check word: powers of three, no sum or difference of
/// which, the check word's own 1 among them, is zero.
const PREV: u64 = 3;
const NEXT: u64 = 9;
const WORD: u64 = 27;

/// The words before a block and its guard.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The header of the block that was given out next after this one, or null.
    pub(super) prev: *mut Self,
    /// The header of the block that was given out last before this one, or null.
    pub(super) next: *mut Self,
    /// The block's size and the power of two of its alignment.
    word: u64,
    /// The seal of the words above.
    check: u64,
}

impl Header {
    /// Reads the words at `at`, which need not be a header.
    ///
    /// # Safety
    ///
    /// The bytes there may be read.
    #[inline(always)]
    pub(super) unsafe fn read(at: NonNull<Self>) -> Self {
        mark::defined(at.cast(), HEADER);
        // Word by word, as they were written: the processor waits for a wider load over fresh
        // stores.
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

    /// Writes the header of a block that comes first on the list, before `next`.
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

    /// Returns `true` if a header leads back to `prev`. It may be damaged.
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

    /// As [`leads_back`](Self::leads_back), on to `next`.
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

    /// Makes a header that leads back to `old` lead back to `new`. The check word is moved on by
    /// the difference: it holds afterwards if it held before, and where it did not it still does
    /// not.
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

    /// As [`lead_back`](Self::lead_back), for the way on.
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

    /// Changes the word of a header that holds.
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
    /// may write over the first bytes of what it takes back.
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

    /// The check word that belongs to these words at this address: a sum that begins with a secret.
    /// A change of one word always changes it, the same change up or down of several does not
    /// cancel out, what was written over all of them would have to know the secret, and a link is
    /// changed without a look at the other words.
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

    /// Returns `true` if a header is whole and its block's shape is this one.
    #[inline(always)]
    pub(super) fn is_sealed_as(&self, shape: Shape, at: NonNull<Self>, secret: u64) -> bool {
        self.word == shape.word && Self { word: shape.word, ..*self }.is_sealed(at, secret)
    }

    pub(super) fn is_dead(&self, at: NonNull<Self>, secret: u64) -> bool {
        self.check == !tag(at, secret)
    }

    /// The sizes that the word of a sealed header tells.
    #[inline(always)]
    pub(super) fn shape(&self) -> Shape {
        let align = 1 << (self.word & ((1 << SHIFT_BITS) - 1));
        Shape::with((self.word >> SHIFT_BITS) as usize, align, self.word)
    }
}

/// Reads a word of what may be a header.
///
/// # Safety
///
/// The bytes there may be read.
#[inline(always)]
unsafe fn word_at<T: Copy>(at: NonNull<Header>, offset: usize) -> T {
    let from = at.as_ptr().wrapping_byte_add(offset).cast::<T>();
    // SAFETY: the caller's promise; an address that is no block's may be odd.
    unsafe { from.read_unaligned() }
}

/// The check word after one word has changed.
#[inline(always)]
fn turned(check: u64, old: u64, new: u64, factor: u64) -> u64 {
    check.wrapping_add(new.wrapping_sub(old).wrapping_mul(factor))
}

/// What tells a header at this address, and of this allocator, from others.
#[inline(always)]
fn tag(at: NonNull<Header>, secret: u64) -> u64 {
    (at.addr().get() as u64).rotate_left(7) ^ secret
}

/// Where the header of a block lies.
///
/// # Safety
///
/// `block` is a block, or an address that somebody promised to be one, and not just above null.
#[inline(always)]
pub(super) unsafe fn header_of(block: NonNull<u8>) -> NonNull<Header> {
    let at = block.as_ptr().wrapping_sub(FRONT).cast();
    // SAFETY: the caller's promise.
    unsafe { NonNull::new_unchecked(at) }
}

/// Where the block of a header lies.
#[inline]
pub(super) fn block_of(at: NonNull<Header>) -> NonNull<u8> {
    // SAFETY: a header lies that many bytes before its block, in one block of the backing.
    unsafe { at.cast::<u8>().add(FRONT) }
}

/// The sizes of a block and of what lies around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Bytes of the block.
    pub(super) size: usize,
    /// Bytes before it.
    pub(super) front: usize,
    /// Bytes in all.
    pub(super) total: usize,
    /// The alignment of it all.
    align: usize,
    /// The header's word for it.
    pub(super) word: u64,
}

impl Shape {
    /// The shape of a block of `layout`, if any address space has room for it.
    #[inline(always)]
    pub(super) const fn of(layout: Layout) -> Option<Self> {
        let align = if layout.align() < ALIGN_MIN { ALIGN_MIN } else { layout.align() };
        Self::checked(layout.size(), align)
    }

    /// The shape of this block with another size.
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

    /// A layout's size and its alignment together are at most half of the address space, so nothing
    /// overflows.
    #[inline(always)]
    const fn with(size: usize, align: usize, word: u64) -> Self {
        let front = (FRONT + align - 1) & !(align - 1);
        Self { size, front, total: front + size + guard::BEHIND, align, word }
    }

    /// The layout of it all.
    #[inline(always)]
    pub(super) const fn below(self) -> Layout {
        // SAFETY: `checked` saw that the size is at most a quarter of the address space; so is the
        // alignment, a layout's, as the size is more than that. Rounded up they are less than half.
        unsafe { Layout::from_size_align_unchecked(self.total, self.align) }
    }

    /// Bytes before the header.
    #[inline]
    pub(super) const fn pad(self) -> usize {
        self.front - FRONT
    }
}

/// The layout of the greatest size that this alignment can have.
pub(super) const fn greatest(align: usize) -> Layout {
    match Layout::from_size_align(isize::MAX as usize - (align - 1), align) {
        Ok(layout) => layout,
        Err(_) => panic!("the alignment is a layout's"),
    }
}
