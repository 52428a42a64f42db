//! Memory set aside for when the allocator refuses.
//!
//! LuaJIT does not stay whole wherever it is refused memory: in the middle of making a closure or
//! of resizing a table it loses count of a block, or part of the table. So it is not refused: a
//! chunk that was taken before serves it until the script has been stopped, at the next instruction
//! that is not compiled.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

/// The bytes of a chunk: several times what LuaJIT takes between two places where a script can be
/// stopped, opening a library for instance.
pub(crate) const RESERVE_BYTES: usize = 64 << 10;

/// What blocks are aligned to, and the bytes before each, where its size is.
const ALIGN: usize = 16;

/// The beginning of a chunk. Blocks follow, one after the other.
#[repr(C, align(16))]
struct Chunk {
    /// The next of those that are no longer taken from.
    next: Cell<Option<NonNull<Self>>>,
    /// The bytes that are in use or were, this included.
    used: Cell<usize>,
    /// The blocks that are in use.
    live: Cell<usize>,
}

/// Chunks: one to take from, and those before it in which something is in use.
///
/// # Invariants
///
/// 1. All chunks are live blocks of the allocator, of [`RESERVE_BYTES`] bytes, and begin with a
///    [`Chunk`].
/// 2. Of each chunk the bytes up to `used` are blocks, each preceded by its size; `live` of them
///    are in use.
pub(crate) struct Reserve<'m> {
    allocator: &'m dyn Allocator,
    current: Cell<Option<NonNull<Chunk>>>,
    retired: Cell<Option<NonNull<Chunk>>>,
}

impl<'m> Reserve<'m> {
    pub(crate) const fn new(allocator: &'m dyn Allocator) -> Self {
        Self { allocator, current: Cell::new(None), retired: Cell::new(None) }
    }

    /// Makes sure that a whole chunk is there; false where there is no memory for it.
    pub(crate) fn fill(&self) -> bool {
        if let Some(current) = self.current.get() {
            // SAFETY: by invariant 1.
            let chunk = unsafe { current.as_ref() };
            if chunk.live.get() == 0 {
                chunk.used.set(size_of::<Chunk>());
                return true;
            }
        }
        let layout = const { Layout::new::<[u128; RESERVE_BYTES / ALIGN]>() };
        let Ok(block) = self.allocator.allocate(layout) else {
            return false;
        };
        let new = block.cast::<Chunk>();
        let (used, live) = (Cell::new(size_of::<Chunk>()), Cell::new(0));
        // SAFETY: the block is new, large enough and aligned to 16.
        unsafe { new.write(Chunk { next: Cell::new(None), used, live }) };
        if let Some(old) = self.current.replace(Some(new)) {
            // SAFETY: by invariant 1.
            unsafe { old.as_ref() }.next.set(self.retired.replace(Some(old)));
        }
        true
    }

    /// Takes a block of at least one byte; `None` where the chunk has no room.
    pub(crate) fn take(&self, bytes: usize) -> Option<NonNull<u8>> {
        let current = self.current.get()?;
        // SAFETY: by invariant 1.
        let chunk = unsafe { current.as_ref() };
        let size = bytes.checked_next_multiple_of(ALIGN)?;
        let place = chunk.used.get();
        let end = place.checked_add(ALIGN)?.checked_add(size)?;
        if end > RESERVE_BYTES {
            return None;
        }
        // SAFETY: the header and the block are in the chunk, whose bytes past `used` are nobody's.
        let header = unsafe { current.cast::<u8>().add(place) };
        // SAFETY: as above; it is aligned to 16 as all before it are whole multiples of that.
        unsafe { header.cast::<usize>().write(size) };
        chunk.used.set(end);
        chunk.live.set(chunk.live.get() + 1);
        // SAFETY: as above.
        Some(unsafe { header.add(ALIGN) })
    }

    /// Returns the bytes of a block, if it is one of these.
    pub(crate) fn size_of(&self, block: NonNull<u8>) -> Option<usize> {
        self.chunk_of(block)?;
        // SAFETY: by invariant 2 the size is before the block.
        let header = unsafe { block.sub(ALIGN) };
        // SAFETY: as above.
        Some(unsafe { header.cast::<usize>().read() })
    }

    /// Gives a block back, which is one of these, and its chunk with the last one, unless that is
    /// taken from.
    pub(crate) fn give_back(&self, block: NonNull<u8>) {
        let Some(found) = self.chunk_of(block) else { return };
        // SAFETY: by invariant 1.
        let chunk = unsafe { found.as_ref() };
        chunk.live.set(chunk.live.get() - 1);
        if chunk.live.get() > 0 || self.current.get() == Some(found) {
            return;
        }
        let mut link = &self.retired;
        while let Some(at) = link.get() {
            // SAFETY: by invariant 1.
            let next = &unsafe { at.as_ref() }.next;
            if at == found {
                link.set(next.get());
                break;
            }
            link = next;
        }
        // SAFETY: the chunk is the allocator's, nothing in it is in use, and nothing leads to it
        // any more.
        unsafe { self.allocator.deallocate(found.cast()) };
    }

    fn chunk_of(&self, block: NonNull<u8>) -> Option<NonNull<Chunk>> {
        let is_in = |chunk: &NonNull<Chunk>| {
            block.addr().get().wrapping_sub(chunk.addr().get()) < RESERVE_BYTES
        };
        if let Some(current) = self.current.get().filter(is_in) {
            return Some(current);
        }
        let mut at = self.retired.get();
        while let Some(chunk) = at {
            if is_in(&chunk) {
                return Some(chunk);
            }
            // SAFETY: by invariant 1.
            at = unsafe { chunk.as_ref() }.next.get();
        }
        None
    }
}

impl Drop for Reserve<'_> {
    fn drop(&mut self) {
        let mut at = self.current.take();
        while let Some(chunk) = at {
            at = self.retired.take();
            if let Some(retired) = at {
                // SAFETY: by invariant 1.
                self.retired.set(unsafe { retired.as_ref() }.next.get());
            }
            // SAFETY: the chunk is the allocator's, and the state whose blocks were in it is
            // closed.
            unsafe { self.allocator.deallocate(chunk.cast()) };
        }
    }
}
