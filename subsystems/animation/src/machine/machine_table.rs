//! What all characters of a machine share.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::{IdString32, murmur2_32};

use super::formula::Formula;
use super::ground_track::{Ground, push_track};
use super::image::NONE;
use super::machine_error::MachineError;
use super::timeline::Place;
use super::triangle::Triangle;
use super::{MIX_MAX, Machine, STATE_VARIABLES};
use crate::blending::BoneMask;
use crate::clip::{Clip, ClipEvent};
use crate::playing::ClipTable;
use crate::skeleton::Skeleton;

/// A machine made ready to be stepped, with the clips that it plays: formulas, triangles, masks, and the
/// way of each clip on the ground.
///
/// # Complexity
///
/// Making it is O(bytes of the machine + frames of all clips), as the way is sampled. One is enough for all
/// characters.
///
/// # Memory
///
/// 40 bytes a formula, 48 a triangle, 104 a clip, and 16 a frame of all clips if the machine has a root; 4
/// bytes a bone and mask.
pub struct MachineTable<'b, 'a> {
    pub(super) machine: Machine<'b>,
    formulas: Array<'a, Formula<'b>>,
    /// The events of each clip.
    events: Array<'a, &'b [ClipEvent]>,
    masks: Array<'a, BoneMask<'a>>,
    parts: MachineParts<'a>,
}

/// What a table has of a machine and its clips that borrows nothing of them.
pub(crate) struct MachineParts<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    triangles: Array<'a, Triangle, A>,
    clips: Array<'a, ClipTime, A>,
    /// Where the roots of the clips are on the ground, frame by frame; nothing without a root.
    pub(crate) grounds: Array<'a, Ground, A>,
    root: Option<usize>,
    /// The most samples that all layers have at the same time.
    samples: usize,
    /// A hash of what the formulas of its states result in.
    hash: u32,
}

/// What a step of a character looks at.
#[derive(Clone, Copy)]
pub(crate) struct MachineView<'t, 'b> {
    pub(super) machine: &'t Machine<'b>,
    pub(super) formulas: &'t [Formula<'b>],
    pub(super) events: &'t [&'b [ClipEvent]],
    pub(super) triangles: &'t [Triangle],
    pub(super) clips: &'t [ClipTime],
    root: Option<usize>,
    grounds: &'t [Ground],
    pub(super) samples: usize,
    pub(super) hash: u32,
}

/// The time of a clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipTime {
    pub(super) last_frame: f32,
    /// The frame of the first mark.
    first_mark: f32,
    /// Where the parts of a lap begin, in frames from the first mark on, and where the last one ends.
    starts: [f32; MIX_MAX + 1],
    /// How long each part is.
    seconds: [f32; MIX_MAX],
    parts: u32,
    /// Of `grounds`.
    first_ground: u32,
}

impl<'b, 'a> MachineTable<'b, 'a> {
    /// Makes a machine ready to be stepped. `clips` are those of [`Machine::clips`], in their order.
    ///
    /// # Errors
    ///
    /// [`MachineError`] if clips or bones are not those of the machine, or there is no memory.
    pub fn try_new(
        machine: Machine<'b>,
        skeleton: &Skeleton<'_>,
        clips: &[&ClipTable<'b, '_>],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, MachineError> {
        let (found, expected) = (clips.len(), machine.clips.len());
        if found != expected {
            return Err(MachineError::Clips { found, expected });
        }
        let mut table = Self {
            machine,
            formulas: Array::try_with_capacity(machine.formulas.len(), memory)?,
            events: Array::try_with_capacity(expected, memory)?,
            masks: Array::try_with_capacity(machine.masks.len(), memory)?,
            parts: MachineParts::try_new_in(&machine, skeleton, memory)?,
        };
        for formula in 0..machine.formulas.len() - 1 {
            table.formulas.try_push(formula_of(&machine, formula))?;
        }
        table.try_push_masks(skeleton, memory)?;
        for (at, clip) in clips.iter().enumerate() {
            table.parts.try_push_clip(&machine, at, clip.clip(), skeleton)?;
            table.events.try_push(clip.clip().events())?;
            if let Some(root) = table.parts.root {
                push_track(&mut table.parts.grounds, clip, root, memory)?;
            }
        }
        Ok(table)
    }

    fn try_push_masks(
        &mut self,
        skeleton: &Skeleton<'_>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<(), MachineError> {
        for [first, count] in self.machine.masks {
            let mut mask = BoneMask::try_new(skeleton.len(), 0.0, memory)?;
            let end = *first as usize + *count as usize;
            for bone in &self.machine.mask_bones[*first as usize..end] {
                mask.set_below(skeleton, find(skeleton, bone.bone)?, bone.weight);
            }
            self.masks.try_push(mask)?;
        }
        Ok(())
    }

    /// Returns what a step looks at.
    pub(super) fn view(&self) -> MachineView<'_, 'b> {
        self.parts.view(&self.machine, &self.formulas, &self.events)
    }

    /// Returns the machine.
    #[must_use]
    pub const fn machine(&self) -> &Machine<'b> {
        &self.machine
    }

