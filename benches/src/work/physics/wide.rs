//! The steps of a pile with eight lanes and on several threads, which are not to be had with results that
//! are the same everywhere.

use core::hint::black_box;

use super::piles::wide;
use super::scene::STEPS;
use crate::clock;
use crate::contender::{Contender, Pass};

/// Returns the time of a step of rapier3d with its features `simd8` and `parallel`, on `threads`.
pub(crate) fn wide_steps(name: &'static str, threads: usize) -> Contender {
    Contender::new(name, move || {
        let mut world = wide::pile();
        let pool = world.physics_pipeline.configure_thread_pool(threads);
        pool.expect("threads are to be had");
        let ns = clock::time(|| (0..STEPS).for_each(|_| world.step()));
        black_box(&world);
        Pass { ns, operations: STEPS }
    })
}
