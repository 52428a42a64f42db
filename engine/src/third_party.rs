//! Libraries that know the global heap alone: the one table of places at which a frame may reach
//! it.
//!
//! After "Custom Memory Allocation in C++" (Bitsquid blog, 2010-09-21), whose engine asserts when
//! anything calls `new`. Change: what libraries take is let through at the places listed here,
//! counted by name, and nowhere else.

use core::fmt;

use loligo_allocators::{ArmedAll, Arming, CallSite, GlobalGuard};

/// The libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// The compiler of content, which the running engine calls when a tool asks for a reload: it is
    /// no part of a game.
    Compiler,
    /// The graphics API.
    Wgpu,
    /// WebSocket connections of tools.
    Tungstenite,
    /// The window.
    Winit,
}

static SITES: [CallSite; 4] = [
    CallSite::new("loligo-compiler"),
    CallSite::new("wgpu"),
    CallSite::new("tungstenite"),
    CallSite::new("winit"),
];

impl Library {
    /// Runs `work`, which may reach the global heap meanwhile; what it asks for is counted under
    /// the library's name.
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        SITES[self as usize].run(work)
    }
}

/// Returns the table, with what was counted since a guard was armed.
#[must_use]
pub fn libraries() -> &'static [CallSite] {
    &SITES
}

/// What libraries took from the global heap since the guard was armed, as a table: the part of the
/// memory overview that no allocator of ours knows.
///
/// C libraries below them call the C library's `malloc`, which is not seen.
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

/// What stops a program in whose frames the global heap is reached: its [`GlobalGuard`], whatever
/// that guards.
pub trait FrameGuard: Sync {
    /// Arms all threads until what is returned is dropped.
    fn arm(&self) -> ArmedAll<'_>;
}

impl<A: Sync> FrameGuard for GlobalGuard<A> {
    fn arm(&self) -> ArmedAll<'_> {
        self.arm_all_threads(Arming::new())
    }
}