    /// Returns the mask of a layer, if it has one.
    ///
    /// # Panics
    ///
    /// If there is no such layer.
    #[must_use]
    pub fn mask(&self, layer: usize) -> Option<&BoneMask<'a>> {
        let mask = self.machine.layers[layer].mask;
        (mask != NONE).then(|| &self.masks[usize::from(mask)])
    }

    /// Returns the bone whose way is given to the entity, if there is one.
    #[must_use]
    pub const fn root(&self) -> Option<usize> {
        self.parts.root
    }
}

/// Returns a formula of a machine.
pub(crate) fn formula_of<'b>(machine: &Machine<'b>, number: usize) -> Formula<'b> {
    // They were verified when the machine was opened.
    let verified = Formula::verify(machine.words_of(number), machine.variables.len());
    verified.unwrap_or(Formula::Constant(0.0))
}

/// Returns a hash of what a machine's formulas are and what they are for.
fn hash_of(machine: &Machine<'_>) -> u32 {
    let layers = machine.layers.iter().map(|layer| layer.weight.into());
    let states = machine.states.iter().flat_map(|state| {
        let lists = [state.first_motion, state.motions, state.first_triangle, state.triangles];
        let transitions = [state.first_transition, state.transitions];
        let formulas = [state.x, state.y, state.speed, state.kind, state.is_looping, state.parts];
        lists.into_iter().chain(transitions).chain(formulas).map(u32::from)
    });
    let motions = machine.motions.iter().flat_map(|motion| {
        [motion.clip.into(), motion.weight.into(), motion.x.to_bits(), motion.y.to_bits()]
    });
    let triangles = machine.triangles.iter().flatten().map(|corner| u32::from(*corner));
    let conditions = machine.transitions.iter().map(|transition| transition.condition.into());
    let formulas = machine.formulas.iter().chain(machine.words).copied();
    let all = layers.chain(states).chain(motions).chain(triangles).chain(conditions);
    all.chain(formulas).fold(0, |hash, word: u32| murmur2_32(&word.to_le_bytes(), hash))
}

fn find(skeleton: &Skeleton<'_>, bone: IdString32) -> Result<usize, MachineError> {
    skeleton.find(bone).ok_or(MachineError::Bone { bone })
}

impl<'a, A: Allocator + ?Sized> MachineParts<'a, A> {
    /// Makes the parts of a machine, without clips.
    pub(crate) fn try_new_in(
        machine: &Machine<'_>,
        skeleton: &Skeleton<'_>,
        memory: &'a A,
    ) -> Result<Self, MachineError> {
        let clips = machine.clips.len();
        let mut parts = Self {
            triangles: Array::try_with_capacity_in(machine.triangles.len(), memory)?,
            clips: Array::try_with_capacity_in(clips, memory)?,
            grounds: Array::new_in(memory),
            root: machine.root().map(|bone| find(skeleton, bone)).transpose()?,
            samples: 0,
            hash: hash_of(machine),
        };
        for layer in 0..machine.layers.len() {
            let most = machine.states_of(layer).map(|state| {
                let state = &machine.states[state];
                usize::from(state.motions).min(if state.triangles > 0 { 3 } else { MIX_MAX })
            });
            parts.samples += super::slot::SLOTS * most.max().unwrap_or(0);
        }
        for state in machine.states {
            let first = usize::from(state.first_triangle);
            let motions = machine.motions_of(state);
            for corners in &machine.triangles[first..first + usize::from(state.triangles)] {
                if let Some(triangle) = Triangle::try_new(*corners, motions) {
                    parts.triangles.try_push(triangle)?;
                }
            }
        }
        Ok(parts)
    }

    /// Adds the next clip; where there is a root, the way of it follows in `grounds`.
    pub(crate) fn try_push_clip(
        &mut self,
        machine: &Machine<'_>,
        at: usize,
        clip: &Clip<'_>,
        skeleton: &Skeleton<'_>,
    ) -> Result<(), MachineError> {
        let named = &machine.clips[at];
        let (found, expected) = (clip.bones(), skeleton.len());
        if found != expected {
            return Err(MachineError::Bones { clip: named.name, found, expected });
        }
        let first = named.first_mark as usize;
        let marks = &machine.marks[first..first + named.marks as usize];
        let last = clip.last_frame() as f32;
        if marks.iter().any(|mark| *mark >= last.max(f32::MIN_POSITIVE)) {
            let last_frame = clip.last_frame();
            return Err(MachineError::Mark { clip: named.name, last_frame });
        }
        let first_mark = marks.first().copied().unwrap_or(0.0);
        let parts = named.marks.max(1) as usize;
        let mut starts = [last; MIX_MAX + 1];
        starts[0] = 0.0;
        for (start, mark) in starts[1..].iter_mut().zip(marks.iter().skip(1)) {
            let since = mark - first_mark;
            *start = if since < 0.0 { since + last } else { since };
        }
        let mut seconds = [0.0; MIX_MAX];
        for (part, seconds) in seconds[..parts].iter_mut().enumerate() {
            *seconds = (starts[part + 1] - starts[part]) / clip.rate();
        }
        self.hash = murmur2_32(bytemuck::bytes_of::<[f32; MIX_MAX]>(&seconds), self.hash);
        Ok(self.clips.try_push(ClipTime {
            last_frame: last,
            first_mark,
            starts,
            seconds,
            parts: parts as u32,
            first_ground: self.grounds.len() as u32,
        })?)
    }

