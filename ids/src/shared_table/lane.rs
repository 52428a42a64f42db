//! The lanes of a shared table: shares of its slots, each with a queue.

use crate::error::TableDamage;
use crate::sync::{AtomicUsize, Ordering};

/// The most lanes of a table.
pub(super) const LANES_MAX: usize = 8;

/// Binary logarithm of the least slots of a lane, but for the last one's.
const BITS_MIN: u32 = 6;

/// The cursors of a lane's queue. Those who create write the first line, those who remove the
/// second.
#[repr(C, align(128))]
pub(super) struct Lane {
    pub(super) taken: AtomicUsize,
    pub(super) collected: usize,
    pub(super) returned: OwnLine,
}

/// A cursor alone in its cache line.
#[repr(align(64))]
pub(super) struct OwnLine(AtomicUsize);

impl core::ops::Deref for OwnLine {
    type Target = AtomicUsize;

    #[inline]
    fn deref(&self) -> &AtomicUsize {
        &self.0
    }
}

impl Lane {
    /// Returns the cursors of a lane whose slots are all ready.
    pub(super) fn new(slots: usize) -> Self {
        Self {
            taken: AtomicUsize::new(0),
            collected: slots,
            returned: OwnLine(AtomicUsize::new(slots)),
        }
    }

    /// Returns how many slots are in the queue.
    pub(super) fn queued(&self) -> usize {
        // Relaxed: a momentary view, read in this order so that the difference is not negative
        // except briefly.
        let returned = self.returned.load(Ordering::Relaxed);
        returned.saturating_sub(self.taken.load(Ordering::Relaxed))
    }

    /// Returns how many slots wait for the next [`collect`](Self::collect).
    pub(super) fn held_back(&self) -> usize {
        // Relaxed: a momentary view.
        self.returned.load(Ordering::Relaxed).saturating_sub(self.collected)
    }

    /// Makes the slots ready that were returned, and returns how many.
    pub(super) fn collect(&mut self, slots: usize) -> usize {
        // Relaxed: `&mut self` comes after whatever was done through `&self`.
        let returned = self.returned.load(Ordering::Relaxed);
        let taken = self.taken.load(Ordering::Relaxed);
        let count = returned - self.collected;
        // Both continue from within the first round, so that they never overflow.
        let rounds = taken.checked_div(slots).unwrap_or(0) * slots;
        self.taken.store(taken - rounds, Ordering::Relaxed);
        self.returned.store(returned - rounds, Ordering::Relaxed);
        self.collected = returned - rounds;
        count
    }

    /// Checks that the cursors of a lane of `slots` slots are in order, and returns how many slots
    /// are queued.
    pub(super) fn validate(&self, slots: usize) -> Result<usize, TableDamage> {
        // Relaxed: the caller has borrowed the table mutably.
        let taken = self.taken.load(Ordering::Relaxed);
        let returned = self.returned.load(Ordering::Relaxed);
        if taken > self.collected || self.collected > returned || returned - taken > slots {
            let what = "the queue's ends are out of order";
            return Err(TableDamage { what, index: taken as u64 });
        }
        Ok(returned - taken)
    }
}

/// How the slots of a table are divided: lanes of a power of two of slots, and the last one of what
/// is left.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    slots: usize,
    count: usize,
    /// Binary logarithm of the slots of a lane.
    bits: u32,
}

impl Lanes {
    /// Divides slots into as many lanes as are worth it.
    pub(super) const fn new(slots: usize) -> Self {
        let each = slots.div_ceil(LANES_MAX);
        // Only what has no memory anyway is beyond the greatest power of two.
        let bits =
            if each > 1 << BITS_MIN { usize::BITS - (each - 1).leading_zeros() } else { BITS_MIN };
        Self::of(slots, bits)
    }

    /// Divides slots into lanes of two to the power of `bits`.
    pub(super) const fn of(slots: usize, bits: u32) -> Self {
        Self { slots, count: slots.div_ceil(1 << bits), bits }
    }

    #[inline]
    pub(super) const fn slots(&self) -> usize {
        self.slots
    }

    #[inline]
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub(super) const fn lane_of(&self, slot: usize) -> usize {
        slot >> self.bits
    }

    /// Returns the lane of a number's last three bits, so that the lanes of consecutive numbers are far
    /// from each other: a thread that has used up its lane goes on to the next.
    #[inline]
    pub(super) const fn spread(&self, number: usize) -> usize {
        let reversed = number.reverse_bits() >> (usize::BITS - LANES_MAX.ilog2());
        (reversed * self.count) / LANES_MAX
    }

    /// Returns the slots of a lane.
    #[inline]
    pub(super) fn share(&self, number: usize) -> Share {
        let from = number << self.bits;
        Share { from, slots: (1 << self.bits).min(self.slots - from) }
    }
}

/// Consecutive slots, and as many entries of a queue.
#[derive(Clone, Copy)]
pub(super) struct Share {
    from: usize,
    pub(super) slots: usize,
}

impl Share {
    /// Returns the entry of a position in the queue, counted from the first of the table's.
    #[inline]
    pub(super) fn entry(self, at: usize) -> usize {
        // `at` modulo `slots`, without a division: `collect` leaves `taken` below `slots`, so no
        // position reaches `3 * slots` before the next.
        let rounds = usize::from(at >= self.slots) + usize::from(at >= 2 * self.slots);
        self.from + at - rounds * self.slots
    }
}
