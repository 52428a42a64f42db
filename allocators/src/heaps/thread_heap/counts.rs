//! The bytes that a heap for threads has from its backing, and that are granted.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::contract::allocator::AllocError;

/// Counters that all threads change. Relaxed throughout: each number is for itself. Zeros are right
/// at the start.
#[derive(Debug)]
pub(super) struct Counts {
    /// Bytes taken from the backing, those for a request that may yet be refused included.
    taken: AtomicUsize,
    /// Bytes of tables that were taken since the last request that was served.
    tables: AtomicUsize,
    /// Bytes taken, as the heap reports them: a request that was refused changes nothing here.
    reserved: AtomicUsize,
    peak_reserved: AtomicUsize,
    granted: AtomicUsize,
    peak_granted: AtomicUsize,
}

impl Counts {
    /// Counts bytes that are to be taken.
    ///
    /// # Errors
    ///
    /// If there would be more than `budget`.
    pub(super) fn take(&self, bytes: usize, budget: usize) -> Result<(), AllocError> {
        let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
        if before.checked_add(bytes).is_none_or(|now| now > budget) {
            self.untake(bytes);
            return Err(AllocError);
        }
        Ok(())
    }

    /// Takes back what [`take`](Self::take) counted, as the bytes were not needed.
    pub(super) fn untake(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Reports bytes of tables from the next request on that is served.
    pub(super) fn add_tables(&self, bytes: usize) {
        self.tables.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Reports bytes of a region or a huge block.
    pub(super) fn report(&self, bytes: usize) {
        let bytes = bytes + self.tables.swap(0, Ordering::Relaxed);
        let before = self.reserved.fetch_add(bytes, Ordering::Relaxed);
        self.peak_reserved.fetch_max(before + bytes, Ordering::Relaxed);
    }

    /// Counts that bytes that were reported went back.
    pub(super) fn give(&self, bytes: usize) {
        self.reserved.fetch_sub(bytes, Ordering::Relaxed);
        self.untake(bytes);
    }

    /// Bytes taken from the backing, now and at most.
    pub(super) fn reserved(&self) -> (usize, usize) {
        let now = self.reserved.load(Ordering::Relaxed);
        // A thread may have counted the bytes and not the peak yet.
        (now, self.peak_reserved.load(Ordering::Relaxed).max(now))
    }

    /// Counts that a slot, or the huge blocks, have other bytes than before.
    pub(super) fn grant(&self, before: usize, now: usize) {
        let all = self.granted.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
        let all = all.wrapping_add(now).wrapping_sub(before);
        // While threads change it in turn the sum may be below 0 for a moment.
        if all <= isize::MAX as usize {
            self.peak_granted.fetch_max(all, Ordering::Relaxed);
        }
    }

    /// The greatest number of bytes granted so far, to within a step of each slot.
    pub(super) fn peak_granted(&self) -> usize {
        self.peak_granted.load(Ordering::Relaxed)
    }
}
