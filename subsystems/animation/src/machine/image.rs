//! State machines as they are saved.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::{IdString32, IdString64};

/// The index of nothing.
pub(crate) const NONE: u16 = u16::MAX;

/// The states of a blend: one clip, points on a line, points on a plane, clips with a weight each.
pub(crate) const CLIP: u16 = 0;
pub(crate) const LINE: u16 = 1;
pub(crate) const PLANE: u16 = 2;
pub(crate) const LIST: u16 = 3;

/// When a transition is taken: in any step, at the end of a lap, when an event is passed.
pub(crate) const AT_ONCE: u16 = 0;
pub(crate) const AT_END: u16 = 1;
pub(crate) const AT_EVENT: u16 = 2;

blob_struct! {
    /// A state machine as it is saved: a blob. [`Machine`](super::Machine) reads it.
    pub struct MachineImage {
        /// What conditions and weights are computed from.
        pub variables: BlobArray<MachineVariable>,
        /// The clips, by which all else names them.
        pub clips: BlobArray<MachineClip>,
        /// The frames of the marks of all clips.
        pub marks: BlobArray<f32>,
        /// Where the bones of each mask begin, and how many there are.
        pub masks: BlobArray<[u32; 2]>,
        /// The bones of all masks.
        pub mask_bones: BlobArray<MaskBone>,
        /// The bone whose way is given to the entity; the empty name if there is none.
        pub root: IdString32,
        /// The layers, from the first one up.
        pub layers: BlobArray<MachineLayer>,
        /// The states of all layers, layer by layer.
        pub states: BlobArray<MachineState>,
        /// The clips of all states, state by state.
        pub motions: BlobArray<MachineMotion>,
        /// Which points of a state are the corners of each triangle, state by state.
        pub triangles: BlobArray<[u16; 3]>,
        /// The transitions of all states, state by state, in the order in which they are tried.
        pub transitions: BlobArray<MachineTransition>,
        /// Where the words of each formula begin, and where the last one ends.
        pub formulas: BlobArray<u32>,
        /// The bytecode of all formulas.
        pub words: BlobArray<u32>,
    }

    /// A variable. 8 bytes.
    pub struct MachineVariable {
        pub(crate) name: IdString32,
        pub(crate) default: f32,
    }

    /// A clip, and what it has in common with other cycles. 16 bytes.
    pub struct MachineClip {
        pub(crate) name: IdString64,
        pub(crate) first_mark: u32,
        pub(crate) marks: u32,
    }

    /// A bone of a mask, and how much it and all bones below take part. 8 bytes.
    pub struct MaskBone {
        pub(crate) bone: IdString32,
        pub(crate) weight: f32,
    }

    /// A layer. 16 bytes.
    pub struct MachineLayer {
        pub(crate) name: IdString32,
        /// A formula.
        pub(crate) weight: u16,
        /// A mask, or none.
        pub(crate) mask: u16,
        pub(crate) is_additive: u16,
        pub(crate) first_state: u16,
        pub(crate) states: u16,
        /// The state that it begins with, of all states.
        pub(crate) start: u16,
    }

    /// A state. 28 bytes.
    pub struct MachineState {
        pub(crate) name: IdString32,
        pub(crate) kind: u16,
        pub(crate) is_looping: u16,
        /// Formulas: how fast it is, and where in the blend space.
        pub(crate) speed: u16,
        pub(crate) x: u16,
        pub(crate) y: u16,
        pub(crate) first_motion: u16,
        pub(crate) motions: u16,
        pub(crate) first_triangle: u16,
        pub(crate) triangles: u16,
        pub(crate) first_transition: u16,
        pub(crate) transitions: u16,
        /// The parts of a lap: the marks that all of its clips have, or 1.
        pub(crate) parts: u16,
    }

    /// A clip of a state. 12 bytes.
    pub struct MachineMotion {
        pub(crate) clip: u16,
        /// A formula.
        pub(crate) weight: u16,
        pub(crate) x: f32,
        pub(crate) y: f32,
    }

    /// A transition. 20 bytes.
    pub struct MachineTransition {
        /// The state, of all states.
        pub(crate) to: u16,
        /// A formula.
        pub(crate) condition: u16,
        pub(crate) when: u16,
        pub(crate) is_synchronised: u16,
        /// How long the cross-fade is.
        pub(crate) seconds: f32,
        /// Where the next state begins, as a part of its lap.
        pub(crate) start: f32,
        pub(crate) event: IdString32,
    }
}
