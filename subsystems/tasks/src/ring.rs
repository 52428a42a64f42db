//! The queue of one thread's tasks, which others steal from.

use crate::sync::{AtomicU32, AtomicU64, Ordering, seen_by_all};

/// The most tasks that are stolen at once.
const BATCH: u64 = 32;

/// Where the tasks of one thread are queued, the oldest first: its owner adds, everybody takes.
///
/// The entries are in an array that comes with each call, whose length is a power of two. Counts
/// of all that was ever added and taken, 64 bits each, so that none comes back.
///
/// # Complexity
///
/// All operations: O(1), without a lock. Adding is one exchange, taking one comparison and exchange
/// unless another thread takes at the same time.
///
/// # Memory
///
/// 256 bytes: two pairs of cache lines, since others write one and the owner the other.
///
/// # Invariants
///
/// 1. The entries from `head` to `tail` are tasks in the queue; there are at most as many as the
///    array has.
/// 2. Only the owner writes `tail` and entries.
pub(crate) struct Ring {
    head: End,
    tail: End,
}

#[repr(align(128))]
struct End(AtomicU64);

impl Ring {
    pub(crate) fn new() -> Self {
        Self { head: End(AtomicU64::new(0)), tail: End(AtomicU64::new(0)) }
    }

    /// Adds a task; `false` if there is no room. Only by the owner, which may say that it is alone:
    /// that there are no other threads to take of this ring.
    #[inline]
    pub(crate) fn push(&self, entries: &[AtomicU32], index: u32, is_alone: bool) -> bool {
        // Relaxed: only this thread writes it.
        let tail = self.tail.0.load(Ordering::Relaxed);
        // Acquire pairs with the Release of the thread that took the entry which is overwritten
        // below: it has read it.
        if tail - self.head.0.load(Ordering::Acquire) >= entries.len() as u64 {
            return false;
        }
        entries[place(entries, tail)].store(index, Ordering::Relaxed);
        if is_alone {
            self.tail.0.store(tail + 1, Ordering::Release);
            return true;
        }
        // An exchange and no store: what the owner reads next, whether somebody sleeps, is read
        // after this is seen by all (see `Board`). Release hands the task on.
        self.tail.0.swap(tail + 1, Ordering::SeqCst);
        seen_by_all();
        true
    }

    /// Takes the oldest task. By the owner, where it is alone: see [`push`](Self::push).
    #[inline]
    pub(crate) fn pop_alone(&self, entries: &[AtomicU32]) -> Option<u32> {
        // Relaxed: this thread wrote all of it.
        let head = self.head.0.load(Ordering::Relaxed);
        if self.tail.0.load(Ordering::Relaxed) <= head {
            return None;
        }
        self.head.0.store(head + 1, Ordering::Release);
        Some(entries[place(entries, head)].load(Ordering::Relaxed))
    }

    /// Takes the oldest task. By any thread.
    #[inline]
    pub(crate) fn pop(&self, entries: &[AtomicU32]) -> Option<u32> {
        // Acquire: the entry below is read after.
        let mut head = self.head.0.load(Ordering::Acquire);
        loop {
            // SeqCst, here and in `len`, for the rule of sleep (see `Board`). Its Acquire pairs with
            // the Release of `push`.
            if self.tail.0.load(Ordering::SeqCst) <= head {
                return None;
            }
            let index = entries[place(entries, head)].load(Ordering::Relaxed);
            match self.advance(head, 1) {
                Ok(()) => return Some(index),
                Err(now) => head = now,
            }
        }
    }

    /// Takes half of the tasks of another ring, at most 32: returns the oldest, and puts the others
    /// into this one, which is empty. By the owner of this one.
    pub(crate) fn steal(
        &self,
        entries: &[AtomicU32],
        from: &Self,
        theirs: &[AtomicU32],
    ) -> Option<u32> {
        let mut head = from.head.0.load(Ordering::Acquire);
        loop {
            let tail = from.tail.0.load(Ordering::SeqCst);
            if tail <= head {
                return None;
            }
            let room = BATCH.min(entries.len() as u64);
            let count = (tail - head).div_ceil(2).min(room);
            let first = theirs[place(theirs, head)].load(Ordering::Relaxed);
            let end = self.tail.0.load(Ordering::Relaxed);
            for number in 1..count {
                // Not to be seen by others before `tail` is raised.
                let index = theirs[place(theirs, head + number)].load(Ordering::Relaxed);
                entries[place(entries, end + number - 1)].store(index, Ordering::Relaxed);
            }
            match from.advance(head, count) {
                Ok(()) => {
                    // As in `push`.
                    self.tail.0.swap(end + count - 1, Ordering::SeqCst);
                    seen_by_all();
                    return Some(first);
                }
                Err(now) => head = now,
            }
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many tasks are in it at this moment.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        let head = self.head.0.load(Ordering::Acquire);
        self.tail.0.load(Ordering::SeqCst).saturating_sub(head)
    }

    /// Returns the tasks in it. While nobody changes it.
    pub(crate) fn iter<'e>(&self, entries: &'e [AtomicU32]) -> impl Iterator<Item = u32> + 'e {
        let head = self.head.0.load(Ordering::Acquire);
        let tail = self.tail.0.load(Ordering::Acquire);
        (head..tail).map(|count| entries[place(entries, count)].load(Ordering::Relaxed))
    }

    /// Takes what is between `head` and `count` after it, unless somebody else has taken of it.
    #[inline]
    fn advance(&self, head: u64, count: u64) -> Result<(), u64> {
        // Release: the entries were read before. Acquire, on both ways out: they are read after.
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        #[cfg(all(test, loom))]
        if crate::sync::model::is(crate::sync::model::Fault::TakenTwice) {
            self.head.0.store(head + count, success);
            return Ok(());
        }
        let swapped = self.head.0.compare_exchange(head, head + count, success, failure);
        swapped.map(|_| ())
    }
}

/// Returns where the entry of this number is.
#[inline]
fn place(entries: &[AtomicU32], count: u64) -> usize {
    count as usize & (entries.len() - 1)
}

#[cfg(all(test, not(loom)))]
mod tests;
