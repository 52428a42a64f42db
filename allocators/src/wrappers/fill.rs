//! Patterns written into blocks as they come and go.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), which fills what is allocated with one
//! value and another to see whether the bug moves, and clears what is freed so that a late reader
//! trips. Changes: what a block grows by is filled too, and what a block leaves behind when it
//! moves or shrinks is cleared.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::stats::Stats;
use crate::wrappers::proxy::{ProxyAllocator, passed_to_proxy};

#[cfg(test)]
mod tests;

/// What a [`FillAllocator`] writes. Words begin at the block's start, in the machine's byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FillPattern {
    /// Zeros: what code that forgets to initialise mostly gets by luck.
    Zeros,
    /// Every bit set: numbers that are large or -1, floats that are not a number.
    Ones,
    /// The word `0x12345678`, easily known again in a debugger.
    Known,
    /// This byte, over and over.
    Byte(u8),
    /// This word, over and over.
    Word(u32),
}

impl FillPattern {
    /// Returns four bytes of the pattern.
    #[must_use]
    pub const fn word(self) -> u32 {
        match self {
            Self::Zeros => 0,
            Self::Ones => u32::MAX,
            Self::Known => 0x1234_5678,
            Self::Byte(byte) => u32::from_ne_bytes([byte; 4]),
            Self::Word(word) => word,
        }
    }

    /// Fills the bytes `from..to` of a block.
    ///
    /// # Safety
    ///
    /// They are valid for writes.
    #[inline]
    unsafe fn fill(self, block: NonNull<u8>, from: usize, to: usize) {
        let bytes = to.saturating_sub(from);
        if bytes == 0 {
            return;
        }
        // SAFETY: the caller's promise: the first byte to fill is the block's.
        let start = unsafe { block.add(from) };
        // What is filled may be free, or have been guarded by another wrapper.
        mark::undefined(start, bytes);
        // SAFETY: the caller's promise.
        unsafe { write_words(start, bytes, turned(self.word(), from)) };
        // To the tools the bytes are as nobody's as before.
        mark::undefined(start, bytes);
    }
}

/// The word as it continues so many bytes after a block's start.
#[inline]
fn turned(word: u32, offset: usize) -> u32 {
    let bytes = word.to_ne_bytes();
    let at = |index: usize| bytes[(offset + index) % 4];
    u32::from_ne_bytes([at(0), at(1), at(2), at(3)])
}

/// Writes a word over and over, the last one in part.
///
/// # Safety
///
/// So many bytes are valid for writes.
#[inline]
unsafe fn write_words(start: NonNull<u8>, bytes: usize, word: u32) {
    let double = u64::from(word) << 32 | u64::from(word);
    let whole = bytes / 8;
    for index in 0..whole {
        // SAFETY: so many whole words fit.
        let at = unsafe { start.add(index * 8) };
        // SAFETY: as above; a block has any alignment.
        unsafe { at.cast::<u64>().write_unaligned(double) };
    }
    let rest = double.to_ne_bytes();
    for (index, byte) in rest.iter().enumerate().take(bytes % 8) {
        // SAFETY: these are the bytes behind the whole words.
        let at = unsafe { start.add(whole * 8 + index) };
        // SAFETY: as above.
        unsafe { at.write(*byte) };
    }
}

/// An allocator that fills the blocks of another with a pattern when they are given out, and with
/// another one when they are freed.
///
/// Fresh blocks are filled with [`FillPattern::Known`] unless told otherwise, over all of what was
/// granted; `allocate_zeroed` stays zero. If a bug changes with the pattern, somebody reads memory
/// before writing it. Freed blocks are filled with `0xdd` bytes, so that code that reads a block
/// after its free reads nonsense, though not what the next owner wrote.
///
/// What a block grows by is filled. A block that must move is cleared where it was. A block that is
/// made smaller moves too, so that all of what it leaves is cleared: `resize_in_place` refuses to
/// make a block smaller, since the bytes could not be cleared before (the backing might refuse) nor
/// after (they are the backing's). Only where there is no memory to move to, `reallocate` lets the
/// backing make the block smaller and leaves those bytes as they are.
///
/// Blocks are counted as by a [`ProxyAllocator`]: live `requested` as granted (`exact` is false),
/// and [`walk`](Allocator::walk) shows nothing. A free of memory that the backing never had, or of
/// more bytes than are live here, clears nothing and is reported. Other wrong frees are left to the
/// backing, which is asked for the block's size first: a heap reports them then, a pool when it
/// gets the block, after it was cleared.
///
/// # Complexity
///
/// O(bytes granted) on top of the backing, for each allocation and each free.
///
/// # Memory
///
/// Takes none of its own: blocks are the backing's, without a byte more. The object itself is 104
/// bytes or fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// For large blocks from the system that are used in part: filling touches each page. It makes late
/// reads visible and does not report them; writes after a free are found by a quarantine.
///
/// # Panics
///
/// When dropped with live blocks, with their number and bytes.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{AllocError, Allocator, FillAllocator, FillPattern, FrameAllocator};
///
/// let mut memory = [MaybeUninit::uninit(); 1024];
/// let frame = FrameAllocator::from_region("level", &mut memory);
/// let fill = FillAllocator::new("filled", &frame).with_fresh(FillPattern::Ones);
/// let layout = Layout::new::<i32>();
/// let number = fill.allocate(layout)?.cast::<i32>();
/// // SAFETY: the block is live, and its bytes were written by the allocator.
/// assert_eq!(unsafe { number.read() }, -1);
/// // SAFETY: the block is live, has this layout, and is not used again.
/// unsafe { fill.deallocate_sized(number.cast(), layout) };
/// # Ok::<(), AllocError>(())
/// ```
pub struct FillAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    proxy: ProxyAllocator<'a, B>,
    fresh: FillPattern,
    freed: FillPattern,
}

