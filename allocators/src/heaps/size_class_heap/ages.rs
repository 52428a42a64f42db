//! How long free memory has been free, so that it goes back to the system after a while.
//!
//! Each 16 KiB of a region have a byte:
//!
//! ```text
//! 0           clean: never used, or given back, or inside a block since; nothing to do
//! 1           something in it was freed since the last look
//! 2 ..= OLD   1 and the looks that found it free
//! ```
//!
//! Freeing a core block writes 1, whatever was there: one or two stores. Taking a block writes
//! nothing, because only what is inside a free run is looked at. So memory that is used again and
//! again between two looks stays young, also where it is a part of a longer run.

use core::ptr::NonNull;

use super::free_runs::Run;
use super::region::Region;
use crate::heaps::size_classes::{GRANULE, PAGE_GRANULES};

/// Pages that share a byte.
pub(super) const AGE_PAGES: u32 = 4;
/// Granules and bytes that share a byte.
const AGE_GRANULES: u32 = AGE_PAGES * PAGE_GRANULES;
const AGE_BYTES: usize = AGE_GRANULES as usize * GRANULE;

const CLEAN: u8 = 0;
const FREED: u8 = 1;
/// Memory goes back at the 64th look that finds it free.
const OLD: u8 = FREED + 64;

impl Region {
    /// Notes that a block is freed: its memory may have been written to.
    #[inline(always)]
    pub(super) fn note_freed(&self, block: u32, size: u32) {
        let (first, last) = (block / AGE_GRANULES, (block + size - 1) / AGE_GRANULES);
        // Two stores that may be to the same bytes cost less than a loop.
        if size <= AGE_GRANULES {
            self.set_freed(first, [FREED]);
            self.set_freed(last, [FREED]);
        } else if size <= 3 * AGE_GRANULES {
            // Two to four bytes.
            self.set_freed(first, [FREED; 2]);
            self.set_freed(last - 1, [FREED; 2]);
        } else {
            self.ages_mut(first, last + 1).fill(FREED);
        }
    }

    /// Makes the bytes of pages that are used for the first time clean.
    pub(super) fn open_ages(&mut self, from: u32, to: u32) {
        let (first, end) = (from.div_ceil(AGE_PAGES), to.div_ceil(AGE_PAGES));
        let start = self.ages.wrapping_add(first as usize);
        // SAFETY: `ages` holds a byte for each four pages of the region, the last ones included.
        unsafe { start.write_bytes(CLEAN, (end - first) as usize) };
    }

    /// Counts a look at a free run. Returns the first part of it that was found free often enough,
    /// at most `bytes_max` bytes, which is clean from now on.
    pub(super) fn age(&self, run: Run, bytes_max: usize) -> Option<NonNull<[u8]>> {
        let (first, end) = whole(run)?;
        let ages = self.ages_mut(first, end);
        if ages.iter().fold(0, |any, &age| any | age) == CLEAN {
            return None;
        }
        for age in &mut *ages {
            *age += u8::from(*age != CLEAN && *age < OLD);
        }
        let is_old = |&age: &u8| age == OLD;
        let from = ages.iter().position(is_old)?;
        let count = ages[from..].iter().take_while(|age| is_old(age)).count();
        let count = count.min(bytes_max / AGE_BYTES);
        ages[from..from + count].fill(CLEAN);
        self.part(first + from as u32, count)
    }

    /// The part of a free run that is not clean, from its first such 16 KiB to the last, at most
    /// `bytes_max` bytes. It is clean from now on.
    pub(super) fn take_dirty(&self, run: Run, bytes_max: usize) -> Option<NonNull<[u8]>> {
        let (first, end) = whole(run)?;
        let ages = self.ages_mut(first, end);
        let from = ages.iter().position(|&age| age != CLEAN)?;
        let to = ages.iter().rposition(|&age| age != CLEAN)?;
        let count = (to + 1 - from).min(bytes_max / AGE_BYTES);
        ages[from..from + count].fill(CLEAN);
        self.part(first + from as u32, count)
    }

    /// The memory of `count` bytes of `ages`; `None` if there are none.
    fn part(&self, first: u32, count: usize) -> Option<NonNull<[u8]>> {
        let start = NonNull::new(self.address(first * AGE_GRANULES))?;
        (count > 0).then(|| NonNull::slice_from_raw_parts(start, count * AGE_BYTES))
    }

    /// Writes the bytes from `at` on, all of them of a block.
    #[inline(always)]
    fn set_freed<const COUNT: usize>(&self, at: u32, bytes: [u8; COUNT]) {
        // SAFETY: the block was handed out, so by invariant 2 its pages have their byte; the heap's
        // owner alone uses it.
        unsafe { self.ages.wrapping_add(at as usize).cast::<[u8; COUNT]>().write(bytes) };
    }

    #[expect(clippy::mut_from_ref, reason = "the bytes are not the region's own but its tables'")]
    fn ages_mut(&self, first: u32, end: u32) -> &mut [u8] {
        let start = self.ages.wrapping_add(first as usize);
        // SAFETY: callers pass what is below the frontier, so by invariant 2 the bytes were written,
        // and each uses one slice at a time; no other thread reads them.
        unsafe { core::slice::from_raw_parts_mut(start, (end - first) as usize) }
    }
}

/// The bytes of `ages` of which a run has all memory, if there are any.
fn whole(run: Run) -> Option<(u32, u32)> {
    let (first, end) = (run.from.div_ceil(AGE_GRANULES), run.end / AGE_GRANULES);
    (first < end).then_some((first, end))
}
