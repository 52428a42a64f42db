//! Restoring an earlier state of a frame.

use core::ops::Deref;

use super::FrameAllocator;
use super::record::GRAIN;
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::{NoSites, SiteBook};
use crate::contract::allocator::Allocator;

/// A restorable state of a frame; created by [`FrameAllocator::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameMark {
    /// The position of the cursor.
    offset: usize,
}

impl<'a, B: Allocator + ?Sized, S: SiteBook> FrameAllocator<'a, B, S> {
    /// Opens a scope: dropping it frees all blocks allocated through it.
    ///
    /// The frame is borrowed mutably, so no container over it can be in use while the scope is
    /// open, and no container of the scope can outlive it. Scopes nest by [`FrameScope::scope`].
    ///
    /// # Complexity
    ///
    /// Opening takes O(1); closing O(runs of equal blocks in the scope), and O(blocks in it) while
    /// a block of the frame is dead.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{AllocError, Allocator, FrameAllocator};
    ///
    /// let mut memory = [MaybeUninit::uninit(); 1024];
    /// let mut frame = FrameAllocator::from_region("frame", &mut memory);
    /// frame.allocate(Layout::new::<u64>())?;
    /// {
    ///     let mut scope = frame.scope();
    ///     scope.allocate(Layout::new::<[u64; 10]>())?;
    ///     let inner = scope.scope();
    ///     inner.allocate(Layout::new::<[u64; 10]>())?;
    ///     assert_eq!(inner.stats().live, 3);
    /// }
    /// assert_eq!(frame.stats().live, 1);
    /// # Ok::<(), AllocError>(())
    /// ```
    ///
    /// Objects of a scope cannot leave it:
    ///
    /// ```compile_fail,E0505
    /// # use core::{alloc::Layout, mem::MaybeUninit};
    /// # use loligo_allocators::{Allocator, FrameAllocator};
    /// # let mut memory = [MaybeUninit::uninit(); 1024];
    /// let mut frame = FrameAllocator::from_region("frame", &mut memory);
    /// let scope = frame.scope();
    /// let user: &dyn Allocator = &*scope;
    /// drop(scope);
    /// let _ = user.allocate(Layout::new::<u8>());
    /// ```
    pub fn scope(&mut self) -> FrameScope<'_, 'a, B, S> {
        let mark = FrameMark { offset: self.offset_of(self.cursor.get()) };
        FrameScope { frame: self, mark }
    }

    /// Returns a mark of the current state for [`rewind`](Self::rewind).
    ///
    /// # Safety
    ///
    /// The mark is used with this frame alone, and not after a reset, a rewind to an older mark, or
    /// the free of a block that was live when it was made.
    #[must_use]
    pub unsafe fn mark(&self) -> FrameMark {
        FrameMark { offset: self.offset_of(self.cursor.get()) }
    }

    /// Frees every block allocated since `mark` was created.
    ///
    /// # Complexity
    ///
    /// O(runs of equal blocks freed), and O(blocks freed) while a block of the frame is dead.
    ///
    /// # Safety
    ///
    /// `mark` came from [`mark`](Self::mark) of this frame under the rules given there, and the
    /// blocks allocated since are not used.
    pub unsafe fn rewind(&self, mark: FrameMark) {
        self.rewind_to(mark);
    }

    /// Frees the blocks that start at or after the mark.
    fn rewind_to(&self, mark: FrameMark) {
        self.forget_from(mark);
        let mut bytes = 0;
        let mut blocks = 0;
        let mut cursor = self.cursor.get();
        let mut table = self.table.get();
        while table != self.ground && self.offset_of(cursor) > mark.offset {
            // SAFETY: invariant 1: it is not the ground, so it is a record.
            let record = unsafe { table.read() };
            let end = self.offset_of(cursor);
            // A block that starts before the mark stays, even if it ends after it.
            let kept = mark.offset.saturating_sub(record.offset());
            let kept = kept.next_multiple_of(record.stride().max(GRAIN));
            let from = record.offset() + kept;
            if record.is_gap() {
                self.uncount_odd(1);
            } else if from < end {
                let dropped = (end - from) / record.stride();
                let dead = self.clear_dead(from, end, record.stride());
                blocks += dropped - dead;
                bytes += ((dropped - dead) * record.bytes()) as u64;
            }
            if kept != 0 && !record.is_gap() {
                cursor = self.at(from.min(end));
                break;
            }
            cursor = self.at(record.offset());
            // SAFETY: after a record comes another or the ground.
            table = unsafe { table.add(1) };
        }
        self.count_freed(bytes);
        self.frees_total.set(self.frees_total.get() + blocks as u64);
        mark::no_access(cursor, self.offset_of(self.cursor.get()) - self.offset_of(cursor));
        mark::no_access_at(self.table.get().cast(), table.addr() - self.table.get().addr());
        self.table.set(table);
        self.cursor.set(cursor);
        self.cut_odd();
    }

    /// Forgets the sites of the blocks that start at or after the mark. A dead block has none.
    fn forget_from(&self, mark: FrameMark) {
        if !S::KEEPS {
            return;
        }
        for n in (0..self.records()).rev() {
            let record = self.record(n);
            let end = self.end_of(n);
            if end <= mark.offset {
                return;
            }
            if record.is_gap() {
                continue;
            }
            let blocks = (record.offset()..end).step_by(record.stride());
            for offset in blocks.filter(|&offset| offset >= mark.offset) {
                self.sites.forget(self.at(offset));
            }
        }
    }

    /// Clears the dead bits of the blocks from `from` to `end` and returns how many there were.
    fn clear_dead(&self, from: usize, end: usize, stride: usize) -> usize {
        if self.odd.get() == 0 {
            return 0;
        }
        let mut dead = 0;
        for offset in (from..end).step_by(stride) {
            if self.dead.get(offset) {
                self.dead.clear(offset);
                dead += 1;
            }
        }
        self.uncount_odd(dead);
        dead
    }
}

/// A frame within a frame; see [`FrameAllocator::scope`].
///
/// It is used through the frame that it dereferences to: `&*scope` is an allocator, and
/// `scope.alloc(value)` of [`Arena`](crate::Arena) returns a reference that ends with the scope.
pub struct FrameScope<
    's,
    'a,
    B: Allocator + ?Sized = dyn Allocator + Sync + 'a,
    S: SiteBook = NoSites,
> {
    frame: &'s mut FrameAllocator<'a, B, S>,
    mark: FrameMark,
}

impl<'a, B: Allocator + ?Sized, S: SiteBook> FrameScope<'_, 'a, B, S> {
    /// Opens a scope within this one.
    pub fn scope(&mut self) -> FrameScope<'_, 'a, B, S> {
        self.frame.scope()
    }

    /// Frees all blocks allocated in this scope so far.
    pub fn reset(&mut self) {
        self.frame.rewind_to(self.mark);
    }
}

impl<'a, B: Allocator + ?Sized, S: SiteBook> Deref for FrameScope<'_, 'a, B, S> {
    type Target = FrameAllocator<'a, B, S>;

    fn deref(&self) -> &Self::Target {
        self.frame
    }
}

impl<B: Allocator + ?Sized, S: SiteBook> Drop for FrameScope<'_, '_, B, S> {
    fn drop(&mut self) {
        self.frame.rewind_to(self.mark);
    }
}
