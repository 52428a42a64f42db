//! Going back to an earlier state of a frame.

use core::ops::Deref;

use super::FrameAllocator;
use crate::allocator::Allocator;

/// A state of a frame to go back to; made by [`FrameAllocator::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameMark {
    /// How many records there were.
    records: usize,
}

impl<'a, B: Allocator + ?Sized> FrameAllocator<'a, B> {
    /// Opens a scope: what is allocated through it is freed when it is dropped.
    ///
    /// The frame is borrowed mutably, so no container over it can be in use while the scope is open,
    /// and none made in the scope can outlive it. Scopes nest by [`FrameScope::scope`].
    ///
    /// # Complexity
    ///
    /// Opening takes O(1), closing O(blocks of the scope): 8 bytes each are read.
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
    /// What was made in a scope cannot leave it:
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
    pub fn scope(&mut self) -> FrameScope<'_, 'a, B> {
        let mark = FrameMark {
            records: self.records(),
        };
        FrameScope { frame: self, mark }
    }

    /// Returns a mark of the present state for [`rewind`](Self::rewind).
    ///
    /// # Safety
    ///
    /// The mark is used with this frame alone, and not after a reset, a rewind to an older mark, or
    /// the free of a block that was live when it was made.
    #[must_use]
    pub unsafe fn mark(&self) -> FrameMark {
        FrameMark {
            records: self.records(),
        }
    }

    /// Frees every block that was allocated since `mark` was made.
    ///
    /// # Complexity
    ///
    /// O(blocks freed).
    ///
    /// # Safety
    ///
    /// `mark` came from [`mark`](Self::mark) of this frame under the rules given there, and nothing
    /// uses the blocks allocated since.
    pub unsafe fn rewind(&self, mark: FrameMark) {
        self.rewind_to(mark);
    }

    fn rewind_to(&self, mark: FrameMark) {
        let Some(dropped) = self.records().checked_sub(mark.records) else {
            return;
        };
        let mut table = self.table.get();
        let (mut bytes, mut dead) = (0, 0);
        for _ in 0..dropped {
            // SAFETY: as many records are dropped as lie above the mark's.
            let record = unsafe { table.read() };
            bytes += record.bytes() as u64;
            dead += usize::from(record.is_dead());
            // SAFETY: another record or the ground follows.
            table = unsafe { table.add(1) };
        }
        self.count_freed(bytes);
        self.dead.set(self.dead.get() - dead);
        self.retired.set(self.retired.get() + dropped as u64);
        self.table.set(table);
        if self.last().is_dead() {
            self.pop_dead();
        }
        self.cursor.set(self.at(self.last().end()));
    }
}

/// A frame within a frame; see [`FrameAllocator::scope`].
///
/// It is used through the frame that it dereferences to: `&*scope` is an allocator.
pub struct FrameScope<'s, 'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    frame: &'s mut FrameAllocator<'a, B>,
    mark: FrameMark,
}

impl<'a, B: Allocator + ?Sized> FrameScope<'_, 'a, B> {
    /// Opens a scope within this one.
    pub fn scope(&mut self) -> FrameScope<'_, 'a, B> {
        self.frame.scope()
    }

    /// Frees what was allocated in this scope so far.
    pub fn reset(&mut self) {
        self.frame.rewind_to(self.mark);
    }
}

impl<'a, B: Allocator + ?Sized> Deref for FrameScope<'_, 'a, B> {
    type Target = FrameAllocator<'a, B>;

    fn deref(&self) -> &Self::Target {
        self.frame
    }
}

impl<B: Allocator + ?Sized> Drop for FrameScope<'_, '_, B> {
    fn drop(&mut self) {
        self.frame.rewind_to(self.mark);
    }
}
