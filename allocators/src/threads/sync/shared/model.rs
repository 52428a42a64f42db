//! The model checker's atomics in a wrapper that plants faults on demand.
//!
//! A passing model proves nothing unless it fails when there is a fault. So each model is run a
//! second time with one of the [`Fault`]s, and must then panic.

use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use std::println;
use std::string::String;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize as Counter;

use loom::sync::atomic as checked;

use super::Ordering;

/// A planted fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// Every ordering is relaxed.
    Relaxed,
    /// A compare-exchange is a comparison and then a store.
    SplitExchange,
    /// An addition is a load and then a store.
    SplitAdd,
    /// A bit is set by a load and then a store.
    SplitOr,
    /// A bit is cleared by a load and then a store.
    SplitAnd,
    /// Two counts that change under two locks change one after the other, neither lock being held
    /// in between.
    SplitLocks,
}

std::thread_local! {
    // All threads of a model run on the system thread that runs the model.
    static FAULT: Cell<Fault> = const { Cell::new(Fault::None) };
}

/// Whether `fault` is planted now.
pub(crate) fn is(fault: Fault) -> bool {
    FAULT.get() == fault
}

fn ordering(wanted: Ordering) -> Ordering {
    if is(Fault::Relaxed) { Ordering::Relaxed } else { wanted }
}

/// A number.
#[derive(Debug)]
pub(crate) struct AtomicUsize(checked::AtomicUsize);

impl AtomicUsize {
    pub(crate) fn new(value: usize) -> Self {
        Self(checked::AtomicUsize::new(value))
    }

    #[track_caller]
    pub(crate) fn load(&self, order: Ordering) -> usize {
        self.0.load(ordering(order))
    }

    #[track_caller]
    pub(crate) fn store(&self, value: usize, order: Ordering) {
        self.0.store(value, ordering(order));
    }

    #[track_caller]
    fn change(
        &self,
        split: bool,
        order: Ordering,
        change: impl Fn(usize) -> usize,
        whole: impl Fn(&checked::AtomicUsize, Ordering) -> usize,
    ) -> usize {
        if !split {
            return whole(&self.0, ordering(order));
        }
        let before = self.0.load(Ordering::SeqCst);
        self.0.store(change(before), Ordering::SeqCst);
        before
    }

    #[track_caller]
    pub(crate) fn fetch_add(&self, by: usize, order: Ordering) -> usize {
        let split = is(Fault::SplitAdd);
        self.change(
            split,
            order,
            |old| old.wrapping_add(by),
            |cell, order| cell.fetch_add(by, order),
        )
    }

    #[track_caller]
    pub(crate) fn fetch_sub(&self, by: usize, order: Ordering) -> usize {
        let split = is(Fault::SplitAdd);
        self.change(
            split,
            order,
            |old| old.wrapping_sub(by),
            |cell, order| cell.fetch_sub(by, order),
        )
    }

    #[track_caller]
    pub(crate) fn fetch_or(&self, bits: usize, order: Ordering) -> usize {
        let split = is(Fault::SplitOr);
        self.change(split, order, |old| old | bits, |cell, order| cell.fetch_or(bits, order))
    }

    #[track_caller]
    pub(crate) fn fetch_and(&self, bits: usize, order: Ordering) -> usize {
        let split = is(Fault::SplitAnd);
        self.change(split, order, |old| old & bits, |cell, order| cell.fetch_and(bits, order))
    }

    #[track_caller]
    pub(crate) fn swap(&self, value: usize, order: Ordering) -> usize {
        self.change(
            is(Fault::SplitExchange),
            order,
            |_| value,
            |cell, order| cell.swap(value, order),
        )
    }

    #[track_caller]
    pub(crate) fn fetch_max(&self, value: usize, order: Ordering) -> usize {
        self.0.fetch_max(value, ordering(order))
    }

