//! A chunk of a shared pool: its header, its words of bits, its blocks.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::threads::sync::shared::{AtomicUsize, Ordering};

use super::bits::BITS;

/// The maximum number of blocks of a chunk, addressable by three levels of words.
pub(super) const BLOCKS_MAX: usize = BITS * BITS * BITS;

/// The header of a chunk, after its blocks.
///
/// # Invariants
///
/// 1. `blocks` blocks, from 1 to `BLOCKS_MAX`, are contiguous from `first` on, at the start of the
///    chunk's memory.
/// 2. `words` points to the middle words, `first_leaf` to the leaves after them, as many as
///    [`Words`] computes for `blocks`, which are written before a second thread sees the chunk.
/// 3. The first `carved` blocks were allocated at least once, at most `blocks`. The bits of the
///    others are clear, and those beyond the leaves and the middle words.
#[repr(C)]
pub(super) struct Chunk {
    pub(super) root: AtomicUsize,
    pub(super) first: NonNull<u8>,
    pub(super) blocks: usize,
    carved: AtomicUsize,
    /// The middle words, and the leaves after them.
    words: NonNull<AtomicUsize>,
    first_leaf: NonNull<AtomicUsize>,
    middles: usize,
    leaves: usize,
    /// The layout of the backing's block at `first`.
    pub(super) layout: Layout,
}

/// The numbers of words of a chunk.
struct Words {
    middles: usize,
    leaves: usize,
}

impl Words {
    const fn of(blocks: usize) -> Self {
        let leaves = blocks.div_ceil(BITS);
        Self { middles: leaves.div_ceil(BITS), leaves }
    }
}

/// The places of a chunk's parts.
pub(super) struct Plan {
    /// The layout requested from the backing.
    pub(super) layout: Layout,
    blocks: usize,
    header_offset: usize,
    words_offset: usize,
}

impl Plan {
    /// Plans a chunk of `blocks` blocks, each of `block_bytes` bytes at a multiple of
    /// `block_align`. `None` if there are none, too many, or no layout can hold them.
    pub(super) fn new(block_bytes: usize, block_align: usize, blocks: usize) -> Option<Self> {
        if blocks == 0 || blocks > BLOCKS_MAX {
            return None;
        }
        let Words { middles, leaves } = Words::of(blocks);
        let words = Layout::array::<AtomicUsize>(middles + leaves).ok()?;
        let bytes = Layout::from_size_align(block_bytes.checked_mul(blocks)?, block_align).ok()?;
        let (front, header_offset) = bytes.extend(Layout::new::<Chunk>()).ok()?;
        let (layout, words_offset) = front.extend(words).ok()?;
        Some(Self { layout, blocks, header_offset, words_offset })
    }

    /// Writes header and words into `memory`; no block is allocated yet.
    ///
    /// # Safety
    ///
    /// `memory` is aligned and valid for writes as the plan's layout says, and no other code uses
    /// it.
    pub(super) unsafe fn lay_out(&self, memory: NonNull<u8>) -> NonNull<Chunk> {
        let Words { middles, leaves } = Words::of(self.blocks);
        // SAFETY: the words are within the memory, which is aligned for them.
        let words = unsafe { memory.add(self.words_offset) }.cast::<AtomicUsize>();
        for index in 0..middles + leaves {
            // SAFETY: as above; there are this many words.
            let word = unsafe { words.add(index) };
            // SAFETY: the word is ours and no reference to it exists yet.
            unsafe { word.write(AtomicUsize::new(0)) };
        }
        // SAFETY: as above: the leaves are after the middle words.
        let first_leaf = unsafe { words.add(middles) };
        // SAFETY: the header is within the memory, which is aligned for it.
        let chunk = unsafe { memory.add(self.header_offset) }.cast::<Chunk>();
        let header = Chunk {
            root: AtomicUsize::new(0),
            first: memory,
            blocks: self.blocks,
            carved: AtomicUsize::new(0),
            words,
            first_leaf,
            middles,
            leaves,
            layout: self.layout,
        };
        // SAFETY: as above, and the memory is the pool's alone.
        unsafe { chunk.write(header) };
        mark::no_access(memory, self.header_offset);
        chunk
    }
}

impl Chunk {
    /// Unpoisons the blocks' memory, padding up to the header included: the backing may touch freed
    /// memory.
    pub(super) fn open(&self) {
        let header = core::ptr::from_ref(self).addr();
        mark::undefined(self.first, header - self.first.addr().get());
    }

    /// Takes a block that was never allocated, if there is one.
    pub(super) fn carve(&self) -> Option<usize> {
        // Relaxed: only the number matters; the thread that frees the block got it from this
        // thread, and so sees it counted.
        let next = |carved| (carved < self.blocks).then_some(carved + 1);
        self.carved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()
    }

    /// Returns how many blocks were allocated at least once: the first of the chunk.
    #[inline]
    pub(super) fn carved(&self) -> usize {
        // Relaxed, as in `carve`.
        self.carved.load(Ordering::Relaxed)
    }

    /// Returns the number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.leaves
    }

    /// Returns leaf `index`.
    #[inline]
    pub(super) fn leaf(&self, index: usize) -> &AtomicUsize {
        debug_assert!(index < self.leaves, "leaf {index} of {}", self.leaves);
        // SAFETY: invariant 2; callers pass numbers of leaves.
        let word = unsafe { self.first_leaf.add(index) };
        // SAFETY: it was written, and is changed by atomic operations alone.
        unsafe { word.as_ref() }
    }

    /// Returns the number of middle words.
    pub(super) fn middles(&self) -> usize {
        self.middles
    }

    /// Returns middle word `index`.
    pub(super) fn middle(&self, index: usize) -> &AtomicUsize {
        debug_assert!(index < self.middles, "middle word {index} of {}", self.middles);
        // SAFETY: as in `leaf`.
        let word = unsafe { self.words.add(index) };
        // SAFETY: as in `leaf`.
        unsafe { word.as_ref() }
    }
}
