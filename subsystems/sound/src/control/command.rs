//! Commands and events as words.

use loligo_ids::IdString32;

use crate::effects::Effect;
use crate::mixer::{MixerEvent, Play, VoiceId, WaveId};
use crate::pipe::Message;
use crate::space::Placement;

/// What a mixer is to do. `at` of `Play` is the count of the mixer's frames at which it begins to wait; after
/// `Restart` comes what is for the mixer that takes over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Command {
    Play { voice: VoiceId, play: Play, at: Option<u32> },
    Stop { voice: VoiceId, frames: u32 },
    Pause { voice: VoiceId, is_paused: bool },
    Gains { voice: VoiceId, gains: [f32; 2] },
    Speed { voice: VoiceId, speed: f32 },
    LowPass { voice: VoiceId, frequency: f32 },
    Seek { voice: VoiceId, frame: u32 },
    BusGain { bus: IdString32, gain: f32 },
    Place { voice: VoiceId, placement: Placement },
    Send { bus: IdString32, into: IdString32, gain: f32 },
    Effect { bus: IdString32, index: u32, effect: Effect },
    Restart,
}

/// What a mixer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Notice(pub(super) MixerEvent);

/// Fourteen halves of words, in the order in which they are written.
type Halves = [u32; 14];

impl Command {
    /// Returns it as words.
    pub(super) fn write(&self) -> Message {
        join(match *self {
            Self::Play { voice, play, at } => {
                let Play { wave, bus, gains, speed, from, wait, after, fade, is_looped } = play;
                let after = after.map_or([0; 2], words);
                let kind = u32::from(is_looped) | u32::from(at.is_some()) << 5;
                let ([low, high], wave, bus) = (words(voice), wave.to_bits(), bus.hash());
                let [left, right, speed] = [gains[0], gains[1], speed].map(f32::to_bits);
                let [before, since] = after;
                let at = at.unwrap_or(0);
                [
                    kind, low, high, wave, bus, left, right, speed, from, wait, fade, before,
                    since, at,
                ]
            }
            Self::Stop { voice, frames } => halves(2, voice, [frames, 0]),
            Self::Pause { voice, is_paused } => halves(3, voice, [u32::from(is_paused), 0]),
            Self::Gains { voice, gains } => halves(4, voice, gains.map(f32::to_bits)),
            Self::Speed { voice, speed } => halves(5, voice, [speed.to_bits(), 0]),
            Self::LowPass { voice, frequency } => halves(6, voice, [frequency.to_bits(), 0]),
            Self::Seek { voice, frame } => halves(7, voice, [frame, 0]),
            Self::BusGain { bus, gain } => {
                [8, 0, 0, bus.hash(), gain.to_bits(), 0, 0, 0, 0, 0, 0, 0, 0, 0]
            }
            Self::Place { voice, placement } => {
                let Placement { gains, delays, low_pass, speed, .. } = placement;
                let [a, b, c, d, e, f] = gains.map(f32::to_bits);
                let [left, right] = delays.map(delay_to_half);
                let delays = left | right << 16;
                let ([low, high], [dull, other]) = (words(voice), low_pass.map(f32::to_bits));
                [9, low, high, a, b, c, d, e, f, delays, dull, other, speed.to_bits(), 0]
            }
            Self::Send { bus, into, gain } => {
                [10, into.hash(), 0, bus.hash(), gain.to_bits(), 0, 0, 0, 0, 0, 0, 0, 0, 0]
            }
            Self::Effect { bus, index, effect } => {
                let [kind, a, b, c, d, e, f, last] = effect.to_words();
                [11, index, 0, bus.hash(), kind, a, b, c, d, e, f, last, 0, 0]
            }
            Self::Restart => [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        })
    }

    /// Returns the command that words are; `None` if they are none.
    pub(super) fn read(message: &Message) -> Option<Self> {
        let halves = split(message);
        let [kind, low, high, a, b, left, right, speed, from, wait, fade, before, since, at] =
            halves;
        let (bus, gain) = (IdString32::from_hash(a), f32::from_bits(b));
        match kind {
            8 => return Some(Self::BusGain { bus, gain }),
            9 => return Self::read_place(&halves),
            10 => return Some(Self::Send { bus, into: IdString32::from_hash(low), gain }),
            11 => {
                let words = [b, left, right, speed, from, wait, fade, before];
                let effect = Effect::from_words(words)?;
                return Some(Self::Effect { bus, index: low, effect });
            }
            12 => return Some(Self::Restart),
            _ => {}
        }
        let voice = voice_of([low, high])?;
        let number = f32::from_bits(a);
        Some(match kind {
            0 | 1 | 32 | 33 => {
                let [left, right, speed] = [left, right, speed].map(f32::from_bits);
                let wave = WaveId::from_bits(a)?;
                let (bus, gains) = (IdString32::from_hash(b), [left, right]);
                let (is_looped, after) = (kind & 1 == 1, voice_of([before, since]));
                let at = (kind >= 32).then_some(at);
                let play = Play { wave, bus, gains, speed, from, wait, after, fade, is_looped };
                Self::Play { voice, play, at }
            }
            2 => Self::Stop { voice, frames: a },
            3 => Self::Pause { voice, is_paused: a != 0 },
            4 => Self::Gains { voice, gains: [number, f32::from_bits(b)] },
            5 => Self::Speed { voice, speed: number },
            6 => Self::LowPass { voice, frequency: number },
            7 => Self::Seek { voice, frame: a },
            _ => return None,
        })
    }

    fn read_place(halves: &Halves) -> Option<Self> {
        let [_, low, high, a, b, c, d, e, f, delays, dull, other, speed, _] = *halves;
        let placement = Placement {
            gains: [a, b, c, d, e, f].map(f32::from_bits),
            delays: [delays & 0xFFFF, delays >> 16].map(|half| half as f32 * DELAY_UNIT),
            low_pass: [dull, other].map(f32::from_bits),
            speed: f32::from_bits(speed),
            listener: 0,
        };
        Some(Self::Place { voice: voice_of([low, high])?, placement })
    }
}

/// The unit in which delays are handed over, in seconds: 2^-22, so that half a word has 15 milliseconds.
const DELAY_UNIT: f32 = 1.0 / (1 << 22) as f32;

fn delay_to_half(seconds: f32) -> u32 {
    // What is no number becomes 0.
    (seconds / DELAY_UNIT + 0.5).clamp(0.0, 65_535.0) as u32
}

impl Notice {
    /// Returns it as words.
    pub(super) fn write(&self) -> Message {
        let Self(MixerEvent::Ended { voice }) = *self;
        join(halves(0, voice, [0; 2]))
    }

