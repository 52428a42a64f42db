//! The part of a character that a state machine drives.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::rig_clip::RigClip;
use super::rig_machine::RigMachine;
use crate::blending::{add_lanes, blend_lanes, subtract_pose};
use crate::clip::Cursor;
use crate::lanes::Lanes;
use crate::machine::{MachineEvent, MachineView, Machines};
use crate::motion::take_ground;
use crate::playing::{ActiveGroup, sample_clip};
use crate::pose::BoneGroup;

type Memory<'m> = SubsystemMemory<'m>;

/// How many clips of a machine a character has keys of: what is played besides is read again each time.
const KEYS: usize = 8;

/// The clip of keys that are of none.
const NO_CLIP: u16 = u16::MAX;

/// The active keys of a clip.
struct ClipKeys<'m> {
    clip: u16,
    is_used: bool,
    active: Array<'m, ActiveGroup, Memory<'m>>,
    cursor: Cursor,
}

/// A machine of one character.
pub(crate) struct MachineBody<'m> {
    /// None until its rig is ready.
    pub(crate) machine: Option<Machines<'m, Memory<'m>>>,
    /// What the machine was when it was saved or its rig has changed.
    pub(crate) saved: Array<'m, u8, Memory<'m>>,
    fingerprint: u32,
    /// What the last step passed.
    pub(crate) passed: Array<'m, MachineEvent, Memory<'m>>,
    keys: [ClipKeys<'m>; KEYS],
    mixed: Array<'m, BoneGroup, Memory<'m>>,
}

impl<'m> MachineBody<'m> {
    pub(crate) fn new(memory: SharedRef<'m>) -> Self {
        Self {
            machine: None,
            saved: Array::new_in(memory),
            fingerprint: 0,
            passed: Array::new_in(memory),
            keys: core::array::from_fn(|_| ClipKeys {
                clip: NO_CLIP,
                is_used: false,
                active: Array::new_in(memory),
                cursor: Cursor::default(),
            }),
            mixed: Array::new_in(memory),
        }
    }

    /// Calls `each` with the words of its state.
    pub(crate) fn each_word(&self, each: &mut dyn FnMut(u32)) {
        match &self.machine {
            Some(machine) => machine.each_word(self.fingerprint, each),
            None => {
                let words = self.saved.as_chunks::<4>().0;
                words.iter().for_each(|word| each(u32::from_le_bytes(*word)));
            }
        }
    }

    /// Makes it ready for the machine of its rig; it goes on in its states where they are the same.
    pub(crate) fn fit(
        &mut self,
        of: Option<&RigMachine<'m>>,
        groups: usize,
        assets: &Assets<'_>,
    ) -> Result<(), SubsystemError> {
        if self.machine.is_some() {
            let mut saved = core::mem::replace(&mut self.saved, Array::new_in(self.mixed.memory()));
            saved.clear();
            let mut pushed = Ok(());
            self.each_word(&mut |word| {
                pushed = pushed.and_then(|()| saved.try_extend_from_slice(&word.to_le_bytes()));
            });
            self.saved = saved;
            pushed?;
        }
        self.machine = None;
        self.keys.iter_mut().for_each(|keys| keys.clip = NO_CLIP);
        let Some(of) = of else { return Ok(()) };
        let memory = self.mixed.memory();
        self.mixed.try_resize(groups, BoneGroup::IDENTITY)?;
        self.passed.clear();
        self.passed.try_reserve(8)?;
        let made = of.with_view(assets, |view| {
            let mut machine = Machines::try_new_in(1, view, memory)?;
            if !machine.restore_words(view, &self.saved) {
                machine.reset_view(view, 0);
                machine.step_view(view, 0, 0.0, |_| ());
            }
            Ok::<_, SubsystemError>(machine)
        });
        self.machine = made.transpose()?;
        self.fingerprint = of.fingerprint;
        self.saved.clear();
        Ok(())
    }

    /// Goes on by some seconds, and returns how far the entity is moved.
    pub(crate) fn step(&mut self, view: &MachineView<'_, '_>, seconds: f32) -> Pose {
        let Self { machine, passed, .. } = self;
        passed.clear();
        let Some(machine) = machine else { return Pose::IDENTITY };
        machine.step_view(view, 0, seconds, |event| {
            // Without memory it is not heard.
            let _ = passed.try_push(event);
        });
        machine.way(0)
    }

    /// Writes the pose of all layers; `false` without a machine.
    pub(crate) fn mix(
        &mut self,
        of: &RigMachine<'m>,
        assets: &Assets<'_>,
        mask: Option<&[Lanes]>,
        (pose, scratch): (&mut [BoneGroup], &mut [BoneGroup]),
    ) -> bool {
        let Self { machine: Some(machine), keys, mixed, .. } = self else { return false };
        keys.iter_mut().for_each(|keys| keys.is_used = false);
        for (number, layer) in of.layers.iter().enumerate() {
            let weight = machine.layer_weight(0, number);
            let mut sum = 0.0;
            for sample in machine.samples(0, number) {
                let Some(clip) = of.clips.get(usize::from(sample.clip)) else { continue };
                let keys = keys_for(keys, sample.clip);
                if !keys.sample(clip, (sample.clip, sample.frame), assets, mask, scratch) {
                    continue;
                }
                let reference = of.references.get(usize::from(sample.clip));
                if let Some(reference) = reference.filter(|_| layer.is_additive) {
                    subtract_pose(scratch, reference);
                } else if let Some(root) = of.root() {
                    take_ground(scratch, root);
                }
                sum += sample.weight;
                match sum == sample.weight {
                    true => mixed.copy_from_slice(scratch),
                    false => blend_lanes(mixed, scratch, sample.weight / sum, None),
                }
            }
            let own = (!layer.mask.is_empty()).then_some(&*layer.mask);
            match (number, layer.is_additive) {
                _ if sum == 0.0 => {}
                (_, true) => add_lanes(pose, mixed, weight, own),
                (0, false) => pose.copy_from_slice(mixed),
                _ => blend_lanes(pose, mixed, weight, own),
            }
        }
        true
    }
}

/// Returns the keys of a clip, or others that are not used in this pose.
fn keys_for<'k, 'm>(keys: &'k mut [ClipKeys<'m>; KEYS], clip: u16) -> &'k mut ClipKeys<'m> {
    let rank = |keys: &ClipKeys<'_>| match (keys.is_used, keys.clip) {
        (false, own) if own == clip => 0,
        (false, NO_CLIP) => 1,
        (false, _) => 2,
        (true, _) => 3,
    };
    let at = (0..KEYS).min_by_key(|at| rank(&keys[*at])).unwrap_or(0);
    &mut keys[at]
}

impl ClipKeys<'_> {
    /// Writes the pose of a clip at a frame; `false` if it is not there, or there is no memory.
    fn sample(
        &mut self,
        clip: &RigClip<'_>,
        (number, frame): (u16, f32),
        assets: &Assets<'_>,
        mask: Option<&[Lanes]>,
        to: &mut [BoneGroup],
    ) -> bool {
        let Some(image) = assets.clip(clip.clip) else { return false };
        if self.clip != number {
            self.active.clear();
            self.cursor = Cursor::default();
            if self.active.try_resize(clip.lanes.group_count(), ActiveGroup::EMPTY).is_err() {
                self.clip = NO_CLIP;
                return false;
            }
            self.clip = number;
        }
        self.is_used = true;
        let at = (&mut *self.active, &mut self.cursor);
        sample_clip(&image, &clip.lanes, at, frame, mask, to);
        true
    }
}
