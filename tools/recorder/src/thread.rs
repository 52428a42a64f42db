//! What the recorder knows of the calling thread.
//!
//! Rust's `thread_local!` belongs to std, which brings an unwinder, a panic hook and another
//! library into every program. So this is what it would become: a place in each thread's own
//! memory, found by an offset from the thread's pointer (the model "initial exec"). That offset is
//! fixed when the program is loaded, and the place is part of the memory that a thread is made
//! with, filled with zeros: reaching it never allocates, at no moment from a thread's first
//! instruction to its last.

use core::arch::{asm, global_asm};
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::maps;

global_asm!(
    ".pushsection .tbss.loligo_thread, \"awT\", @nobits",
    ".balign 8",
    "loligo_thread:",
    ".zero 32",
    ".popsection",
);

/// The data of a thread.
#[repr(C)]
struct Own {
    number: Cell<u32>,
    inside: Cell<bool>,
    /// How often the thread's stack was looked for.
    searches: Cell<u8>,
    /// Where the thread's stack is; empty while it is not known.
    stack_start: Cell<usize>,
    stack_end: Cell<usize>,
}

const _: () = assert!(size_of::<Own>() <= 32, "as many bytes as in the assembly above");

/// A thread that is on other stacks than its own is not held up by searches.
const SEARCHES_MAX: u8 = 16;

/// How many threads had an event. A child made by `fork` counts on, as its thread keeps its number.
static THREADS: AtomicU32 = AtomicU32::new(0);

/// Lends the data of the calling thread.
fn with<R>(work: impl FnOnce(&Own) -> R) -> R {
    let own: *const Own;
    // SAFETY: the two instructions read the offset, which the linker has set, and the thread's
    // pointer, which each thread has at `fs:0`; they change nothing else.
    unsafe {
        asm!(
            "mov {own}, qword ptr [rip + loligo_thread@gottpoff]",
            "add {own}, qword ptr fs:[0]",
            own = out(reg) own,
            options(pure, readonly, nostack),
        );
    }
    // SAFETY: the place is this thread's, 32 bytes aligned to eight, at first zeros, which are a
    // valid `Own`; it lives as long as the thread, and no other thread is given a reference to it.
    work(unsafe { &*own })
}

/// Returns the calling thread's number, from 1.
pub(crate) fn number() -> u32 {
    with(|own| {
        if own.number.get() == 0 {
            // Relaxed: the numbers only have to differ.
            own.number.set(THREADS.fetch_add(1, Ordering::Relaxed) + 1);
        }
        own.number.get()
    })
}

/// Returns the end of the calling thread's own stack, if `at` is on it. From `at` to that end all
/// can be read as long as the thread lives.
///
/// `None` on a signal's stack or a coroutine's: those can be unmapped at any time.
pub(crate) fn stack_end(at: usize) -> Option<usize> {
    with(|own| {
        if (own.stack_start.get()..own.stack_end.get()).contains(&at) {
            return Some(own.stack_end.get());
        }
        if own.searches.get() == SEARCHES_MAX {
            return None;
        }
        own.searches.set(own.searches.get() + 1);
        let (start, end) = maps::stack_with(at, pointer())?;
        own.stack_start.set(start);
        own.stack_end.set(end);
        Some(end)
    })
}

/// Returns the address of the thread's control block, which the C library puts at the end of the
/// stack of each thread that it starts.
fn pointer() -> usize {
    let at: usize;
    // SAFETY: the word at `fs:0` holds its own address, in each thread; nothing is changed.
    unsafe {
        asm!("mov {at}, qword ptr fs:[0]", at = out(reg) at, options(pure, readonly, nostack));
    }
    at
}

/// The calling thread is inside an allocator's function. What that calls in turn is its own affair
/// and not recorded, or a block would be there twice.
pub(crate) struct Inside(());

impl Inside {
    /// Enters; `None` where the thread is inside already.
    pub(crate) fn enter() -> Option<Self> {
        // Not `then_some`: it would make one in any case, whose end says that the thread is
        // outside.
        with(|own| !own.inside.replace(true)).then(|| Self(()))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        with(|own| own.inside.set(false));
    }
}
