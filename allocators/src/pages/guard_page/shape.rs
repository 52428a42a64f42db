//! The position of a block between its guards, and the fill bytes next to it.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::GuardSide;
use crate::bookkeeping::mark;
use crate::contract::allocator::AllocError;
use crate::pages::page::system::{page_size, whole_pages};
use crate::wrappers::quarantine::pattern::{count_unlike, first_unlike};

/// The fill byte for the rest of a block's pages.
const SLACK: u8 = 0xfd;

/// The parts of a span.
///
/// ```text
///  span    | lead: guard | data: whole pages         | guard: a page |
///                        | offset | block   | slack  |
/// ```
///
/// `lead` is a page, or the alignment of a block with a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) lead: usize,
    pub(super) data: usize,
    pub(super) offset: usize,
}

impl Shape {
    /// Returns the position of a block of `layout`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if no address space can hold it.
    pub(super) fn new(layout: Layout, side: GuardSide) -> Result<Self, AllocError> {
        let data = whole_pages(requested(layout)).ok_or(AllocError)?;
        let lead = layout.align().max(page_size());
        // With an alignment of at least a page this is zero.
        let last = (data - requested(layout)) & !(layout.align() - 1);
        let offset = match side {
            GuardSide::Overrun => last,
            GuardSide::Underrun => 0,
        };
        Ok(Self { lead, data, offset })
    }

    /// Returns the layout requested from the pages.
    pub(super) fn span(self) -> Result<Layout, AllocError> {
        let guards = self.lead.checked_add(page_size()).ok_or(AllocError)?;
        let bytes = self.data.checked_add(guards).ok_or(AllocError)?;
        Layout::from_size_align(bytes, self.lead).map_err(|_| AllocError)
    }
}

/// Returns the requested bytes: a size of zero counts as one byte.
pub(super) fn requested(layout: Layout) -> usize {
    layout.size().max(1)
}

/// The open pages of a block, and its position in them.
///
/// # Invariants
///
/// 1. `data` points to `shape.data` open bytes, of which the block has `bytes` from `shape.offset`
///    on; the others are the allocator's.
#[derive(Clone, Copy)]
pub(super) struct Opened {
    pub(super) data: NonNull<u8>,
    pub(super) shape: Shape,
    pub(super) bytes: usize,
}

/// Changed bytes next to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stray {
    /// Before the block rather than after it.
    pub(super) before: bool,
    /// The distance of the nearest changed byte from the block; the adjacent byte is 1.
    pub(super) distance: usize,
    /// How many bytes were changed on that side.
    pub(super) changed: usize,
}

impl Opened {
    /// Fills the bytes around the block.
    ///
    /// # Safety
    ///
    /// Invariant 1 holds except for the contents.
    pub(super) unsafe fn fill(self) {
        for (start, bytes) in self.sides() {
            mark::undefined(start, bytes);
            // SAFETY: the bytes are in the open pages and are not the block's.
            unsafe { start.write_bytes(SLACK, bytes) };
            mark::no_access(start, bytes);
        }
    }

    /// Looks for changed bytes around the block.
    ///
    /// # Safety
    ///
    /// Invariant 1 holds, and [`fill`](Self::fill) has filled the bytes around the block.
    pub(super) unsafe fn stray(self) -> Option<Stray> {
        let [before, behind] = self.sides().map(|(start, bytes)| {
            mark::defined(start, bytes);
            // SAFETY: the bytes are in the open pages and were filled; only a program that is wrong
            // writes to them.
            unsafe { core::slice::from_raw_parts(start.as_ptr(), bytes) }
        });
        let stray = beside(behind, false).or_else(|| beside(before, true));
        for (start, bytes) in self.sides() {
            mark::no_access(start, bytes);
        }
        stray
    }

    /// Unpoisons the bytes around the block, since the addresses will have another owner.
    pub(super) fn unmark(self) {
        for (start, bytes) in self.sides() {
            mark::undefined(start, bytes);
        }
    }

    /// Returns the start and number of the bytes before and after the block.
    fn sides(self) -> [(NonNull<u8>, usize); 2] {
        let end = self.shape.offset + self.bytes;
        // SAFETY: the block ends within the open pages (invariant 1).
        let behind = unsafe { self.data.add(end) };
        [(self.data, self.shape.offset), (behind, self.shape.data - end)]
    }
}

fn beside(side: &[u8], before: bool) -> Option<Stray> {
    let first = first_unlike(side, SLACK)?;
    // Before the block the last change is the nearest.
    let far = if before { side.iter().rev().position(|&byte| byte != SLACK)? } else { first };
    Some(Stray { before, distance: far + 1, changed: count_unlike(side, SLACK) })
}
