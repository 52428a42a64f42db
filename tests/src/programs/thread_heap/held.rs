//! A live block of a heap for threads, which any thread may check, resize and free.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, ThreadHeap};

use crate::contents::{Pattern, first_nonzero};

/// Greater blocks are written at their ends only.
const TOUCH_MAX: usize = 4 << 10;

/// A live block and what is in it.
pub(super) struct Held {
    block: NonNull<u8>,
    layout: Layout,
    bytes: usize,
    pattern: Pattern,
    /// The number of the thread that allocated it.
    pub(super) thread: usize,
}

// SAFETY: the block is used only through this, and there is one of this for each block.
unsafe impl Send for Held {}

impl Held {
    /// Allocates a block and writes `seed`'s pattern into it.
    ///
    /// # Panics
    ///
    /// If the block is not what was asked for; so below.
    pub(super) fn allocate(
        heap: &ThreadHeap<'_>,
        layout: Layout,
        is_zeroed: bool,
        thread: usize,
        seed: u64,
    ) -> Result<Self, AllocError> {
        let answer = if is_zeroed { heap.allocate_zeroed(layout)? } else { heap.allocate(layout)? };
        if is_zeroed {
            // SAFETY: the block is live, and all its bytes have a value by the promise of the call.
            let wrong = unsafe { first_nonzero(answer.cast(), answer.len(), TOUCH_MAX) };
            assert_eq!(wrong, None, "a byte of a zeroed block of {layout:?} is not zero");
        }
        Ok(Self::of(answer, layout, thread, seed))
    }

    /// Checks a block that was returned for `layout` and writes it.
    fn of(answer: NonNull<[u8]>, layout: Layout, thread: usize, seed: u64) -> Self {
        let (block, bytes) = (answer.cast::<u8>(), answer.len());
        let is_aligned = block.addr().get().is_multiple_of(layout.align());
        assert!(
            is_aligned && bytes >= layout.size().max(1),
            "{bytes} bytes at {block:p} were returned for {layout:?}"
        );
        // SAFETY: the block is live and its contents are this one's to change.
        let pattern = unsafe { Pattern::write(block, bytes, TOUCH_MAX, seed) };
        Self { block, layout, bytes, pattern, thread }
    }

    pub(super) fn start(&self) -> usize {
        self.block.addr().get()
    }

    pub(super) fn end(&self) -> usize {
        self.start() + self.bytes
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes that it may take with what its alignment leaves free.
    pub(super) fn span(&self) -> usize {
        self.bytes.max(self.layout.align())
    }

    /// Checks the contents, and what the heap says of the block.
    pub(super) fn check(&self, heap: &ThreadHeap<'_>) -> Result<(), String> {
        self.reread(self.block, self.bytes)?;
        // SAFETY: the block is live.
        let bytes = unsafe { heap.allocated_size(self.block) };
        if !(self.layout.size()..=self.bytes).contains(&bytes) || !heap.owns(self.block.as_ptr()) {
            let block = self.block;
            return Err(format!("{block:p} has {} bytes, the heap says {bytes}", self.bytes));
        }
        Ok(())
    }

    /// Changes a byte, as a heap would that hands out a live block.
    pub(super) fn damage(&mut self) {
        // SAFETY: a block has at least one byte, and its contents are this one's to change.
        unsafe { *self.block.as_ptr() ^= 1 };
    }

    /// Frees blocks, with their sizes if `is_sized`, all of them also if contents are wrong.
    pub(super) fn free_all(
        blocks: Vec<Self>,
        heap: &ThreadHeap<'_>,
        is_sized: bool,
    ) -> Result<(), String> {
        let mut found = Ok(());
        for held in blocks {
            found = found.and(held.free(heap, is_sized));
        }
        found
    }

    fn free(self, heap: &ThreadHeap<'_>, is_sized: bool) -> Result<(), String> {
        let found = self.reread(self.block, self.bytes);
        if is_sized {
            // SAFETY: the block is live, of this layout, and not used again.
            unsafe { heap.deallocate_sized(self.block, self.layout) };
        } else {
            // SAFETY: as above.
            unsafe { heap.deallocate(self.block) };
        }
        found
    }

    /// Changes the size in place. Returns whether that was possible.
    pub(super) fn resize(
        &mut self,
        heap: &ThreadHeap<'_>,
        size: usize,
        seed: u64,
    ) -> Result<bool, String> {
        let Ok(new) = Layout::from_size_align(size, self.layout.align()) else { return Ok(false) };
        // SAFETY: the block is live and of this layout; both alignments are the same.
        let answer = unsafe { heap.resize_in_place(self.block, self.layout, new) };
        let is_there = answer.is_ok_and(|answer| answer.cast() == self.block);
        assert_eq!(is_there, answer.is_ok(), "{:p} moved in a resize in place", self.block);
        self.changed(answer, new, seed).map(|()| is_there)
    }

    /// Changes the size, also by a move. Returns whether it was served.
    pub(super) fn reallocate(
        &mut self,
        heap: &ThreadHeap<'_>,
        size: usize,
        seed: u64,
    ) -> Result<bool, String> {
        let Ok(new) = Layout::from_size_align(size, self.layout.align()) else { return Ok(false) };
        // SAFETY: the block is live and of this layout, and where it moved it is not used again.
        let answer = unsafe { heap.reallocate(self.block, self.layout, new) };
        self.changed(answer, new, seed).map(|()| answer.is_ok())
    }

    /// Checks the contents after a change of size, and writes all of the block where it was served.
    fn changed(
        &mut self,
        answer: Result<NonNull<[u8]>, AllocError>,
        new: Layout,
        seed: u64,
    ) -> Result<(), String> {
        let Ok(answer) = answer else { return self.reread(self.block, self.bytes) };
        let kept = self.layout.size().min(new.size());
        let found = self.reread(answer.cast(), kept);
        *self = Self::of(answer, new, self.thread, seed);
        found
    }

    fn reread(&self, block: NonNull<u8>, kept: usize) -> Result<(), String> {
        // SAFETY: the block is live and has the pattern up to `kept`.
        match unsafe { self.pattern.first_difference(block, kept) } {
            Some(at) => Err(format!("byte {at} of {block:p} is not what was written")),
            None => Ok(()),
        }
    }
}
