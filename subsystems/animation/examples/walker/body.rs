//! The bones of a person who looks along z, its arms hanging down.

use glam::{Quat, Vec3};

/// The names of the bones, and the parent of each.
pub(crate) const BONES: [(&str, Option<usize>); 20] = [
    ("root", None),
    ("hips", Some(0)),
    ("spine", Some(1)),
    ("chest", Some(2)),
    ("neck", Some(3)),
    ("head", Some(4)),
    ("arm.l", Some(3)),
    ("forearm.l", Some(6)),
    ("hand.l", Some(7)),
    ("arm.r", Some(3)),
    ("forearm.r", Some(9)),
    ("hand.r", Some(10)),
    ("thigh.l", Some(1)),
    ("shin.l", Some(12)),
    ("foot.l", Some(13)),
    ("toe.l", Some(14)),
    ("thigh.r", Some(1)),
    ("shin.r", Some(16)),
    ("foot.r", Some(17)),
    ("toe.r", Some(18)),
];

pub(crate) const HIPS: usize = 1;
pub(crate) const SPINE: usize = 2;
pub(crate) const CHEST: usize = 3;
pub(crate) const NECK: usize = 4;
pub(crate) const HEAD: usize = 5;
/// The first bones of the left and of the right arm and leg; the others follow.
pub(crate) const ARMS: [usize; 2] = [6, 9];
pub(crate) const LEGS: [usize; 2] = [12, 16];

/// How high the ankle is above the sole, and how far the ball of the foot is before it.
pub(crate) const ANKLE: f32 = 0.1;
pub(crate) const BALL: f32 = 0.12;

/// Where the bones are when nothing moves.
pub(crate) struct Body {
    /// As seen from the parent: nothing is turned.
    pub(crate) offsets: [Vec3; BONES.len()],
}

impl Body {
    /// Returns a body of a seed: some are taller, some broader.
    pub(crate) fn new(seed: u32) -> Self {
        let part = |number: u32| {
            let mixed = (seed.wrapping_mul(31) + number).wrapping_mul(0x9E37_79B9);
            (mixed >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        let (tall, broad) = (1.0 + 0.04 * part(1), 1.0 + 0.06 * part(2));
        let mut offsets = [Vec3::ZERO; BONES.len()];
        let mut set = |bone: usize, x: f32, y: f32, z: f32| offsets[bone] = Vec3::new(x, y, z);
        set(HIPS, 0.0, 0.95, 0.0);
        set(SPINE, 0.0, 0.12 * tall, 0.0);
        set(CHEST, 0.0, 0.2 * tall, 0.0);
        set(NECK, 0.0, 0.24 * tall, 0.0);
        set(HEAD, 0.0, 0.09, 0.01);
        for ([arm, leg], side) in
            [[ARMS[0], LEGS[0]], [ARMS[1], LEGS[1]]].into_iter().zip([1.0, -1.0])
        {
            set(arm, 0.2 * broad * side, 0.17 * tall, 0.0);
            set(arm + 1, 0.02 * side, -0.28, 0.0);
            set(arm + 2, 0.01 * side, -0.25, 0.0);
            set(leg, 0.1 * broad * side, -0.03, 0.0);
            set(leg + 1, 0.0, -0.42, 0.0);
            set(leg + 2, 0.0, -0.4, 0.0);
            set(leg + 3, 0.0, 0.02 - ANKLE, BALL);
        }
        Self { offsets }
    }

    /// Returns where a bone is in the space of the model.
    pub(crate) fn place(&self, bone: usize) -> Vec3 {
        let above = BONES[bone].1.map_or(Vec3::ZERO, |parent| self.place(parent));
        above + self.offsets[bone]
    }
}

/// Returns a turn around the x axis. Those of `glam` are of libm's sines only where any crate asks for it.
pub(crate) fn turn_x(angle: f32) -> Quat {
    let (sine, cosine) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(sine, 0.0, 0.0, cosine)
}

/// Returns a turn around the y axis.
pub(crate) fn turn_y(angle: f32) -> Quat {
    let (sine, cosine) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(0.0, sine, 0.0, cosine)
}

/// Returns a turn around the z axis.
pub(crate) fn turn_z(angle: f32) -> Quat {
    let (sine, cosine) = libm::sincosf(0.5 * angle);
    Quat::from_xyzw(0.0, 0.0, sine, cosine)
}
