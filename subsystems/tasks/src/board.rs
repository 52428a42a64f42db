//! What threads look at before they decide what to do: who sleeps, and where tasks are.

use crate::error::THREADS_MAX;
use crate::sync::{AtomicU8, AtomicU32, AtomicU64, Ordering, seen_by_all};

/// How many bytes a set of threads' heights takes.
const THREADS: usize = THREADS_MAX as usize;

/// Signs that all threads read often and few write.
///
/// A height is a priority and 1; 0 is nothing.
///
/// Sleep has one rule: a thread that adds a task makes it seen first and then reads how many sleep;
/// a thread that falls asleep makes that seen first and then reads where tasks are. All four are
/// `SeqCst`, so at least one of the two sees the other. The same rule holds for `rings`: a thread
/// that takes a sign away looks at the ring again; and for `searching`: a task for which nobody is
/// woken, as a thread looks for one, is looked for again by that thread once it does not count.
pub(crate) struct Board {
    now: Now,
    rings: Bytes,
    own: Bytes,
    searching: Searching,
}

/// In a line that changes when a thread falls asleep or a ring gets another priority.
#[repr(align(128))]
struct Now {
    closing: AtomicU8,
    /// The height of the queue that the lock guards.
    shared: AtomicU8,
    sleepers: AtomicU32,
    registered: AtomicU32,
    /// The heights of which there may be tasks in rings: bit `p` for priority `p`.
    levels: AtomicU64,
}

/// A height for each thread, in one cache line.
#[repr(align(128))]
struct Bytes([AtomicU8; THREADS]);

impl Bytes {
    fn new() -> Self {
        Self(core::array::from_fn(|_| AtomicU8::new(0)))
    }
}

/// In a separate line: threads that look for tasks change it.
#[repr(align(128))]
struct Searching {
    searching: AtomicU32,
    awake: AtomicU32,
    /// Threads that search or sleep.
    idle: AtomicU32,
}

impl Board {
    pub(crate) fn new() -> Self {
        Self {
            now: Now {
                closing: AtomicU8::new(0),
                shared: AtomicU8::new(0),
                sleepers: AtomicU32::new(0),
                registered: AtomicU32::new(0),
                levels: AtomicU64::new(0),
            },
            rings: Bytes::new(),
            own: Bytes::new(),
            searching: Searching {
                searching: AtomicU32::new(0),
                awake: AtomicU32::new(0),
                idle: AtomicU32::new(0),
            },
        }
    }

