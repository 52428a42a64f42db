//! Ctrl-C in a long search: the first asks for the results so far, the second ends the process.

use core::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Has the next Ctrl-C end a search early, with its results so far. Children that are forked count
/// it for themselves and go on; programs that are started do not inherit it.
pub fn arm() {
    // SAFETY: the handler stores a flag and sets a handler, which are allowed in a handler.
    unsafe { libc::signal(libc::SIGINT, note as extern "C" fn(libc::c_int) as libc::sighandler_t) };
}

/// Returns `true` once somebody has asked for the results so far.
#[must_use]
pub fn is_asked() -> bool {
    // Relaxed: a flag that orders nothing.
    ASKED.load(Ordering::Relaxed)
}

extern "C" fn note(signal: libc::c_int) {
    // Relaxed: as above.
    ASKED.store(true, Ordering::Relaxed);
    // SAFETY: this is allowed in a handler.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

#[cfg(test)]
mod tests {
    use super::{arm, is_asked};

    #[test]
    fn a_signal_is_noted_once() {
        let _alone = crate::child::alone();
        // In a child, which the flag dies with.
        let answer = crate::child::run(|| {
            arm();
            let before = is_asked();
            // SAFETY: the handler was set above.
            unsafe { libc::raise(libc::SIGINT) };
            Ok(vec![u8::from(before), u8::from(is_asked())])
        });
        assert_eq!(answer.expect("a child"), Some(vec![0, 1]));
        assert!(!is_asked(), "not here");
    }
}
