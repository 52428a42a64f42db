//! What a terminal or a supervisor sends to `loligo record` is meant for the program.
//!
//! An interrupt from the terminal reaches the program by itself; here it must only be outlived, so
//! that what the program did until then is written. What is sent to this process alone is passed
//! on.

use core::sync::atomic::{AtomicI32, Ordering};

/// The program that signals are passed on to; 0 where none runs.
static PROGRAM: AtomicI32 = AtomicI32::new(0);

/// Those that the terminal sends to both.
const OUTLIVED: [libc::c_int; 2] = [libc::SIGINT, libc::SIGQUIT];

/// Those that are passed on.
const PASSED_ON: [libc::c_int; 2] = [libc::SIGTERM, libc::SIGHUP];

/// While it lives, signals are the program's.
pub(super) struct Passing {
    before: Vec<(libc::c_int, libc::sigaction)>,
}

impl Passing {
    /// Begins, before the program is started: it is started with none of this.
    pub(super) fn begin() -> Self {
        let mut before = Vec::new();
        for signal in OUTLIVED.into_iter().chain(PASSED_ON) {
            // SAFETY: all zeros are a valid value of this type of the C library.
            let mut old: libc::sigaction = unsafe { core::mem::zeroed() };
            let mut new = old;
            new.sa_sigaction = handle as *const () as libc::sighandler_t;
            new.sa_flags = libc::SA_RESTART;
            // SAFETY: the handler does only what a handler may; both pointers are those of live
            // values.
            unsafe { libc::sigaction(signal, &raw const new, &raw mut old) };
            if old.sa_sigaction == libc::SIG_IGN {
                // Our parent ignores it, by nohup for one, and the program inherits that.
                // SAFETY: it puts back what was there.
                unsafe { libc::sigaction(signal, &raw const old, core::ptr::null_mut()) };
            } else {
                before.push((signal, old));
            }
        }
        Self { before }
    }

    /// Names the program.
    pub(super) fn to(&self, process: u32) {
        PROGRAM.store(process as i32, Ordering::SeqCst);
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        PROGRAM.store(0, Ordering::SeqCst);
        for (signal, old) in &self.before {
            // SAFETY: it puts back what was there.
            unsafe { libc::sigaction(*signal, core::ptr::from_ref(old), core::ptr::null_mut()) };
        }
    }
}

extern "C" fn handle(signal: libc::c_int) {
    let process = PROGRAM.load(Ordering::SeqCst);
    if process > 0 && PASSED_ON.contains(&signal) {
        // SAFETY: a handler may call it. The number is that of a child of ours, which is not reaped
        // before `Passing` has gone.
        unsafe { libc::kill(process, signal) };
    }
}
