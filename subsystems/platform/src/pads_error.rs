//! Why gamepads are not listened to.

use core::error::Error;
use core::fmt;

use crate::reason::Reason;

/// The system does not let the program listen to gamepads. The game can be played without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PadsError {
    /// What the system said.
    pub why: Reason,
}

impl fmt::Display for PadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gamepads cannot be read: {}; play with keyboard and mouse", self.why)
    }
}

impl Error for PadsError {}