    /// Returns the event that words are; `None` if they are none.
    pub(super) fn read(message: &Message) -> Option<Self> {
        let [kind, low, high, ..] = split(message);
        let voice = voice_of([low, high])?;
        (kind == 0).then_some(Self(MixerEvent::Ended { voice }))
    }
}

fn halves(kind: u32, voice: VoiceId, [a, b]: [u32; 2]) -> Halves {
    let [low, high] = words(voice);
    [kind, low, high, a, b, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// The halves of an id, the lower one first.
fn words(voice: VoiceId) -> [u32; 2] {
    [voice.to_bits() as u32, (voice.to_bits() >> 32) as u32]
}

fn voice_of([low, high]: [u32; 2]) -> Option<VoiceId> {
    VoiceId::from_bits(u64::from(low) | u64::from(high) << 32)
}

fn join(halves: Halves) -> Message {
    core::array::from_fn(|at| u64::from(halves[at * 2]) | u64::from(halves[at * 2 + 1]) << 32)
}

fn split(message: &Message) -> Halves {
    core::array::from_fn(|at| (message[at / 2] >> (at % 2 * 32)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::Limiting;

    #[test]
    fn commands_are_read_as_they_were_written() {
        let voice = VoiceId::from_bits(0x0012_3456_0000_0007).expect("it has a generation");
        let wave = WaveId::from_bits(0x0042_0001).expect("it has a generation");
        let bus = IdString32::new("bus");
        let play = Play {
            gains: [0.25, -0.5],
            speed: 1.5,
            from: u32::MAX,
            wait: 77,
            fade: 99,
            ..Play::new(wave).on(bus)
        };
        let placement = Placement {
            gains: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            delays: [0.0, 300.0 * DELAY_UNIT],
            low_pass: [20_000.0, 2500.0],
            speed: 1.25,
            listener: 0,
        };
        let limiting = Limiting { ceiling: -1.0, ahead: 0.002, release: 0.05 };
        for command in [
            Command::Play { voice, play, at: None },
            Command::Play { voice, play: play.looped().after(voice), at: Some(0) },
            Command::Play { voice, play, at: Some(u32::MAX) },
            Command::Stop { voice, frames: 5 },
            Command::Pause { voice, is_paused: true },
            Command::Pause { voice, is_paused: false },
            Command::Gains { voice, gains: [0.1, 0.9] },
            Command::Speed { voice, speed: 0.75 },
            Command::LowPass { voice, frequency: 900.0 },
            Command::Seek { voice, frame: 12_345 },
            Command::BusGain { bus, gain: 0.3 },
            Command::Place { voice, placement },
            Command::Send { bus, into: IdString32::new("room"), gain: 0.7 },
            Command::Restart,
            Command::Effect { bus, index: 3, effect: Effect::Limiter(limiting) },
        ] {
            assert_eq!(Command::read(&command.write()), Some(command));
        }
        let notice = Notice(MixerEvent::Ended { voice });
        assert_eq!(Notice::read(&notice.write()), Some(notice));
        assert_eq!(Command::read(&[99; 7]), None, "no kind");
        assert_eq!(Command::read(&[2, 0, 0, 0, 0, 0, 0]), None, "no voice");
    }
}
