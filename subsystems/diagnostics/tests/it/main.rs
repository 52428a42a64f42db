//! The crate from outside: what stops a process, in separate processes, and what is never
//! allocated.
#![forbid(unsafe_code)]

use std::alloc::System;

use loligo_allocators::GlobalGuard;

/// Counts what a test asks of the global heap.
#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("tests", System);

mod child;
mod jobs;
mod memory;
mod stops;
