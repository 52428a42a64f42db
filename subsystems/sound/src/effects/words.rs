//! Effects as words, for a mixer on another thread.

use loligo_ids::IdString32;

use super::{Compression, Echo, Effect, FILTERS, FilterKind, Filtering, Limiting, Reverberation};

impl Effect {
    /// Returns it as words: its kind and its numbers.
    pub(crate) fn to_words(self) -> [u32; 8] {
        let words = |kind: u32, numbers: [f32; 6], last: u32| {
            let [a, b, c, d, e, f] = numbers.map(f32::to_bits);
            [kind, a, b, c, d, e, f, last]
        };
        match self {
            Self::Filter(Filtering { kind, frequency, quality, decibels }) => {
                words(0, [frequency, quality, decibels, 0.0, 0.0, 0.0], kind as u32)
            }
            Self::Compressor(compression) => {
                let Compression { threshold, ratio, knee, attack, release, makeup, listen } =
                    compression;
                let listen = listen.map_or(0, IdString32::hash);
                words(1, [threshold, ratio, knee, attack, release, makeup], listen)
            }
            Self::Limiter(Limiting { ceiling, ahead, release }) => {
                words(2, [ceiling, ahead, release, 0.0, 0.0, 0.0], 0)
            }
            Self::Echo(Echo { seconds, feedback, damping, wet, dry }) => {
                words(3, [seconds, feedback, damping, wet, dry, 0.0], 0)
            }
            Self::Reverb(Reverberation { seconds, size, damping, wet, dry }) => {
                words(4, [seconds, size, damping, wet, dry, 0.0], 0)
            }
        }
    }

    /// Returns the effect that words are; `None` if they are none.
    pub(crate) fn from_words([kind, a, b, c, d, e, f, last]: [u32; 8]) -> Option<Self> {
        let [a, b, c, d, e, f] = [a, b, c, d, e, f].map(f32::from_bits);
        Some(match kind {
            0 => {
                let kind: FilterKind = *FILTERS.get(last as usize)?;
                Self::Filter(Filtering { kind, frequency: a, quality: b, decibels: c })
            }
            1 => Self::Compressor(Compression {
                threshold: a,
                ratio: b,
                knee: c,
                attack: d,
                release: e,
                makeup: f,
                listen: (last != 0).then_some(IdString32::from_hash(last)),
            }),
            2 => Self::Limiter(Limiting { ceiling: a, ahead: b, release: c }),
            3 => Self::Echo(Echo { seconds: a, feedback: b, damping: c, wet: d, dry: e }),
            4 => Self::Reverb(Reverberation { seconds: a, size: b, damping: c, wet: d, dry: e }),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_read_as_they_were_written() {
        let listen = Some(IdString32::new("speech"));
        for effect in [
            Effect::Filter(Filtering {
                kind: FilterKind::HighShelf,
                frequency: 900.0,
                quality: 0.7,
                decibels: -3.0,
            }),
            Effect::Compressor(Compression {
                threshold: -20.0,
                ratio: 4.0,
                knee: 6.0,
                attack: 0.01,
                release: 0.2,
                makeup: 3.0,
                listen,
            }),
            Effect::Limiter(Limiting { ceiling: -1.0, ahead: 0.002, release: 0.05 }),
            Effect::Echo(Echo { seconds: 0.3, feedback: 0.5, damping: 0.1, wet: 0.4, dry: 1.0 }),
            Effect::Reverb(Reverberation {
                seconds: 2.0,
                size: 1.0,
                damping: 0.2,
                wet: 0.3,
                dry: 0.9,
            }),
        ] {
            assert_eq!(Effect::from_words(effect.to_words()), Some(effect));
        }
        assert_eq!(Effect::from_words([9; 8]), None, "no kind");
    }
}
