//! Threads of subsystems.

use core::sync::atomic::AtomicBool;

/// What a subsystem has run on a separate thread: a device that it feeds, which must not wait for frames.
///
/// It shares with its subsystem what both have made for that; the engine knows nothing of it.
pub trait SideThread: Send {
    /// Runs until `is_over` is set, which an engine does as it goes.
    fn run(&mut self, is_over: &AtomicBool);
}
