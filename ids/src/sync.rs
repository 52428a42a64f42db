//! The atomics, and the only place of this crate that names them: core's, or the model checker's.

#[cfg(all(not(all(test, loom)), target_has_atomic = "64"))]
use core::sync::atomic::AtomicU64;
#[cfg(not(all(test, loom)))]
pub(crate) use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use core::sync::atomic::{AtomicU32 as Counter, Ordering as CounterOrdering};

#[cfg(all(test, loom, target_has_atomic = "64"))]
use loom::sync::atomic::AtomicU64;
#[cfg(all(test, loom))]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::id::Repr;

/// How many tables took a tag by themselves. An atomic of core under the model checker, too: it has
/// none that are constants, and no thread learns anything of another from this number.
static TABLES: Counter = Counter::new(0);

/// Counts a table that takes a tag, and returns how many did before. 32 bits, which the machines
/// without wider atomics have, too.
pub(crate) fn count_table() -> u32 {
    // Relaxed: a number that no other table gets is all that is asked for.
    TABLES.fetch_add(1, CounterOrdering::Relaxed)
}

/// Returns a number that differs for most threads of a moment: where the caller's stack is. Threads
/// have stacks of 2 MiB by Rust's default, one after the other: the last bit of this differs for
/// neighbours. With the 8 MiB that are many systems' default, the third bit from the end does.
#[cfg(not(all(test, loom)))]
#[inline]
pub(crate) fn thread_place() -> usize {
    let here = 0_u8;
    let place = (&raw const here).addr() >> 21;
    place ^ (place >> 3)
}

/// Under the model checker all runs are to be alike, so all threads begin at one place.
#[cfg(all(test, loom))]
pub(crate) fn thread_place() -> usize {
    0
}

/// The integers of ids that several threads can share a table of: `u32`, and `u64` where the
/// machine has atomic ones.
pub trait SharedRepr: Repr {
    /// The same integer, atomic.
    #[doc(hidden)]
    type Atomic: AtomicWord;
}

/// An atomic integer of an id's size, with an interface of 64 bits.
pub trait AtomicWord: Send + Sync + 'static {
    /// Returns one that holds `value`.
    fn new(value: u64) -> Self;
    /// Reads it.
    fn load(&self, order: Ordering) -> u64;
    /// Writes it.
    fn store(&self, value: u64, order: Ordering);
    /// Writes `new` if it holds `current`, else returns what it holds.
    fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64>;
}

macro_rules! atomic_word {
    ($atomic:ty, $number:ty) => {
        impl SharedRepr for $number {
            type Atomic = $atomic;
        }

        impl AtomicWord for $atomic {
            fn new(value: u64) -> Self {
                <$atomic>::new(<$number>::narrow(value))
            }

            #[inline]
            fn load(&self, order: Ordering) -> u64 {
                <$atomic>::load(self, order).wide()
            }

            #[inline]
            fn store(&self, value: u64, order: Ordering) {
                <$atomic>::store(self, <$number>::narrow(value), order);
            }

            #[inline]
            fn compare_exchange(
                &self,
                current: u64,
                new: u64,
                success: Ordering,
                failure: Ordering,
            ) -> Result<u64, u64> {
                let (current, new) = (<$number>::narrow(current), <$number>::narrow(new));
                let done = <$atomic>::compare_exchange(self, current, new, success, failure);
                done.map(Repr::wide).map_err(Repr::wide)
            }
        }
    };
}

atomic_word!(AtomicU32, u32);
#[cfg(target_has_atomic = "64")]
atomic_word!(AtomicU64, u64);
