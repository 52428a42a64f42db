//! Tests of the guard's judgement, called directly: the guard need not be the program's allocator.
//! Violations that end the program are tested in separate programs.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::Ordering;
use std::alloc::System;
use std::format;
use std::panic::catch_unwind;
use std::string::String;
use std::thread;
use std::vec::Vec;

use super::arming::{MODES, Verdict};
use super::{Arming, Call, CallSite, GlobalGuard, THREAD, Violations};
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{Random, TestBacking, misuse_of};
use crate::threads::locked::Locked;
use crate::wrappers::proxy::ProxyAllocator;

const LAYOUT: Layout = Layout::new::<[u64; 3]>();
const COUNT: Arming = Arming::new().count_only();

/// Allocates, resizes and frees.
fn touch(guard: &GlobalGuard<System>) {
    // SAFETY: the layout has a size.
    let block = unsafe { guard.alloc(LAYOUT) };
    assert!(!block.is_null(), "the system has memory");
    // SAFETY: the block is live and has this layout.
    let block = unsafe { guard.realloc(block, LAYOUT, 100) };
    let layout = Layout::from_size_align(100, LAYOUT.align()).expect("a layout");
    // SAFETY: the block is live and has this layout now.
    unsafe { guard.dealloc(block, layout) };
    // SAFETY: the layout has a size.
    let zeroed = unsafe { guard.alloc_zeroed(LAYOUT) };
    // SAFETY: it is as long.
    let words = unsafe { zeroed.cast::<[u64; 3]>().read() };
    assert_eq!(words, [0; 3], "zeroed");
    // SAFETY: the block is live and has this layout.
    unsafe { guard.dealloc(zeroed, LAYOUT) };
}

/// The counts of `touch` if all calls are counted.
const TOUCHED: Violations = Violations { allocations: 3, frees: 2, bytes: 24 + 100 + 24 };

#[test]
fn a_disarmed_guard_passes_everything_on() {
    let guard = GlobalGuard::new("guard", System);
    touch(&guard);
    guard.exempt(|| touch(&guard));
    drop(guard.arm());
    touch(&guard);
    assert_eq!(guard.violations(), Violations::default(), "no thread is armed");
    assert!(std::format!("{guard:?}").contains("name: \"guard\""), "{guard:?}");
}

#[test]
fn it_tells_its_name_and_what_it_guards() {
    let guard = GlobalGuard::new("guard", Inner(7));
    assert_eq!((guard.name(), guard.inner().0), ("guard", 7), "as it was made");
    let all = std::format!("{:?}", guard.arm_all_threads(COUNT));
    assert!(all.starts_with("ArmedAll"), "{all}");
    let own = std::format!("{:?}", guard.arm_with(COUNT));
    assert!(own.starts_with("Armed "), "{own}");
    let modes = [Arming::new(), Arming::new().without_frees(), COUNT, COUNT.without_frees()];
    assert_eq!(modes.map(Arming::mode), [0, 1, 2, 3], "made at run time");
    assert_eq!(Arming::new().count_only(), COUNT, "made at run time");
}

/// A guarded allocator that is never called.
struct Inner(u32);

#[test]
fn every_call_of_armed_code_is_counted() {
    let guard = GlobalGuard::new("guard", System);
    guard.armed_with(COUNT, || touch(&guard));
    assert_eq!(guard.violations(), TOUCHED);
    touch(&guard);
    assert_eq!(guard.violations(), TOUCHED, "disarmed again");
    guard.armed_with(COUNT.without_frees(), || touch(&guard));
    let frees = guard.violations().frees;
    assert_eq!(frees, TOUCHED.frees, "frees were left out");
    assert_eq!(guard.violations().allocations, 2 * TOUCHED.allocations);
}

#[test]
fn scopes_that_exempt_are_counted() {
    let guard = GlobalGuard::new("guard", System);
    guard.armed_with(COUNT, || {
        guard.exempt(|| {
            guard.exempt(|| touch(&guard));
            // A nested arming changes nothing.
            guard.armed(|| touch(&guard));
            touch(&guard);
        });
        assert_eq!(guard.violations(), Violations::default(), "exempt");
        touch(&guard);
    });
    assert_eq!(guard.violations(), TOUCHED, "armed again");
}

#[test]
fn the_arming_of_another_guard_is_none_of_its_own() {
    let [armed, other] = [(); 2].map(|()| GlobalGuard::new("guard", System));
    armed.armed_with(COUNT, || touch(&other));
    assert_eq!(other.violations(), Violations::default(), "this one was not armed");
    assert_eq!(armed.violations(), Violations::default(), "this one was not called");
}

