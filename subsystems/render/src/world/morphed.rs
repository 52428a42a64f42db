//! Objects whose vertices targets move.

use loligo_allocators::Allocator;

use super::RenderWorld;
use crate::morph::MorphWeights;

/// What an object has whose vertices targets move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Morphed {
    pub(super) weights: MorphWeights,
    /// Where its moved vertices begin in this frame, if they are moved.
    pub(super) base_vertex: Option<i32>,
}

impl<A: Allocator + ?Sized> RenderWorld<'_, A> {
    /// Returns how many objects have weights of targets.
    #[must_use]
    pub fn morphed_count(&self) -> usize {
        self.meshes.morphed.values().len().saturating_sub(1)
    }

    /// Returns the weights of the targets of a mesh, by its row. O(1).
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn weights_at(&self, row: usize) -> MorphWeights {
        self.meshes.morphed.get(row).weights
    }

    /// Asks, for each object that has weights and is not hidden, where the vertices begin that its
    /// mesh has with them: `place` is given the number of the mesh, which is [`Mesh::details`] less
    /// 1, and the weights. It is drawn with those vertices until the next time; without an answer
    /// with those of the mesh.
    ///
    /// [`Mesh::details`]: crate::Mesh::details
    ///
    /// # Complexity
    ///
    /// O(objects that have weights).
    pub fn place_morphed(&mut self, mut place: impl FnMut(u32, &MorphWeights) -> Option<i32>) {
        let (shapes, radius) = (&self.meshes.shapes, &self.meshes.radius);
        for (row, morphed) in self.meshes.morphed.iter_mut() {
            let mesh = shapes[row].details.checked_sub(1).filter(|_| radius[row] >= 0.0);
            morphed.base_vertex = mesh.and_then(|mesh| place(mesh, &morphed.weights));
        }
    }
}
