//! The words in front of a block, and the sizes that follow from them.

use core::alloc::Layout;
use core::ptr::{self, NonNull};

use crate::mark;

use super::guard;

/// Bytes of a header.
pub(super) const HEADER: usize = size_of::<Header>();

/// Bytes from the start of a header to its block.
const FRONT: usize = HEADER + guard::BEFORE;

/// The least alignment, that of a header's words and of the guard before a block.
const ALIGN_MIN: usize = 8;

/// Greater blocks are refused: their size would not fit its word, or a sum of sizes its type. No
/// address space has them.
const SIZE_MAX: usize = if usize::BITS == 64 { (1 << 56) - 1 } else { isize::MAX as usize / 2 };

/// Bits of the word that hold the alignment as a power of two.
const SHIFT_BITS: u32 = 6;

/// What the words of a header count in its check word.
const PREV: u64 = 0x9e37_79b9_7f4a_7c15;
const NEXT: u64 = 0xbf58_476d_1ce4_e5b9;
const WORD: u64 = 0x94d0_49bb_1331_11eb;

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
    /// Makes the header of the first block on a list; it has no seal yet.
    #[inline]
    pub(super) fn new(next: *mut Self, word: u64) -> Self {
        Self { prev: ptr::null_mut(), next, word, check: 0 }
    }

    /// Reads the words at `at`, which need not be a header.
    ///
    /// # Safety
    ///
    /// The bytes there may be read.
    #[inline]
    pub(super) unsafe fn read(at: NonNull<Self>) -> Self {
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise; an address that is no block's may be odd.
        let header = unsafe { at.read_unaligned() };
        mark::no_access(at.cast(), HEADER);
        header
    }

    /// Writes the words to where a block has its header.
    ///
    /// # Safety
    ///
    /// The bytes there are those of a block's header.
    #[inline]
    pub(super) unsafe fn write(self, at: NonNull<Self>) {
        mark::defined(at.cast(), HEADER);
        // SAFETY: the caller's promise.
        unsafe { at.write(self) };
        mark::no_access(at.cast(), HEADER);
    }

    /// The check word that belongs to these words at this address. A sum, each word times an odd number
    /// of its own: so a change of one word always changes it, a pattern or a complement over several
    /// does not cancel out, and a link is changed without a look at the other words.
    #[inline]
    fn seal(&self, at: NonNull<Self>, secret: u64) -> u64 {
        tag(at, secret)
            .wrapping_add((self.prev.addr() as u64).wrapping_mul(PREV))
            .wrapping_add((self.next.addr() as u64).wrapping_mul(NEXT))
            .wrapping_add(self.word.wrapping_mul(WORD))
    }

    #[inline]
    pub(super) fn is_sealed(&self, at: NonNull<Self>, secret: u64) -> bool {
        self.check == self.seal(at, secret)
    }

    #[inline]
    pub(super) fn sealed(self, at: NonNull<Self>, secret: u64) -> Self {
        Self { check: self.seal(at, secret), ..self }
    }

    /// Changes a word of a sealed header, which stays sealed.
    #[inline]
    pub(super) fn with_prev(self, prev: *mut Self) -> Self {
        let check = turned(self.check, self.prev.addr() as u64, prev.addr() as u64, PREV);
        Self { prev, check, ..self }
    }

    /// As [`with_prev`](Self::with_prev).
    #[inline]
    pub(super) fn with_next(self, next: *mut Self) -> Self {
        let check = turned(self.check, self.next.addr() as u64, next.addr() as u64, NEXT);
        Self { next, check, ..self }
    }

    /// As [`with_prev`](Self::with_prev).
    #[inline]
    pub(super) fn with_word(self, word: u64) -> Self {
        Self { word, check: turned(self.check, self.word, word, WORD), ..self }
    }

    /// The header of a block that is freed. Its check word depends on no other, as the backing may
    /// write over the first bytes of what it takes back.
    #[inline]
    pub(super) fn dead(self, at: NonNull<Self>, secret: u64) -> Self {
        Self { check: !tag(at, secret), ..self }
    }

    pub(super) fn is_dead(&self, at: NonNull<Self>, secret: u64) -> bool {
        self.check == !tag(at, secret)
    }

    /// The sizes that the word of a sealed header tells.
    #[inline]
    pub(super) fn shape(&self) -> Shape {
        let align = 1 << (self.word & ((1 << SHIFT_BITS) - 1));
        Shape::with((self.word >> SHIFT_BITS) as usize, align, self.word)
    }
}

/// The check word after one word has changed.
#[inline]
fn turned(check: u64, old: u64, new: u64, factor: u64) -> u64 {
    check.wrapping_add(new.wrapping_sub(old).wrapping_mul(factor))
}

/// What tells a header at this address, and of this allocator, from others.
#[inline]
fn tag(at: NonNull<Header>, secret: u64) -> u64 {
    (at.addr().get() as u64).rotate_left(7) ^ secret
}

/// Where the header of a block lies.
#[inline]
pub(super) fn header_of(block: NonNull<u8>) -> NonNull<Header> {
    let at = block.as_ptr().wrapping_sub(FRONT).cast();
    // An address too low to have a header before it is no block; one that is not null serves for it.
    NonNull::new(at).unwrap_or(NonNull::dangling())
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
    #[inline]
    pub(super) const fn of(layout: Layout) -> Option<Self> {
        let align = if layout.align() < ALIGN_MIN { ALIGN_MIN } else { layout.align() };
        Self::checked(layout.size(), align)
    }

    /// The shape of this block with another size.
    #[inline]
    pub(super) const fn resized(self, size: usize) -> Option<Self> {
        Self::checked(size, self.align)
    }

    #[inline]
    const fn checked(size: usize, align: usize) -> Option<Self> {
        if size > SIZE_MAX {
            return None;
        }
        let size = if size == 0 { 1 } else { size };
        let word = (size as u64) << SHIFT_BITS | align.trailing_zeros() as u64;
        let shape = Self::with(size, align, word);
        if shape.total > isize::MAX as usize - (align - 1) { None } else { Some(shape) }
    }

    /// `front` is at most half of the address space and a word, `size` less than a quarter of it, so
    /// nothing overflows.
    #[inline]
    const fn with(size: usize, align: usize, word: u64) -> Self {
        let front = (FRONT + align - 1) & !(align - 1);
        Self { size, front, total: front + size + guard::BEHIND, align, word }
    }

    /// The layout of it all.
    #[inline]
    pub(super) const fn below(self) -> Layout {
        // SAFETY: `checked` saw that the alignment, a layout's, and the size make a layout.
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
