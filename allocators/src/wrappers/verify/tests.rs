//! Tests of checking: when it happens, and the contents of the report.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

use core::alloc::Layout;
use core::ptr::NonNull;
use std::format;
use std::println;
use std::vec::Vec;

use super::VerifyAllocator;
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};
use crate::wrappers::canary::CanaryAllocator;
use crate::wrappers::proxy::ProxyAllocator;

/// Drops the result of a call that ends in a report.
fn ignore<T>(_answer: T) {}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(allocator: &dyn Allocator, size: usize) -> NonNull<u8> {
    allocator.allocate(layout(size, 8)).expect("there is memory").cast()
}

/// Flips the byte after a block of the given number of bytes.
fn overrun(block: NonNull<u8>, size: usize) {
    // SAFETY: the byte is a canary's guard.
    unsafe {
        let end = block.add(size);
        end.write(!end.read());
    }
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<VerifyAllocator<'static, dyn Allocator + Sync>>();
    assert_send::<VerifyAllocator<'static, SharedRef<'static>>>();
};
const _: () = assert!(
    VerifyAllocator::layout_for(Layout::new::<u64>()).size() == 8,
    "known before any exists"
);

#[test]
fn it_checks_at_every_nth_call() {
    for interval in 0..5 {
        let backing = TestBacking::new();
        let verify: VerifyAllocator<'_> = VerifyAllocator::new_in("verify", interval, &backing);
        assert_eq!(verify.backing().map(Allocator::name), Some("test backing"));
        assert_eq!(verify.layout_below(layout(3, 1)), layout(3, 1));
        let old = layout(16, 8);
        let mut calls = 0;
        let mut called = |more: u64| {
            calls += more;
            let wanted = calls.checked_div(interval).unwrap_or(0);
            assert_eq!((verify.calls(), verify.checks()), (calls, wanted), "{interval}");
        };
        for _ in 0..10 {
            let first = take(&verify, 16);
            called(1);
            let second = verify.allocate_zeroed(old).expect("there is memory").cast::<u8>();
            called(1);
            // SAFETY: the blocks are live and `old` is their layout, in each call.
            unsafe {
                assert_eq!(verify.resize_in_place(first, old, layout(20, 8)), Err(AllocError));
                called(1);
                let moved = verify.reallocate(first, old, layout(20, 8)).expect("room").cast();
                called(1);
                assert_eq!(verify.allocated_size(moved), 20);
                verify.deallocate(moved);
                called(1);
                verify.deallocate_sized(second, old);
                called(1);
            }
        }
        verify.verify().expect("sound");
        let before = verify.checks();
        verify.check();
        assert_eq!((verify.checks(), verify.calls()), (before + 1, 60));
    }
}

#[test]
fn the_interval_may_change() {
    let backing = TestBacking::new();
    let verify = VerifyAllocator::new_in("verify", 0, &backing);
    let blocks = [(); 5].map(|()| take(&verify, 8));
    assert_eq!(verify.checks(), 0);
    verify.set_interval(3);
    for (freed, block) in blocks.into_iter().enumerate() {
        // SAFETY: the block is live.
        unsafe { verify.deallocate(block) };
        assert_eq!(verify.checks(), u64::from(freed >= 2));
    }
    verify.set_interval(0);
    let block = take(&verify, 8);
    assert_eq!(verify.checks(), 1);
    // SAFETY: the block is live.
    unsafe { verify.deallocate(block) };
}

#[test]
fn a_new_interval_holds_from_then_on_and_an_explicit_check_does_not_count() {
    for (first, second) in [(0, 3), (5, 2), (1, 4), (2, 0)] {
        let backing = TestBacking::new();
        let verify = VerifyAllocator::new_in("verify", first, &backing);
        verify.set_interval(second);
        let mut explicit = 0;
        let mut blocks = Vec::new();
        for call in 1..=12_u64 {
            blocks.push(take(&verify, 8));
            if call % 3 == 2 {
                verify.check();
                explicit += 1;
            }
            let wanted = explicit + call.checked_div(second).unwrap_or(0);
            assert_eq!(verify.checks(), wanted, "{first} to {second}, call {call}");
        }
        verify.set_interval(0);
        for block in blocks {
            // SAFETY: the block is live.
            unsafe { verify.deallocate(block) };
        }
    }
}

#[test]
fn the_report_names_both_calls_and_the_broken_one() {
    // The broken allocator: a block of the upper one, or the memory after the lower one's block,
    // which ends in 16 bytes of the upper one.
    let behind = 24 + 16;
    for (name, end) in [("upper", 24), ("lower", behind)] {
        let backing = TestBacking::new();
        let lower = CanaryAllocator::new_in("lower", &backing);
        let proxy = ProxyAllocator::new_in("proxy", &lower);
        let upper = CanaryAllocator::new_in("upper", &proxy);
        let verify = VerifyAllocator::new_in("verify", 2, &upper);
        let first = take(&verify, 24);
        let second = verify.allocate(layout(24, 8)).expect("there is memory").cast();
        let sound_line = line!() - 1;
        overrun(first, end);
        let third = take(&verify, 24);
        // SAFETY: the block is live; the call reports first.
        let report = misuse_of(|| unsafe { verify.deallocate(third) });
        let broken_line = line!() - 1;
        assert!(report.contains("allocator `verify`: damage"), "{report}");
        let words = format!(
            "`{name}` below it finds: overrun: bytes past a block's end were changed at {:p}; all \
             was sound at call 2 from allocators/src/wrappers/verify/tests.rs:{sound_line}",
            first.as_ptr().wrapping_add(end)
        );
        assert!(report.contains(&words), "{report}");
        let words =
            format!("is not at call 4 from allocators/src/wrappers/verify/tests.rs:{broken_line}");
        assert!(report.contains(&words), "{report}");
        let words = format!("called from allocators/src/wrappers/verify/tests.rs:{broken_line}");
        assert!(report.contains(&words), "{report}");
        overrun(first, end);
        // SAFETY: the blocks are live.
        unsafe {
            [first, second, third].into_iter().for_each(|block| verify.deallocate(block));
        }
    }
}

