//! The forks of a thread: pieces of work that another thread may be given, as long as this one has
//! not begun them.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::closure::Caller;
use crate::id::TaskId;
use crate::plain::{Plain32, Plain64};
use crate::task::Name;

/// The forks of a thread that are no tasks, linked through the stack frames that wait for them;
/// only that thread reads and writes it.
pub(crate) struct Forks {
    newest: AtomicPtr<Link>,
    oldest: AtomicPtr<Link>,
    /// How many are listed.
    len: Plain32,
    /// How many there were since threads sleep.
    slept: Plain32,
}

/// What does not depend on the type of a fork.
pub(crate) struct Link {
    pub(crate) run: unsafe fn(NonNull<Self>, Caller<'_>),
    pub(crate) name: Name,
    /// The next older and the next newer of its thread.
    below: AtomicPtr<Self>,
    above: AtomicPtr<Self>,
    /// The id of its task, once it is one.
    pub(crate) task: Plain64,
}

impl Forks {
    pub(crate) fn new() -> Self {
        Self {
            newest: AtomicPtr::new(null_mut()),
            oldest: AtomicPtr::new(null_mut()),
            len: Plain32::new(0),
            slept: Plain32::new(0),
        }
    }

    /// Returns how many are listed.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.len.get()
    }

    /// Returns the oldest.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<NonNull<Link>> {
        NonNull::new(self.oldest.load(Ordering::Relaxed))
    }

    /// Puts a fork into the list.
    ///
    /// # Safety
    ///
    /// The link is the first field of a fork, which is not moved and does not end before it was
    /// taken back or its task has completed.
    #[inline]
    pub(crate) unsafe fn push(&self, link: NonNull<Link>) {
        let newest = self.newest.load(Ordering::Relaxed);
        // SAFETY: it is there, says the caller.
        let new = unsafe { link.as_ref() };
        new.below.store(newest, Ordering::Relaxed);
        self.newest.store(link.as_ptr(), Ordering::Relaxed);
        if self.oldest.load(Ordering::Relaxed).is_null() {
            self.oldest.store(link.as_ptr(), Ordering::Relaxed);
        } else if let Some(newest) = NonNull::new(newest) {
            // SAFETY: it is in the list, so it is there.
            unsafe { newest.as_ref() }.above.store(link.as_ptr(), Ordering::Relaxed);
        }
        self.len.set(self.len.get() + 1);
    }

    /// Takes a fork off the list, of which it is the newest; `false` if it is a task.
    #[inline]
    pub(crate) fn take_back(&self, link: &Link) -> bool {
        self.newest.store(link.below.load(Ordering::Relaxed), Ordering::Relaxed);
        if link.task.get() != 0 {
            return false;
        }
        self.len.set(self.len.get() - 1);
        // All newer ones are off the list, so it is the oldest as well if that is it.
        if core::ptr::eq(self.oldest.load(Ordering::Relaxed), link) {
            self.oldest.store(null_mut(), Ordering::Relaxed);
        } else if let Some(below) = NonNull::new(link.below.load(Ordering::Relaxed)) {
            // SAFETY: it is older and in the list, so it is there.
            unsafe { below.as_ref() }.above.store(null_mut(), Ordering::Relaxed);
        }
        true
    }

    /// Takes the oldest off the list, which has become this task.
    pub(crate) fn give_oldest(&self, oldest: &Link, task: TaskId) {
        oldest.task.set(task.to_bits());
        self.len.set(self.len.get() - 1);
        let above = oldest.above.load(Ordering::Relaxed);
        self.oldest.store(above, Ordering::Relaxed);
    }

    /// Counts a fork while threads sleep; `true` for one of `interval`.
    pub(crate) fn wakes_one_of(&self, interval: u32) -> bool {
        let slept = self.slept.get() + 1;
        self.slept.set(slept % interval);
        slept >= interval
    }
}

impl Link {
    /// Makes the link of a fork that `run` runs, which is in no list.
    #[inline]
    pub(crate) fn new(name: Name, run: unsafe fn(NonNull<Self>, Caller<'_>)) -> Self {
        Self {
            run,
            name,
            below: AtomicPtr::new(null_mut()),
            above: AtomicPtr::new(null_mut()),
            task: Plain64::new(0),
        }
    }
}
