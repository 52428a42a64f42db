//! What is the same for all sources.

/// The frequency of a filter that takes nothing away.
pub const OPEN: f32 = 20_000.0;

/// What sources are placed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speakers {
    /// Two speakers: gains alone.
    #[default]
    Stereo,
    /// Headphones: the ear that is away from a source hears it later and duller.
    Ears,
    /// Five speakers at 0, 30 and 110 degrees, and one for low frequencies.
    Surround,
}

/// The head between two ears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Its radius in metres.
    pub radius: f32,
    /// From which frequency on it shadows the far ear of a source that is at its side, in hertz.
    pub shadow: f32,
    /// How far apart the ears are in loudness, from 0 to 1: low sounds go around a head, so less than speakers.
    pub width: f32,
}

/// What is the same for all sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpaceSettings {
    /// What sources are placed for.
    pub speakers: Speakers,
    /// How fast sound is, in metres a second.
    pub sound_speed: f32,
    /// How much of the Doppler effect there is: 0 is none, 1 as in nature.
    pub doppler: f32,
    /// The most by which speeds make a sound higher; it is lower by the same factor at most.
    pub doppler_max: f32,
    /// Within how many metres of a listener a source loses its direction.
    pub near: f32,
    /// How loud a source is that is wholly occluded.
    pub occluded_gain: f32,
    /// From which frequency on a source that is wholly occluded is quieter, in hertz.
    pub occluded_low_pass: f32,
    /// The head of listeners.
    pub head: Head,
}

impl Default for Head {
    fn default() -> Self {
        Self { radius: 0.0875, shadow: 2500.0, width: 0.5 }
    }
}

impl Default for SpaceSettings {
    fn default() -> Self {
        Self {
            speakers: Speakers::Stereo,
            sound_speed: 343.0,
            doppler: 1.0,
            doppler_max: 2.0,
            near: 0.5,
            occluded_gain: 0.25,
            occluded_low_pass: 800.0,
            head: Head::default(),
        }
    }
}

/// Returns a frequency between two: waves become longer by a line as `share` goes from 0 to 1.
pub(super) fn duller(from: f32, to: f32, share: f32) -> f32 {
    let share = share.clamp(0.0, 1.0);
    let (from, to) = (from.max(10.0), to.max(10.0));
    from * to / (to + (from - to) * share)
}
