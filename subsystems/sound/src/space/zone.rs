//! Places with a room around them.

use glam::{Mat3, Quat, Vec3};
use loligo_ids::IdString32;

/// A part of the world that has the sound of a room: how much of what is there goes to a bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Its shape.
    pub shape: ZoneShape,
    /// Within how many metres around it the level falls to 0.
    pub fade: f32,
    /// The bus of the room.
    pub bus: IdString32,
    /// How much goes to the bus within it.
    pub level: f32,
}

/// The shape of a zone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZoneShape {
    /// A box.
    Box {
        /// Its middle.
        at: Vec3,
        /// How it is turned.
        turn: Quat,
        /// From its middle to its sides.
        half: Vec3,
    },
    /// A sphere.
    Sphere {
        /// Its middle.
        at: Vec3,
        /// Its radius.
        radius: f32,
    },
}

impl Zone {
    /// Returns how much goes to the bus at a place.
    ///
    /// ```
    /// use glam::Vec3;
    /// use loligo_ids::IdString32;
    /// use loligo_sound::space::{Zone, ZoneShape};
    ///
    /// let shape = ZoneShape::Sphere { at: Vec3::ZERO, radius: 10.0 };
    /// let cave = Zone { shape, fade: 4.0, bus: IdString32::new("cave"), level: 0.5 };
    /// assert_eq!(cave.level_at(Vec3::X * 9.0), 0.5);
    /// assert_eq!(cave.level_at(Vec3::X * 12.0), 0.25, "half of the way out");
    /// assert_eq!(cave.level_at(Vec3::X * 14.0), 0.0);
    /// ```
    #[must_use]
    pub fn level_at(&self, place: Vec3) -> f32 {
        let outside = self.shape.distance(place);
        let share = 1.0 - (outside / self.fade.max(1e-3)).clamp(0.0, 1.0);
        let level = self.level * share;
        if level.is_finite() { level.max(0.0) } else { 0.0 }
    }

    /// Returns how much goes to a bus at a place where several zones are: as much as in the one with the most.
    #[must_use]
    pub fn most_at(zones: &[Self], bus: IdString32, place: Vec3) -> f32 {
        let own = zones.iter().filter(|zone| zone.bus == bus);
        own.map(|zone| zone.level_at(place)).fold(0.0, f32::max)
    }
}

impl ZoneShape {
    /// Returns how far outside of it a place is; 0 within.
    #[must_use]
    pub fn distance(&self, place: Vec3) -> f32 {
        match *self {
            Self::Box { at, turn, half } => {
                let axes = Mat3::from_quat(turn);
                let way = place - at;
                let within =
                    Vec3::new(axes.x_axis.dot(way), axes.y_axis.dot(way), axes.z_axis.dot(way));
                let outside = (within.abs() - half).max(Vec3::ZERO);
                libm::sqrtf(outside.dot(outside))
            }
            Self::Sphere { at, radius } => {
                let way = place - at;
                (libm::sqrtf(way.dot(way)) - radius).max(0.0)
            }
        }
    }
}
