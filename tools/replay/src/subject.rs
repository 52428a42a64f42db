//! What the replayer asks of an allocator, ours or a peer's.

use core::alloc::Layout;

/// An allocator as the replayer drives it. The loop is compiled for each implementation, so no row
/// pays for a virtual call that another does not pay for.
///
/// # Safety
///
/// A block that is returned is valid for reads and writes of `layout.size()` bytes and overlaps no
/// other live block, until it is freed or the subject is dropped. (A row that breaks the promise is
/// what `--verify` finds, at the cost of this process if it must be.)
pub unsafe trait Subject {
    /// Reports which place of the program the next allocations come from, where the trace knows.
    fn at_site(&mut self, site: u32) {
        let _ = site;
    }

    /// Returns a block, or null if the request is refused.
    fn allocate(&mut self, layout: Layout) -> *mut u8;

    /// Returns a block of zeros, or null if the request is refused.
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8;

    /// Takes a block back.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this subject with this layout.
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout);

    /// Changes the size of a block, moving it if need be, or returns null and leaves it alone.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this subject with the layout `old`; `bytes` is not 0.
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8;

    /// Checks the subject's own structure where it can, all blocks being freed.
    ///
    /// # Errors
    ///
    /// What is broken, in words.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Returns `old` with another size.
///
/// # Safety
///
/// `bytes`, rounded up to the alignment, is at most `isize::MAX`.
#[inline(always)]
pub(crate) unsafe fn resized(old: Layout, bytes: usize) -> Layout {
    // SAFETY: the alignment is that of a layout, the size as the caller promises.
    unsafe { Layout::from_size_align_unchecked(bytes, old.align()) }
}

/// The replay loop without an allocator: blocks are places in a small buffer that stays in the
/// first-level cache, so what is left is reading the steps, the slots, and one write a block.
pub(crate) struct Null {
    lines: Box<[Line; Null::LINES]>,
    next: usize,
}

/// A cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; 64]);

impl Null {
    /// How many places there are: 16 KiB.
    const LINES: usize = 256;

    pub(crate) fn new() -> Self {
        Self { lines: Box::new([Line([0; 64]); Self::LINES]), next: 0 }
    }
}

// SAFETY: broken on purpose: the places overlap and are smaller than most blocks. The only writes
// are those of the timed loop, one byte a block, which stay inside the buffer; no other pass is run
// on this subject (`Row::null` says so to the passes).
unsafe impl Subject for Null {
    #[inline(always)]
    fn allocate(&mut self, _: Layout) -> *mut u8 {
        self.next = (self.next + 1) % Self::LINES;
        self.lines[self.next].0.as_mut_ptr()
    }

    #[inline(always)]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        self.allocate(layout)
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, _: *mut u8, _: Layout) {}

    #[inline(always)]
    unsafe fn reallocate(&mut self, block: *mut u8, _: Layout, _: usize) -> *mut u8 {
        block
    }
}
