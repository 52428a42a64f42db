//! The metadata of a buddy allocator at the head of its buffer.
//!
//! ```text
//! at                  bytes            what
//! 0                   64               `Seal`: magic, version, shape; written once
//! 64                  64               `Books`: counters, the bitmap of heights with a free block
//! 128                 4 a level        the first free block of each height
//! multiple of 16      64 a front       the blocks held back for quick reuse, none in small trees
//! multiple of 8       1 bit a block    the used bits, in the order of `Node` numbers
//! ```
//!
//! All of it is numbers: indices of leaves and offsets, never an address to follow.

use core::cell::Cell;

/// `LoliBudd` in native byte order; in the other byte order it is another number.
pub(crate) const MAGIC: u64 = u64::from_be_bytes(*b"LoliBudd");
/// Raised whenever the layout changes.
pub(crate) const VERSION: u32 = 1;
/// The alignment of the header, the bits and the links in free blocks.
pub(crate) const META_ALIGN: usize = 16;
/// The most levels a tree has.
pub(crate) const LEVELS_MAX: u32 = 32;
/// log2 of the most bytes in a tree.
pub(crate) const SHIFT_MAX: u32 = 62;
/// log2 of the largest block that waits in a front.
pub(crate) const FRONT_SHIFT_MAX: u32 = 16;
/// The capacity of a front.
pub(crate) const FRONT_BLOCKS: usize = 15;
/// How many of them are removed from a full front at once.
const OLDER: usize = FRONT_BLOCKS / 2 + 1;
/// An impossible leaf number.
pub(crate) const NIL: u32 = u32::MAX;
/// Set in a front's count, so that it is never taken for a leaf.
const COUNT_MARK: u32 = 1 << 31;

/// The constant part of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Seal {
    pub(crate) magic: u64,
    pub(crate) version: u32,
    pub(crate) leaf_shift: u32,
    pub(crate) top: u32,
    pub(crate) first: u32,
    pub(crate) end: u32,
    pub(crate) fronts: u32,
    /// From the header to the end of the last leaf.
    pub(crate) bytes: u64,
    /// From the header to the first leaf.
    pub(crate) data: u64,
    /// The address that leaf 0 of the tree would have where the arena was last opened. Only its
    /// residue is used.
    pub(crate) home: u64,
    /// The other fields, mixed.
    pub(crate) sum: u64,
}

impl Seal {
    /// Computes the value for `sum`.
    pub(crate) fn mixed(&self) -> u64 {
        let words = [
            self.magic,
            (u64::from(self.version) << 32) | u64::from(self.leaf_shift),
            (u64::from(self.top) << 32) | u64::from(self.first),
            (u64::from(self.end) << 32) | u64::from(self.fronts),
            self.bytes,
            self.data,
            self.home,
        ];
        words.iter().fold(0x9e37_79b9_7f4a_7c15, |sum, word| {
            (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
        })
    }
}

/// The part of the header that changes with each call: one cache line where the base is aligned.
///
/// `live` and `granted` are not adjacent: if they were, the compiler would add to both as one
/// vector, which must wait for the scalar stores just before.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Books {
    /// Bit h is set while a block of height h is free.
    pub(crate) heights: Cell<u32>,
    pub(crate) reserved: u32,
    pub(crate) live: Cell<u64>,
    pub(crate) peak_granted: Cell<u64>,
    pub(crate) allocations_total: Cell<u64>,
    pub(crate) requested_total: Cell<u64>,
    pub(crate) granted_total: Cell<u64>,
    /// The greatest alignment that was requested.
    pub(crate) greatest_align: Cell<u64>,
    pub(crate) granted: Cell<u64>,
}

/// Both parts.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Head {
    pub(crate) seal: Cell<Seal>,
    pub(crate) books: Books,
}

const _: () = assert!(size_of::<Seal>() == 64, "the drawing above says so");
const _: () = assert!(size_of::<Head>() == 128, "the drawing above says so");
const _: () = assert!(align_of::<Head>() <= META_ALIGN, "the base is aligned so");

impl Books {
    pub(crate) const fn new() -> Self {
        Self {
            heights: Cell::new(0),
            reserved: 0,
            live: Cell::new(0),
            peak_granted: Cell::new(0),
            allocations_total: Cell::new(0),
            requested_total: Cell::new(0),
            granted_total: Cell::new(0),
            greatest_align: Cell::new(META_ALIGN as u64),
            granted: Cell::new(0),
        }
    }

