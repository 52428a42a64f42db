//! Where a sound is heard: what follows from its place, and nothing of which the game depends on.

use core::f32::consts::SQRT_2;

use glam::Vec3;

use super::instance::Instance;
use crate::space::{
    self, CHANNELS, Cone, DistanceCurve, Listener, OPEN, Placement, Source, SpaceSettings,
};
use crate::tree::SoundTree;

/// What moves faster was put somewhere else, in metres a second.
const SPEED_MAX: f32 = 250.0;

/// How much of a sound walls take in a second, or give back: all of it in an eighth.
const OCCLUSION_RATE: f32 = 8.0;

/// What is heard of a sound by its place. It is not saved: after a load it is known again within two steps.
///
/// # Memory
///
/// 68 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct InSpace {
    cone: Cone,
    doppler: f32,
    /// How much of it walls take, from 0 to 1; of one with 0 nobody asks for them.
    pub(super) occluded: f32,
    /// Where its cone points to.
    toward: Vec3,
    /// Where it was in the last step that was heard.
    at: Option<Vec3>,
    speed: Vec3,
    occlusion: f32,
    occlusion_to: f32,
}

impl Default for InSpace {
    fn default() -> Self {
        Self {
            cone: Cone::ALL,
            doppler: 1.0,
            occluded: 0.0,
            toward: Vec3::NEG_Z,
            at: None,
            speed: Vec3::ZERO,
            occlusion: 0.0,
            occlusion_to: 0.0,
        }
    }
}

impl InSpace {
    /// Takes what its source says.
    pub(super) fn take(&mut self, tree: &SoundTree<'_>) {
        let [inner, outer, gain] = tree.cone();
        let is_all = inner >= 360.0 || gain >= 1.0;
        self.cone = if is_all { Cone::ALL } else { Cone::new(inner, outer, gain) };
        self.doppler = tree.doppler();
        self.occluded = tree.occlusion();
    }

    /// Has its cone point somewhere; what has no direction stays as it is.
    pub(super) fn turn(&mut self, toward: [f32; 3]) {
        if let Some(toward) = Vec3::from_array(toward).try_normalize() {
            self.toward = toward;
        }
    }

    /// Takes what is between it and a listener, from 0 to 1.
    pub(super) const fn occlude(&mut self, share: f32) {
        self.occlusion_to = if share > 0.0 { share.min(1.0) } else { 0.0 };
    }

    /// Forgets where it was, so that it is not as if it had moved meanwhile.
    pub(super) const fn stay(&mut self) {
        (self.at, self.speed) = (None, Vec3::ZERO);
    }

    /// Goes on by some seconds to a place.
    pub(super) fn go(&mut self, place: [f32; 3], seconds: f32) {
        let place = Vec3::from_array(place);
        if seconds > 0.0 {
            self.speed = speed(self.at, place, seconds);
            let most = OCCLUSION_RATE * seconds;
            self.occlusion += (self.occlusion_to - self.occlusion).clamp(-most, most);
        }
        self.at = Some(place);
    }

    /// Returns how a sound is heard: in the middle if it has no place, or nobody hears.
    pub(super) fn placement(
        &self,
        instance: &Instance,
        listeners: &[Listener],
        settings: &SpaceSettings,
    ) -> Placement {
        if !instance.has(Instance::PLACED) || listeners.is_empty() {
            return MIDDLE;
        }
        let [near, far] = instance.distance;
        let source = Source {
            at: Vec3::from_array(instance.place),
            speed: self.speed,
            toward: self.toward,
            cone: self.cone,
            curve: 0,
            occlusion: self.occlusion * self.occluded,
            low: 0.0,
        };
        let settings = SpaceSettings { doppler: settings.doppler * self.doppler, ..*settings };
        let curve = [DistanceCurve::Fading { near, far }];
        let mut placement = space::place(&source, listeners, &curve, &settings);
        // What is before a listener is as loud as what has no place.
        placement.gains = placement.gains.map(|gain| gain * SQRT_2);
        placement
    }
}

/// Heard in the middle, as it is.
const MIDDLE: Placement = {
    let mut gains = [0.0; CHANNELS];
    (gains[0], gains[1]) = (1.0, 1.0);
    Placement { gains, delays: [0.0; 2], low_pass: [OPEN; 2], speed: 1.0, listener: 0 }
};

/// Returns the speed between two places; nothing of what was put elsewhere, or was nowhere.
pub(crate) fn speed(before: Option<Vec3>, now: Vec3, seconds: f32) -> Vec3 {
    let speed = before.map_or(Vec3::ZERO, |before| (now - before) / seconds);
    if speed.is_finite() && speed.length_squared() < SPEED_MAX * SPEED_MAX {
        speed
    } else {
        Vec3::ZERO
    }
}
