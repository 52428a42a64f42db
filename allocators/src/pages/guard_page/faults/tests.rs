//! Tests of fault reports: their text, what happens after it, and which allocators are registered.
//! Each in a separate child.

use core::alloc::Layout;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::boxed::Box;
use std::thread;
use std::vec::Vec;

use super::{
    ASKED, ASKED_MAX, GuardPageAllocator, KNOWN, READERS, UNASKED, address_of, enter, leave,
};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;
use crate::testing::test_child::ended;

const ORDER: Ordering = Ordering::SeqCst;

/// The status of a child that exited by `_exit` with this number.
const fn left_with(number: u32) -> u32 {
    number << 8
}

/// Creates allocators that live as long as the child.
fn suspect() -> &'static GuardPageAllocator<'static> {
    let pages = Box::leak(Box::new(PageAllocator::new("pages")));
    Box::leak(Box::new(GuardPageAllocator::new("suspect", pages)))
}

/// Allocates a block of 100 bytes and returns the byte after it, which has no access.
fn guarded(suspect: &GuardPageAllocator<'_>) -> *mut u8 {
    let layout = Layout::from_size_align(100, 1).expect("a layout");
    let block = suspect.allocate(layout).expect("there is memory");
    block.cast::<u8>().as_ptr().wrapping_add(100)
}

fn touch(address: *mut u8) {
    // SAFETY: it is not safe: the child faults here, as the test wants.
    unsafe { address.write_volatile(1) };
}

/// The previously installed handler. It exits with 3 if it was called for an access, and with 4 if
/// the signal was sent; with 5 if a handler still counts as reading.
extern "C" fn earlier(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid structure.
    let code = unsafe { (*info).si_code };
    let number = match READERS.load(ORDER) {
        0 if code > 0 => 3,
        0 => 4,
        _ => 5,
    };
    // SAFETY: leaves at once.
    unsafe { libc::_exit(number) };
}

/// Installs the previous handler, before reports are enabled.
fn install_earlier() {
    // SAFETY: all zero is a value of this plain structure.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = earlier;
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO;
    for signal in super::SIGNALS {
        // SAFETY: the handler has the signature that SA_SIGINFO asks for.
        let set = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        assert_eq!(set, 0, "the child's own handler");
    }
    KNOWN.store(UNASKED, ORDER);
}

#[test]
fn a_fault_is_told_and_then_dies_as_it_would_have() {
    let (text, status) = ended(|| {
        install_earlier();
        let suspect = suspect();
        let behind = guarded(suspect);
        suspect.report_faults().expect("there is room");
        suspect.report_faults().expect("it reports already");
        touch(behind);
    });
    assert_eq!(status, left_with(3), "the earlier handler was called for the access: {text}");
    assert!(text.starts_with("loligo: fault: allocator `suspect`: "), "{text}");
    assert!(text.ends_with('\n') && text.lines().count() == 1, "once: {text}");
}

#[test]
fn a_fault_that_nobody_knows_is_not_told() {
    let (text, status) = ended(|| {
        install_earlier();
        suspect().report_faults().expect("there is room");
        touch(ptr::without_provenance_mut(8));
    });
    assert_eq!((text.as_str(), status), ("", left_with(3)), "the earlier handler alone");
}

#[test]
fn a_signal_that_was_sent_is_sent_again() {
    let (text, status) = ended(|| {
        install_earlier();
        suspect().report_faults().expect("there is room");
        // SAFETY: it only asks.
        let child = unsafe { libc::getpid() };
        // SAFETY: sends a signal to this child.
        unsafe { libc::kill(child, libc::SIGSEGV) };
    });
    assert_eq!((text.as_str(), status), ("", left_with(4)), "by kill");
    let (text, status) = ended(|| {
        install_earlier();
        suspect().report_faults().expect("there is room");
        // SAFETY: sends a signal to this thread.
        unsafe { libc::raise(libc::SIGBUS) };
    });
    assert_eq!((text.as_str(), status), ("", left_with(4)), "by raise");
}

/// The handler does not wait for a lock that the faulting thread may hold.
#[test]
fn an_allocator_that_is_busy_is_not_waited_for() {
    let (text, status) = ended(|| {
        install_earlier();
        let suspect = suspect();
        let behind = guarded(suspect);
        suspect.report_faults().expect("there is room");
        suspect.state.with(|_| touch(behind));
    });
    assert_eq!(status, left_with(3), "{text}");
    assert_eq!(text, "loligo: fault: allocator `suspect` is busy and cannot be asked\n");
}

#[test]
fn an_allocator_that_finds_no_room_may_ask_again() {
    let (text, status) = ended(|| {
        let asked = |suspect: &GuardPageAllocator<'_>| {
            ASKED.iter().filter(|asked| asked.load(ORDER) == address_of(suspect)).count()
        };
        let all: Vec<_> = (0..ASKED_MAX).map(|_| suspect()).collect();
        for suspect in &all[1..] {
            suspect.report_faults().expect("there is room");
        }
        let late = suspect();
        all[0]
            .while_reporting_faults(|| {
                assert!(late.report_faults().is_err(), "all places are taken");
                assert_eq!(asked(late), 0, "it is not asked");
            })
            .expect("there is room for one more");
        for _ in 0..2 {
            late.report_faults().expect("a place is free again");
            assert_eq!(asked(late), 1, "it is asked once");
        }
    });
    assert_eq!((text.as_str(), status), ("", 0));
}

/// An allocator can be unregistered only once no handler can be reading it.
#[test]
fn who_is_taken_out_waits_for_handlers_that_read() {
    let (text, status) = ended(|| {
        let place = enter(suspect()).expect("there is room");
        let reads = AtomicBool::new(true);
        READERS.fetch_add(1, ORDER);
        thread::scope(|scope| {
            scope.spawn(|| {
                let asked: &AtomicPtr<()> = &ASKED[place];
                while !asked.load(ORDER).is_null() {
                    thread::yield_now();
                }
                for _ in 0..1000 {
                    thread::yield_now();
                }
                reads.store(false, ORDER);
                READERS.fetch_sub(1, ORDER);
            });
            leave(place);
            assert!(!reads.load(ORDER), "no handler reads it any more");
        });
    });
    assert_eq!((text.as_str(), status), ("", 0));
}
