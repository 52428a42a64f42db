//! Describes a faulting address, printed by a signal handler before the process dies.
//!
//! The handler allocates nothing and waits for no thread. It reads only the allocators in a fixed
//! table of addresses; a thread that removes one waits until no handler is reading.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use super::GuardPageAllocator;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::write_stderr;

// The memory checkers have handlers of their own, and end the program themselves.
#[cfg(all(test, not(any(loligo_asan, feature = "valgrind"))))]
mod tests;

/// How many allocators can be registered at once.
const ASKED_MAX: usize = 16;

/// How often the handler tries an allocator's lock. Its holder may be the thread that has faulted.
const TRIES: u32 = 1000;

/// The signals of an invalid access.
const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The registered allocators; each stays in place while its address is here.
static ASKED: [AtomicPtr<()>; ASKED_MAX] = [const { AtomicPtr::new(ptr::null_mut()) }; ASKED_MAX];

/// The number of handlers that are reading the allocators.
static READERS: AtomicUsize = AtomicUsize::new(0);

/// The signals' actions before this crate's handler was first installed.
struct Previous(UnsafeCell<[MaybeUninit<libc::sigaction>; 2]>);

// SAFETY: it is written by the one thread that has taken `KNOWN` from `UNASKED` to `ASKING`, once,
// and read only after that thread has stored `ANSWERED`.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous(UnsafeCell::new([const { MaybeUninit::uninit() }; 2]));

/// Whether `PREVIOUS` is written.
static KNOWN: AtomicU8 = AtomicU8::new(UNASKED);
const UNASKED: u8 = 0;
const ASKING: u8 = 1;
const ANSWERED: u8 = 2;

impl GuardPageAllocator<'_> {
    /// Runs `work`; if an invalid access stops the program meanwhile, in any thread, this
    /// allocator's description of the address is printed to standard error first.
    ///
    /// Otherwise as [`report_faults`](Self::report_faults), for an allocator that does not live
    /// forever.
    ///
    /// # Errors
    ///
    /// [`AllocError`] without running `work`, for the same reasons.
    pub fn while_reporting_faults<R>(&self, work: impl FnOnce() -> R) -> Result<R, AllocError> {
        /// Unregisters the allocator, also if `work` unwinds.
        struct Asked(usize);
        impl Drop for Asked {
            fn drop(&mut self) {
                leave(self.0);
            }
        }
        let _asked = Asked(enter(self)?);
        install()?;
        Ok(work())
    }
}

impl GuardPageAllocator<'static> {
    /// Prints this allocator's description of the address to standard error at an invalid access in
    /// any thread; the program then ends as it would have.
    ///
    /// A handler for `SIGSEGV` and `SIGBUS` is installed for the process, on the alternate stack if
    /// a thread has one. At the first of these signals, for any address, it restores the handlers
    /// that were installed when this was first called, and returns, so that the access is retried
    /// and they decide: usually the process dies of the signal, and a debugger or a core dump shows
    /// the very instruction. If the program survives that, faults are reported again only after
    /// another call of this method.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if 16 allocators are already registered, or the system refuses the handler.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{AllocError, GuardPageAllocator, PageAllocator};
    ///
    /// static PAGES: PageAllocator = PageAllocator::new("pages");
    /// static SUSPECT: GuardPageAllocator<'static> = GuardPageAllocator::new("suspect", &PAGES);
    ///
    /// SUSPECT.report_faults()?;
    /// # Ok::<(), AllocError>(())
    /// ```
    pub fn report_faults(&'static self) -> Result<(), AllocError> {
        let order = Ordering::SeqCst;
        if !self.reports.swap(true, order) && enter(self).is_err() {
            self.reports.store(false, order);
            return Err(AllocError);
        }
        install()
    }
}

fn address_of(allocator: &GuardPageAllocator<'_>) -> *mut () {
    ptr::from_ref(allocator).cast_mut().cast()
}

/// Registers an allocator; the caller keeps it in place until [`leave`].
fn enter(allocator: &GuardPageAllocator<'_>) -> Result<usize, AllocError> {
    let this = address_of(allocator);
    let free = |asked: &AtomicPtr<()>| {
        let order = Ordering::SeqCst;
        asked.compare_exchange(ptr::null_mut(), this, order, order).is_ok()
    };
    ASKED.iter().position(free).ok_or(AllocError)
}