#[test]
fn armings_may_end_in_any_order() {
    let guard = GlobalGuard::new("guard", System);
    let first = guard.arm_with(COUNT);
    let second = guard.arm_with(COUNT);
    drop(first);
    touch(&guard);
    assert_eq!(guard.violations(), TOUCHED, "one is left");
    drop(second);
    touch(&guard);
    assert_eq!(guard.violations(), TOUCHED, "none is left");
    assert_eq!(guard.armings.load(Ordering::Relaxed), 0, "none is counted");
}

#[test]
fn other_threads_are_not_armed() {
    let guard = GlobalGuard::new("guard", System);
    let _armed = guard.arm_with(COUNT);
    thread::scope(|scope| {
        scope.spawn(|| touch(&guard));
    });
    assert_eq!(guard.violations(), Violations::default(), "armed for this thread");
}

#[test]
fn what_a_library_asks_for_is_no_violation_and_counted_under_its_name() {
    static OUTER: CallSite = CallSite::new("outer");
    static INNER: CallSite = CallSite::new("inner");
    let guard = GlobalGuard::new("guard", System);
    OUTER.run(|| touch(&guard));
    assert_eq!(OUTER.counts(), Violations::default(), "no thread is armed");
    guard.armed_with(COUNT, || {
        OUTER.run(|| {
            INNER.run(|| touch(&guard));
            touch(&guard);
        });
        assert_eq!(guard.violations(), Violations::default(), "both are exempt");
        touch(&guard);
    });
    assert_eq!(guard.violations(), TOUCHED, "after them nothing is");
    assert_eq!([OUTER.counts(), INNER.counts()], [TOUCHED; 2], "the innermost counts");
    let shown = std::format!("{INNER:?}");
    assert!(shown.contains("\"inner\"") && shown.contains("allocations: 3"), "{shown}");
    let panicked = catch_unwind(|| INNER.run(|| panic!("inside")));
    assert!(panicked.is_err(), "it panics");
    guard.armed_with(COUNT, || touch(&guard));
    assert_eq!(INNER.counts(), TOUCHED, "a panic leaves the place, too");
}

#[test]
fn a_place_that_is_made_at_run_time_has_counted_nothing() {
    let site = CallSite::new(core::hint::black_box("a library"));
    assert_eq!(
        (site.name(), site.counts()),
        ("a library", Violations::default()),
        "as it was made"
    );
}

/// Not under the memory checkers, to which a child is another program.
#[cfg(all(target_os = "linux", not(any(loligo_asan, feature = "valgrind"))))]
#[test]
fn whose_stack_is_shown_is_said_first() {
    let (said, _) = crate::testing::test_child::ended(|| {
        // SAFETY: ends the child, should a thread that is not in it have been at making a stack
        // trace.
        unsafe { libc::alarm(10) };
        GlobalGuard::new("the guard", System).show_stack();
    });
    let first = "loligo: `the guard` was reached by armed code; its stack:\n";
    assert!(said.starts_with(first), "{said}");
}

#[test]
fn all_threads_may_be_armed_and_some_exempted() {
    let guard = GlobalGuard::new("guard", System);
    let all = guard.arm_all_threads(COUNT);
    let run = |work: fn(&GlobalGuard<System>)| {
        let before = guard.violations().allocations;
        thread::scope(|scope| {
            scope.spawn(|| work(&guard));
        });
        guard.violations().allocations - before
    };
    assert_eq!(run(touch), 3, "a thread that came later");
    let apart = |guard: &GlobalGuard<System>| {
        guard.exempt_thread();
        touch(guard);
    };
    assert_eq!(run(apart), 0, "an exempt thread");
    let armed_itself = |guard: &GlobalGuard<System>| {
        guard.exempt_thread();
        guard.armed_with(COUNT, || touch(guard));
    };
    assert_eq!(run(armed_itself), 3, "its own scopes hold");
    drop(all);
    assert_eq!(run(touch), 0, "disarmed");
}

#[test]
fn a_panic_disarms_and_is_not_hidden() {
    struct Touch<'a>(&'a GlobalGuard<System>);
    impl Drop for Touch<'_> {
        fn drop(&mut self) {
            touch(self.0);
        }
    }
    let guard = GlobalGuard::new("guard", System);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        guard.armed_with(COUNT, || {
            let _touch = Touch(&guard);
            panic!("on purpose");
        })
    }));
    assert!(panicked.is_err(), "the panic comes through");
    assert_eq!(guard.violations(), Violations::default(), "unwinding is exempt");
    touch(&guard);
    assert_eq!(guard.violations(), Violations::default(), "unwinding disarms");
}