#[test]
fn an_explicit_check_narrows_it_down() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let verify = VerifyAllocator::new_in("verify", 0, &canary);
    let block = take(&verify, 10);
    overrun(block, 10);
    let report = misuse_of(|| verify.check());
    assert!(report.contains("this is the first check, at the check after call 1 from"), "{report}");
    overrun(block, 10);
    verify.check();
    let line = line!() - 1;
    overrun(block, 10);
    let report = misuse_of(|| verify.check());
    let sound = format!(
        "all was sound at the check after call 1 from allocators/src/wrappers/verify/tests.rs:{line}"
    );
    assert!(report.contains(&sound), "{report}");
    overrun(block, 10);
    // SAFETY: the block is live.
    unsafe { verify.deallocate(block) };
}

#[test]
fn a_broken_backing_is_not_called() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let verify = VerifyAllocator::new_in("verify", 1, &canary);
    let block = take(&verify, 10);
    overrun(block, 10);
    let before = (verify.stats(), canary.stats(), backing.requests());
    let old = layout(10, 8);
    // SAFETY: the block is live; each call reports and changes nothing.
    unsafe {
        for report in [
            misuse_of(|| ignore(verify.allocate(old))),
            misuse_of(|| ignore(verify.allocate_zeroed(old))),
            misuse_of(|| ignore(verify.resize_in_place(block, old, layout(9, 8)))),
            misuse_of(|| ignore(verify.reallocate(block, old, layout(90, 8)))),
            misuse_of(|| verify.deallocate(block)),
            misuse_of(|| verify.deallocate_sized(block, old)),
        ] {
            assert!(report.contains("allocator `verify`: damage"), "{report}");
            assert!(report.contains("verify/tests.rs"), "{report}");
        }
        assert_eq!((verify.stats(), canary.stats(), backing.requests()), before);
        overrun(block, 10);
        verify.deallocate(block);
    }
}

#[test]
fn refusals_change_nothing() {
    let backing = TestBacking::new();
    let verify = VerifyAllocator::new_in("verify", 1, &backing);
    let block = take(&verify, 10);
    let before = (verify.stats(), backing.stats());
    backing.refuse_from(0);
    assert_eq!(verify.allocate(layout(8, 8)), Err(AllocError));
    assert_eq!(verify.allocate_zeroed(layout(8, 8)), Err(AllocError));
    // SAFETY: the block is live and has this layout.
    let moved = unsafe { verify.reallocate(block, layout(10, 8), layout(20, 8)) };
    assert_eq!(moved, Err(AllocError));
    assert_eq!((verify.stats(), backing.stats()), before);
    // SAFETY: the block is live.
    unsafe { verify.deallocate(block) };
}

#[test]
fn a_leak_names_the_allocator() {
    let backing = TestBacking::new();
    let mut block = NonNull::dangling();
    let report = panic_of(|| {
        let verify = VerifyAllocator::new_in("verify", 1, &backing);
        block = take(&verify, 100);
    });
    assert!(report.contains("`verify` was dropped with 1 live block of 100 bytes"), "{report}");
    // SAFETY: the block is live still, in the backing.
    unsafe { backing.deallocate(block) };
}

#[test]
fn random_programs_find_planted_writes_within_the_interval() {
    for seed in 0..30 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let backing = TestBacking::new();
        let canary = CanaryAllocator::new_in("canary", &backing);
        let interval = 1 + random.next() % 7;
        let verify = VerifyAllocator::new_in("model", interval, &canary);
        let mut live: Vec<(NonNull<u8>, usize)> = Vec::new();
        // The call from which the interval counts; it has checked, unless it is 0.
        let mut anchor = 0;
        for _ in 0..200 {
            let size = 1 + random.below(100);
            if live.is_empty() || random.below(3) > 0 {
                live.push((take(&verify, size), size));
            } else {
                let (block, _) = live.swap_remove(random.below(live.len()));
                // SAFETY: the block is live.
                unsafe { verify.deallocate(block) };
            }
            // One interval before the write, so that the last check was at a call.
            if random.below(10) > 0 || live.is_empty() || verify.calls() < anchor + interval {
                continue;
            }
            let (block, size) = live[random.below(live.len())];
            overrun(block, size);
            let last = anchor + (verify.calls() - anchor) / interval * interval;
            let report = misuse_of(|| {
                loop {
                    live.push((take(&verify, 8), 8));
                }
            });
            assert!(report.contains("allocator `model`: damage"), "{report}");
            assert_eq!(verify.calls(), last + interval);
            let sound = format!("all was sound at call {last} from");
            assert!(report.contains(&sound), "{sound}: {report}");
            let broken = format!("is not at call {} from", last + interval);
            assert!(report.contains(&broken), "{broken}: {report}");
            overrun(block, size);
            // The next call makes up for the check that found damage.
            live.push((take(&verify, 8), 8));
            anchor = verify.calls();
        }
        for (block, _) in live {
            // SAFETY: the block is live.
            unsafe { verify.deallocate(block) };
        }
    }
}
