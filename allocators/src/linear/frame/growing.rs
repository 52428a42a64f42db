//! Frames that grow: further chunks from the backing, kept at a reset for the next frame.

use core::alloc::Layout;
use core::cell::Cell;
use core::mem::{ManuallyDrop, MaybeUninit, offset_of};
use core::ptr::NonNull;
use core::slice;

use super::FrameAllocator;
use super::chunk::Chunk;
use super::growth::{CHUNK_BYTES_MAX, CHUNK_BYTES_MIN, Growth, Header, chunk_layout};
use crate::bookkeeping::sites::{NoSites, SiteBook};
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::Misuse;

impl<'a> FrameAllocator<'a> {
    /// Creates a frame that grows: its first chunk has `bytes` bytes, and further ones are
    /// allocated from `backing` when they are needed.
    ///
    /// A chunk is twice as large as the one before it, up to 64 MiB, or as large as a greater block
    /// needs. If the backing refuses that, or it exceeds the [limit](Self::set_limit), a smaller
    /// one is tried. All chunks are kept at a [reset](Self::reset), so the next frame allocates
    /// nothing; [`shrink`](Self::shrink) gives them back.
    ///
    /// `backing` must be `Sync`; [`growing_in`](Self::growing_in) takes any allocator.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the backing refuses the first chunk.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{AllocError, Arena, FrameAllocator, PageAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let mut frame = FrameAllocator::growing("frame", 4096, &pages)?;
    /// for turn in 0..10 {
    ///     let numbers = frame.alloc_slice_fill_with(10_000, |index| index + turn);
    ///     assert_eq!(numbers[9_999], 9_999 + turn);
    ///     frame.reset();
    /// }
    /// # Ok::<(), AllocError>(())
    /// ```
    pub fn growing(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<Self, AllocError> {
        Self::growing_in(name, bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized> FrameAllocator<'a, B> {
    /// As [`growing`](Self::growing), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`growing`](Self::growing).
    pub fn growing_in(name: &'a str, bytes: usize, backing: &'a B) -> Result<Self, AllocError> {
        let layout = chunk_layout(bytes.max(CHUNK_BYTES_MIN)).ok_or(AllocError)?;
        let block = backing.allocate(layout)?.cast();
        // SAFETY: the block was just taken from the backing and belongs to the frame alone.
        Ok(unsafe { Self::growing_over(name, block, layout, backing) })
    }

    /// Makes all blocks aligned to `ALIGN`, a power of two from 8 to 4096, to which their sizes are
    /// rounded up. Then blocks of such an alignment are allocated as quickly as others, and none of
    /// them needs a record for the bytes before it.
    ///
    /// # Panics
    ///
    /// If the frame has blocks.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{AllocError, Allocator, FrameAllocator};
    ///
    /// let mut memory = [MaybeUninit::uninit(); 1024];
    /// let frame = FrameAllocator::from_region("frame", &mut memory).with_min_align::<16>();
    /// for _ in 0..10 {
    ///     let byte = frame.allocate(Layout::new::<u8>())?.cast::<u8>();
    ///     assert!(byte.addr().get().is_multiple_of(16));
    /// }
    /// # Ok::<(), AllocError>(())
    /// ```
    ///
    /// Another number is refused at compile time:
    ///
    /// ```compile_fail,E0080
    /// # use loligo_allocators::FrameAllocator;
    /// let _ = FrameAllocator::from_region("frame", &mut []).with_min_align::<4>();
    /// ```
    #[must_use]
    pub fn with_min_align<const ALIGN: usize>(self) -> FrameAllocator<'a, B, NoSites, ALIGN> {
        self.assert_empty();
        self.release_further();
        let this = ManuallyDrop::new(self);
        let is_growing = this.growth().is_some();
        match this.backing {
            // SAFETY: the block is the frame's first chunk and the only one that is left. Its old
            // owner is not dropped.
            Some((backing, block, layout)) if is_growing => unsafe {
                FrameAllocator::growing_over(this.name, block, layout, backing)
            },
            // SAFETY: the block is the frame's, whose old owner is not dropped.
            Some((backing, block, layout)) => unsafe {
                FrameAllocator::over(this.name, block, this.bytes, Some((backing, block, layout)))
            },
            None => {
                let (memory, bytes) = this.chunk.region();
                // SAFETY: the bytes are the frame's, whose old owner is not used any more.
                let mut frame = unsafe { FrameAllocator::over(this.name, memory, bytes, None) };
                frame.bytes = this.bytes;
                frame
            }
        }
    }
}

impl<'a, B: Allocator + ?Sized, const MIN_ALIGN: usize> FrameAllocator<'a, B, NoSites, MIN_ALIGN> {
    /// # Safety
    ///
    /// `block` is a block of `backing` that was allocated with this layout, which is that of a
    /// chunk, and is used by no other code.
    unsafe fn growing_over(
        name: &'a str,
        block: NonNull<u8>,
        layout: Layout,
        backing: &'a B,
    ) -> Self {
        let bytes = layout.size();
        let front = size_of::<Growth<MIN_ALIGN>>();
        // SAFETY: the block is longer than what is at its start.
        let memory = unsafe { block.add(front) };
        // SAFETY: the bytes after that belong to the frame alone.
        let mut frame =
            unsafe { Self::over(name, memory, bytes - front, Some((backing, block, layout))) };
        frame.bytes = bytes;
        let first = offset_of!(Growth<MIN_ALIGN>, first);
        // SAFETY: the first header is within what is at the start of the block.
        let first = unsafe { block.add(first) }.cast::<Header<MIN_ALIGN>>();
        let growth = block.cast::<Growth<MIN_ALIGN>>();
        let whole = Growth {
            current: Cell::new(first),
            older: Cell::new(None),
            kept: Cell::new(None),
            depth: Cell::new(0),
            below: Cell::new(0),
            next_bytes: Cell::new(bytes.saturating_mul(2).min(CHUNK_BYTES_MAX)),
            reserved: Cell::new(bytes),
            peak_reserved: Cell::new(bytes),
            limit: Cell::new(None),
            first: Header {
                next: Cell::new(None),
                bytes,
                counted: Cell::new(0),
                chunk: frame.chunk.clone(),
            },
        };
        // SAFETY: the block has room and the alignment for it.
        unsafe { growth.write(whole) };
        frame.growth = growth.as_ptr();
        frame
    }
}

impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize>
    FrameAllocator<'_, B, S, MIN_ALIGN>
{
    /// Limits the bytes that a growing frame takes from its backing. A lower limit than what it has
    /// already keeps it from taking more. A frame that does not grow ignores it.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{AllocError, Arena, FrameAllocator, PageAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let frame = FrameAllocator::growing("frame", 4096, &pages)?;
    /// frame.set_limit(Some(64 << 10));
    /// assert!(frame.try_alloc_slice_copy(&[0_u8; 100_000]).is_err());
    /// frame.set_limit(None);
    /// assert!(frame.try_alloc_slice_copy(&[0_u8; 100_000]).is_ok());
    /// # Ok::<(), AllocError>(())
    /// ```
    pub fn set_limit(&self, bytes: Option<usize>) {
        if let Some(growth) = self.growth() {
            growth.limit.set(bytes);
        }
    }

    /// Returns the most bytes that the frame takes: what was set, or the size of a frame that does
    /// not grow.
    #[must_use]
    pub fn limit(&self) -> Option<usize> {
        match self.growth() {
            Some(growth) => growth.limit.get(),
            None => Some(self.bytes),
        }
    }

    /// Gives the chunks without blocks back to the backing. After a [reset](Self::reset) the first
    /// chunk is left.
    ///
    /// # Complexity
    ///
    /// O(chunks).
    pub fn shrink(&self) {
        self.close_span();
        if let (Some(growth), Some((backing, ..))) = (self.growth(), self.backing) {
            growth.release(&growth.kept, backing);
            // SAFETY: headers live until their chunk is given back; that in use is not.
            let current = unsafe { growth.current.get().as_ref() };
            growth.next_bytes.set(current.bytes.saturating_mul(2).min(CHUNK_BYTES_MAX));
        }
    }

    /// Returns the bytes of the blocks, a slice for each chunk, from the newest: all bytes that are
    /// used, in the order of their allocation, with those skipped for alignment and those of blocks
    /// that were freed out of order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// use loligo_allocators::{Arena, FrameAllocator};
    ///
    /// # let mut memory = [MaybeUninit::uninit(); 1024];
    /// let mut frame = FrameAllocator::from_region("frame", &mut memory);
    /// frame.alloc([1_u64; 10]);
    /// frame.alloc([2_u64; 10]);
    /// assert_eq!(frame.used().map(|bytes| bytes.len()).sum::<usize>(), 160);
    /// ```
    pub fn used(&mut self) -> impl Iterator<Item = &[MaybeUninit<u8>]> {
        self.close_span();
        let older = self.growth().into_iter().flat_map(Growth::older);
        core::iter::once(&self.chunk).chain(older).map(|chunk| {
            let bytes = chunk.memory.get().cast::<MaybeUninit<u8>>().as_ptr();
            // SAFETY: the bytes up to the cursor are the frame's, which is borrowed mutably, so no
            // reference to a block is in use. They need not be initialised.
            unsafe { slice::from_raw_parts(bytes, chunk.used()) }
        })
    }

    #[inline]
    pub(super) fn growth(&self) -> Option<&Growth<MIN_ALIGN>> {
        // SAFETY: null, or at the start of the first chunk, which lives as long as the frame.
        unsafe { self.growth.as_ref() }
    }

    /// Makes a chunk with room for the block the one in use.
    #[cold]
    pub(super) fn grow(&self, bytes: usize, align: usize) -> Result<(), AllocError> {
        let growth = self.growth().ok_or(AllocError)?;
        let (backing, ..) = self.backing.ok_or(AllocError)?;
        let needed = Chunk::<MIN_ALIGN>::bytes_for(bytes, align).ok_or(AllocError)?;
        let next = match growth.take_kept(bytes, align) {
            Some(chunk) => chunk,
            None => growth.take_chunk(needed, backing)?,
        };
        let left = growth.current.replace(next);
        // SAFETY: headers live as long as the frame.
        let header = unsafe { left.as_ref() };
        header.chunk.set_all(&self.chunk);
        let used = self.chunk.used();
        if used == 0 {
            header.next.set(growth.kept.replace(Some(left)));
        } else {
            header.next.set(growth.older.replace(Some(left)));
            header.counted.set(used);
            growth.below.set(growth.below.get() + used);
            growth.depth.set(growth.depth.get() + 1);
        }
        // SAFETY: as above.
        self.chunk.set_all(unsafe { &next.as_ref().chunk });
        self.aim_quick();
        Ok(())
    }

    /// Makes the newest older chunk the one in use, which has no live blocks and is kept; returns
    /// `false` if there is none.
    pub(super) fn step_back(&self) -> bool {
        let Some(growth) = self.growth() else { return false };
        let Some(back) = growth.older.get() else { return false };
        let left = growth.current.replace(back);
        // SAFETY: headers live as long as the frame.
        let left_header = unsafe { left.as_ref() };
        // SAFETY: as above.
        let back_header = unsafe { back.as_ref() };
        self.chunk.clear();
        left_header.chunk.set_all(&self.chunk);
        left_header.next.set(growth.kept.replace(Some(left)));
        growth.older.set(back_header.next.get());
        growth.depth.set(growth.depth.get() - 1);
        growth.below.set(growth.below.get() - back_header.counted.get());
        self.chunk.set_all(&back_header.chunk);
        self.aim_quick();
        true
    }

    /// Returns the older chunk that owns the block.
    pub(super) fn older_with(&self, block: NonNull<u8>) -> Option<&Chunk<MIN_ALIGN>> {
        let growth = self.growth()?;
        growth.older().find(|chunk| chunk.owns(block.as_ptr()))
    }

    /// Returns the misuse of freeing an address: one in a chunk without blocks was a block's.
    pub(super) fn seen(&self, what: Misuse, block: NonNull<u8>) -> Misuse {
        match self.growth() {
            Some(growth) if growth.kept_owns(block.as_ptr()) => Misuse::DoubleFree,
            _ => what,
        }
    }

    /// Returns whether an address is in a chunk that is not in use now.
    pub(super) fn other_owns(&self, address: *const u8) -> bool {
        self.growth().is_some_and(|growth| {
            growth.kept_owns(address) || growth.older().any(|chunk| chunk.owns(address))
        })
    }

    /// Gives all chunks but the first back to the backing. There are no blocks.
    fn release_further(&self) {
        let (Some(growth), Some((backing, ..))) = (self.growth(), self.backing) else { return };
        while self.step_back() {}
        growth.release(&growth.kept, backing);
        let first = NonNull::from(&growth.first);
        let left = growth.current.replace(first);
        if left != first {
            // The first chunk is the only one that is kept.
            growth.kept.set(None);
            // SAFETY: headers live until their chunk is given back, which is next.
            let header = unsafe { left.as_ref() };
            header.chunk.set_all(&self.chunk);
            header.next.set(None);
            self.chunk.set_all(&growth.first.chunk);
            growth.release(&Cell::new(Some(left)), backing);
        }
    }

    /// Gives all memory back to the backing.
    pub(super) fn release_all(&mut self) {
        self.release_further();
        self.chunk.unmark();
        let Some((backing, memory, layout)) = self.backing else { return };
        // SAFETY: the memory was taken from this backing with this layout, and every block in it
        // ends with the frame.
        unsafe { backing.deallocate_sized(memory, layout) };
    }
}
