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

global_asm!(
    ".pushsection .tbss.loligo_thread, \"awT\", @nobits",
    ".balign 8",
    "loligo_thread:",
    ".zero 8",
    ".popsection",
);

/// The data of a thread.
#[repr(C)]
struct Own {
    number: Cell<u32>,
    inside: Cell<bool>,
}

const _: () = assert!(size_of::<Own>() == 8, "as many bytes as in the assembly above");

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
    // SAFETY: the place is this thread's, eight bytes aligned to eight, at first zeros, which are a
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
