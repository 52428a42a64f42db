//! How a script's machine is made.

use crate::binding::Route;

/// How scripts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which way bound functions are called.
    pub route: Route,
    /// Whether it is checked, at each call, that ids and temporaries are of the kind that the table
    /// says, and temporaries of this frame. Without, a wrong one is taken for what it is not;
    /// memory is safe all the same. For games that are shipped.
    pub checks: bool,
    /// The most temporaries of each kind in a frame, up to
    /// [`TEMPORARIES_MAX`](crate::TEMPORARIES_MAX).
    pub temporaries: u32,
    /// The most instructions of one call from the engine; then it ends in an error. Nothing is
    /// compiled to machine code while there is a limit, as compiled loops do not count. `None`: any
    /// number, compiled.
    pub instructions_max: Option<u32>,
}

impl Default for Settings {
    /// Foreign calls, checked, 4 096 temporaries, no limit.
    fn default() -> Self {
        Self { route: Route::Foreign, checks: true, temporaries: 4096, instructions_max: None }
    }
}
