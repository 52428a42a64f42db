//! The lists of a machine that is compiled, and writing them as a blob.

use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::with_heap;
use loligo_containers::{BlobBuilder, Endian, blob_field};
use loligo_ids::{IdString32, IdString64};

use super::formulas::Formulas;
use crate::compile::error::CompressError;
use crate::machine::{
    MachineClip, MachineImage, MachineLayer, MachineMotion, MachineState, MachineTransition,
    MachineVariable, MaskBone,
};

/// A machine as far as its source was read.
#[derive(Debug, Default)]
pub(super) struct MachineDraft {
    pub(super) variables: Vec<(String, f32)>,
    pub(super) clips: Vec<DraftClip>,
    pub(super) masks: Vec<(String, Vec<(String, f32)>)>,
    pub(super) root: Option<String>,
    pub(super) layers: Vec<DraftLayer>,
    pub(super) states: Vec<DraftState>,
    pub(super) formulas: Formulas,
    /// All names that are hashed.
    pub(super) names: Vec<String>,
}

#[derive(Debug)]
pub(super) struct DraftClip {
    /// What the machine calls it.
    pub(super) name: String,
    pub(super) resource: String,
    pub(super) place: (u32, u32),
    pub(super) marks: Vec<f32>,
}

#[derive(Debug)]
pub(super) struct DraftLayer {
    pub(super) name: String,
    pub(super) weight: u16,
    pub(super) mask: u16,
    pub(super) is_additive: bool,
    pub(super) first_state: u16,
    pub(super) states: u16,
    pub(super) start: u16,
}

#[derive(Debug)]
pub(super) struct DraftState {
    pub(super) name: String,
    pub(super) kind: u16,
    pub(super) is_looping: bool,
    pub(super) speed: u16,
    pub(super) axes: [u16; 2],
    /// Clip, weight, x and y.
    pub(super) motions: Vec<(u16, u16, [f32; 2])>,
    pub(super) triangles: Vec<[u16; 3]>,
    pub(super) transitions: Vec<DraftTransition>,
    pub(super) parts: u16,
}

#[derive(Clone, Debug)]
pub(super) struct DraftTransition {
    pub(super) to: u16,
    pub(super) condition: u16,
    pub(super) when: u16,
    pub(super) is_synchronised: bool,
    pub(super) seconds: f32,
    pub(super) start: f32,
    pub(super) event: Option<String>,
}

impl MachineDraft {
    /// Keeps a name that is hashed.
    pub(super) fn name(&mut self, name: &str) {
        self.names.push(name.to_string());
    }

    /// Returns the resources of the clips, and where they are named.
    pub(super) fn clip_places(&self) -> Vec<(String, (u32, u32))> {
        self.clips.iter().map(|clip| (clip.resource.clone(), clip.place)).collect()
    }

    /// Writes the blob.
    pub(super) fn build(&self, endian: Endian) -> Result<Vec<u8>, CompressError> {
        with_heap(|heap| {
            let mut builder = BlobBuilder::<MachineImage>::try_new(endian, heap)?;
            self.write_names(&mut builder)?;
            self.write_layers(&mut builder)?;
            self.write_states(&mut builder)?;
            self.write_lists(&mut builder)?;
            Ok(builder.finish().to_vec())
        })
    }

    fn write_names(&self, builder: &mut Builder<'_>) -> Result<(), CompressError> {
        let root = builder.root();
        let places =
            builder.array(root.at(blob_field!(MachineImage, variables)), self.variables.len())?;
        for (place, (name, default)) in places.iter().zip(&self.variables) {
            builder.set(place.at(blob_field!(MachineVariable, name)), IdString32::new(name));
            builder.set(place.at(blob_field!(MachineVariable, default)), *default);
        }
        let places = builder.array(root.at(blob_field!(MachineImage, clips)), self.clips.len())?;
        let mut first = 0;
        for (place, clip) in places.iter().zip(&self.clips) {
            let (name, count) = (IdString64::new(&clip.resource), clip.marks.len() as u32);
            builder.set(place.at(blob_field!(MachineClip, name)), name);
            builder.set(place.at(blob_field!(MachineClip, first_mark)), first);
            builder.set(place.at(blob_field!(MachineClip, marks)), count);
            first += count;
        }
        let marks: Vec<f32> =
            self.clips.iter().flat_map(|clip| clip.marks.iter().copied()).collect();
        builder.numbers(root.at(blob_field!(MachineImage, marks)), &marks)?;
        let mut bones = Vec::new();
        let mut masks = Vec::new();
        for (_, mask) in &self.masks {
            masks.push([bones.len() as u32, mask.len() as u32]);
            bones.extend(mask);
        }
        builder.numbers(root.at(blob_field!(MachineImage, masks)), &masks)?;
        let places = builder.array(root.at(blob_field!(MachineImage, mask_bones)), bones.len())?;
        for (place, (bone, weight)) in places.iter().zip(bones) {
            builder.set(place.at(blob_field!(MaskBone, bone)), IdString32::new(bone));
            builder.set(place.at(blob_field!(MaskBone, weight)), *weight);
        }
        let bone =
            self.root.as_ref().map_or_else(IdString32::default, |name| IdString32::new(name));
        builder.set(root.at(blob_field!(MachineImage, root)), bone);
        Ok(())
    }

