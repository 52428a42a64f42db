//! How a thread hands back a block that another one owns, without a word written to the block.
//!
//! The inbox is the stack of R. Kent Treiber, "Systems Programming: Coping with Parallelism" (1986),
//! which the owner takes whole.
//!
//! ```text
//!  plane    | a bit for each place where a block may start         set: freed, not taken back yet
//!  summary  | a bit for each word of the plane that became more than 0
//!  top      | a bit for each word of the summary that became more than 0
//!  link     | whether the region is in its owner's inbox, and the next one there
//!  inbox    | the regions that have something, last in first out; the owner takes all at once
//! ```
//!
//! A thread that sets the first bit of a word notes the word in the level above, and one that sets
//! the first bit of a word at the top puts the region into the inbox. So where many blocks come
//! back, most cost one atomic operation, and the owner of a region of 64 MiB, which has 1 024 words
//! of summary, looks at 16.
//!
//! # Why nothing is lost
//!
//! A word of the plane becomes 0 only by [`Mail::take`], after its bit in the summary was taken, and
//! a word of the summary after its bit at the top was. The thread whose bit was the first of a word
//! sets the bit above, and no other does; until then its block is live, so the memory of all three
//! stays. In the same way a region whose word at the top was empty is put into the inbox by the
//! thread that made it not empty: if [`Link::begin`] comes before that, the region goes in again,
//! and if it comes after, the top is read afterwards. From there on only the link is touched, which
//! is never unmapped.

use core::ptr;

use super::sync::shared::{AtomicPtr, AtomicUsize, Ordering};

#[cfg(test)]
mod tests;

/// Bits of a word.
pub(crate) const WORD_BITS: usize = usize::BITS as usize;

/// What was handed back of the blocks of one region.
#[derive(Clone, Copy)]
pub(crate) struct Mail<'a> {
    pub(crate) plane: &'a [AtomicUsize],
    pub(crate) summary: &'a [AtomicUsize],
    pub(crate) top: &'a [AtomicUsize],
}

/// How far an owner is that takes what was handed back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taking {
    /// The word at the top that is looked at.
    top: usize,
    /// The word of the summary that was taken, and what is left of it.
    summary: usize,
    words: usize,
}

/// What became of a bit that was to be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Posted {
    /// It is set.
    Done,
    /// It is set, and the region is to be put into its owner's inbox.
    First,
    /// It was set already: the block is being freed a second time.
    Twice,
}

impl Mail<'_> {
    /// Sets the bit of a block that starts at a place.
    #[inline]
    pub(crate) fn post(&self, place: usize) -> Posted {
        let (word, bit) = (place / WORD_BITS, 1 << (place % WORD_BITS));
        // Release hands over what this thread did to the block, to the Acquire of `take`.
        let before = self.plane[word].fetch_or(bit, Ordering::Release);
        if before & bit != 0 {
            return Posted::Twice;
        }
        if before != 0 { Posted::Done } else { self.note(word) }
    }

    /// Notes that a word of the plane has a bit.
    #[inline]
    fn note(&self, word: usize) -> Posted {
        if set(self.summary, word) && set(self.top, word / WORD_BITS) {
            Posted::First
        } else {
            Posted::Done
        }
    }

    /// Takes the bits of one word, after its number, if a word was noted. The owner alone calls it,
    /// with what began at the default after [`Link::begin`].
    pub(crate) fn take(&self, at: &mut Taking) -> Option<(usize, usize)> {
        loop {
            if at.words != 0 {
                let word = at.summary * WORD_BITS + at.words.trailing_zeros() as usize;
                at.words &= at.words - 1;
                // Acquire pairs with the Release in `post`.
                return Some((word, self.plane[word].swap(0, Ordering::Acquire)));
            }
            // Relaxed: what is taken is what the next operation returns.
            let noted = self.top.get(at.top)?.load(Ordering::Relaxed);
            if noted == 0 {
                at.top += 1;
                continue;
            }
            let bit = noted & noted.wrapping_neg();
            // Acquire pairs with the Release in `set`, here and below: who takes a bit sees those of
            // the level under it. The other words stay noted.
            self.top[at.top].fetch_and(!bit, Ordering::Acquire);
            at.summary = at.top * WORD_BITS + bit.trailing_zeros() as usize;
            at.words = self.summary[at.summary].swap(0, Ordering::Acquire);
        }
    }

    /// Notes again what was taken of the summary and not of the plane. The caller puts the region
    /// into the inbox afterwards.
    pub(crate) fn stop(&self, at: Taking) {
        if at.words != 0 {
            // Release hands on what the Acquire of `take` saw. If the word is not empty, the thread
            // that made it so sets the bit above or has; only one may, as that thread's block is
            // live until it has.
            if self.summary[at.summary].fetch_or(at.words, Ordering::AcqRel) == 0 {
                set(self.top, at.summary);
            }
        }
    }
}

/// Sets a bit; whether its word was 0.
#[inline]
fn set(level: &[AtomicUsize], bit: usize) -> bool {
    // Release: see `Mail::take`.
    level[bit / WORD_BITS].fetch_or(1 << (bit % WORD_BITS), Ordering::Release) == 0
}

/// The place of a region in its owner's inbox.
pub(crate) struct Link<T> {
    is_in: AtomicUsize,
    next: AtomicPtr<T>,
}

/// What has a link.
pub(crate) trait Linked: Sized {
    fn link(&self) -> &Link<Self>;
}

impl<T> Link<T> {
    pub(crate) fn new() -> Self {
        Self { is_in: AtomicUsize::new(0), next: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Leaves the inbox from which it was taken; returns the next one that was taken with it. What
    /// was handed back before is read afterwards.
    pub(crate) fn begin(&self) -> *mut T {
        // Relaxed: `Inbox::take` has acquired it. Read before the link may go in again.
        let next = self.next.load(Ordering::Relaxed);
        // Acquire pairs with the Release in `Inbox::put`: if that found the link in the inbox, what
        // it had noted before is seen from here on. Release pairs with its Acquire.
        self.is_in.swap(0, Ordering::AcqRel);
        next
    }
}

/// The regions of one owner that have something.
pub(crate) struct Inbox<T> {
    first: AtomicPtr<T>,
}

impl<T: Linked> Inbox<T> {
    pub(crate) fn new() -> Self {
        Self { first: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Puts a region in, unless it is in.
    pub(crate) fn put(&self, region: &T) {
        let link = region.link();
        // Acquire and Release: see `Link::begin`.
        if link.is_in.swap(1, Ordering::AcqRel) != 0 {
            return;
        }
        let entry = ptr::from_ref(region).cast_mut();
        let mut first = self.first.load(Ordering::Relaxed);
        loop {
            link.next.store(first, Ordering::Relaxed);
            // Release pairs with the Acquire in `take`: who takes it sees its `next`.
            match self.first.compare_exchange(first, entry, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// Whether there is something to take.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // Relaxed: `take` looks again.
        self.first.load(Ordering::Relaxed).is_null()
    }

    /// Takes all: the first, from which [`Link::begin`] leads to the next. Only the owner calls it.
    pub(crate) fn take(&self) -> *mut T {
        // Acquire pairs with the Release in `put`. All are taken at once, so no entry can have left
        // and come back between a look and an exchange.
        self.first.swap(ptr::null_mut(), Ordering::Acquire)
    }
}
