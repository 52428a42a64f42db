//! Samples between samples.

mod kernels;
mod resample;
mod step;

pub use kernels::{Kernels, SPEED_MAX};
pub(crate) use resample::{resample, window_len};
pub(crate) use step::Step;