    /// Returns the bone whose way is given to the entity, if there is one.
    #[cfg(feature = "subsystem")]
    pub(crate) const fn root(&self) -> Option<usize> {
        self.root
    }

    /// Returns what a step looks at: the formulas and the events of the clips are those of the machine.
    pub(crate) fn view<'t, 'b>(
        &'t self,
        machine: &'t Machine<'b>,
        formulas: &'t [Formula<'b>],
        events: &'t [&'b [ClipEvent]],
    ) -> MachineView<'t, 'b> {
        MachineView {
            machine,
            formulas,
            events,
            triangles: &self.triangles,
            clips: &self.clips,
            root: self.root,
            grounds: &self.grounds,
            samples: self.samples,
            hash: self.hash,
        }
    }
}

impl MachineView<'_, '_> {
    /// Returns the bone whose way is given to the entity, if there is one.
    pub(super) const fn root(&self) -> Option<usize> {
        self.root
    }

    /// Returns how many values a character has for formulas.
    pub(super) const fn row(&self) -> usize {
        self.machine.variables.len() + STATE_VARIABLES.len()
    }

    /// Returns `true` if a formula has the same value as long as the variables of the machine have.
    #[inline]
    pub(super) fn is_steady(&self, formula: u16) -> bool {
        self.formulas[usize::from(formula)].is_steady(self.machine.variables.len())
    }

    /// Returns the value of a formula.
    #[inline]
    pub(super) fn run(&self, formula: u16, row: &[f32]) -> f32 {
        self.formulas[usize::from(formula)].run(row)
    }

    /// Adds a part of how long the parts of a clip's lap are, in seconds.
    #[inline]
    pub(super) fn add_seconds(
        &self,
        clip: usize,
        weight: f32,
        is_looping: bool,
        seconds: &mut [f32],
    ) {
        let time = &self.clips[clip];
        if is_looping {
            for (sum, part) in seconds.iter_mut().zip(time.seconds) {
                *sum += weight * part;
            }
        } else {
            let whole: f32 = time.seconds[..time.parts as usize].iter().sum();
            seconds[0] += weight * whole;
        }
    }

    /// Returns the frame of a clip at a place, and 1 if its last frame was passed since the first mark.
    #[inline]
    pub(super) fn frame_at(&self, clip: usize, place: Place, is_looping: bool) -> (f32, u32) {
        let time = &self.clips[clip];
        if !is_looping {
            return ((place.done * time.last_frame).min(time.last_frame), 0);
        }
        let (start, end) = (time.starts[place.part], time.starts[place.part + 1]);
        let since = (start + place.done * (end - start)).min(end);
        let frame = since + time.first_mark;
        match frame >= time.last_frame {
            true => (frame - time.last_frame, 1),
            false => (frame, 0),
        }
    }

    /// Returns the phase of a frame of a clip.
    pub(super) fn phase_of(&self, clip: usize, frame: f32, is_looping: bool) -> f32 {
        let time = &self.clips[clip];
        if !is_looping {
            return if time.last_frame > 0.0 { frame / time.last_frame } else { 0.0 };
        }
        let since = frame - time.first_mark;
        let since = if since < 0.0 { since + time.last_frame } else { since };
        let starts = &time.starts[..=time.parts as usize];
        let after = starts.partition_point(|start| *start <= since);
        let part = after.clamp(1, time.parts as usize) - 1;
        let length = starts[part + 1] - starts[part];
        let done = if length > 0.0 { (since - starts[part]) / length } else { 0.0 };
        part as f32 + done.clamp(0.0, 1.0)
    }

    /// Returns the places of the root of a clip; none if there is no root.
    pub(super) fn ground(&self, clip: usize) -> &[Ground] {
        let time = &self.clips[clip];
        let first = time.first_ground as usize;
        let end = first + time.last_frame as usize + 1;
        self.grounds.get(first..end).unwrap_or_default()
    }
}

impl fmt::Debug for MachineTable<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineTable").field("machine", &self.machine).finish_non_exhaustive()
    }
}
