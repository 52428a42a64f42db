//! Stopping scripts that do not end.
//!
//! A call of a script has a number while it runs. An observer, usually a separate thread, sees the
//! same number for too long and sets a hook, which compiled loops look at as well; at its next
//! instruction the script is left by an error that nothing in it can keep back.

use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use mlua_sys::lua_Hook;

use crate::lua::lua_State;

/// How many times within the time limit the thread looks at a call.
const LOOKS: u32 = 8;

/// The longest time between two looks.
const TICK_MAX: Duration = Duration::from_millis(250);

// Of `hook.c`.
unsafe extern "C" {
    /// Has the hook called at the script's next instruction, from any thread.
    fn loligo_hook_ask(state: *mut lua_State, hook: lua_Hook);

    /// Takes the hook back, in the script's own thread.
    fn loligo_hook_take_back(state: *mut lua_State);
}

/// Looks at a script from another thread, and stops a call that runs too long.
///
/// The script's own thread pays two stores a call. What time it is comes from the observer:
/// [`Watchdog`] has the system's clock, tests have one of their own.
///
/// # Threads
///
/// `Send` and `Sync`; several may look, of the same clock.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_script::{ScriptErrorKind, Script, Settings};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("scripts", &pages);
/// let mut script = Script::<()>::try_new(&[], &Settings::default(), &heap).unwrap();
/// script.set_time_max(Some(Duration::from_secs(2)));
/// let watch = script.watch();
/// std::thread::scope(|threads| {
///     // A clock by which half a second passes between two looks.
///     threads.spawn(|| (0..).map(|look| look * 500_000_000).find(|now| watch.look(*now)));
///     let error = script.evaluate(&mut (), "while true do end").expect_err("it does not end");
///     assert_eq!(error.kind(), ScriptErrorKind::Stopped);
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Watch(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// The number of the call that runs, if it is odd.
    call: AtomicU64,
    /// How long a call may take, in nanoseconds; 0 for any time.
    time_max_ns: AtomicU64,
    /// The call that is to be stopped, or 0.
    stop: AtomicU64,
    seen: Mutex<Seen>,
}

/// # Invariants
///
/// 1. `state` is null or alive: the script takes it out, under the lock, before it closes it.
#[derive(Debug)]
struct Seen {
    state: *mut lua_State,
    /// What stops the script.
    hook: lua_Hook,
    /// The call that was seen last, and since when.
    call: u64,
    since_ns: u64,
}

// SAFETY: the state is used by `loligo_hook_ask` alone, which any thread may call, and by the
// script's own thread.
unsafe impl Send for Seen {}

impl Watch {
    pub(crate) fn new(state: *mut lua_State, hook: lua_Hook) -> Self {
        Self(Arc::new(Shared {
            call: AtomicU64::new(0),
            time_max_ns: AtomicU64::new(0),
            stop: AtomicU64::new(0),
            seen: Mutex::new(Seen { state, hook, call: 0, since_ns: 0 }),
        }))
    }

    /// Looks at what runs, at a time of any clock, and stops it if it was seen longer ago than it
    /// may take; returns whether it was to be stopped.
    pub fn look(&self, now_ns: u64) -> bool {
        let mut seen = self.seen();
        // Acquire pairs with the Release of `begin`: what the call may take was said before it
        // began.
        let call = self.0.call.load(Ordering::Acquire);
        // Relaxed: by the call's number it is of this call, or of a later one.
        let most = self.0.time_max_ns.load(Ordering::Relaxed);
        if call.is_multiple_of(2) || most == 0 || seen.state.is_null() {
            return false;
        }
        if seen.call != call {
            (seen.call, seen.since_ns) = (call, now_ns);
            return false;
        }
        if now_ns.saturating_sub(seen.since_ns) < most {
            return false;
        }
        // Release pairs with the Acquire of `is_stopping`.
        self.0.stop.store(call, Ordering::Release);
        // The script's own thread may write the same at this moment and undo it, so each look asks
        // again.
        // SAFETY: by invariant 1 the state is alive, and stays so while it is locked.
        unsafe { loligo_hook_ask(seen.state, seen.hook) };
        true
    }

    /// Returns `true` if the call that runs is to be stopped.
    pub(crate) fn is_stopping(&self) -> bool {
        // Acquire pairs with the Release of `look`; the call's number is this thread's own.
        let stop = self.0.stop.load(Ordering::Acquire);
        stop != 0 && stop == self.0.call.load(Ordering::Relaxed)
    }

