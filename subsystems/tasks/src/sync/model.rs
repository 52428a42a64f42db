//! The model checker's lock and bell, in a wrapper that can make them faulty on demand.
//!
//! A model that passes proves nothing unless it fails where there is a fault. So each kind of model
//! is run a second time with one of the [`Fault`]s, and must then panic.

use core::cell::Cell;
use core::ops::{Deref, DerefMut};
use core::panic::AssertUnwindSafe;
use std::println;
use std::string::String;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::cell::{MutPtr, UnsafeCell};
use loom::sync::atomic::{Ordering as Order, fence};
use loom::sync::{Condvar, Mutex, MutexGuard};

/// What may be done wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// The lock lets everybody in.
    Unlocked,
    /// The lock is given back first, and sleep comes after.
    SleepsLate,
    /// Nobody is woken.
    Silent,
    /// What a thread adds to its ring may be seen after it has looked for sleepers.
    SeenLate,
    /// Two threads may take one task of a ring.
    TakenTwice,
    /// A count of open work goes down without handing on what was done.
    Unordered,
}

/// As [`handed_on`](super::handed_on).
pub(crate) fn handed_on() -> Order {
    if is(Fault::Unordered) { Order::Relaxed } else { Order::AcqRel }
}

/// As [`seen_by_all`](super::seen_by_all).
pub(crate) fn seen_by_all() {
    if !is(Fault::SeenLate) {
        fence(Order::SeqCst);
    }
}

std::thread_local! {
    // All threads of a model run on the system's thread that runs the model.
    static FAULT: Cell<Fault> = const { Cell::new(Fault::None) };
}

pub(crate) fn is(fault: Fault) -> bool {
    FAULT.get() == fault
}

/// A lock whose content the checker watches.
pub(crate) struct Lock<T> {
    mutex: Mutex<()>,
    value: UnsafeCell<T>,
}

// SAFETY: the mutex lets one thread at a time reach the value; where a fault is planted, the
// checker says so before anything is touched.
unsafe impl<T: Send> Sync for Lock<T> {}

/// What follows the lock.
pub(crate) struct Guard<'l, T> {
    /// Before the mutex's guard, so that it ends before.
    value: MutPtr<T>,
    lock: &'l Lock<T>,
    held: Option<MutexGuard<'l, ()>>,
}

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { mutex: Mutex::new(()), value: UnsafeCell::new(value) }
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        let held = self.mutex.lock().expect("no panic with the lock held");
        let held = (!is(Fault::Unlocked)).then_some(held);
        Guard { value: self.value.get_mut(), lock: self, held }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread holds the lock, else the checker has panicked.
        unsafe { self.value.deref() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { self.value.deref() }
    }
}

loom::thread_local! {
    pub(crate) static CURRENT: Cell<super::Current> = Cell::new((0, 0));
}

/// A value that one thread at a time has; the checker watches that it does.
pub(crate) struct Owned<T>(UnsafeCell<T>);

// SAFETY: only who has it reaches the value; else the checker panics before anything is touched.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T> Owned<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// # Safety
    ///
    /// As that of the other [`Owned`](super::Owned).
    pub(crate) unsafe fn replace(&self, value: T) -> T {
        self.0.with_mut(|place| {
            // SAFETY: nobody else reaches it, else the checker has panicked.
            core::mem::replace(unsafe { &mut *place }, value)
        })
    }

    /// # Safety
    ///
    /// As that of the other [`Owned`](super::Owned).
    pub(crate) unsafe fn with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        self.0.with(|place| {
            // SAFETY: as in `replace`.
            look(unsafe { &*place })
        })
    }

    /// # Safety
    ///
    /// As that of the other [`Owned`](super::Owned).
    pub(crate) unsafe fn set(&self, value: T) {
        // SAFETY: as in `replace`.
        drop(unsafe { self.replace(value) });
    }
}

/// What one thread sleeps by.
pub(crate) struct Bell(Condvar);

impl Default for Bell {
    fn default() -> Self {
        Self(Condvar::new())
    }
}

impl Bell {
    pub(crate) fn sleep<'l, T>(&self, guard: Guard<'l, T>) -> Guard<'l, T> {
        let Guard { value, lock, held } = guard;
        drop(value);
        let mut held = held.expect("models of sleep hold the lock");
        if is(Fault::SleepsLate) {
            drop(held);
            held = lock.mutex.lock().expect("no panic with the lock held");
        }
        let held = self.0.wait(held).expect("no panic with the lock held");
        Guard { value: lock.value.get_mut(), lock, held: Some(held) }
    }

    pub(crate) fn ring(&self) {
        if !is(Fault::Silent) {
            self.0.notify_one();
        }
    }
}

/// Explores every interleaving of `run` with up to `preemptions` forced switches, prints how many
/// there were, and asserts that they were at least `least`: a model that explores one proves
/// nothing.
pub(crate) fn explore(
    name: &str,
    preemptions: usize,
    least: usize,
    run: impl Fn() + Send + Sync + 'static,
) {
    let told = std::env::var("LOLIGO_LOOM_BOUND").ok().and_then(|bound| bound.parse().ok());
    let preemptions = preemptions.max(told.unwrap_or(0));
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_branches = 10_000;
    model.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        run();
    });
    let count = count.load(Ordering::Relaxed);
    println!("loom: {name}: {count} interleavings at preemption bound {preemptions}");
    assert!(count >= least, "{name}: {count} interleavings are fewer than {least}");
}

/// Runs a model with a fault planted and asserts that it is noticed, in a panic that says one of
/// `words`.
pub(crate) fn must_fail(
    name: &str,
    (fault, preemptions): (Fault, usize),
    words: &[&str],
    run: impl Fn() + Send + Sync + 'static,
) {
    FAULT.set(fault);
    let caught = std::panic::catch_unwind(AssertUnwindSafe(|| explore(name, preemptions, 1, run)));
    FAULT.set(Fault::None);
    let Err(payload) = caught else {
        panic!("{name}: the fault {fault:?} was not noticed");
    };
    let said = match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => {
            other.downcast_ref::<&str>().map_or_else(String::new, |text| String::from(*text))
        }
    };
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    println!("loom: {name}: the planted {fault:?} is caught: {first}");
    assert!(words.iter().any(|word| said.contains(word)), "{name}: another failure: {said}");
}
