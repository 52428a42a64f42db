//! What all characters with the same component share: clips made ready for the skeleton, and masks.

use glam::{Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_ids::IdString64;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::description::{DETAILS_MAX, Description, Detail, NamedClip, ROOT_MOTION};
use super::rig_machine::RigMachine;
use crate::clip::{Clip, Cursor};
use crate::lanes::{LANES, Lanes};
use crate::motion::{GroundPath, ground_pose};
use crate::playing::{ActiveGroup, ClipLanes, TableError, sample_clip};
use crate::pose::{BoneGroup, bone, groups_of};
use crate::skeleton::Skeleton;

type Memory<'m> = SubsystemMemory<'m>;

/// How far the skin is from the bones at the most, where a component says no radius.
const FLESH: f32 = 0.25;

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

/// A level of detail of a rig.
pub(crate) struct RigDetail<'m> {
    pub(crate) of: Detail,
    /// 1 for each bone that moves.
    pub(crate) mask: Array<'m, Lanes, Memory<'m>>,
}

/// What characters with the same component share.
pub(crate) struct Rig<'m> {
    /// The component.
    words: Array<'m, u32, Memory<'m>>,
    /// How many characters have it.
    pub(crate) users: u32,
    /// Whether it is to be made ready, again or for the first time.
    pub(crate) is_stale: bool,
    /// Whether the drawer knows the names of its bones.
    pub(crate) is_known: bool,
    /// 0 while the skeleton is not loaded.
    pub(crate) bones: usize,
    pub(crate) clips: Array<'m, Option<RigClip<'m>>, Memory<'m>>,
    pub(crate) machine: Option<RigMachine<'m>>,
    pub(crate) details: Array<'m, RigDetail<'m>, Memory<'m>>,
    pub(crate) bind: Array<'m, BoneGroup, Memory<'m>>,
    /// The middle of the bones at rest, and a radius around it in which all of a pose is.
    pub(crate) sphere: [f32; 4],
    /// How far the skin is from bones.
    pub(crate) flesh: f32,
}

impl<'m> Rig<'m> {
    pub(crate) fn try_new(
        description: &Description<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        Ok(Self {
            words: Array::try_from_slice_in(description.words(), memory)?,
            users: 0,
            is_stale: true,
            is_known: false,
            bones: 0,
            clips: Array::new_in(memory),
            machine: None,
            details: Array::new_in(memory),
            bind: Array::new_in(memory),
            sphere: [0.0; 4],
            flesh: FLESH,
        })
    }

    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    pub(crate) fn description(&self) -> Option<Description<'_>> {
        Description::read(&self.words).map(|(description, _)| description)
    }

    pub(crate) fn skeleton<'s>(&self, assets: &'s Assets<'_>) -> Option<Skeleton<'s>> {
        assets.skeleton(self.description()?.skeleton()?)
    }

    /// Returns a clip that is ready.
    pub(crate) fn clip(&self, number: u16) -> Option<&RigClip<'m>> {
        self.clips.get(usize::from(number))?.as_ref()
    }

    /// Makes it ready for what is loaded now.
    pub(crate) fn prepare(&mut self, assets: &Assets<'_>) -> Result<(), SubsystemError> {
        let memory = self.words.memory();
        self.clips.clear();
        self.details.clear();
        self.machine = None;
        (self.is_stale, self.is_known, self.bones) = (false, false, 0);
        let words = core::mem::replace(&mut self.words, Array::new_in(memory));
        let made = self.prepare_for(&words, assets);
        self.words = words;
        made
    }

    fn prepare_for(&mut self, words: &[u32], assets: &Assets<'_>) -> Result<(), SubsystemError> {
        let memory = self.words.memory();
        let Some((description, _)) = Description::read(words) else { return Ok(()) };
        let Some(skeleton) = description.skeleton().and_then(|name| assets.skeleton(name)) else {
            return Ok(());
        };
        self.bind.clear();
        self.bind.try_resize(groups_of(skeleton.len()), BoneGroup::IDENTITY)?;
        skeleton.write_bind(&mut self.bind);
        self.measure(&skeleton, description.radius());
        let mut first_error = Ok(());
        for named in description.clips() {
            let clip = named.clip.and_then(|name| assets.clip(name));
            let made = clip.map(|clip| {
                let has_way = description.has(ROOT_MOTION) && named.above == 0;
                RigClip::try_new(&named, &clip, &skeleton, has_way, memory)
            });
            let made = made.transpose();
            let made = made.unwrap_or_else(|error| {
                first_error = first_error.and(Err(error));
                None
            });
            self.clips.try_push(made)?;
        }
        for of in description.details().take(DETAILS_MAX) {
            let mut mask = Array::new_in(memory);
            mask.try_resize(groups_of(skeleton.len()), Lanes::ONE)?;
            for resting in of.resting.iter().filter(|bone| **bone != 0) {
                set_below(&mut mask, &skeleton, *resting, 0.0);
            }
            self.details.try_push(RigDetail { of, mask })?;
        }
        self.bones = skeleton.len();
        if let Some(name) = description.machine()
            && let Some(machine) = assets.machine(name)
        {
            let made = RigMachine::try_new((name, &machine), &skeleton, assets, memory);
            self.machine = made.unwrap_or_else(|error| {
                first_error = first_error.and(Err(error));
                None
            });
        }
        first_error
    }

    /// Computes the sphere around the bones at rest.
    fn measure(&mut self, skeleton: &Skeleton<'_>, radius: f32) {
        let place = |bone| crate::kinematics::space_of(skeleton, &self.bind, bone).position;
        let count = skeleton.len();
        let middle = (0..count).map(place).sum::<Vec3>() / count as f32;
        let far = (0..count).map(|bone| place(bone).distance(middle)).fold(0.0, f32::max);
        self.flesh = if radius > 0.0 { radius } else { FLESH.max(0.2 * far) };
        self.sphere = middle.extend(1.5 * far + self.flesh).to_array();
    }
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

    fn try_new(
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
