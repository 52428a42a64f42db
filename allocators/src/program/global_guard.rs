//! A global allocator that stops armed code.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose engine asserts when
//! anything calls `malloc` or `new`. Changes: it is armed for a scope and a thread, so that a
//! program can use the global heap while it starts and must not in its frames.

mod arming;
mod site;
#[cfg(test)]
mod tests;
mod thread;

use core::alloc::{GlobalAlloc, Layout};
use core::fmt;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::backtrace::Backtrace;
use std::format;
use std::thread::panicking;

pub use self::arming::{Armed, ArmedAll, Arming, Violations};
use self::arming::{MODES, Verdict};
pub use self::site::CallSite;
use self::thread::THREAD;
use crate::bookkeeping::char_boundary;
use crate::contract::misuse::{Misuse, Report, misuse, write_stderr};
use crate::threads::global::no_unwind;

/// The size of the pieces in which a stack trace is written.
const PART_BYTES: usize = 1000;

/// Wraps any global allocator and stops the program when armed code reaches it.
///
/// It is the `#[global_allocator]` and forwards everything to `A`. Code that must not use the
/// global heap, a game's frame for instance, runs in [`armed`](Self::armed): each use of the global
/// heap there is a violation, which writes the guard's name, the size and a stack trace to standard
/// error and ends in [`misuse`](crate::misuse()) with [`Misuse::GlobalAllocation`].
///
/// | call | affects |
/// |---|---|
/// | [`armed`](Self::armed), [`arm`](Self::arm) | this thread, for a scope |
/// | [`arm_all_threads`](Self::arm_all_threads) | every thread, until its value is dropped |
/// | [`exempt`](Self::exempt) | this thread, for a scope within an armed one |
/// | [`CallSite::run`] | as `exempt`, counted by the name of a library |
/// | [`exempt_thread`](Self::exempt_thread) | this thread, from arming of all threads |
///
/// Scopes nest and are counted; while one exempts, nothing inside it is armed. A free is a
/// violation like an allocation: a block freed on a frame's path belongs to a container that grew
/// outside it. [`Arming`] can permit frees, or count violations instead of stopping at the first.
///
/// A handler installed by [`set_misuse_handler`](crate::set_misuse_handler) gets the report too,
/// but must not unwind, as no global allocator may: if it panics, the program is aborted. A test
/// that must continue uses counting.
///
/// A panicking thread is exempt while it unwinds; otherwise the report about the panic's own
/// message would hide the panic. Capturing the stack trace is exempt too.
///
/// # Complexity
///
/// While no thread is armed, a call costs one load and one branch more than `A`: 7 instructions for
/// an allocation and a free. While some thread is armed, a call costs 38 on another thread, 19 if
/// exempt, and 68 if counted. Arming and disarming cost 45 together. A violation that stops takes
/// as long as a stack trace.
///
/// # Memory
///
/// Blocks are those of `A`, unchanged. 80 bytes in addition to `A`, and 32 a thread, in a
/// thread-local without a destructor. The guard itself never allocates, except for the stack trace.
///
/// # Threads
///
/// `Sync` if `A` is. Arming belongs to the thread and not to one guard: a thread armed by one of
/// two guards is armed for both while any thread is armed by the other. A program has one guard.
///
/// # When not to use it
///
/// To measure how much each user takes: use a [`ProxyAllocator`](crate::ProxyAllocator). The guard
/// sees only calls through `#[global_allocator]`: C libraries call `malloc` directly.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Arming, GlobalGuard};
/// use std::alloc::System;
///
/// #[global_allocator]
/// static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);
///
/// let mut bodies = vec![0.0_f32; 100];
/// let sum = GUARD.armed(|| {
///     bodies.iter_mut().for_each(|height| *height += 1.0);
///     // Messages can be formatted here.
///     GUARD.exempt(|| println!("{} bodies", bodies.len()));
///     bodies.iter().sum::<f32>()
/// });
/// assert_eq!(sum, 100.0);
///
/// // `armed` would stop the program here.
/// GUARD.armed_with(Arming::new().count_only(), || drop(vec![1_u8, 2, 3]));
/// let found = GUARD.violations();
/// assert_eq!((found.allocations, found.frees, found.bytes), (1, 1, 3));
/// ```
pub struct GlobalGuard<A> {
    /// The number of active armings, of one thread or of all; while it is zero, nothing else is
    /// read.
    armings: AtomicUsize,
    /// How many of them are for all threads, by mode.
    all: [AtomicUsize; MODES],
    allocations: AtomicU64,
    frees: AtomicU64,
    bytes: AtomicU64,
    name: &'static str,
    inner: A,
}

