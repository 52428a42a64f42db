//! Patterns written into blocks when they are allocated and freed.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), which fills what is allocated with one
//! value and another to see whether the bug moves, and clears what is freed so that a late reader
//! trips. Changes: the bytes that a block grows by are filled too, and the bytes that a block gives
//! up by moving or shrinking are cleared.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::stats::Stats;
use crate::wrappers::proxy::{ProxyAllocator, passed_to_proxy};

#[cfg(test)]
mod tests;

/// The pattern that a [`FillAllocator`] writes. Words begin at the block's start, in native byte
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FillPattern {
    /// Zeros: the value that code with missing initialisation usually gets by luck.
    Zeros,
    /// Every bit set: integers that are large or -1, floats that are NaN.
    Ones,
    /// The word `0x12345678`, easy to recognise in a debugger.
    Known,
    /// This byte, repeated.
    Byte(u8),
    /// This word, repeated.
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
        // The bytes may be free, or poisoned by another wrapper.
        mark::undefined(start, bytes);
        // SAFETY: the caller's promise.
        unsafe { write_words(start, bytes, turned(self.word(), from)) };
        // For the tools the bytes are uninitialised again.
        mark::undefined(start, bytes);
    }
}

/// The word as it continues `offset` bytes after a block's start.
#[inline]
fn turned(word: u32, offset: usize) -> u32 {
    let bytes = word.to_ne_bytes();
    let at = |index: usize| bytes[(offset + index) % 4];
    u32::from_ne_bytes([at(0), at(1), at(2), at(3)])
}

/// Writes a word repeatedly, the last one in part.
///
/// # Safety
///
/// `bytes` bytes are valid for writes.
#[inline]
unsafe fn write_words(start: NonNull<u8>, bytes: usize, word: u32) {
    let double = u64::from(word) << 32 | u64::from(word);
    let whole = bytes / 8;
    for index in 0..whole {
        // SAFETY: this number of whole words fits.
        let at = unsafe { start.add(index * 8) };
        // SAFETY: as above; a block has any alignment.
        unsafe { at.cast::<u64>().write_unaligned(double) };
    }
    let rest = double.to_ne_bytes();
    for (index, byte) in rest.iter().enumerate().take(bytes % 8) {
        // SAFETY: these are the bytes after the whole words.
        let at = unsafe { start.add(whole * 8 + index) };
        // SAFETY: as above.
        unsafe { at.write(*byte) };
    }
}

/// An allocator that fills its blocks with a pattern when they are allocated, and with another one
/// when they are freed.
///
/// Fresh blocks are filled over their whole granted size, by default with [`FillPattern::Known`];
/// `allocate_zeroed` stays zero. If a bug changes with the pattern, some code reads memory before
/// writing it. Freed blocks are filled with `0xdd` bytes, so code that reads a block after its free
/// reads nonsense, until the block is allocated again.
///
/// The bytes that a block grows by are filled. A block that moves is cleared at its old place. A
/// block that shrinks moves too, so that all the bytes it gives up are cleared: `resize_in_place`
/// refuses to shrink a block, since the bytes could not be cleared before (the backing might
/// refuse) nor after (they belong to the backing). Only if there is no memory to move to,
/// `reallocate` lets the backing shrink the block and leaves those bytes as they are.
///
/// It counts blocks as a [`ProxyAllocator`] does: live `requested` as granted (`exact` is false),
/// and [`walk`](Allocator::walk) shows nothing. A free of memory that the backing never owned, or
/// of more bytes than are live here, clears nothing and is reported. Other wrong frees are left to
/// the backing, which is first asked for the block's size: a heap reports them then, a pool only
/// when it gets the block, after it was cleared.
///
/// # Complexity
///
/// O(bytes granted) on top of the backing, for each allocation and each free.
///
/// # Memory
///
/// It adds no memory: the blocks are the backing's, unchanged. The object itself is 104 bytes or
/// fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// For large, partly used blocks from the system: filling touches each page. It makes late reads
/// visible and does not report them; a quarantine finds writes after a free.
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
    /// Returns the layout requested from the backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a> FillAllocator<'a> {
    /// Wraps `backing` and fills its blocks.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(name, backing)
    }
}

impl<'a, B: Allocator + ?Sized> FillAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self {
            proxy: ProxyAllocator::new_in(name, backing),
            fresh: FillPattern::Known,
            freed: FillPattern::Byte(0xdd),
        }
    }

    /// Sets the pattern of allocated blocks.
    #[must_use]
    pub const fn with_fresh(mut self, pattern: FillPattern) -> Self {
        self.fresh = pattern;
        self
    }

    /// Sets the pattern of freed blocks.
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
        // A block with more bytes than are live here, or outside the backing, is not ours: its free
        // is reported, and its memory must stay unchanged for debugging.
        if bytes <= self.proxy.stats().granted && self.proxy.owns(block.as_ptr()) {
            // SAFETY: the block is live, has this many bytes, and is not used again.
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

    /// Grows a block and fills the new bytes; refuses to shrink one.
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
        // SAFETY: the block has this many bytes now, and those after the old ones are new.
        unsafe { self.fresh.fill(block, before, grown.len()) };
        Ok(grown)
    }

    /// Grows a block in place if possible; else moves it, and clears its old place.
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
        // SAFETY: the block has this many bytes, and those after the new size are not in use.
        unsafe { self.freed.fill(kept.cast(), new.size(), kept.len()) };
        Ok(kept)
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        FillAllocator::layout_for(layout)
    }

    passed_to_proxy!();
}
