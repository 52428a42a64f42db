//! The steps of a pile with eight lanes and on several threads, which are not to be had with results that
//! are the same everywhere.

use core::hint::black_box;
use std::time::Instant;

use super::piles::wide;
use super::scene::STEPS;
use crate::contender::{Contender, Pass};

/// Returns the time of a step of rapier3d with its features `simd8` and `parallel`, on `threads`.
pub(crate) fn wide_steps(name: &'static str, threads: usize) -> Contender {
    Contender::new(name, move || {
        let mut world = wide::pile();
        let pool = world.physics_pipeline.configure_thread_pool(threads);
        pool.expect("threads are to be had");
        // By the clock, not by the processor time of this thread: the work is that of the pool's threads.
        let began = Instant::now();
        (0..STEPS).for_each(|_| world.step());
        let ns = began.elapsed().as_nanos() as u64;
        black_box(&world);
        Pass { ns, operations: STEPS }
    })
}