/// A call of the guard.
#[derive(Clone, Copy)]
enum Call {
    Allocate(Layout),
    Reallocate { block: *mut u8, old: Layout, size: usize },
    Free { block: *mut u8, layout: Layout },
}

impl<A> GlobalGuard<A> {
    /// Creates a disarmed guard of `inner`.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::GlobalGuard;
    /// use std::alloc::System;
    ///
    /// static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);
    /// assert_eq!(GUARD.name(), "global");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, inner: A) -> Self {
        Self {
            armings: AtomicUsize::new(0),
            all: [const { AtomicUsize::new(0) }; MODES],
            allocations: AtomicU64::new(0),
            frees: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            name,
            inner,
        }
    }

    /// Runs `work` on this thread, armed: `work` must not reach the global heap.
    ///
    /// # Panics
    ///
    /// None itself. A panic of `work` propagates, and disarms.
    pub fn armed<R>(&self, work: impl FnOnce() -> R) -> R {
        self.armed_with(Arming::new(), work)
    }

    /// As [`armed`](Self::armed), with the violations that `arming` defines.
    pub fn armed_with<R>(&self, arming: Arming, work: impl FnOnce() -> R) -> R {
        let _armed = self.arm_with(arming);
        work()
    }

    /// Arms this thread until the value is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::GlobalGuard;
    /// # static GUARD: GlobalGuard<std::alloc::System> =
    /// #     GlobalGuard::new("global", std::alloc::System);
    /// let _armed = GUARD.arm();
    /// let sum: u32 = (1..=4).sum();
    /// assert_eq!(sum, 10);
    /// ```
    ///
    /// The value belongs to its thread:
    ///
    /// ```compile_fail,E0277
    /// # use loligo_allocators::GlobalGuard;
    /// # static GUARD: GlobalGuard<std::alloc::System> =
    /// #     GlobalGuard::new("global", std::alloc::System);
    /// let armed = GUARD.arm();
    /// std::thread::spawn(move || drop(armed));
    /// ```
    pub fn arm(&self) -> Armed<'_> {
        self.arm_with(Arming::new())
    }

    /// As [`arm`](Self::arm), with the violations that `arming` defines.
    pub fn arm_with(&self, arming: Arming) -> Armed<'_> {
        Armed::new(&self.armings, arming)
    }

    /// Arms every thread, future ones included, until the value is dropped. A thread that has just
    /// been spawned may still be allocating for its start: arm before spawning or well after.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Arming, GlobalGuard};
    /// use std::alloc::System;
    ///
    /// #[global_allocator]
    /// static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);
    ///
    /// // This thread loads levels and may always allocate.
    /// GUARD.exempt_thread();
    /// let all = GUARD.arm_all_threads(Arming::new().without_frees());
    /// assert_eq!(vec![1, 2, 3].len(), 3);
    /// drop(all);
    /// ```
    pub fn arm_all_threads(&self, arming: Arming) -> ArmedAll<'_> {
        ArmedAll::new(&self.armings, &self.all[arming.mode()])
    }

    /// Exempts this thread permanently from arming of all threads. Its own armed scopes still
    /// apply.
    pub fn exempt_thread(&self) {
        THREAD.with(|thread| thread.leave_all());
    }

    /// Runs `work` on this thread, exempt: it may reach the global heap, whatever is armed inside
    /// or outside.
    pub fn exempt<R>(&self, work: impl FnOnce() -> R) -> R {
        let _exempt = thread::Exempt::new();
        work()
    }

    /// Returns the violations counted so far, of all threads.
    #[must_use]
    pub fn violations(&self) -> Violations {
        // Relaxed: three counters that only grow, each correct by itself; no other memory depends
        // on them.
        Violations {
            allocations: self.allocations.load(Ordering::Relaxed),
            frees: self.frees.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    /// Returns the name that reports show.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the guarded allocator.
    pub const fn inner(&self) -> &A {
        &self.inner
    }

    /// Returns `true` if any thread is armed.
    #[inline]
    fn is_watching(&self) -> bool {
        // Relaxed: a thread sees its own arming by program order, and an arming of all threads
        // takes effect when it becomes visible; no other memory depends on it.
        self.armings.load(Ordering::Relaxed) != 0
    }

    // One function for each call, with arguments that fit into registers: a `Call` created in
    // `alloc` would be written to the stack even while no thread is armed.

    #[cold]
    #[inline(never)]
    fn allocating(&self, layout: Layout) {
        match self.verdict(false) {
            Some(verdict) => self.violated(verdict, Call::Allocate(layout)),
            None => THREAD.with(|thread| thread.count(layout.size(), false)),
        }
    }

    #[cold]
    #[inline(never)]
    fn resizing(&self, block: *mut u8, old: Layout, size: usize) {
        match self.verdict(false) {
            Some(verdict) => self.violated(verdict, Call::Reallocate { block, old, size }),
            None => THREAD.with(|thread| thread.count(size, false)),
        }
    }

    #[cold]
    #[inline(never)]
    fn freeing(&self, block: *mut u8, layout: Layout) {
        match self.verdict(true) {
            Some(verdict) => self.violated(verdict, Call::Free { block, layout }),
            None => THREAD.with(|thread| thread.count(layout.size(), true)),
        }
    }

    /// Returns whether this thread is armed for such a call, and how strictly.
    #[inline]
    fn verdict(&self, is_free: bool) -> Option<Verdict> {
        let verdict = THREAD.with(|thread| thread.judge(&self.all, is_free))?;
        if panicking() { None } else { Some(verdict) }
    }

    #[inline(never)]
    fn violated(&self, verdict: Verdict, call: Call) {
        let (counter, bytes) = match call {
            Call::Allocate(layout) => (&self.allocations, layout.size()),
            Call::Reallocate { size, .. } => (&self.allocations, size),
            Call::Free { .. } => (&self.frees, 0),
        };
        // Relaxed: see `violations`.
        counter.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if verdict == Verdict::Stop {
            // The stack trace allocates, and so may a handler.
            let _exempt = thread::Exempt::new();
            // An allocator used as `#[global_allocator]` must not unwind, as a test's handler
            // would.
            no_unwind(|| {
                self.show_stack();
                self.report(call)
            });
        }
    }

    fn show_stack(&self) {
        // Written first: a program that is already capturing a stack trace would deadlock below.
        let name = self.name;
        write_stderr(format_args!("loligo: `{name}` was reached by armed code; its stack:\n"));
        write_long(&format!("{}\n", Backtrace::force_capture()));
    }

    /// Ends the program.
    fn report(&self, call: Call) -> ! {
        let name = self.name;
        match call {
            Call::Allocate(layout) => misuse(
                &Report::new(Misuse::GlobalAllocation, name, core::ptr::null())
                    .with_bytes(layout.size())
                    .with_detail(format_args!(
                        "it asked for {} bytes aligned to {}",
                        layout.size(),
                        layout.align()
                    )),
            ),
            Call::Reallocate { block, old, size } => misuse(
                &Report::new(Misuse::GlobalAllocation, name, block)
                    .with_bytes(size)
                    .with_detail(format_args!("it resized {} bytes to {size}", old.size())),
            ),
            Call::Free { block, layout } => misuse(
                &Report::new(Misuse::GlobalAllocation, name, block)
                    .with_bytes(layout.size())
                    .with_detail(format_args!("it freed {} bytes", layout.size())),
            ),
        }
    }
}

/// Writes a text longer than the line of a report.
fn write_long(mut text: &str) {
    while !text.is_empty() {
        let (part, rest) = text.split_at(char_boundary::floor(text, PART_BYTES));
        write_stderr(format_args!("{part}"));
        text = rest;
    }
}

// SAFETY: every block is the inner allocator's, which keeps the trait's contract; judging the
// caller does not change that, does not unwind (`no_unwind` in `judge`), and allocates only from
// the inner allocator, before the call is forwarded.
unsafe impl<A: GlobalAlloc> GlobalAlloc for GlobalGuard<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.is_watching() {
            self.allocating(layout);
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.inner.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if self.is_watching() {
            self.allocating(layout);
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.inner.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.is_watching() {
            self.freeing(block, layout);
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.inner.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if self.is_watching() {
            self.resizing(block, layout, size);
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.inner.realloc(block, layout, size) }
    }
}

impl<A> fmt::Debug for GlobalGuard<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalGuard")
            .field("name", &self.name)
            .field("violations", &self.violations())
            .finish_non_exhaustive()
    }
}
