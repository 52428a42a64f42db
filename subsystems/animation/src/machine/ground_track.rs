//! The way of a clip's root on the ground, frame by frame.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3, Vec4};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_entities::Pose;

use crate::lanes::sqrt;
use crate::motion::{Passage, ground_pose};
use crate::playing::{ClipTable, Players};
use crate::pose::{BoneGroup, bone, groups_of};

/// A place on the ground, and a turn around the vertical axis.
///
/// # Memory
///
/// 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ground {
    x: f32,
    z: f32,
    cosine: f32,
    sine: f32,
}

impl Ground {
    pub(super) const STILL: Self = Self { x: 0.0, z: 0.0, cosine: 1.0, sine: 0.0 };

    pub(crate) fn of_pose(pose: &Pose) -> Self {
        let ground = ground_pose(pose);
        let (y, w) = (ground.rotation.y, ground.rotation.w);
        let (x, z) = (ground.position.x, ground.position.z);
        Self { x, z, cosine: w * w - y * y, sine: 2.0 * y * w }
    }

    /// Returns it as a pose.
    pub(super) fn pose(&self) -> Pose {
        let half = |number: f32| sqrt((0.5 * number).max(0.0));
        let (w, y) = (half(1.0 + self.cosine), half(1.0 - self.cosine));
        let rotation = Quat::from_xyzw(0.0, if self.sine < 0.0 { -y } else { y }, 0.0, w);
        Pose { position: Vec3::new(self.x, 0.0, self.z), rotation, scale: Vec3::ONE }
    }

    /// Returns a way after this one.
    pub(super) fn then(&self, way: &Self) -> Self {
        let (c, s) = (self.cosine, self.sine);
        Self {
            x: self.x + c * way.x + s * way.z,
            z: self.z - s * way.x + c * way.z,
            cosine: c * way.cosine - s * way.sine,
            sine: s * way.cosine + c * way.sine,
        }
        .normalized()
    }

    /// Returns another place as seen from this one.
    fn see(&self, other: &Self) -> Self {
        let (c, s) = (self.cosine, self.sine);
        let (x, z) = (other.x - self.x, other.z - self.z);
        Self {
            x: c * x - s * z,
            z: s * x + c * z,
            cosine: c * other.cosine + s * other.sine,
            sine: c * other.sine - s * other.cosine,
        }
    }

    /// Adds a part of a way to a sum that begins at nothing.
    pub(super) fn add(&mut self, way: &Self, weight: f32) {
        self.x += weight * way.x;
        self.z += weight * way.z;
        self.cosine += weight * way.cosine;
        self.sine += weight * way.sine;
    }

    /// Returns it with a turn; none where turns cancel each other out.
    pub(super) fn normalized(self) -> Self {
        let length = sqrt(self.cosine * self.cosine + self.sine * self.sine);
        if length < 1.0e-6 {
            return Self { cosine: 1.0, sine: 0.0, ..self };
        }
        let scale = 1.0 / length;
        Self { cosine: self.cosine * scale, sine: self.sine * scale, ..self }
    }

    pub(super) const NOTHING: Self = Self { x: 0.0, z: 0.0, cosine: 0.0, sine: 0.0 };
}

/// Appends the place of a clip's root in each frame.
pub(super) fn push_track<'m>(
    tracks: &mut Array<'_, Ground>,
    table: &ClipTable<'_, '_>,
    root: usize,
    memory: &'m (dyn Allocator + 'm),
) -> Result<(), GrowError> {
    let clip = table.clip();
    let mut players = Players::try_new(1, table, memory)?;
    let groups = groups_of(clip.bones());
    let mut pose: Array<'m, BoneGroup> = Array::try_with_capacity(groups, memory)?;
    pose.try_resize(groups, BoneGroup::IDENTITY)?;
    for frame in 0..=clip.last_frame() {
        players.sample(table, 0, frame as f32, &mut pose);
        tracks.try_push(Ground::of_pose(&bone(&pose, root)))?;
    }
    Ok(())
}

/// Returns how far a root moved in a step, as seen from where it was.
pub(super) fn way_of(track: &[Ground], passage: &Passage) -> Ground {
    let (Some(first), Some(last)) = (track.first(), track.last()) else { return Ground::STILL };
    let before = place(track, passage.from()).normalized();
    let after = place(track, passage.to());
    if passage.laps() == 0 {
        return before.see(&after);
    }
    let (start, end) = if passage.is_forward() { (first, last) } else { (last, first) };
    let lap = start.see(end);
    let mut way = before.see(end);
    for _ in 1..passage.laps() {
        way = way.then(&lap);
    }
    way.then(&start.see(&after))
}

/// Returns where a root is at a frame. Between two frames the turn is a little short of its length, as the
/// line between them is.
#[inline]
fn place(track: &[Ground], frame: f32) -> Ground {
    let at = (frame as usize).min(track.len() - 1);
    let low: Vec4 = bytemuck::cast(track[at]);
    let high: Vec4 = bytemuck::cast(*track.get(at + 1).unwrap_or(&track[at]));
    bytemuck::cast(low + (high - low) * (frame - at as f32))
}
