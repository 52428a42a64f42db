//! The state of one thread: its armed and exempt scopes.

use core::cell::Cell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::arming::{MODES, Verdict};
use super::site::CallSite;

std::thread_local! {
    /// Const-initialised and without a destructor: accessing it never allocates, and it can be
    /// accessed until the thread's very end.
    pub(super) static THREAD: Thread = const { Thread::new() };
}

/// The counters of a thread.
pub(super) struct Thread {
    /// Armed scopes, by mode.
    armed: [Cell<u32>; MODES],
    /// Exempt scopes; while there is one, nothing is a violation.
    exempt: Cell<u32>,
    /// Whether the thread is exempt from arming of all threads.
    is_apart: Cell<bool>,
    /// The library whose calls are counted, while the thread is inside one.
    site: Cell<Option<&'static CallSite>>,
}

impl Thread {
    const fn new() -> Self {
        Self {
            armed: [const { Cell::new(0) }; MODES],
            exempt: Cell::new(0),
            is_apart: Cell::new(false),
            site: Cell::new(None),
        }
    }

    pub(super) fn arm(&self, mode: usize) {
        raise(&self.armed[mode]);
    }

    pub(super) fn disarm(&self, mode: usize) {
        lower(&self.armed[mode]);
    }

    pub(super) fn leave_all(&self) {
        self.is_apart.set(true);
    }

    /// Sets the library that the thread is in, and returns the previous one.
    pub(super) fn set_site(&self, site: Option<&'static CallSite>) -> Option<&'static CallSite> {
        self.site.replace(site)
    }

    /// Counts a permitted call for the library that made it.
    pub(super) fn count(&self, bytes: usize, is_free: bool) {
        if let Some(site) = self.site.get() {
            site.count(bytes, is_free);
        }
    }

    /// Judges a call of this thread: whether it is a violation, and its consequence. `all` counts
    /// the armings of all threads, by mode.
    #[inline]
    pub(super) fn judge(&self, all: &[AtomicUsize; MODES], is_free: bool) -> Option<Verdict> {
        if self.exempt.get() != 0 {
            return None;
        }
        // Relaxed: see `ArmedAll`; a thread that does not see an arming yet is not armed yet.
        let by_all = |mode: usize| !self.is_apart.get() && all[mode].load(Ordering::Relaxed) != 0;
        Verdict::of(|mode| self.armed[mode].get() != 0 || by_all(mode), is_free)
    }
}

/// Counts scopes; the count saturates, so after 2^32 forgotten scopes it stays raised.
fn raise(count: &Cell<u32>) {
    count.set(count.get().saturating_add(1));
}

fn lower(count: &Cell<u32>) {
    if count.get() != u32::MAX {
        count.set(count.get().saturating_sub(1));
    }
}

/// Exempts its thread while it exists.
pub(super) struct Exempt(PhantomData<*const ()>);

impl Exempt {
    pub(super) fn new() -> Self {
        THREAD.with(|thread| raise(&thread.exempt));
        Self(PhantomData)
    }
}

impl Drop for Exempt {
    fn drop(&mut self) {
        THREAD.with(|thread| lower(&thread.exempt));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_too_many_stays_counted() {
        for (before, raised, lowered) in [
            (0, 1, 0),
            (7, 8, 6),
            (u32::MAX - 1, u32::MAX, u32::MAX - 2),
            (u32::MAX, u32::MAX, u32::MAX),
        ] {
            let count = Cell::new(before);
            raise(&count);
            assert_eq!(count.get(), raised, "one more than {before}");
            count.set(before);
            lower(&count);
            assert_eq!(count.get(), lowered, "one less than {before}");
        }
    }

    #[test]
    fn a_thread_begins_in_no_scope() {
        // Created at run time, as the compiler creates those of the threads.
        let thread = Thread::new();
        assert_eq!((thread.exempt.get(), thread.is_apart.get()), (0, false), "neither");
        assert!(thread.armed.iter().all(|armed| armed.get() == 0), "not armed");
        assert!(thread.site.get().is_none(), "in no library");
    }
}
