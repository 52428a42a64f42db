//! Where a source is heard.

use glam::Vec3;

use super::listener::Ears;
use super::settings::duller;
use super::{CHANNELS, DistanceCurve, Listener, OPEN, Source, SpaceSettings, Speakers, panning};

/// How a source is heard: what a voice needs to be there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// How loud it is on each of the [channels](super::CHANNELS); in stereo on the first two.
    pub gains: [f32; CHANNELS],
    /// How much later it is heard on the left and on the right, in seconds.
    pub delays: [f32; 2],
    /// From which frequency on it is quieter on the left and on the right, in hertz; [`OPEN`] and more is
    /// none.
    pub low_pass: [f32; 2],
    /// The factor of its speed.
    pub speed: f32,
    /// By which of the listeners it is heard.
    pub listener: u32,
}

/// The most by which a listener hears louder: 60 decibels.
const LISTENER_MAX: f32 = 1000.0;

/// The most by which low frequencies are louder: 60 decibels.
const LOW_MAX: f32 = 1000.0;

impl Placement {
    /// Not heard.
    pub const SILENT: Self = Self {
        gains: [0.0; CHANNELS],
        delays: [0.0; 2],
        low_pass: [OPEN; 2],
        speed: 1.0,
        listener: 0,
    };
}

/// Returns where a source is heard. Of several listeners the one that hears it loudest counts; of those that
/// hear it alike, the nearest; then the first.
///
/// All numbers are finite, whatever those of the source are; one at no place is silent.
///
/// # Complexity
///
/// O(listeners).
#[must_use]
pub fn place(
    source: &Source,
    listeners: &[Listener],
    curves: &[DistanceCurve<'_>],
    settings: &SpaceSettings,
) -> Placement {
    let curve = curves.get(source.curve as usize).unwrap_or(&DistanceCurve::EVERYWHERE);
    let mut best: Option<(Heard, Ears, u32)> = None;
    for (listener, index) in listeners.iter().zip(0..) {
        // A turn costs more than the rest, so it waits until it is known who hears.
        let heard = Heard::at(source, listener.at, listener.gain, curve);
        if best.as_ref().is_none_or(|(other, ..)| heard.is_before(other)) {
            best = Some((heard, Ears::of(listener), index));
        }
    }
    best.map_or(Placement::SILENT, |(heard, ears, index)| {
        placed(source, &heard, &ears, index, settings)
    })
}

/// How a listener hears a source, without directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    /// From the listener to the source.
    way: Vec3,
    distance: f32,
    gain: f32,
}

impl Heard {
    /// Returns how a listener at a place hears a source, who hears all by a factor.
    pub(super) fn at(
        source: &Source,
        listener: Vec3,
        own_gain: f32,
        curve: &DistanceCurve<'_>,
    ) -> Self {
        let way = source.at - listener;
        let distance = libm::sqrtf(way.dot(way));
        if !distance.is_finite() {
            return Self { way: Vec3::ZERO, distance: f32::MAX, gain: 0.0 };
        }
        let mut gain = curve.gain(distance) * own_gain.clamp(0.0, LISTENER_MAX);
        if source.cone != super::Cone::ALL && distance > 0.0 {
            gain *= source.cone.gain(-source.toward.dot(way) / distance);
        }
        Self { way, distance, gain }
    }

    /// Returns whether this listener counts and not the other.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        self.gain > other.gain || (self.gain == other.gain && self.distance < other.distance)
    }
}

/// Returns where a source is heard by the listener that counts.
pub(super) fn placed(
    source: &Source,
    heard: &Heard,
    ears: &Ears,
    listener: u32,
    settings: &SpaceSettings,
) -> Placement {
    let Heard { way, distance, gain } = *heard;
    let occlusion = if source.occlusion > 0.0 { source.occlusion.min(1.0) } else { 0.0 };
    let gain = gain * (1.0 + (settings.occluded_gain - 1.0) * occlusion);
    if !gain.is_finite() || gain <= 0.0 {
        return Placement { listener, ..Placement::SILENT };
    }
    let dull =
        if occlusion > 0.0 { duller(OPEN, settings.occluded_low_pass, occlusion) } else { OPEN };
    let near = settings.near.max(1e-3);
    let reach = libm::sqrtf(distance * distance + near * near);
    let [x, z] = ears.plane(way);
    let mut placement = Placement {
        low_pass: [dull; 2],
        speed: doppler(source, way, distance, ears.speed, settings),
        listener,
        ..Placement::SILENT
    };
    match settings.speakers {
        Speakers::Stereo => {
            placement.gains[..2].copy_from_slice(&panning::stereo(x / reach));
        }
        Speakers::Ears => {
            let side = (x / reach).clamp(-1.0, 1.0);
            placement.gains[..2].copy_from_slice(&panning::stereo(side * settings.head.width));
            // The ear on the other side.
            let far = usize::from(side < 0.0);
            placement.delays[far] = woodworth(side.abs(), settings);
            let shadow = duller(OPEN, settings.head.shadow, side.abs());
            placement.low_pass[far] = dull.min(shadow);
        }
        Speakers::Surround => {
            let focus = libm::sqrtf(x * x + z * z) / reach;
            placement.gains = panning::surround([x, z], focus);
        }
    }
    placement.gains = placement.gains.map(|channel| channel * gain);
    placement.gains[3] = if source.low > 0.0 { source.low.min(LOW_MAX) * gain } else { 0.0 };
    placement
}

/// The way around a round head to the far ear, by R. S. Woodworth (Experimental Psychology, 1938): `radius *
/// (angle + sin(angle))`. Takes the sine of the angle, and returns seconds.
fn woodworth(sine: f32, settings: &SpaceSettings) -> f32 {
    let way = settings.head.radius * (libm::asinf(sine) + sine);
    let seconds = way / settings.sound_speed.max(1.0);
    if seconds.is_finite() { seconds.max(0.0) } else { 0.0 }
}

/// Returns how much higher a source is heard by the speeds of both.
fn doppler(source: &Source, way: Vec3, distance: f32, ears: Vec3, settings: &SpaceSettings) -> f32 {
    if distance == 0.0 || settings.doppler == 0.0 {
        return 1.0;
    }
    // Nothing is as fast as its sound here, so that the formula has no pole.
    let most = settings.sound_speed * 0.9;
    let along = |speed: Vec3| (speed.dot(way) / distance * settings.doppler).clamp(-most, most);
    // Towards the source it is higher for a listener; away from the listener lower for a source.
    let factor =
        (settings.sound_speed + along(ears)) / (settings.sound_speed + along(source.speed));
    let bound = settings.doppler_max.max(1.0);
    if factor.is_finite() { factor.clamp(1.0 / bound, bound) } else { 1.0 }
}
