//! Why there is no window.

use core::error::Error;
use core::fmt;

use crate::reason::Reason;

/// A window was not opened. Nothing is left of the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WindowError {
    /// There is no display, or it does not answer.
    Display {
        /// What the system said.
        why: Reason,
    },
    /// There is a display, and it gave no window.
    Refused {
        /// What the system said.
        why: Reason,
    },
    /// The program has had a window before: systems allow one connection to the display in a
    /// program's life.
    Again,
    /// The display has ended while the window was being opened.
    Ended,
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Self::Display { why } => {
                return write!(
                    f,
                    "no window can be opened, since there is no display ({why}); start it from a desktop, or set \
                     DISPLAY or WAYLAND_DISPLAY"
                );
            }
            Self::Refused { why } => return write!(f, "the display gives no window: {why}"),
            Self::Again => "a program can open a window once; start it again for another one",
            Self::Ended => "the display has ended while the window was opened; is it still there?",
        };
        f.write_str(why)
    }
}

impl Error for WindowError {}