#[test]
fn a_violation_is_reported_with_what_was_asked() {
    let guard = GlobalGuard::new("the guard", System);
    let mut memory = [0_u8; 8];
    let block = memory.as_mut_ptr();
    let asked = format!("24 bytes; it asked for 24 bytes aligned to {}", LAYOUT.align());
    let calls: [(Call, &str); 3] = [
        (Call::Allocate(LAYOUT), &asked),
        (Call::Reallocate { block, old: LAYOUT, size: 77 }, "77 bytes; it resized 24 bytes to 77"),
        (Call::Free { block, layout: LAYOUT }, "24 bytes; it freed 24 bytes"),
    ];
    for (call, words) in calls {
        let report: String = misuse_of(|| guard.report(call));
        assert!(report.starts_with("allocator `the guard`: global allocation"), "{report}");
        assert!(report.ends_with(words), "{report}");
    }
}

#[test]
fn every_call_is_passed_on() {
    let backing = TestBacking::new();
    let guard = GlobalGuard::new("guard", Locked::new(ProxyAllocator::new_in("inner", &backing)));
    // SAFETY: the layout has a size.
    let plain = unsafe { guard.alloc(LAYOUT) };
    // SAFETY: as above.
    let zeroed = unsafe { guard.alloc_zeroed(LAYOUT) };
    assert_eq!(backing.stats().live, 2, "both are the inner allocator's");
    // SAFETY: the block is live and has this layout.
    let grown = unsafe { guard.realloc(plain, LAYOUT, 100) };
    assert_eq!((backing.stats().live, grown.is_null()), (2, false), "resized there");
    let layout = Layout::from_size_align(100, LAYOUT.align()).expect("a layout");
    // SAFETY: the block is live and has this layout now.
    unsafe { guard.dealloc(grown, layout) };
    // SAFETY: the block is live and has this layout.
    unsafe { guard.dealloc(zeroed, LAYOUT) };
    assert_eq!(backing.stats().live, 0, "and freed there");
}

/// The verdict as documented: of all active armings the strictest applies.
fn expected(armed: &[(usize, bool)], exempt: usize, apart: bool, is_free: bool) -> Option<Verdict> {
    let mut verdict = None;
    for &(mode, for_all) in armed {
        let is_free_left_out = is_free && mode & 1 != 0;
        if exempt != 0 || is_free_left_out || (for_all && apart) {
            continue;
        }
        if mode & 2 == 0 {
            return Some(Verdict::Stop);
        }
        verdict = Some(Verdict::Count);
    }
    verdict
}

#[test]
fn verdicts_agree_with_the_model() {
    for seed in 0..20 {
        // A separate thread, since leaving the arming of all threads is permanent.
        let ran = thread::spawn(move || {
            let mut random = Random::new(seed);
            let guard = GlobalGuard::new("guard", System);
            let modes =
                [Arming::new(), Arming::new().without_frees(), COUNT, COUNT.without_frees()];
            let mut own = Vec::new();
            let mut all = Vec::new();
            let mut exempt = Vec::new();
            let apart = Cell::new(false);
            for _ in 0..400 {
                let mode = random.below(MODES);
                assert_eq!(modes[mode].mode(), mode, "seed {seed}");
                match random.below(9) {
                    0 | 1 if own.len() < 3 => own.push((mode, guard.arm_with(modes[mode]))),
                    2 if all.len() < 3 => all.push((mode, guard.arm_all_threads(modes[mode]))),
                    3 if exempt.len() < 2 => exempt.push(super::thread::Exempt::new()),
                    4 | 5 if !own.is_empty() => drop(own.swap_remove(random.below(own.len()))),
                    6 if !all.is_empty() => drop(all.swap_remove(random.below(all.len()))),
                    7 if !exempt.is_empty() => drop(exempt.pop()),
                    8 if random.below(40) == 0 => {
                        guard.exempt_thread();
                        apart.set(true);
                    }
                    _ => {}
                }
                let armed: Vec<(usize, bool)> = (own.iter().map(|own| (own.0, false)))
                    .chain(all.iter().map(|all| (all.0, true)))
                    .collect();
                let count = guard.armings.load(Ordering::Relaxed);
                assert_eq!(count, armed.len(), "seed {seed}");
                for is_free in [false, true] {
                    let verdict = THREAD.with(|thread| thread.judge(&guard.all, is_free));
                    let expected = expected(&armed, exempt.len(), apart.get(), is_free);
                    assert_eq!(verdict, expected, "seed {seed}: {armed:?}");
                }
            }
        });
        ran.join().expect("the model agrees");
    }
}
