//! The recorder that `loligo record` preloads into a program.
//!
//! It is before the C library's `malloc` and its kin, passes each call on to the function that
//! would have served it, and writes what was called into a file that it shares with `loligo
//! record`. No crate links it, or it would define `malloc` there: the build script of
//! `loligo-replay` compiles it to a library, which `loligo` carries as bytes.
//!
//! What it may not do, since it runs inside any program at any moment: allocate, wait for a lock,
//! panic, change `errno`, or keep a file open that the program might close. So it does without
//! std; what it needs of the system is in [`system`].
//!
//! After the preloaded recorders of heaptrack (Milian Wolff, 2014) and of Firefox (logalloc, Mike
//! Hommey, 2012). Changes: records have a fixed size and are in shared memory, so that a killed
//! program loses only those that are being written; one counter orders all threads; a child made by
//! `fork` cannot reach its parent's records, by the kernel's own hand.

#![no_std]

mod caller;
mod early;
mod exports;
mod maps;
mod marks;
#[expect(dead_code, reason = "`loligo record` reads what is written here")]
mod raw;
mod real;
mod run;
mod settings;
mod stacks;
mod system;
mod thread;

/// Nothing here is meant to panic; what does ends the program, since a recorder has no way to go on
/// or to report it.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    system::abort()
}
