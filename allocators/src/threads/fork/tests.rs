//! `fork` while other threads hold locks nearly all the time.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::thread;
use std::time::Instant;

use crate::testing::test_child;
use crate::threads::sync::SpinLock;

/// Children of the test.
const CHILDREN: u32 = 10;

/// Of two locks that are taken together, this one is taken second and enters the list first.
static INNER: SpinLock = SpinLock::new();
static OUTER: SpinLock = SpinLock::new();

/// Ends the other threads, also where a child has failed.
struct Ending<'t>(&'t AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Holds what it was given for a while, which is far longer than it is free in between.
fn hold_for_long() {
    let from = Instant::now();
    while from.elapsed() < Duration::from_micros(20) {
        core::hint::spin_loop();
    }
}

/// Each of the locks was tried once for an attempt at both; after many attempts the fork went on
/// without, and the child waited for a thread that it does not have.
#[test]
fn locks_that_are_hardly_ever_free_are_free_in_the_child() {
    INNER.acquire();
    INNER.release();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let ending = Ending(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _outer = OUTER.hold();
                let _inner = INNER.hold();
                hold_for_long();
            }
        });
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _inner = INNER.hold();
                hold_for_long();
            }
        });
        for child in 0..CHILDREN {
            let status = test_child::run(|| {
                let _outer = OUTER.hold();
                let _inner = INNER.hold();
                0
            });
            assert_eq!(status, 0, "child {child} of {CHILDREN} takes both");
        }
        drop(ending);
    });
}
