//! What one thread has for itself.

use crate::forks::Forks;
use crate::plain::{Plain8, Plain32, Plain64};
use crate::ring::Ring;
use crate::slot::NONE;

/// How many pauses a thread looks for work before it sleeps, at least and at most: the time of a
/// wake-up is some microseconds. In between, looking pays or does not.
#[cfg(not(all(test, loom)))]
pub(crate) const LOOKS: core::ops::Range<u32> = 512..4096;
#[cfg(all(test, loom))]
pub(crate) const LOOKS: core::ops::Range<u32> = 0..0;

/// How long a thread pauses between two looks, at most: each takes lines from the threads that work.
pub(crate) const PAUSE_MAX: u32 = 64;

/// How many turns a thread waits before it takes a task that it has seen, at least and at most: half
/// a microsecond, and five, the time of a wake-up.
pub(crate) const MOMENT: core::ops::Range<u32> = 32..512;

/// What is taken from another thread pays if a task is longer than this, in nanoseconds: it moves two
/// cache lines there and back.
pub(crate) const WORTH: u64 = 250;

/// What one thread has for itself; others only take from its ring, and read its counts.
///
/// # Invariants
///
/// 1. Only the thread with this index writes, while it is registered.
/// 2. All tasks in the ring have one priority, `level`.
/// 3. `credit` is what `credit_root` has as open work for tasks of a scope that this thread has not
///    added yet; `pending` what `pending_parent` still has for children that are done. So a count
///    that two threads would pass to and fro changes once for many tasks.
#[repr(align(128))]
pub(crate) struct Local {
    pub(crate) ring: Ring,
    /// Free places, at most a batch; `spare` is none or a whole batch.
    pub(crate) free: Plain32,
    pub(crate) free_count: Plain32,
    pub(crate) spare: Plain32,
    /// The task on top of its stack.
    pub(crate) running: Plain32,
    pub(crate) credit_root: Plain32,
    pub(crate) credit: Plain32,
    pub(crate) pending_parent: Plain32,
    pub(crate) pending: Plain32,
    pub(crate) looks: Plain32,
    /// How long it pauses between two looks.
    pub(crate) pause: Plain32,
    /// How long it waits before it takes what it has seen.
    pub(crate) moment: Plain32,
    /// When it last took something of others, and how many tasks it had completed then; 0 if what it
    /// has done since is no measure of these.
    pub(crate) helped_at: Plain64,
    pub(crate) helped: Plain64,
    /// How many scopes it has begun and not ended.
    pub(crate) scopes: Plain32,
    /// How many of its waits are within each other.
    pub(crate) depth: Plain32,
    pub(crate) forks: Forks,
    pub(crate) level: Plain8,
    /// It waits in a circle: written with the lock held while it sleeps.
    pub(crate) stuck: Plain8,
    /// Which arrival of a system thread made it this one; 0 if none serves.
    pub(crate) arrival: Plain64,
    pub(crate) added: Plain64,
    pub(crate) completed: Plain64,
}

#[cfg(not(all(test, loom)))]
const _: () = assert!(size_of::<Local>() == 384, "three pairs of cache lines");

/// A thread of the manager, as it knows itself: so what it has needs no search.
#[derive(Clone, Copy)]
pub(crate) struct Me<'m> {
    pub(crate) thread: u8,
    pub(crate) local: &'m Local,
}

impl Local {
    pub(crate) fn new() -> Self {
        Self {
            ring: Ring::new(),
            free: Plain32::new(NONE),
            free_count: Plain32::new(0),
            spare: Plain32::new(NONE),
            running: Plain32::new(NONE),
            credit_root: Plain32::new(NONE),
            credit: Plain32::new(0),
            pending_parent: Plain32::new(NONE),
            pending: Plain32::new(0),
            looks: Plain32::new(LOOKS.end / 8),
            pause: Plain32::new(1),
            moment: Plain32::new(MOMENT.start),
            helped_at: Plain64::new(0),
            helped: Plain64::new(0),
            scopes: Plain32::new(0),
            depth: Plain32::new(0),
            forks: Forks::new(),
            level: Plain8::new(0),
            stuck: Plain8::new(0),
            arrival: Plain64::new(0),
            added: Plain64::new(0),
            completed: Plain64::new(0),
        }
    }
}
