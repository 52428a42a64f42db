//! A draw, and the record that a graphics API reads it from.

use bytemuck::{Pod, Zeroable};

/// Which triangles are drawn: indices and vertices in the buffers that all meshes share.
///
/// # Memory
///
/// 12 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Geometry {
    /// How many indices.
    pub index_count: u32,
    /// The first of them in the buffer of indices.
    pub first_index: u32,
    /// What is added to each index.
    pub base_vertex: i32,
}

/// The arguments of one indexed draw as they are in a buffer of indirect draws: the layout of
/// Vulkan, Direct3D 12, Metal and wgpu (`DrawIndexedIndirectArgs`).
///
/// # Memory
///
/// 20 bytes, without a gap between two of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct IndirectArgs {
    /// How many indices.
    pub index_count: u32,
    /// How many instances.
    pub instance_count: u32,
    /// The first index in the buffer of indices.
    pub first_index: u32,
    /// What is added to each index.
    pub base_vertex: i32,
    /// The number of the first instance.
    pub first_instance: u32,
}

const _: () = assert!(size_of::<IndirectArgs>() == 20, "graphics APIs read it so");

impl IndirectArgs {
    /// Returns the arguments that draw `instance_count` instances of a mesh.
    #[must_use]
    pub const fn new(geometry: Geometry, first_instance: u32, instance_count: u32) -> Self {
        let Geometry { index_count, first_index, base_vertex } = geometry;
        Self { index_count, instance_count, first_index, base_vertex, first_instance }
    }

    /// Returns which triangles are drawn.
    #[must_use]
    pub const fn geometry(&self) -> Geometry {
        let Self { index_count, first_index, base_vertex, .. } = *self;
        Geometry { index_count, first_index, base_vertex }
    }

    /// Returns what draws both, if that is one draw: the same mesh, and the instances of `next`
    /// follow.
    ///
    /// Whether two neighbours fold depends on these two alone, and not on what was folded before.
    /// So a row of draws folds to the same records wherever it is cut and joined again.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_render::{Geometry, IndirectArgs};
    ///
    /// let cube = Geometry { index_count: 36, first_index: 0, base_vertex: 0 };
    /// let one = IndirectArgs::new(cube, 7, 1);
    /// assert_eq!(one.folded(&IndirectArgs::new(cube, 8, 2)), Some(IndirectArgs::new(cube, 7, 3)));
    /// assert_eq!(one.folded(&IndirectArgs::new(cube, 9, 1)), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn folded(&self, next: &Self) -> Option<Self> {
        let end = self.first_instance.checked_add(self.instance_count)?;
        let next_end = next.first_instance.checked_add(next.instance_count)?;
        (end == next.first_instance && self.geometry() == next.geometry())
            .then(|| Self { instance_count: next_end - self.first_instance, ..*self })
    }
}

/// A draw: what is drawn, and with what.
///
/// # Memory
///
/// 24 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Draw {
    /// The number of the state: pipeline, textures, constants. Neighbours of equal state become one
    /// indirect draw.
    pub state: u32,
    /// What is drawn.
    pub args: IndirectArgs,
}
