//! `fork` while other threads hold locks of allocators.
//!
//! The child has one thread, and a lock that another one held would stay held. So before a fork all
//! locks in static memory are taken, and released in parent and child. A lock enters the list when it
//! is taken for the first time; one that is not in static memory may move or end, so it never does.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use super::sync::SpinLock;

/// Locks that can be watched; those of a program are a few.
const LOCKS_MAX: usize = 64;
/// How long a lock that is held is waited for before all are let go, and the next attempt begins with
/// that one.
const PATIENCE_NS: u64 = 50_000_000;
/// After this time the fork goes on without: the forking thread may hold a lock itself.
const WAIT_MAX_NS: u64 = 5_000_000_000;
/// How long another thread does not take a lock, so that the forking thread can. It may hold another,
/// for which that thread waits, so it is not until then.
const WAY_NS: u64 = 1_000_000;

/// The locks in static memory that were taken once.
static LOCKS: [AtomicPtr<SpinLock>; LOCKS_MAX] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; LOCKS_MAX];
/// Held by who enters a lock, and over a fork.
static ENTERING: AtomicBool = AtomicBool::new(false);
/// Whether a thread takes all locks for a fork, and others are to give way.
static IS_NEAR: AtomicBool = AtomicBool::new(false);
static HAS_HANDLERS: AtomicBool = AtomicBool::new(false);
/// A bit for each lock that is held over the fork under way. Only who holds `ENTERING` touches it.
static HELD: [AtomicUsize; LOCKS_MAX / 32] = [const { AtomicUsize::new(0) }; LOCKS_MAX / 32];
/// Whether the others are held as well.
static HOLDS_OTHERS: AtomicBool = AtomicBool::new(false);
/// What else is to be held, as a pointer to a [`Held`].
static ALSO: AtomicPtr<Held> = AtomicPtr::new(core::ptr::null_mut());

/// Other locks that are to be held over a fork, and what is to be done in the child.
pub(crate) struct Held {
    /// Takes them if they are free; `false` if one is not, with none taken.
    pub(crate) try_hold: fn() -> bool,
    /// Releases them; in the child with `true`.
    pub(crate) release: fn(bool),
}

/// Enters a lock that was taken for the first time, if it is in static memory.
#[cold]
#[inline(never)]
pub(crate) fn watch(lock: &SpinLock) {
    let at = core::ptr::from_ref(lock).cast_mut();
    if !is_static(at.cast_const().cast()) {
        return;
    }
    enter();
    let place = LOCKS.iter().find(|place| {
        let there = place.load(Ordering::Relaxed);
        there.is_null() || there == at
    });
    if let Some(place) = place {
        place.store(at, Ordering::Relaxed);
    }
    leave();
    set_handlers();
}

/// Returns `true` if a fork is near: a lock that one is about to take is to be left for
/// [some time](give_way).
#[inline]
pub(crate) fn is_near() -> bool {
    // Relaxed: where it is seen late, a lock is taken once more before.
    IS_NEAR.load(Ordering::Relaxed)
}

/// Lets a thread that is about to fork take locks. Without, it would hardly ever find one free that
/// others take again as soon as they have released it.
#[cold]
#[inline(never)]
pub(crate) fn give_way() {
    let end = now_ns() + WAY_NS;
    while is_near() && now_ns() < end {
        yield_now();
    }
}

/// Sets what else is to be held.
#[cfg(all(feature = "std", not(all(test, loom))))]
pub(crate) fn also(held: &'static Held) {
    ALSO.store(core::ptr::from_ref(held).cast_mut(), Ordering::Release);
    set_handlers();
}

fn set_handlers() {
    if !HAS_HANDLERS.swap(true, Ordering::Relaxed) {
        // SAFETY: the functions stay as long as the program, and need nothing but statics. Without
        // memory for it a fork is as it was.
        let _ = unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    }
}

fn enter() {
    // Acquire pairs with the Release in `leave`.
    while ENTERING.swap(true, Ordering::Acquire) {
        yield_now();
    }
}

fn leave() {
    ENTERING.store(false, Ordering::Release);
}

