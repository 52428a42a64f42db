//! A program under a guard, which reaches the global heap where it promised not to.

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};
use std::alloc::System;
use std::panic::catch_unwind;
use std::thread;

use loligo_allocators::{Arming, GlobalGuard, set_misuse_handler};

#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("child-guard", System);

static IS_RUNNING: AtomicBool = AtomicBool::new(false);
static IS_ARMED: AtomicBool = AtomicBool::new(false);

#[inline(never)]
fn a_hidden_vec() -> usize {
    black_box(vec![1_u8; black_box(48)]).len()
}

fn main() {
    let mut outside = Vec::with_capacity(4);
    outside.push(1_u64);
    match std::env::args().nth(1).unwrap_or_default().as_str() {
        "allocate" => drop(GUARD.armed(a_hidden_vec)),
        "zeroed" => GUARD.armed(|| drop(black_box(vec![0_u8; black_box(48)]))),
        "grow" => GUARD.armed(|| outside.extend_from_slice(black_box(&[2; 40]))),
        "free" => GUARD.armed(|| drop(outside)),
        "free-allowed" => {
            let arming = Arming::new().without_frees();
            GUARD.armed_with(arming, || drop(outside));
            println!("the process went on");
        }
        "another-thread" => {
            // It runs before the threads are armed, since its start allocates.
            let worker = thread::spawn(|| {
                IS_RUNNING.store(true, Ordering::SeqCst);
                while !IS_ARMED.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                a_hidden_vec()
            });
            while !IS_RUNNING.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            let _all = GUARD.arm_all_threads(Arming::new());
            IS_ARMED.store(true, Ordering::SeqCst);
            let _ = GUARD.exempt(|| worker.join());
        }
        "exempt" => {
            GUARD.exempt_thread();
            let _all = GUARD.arm_all_threads(Arming::new());
            a_hidden_vec();
            GUARD.armed(|| GUARD.exempt(a_hidden_vec));
            println!("the process went on");
        }
        "panic" => {
            let caught = catch_unwind(|| GUARD.armed(|| panic!("armed code panicked at {}", 7)));
            a_hidden_vec();
            assert!(caught.is_err(), "the panic came through");
            assert_eq!(GUARD.violations().allocations, 0, "and was no violation");
            println!("the process went on");
        }
        "handler" => {
            set_misuse_handler(Some(|report| panic!("the handler got: {report}")));
            let caught = catch_unwind(|| GUARD.armed(a_hidden_vec));
            println!("the process went on: {}", caught.is_err());
        }
        "count" => {
            GUARD.armed_with(Arming::new().count_only(), a_hidden_vec);
            let found = GUARD.violations();
            println!("{} + {}, {} bytes", found.allocations, found.frees, found.bytes);
        }
        other => panic!("no such job: {other}"),
    }
}