    fn write_layers(&self, builder: &mut Builder<'_>) -> Result<(), CompressError> {
        let root = builder.root();
        let places =
            builder.array(root.at(blob_field!(MachineImage, layers)), self.layers.len())?;
        for (place, layer) in places.iter().zip(&self.layers) {
            let name = IdString32::new(&layer.name);
            builder.set(place.at(blob_field!(MachineLayer, name)), name);
            builder.set(place.at(blob_field!(MachineLayer, weight)), layer.weight);
            builder.set(place.at(blob_field!(MachineLayer, mask)), layer.mask);
            let is_additive = u16::from(layer.is_additive);
            builder.set(place.at(blob_field!(MachineLayer, is_additive)), is_additive);
            builder.set(place.at(blob_field!(MachineLayer, first_state)), layer.first_state);
            builder.set(place.at(blob_field!(MachineLayer, states)), layer.states);
            builder.set(place.at(blob_field!(MachineLayer, start)), layer.start);
        }
        Ok(())
    }

    fn write_states(&self, builder: &mut Builder<'_>) -> Result<(), CompressError> {
        let root = builder.root();
        let places =
            builder.array(root.at(blob_field!(MachineImage, states)), self.states.len())?;
        let (mut motion, mut triangle, mut transition) = (0, 0, 0);
        for (place, state) in places.iter().zip(&self.states) {
            let [x, y] = state.axes;
            let count = |len: usize| len as u16;
            let name = IdString32::new(&state.name);
            let is_looping = u16::from(state.is_looping);
            builder.set(place.at(blob_field!(MachineState, name)), name);
            builder.set(place.at(blob_field!(MachineState, kind)), state.kind);
            builder.set(place.at(blob_field!(MachineState, is_looping)), is_looping);
            builder.set(place.at(blob_field!(MachineState, speed)), state.speed);
            builder.set(place.at(blob_field!(MachineState, x)), x);
            builder.set(place.at(blob_field!(MachineState, y)), y);
            let motions = count(state.motions.len());
            builder.set(place.at(blob_field!(MachineState, first_motion)), motion);
            builder.set(place.at(blob_field!(MachineState, motions)), motions);
            let triangles = count(state.triangles.len());
            builder.set(place.at(blob_field!(MachineState, first_triangle)), triangle);
            builder.set(place.at(blob_field!(MachineState, triangles)), triangles);
            let transitions = count(state.transitions.len());
            builder.set(place.at(blob_field!(MachineState, first_transition)), transition);
            builder.set(place.at(blob_field!(MachineState, transitions)), transitions);
            builder.set(place.at(blob_field!(MachineState, parts)), state.parts);
            motion += motions;
            triangle += triangles;
            transition += transitions;
        }
        Ok(())
    }

    fn write_lists(&self, builder: &mut Builder<'_>) -> Result<(), CompressError> {
        let root = builder.root();
        let motions: Vec<_> = self.states.iter().flat_map(|state| &state.motions).collect();
        let places = builder.array(root.at(blob_field!(MachineImage, motions)), motions.len())?;
        for (place, (clip, weight, [x, y])) in places.iter().zip(motions) {
            builder.set(place.at(blob_field!(MachineMotion, clip)), *clip);
            builder.set(place.at(blob_field!(MachineMotion, weight)), *weight);
            builder.set(place.at(blob_field!(MachineMotion, x)), *x);
            builder.set(place.at(blob_field!(MachineMotion, y)), *y);
        }
        let triangles: Vec<_> =
            self.states.iter().flat_map(|state| state.triangles.iter().copied()).collect();
        builder.numbers(root.at(blob_field!(MachineImage, triangles)), &triangles)?;
        let all: Vec<_> = self.states.iter().flat_map(|state| &state.transitions).collect();
        let places = builder.array(root.at(blob_field!(MachineImage, transitions)), all.len())?;
        for (place, transition) in places.iter().zip(all) {
            let event = transition.event.as_ref();
            let event = event.map_or_else(IdString32::default, |name| IdString32::new(name));
            let sync = u16::from(transition.is_synchronised);
            builder.set(place.at(blob_field!(MachineTransition, to)), transition.to);
            let condition = transition.condition;
            builder.set(place.at(blob_field!(MachineTransition, condition)), condition);
            builder.set(place.at(blob_field!(MachineTransition, when)), transition.when);
            builder.set(place.at(blob_field!(MachineTransition, is_synchronised)), sync);
            builder.set(place.at(blob_field!(MachineTransition, seconds)), transition.seconds);
            builder.set(place.at(blob_field!(MachineTransition, start)), transition.start);
            builder.set(place.at(blob_field!(MachineTransition, event)), event);
        }
        let (formulas, words) = self.formulas.lists();
        builder.numbers(root.at(blob_field!(MachineImage, formulas)), formulas)?;
        builder.numbers(root.at(blob_field!(MachineImage, words)), words)?;
        Ok(())
    }
}

/// What writes a machine.
type Builder<'a> = BlobBuilder<'a, MachineImage>;