impl FillAllocator<'_> {
    /// Returns what is asked of the backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a, B: Allocator + ?Sized> FillAllocator<'a, B> {
    /// Fills the blocks of `backing`.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a B) -> Self {
        Self {
            proxy: ProxyAllocator::new(name, backing),
            fresh: FillPattern::Known,
            freed: FillPattern::Byte(0xdd),
        }
    }

    /// Fills blocks with this when they are given out.
    #[must_use]
    pub const fn with_fresh(mut self, pattern: FillPattern) -> Self {
        self.fresh = pattern;
        self
    }

    /// Fills blocks with this when they are freed.
    #[must_use]
    pub const fn with_freed(mut self, pattern: FillPattern) -> Self {
        self.freed = pattern;
        self
    }

    /// Clears a block that is about to be freed.
    #[inline]
    #[track_caller]
    unsafe fn clear(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise: the block is live.
        let bytes = unsafe { self.proxy.allocated_size(block) };
        // More than is live here is not ours, nor is what the backing never had: the free will say
        // so, and a reader of the memory must then find it whole.
        if bytes <= self.proxy.stats().granted && self.proxy.owns(block.as_ptr()) {
            // SAFETY: the block is live, has so many bytes, and is not used again.
            unsafe { self.freed.fill(block, 0, bytes) };
        }
    }
}

// SAFETY: every block is the proxy's, which keeps the contract; only its own bytes are written, and
// a block that is refused another size is not touched.
unsafe impl<B: Allocator + ?Sized> Allocator for FillAllocator<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.proxy.allocate(layout)?;
        // SAFETY: the block was just handed out to us with this length.
        unsafe { self.fresh.fill(block.cast(), 0, block.len()) };
        Ok(block)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.proxy.allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise: the block is live and is not used again.
        unsafe { self.clear(block) };
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.deallocate(block) }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise: the block is live and is not used again.
        unsafe { self.clear(block) };
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.deallocate_sized(block, layout) }
    }

    /// Grows a block and fills what is new; refuses to make one smaller.
    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.size() < old.size() {
            return Err(AllocError);
        }
        // SAFETY: the caller's promise: the block is live.
        let before = unsafe { self.proxy.allocated_size(block) };
        // SAFETY: the caller's promise, passed on.
        let grown = unsafe { self.proxy.resize_in_place(block, old, new)? };
        // SAFETY: the block has so many bytes now, and those behind the old ones are new.
        unsafe { self.fresh.fill(block, before, grown.len()) };
        Ok(grown)
    }

    /// Grows a block in place if it can; else moves it, and clears where it was.
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.align() <= old.align() {
            // SAFETY: the caller's promise, passed on.
            if let Ok(grown) = unsafe { self.resize_in_place(block, old, new) } {
                return Ok(grown);
            }
        }
        // SAFETY: the caller's promise is the one asked here.
        if let Ok(moved) = unsafe { move_block(self, block, old, new) } {
            return Ok(moved);
        }
        if new.size() >= old.size() {
            return Err(AllocError);
        }
        // SAFETY: the caller's promise, passed on.
        let kept = unsafe { self.proxy.reallocate(block, old, new)? };
        // SAFETY: the block has so many bytes, and those behind the new size are not in use.
        unsafe { self.freed.fill(kept.cast(), new.size(), kept.len()) };
        Ok(kept)
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        FillAllocator::layout_for(layout)
    }

    passed_to_proxy!();
}
