//! A race, planted for ThreadSanitizer: with the argument `race` two threads increment one number
//! without synchronisation, without it they use a lock. `cargo xtask tsan` runs both.
#![expect(unsafe_code, reason = "a race cannot be had without")]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;
use std::thread;

/// A number that is declared as shareable.
struct Number(UnsafeCell<u64>);

// SAFETY: the counting thread holds the lock; with the argument `race` that is not so, which is the
// planted fault.
unsafe impl Sync for Number {}

static NUMBER: Number = Number(UnsafeCell::new(0));
static LOCK: Mutex<()> = Mutex::new(());
static HERE: AtomicU32 = AtomicU32::new(0);

fn main() {
    let races = std::env::args().nth(1).is_some_and(|argument| argument == "race");
    let count = || {
        // On a busy machine one thread could end before the other starts, and so happen before it.
        // Relaxed: waiting must not order the following accesses.
        HERE.fetch_add(1, Ordering::Relaxed);
        while HERE.load(Ordering::Relaxed) < 2 {
            thread::yield_now();
        }
        for _ in 0..1000 {
            let guard = (!races).then(|| LOCK.lock());
            // SAFETY: no other thread writes while the lock is held; see above for the race.
            unsafe { *NUMBER.0.get() += 1 };
            drop(guard);
        }
    };
    thread::scope(|scope| {
        scope.spawn(count);
        scope.spawn(count);
    });
    // SAFETY: both threads have ended.
    let number = unsafe { *NUMBER.0.get() };
    if !races {
        assert_eq!(number, 2000, "each thread counts to 1000");
    }
    println!("counted to {number}");
}
