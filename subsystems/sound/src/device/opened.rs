//! What opens devices, and what was opened.

use core::error::Error;
use core::fmt;
use std::boxed::Box;
use std::string::String;

use super::frames::FramesOut;

/// Opens devices.
pub trait AudioDevices {
    /// Opens a device that takes frames from now on, at another rate if it does not have the one that is
    /// wanted.
    ///
    /// # Errors
    ///
    /// [`DeviceError`] if there is none, or none that can be used.
    fn open(&mut self, rate: u32, frames: FramesOut) -> Result<Box<dyn AudioDevice>, DeviceError>;
}

/// A device that was opened; dropping it closes it. One that is gone says so by [`FramesOut::loss`].
pub trait AudioDevice: Send {
    /// The frames that it takes a second.
    fn rate(&self) -> u32;
}

/// Why there is no sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// No device could be opened.
    Unopened {
        /// What the system says.
        reason: String,
    },
    /// A device that played is gone.
    Lost,
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unopened { reason } => write!(
                f,
                "no audio device could be opened: {reason}; the game goes on in silence: connect one, or let go of \
                 it in other programs"
            ),
            Self::Lost => f.write_str(
                "the audio device is gone; the game goes on in silence until there is one: connect it again, or \
                 choose another in the system's settings",
            ),
        }
    }
}

impl Error for DeviceError {}
