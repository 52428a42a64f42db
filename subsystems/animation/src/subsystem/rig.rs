//! What all characters with the same component share.

use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::description::{DETAILS_MAX, Description, Detail, ROOT_MOTION};
use super::rig_clip::{RigClip, set_below};
use super::rig_machine::RigMachine;
use crate::lanes::Lanes;
use crate::pose::{BoneGroup, groups_of};
use crate::skeleton::Skeleton;

type Memory<'m> = SubsystemMemory<'m>;

/// How far the skin is from the bones at the most, where a component says no radius.
const FLESH: f32 = 0.25;

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
    /// Whether it has feet that are put on the ground.
    pub(crate) has_feet: bool,
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
            has_feet: false,
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
        self.has_feet = description.feet().len() > 0;
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
