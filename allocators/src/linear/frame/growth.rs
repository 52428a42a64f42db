//! The chunks of a frame that grows: that in use, older ones, and those that are kept.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use super::chunk::Chunk;
use crate::contract::allocator::{AllocError, Allocator};

/// The alignment of chunks.
pub(super) const CHUNK_ALIGN: usize = align_of::<u128>();

/// The least bytes of a chunk.
pub(super) const CHUNK_BYTES_MIN: usize = 512;

/// The bytes up to which each chunk is twice as large as the one before it.
pub(super) const CHUNK_BYTES_MAX: usize = 64 << 20;

/// What precedes the memory of a chunk.
pub(super) struct Header<const MIN_ALIGN: usize> {
    /// The next older chunk, or the next one that is kept.
    pub(super) next: Cell<Option<NonNull<Header<MIN_ALIGN>>>>,
    /// The bytes taken from the backing.
    pub(super) bytes: usize,
    /// The bytes used when a newer chunk was begun.
    pub(super) counted: Cell<usize>,
    /// The state of a chunk that is not in use.
    pub(super) chunk: Chunk<MIN_ALIGN>,
}

/// The chunks of a frame; at the start of the first of them.
///
/// # Invariants
///
/// 1. Each chunk is the one in use, or in one of the two lists. The first is never given back
///    before the frame is dropped.
/// 2. `depth` is the length of the list of older chunks, and `below` the sum of their `counted`.
///    An older chunk uses at most its `counted` bytes.
pub(super) struct Growth<const MIN_ALIGN: usize> {
    pub(super) current: Cell<NonNull<Header<MIN_ALIGN>>>,
    /// The chunks filled before the one in use, from the newest.
    pub(super) older: Cell<Option<NonNull<Header<MIN_ALIGN>>>>,
    /// The chunks that are kept without blocks, in the order of their use before.
    pub(super) kept: Cell<Option<NonNull<Header<MIN_ALIGN>>>>,
    pub(super) depth: Cell<usize>,
    pub(super) below: Cell<usize>,
    /// The bytes of the next chunk, if they are enough.
    pub(super) next_bytes: Cell<usize>,
    pub(super) reserved: Cell<usize>,
    pub(super) peak_reserved: Cell<usize>,
    pub(super) limit: Cell<Option<usize>>,
    pub(super) first: Header<MIN_ALIGN>,
}

impl<const MIN_ALIGN: usize> Growth<MIN_ALIGN> {
    pub(super) const fn depth(&self) -> usize {
        self.depth.get()
    }

    /// Returns a number that is not less than the live bytes of the older chunks.
    pub(super) const fn below(&self) -> usize {
        self.below.get()
    }

    pub(super) const fn reserved(&self) -> usize {
        self.reserved.get()
    }

    pub(super) const fn peak_reserved(&self) -> usize {
        self.peak_reserved.get()
    }

    /// Removes the first kept chunk in which the block fits.
    pub(super) fn take_kept(
        &self,
        bytes: usize,
        align: usize,
    ) -> Option<NonNull<Header<MIN_ALIGN>>> {
        let mut link = &self.kept;
        loop {
            let chunk = link.get()?;
            // SAFETY: headers live as long as the frame.
            let header = unsafe { chunk.as_ref() };
            if header.chunk.fits(bytes, align) {
                link.set(header.next.get());
                return Some(chunk);
            }
            link = &header.next;
        }
    }

