//! Compiling waves: for tools, enabled by the feature `compile`.
//!
//! A game is built without the feature and reads what these have made: [`Wave`](crate::Wave).

mod heap;
mod resampled;
mod wave;

use loligo_compiler::Compilers;

pub use wave::WaveCompiler;

use crate::wave::WAVE_TYPE;

/// Registers all compilers of this crate.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
///
/// let mut compilers = Compilers::built_in();
/// loligo_sound::compile::register(&mut compilers);
/// assert!(compilers.get("wave").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    compilers.register(WAVE_TYPE, WaveCompiler);
}
