//! The state of each page of a reservation: 2 bits a page.

use core::ops::Range;
use core::ptr::NonNull;

use super::system::{self, Access};
use crate::contract::allocator::{AllocError, Damage};

#[cfg(test)]
mod tests;

/// The state of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Reserved,
    Committed,
    Guard,
}

/// Pages in one word.
const PAGES_A_WORD: usize = 32;

/// 2 bits for each page, 32 pages a word, in a separate mapping.
///
/// # Invariants
///
/// 1. `words` is a mapping of `bytes` bytes that this map owns, all of it initialised (fresh pages
///    are zero, which is `Reserved`), with at least 2 bits for each of `pages` pages.
/// 2. `committed` counts the pages that are `Committed`.
pub(super) struct PageMap {
    words: NonNull<u64>,
    bytes: usize,
    pages: usize,
    committed: usize,
}

// SAFETY: the mapping belongs to the map alone, and no thread is special to it.
unsafe impl Send for PageMap {}

impl PageMap {
    pub(super) fn new(pages: usize) -> Result<Self, AllocError> {
        let words = pages.div_ceil(PAGES_A_WORD);
        let bytes = system::whole_pages(words * size_of::<u64>()).ok_or(AllocError)?;
        // Unbacked: most of the map of a vast reservation is never touched.
        let base = system::map(bytes, Access::ReadWrite, true)?;
        Ok(Self { words: base.cast(), bytes, pages, committed: 0 })
    }

    /// Returns the bytes that the map itself has mapped.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns how many pages are committed.
    pub(super) fn committed(&self) -> usize {
        self.committed
    }

    /// Checks the invariants. O(pages / 32).
    pub(super) fn validate(&self) -> Result<(), Damage> {
        let words = self.words().iter();
        let committed: u32 =
            words.map(|word| (word & filled(Use::Committed) & !(word >> 1)).count_ones()).sum();
        let room = self.words().len() * PAGES_A_WORD;
        if committed as usize == self.committed && self.pages <= room {
            Ok(())
        } else {
            Err(Damage {
                what: "a reservation's count of committed pages differs from its map",
                address: self.words.as_ptr().cast(),
            })
        }
    }

    /// Returns the runs of pages in one state within `span`.
    pub(super) fn runs(&self, span: Range<usize>) -> impl Iterator<Item = (Range<usize>, Use)> {
        let mut at = span.start;
        core::iter::from_fn(move || {
            if at >= span.end {
                return None;
            }
            let what = self.get(at);
            let start = at;
            while at < span.end && self.get(at) == what {
                let whole = at.is_multiple_of(PAGES_A_WORD) && at + PAGES_A_WORD <= span.end;
                let word = self.words()[at / PAGES_A_WORD];
                at += if whole && word == filled(what) { PAGES_A_WORD } else { 1 };
            }
            Some((start..at, what))
        })
    }

    /// Sets the pages of `span` to one state.
    pub(super) fn set(&mut self, span: Range<usize>, what: Use) {
        debug_assert!(span.end <= self.pages, "page {} of {}", span.end, self.pages);
        let mut at = span.start;
        let mut was_committed = 0;
        while at < span.end {
            let first = at % PAGES_A_WORD;
            let count = (PAGES_A_WORD - first).min(span.end - at);
            let mask = mask(first, count);
            let word = &mut self.words_mut()[at / PAGES_A_WORD];
            was_committed += (*word & mask & filled(Use::Committed)).count_ones() as usize;
            *word = *word & !mask | filled(what) & mask;
            at += count;
        }
        self.committed -= was_committed;
        if what == Use::Committed {
            self.committed += span.len();
        }
    }

    fn get(&self, page: usize) -> Use {
        match self.words()[page / PAGES_A_WORD] >> (page % PAGES_A_WORD * 2) & 3 {
            0 => Use::Reserved,
            1 => Use::Committed,
            _ => Use::Guard,
        }
    }

    fn words(&self) -> &[u64] {
        // SAFETY: the mapping is owned, initialised and has `bytes` bytes (invariant 1).
        unsafe { core::slice::from_raw_parts(self.words.as_ptr(), self.bytes / 8) }
    }

    fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above; `&mut self` makes the reference the only one.
        unsafe { core::slice::from_raw_parts_mut(self.words.as_ptr(), self.bytes / 8) }
    }
}

impl Drop for PageMap {
    fn drop(&mut self) {
        // SAFETY: the mapping is this map's own and is not used again. What the kernel will not
        // take back ends with the process.
        let _ = unsafe { system::unmap(self.words.cast(), self.bytes) };
    }
}

/// Returns a word of pages in one state.
const fn filled(what: Use) -> u64 {
    0x5555_5555_5555_5555 * what as u64
}

/// Returns the bits of `count` pages from `first` on.
const fn mask(first: usize, count: usize) -> u64 {
    (u64::MAX >> (64 - count * 2)) << (first * 2)
}