    /// Takes a chunk with room for `bytes` bytes from the backing.
    pub(super) fn take_chunk<B: Allocator + ?Sized>(
        &self,
        bytes: usize,
        backing: &B,
    ) -> Result<NonNull<Header<MIN_ALIGN>>, AllocError> {
        let needed = bytes.checked_add(size_of::<Header<MIN_ALIGN>>()).ok_or(AllocError)?;
        let allowed = self.limit.get().unwrap_or(usize::MAX).saturating_sub(self.reserved.get());
        let mut wanted = self.next_bytes.get().max(needed).min(allowed);
        let block = loop {
            if wanted < needed {
                return Err(AllocError);
            }
            let layout = chunk_layout(wanted).ok_or(AllocError)?;
            match backing.allocate(layout) {
                Ok(block) => break block.cast::<u8>(),
                Err(AllocError) if wanted == needed => return Err(AllocError),
                Err(AllocError) => wanted = (wanted / 2).max(needed),
            }
        };
        // SAFETY: the block begins with a header, which is shorter than it.
        let memory = unsafe { block.add(size_of::<Header<MIN_ALIGN>>()) };
        // SAFETY: the bytes after the header belong to the chunk alone until it is given back.
        let chunk = unsafe { Chunk::over(memory, wanted - size_of::<Header<MIN_ALIGN>>()) };
        let chunk = Header { next: Cell::new(None), bytes: wanted, counted: Cell::new(0), chunk };
        let header = block.cast::<Header<MIN_ALIGN>>();
        // SAFETY: the block has room and the alignment for a header.
        unsafe { header.write(chunk) };
        self.next_bytes.set(wanted.saturating_mul(2).min(CHUNK_BYTES_MAX));
        self.reserved.set(self.reserved.get() + wanted);
        self.peak_reserved.set(self.peak_reserved.get().max(self.reserved.get()));
        Ok(header)
    }

    /// Gives the chunks of a list back to the backing, except the first of all.
    pub(super) fn release<B: Allocator + ?Sized>(
        &self,
        list: &Cell<Option<NonNull<Header<MIN_ALIGN>>>>,
        backing: &B,
    ) {
        let mut first = None;
        let mut next = list.take();
        while let Some(chunk) = next {
            // SAFETY: headers live until their chunk is given back, which is below.
            let header = unsafe { chunk.as_ref() };
            next = header.next.get();
            if chunk == NonNull::from(&self.first) {
                first = Some(chunk);
                header.next.set(None);
                continue;
            }
            header.chunk.unmark();
            self.reserved.set(self.reserved.get() - header.bytes);
            let layout = chunk_layout(header.bytes).expect("it had one when it was taken");
            // SAFETY: the chunk was taken from this backing with this layout, and nothing refers
            // to it any more.
            unsafe { backing.deallocate_sized(chunk.cast(), layout) };
        }
        list.set(first);
    }

    /// Returns the chunks of a list.
    fn each(
        list: &Cell<Option<NonNull<Header<MIN_ALIGN>>>>,
    ) -> impl Iterator<Item = &Header<MIN_ALIGN>> {
        let mut next = list.get();
        core::iter::from_fn(move || {
            // SAFETY: headers live as long as the frame, or until `shrink`.
            let header: &Header<MIN_ALIGN> = unsafe { next?.as_ref() };
            next = header.next.get();
            Some(header)
        })
    }

    /// Returns the older chunks, from the newest.
    pub(super) fn older(&self) -> impl Iterator<Item = &Chunk<MIN_ALIGN>> {
        Self::each(&self.older).map(|header| &header.chunk)
    }

    /// Returns whether the numbers and the lists agree.
    pub(super) fn is_sound(&self) -> bool {
        let counted = Self::each(&self.older).map(|header| header.counted.get()).sum::<usize>();
        Self::each(&self.older).count() == self.depth.get()
            && counted == self.below.get()
            && Self::each(&self.older).all(|header| header.chunk.used() <= header.counted.get())
    }

    /// Damages a count.
    #[cfg(test)]
    pub(super) fn plant(&self, more: usize) {
        self.below.set(self.below.get().wrapping_add(more));
    }

    pub(super) fn kept_owns(&self, address: *const u8) -> bool {
        Self::each(&self.kept).any(|header| header.chunk.owns(address))
    }
}

pub(super) fn chunk_layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, CHUNK_ALIGN).ok()
}

const _: () = assert!(
    usize::BITS < 64 || (size_of::<Header<8>>() == 80 && size_of::<Growth<8>>() == 160),
    "the docs of the frame state them"
);
