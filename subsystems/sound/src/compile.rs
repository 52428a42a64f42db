//! Compiling sounds, waves and mixers: for tools, enabled by the feature `compile`.
//!
//! A game is built without the feature and reads what these have made: [`SoundTree`](crate::SoundTree),
//! [`Wave`](crate::Wave) and [`MixerPlan`](crate::MixerPlan).

mod components;
mod mixer;
mod names;
mod resampled;
mod sound;
mod wave;

use loligo_compiler::Compilers;

pub use components::{SoundSourceCompiler, SoundZoneCompiler, components};
pub use mixer::MixerCompiler;
pub use sound::SoundCompiler;
pub use wave::WaveCompiler;

use crate::plan::MIXER_TYPE;
use crate::tree::SOUND_TYPE;
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
/// assert!(compilers.get("sound").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    compilers.register(MIXER_TYPE, MixerCompiler);
    compilers.register(SOUND_TYPE, SoundCompiler);
    compilers.register(WAVE_TYPE, WaveCompiler);
}