    #[track_caller]
    pub(crate) fn compare_exchange(
        &self,
        old: usize,
        new: usize,
        success: Ordering,
        failure: Ordering,
    ) -> Result<usize, usize> {
        if !is(Fault::SplitExchange) {
            return self.0.compare_exchange(old, new, ordering(success), ordering(failure));
        }
        let seen = self.0.load(Ordering::SeqCst);
        if seen != old {
            return Err(seen);
        }
        self.0.store(new, Ordering::SeqCst);
        Ok(seen)
    }

    #[track_caller]
    pub(crate) fn fetch_update(
        &self,
        success: Ordering,
        failure: Ordering,
        update: impl Fn(usize) -> Option<usize>,
    ) -> Result<usize, usize> {
        let mut seen = self.load(failure);
        while let Some(new) = update(seen) {
            match self.compare_exchange(seen, new, success, failure) {
                Ok(old) => return Ok(old),
                Err(now) => seen = now,
            }
        }
        Err(seen)
    }
}

/// A pointer.
#[derive(Debug)]
pub(crate) struct AtomicPtr<T>(checked::AtomicPtr<T>);

impl<T> AtomicPtr<T> {
    pub(crate) fn new(value: *mut T) -> Self {
        Self(checked::AtomicPtr::new(value))
    }

    #[track_caller]
    pub(crate) fn load(&self, order: Ordering) -> *mut T {
        self.0.load(ordering(order))
    }

    #[track_caller]
    pub(crate) fn store(&self, value: *mut T, order: Ordering) {
        self.0.store(value, ordering(order));
    }

    #[track_caller]
    pub(crate) fn swap(&self, value: *mut T, order: Ordering) -> *mut T {
        if !is(Fault::SplitExchange) {
            return self.0.swap(value, ordering(order));
        }
        let before = self.0.load(Ordering::SeqCst);
        self.0.store(value, Ordering::SeqCst);
        before
    }

    #[track_caller]
    pub(crate) fn compare_exchange(
        &self,
        old: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        if !is(Fault::SplitExchange) {
            return self.0.compare_exchange(old, new, ordering(success), ordering(failure));
        }
        let seen = self.0.load(Ordering::SeqCst);
        if seen != old {
            return Err(seen);
        }
        self.0.store(new, Ordering::SeqCst);
        Ok(seen)
    }
}

/// Explores every interleaving of `run` with up to `preemptions` forced switches, prints their
/// number, and asserts that it is at least `least`: a model that explores only one proves nothing.
pub(crate) fn explore(
    name: &str,
    preemptions: usize,
    least: usize,
    run: impl Fn() + Send + Sync + 'static,
) {
    let preemptions = preemptions.max(bound());
    let count = Arc::new(Counter::new(0));
    let counted = Arc::clone(&count);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        run();
    });
    let count = count.load(Ordering::Relaxed);
    println!("loom: {name}: {count} interleavings at preemption bound {preemptions}");
    assert!(count >= least, "{name}: {count} interleavings are fewer than {least}");
}

/// The preemptions requested by `cargo xtask loom --bound`, if any.
fn bound() -> usize {
    let told = std::env::var("LOLIGO_LOOM_BOUND");
    told.ok().and_then(|bound| bound.parse().ok()).unwrap_or(0)
}

/// Runs a model with a planted fault and asserts that it is detected, by a panic that contains one
/// of `words`.
pub(crate) fn must_fail(
    name: &str,
    fault: Fault,
    words: &[&str],
    run: impl Fn() + Send + Sync + 'static,
) {
    FAULT.set(fault);
    let caught = std::panic::catch_unwind(AssertUnwindSafe(|| explore(name, 3, 1, run)));
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
    println!("loom: {name}: the planted {fault:?} is caught: {said}");
    assert!(words.iter().any(|word| said.contains(word)), "{name}: another failure: {said}");
}

/// Both threads of a model pass it first. Without a read-modify-write there, a model whose threads
/// begin with loads may explore only one interleaving.
#[derive(Clone, Debug)]
pub(crate) struct Gate(loom::sync::Arc<checked::AtomicUsize>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self(loom::sync::Arc::new(checked::AtomicUsize::new(0)))
    }

    pub(crate) fn pass(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
