//! How scripts are run.

use core::time::Duration;

/// How scripts are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptOptions {
    /// Whether each call checks that ids and vectors are what the function takes, and of this
    /// frame. Off for games that are shipped.
    pub checks: bool,
    /// How long scripts may take before they are stopped; without, any time.
    pub limits: Option<ScriptLimits>,
}

impl Default for ScriptOptions {
    /// Checked, any time.
    fn default() -> Self {
        Self { checks: true, limits: None }
    }
}

/// How long scripts may take. What takes longer is stopped, as one that failed: the game goes on
/// without it.
///
/// Its clock decides nothing else: what scripts see of the time is the world's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Loading a script, at the start and at a reload.
    pub load: Duration,
    /// A call of the engine: the start, an update, an event.
    pub frame: Duration,
    /// A line of the console.
    pub line: Duration,
    /// Whether a thread looks at the system's clock; without, the program must look at
    /// [`Engine::script_watch`](crate::Engine::script_watch) itself.
    pub has_thread: bool,
}

impl Default for ScriptLimits {
    /// Two seconds each, by a thread.
    fn default() -> Self {
        let most = Duration::from_secs(2);
        Self { load: most, frame: most, line: most, has_thread: true }
    }
}
