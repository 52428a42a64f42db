//! Named places at which armed code may reach the global heap, each with counters.

use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use super::arming::Violations;
use super::thread::{Exempt, THREAD};

/// A place at which armed code may reach the global heap: the calls of a library that cannot use
/// another allocator.
///
/// A program has one in a `static` for each such library, all in one table. Calls of the library
/// within [`run`](Self::run) are not violations, and are counted here while any thread is armed.
/// All other calls are the program's own and stop it.
///
/// # Complexity
///
/// Entering and leaving a scope costs a few loads and stores; a call of the allocator within it,
/// while any thread is armed, costs two atomic additions more than an exempt one.
///
/// # Memory
///
/// 40 bytes.
///
/// # Threads
///
/// Any number of threads may be inside; each call is counted once. Scopes nest, and the innermost
/// counts.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{CallSite, GlobalGuard};
/// use std::alloc::System;
///
/// #[global_allocator]
/// static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);
/// static PARSER: CallSite = CallSite::new("a library that parses");
///
/// let numbers = GUARD.armed(|| PARSER.run(|| "1 2 3".split(' ').collect::<Vec<_>>().len()));
/// assert_eq!(numbers, 3);
/// assert_eq!((PARSER.name(), PARSER.counts().frees), ("a library that parses", 1));
/// ```
pub struct CallSite {
    allocations: AtomicU64,
    frees: AtomicU64,
    bytes: AtomicU64,
    name: &'static str,
}

impl CallSite {
    /// Creates a place with this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            allocations: AtomicU64::new(0),
            frees: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            name,
        }
    }

    /// Runs `work` on this thread, which may reach the global heap in it.
    pub fn run<R>(&'static self, work: impl FnOnce() -> R) -> R {
        let _exempt = Exempt::new();
        let _inside = Inside { before: THREAD.with(|thread| thread.set_site(Some(self))) };
        work()
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the counted calls inside, by all threads, while any thread was armed.
    #[must_use]
    pub fn counts(&self) -> Violations {
        // Relaxed: three counters that only grow, each correct by itself; no other memory depends
        // on them.
        Violations {
            allocations: self.allocations.load(Ordering::Relaxed),
            frees: self.frees.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    pub(super) fn count(&self, bytes: usize, is_free: bool) {
        // Relaxed: see `counts`.
        if is_free {
            self.frees.fetch_add(1, Ordering::Relaxed);
        } else {
            self.allocations.fetch_add(1, Ordering::Relaxed);
            self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallSite")
            .field("name", &self.name)
            .field("counts", &self.counts())
            .finish()
    }
}

/// Restores the thread's previous site on drop.
struct Inside {
    before: Option<&'static CallSite>,
}

impl Drop for Inside {
    fn drop(&mut self) {
        THREAD.with(|thread| thread.set_site(self.before));
    }
}
