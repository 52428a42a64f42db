//! What a replay by threads asks of an allocator.

use core::alloc::Layout;

use loligo_allocators::{Allocator, ThreadHeap};

use crate::ours::{self, Ours};
use crate::subject::{Null, Subject};

/// An allocator that several threads use at a time. Each gets a handle, which is a [`Subject`], so
/// the replay loop is the same as that of one thread.
///
/// # Safety
///
/// All handles are one allocator: what [`Subject`] promises holds over all of them, whichever
/// threads use them, and a block of one handle can be resized and freed by any other, also when the
/// one is gone.
pub unsafe trait SharedSubject: Sync {
    /// A thread's access.
    type Handle<'s>: Subject
    where
        Self: 's;

    /// Returns the access of the calling thread.
    fn handle(&self) -> Self::Handle<'_>;

    /// Checks the subject's own structure where it can, all blocks being freed and all threads but
    /// this one ended.
    ///
    /// # Errors
    ///
    /// What is broken, in words.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// One of our allocators that any thread may use.
pub(super) struct Shared<A>(pub(super) A);

// SAFETY: the contract of `Allocator` is the same, and one that is `Sync` keeps it for all threads.
unsafe impl<A: Allocator + Sync> SharedSubject for Shared<A> {
    type Handle<'s>
        = Ours<&'s A>
    where
        Self: 's;

    fn handle(&self) -> Self::Handle<'_> {
        Ours(&self.0)
    }

    fn check(&self) -> Result<(), String> {
        ours::check(&self.0)
    }
}

/// The heap for threads.
pub(super) struct Threads(pub(super) ThreadHeap<'static>);

impl Drop for Threads {
    fn drop(&mut self) {
        // Else the heap reports what one thread allocated and another freed as live.
        self.0.collect();
    }
}

// SAFETY: as above.
unsafe impl SharedSubject for Threads {
    type Handle<'s> = Ours<&'s ThreadHeap<'static>>;

    fn handle(&self) -> Self::Handle<'_> {
        Ours(&self.0)
    }

    fn check(&self) -> Result<(), String> {
        // What other threads freed counts as live until their heaps take it back.
        self.0.collect();
        ours::check(&self.0)
    }
}

/// An allocator that a process has once, reached from anywhere: each handle is made by a call.
pub(super) struct Global<F>(F);

impl<S: Subject, F: Fn() -> S + Sync> Global<F> {
    /// Makes a subject of a function whose results are all the same allocator.
    ///
    /// # Safety
    ///
    /// As [`SharedSubject`].
    pub(super) unsafe fn new(handle: F) -> Self {
        Self(handle)
    }
}

// SAFETY: the promise of `new`.
unsafe impl<S: Subject, F: Fn() -> S + Sync> SharedSubject for Global<F> {
    type Handle<'s>
        = S
    where
        Self: 's;

    fn handle(&self) -> S {
        (self.0)()
    }
}

/// The replay loop without an allocator, by threads: each worker has its lines.
pub(super) struct NullOfWorker(Null);

impl NullOfWorker {
    pub(super) fn new() -> Self {
        Self(Null::new())
    }
}

// SAFETY: broken on purpose as `Null`, of which no other pass than the timed one is run either. A
// worker writes to its own lines alone: the block that a reallocation returns is one of them too,
// and a free reads and writes nothing.
unsafe impl Subject for NullOfWorker {
    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        self.0.allocate(layout)
    }

    #[inline(always)]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        self.0.allocate(layout)
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, _: *mut u8, _: Layout) {}

    #[inline(always)]
    unsafe fn reallocate(&mut self, _: *mut u8, old: Layout, _: usize) -> *mut u8 {
        self.0.allocate(old)
    }
}