    /// Counts an allocated block.
    #[inline]
    pub(crate) fn gave(&self, requested: u64, granted: u64, align: u64) {
        self.live.set(self.live.get() + 1);
        self.allocations_total.set(self.allocations_total.get() + 1);
        self.grew(requested, granted);
        if align > self.greatest_align.get() {
            self.greatest_align.set(align);
        }
    }

    /// Counts the bytes that a block gained.
    #[inline]
    pub(crate) fn grew(&self, requested: u64, granted: u64) {
        // The total of requested bytes can exceed 2^64 after years; it then wraps.
        self.requested_total.set(self.requested_total.get().wrapping_add(requested));
        self.granted_total.set(self.granted_total.get().wrapping_add(granted));
        let now = self.granted.get() + granted;
        self.granted.set(now);
        if now > self.peak_granted.get() {
            self.peak_granted.set(now);
        }
    }

    /// Counts a freed block.
    #[inline]
    pub(crate) fn record_allocation(&self, granted: u64) {
        self.live.set(self.live.get() - 1);
        self.granted.set(self.granted.get() - granted);
    }
}

/// Up to 15 freed blocks of one height that wait to be allocated again, last freed first. Their
/// bits are still set. The first word is the count with its mark, the rest the first leaves of the
/// blocks, `NIL` for none.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Front([Cell<u32>; FRONT_BLOCKS + 1]);

impl Front {
    pub(crate) const fn new() -> Self {
        let mut words = [const { Cell::new(NIL) }; FRONT_BLOCKS + 1];
        words[0] = Cell::new(COUNT_MARK);
        Self(words)
    }

    /// Returns the number of blocks; a damaged count reads as one that is too large.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        (self.0[0].get() ^ COUNT_MARK) as usize
    }

    /// Returns the first leaf of a waiting block, oldest first.
    pub(crate) fn get(&self, at: usize) -> u32 {
        self.0[at + 1].get()
    }

    /// Returns `true` if the block that starts at `leaf` waits here. Reads all words, with four
    /// vector comparisons and no branch.
    #[inline]
    pub(crate) fn holds(&self, leaf: u32) -> bool {
        self.0.iter().fold(false, |held, word| held | (word.get() == leaf))
    }

    /// Removes the block freed last.
    #[inline]
    pub(crate) fn pop(&self) -> Option<u32> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let leaf = self.0[count & FRONT_BLOCKS].replace(NIL);
        self.0[0].set(COUNT_MARK | (count as u32 - 1));
        Some(leaf)
    }

    /// Adds a block; `false` if the front is full.
    #[inline]
    pub(crate) fn push(&self, leaf: u32) -> bool {
        let count = self.count();
        if count >= FRONT_BLOCKS {
            return false;
        }
        self.0[count + 1].set(leaf);
        self.0[0].set(COUNT_MARK | (count as u32 + 1));
        true
    }

    /// Removes the older half of a full front, oldest first.
    pub(crate) fn drop_older(&self) -> [u32; OLDER] {
        let mut older = [NIL; OLDER];
        for (at, old) in older.iter_mut().enumerate() {
            *old = self.get(at);
        }
        for at in 0..FRONT_BLOCKS {
            let younger = self.0.get(at + 1 + OLDER).map_or(NIL, Cell::get);
            self.0[at + 1].set(younger);
        }
        self.0[0].set(COUNT_MARK | (FRONT_BLOCKS - OLDER) as u32);
        older
    }

    /// Removes the block at an index, counted from the oldest.
    pub(crate) fn remove(&self, at: usize) {
        let count = self.count();
        for from in at + 1..count {
            self.0[from].set(self.0[from + 1].get());
        }
        self.0[count].set(NIL);
        self.0[0].set(COUNT_MARK | (count as u32 - 1));
    }

    /// Returns `true` if the count is possible, no block is in it twice and the rest is empty.
    pub(crate) fn is_sound(&self) -> bool {
        let count = self.count();
        count <= FRONT_BLOCKS
            && (0..FRONT_BLOCKS).all(|at| {
                let leaf = self.get(at);
                (leaf != NIL) == (at < count)
                    && (leaf == NIL || (0..at).all(|other| self.get(other) != leaf))
            })
    }
}
