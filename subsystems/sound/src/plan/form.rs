//! What each effect is made of, for those who read and write it by the names of its fields.

use loligo_ids::IdString32;

use crate::effects::{Compression, Echo, Effect, FILTERS, Filtering, Limiting, Reverberation};

/// The numbers of an effect.
pub(crate) type Numbers = [f32; 6];

/// An effect as sources have it.
pub(crate) struct EffectForm {
    /// What sources call it.
    #[cfg(feature = "compile")]
    pub(crate) name: &'static str,
    /// Its fields, and what they are where a source does not say.
    #[cfg(feature = "compile")]
    pub(crate) fields: &'static [(&'static str, f32)],
    make: fn(u32, IdString32, Numbers) -> Option<Effect>,
}

macro_rules! form {
    ($name:literal, [$($field:ident = $value:literal),*], $make:expr) => {
        EffectForm {
            #[cfg(feature = "compile")]
            name: $name,
            #[cfg(feature = "compile")]
            fields: &[$((stringify!($field), $value)),*],
            make: $make,
        }
    };
}

/// All of them, in the order of their numbers.
pub(crate) const FORMS: [EffectForm; 5] = [
    form!("filter", [frequency = 1000.0, quality = 0.707, decibels = 0.0], |form, _, numbers| {
        let kind = *FILTERS.get(form as usize)?;
        let [frequency, quality, decibels, ..] = numbers;
        Some(Effect::Filter(Filtering { kind, frequency, quality, decibels }))
    }),
    form!(
        "compressor",
        [threshold = -20.0, ratio = 4.0, knee = 6.0, attack = 0.01, release = 0.2, makeup = 0.0],
        |_, listen, numbers| {
            let [threshold, ratio, knee, attack, release, makeup] = numbers;
            let listen = (listen.hash() != 0).then_some(listen);
            let compression =
                Compression { threshold, ratio, knee, attack, release, makeup, listen };
            Some(Effect::Compressor(compression))
        }
    ),
    form!("limiter", [ceiling = -1.0, ahead = 0.005, release = 0.1], |_, _, numbers| {
        let [ceiling, ahead, release, ..] = numbers;
        Some(Effect::Limiter(Limiting { ceiling, ahead, release }))
    }),
    form!(
        "echo",
        [seconds = 0.3, feedback = 0.4, damping = 0.2, wet = 0.5, dry = 1.0],
        |_, _, numbers| {
            let [seconds, feedback, damping, wet, dry, _] = numbers;
            Some(Effect::Echo(Echo { seconds, feedback, damping, wet, dry }))
        }
    ),
    form!(
        "reverb",
        [seconds = 1.5, size = 1.0, damping = 0.3, wet = 1.0, dry = 0.0],
        |_, _, numbers| {
            let [seconds, size, damping, wet, dry, _] = numbers;
            Some(Effect::Reverb(Reverberation { seconds, size, damping, wet, dry }))
        }
    ),
];

/// Returns the effect of numbers; `None` if there is no such.
pub(crate) fn effect_of(
    kind: u32,
    form: u32,
    listen: IdString32,
    numbers: Numbers,
) -> Option<Effect> {
    (FORMS.get(kind as usize)?.make)(form, listen, numbers)
}
