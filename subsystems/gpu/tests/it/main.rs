//! The graphics card from outside; where there is no driver, tests say so and end.

use std::alloc::System;
use std::sync::Once;

use loligo_allocators::GlobalGuard;
use loligo_gpu::{Gpu, GpuOptions};

mod draw;
mod faults;

#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("global", System);

static SCOPE: Once = Once::new();

/// Opens a graphics card, or prints why there is none.
pub(crate) fn gpu() -> Option<Gpu> {
    SCOPE.call_once(|| assert!(loligo_gpu::set_scope(|work| GUARD.exempt(work)), "set once"));
    match Gpu::try_new(&GpuOptions::default()) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            println!("nothing is tested: {error}");
            None
        }
    }
}
