//! How a command ends, and with which exit status.

use core::fmt;

/// What a command returns.
pub(crate) type Outcome = Result<(), Failure>;

/// Why a command did not end well.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The check was made and found something. Exit status 1.
    Found(String),
    /// The command could not do its work: bad arguments, or a program is missing. Exit status 2.
    Unable(String),
}

impl Failure {
    /// Returns the exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Found(_) => 1,
            Self::Unable(_) => 2,
        }
    }

    /// Wraps an error of the file system, saying what was being done.
    pub(crate) fn io(doing: &str, error: &std::io::Error) -> Self {
        Self::Unable(format!("{doing}: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(what) | Self::Unable(what) => f.write_str(what),
        }
    }
}
