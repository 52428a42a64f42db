//! Libraries that can allocate from the global heap only: the one table of places where a frame may
//! call it.
//!
//! After "Custom Memory Allocation in C++" (Bitsquid blog, 2010-09-21), whose engine asserts when
//! anything calls `new`. Change: libraries may call the global heap at the places listed here,
//! where their calls are counted by name, and nowhere else.

use core::fmt;

use loligo_allocators::{ArmedAll, Arming, CallSite, GlobalGuard};

/// The libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// The content compiler, which the running engine calls when a tool requests a reload. It is
    /// not part of a game.
    Compiler,
    /// Files, of saved games for instance: paths are on the global heap.
    Std,
    /// Gamepads.
    Gilrs,
    /// Pictures for tools.
    Png,
    /// The graphics API.
    Wgpu,
    /// WebSocket connections of tools.
    Tungstenite,
    /// The library that opens the window.
    Winit,
}

static OWN: [CallSite; 7] = [
    CallSite::new("loligo-compiler"),
    CallSite::new("std"),
    CallSite::new("gilrs"),
    CallSite::new("png"),
    CallSite::new("wgpu"),
    CallSite::new("tungstenite"),
    CallSite::new("winit"),
];

/// The sites of [`Library`], in its order, and that of the subsystem of physics.
static SITES: [&CallSite; 8] = [
    &OWN[0],
    &OWN[1],
    &OWN[2],
    &OWN[3],
    &OWN[4],
    &OWN[5],
    &OWN[6],
    // A subsystem that joins by a row enters its own site: the engine does not call it by name.
    &loligo_physics::RAPIER,
];

impl Library {
    /// Runs `work`, which may call the global heap. Its calls are counted under the library's name.
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        SITES[self as usize].run(work)
    }
}

/// Returns the table, with the calls counted since a guard was armed.
#[must_use]
pub fn libraries() -> &'static [&'static CallSite] {
    &SITES
}

/// A table of the global-heap calls that libraries made since the guard was armed: the part of the
/// memory overview that none of our allocators counts.
///
/// C libraries that they use call the C library's `malloc`; those calls are not counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Libraries;

impl fmt::Display for Libraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Global-heap calls by foreign crates:")?;
        writeln!(f, "{:<20}{:>14}{:>10}{:>14}", "crate", "allocations", "frees", "bytes")?;
        for site in libraries() {
            let counts = site.counts();
            let (name, frees) = (site.name(), counts.frees);
            writeln!(f, "{name:<20}{:>14}{frees:>10}{:>14}", counts.allocations, counts.bytes)?;
        }
        Ok(())
    }
}

/// The program's [`GlobalGuard`], whichever allocator it guards. It stops the program if a frame
/// calls the global heap.
pub trait FrameGuard: Sync {
    /// Arms all threads until the returned value is dropped.
    fn arm(&self) -> ArmedAll<'_>;
}

impl<A: Sync> FrameGuard for GlobalGuard<A> {
    fn arm(&self) -> ArmedAll<'_> {
        self.arm_all_threads(Arming::new())
    }
}