    /// Returns how long a call may take.
    pub(crate) fn time_max(&self) -> Duration {
        // Relaxed: this thread has written it.
        Duration::from_nanos(self.0.time_max_ns.load(Ordering::Relaxed))
    }

    pub(crate) fn set_time_max(&self, most: Option<Duration>) {
        let ns = most.map_or(0, |most| u64::try_from(most.as_nanos()).unwrap_or(u64::MAX).max(1));
        // Relaxed: `begin` publishes it.
        self.0.time_max_ns.store(ns, Ordering::Relaxed);
    }

    /// A call begins.
    pub(crate) fn begin(&self) {
        // Relaxed and Release: this thread alone changes it.
        let call = self.0.call.load(Ordering::Relaxed);
        self.0.call.store(call + 1, Ordering::Release);
    }

    /// Begins another call right after one, without ending it; `false` if that one, or an older one,
    /// was to be stopped, which [`end`](Self::end) looks into.
    pub(crate) fn begin_next(&self) -> bool {
        // Relaxed: what is stored later is of a call that is over, and taken back by the hook.
        if self.0.stop.load(Ordering::Relaxed) != 0 {
            return false;
        }
        // Relaxed and Release: as above.
        let call = self.0.call.load(Ordering::Relaxed);
        self.0.call.store(call + 2, Ordering::Release);
        true
    }

    /// The call ends; returns whether it was to be stopped. Then nothing stops the next one.
    pub(crate) fn end(&self) -> bool {
        // Relaxed and Release: as above.
        let call = self.0.call.load(Ordering::Relaxed);
        self.0.call.store(call + 1, Ordering::Release);
        // Relaxed: what is stored later is of a call that is over, and taken back by the hook.
        if self.0.stop.load(Ordering::Relaxed) == 0 {
            return false;
        }
        self.take_back() == call
    }

    /// Takes the hook back; returns which call it was for.
    pub(crate) fn take_back(&self) -> u64 {
        let seen = self.seen();
        // Relaxed: under the lock nobody else changes it.
        let stop = self.0.stop.swap(0, Ordering::Relaxed);
        if !seen.state.is_null() {
            // SAFETY: by invariant 1, and this is the script's own thread.
            unsafe { loligo_hook_take_back(seen.state) };
        }
        stop
    }

    /// The state is closed next.
    pub(crate) fn close(&self) {
        self.seen().state = ptr::null_mut();
    }

    /// Nothing in between panics, so what another thread left is whole.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that looks at a [`Watch`] by the system's clock, until it is dropped.
///
/// # Memory
///
/// The thread's, of the global heap, when it is made; nothing later.
#[derive(Debug)]
pub struct Watchdog {
    life: Arc<(Mutex<Life>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

/// How far the thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Starting,
    Looking,
    Over,
}

impl Watchdog {
    /// Starts the thread, and waits until it runs: what the standard library allocates in a thread
    /// that begins is over then. A call is stopped after the time that it may take, and at most a
    /// quarter of it or half a second more.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the system gives no thread.
    pub fn try_new(watch: Watch) -> io::Result<Self> {
        let life = Arc::new((Mutex::new(Life::Starting), Condvar::new()));
        let theirs = Arc::clone(&life);
        let thread =
            Builder::new().name("watchdog".into()).spawn(move || keep_looking(&watch, &theirs))?;
        let (now, changed) = &*life;
        let now = now.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_while(now, |now| *now == Life::Starting));
        Ok(Self { life, thread: Some(thread) })
    }
}

fn keep_looking(watch: &Watch, (life, changed): &(Mutex<Life>, Condvar)) {
    let start = Instant::now();
    let mut life = life.lock().unwrap_or_else(PoisonError::into_inner);
    *life = Life::Looking;
    changed.notify_all();
    while *life == Life::Looking {
        let most = watch.time_max();
        let tick = if most.is_zero() { TICK_MAX } else { (most / LOOKS).min(TICK_MAX) };
        let waited = changed.wait_timeout(life, tick.max(Duration::from_millis(1)));
        life = waited.unwrap_or_else(PoisonError::into_inner).0;
        let now = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        watch.look(now);
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self.life.0.lock().unwrap_or_else(PoisonError::into_inner) = Life::Over;
        self.life.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // It does not panic.
            let _ = thread.join();
        }
    }
}