    /// Returns `true` once the manager shuts down.
    #[inline]
    pub(crate) fn is_closing(&self) -> bool {
        // Relaxed: what follows from it is handed on by the lock.
        self.now.closing.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn close(&self) {
        self.now.closing.store(1, Ordering::Relaxed);
    }

    /// Returns the height of what this thread finds with the lock held.
    #[inline]
    pub(crate) fn locked(&self, thread: u8) -> u8 {
        let shared = self.now.shared.load(Ordering::SeqCst);
        shared.max(self.rings_of(&self.own, thread).load(Ordering::SeqCst))
    }

    /// Sets the height of the queue that the lock guards. With the lock held.
    #[inline]
    pub(crate) fn set_shared(&self, height: u32) {
        self.now.shared.store(height as u8, Ordering::SeqCst);
        seen_by_all();
    }

    /// Sets the height of what only this thread may run. With the lock held.
    pub(crate) fn set_own(&self, thread: u8, height: u32) {
        self.own.0[usize::from(thread)].store(height as u8, Ordering::SeqCst);
        seen_by_all();
    }

    /// Returns the greatest height of which there may be tasks in rings.
    #[inline]
    pub(crate) fn highest(&self) -> u8 {
        (u64::BITS - self.now.levels.load(Ordering::SeqCst).leading_zeros()) as u8
    }

    /// Notes that a thread's ring has tasks of this height. By its owner, after it has added one.
    #[inline]
    pub(crate) fn show(&self, thread: u8, height: u8) {
        if self.rings_of(&self.rings, thread).load(Ordering::SeqCst) != height {
            self.change(thread, height);
        }
    }

    #[cold]
    fn change(&self, thread: u8, height: u8) {
        self.rings.0[usize::from(thread)].store(height, Ordering::SeqCst);
        seen_by_all();
        self.now.levels.fetch_or(1 << (height - 1), Ordering::SeqCst);
        seen_by_all();
    }

    /// Returns the height that a thread's ring shows.
    #[inline]
    pub(crate) fn shown(&self, thread: u8) -> u8 {
        self.rings_of(&self.rings, thread).load(Ordering::SeqCst)
    }

    /// Takes back what a ring shows, as it was found empty, unless `is_empty` does not hold any
    /// more.
    #[cold]
    pub(crate) fn hide(&self, thread: u8, height: u8, is_empty: impl Fn() -> bool) {
        let shown = &self.rings.0[usize::from(thread)];
        let (order, failure) = (Ordering::SeqCst, Ordering::Relaxed);
        if shown.compare_exchange(height, 0, order, failure).is_err() {
            return;
        }
        seen_by_all();
        if !is_empty() {
            // Its owner may have shown more meanwhile.
            let _ = shown.compare_exchange(0, height, order, failure);
        }
    }

    /// Takes back that rings of `threads` threads may have tasks of this height, as none shows it,
    /// unless one does by now.
    #[cold]
    pub(crate) fn clear(&self, height: u8, threads: usize) {
        let bit = 1_u64 << (height - 1);
        self.now.levels.fetch_and(!bit, Ordering::SeqCst);
        seen_by_all();
        if self.rings.0[..threads].iter().any(|ring| ring.load(Ordering::SeqCst) == height) {
            self.now.levels.fetch_or(bit, Ordering::SeqCst);
        }
    }

    /// Returns `true` if a thread should be woken for a task that was added to a ring.
    #[inline]
    pub(crate) fn misses_somebody(&self) -> bool {
        self.now.sleepers.load(Ordering::SeqCst) != 0
            && self.searching.searching.load(Ordering::SeqCst) == 0
    }

    /// Returns `true` if a thread has nothing to do.
    #[inline]
    pub(crate) fn asks(&self) -> bool {
        // Relaxed: if it is seen late, it is given a task a little later.
        self.searching.idle.load(Ordering::Relaxed) != 0
    }

    /// Counts a thread that has nothing to do.
    pub(crate) fn begin_idle(&self) {
        self.searching.idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a thread that has something to do again.
    pub(crate) fn end_idle(&self) {
        self.searching.idle.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts the threads that sleep. With the lock held.
    pub(crate) fn set_sleepers(&self, count: u32) {
        self.now.sleepers.store(count, Ordering::SeqCst);
        seen_by_all();
    }

    /// Counts a thread that begins to look for tasks.
    pub(crate) fn begin_search(&self) {
        self.searching.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a thread that no longer looks for tasks; returns `true` if none does now.
    pub(crate) fn end_search(&self) -> bool {
        let was_last = self.searching.searching.fetch_sub(1, Ordering::SeqCst) == 1;
        seen_by_all();
        was_last
    }

    /// Returns how many threads look for tasks.
    pub(crate) fn searching(&self) -> u32 {
        self.searching.searching.load(Ordering::SeqCst)
    }

    /// Counts a thread that begins to run tasks, or is woken to.
    pub(crate) fn awake(&self) {
        self.searching.awake.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a thread that no longer runs tasks, or falls asleep.
    pub(crate) fn not_awake(&self) {
        self.searching.awake.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns how many threads run tasks or look for them.
    pub(crate) fn count_awake(&self) -> u32 {
        self.searching.awake.load(Ordering::SeqCst)
    }

    /// Counts threads that are there. With the lock held.
    pub(crate) fn set_registered(&self, count: u32) {
        self.now.registered.store(count, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn registered(&self) -> u32 {
        self.now.registered.load(Ordering::Relaxed)
    }

    #[inline]
    fn rings_of<'b>(&self, bytes: &'b Bytes, thread: u8) -> &'b AtomicU8 {
        &bytes.0[usize::from(thread) % THREADS]
    }
}
