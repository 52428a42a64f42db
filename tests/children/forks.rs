//! A program that forks while its threads allocate.

use core::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Forks while other threads allocate; every child allocates, frees, and ends.
pub(crate) fn check(count: usize) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..3_usize {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut live = Vec::new();
                let mut step = seed;
                while !is_over.load(Ordering::Relaxed) {
                    step = step.wrapping_mul(31).wrapping_add(7) % 100_000;
                    live.push(vec![1_u8; 1 + step]);
                    if live.len() > 20 {
                        live.swap_remove(step % 20);
                    }
                }
            });
        }
        for n in 0..count {
            let kept = format!("child {n}");
            // SAFETY: the child allocates, frees and leaves, without a lock of the standard
            // library.
            let child = unsafe { libc::fork() };
            assert!(child >= 0, "a process can be started");
            if child == 0 {
                // SAFETY: ends the child should it hang.
                unsafe { libc::alarm(20) };
                let mut texts: Vec<String> = (0..100).map(|n| "y".repeat(n * 50)).collect();
                texts.push(kept);
                drop(texts);
                // SAFETY: leaves at once.
                unsafe { libc::_exit(0) };
            }
            let mut status = 0;
            // SAFETY: waits for the child just made.
            let waited = unsafe { libc::waitpid(child, &mut status, 0) };
            assert_eq!((waited, status), (child, 0), "child {n} ends well");
            drop(kept);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}
