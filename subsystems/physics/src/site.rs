//! Where the simulation calls the global heap.

use loligo_allocators::CallSite;

/// Where the simulation calls the global heap, which it knows alone: for the table of an engine.
pub static RAPIER: CallSite = CallSite::new("rapier3d");