fn yield_now() {
    // SAFETY: sched_yield takes nothing and touches no memory of the program.
    let _ = unsafe { libc::sched_yield() };
}

/// The lock of a number in the list.
fn lock_at(number: usize) -> Option<&'static SpinLock> {
    // SAFETY: what is in the list is in static memory.
    unsafe { LOCKS[number].load(Ordering::Relaxed).as_ref() }
}

fn others() -> Option<&'static Held> {
    // SAFETY: it was made of a reference for as long as the program runs. Acquire pairs with the
    // Release in `also`.
    unsafe { ALSO.load(Ordering::Acquire).as_ref() }
}

/// Takes all locks, or none: a thread that waits for one and holds another may wait for a thread that
/// waits for that other one. So it waits for each a while only, and begins again with the one that
/// was not free: sooner or later that is one whose holder does not wait for another.
extern "C" fn before() {
    enter();
    IS_NEAR.store(true, Ordering::Relaxed);
    let end = now_ns() + WAIT_MAX_NS;
    let mut first = 0;
    while let Err(held) = take_all(first) {
        first = held;
        if now_ns() > end {
            break;
        }
    }
    IS_NEAR.store(false, Ordering::Relaxed);
}

/// Takes all, beginning with the lock of number `first`, or none; then the error is the number of the
/// one that was held.
fn take_all(first: usize) -> Result<(), usize> {
    for number in (first..LOCKS_MAX).chain(0..first) {
        let Some(lock) = lock_at(number) else { continue };
        if !taken_in_time(|| lock.try_acquire()) {
            release_all(false);
            return Err(number);
        }
        HELD[number / 32].fetch_or(1 << (number % 32), Ordering::Relaxed);
    }
    // These are found through one of the locks, so they come last.
    let Some(others) = others() else { return Ok(()) };
    let is_held = taken_in_time(others.try_hold);
    HOLDS_OTHERS.store(is_held, Ordering::Relaxed);
    if !is_held {
        release_all(false);
        return Err(first);
    }
    Ok(())
}

/// Tries until it is had, for a while.
fn taken_in_time(take: impl Fn() -> bool) -> bool {
    if take() {
        return true;
    }
    let end = now_ns() + PATIENCE_NS;
    loop {
        yield_now();
        if take() {
            return true;
        }
        if now_ns() > end {
            return false;
        }
    }
}

fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is a live one. Without a clock it is always the same time, and a fork waits.
    let _ = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Releases all that is held.
fn release_all(is_child: bool) {
    if HOLDS_OTHERS.swap(false, Ordering::Relaxed)
        && let Some(others) = others()
    {
        (others.release)(is_child);
    }
    for number in 0..LOCKS_MAX {
        let bit = 1 << (number % 32);
        if HELD[number / 32].fetch_and(!bit, Ordering::Relaxed) & bit != 0
            && let Some(lock) = lock_at(number)
        {
            lock.release();
        }
    }
}

extern "C" fn in_parent() {
    after(false);
}

extern "C" fn in_child() {
    after(true);
}

fn after(is_child: bool) {
    release_all(is_child);
    leave();
}

/// Whether an address is in the static memory of the program or of one of its libraries.
fn is_static(address: *const u8) -> bool {
    struct Search {
        address: usize,
        is_found: bool,
    }

    unsafe extern "C" fn look(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: the system shows one of its records.
        let info = unsafe { &*info };
        // SAFETY: it is what was passed in below.
        let search = unsafe { &mut *search.cast::<Search>() };
        let count = usize::from(info.dlpi_phnum);
        // SAFETY: the record says how many headers there are.
        let headers = unsafe { core::slice::from_raw_parts(info.dlpi_phdr, count) };
        for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD) {
            let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            let offset = search.address.wrapping_sub(start);
            search.is_found |= offset < header.p_memsz as usize;
        }
        c_int::from(search.is_found)
    }

    let mut search = Search { address: address.addr(), is_found: false };
    // SAFETY: the function has the right type and uses the search while this call lasts alone.
    let _ = unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.is_found
}

#[cfg(all(test, not(loom)))]
mod tests;
