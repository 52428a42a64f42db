//! The live bits of a pool: one word for the blocks that start in one window of addresses.

use core::cell::Cell;
use core::ptr;

/// The blocks that start in one window, at most 64.
///
/// # Invariants
///
/// 1. The set bits of `fresh` are its highest ones. The blocks of the others, `size` bytes apart
///    from `first` on, are within the chunk that the group belongs to.
/// 2. Every bit that is set in `fresh` is set in `idle`.
/// 3. A group is on its pool's list, linked by `next`, exactly while `idle` and `fresh` differ.
pub(super) struct Group {
    /// Bit `i` is clear while block `i` is live or held.
    // So a free tests a block with one bit, also one that was never allocated.
    pub(super) idle: Cell<u64>,
    /// The first block that starts in the window.
    pub(super) first: *mut u8,
    /// Bit `i` is clear if block `i` was allocated at least once.
    pub(super) fresh: Cell<u64>,
    /// The next group with free blocks.
    pub(super) next: Cell<*const Group>,
}

impl Group {
    pub(super) const fn new(first: *mut u8) -> Self {
        let [idle, fresh] = [Cell::new(u64::MAX), Cell::new(u64::MAX)];
        Self { idle, first, fresh, next: Cell::new(ptr::null()) }
    }

    /// Returns how many of the blocks were allocated at least once; they are the first ones.
    #[inline]
    pub(super) fn carved(&self) -> usize {
        self.fresh.get().trailing_zeros() as usize
    }

    /// Returns a word in which bit `i` is set while block `i` is free and not held. A block that
    /// was never allocated has a clear bit.
    #[inline]
    pub(super) fn free(&self) -> u64 {
        self.idle.get() ^ self.fresh.get()
    }

    /// Returns `true` if block `index` is live or held; `false` if there is no such block.
    #[inline]
    pub(super) fn is_taken(&self, index: usize) -> bool {
        index < 64 && self.idle.get() >> index & 1 == 0
    }
}

/// The group without blocks. It ends every list and fills the empty slots of every table, so the
/// fast paths need no test for null.
pub(super) const NOWHERE: *const Group = &raw const NOWHERE_GROUP.0;

/// A table of one slot, for a pool without chunks.
pub(super) const EMPTY_TABLE: *const Cell<*const Group> = (&raw const EMPTY.0).cast();

struct Constant<T>(T);

// SAFETY: both constants are only read: a group whose bits are all set is never written by a pool
// (no block is live, and none is free), and a pool writes to the slots of tables that it has
// allocated itself.
unsafe impl<T> Sync for Constant<T> {}

static NOWHERE_GROUP: Constant<Group> = Constant(Group::new(ptr::null_mut()));
static EMPTY: Constant<[Cell<*const Group>; 1]> = Constant([Cell::new(NOWHERE)]);

/// The size of a block, and the numbers for finding the block at an offset without dividing.
///
/// `bytes` is an odd number times `2^twos`. Multiplying by the inverse of the odd number modulo the
/// word size and rotating by `twos` gives the quotient if the division has no remainder, and a
/// number that is larger than every possible index if it has. So one comparison with the count of
/// blocks detects addresses outside and inside of blocks alike.
#[derive(Clone, Copy)]
pub(crate) struct BlockSize {
    pub(crate) bytes: usize,
    inverse: usize,
    twos: u32,
}

impl BlockSize {
    pub(crate) const fn new(bytes: usize) -> Self {
        let twos = bytes.trailing_zeros();
        let odd = bytes >> twos;
        // Newton's iteration: an odd number is its own inverse modulo 8, and each step doubles the
        // number of correct bits: 3, 6, 12, 24, 48, 96.
        let mut inverse = odd;
        let mut step = 0;
        while step < 5 {
            inverse = inverse.wrapping_mul(2_usize.wrapping_sub(odd.wrapping_mul(inverse)));
            step += 1;
        }
        Self { bytes, inverse, twos }
    }

    /// Returns `offset / bytes` if there is no remainder, else a number greater than
    /// `usize::MAX / bytes`.
    #[inline]
    pub(crate) const fn index_of(self, offset: usize) -> usize {
        offset.wrapping_mul(self.inverse).rotate_right(self.twos)
    }
}
