//! Restoring an earlier state of a frame.

use core::ops::Deref;

use super::FrameAllocator;
use super::chunk::Chunk;
use super::growth::Growth;
use super::record::GRAIN;
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::{NoSites, SiteBook};
use crate::contract::allocator::Allocator;

/// A restorable state of a frame; created by [`FrameAllocator::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameMark {
    /// The number of chunks before the one in use.
    depth: usize,
    /// The position of the cursor.
    offset: usize,
}

impl<'a, B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize>
    FrameAllocator<'a, B, S, MIN_ALIGN>
{
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
    pub fn scope(&mut self) -> FrameScope<'_, 'a, B, S, MIN_ALIGN> {
        let mark = self.mark_here();
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
        self.mark_here()
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

    fn mark_here(&self) -> FrameMark {
        self.close_span();
        let depth = self.growth().map_or(0, Growth::depth);
        FrameMark { depth, offset: self.chunk.used() }
    }

    /// Frees the blocks that start at or after the mark.
    fn rewind_to(&self, mark: FrameMark) {
        self.close_span();
        let depth = || self.growth().map_or(0, Growth::depth);
        while depth() > mark.depth {
            self.rewind_chunk(0);
            self.step_back();
        }
        // With fewer chunks than at the mark, none of the blocks is after it.
        if depth() == mark.depth {
            self.rewind_chunk(mark.offset);
        }
    }

    /// Frees the blocks of the chunk in use that start at `mark` or after it, and the part of a
    /// span that is after it.
    fn rewind_chunk(&self, mark: usize) {
        self.forget_from(mark);
        let chunk = &self.chunk;
        let mut bytes = 0;
        let mut blocks = 0;
        let mut cursor = chunk.cursor.get();
        let mut table = chunk.table.get();
        while table != chunk.ground.get() && chunk.offset_of(cursor) > mark {
            // SAFETY: invariant 1: it is not the ground, so it is a record.
            let record = unsafe { table.read() };
            let (start, end) = (chunk.start_of(record), chunk.offset_of(cursor));
            // A block that starts before the mark stays, even if it ends after it.
            let kept = mark
                .saturating_sub(start)
                .next_multiple_of(Chunk::<MIN_ALIGN>::stride(record.bytes()).max(GRAIN));
            let from = start + kept;
            if record.is_gap() {
                chunk.odd.set(chunk.odd.get() - 1);
            } else if from < end && record.is_span() {
                blocks += usize::from(kept == 0);
                bytes += (end - from) as u64;
            } else if from < end {
                let dropped = (end - from) / Chunk::<MIN_ALIGN>::stride(record.bytes());
                let dead = self.clear_dead(from, end, Chunk::<MIN_ALIGN>::stride(record.bytes()));
                blocks += dropped - dead;
                bytes += ((dropped - dead) * record.bytes()) as u64;
            }
            if kept != 0 && !record.is_gap() {
                cursor = chunk.at(from.min(end));
                break;
            }
            cursor = chunk.at(start);
            // SAFETY: after a record comes another or the ground.
            table = unsafe { table.add(1) };
        }
        mark::no_access(cursor, chunk.used() - chunk.offset_of(cursor));
        mark::no_access_at(chunk.table.get().cast(), table.addr() - chunk.table.get().addr());
        chunk.table.set(table);
        chunk.cursor.set(cursor);
        chunk.cut_odd();
        self.count_freed(bytes);
        self.frees_total.set(self.frees_total.get() + blocks as u64);
    }

    /// Forgets the sites of the blocks that start at or after the mark. A dead block has none.
    fn forget_from(&self, mark: usize) {
        if !S::KEEPS {
            return;
        }
        let chunk = &self.chunk;
        for n in (0..chunk.records()).rev() {
            let record = chunk.record(n);
            let (start, end) = (chunk.start_of(record), chunk.end_of(n));
            if end <= mark {
                return;
            }
            // There are no spans where sites are kept, except from before.
            if record.is_gap() || record.is_span() {
                continue;
            }
            let blocks = (start..end).step_by(Chunk::<MIN_ALIGN>::stride(record.bytes()));
            for offset in blocks.filter(|&offset| offset >= mark) {
                self.sites.forget(chunk.at(offset));
            }
        }
    }

    /// Clears the dead bits of the blocks from `from` to `end` and returns how many there were.
    fn clear_dead(&self, from: usize, end: usize, stride: usize) -> usize {
        let chunk = &self.chunk;
        if chunk.odd.get() == 0 {
            return 0;
        }
        let mut dead = 0;
        for offset in (from..end).step_by(stride) {
            if chunk.dead.get(offset) {
                chunk.dead.clear(offset);
                dead += 1;
            }
        }
        chunk.odd.set(chunk.odd.get() - dead);
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
    const MIN_ALIGN: usize = 8,
> {
    frame: &'s mut FrameAllocator<'a, B, S, MIN_ALIGN>,
    mark: FrameMark,
}

impl<'a, B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize>
    FrameScope<'_, 'a, B, S, MIN_ALIGN>
{
    /// Opens a scope within this one.
    pub fn scope(&mut self) -> FrameScope<'_, 'a, B, S, MIN_ALIGN> {
        self.frame.scope()
    }

    /// Frees all blocks allocated in this scope so far.
    pub fn reset(&mut self) {
        self.frame.rewind_to(self.mark);
    }
}

impl<'a, B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize> Deref
    for FrameScope<'_, 'a, B, S, MIN_ALIGN>
{
    type Target = FrameAllocator<'a, B, S, MIN_ALIGN>;

    fn deref(&self) -> &Self::Target {
        self.frame
    }
}

impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize> Drop
    for FrameScope<'_, '_, B, S, MIN_ALIGN>
{
    fn drop(&mut self) {
        self.frame.rewind_to(self.mark);
    }
}
