//! A clip made ready for a skeleton, and masks of its bones.

use glam::{Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_ids::IdString64;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::description::NamedClip;
use crate::clip::{Clip, Cursor};
use crate::lanes::{LANES, Lanes};
use crate::motion::{GroundPath, ground_pose};
use crate::playing::{ActiveGroup, ClipLanes, TableError, sample_clip};
use crate::pose::{BoneGroup, bone, groups_of};
use crate::skeleton::Skeleton;

type Memory<'m> = SubsystemMemory<'m>;

/// A clip of a rig.
pub(crate) struct RigClip<'m> {
    pub(crate) clip: IdString64,
    pub(crate) lanes: ClipLanes<'m, Memory<'m>>,
    pub(crate) rate: f32,
    pub(crate) last_frame: f32,
    pub(crate) loops: bool,
    pub(crate) has_events: bool,
    /// How much each bone takes part; empty for all of them.
    pub(crate) mask: Array<'m, Lanes, Memory<'m>>,
    /// Where it is on the ground in each frame: x, z and the turn; empty where the way stays in it.
    pub(crate) path: Array<'m, [f32; 3], Memory<'m>>,
}

impl<'m> RigClip<'m> {
    /// Makes a clip of a machine ready.
    pub(crate) fn of_machine(
        name: IdString64,
        clip: &Clip<'_>,
        skeleton: &Skeleton<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let named = NamedClip { short: 0, clip: Some(name), loops: true, above: 0 };
        Self::try_new(&named, clip, skeleton, false, memory)
    }

    pub(super) fn try_new(
        named: &NamedClip,
        clip: &Clip<'_>,
        skeleton: &Skeleton<'_>,
        has_way: bool,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let lanes = ClipLanes::try_new_in(clip, skeleton, memory).map_err(|error| match error {
            TableError::Memory(error) => SubsystemError::Grow(error),
            TableError::Bones { .. } => SubsystemError::Wrong {
                what: "a character names a clip that is for another skeleton, and does not play it",
                remedy: "name the character's skeleton in the clip's source",
            },
        })?;
        let mut mask = Array::new_in(memory);
        if named.above != 0 {
            mask.try_resize(groups_of(skeleton.len()), Lanes::ZERO)?;
            set_below(&mut mask, skeleton, named.above, 1.0);
        }
        let mut path = Array::new_in(memory);
        if has_way {
            write_path(clip, &lanes, &mut path)?;
        }
        Ok(Self {
            clip: named.clip.unwrap_or(IdString64::from_hash(0)),
            lanes,
            rate: clip.rate(),
            last_frame: clip.last_frame() as f32,
            loops: named.loops,
            has_events: !clip.events().is_empty(),
            mask,
            path,
        })
    }

    /// Returns where the clip is on the ground at a frame.
    pub(crate) fn ground(&self, frame: f32) -> Pose {
        let Some(last) = self.path.len().checked_sub(1) else { return Pose::IDENTITY };
        let frame = frame.max(0.0).min(last as f32);
        let before = (frame as usize).min(last);
        let (from, to) = (self.path[before], self.path[(before + 1).min(last)]);
        let part = frame - before as f32;
        let [x, z, turn] = [0, 1, 2].map(|at| from[at] + (to[at] - from[at]) * part);
        let half = 0.5 * turn;
        let rotation = Quat::from_xyzw(0.0, libm::sinf(half), 0.0, libm::cosf(half));
        Pose { position: Vec3::new(x, 0.0, z), rotation, scale: Vec3::ONE }
    }

    /// Returns the way from its beginning to its end.
    pub(crate) fn way(&self) -> GroundPath {
        GroundPath { first: self.ground(0.0), last: self.ground(self.last_frame) }
    }
}

/// Writes where a clip is on the ground in each of its frames.
fn write_path<'m>(
    clip: &Clip<'_>,
    lanes: &ClipLanes<'m, Memory<'m>>,
    path: &mut Array<'m, [f32; 3], Memory<'m>>,
) -> Result<(), SubsystemError> {
    let memory = path.memory();
    let mut pose = Array::new_in(memory);
    pose.try_resize(groups_of(clip.bones()), BoneGroup::IDENTITY)?;
    let mut active = Array::new_in(memory);
    active.try_resize(lanes.group_count(), ActiveGroup::EMPTY)?;
    let mut cursor = Cursor::default();
    let mut before = 0.0;
    for frame in 0..=clip.last_frame() {
        let at = (&mut *active, &mut cursor);
        sample_clip(clip, lanes, at, frame as f32, None, &mut pose);
        let Pose { position, rotation, .. } = ground_pose(&bone(&pose, 0));
        let turn = 2.0 * libm::atan2f(rotation.y, rotation.w);
        // Of all turns that are the same, the one that is nearest to that of the frame before.
        let laps = libm::roundf((before - turn) / core::f32::consts::TAU);
        before = turn + laps * core::f32::consts::TAU;
        path.try_push([position.x, position.z, before])?;
    }
    Ok(())
}

/// Sets the weights of the bone of a name, and of all below it.
pub(crate) fn set_below(mask: &mut [Lanes], skeleton: &Skeleton<'_>, name: u32, weight: f32) {
    let Some(top) = skeleton.find(loligo_ids::IdString32::from_hash(name)) else { return };
    for at in top..skeleton.len() {
        let mut above = Some(at);
        while let Some(parent) = above.filter(|above| *above > top) {
            above = skeleton.parent(parent);
        }
        if above == Some(top) {
            mask[at / LANES].set(at % LANES, weight);
        }
    }
}
