//! A state machine made ready for a rig.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_ids::IdString64;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::rig_clip::{RigClip, set_below};
use crate::clip::{Clip, ClipEvent, Cursor};
use crate::lanes::Lanes;
use crate::machine::{
    Formula, Ground, Machine, MachineError, MachineParts, MachineView, fingerprint, formula_of,
};
use crate::playing::{ActiveGroup, sample_clip};
use crate::pose::{BoneGroup, bone, groups_of};
use crate::skeleton::Skeleton;

type Memory<'m> = SubsystemMemory<'m>;

/// The most formulas and clips of a machine that is played here: views of them are on the stack.
const FORMULAS_MAX: usize = 128;
const CLIPS_MAX: usize = 64;

/// A layer of a machine.
pub(crate) struct RigLayer<'m> {
    pub(crate) is_additive: bool,
    /// How much each bone takes part; empty for all of them.
    pub(crate) mask: Array<'m, Lanes, Memory<'m>>,
}

/// A machine and its clips, for a skeleton.
pub(crate) struct RigMachine<'m> {
    name: IdString64,
    pub(crate) fingerprint: u32,
    parts: MachineParts<'m, Memory<'m>>,
    pub(crate) clips: Array<'m, RigClip<'m>, Memory<'m>>,
    /// The first frame of each clip, which what is added is the difference from; empty where nothing is.
    pub(crate) references: Array<'m, Array<'m, BoneGroup, Memory<'m>>, Memory<'m>>,
    pub(crate) layers: Array<'m, RigLayer<'m>, Memory<'m>>,
}

impl<'m> RigMachine<'m> {
    /// Makes a machine ready; nothing where one of its clips is not loaded.
    pub(crate) fn try_new(
        (name, machine): (IdString64, &Machine<'_>),
        skeleton: &Skeleton<'_>,
        assets: &Assets<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Option<Self>, SubsystemError> {
        if machine.formulas.len() > FORMULAS_MAX || machine.clips.len() > CLIPS_MAX {
            return Err(SubsystemError::Wrong {
                what: "a machine has more than 127 formulas or 64 clips, and is not played",
                remedy: "divide it into two",
            });
        }
        let mut made = Self {
            name,
            fingerprint: fingerprint(machine),
            parts: MachineParts::try_new_in(machine, skeleton, memory).map_err(refusal)?,
            clips: Array::new_in(memory),
            references: Array::new_in(memory),
            layers: Array::new_in(memory),
        };
        made.add_layers(machine, skeleton, memory)?;
        let has_added = made.layers.iter().any(|layer| layer.is_additive);
        for (at, name) in machine.clips().enumerate() {
            let Some(clip) = assets.clip(name) else { return Ok(None) };
            let own = RigClip::of_machine(name, &clip, skeleton, memory)?;
            made.parts.try_push_clip(machine, at, &clip, skeleton).map_err(refusal)?;
            made.sample_frames(&clip, &own, has_added, memory)?;
            made.clips.try_push(own)?;
        }
        Ok(Some(made))
    }

    fn add_layers(
        &mut self,
        machine: &Machine<'_>,
        skeleton: &Skeleton<'_>,
        memory: SharedRef<'m>,
    ) -> Result<(), SubsystemError> {
        for layer in machine.layers {
            let mut mask = Array::new_in(memory);
            if let Some([first, count]) = machine.masks.get(usize::from(layer.mask)) {
                mask.try_resize(groups_of(skeleton.len()), Lanes::ZERO)?;
                let bones = machine.mask_bones.get(*first as usize..).unwrap_or_default();
                for bone in bones.iter().take(*count as usize) {
                    set_below(&mut mask, skeleton, bone.bone.hash(), bone.weight);
                }
            }
            self.layers.try_push(RigLayer { is_additive: layer.is_additive != 0, mask })?;
        }
        Ok(())
    }

    /// Samples what is known of a clip without playing it: its way on the ground, and its first frame.
    fn sample_frames(
        &mut self,
        clip: &Clip<'_>,
        own: &RigClip<'m>,
        has_added: bool,
        memory: SharedRef<'m>,
    ) -> Result<(), SubsystemError> {
        let mut pose = Array::new_in(memory);
        pose.try_resize(groups_of(clip.bones()), BoneGroup::IDENTITY)?;
        let mut active = Array::new_in(memory);
        active.try_resize(own.lanes.group_count(), ActiveGroup::EMPTY)?;
        let mut cursor = Cursor::default();
        sample_clip(clip, &own.lanes, (&mut *active, &mut cursor), 0.0, None, &mut pose);
        let first = if has_added { &pose[..] } else { &[] };
        self.references.try_push(Array::try_from_slice_in(first, memory)?)?;
        let Some(root) = self.parts.root() else { return Ok(()) };
        for frame in 0..=clip.last_frame() {
            let at = (&mut *active, &mut cursor);
            sample_clip(clip, &own.lanes, at, frame as f32, None, &mut pose);
            self.parts.grounds.try_push(Ground::of_pose(&bone(&pose, root)))?;
        }
        Ok(())
    }

    /// Returns the bone whose way is given to the entity.
    pub(crate) const fn root(&self) -> Option<usize> {
        self.parts.root()
    }

    /// Returns the machine, to look names up.
    pub(crate) fn machine<'s>(&self, assets: &'s Assets<'_>) -> Option<Machine<'s>> {
        assets.machine(self.name)
    }

    /// Calls `act` with what a step looks at.
    pub(crate) fn with_view<R>(
        &self,
        assets: &Assets<'_>,
        act: impl FnOnce(&MachineView<'_, '_>) -> R,
    ) -> Option<R> {
        let machine = assets.machine(self.name)?;
        let count = machine.formulas.len().saturating_sub(1).min(FORMULAS_MAX);
        let mut formulas = [Formula::Constant(0.0); FORMULAS_MAX];
        for (number, formula) in formulas[..count].iter_mut().enumerate() {
            *formula = formula_of(&machine, number);
        }
        let mut events: [&[ClipEvent]; CLIPS_MAX] = [&[]; CLIPS_MAX];
        for (events, own) in events.iter_mut().zip(&self.clips) {
            if own.has_events {
                *events = assets.clip(own.clip)?.events();
            }
        }
        let events = &events[..self.clips.len()];
        Some(act(&self.parts.view(&machine, &formulas[..count], events)))
    }
}

/// What keeps a machine from being played, as subsystems say it.
const fn refusal(error: MachineError) -> SubsystemError {
    match error {
        MachineError::Memory(error) => SubsystemError::Grow(error),
        MachineError::Mark { .. } => SubsystemError::Wrong {
            what: "a mark of a machine is past the end of its clip, and it is not played",
            remedy: "look at `marks` in its source",
        },
        _ => SubsystemError::Wrong {
            what: "a machine, its clips and the skeleton of a character do not fit, and it is not played",
            remedy: "name the character's skeleton in the sources of the machine and its clips",
        },
    }
}