/// Unregisters an allocator and waits until no handler can be reading it.
fn leave(slot: usize) {
    ASKED[slot].store(ptr::null_mut(), Ordering::SeqCst);
    // A handler counts itself before it reads the table. All operations are sequentially
    // consistent, so either it is counted here, or it sees the empty slot. It waits for nothing, so
    // this ends.
    while READERS.load(Ordering::SeqCst) != 0 {
        core::hint::spin_loop();
    }
}

/// Installs the handler, which may be installed already.
fn install() -> Result<(), AllocError> {
    remember_previous()?;
    for signal in SIGNALS {
        if set_handler(signal).is_err() {
            step_aside();
            return Err(AllocError);
        }
    }
    Ok(())
}

/// Reads, once, the signals' actions without this handler.
fn remember_previous() -> Result<(), AllocError> {
    let order = Ordering::SeqCst;
    loop {
        match KNOWN.compare_exchange(UNASKED, ASKING, order, order) {
            Ok(_) => break,
            Err(ANSWERED) => return Ok(()),
            // Another thread is reading them, which takes two system calls.
            Err(_) => core::hint::spin_loop(),
        }
    }
    for (index, signal) in SIGNALS.into_iter().enumerate() {
        let mut before = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: nothing is changed; the place for the answer is local.
        if unsafe { libc::sigaction(signal, ptr::null(), before.as_mut_ptr()) } != 0 {
            KNOWN.store(UNASKED, order);
            return Err(AllocError);
        }
        // SAFETY: only this thread set `ASKING`, and no thread reads before `ANSWERED`.
        unsafe { previous(index).write(before) };
    }
    KNOWN.store(ANSWERED, order);
    Ok(())
}

/// Returns the place of a signal's previous action.
fn previous(index: usize) -> *mut MaybeUninit<libc::sigaction> {
    let places = PREVIOUS.0.get().cast::<MaybeUninit<libc::sigaction>>();
    // SAFETY: there are as many places as signals, and callers count those.
    unsafe { places.add(index) }
}

fn set_handler(signal: libc::c_int) -> Result<(), AllocError> {
    // SAFETY: all zero is a value of this plain structure: the default action and an empty mask.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_fault;
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler has the signature that SA_SIGINFO asks for, and lives for ever.
    let result = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
    if result == 0 { Ok(()) } else { Err(AllocError) }
}

/// Restores the previous handlers. Several threads can do so at once.
fn step_aside() {
    for (index, signal) in SIGNALS.into_iter().enumerate() {
        let action = previous(index).cast::<libc::sigaction>().cast_const();
        // SAFETY: the action was written before the handler was first installed, and never after.
        unsafe { libc::sigaction(signal, action, ptr::null_mut()) };
    }
}

/// The handler. It calls only functions allowed in signal handlers: atomics, `write`, `sigaction`,
/// `raise`.
extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes a valid structure, as SA_SIGINFO asks.
    let info = unsafe { &*info };
    let code = info.si_code;
    if code > 0 {
        // SAFETY: a signal that the kernel raises for an access has an address.
        let address = unsafe { info.si_addr() };
        print_known(address.cast_const().cast());
    }
    step_aside();
    if code <= 0 {
        // The signal was sent by a process; no access is retried on return, so it is sent again.
        // SAFETY: raise takes a number.
        unsafe { libc::raise(signal) };
    }
}

/// Prints the table's allocators' descriptions of an address.
fn print_known(address: *const u8) {
    READERS.fetch_add(1, Ordering::SeqCst);
    for (index, asked) in ASKED.iter().enumerate() {
        let allocator = asked.load(Ordering::SeqCst);
        if ASKED[..index].iter().any(|before| before.load(Ordering::SeqCst) == allocator) {
            // It is registered permanently and temporarily, or the slot is empty.
            continue;
        }
        let allocator = allocator.cast::<GuardPageAllocator<'static>>();
        // SAFETY: an address in the table is that of an allocator that stays where it is until it
        // was taken out and no handler is counted any more; this one is.
        if let Some(allocator) = unsafe { allocator.as_ref() } {
            print_of(allocator, address);
        }
    }
    READERS.fetch_sub(1, Ordering::SeqCst);
}

fn print_of(allocator: &GuardPageAllocator<'_>, address: *const u8) {
    let name = allocator.name;
    for _ in 0..TRIES {
        match allocator.state.try_with(|state| state.describe(address)) {
            Some(Some(known)) => {
                write_stderr(format_args!("loligo: fault: allocator `{name}`: {known}\n"));
                return;
            }
            Some(None) => return,
            None => core::hint::spin_loop(),
        }
    }
    write_stderr(format_args!("loligo: fault: allocator `{name}` is busy and cannot be asked\n"));
}
