//! What a fault hit, printed by a signal handler before the process dies of it.
//!
//! The handler takes no memory and waits for nobody. What it may read are the allocators in a fixed
//! table of addresses; a thread that takes one out waits until no handler reads any more.

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

/// How many allocators can be asked at once.
const ASKED_MAX: usize = 16;

/// How often the handler tries an allocator's lock. Its holder may be the thread that has faulted.
const TRIES: u32 = 1000;

/// The signals that a bad access raises.
const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The allocators to ask; each stays where it is while its address stands here.
static ASKED: [AtomicPtr<()>; ASKED_MAX] = [const { AtomicPtr::new(ptr::null_mut()) }; ASKED_MAX];

/// Handlers that read the allocators now.
static READERS: AtomicUsize = AtomicUsize::new(0);

/// What was to happen at the signals before this crate's handler first stood.
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
    /// Runs `work`; if a bad access stops the program meanwhile, in any thread, what this allocator
    /// knows about the address is printed to standard error first.
    ///
    /// As [`report_faults`](Self::report_faults) in all else, for an allocator that does not live
    /// for ever.
    ///
    /// # Errors
    ///
    /// [`AllocError`] without running `work`, as there.
    pub fn while_reporting_faults<R>(&self, work: impl FnOnce() -> R) -> Result<R, AllocError> {
        /// Takes the allocator out again, also where `work` unwinds.
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
    /// Has it printed to standard error, at a bad access in any thread, what this allocator knows
    /// about the address; the program then ends as it would have.
    ///
    /// A handler for `SIGSEGV` and `SIGBUS` is installed for the process, on the alternate stack
    /// where a thread has one. At the first of these signals, whatever address it is about, it puts
    /// the handlers back that were there when this was first called, and returns, so that the
    /// access is tried again and they decide: as a rule the process dies of the signal, and a
    /// debugger or a core dump sees the very instruction. If the program lives on after that,
    /// faults are reported again only once this is called again.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if 16 allocators report already, or the system refuses the handler.
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

/// Enters an allocator into the table; the caller keeps it where it is until [`leave`].
fn enter(allocator: &GuardPageAllocator<'_>) -> Result<usize, AllocError> {
    let this = address_of(allocator);
    let free = |asked: &AtomicPtr<()>| {
        let order = Ordering::SeqCst;
        asked.compare_exchange(ptr::null_mut(), this, order, order).is_ok()
    };
    ASKED.iter().position(free).ok_or(AllocError)
}

/// Takes an allocator out and waits until no handler can be reading it.
fn leave(slot: usize) {
    ASKED[slot].store(ptr::null_mut(), Ordering::SeqCst);
    // A handler counts itself before it looks at the table. All are sequentially consistent, so
    // either it is seen here, or it sees the empty slot. It waits for nothing, so this ends.
    while READERS.load(Ordering::SeqCst) != 0 {
        core::hint::spin_loop();
    }
}

/// Installs the handler, which may stand already.
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

/// Asks, once, what is to happen at the signals without this handler.
fn remember_previous() -> Result<(), AllocError> {
    let order = Ordering::SeqCst;
    loop {
        match KNOWN.compare_exchange(UNASKED, ASKING, order, order) {
            Ok(_) => break,
            Err(ANSWERED) => return Ok(()),
            // Another thread is at it, which takes two system calls.
            Err(_) => core::hint::spin_loop(),
        }
    }
    for (index, signal) in SIGNALS.into_iter().enumerate() {
        let mut before = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: nothing is changed; the place for the answer is this function's own.
        if unsafe { libc::sigaction(signal, ptr::null(), before.as_mut_ptr()) } != 0 {
            KNOWN.store(UNASKED, order);
            return Err(AllocError);
        }
        // SAFETY: this thread alone has the `ASKING`, and nobody reads before `ANSWERED`.
        unsafe { previous(index).write(before) };
    }
    KNOWN.store(ANSWERED, order);
    Ok(())
}

/// Returns where the action of a signal is kept.
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

/// Puts the handlers back that were there before. Several threads may do so at once.
fn step_aside() {
    for (index, signal) in SIGNALS.into_iter().enumerate() {
        let action = previous(index).cast::<libc::sigaction>().cast_const();
        // SAFETY: the action was written before the handler was first installed, and never after.
        unsafe { libc::sigaction(signal, action, ptr::null_mut()) };
    }
}

/// The handler. It calls what signal handlers may call: atomics, `write`, `sigaction`, `raise`.
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
        // Somebody has sent the signal; no access is tried again on return, so it is sent again.
        // SAFETY: raise takes a number.
        unsafe { libc::raise(signal) };
    }
}

/// Prints what the allocators of the table know about an address.
fn print_known(address: *const u8) {
    READERS.fetch_add(1, Ordering::SeqCst);
    for (index, asked) in ASKED.iter().enumerate() {
        let allocator = asked.load(Ordering::SeqCst);
        if ASKED[..index].iter().any(|before| before.load(Ordering::SeqCst) == allocator) {
            // It reports for ever and meanwhile, or there is none.
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
