//! Samples between samples.

mod kernels;
mod low_pass;
mod resample;
mod step;

pub use kernels::{Kernels, SPEED_MAX};
pub(crate) use low_pass::{low_pass, low_pass_share};
pub(crate) use resample::{resample, window_len};
pub(crate) use step::Step;
