//! Meshes whose vertices are moved by named shapes: a smile, a fist, a dent.

use bytemuck::{Pod, Zeroable};
use loligo_ids::IdString32;

/// The most targets of a mesh.
pub const TARGETS_MAX: usize = 256;

/// The most targets of which one object has a weight that is not the mesh's.
pub const OBJECT_WEIGHTS_MAX: usize = 64;

/// How one target moves one vertex.
///
/// # Memory
///
/// 28 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MorphDelta {
    /// The number of the target.
    pub target: u32,
    /// How far it moves the vertex at a weight of 1.
    pub position: [f32; 3],
    /// What it adds to its normal.
    pub normal: [f32; 3],
}

/// The targets of a mesh: vertex by vertex, those alone that move it.
///
/// ```text
/// firsts  | 0 | 2 | 2 | ..        by vertex, and the end: where its deltas begin
/// deltas  | 0 | 3 | 1 | ..        of the first vertex those of targets 0 and 3
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Morph<'m> {
    /// The hash of the name of each target.
    pub targets: &'m [u32],
    /// The weight of each with which the vertices of the mesh were compiled.
    pub weights: &'m [f32],
    /// Where the deltas of each vertex begin, and the end: one more than there are vertices, or none
    /// without targets.
    pub firsts: &'m [u32],
    /// The deltas of all vertices.
    pub deltas: &'m [MorphDelta],
}

impl Morph<'_> {
    /// Returns the number of a target. O(targets).
    #[must_use]
    pub fn target(&self, name: IdString32) -> Option<usize> {
        self.targets.iter().position(|target| *target == name.hash())
    }
}

/// The weight of one target of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MorphWeight {
    /// The hash of the target's name.
    pub target: u32,
    /// How much of it there is: 0 is nothing, 1 all.
    pub weight: f32,
}

/// The weights of an object's targets; those that it does not have are the mesh's.
///
/// # Memory
///
/// 516 bytes: up to 64 weights.
///
/// # Examples
///
/// ```
/// use loligo_ids::IdString32;
/// use loligo_render::MorphWeights;
///
/// let (smile, frown) = (IdString32::new("smile"), IdString32::new("frown"));
/// let mut weights = MorphWeights::default();
/// assert!(weights.set(smile, 0.5) && weights.set(smile, 0.75));
/// assert_eq!((weights.get(smile), weights.get(frown)), (Some(0.75), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MorphWeights {
    count: u32,
    all: [MorphWeight; OBJECT_WEIGHTS_MAX],
}

impl Default for MorphWeights {
    fn default() -> Self {
        Self::zeroed()
    }
}

impl MorphWeights {
    /// Returns the weights, in the order in which they were set first.
    #[must_use]
    pub fn as_slice(&self) -> &[MorphWeight] {
        // The count may have come from a file.
        &self.all[..(self.count as usize).min(OBJECT_WEIGHTS_MAX)]
    }

    /// Returns the weight of a target, if it was set. O(weights).
    #[must_use]
    pub fn get(&self, target: IdString32) -> Option<f32> {
        self.as_slice().iter().find(|own| own.target == target.hash()).map(|own| own.weight)
    }

    /// Sets the weight of a target. Returns `false`, and changes nothing, if 64 others have one.
    /// O(weights).
    pub fn set(&mut self, target: IdString32, weight: f32) -> bool {
        let count = self.as_slice().len();
        let target = target.hash();
        let at = self.as_slice().iter().position(|own| own.target == target).unwrap_or(count);
        let Some(own) = self.all.get_mut(at) else { return false };
        *own = MorphWeight { target, weight };
        self.count = count.max(at + 1) as u32;
        true
    }
}

const _: () = assert!(size_of::<MorphDelta>() == 28, "its doc states it");
const _: () = assert!(size_of::<MorphWeights>() == 516, "its doc states it");
