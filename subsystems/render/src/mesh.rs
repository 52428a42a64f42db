//! Compiled meshes, read in place.
//!
//! After Niklas Frykholm, "The Blob and I" (2010): what was compiled is in memory as it is on the
//! disk.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root      | sphere: center, radius | low, high of the box | vertices: offset, count of f32 | indices |   56 bytes
//! vertices  | position: 3, normal: 3, uv: 2 | ..                                              32 bytes a vertex
//! indices   | 0 1 2 | ..                                                                      12 bytes a triangle
//! ```

use bytemuck::{Pod, Zeroable};
use loligo_containers::{Blob, BlobArray, blob_struct};

use crate::resource_error::ContentError;

/// The type of meshes.
pub const MESH_TYPE: &str = "mesh";

/// The version of meshes that is compiled and read here.
pub const MESH_VERSION: u32 = 1;

blob_struct! {
    /// A mesh as it is saved: a blob. [`MeshResource`] reads it.
    pub struct MeshImage {
        /// Center and radius of a sphere around all vertices.
        pub sphere: [f32; 4],
        /// The low corner of the box around all vertices.
        pub low: [f32; 3],
        /// The high corner of the box around all vertices.
        pub high: [f32; 3],
        /// Eight numbers a vertex: a [`MeshVertex`].
        pub vertices: BlobArray<f32>,
        /// Three a triangle.
        pub indices: BlobArray<u32>,
    }
}

/// A vertex as shaders read it: right-handed, metres, y up; the front of a triangle is
/// counter-clockwise.
///
/// # Memory
///
/// 32 bytes without gaps: position at 0, normal at 12, place in the texture at 24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MeshVertex {
    /// Where it is, in metres.
    pub position: [f32; 3],
    /// Away from the surface, of length 1.
    pub normal: [f32; 3],
    /// Where in the texture, from 0 at its left upper corner to 1 at its right lower one.
    pub uv: [f32; 2],
}

/// A mesh that was opened.
///
/// # Memory
///
/// The bytes are borrowed and used in place. The object is two slices and ten numbers.
///
/// # Examples
///
/// ```
/// use loligo_render::MeshResource;
///
/// let error = MeshResource::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled mesh: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. There are three indices for each triangle, and each is that of a vertex.
/// 2. All positions, the sphere and the box are finite.
#[derive(Clone, Copy, Debug)]
pub struct MeshResource<'b> {
    vertices: &'b [MeshVertex],
    indices: &'b [u32],
    sphere: [f32; 4],
    bounds: [[f32; 3]; 2],
}

impl<'b> MeshResource<'b> {
    /// Opens the payload of a resource of type `mesh`. It must be at a multiple of 16, as that of a
    /// loaded resource does.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing and believes no length.
    ///
    /// # Errors
    ///
    /// [`ContentError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, ContentError> {
        let blob = Blob::<MeshImage>::open_structure(payload)
            .map_err(|error| ContentError::blob(MESH_TYPE, error))?;
        let wrong = |field, must, found| ContentError::part(MESH_TYPE, field, must, found);
        let image = blob.root();
        let numbers = blob.array(&image.vertices);
        let Ok(vertices) = bytemuck::try_cast_slice::<f32, MeshVertex>(numbers) else {
            return Err(wrong("vertices", "eight numbers each", numbers.len() as u64));
        };
        let indices = blob.array(&image.indices);
        if !indices.len().is_multiple_of(3) {
            return Err(wrong("indices", "three for each triangle", indices.len() as u64));
        }
        if let Some(index) = indices.iter().max()
            && *index as usize >= vertices.len()
        {
            return Err(wrong("indices", "those of vertices", u64::from(*index)));
        }
        // A sum of products with zero is zero unless one of the factors is not finite, and needs no
        // branch.
        let is_finite =
            |numbers: &[f32]| numbers.iter().map(|number| number * 0.0).sum::<f32>() == 0.0;
        if let Some(at) = vertices.iter().position(|vertex| !is_finite(&vertex.position)) {
            return Err(wrong("vertices", "at finite positions, all of them", at as u64));
        }
        let is_bounded =
            is_finite(&image.sphere) && is_finite(&image.low) && is_finite(&image.high);
        if !is_bounded || image.sphere[3] < 0.0 {
            let radius = u64::from(image.sphere[3].to_bits());
            return Err(wrong(
                "sphere",
                "finite, as the box, with a radius that is not negative",
                radius,
            ));
        }
        let bounds = [image.low, image.high];
        Ok(Self { vertices, indices, sphere: image.sphere, bounds })
    }

    /// Returns the vertices.
    #[must_use]
    pub const fn vertices(&self) -> &'b [MeshVertex] {
        self.vertices
    }

    /// Returns the indices of the vertices, three for each triangle.
    #[must_use]
    pub const fn indices(&self) -> &'b [u32] {
        self.indices
    }

    /// Returns center and radius of a sphere around all vertices: what
    /// [`Mesh::sphere`](crate::Mesh) is to be.
    #[must_use]
    pub const fn sphere(&self) -> [f32; 4] {
        self.sphere
    }

    /// Returns the low and the high corner of the box around all vertices.
    #[must_use]
    pub const fn bounds(&self) -> [[f32; 3]; 2] {
        self.bounds
    }

    /// Asserts the invariants.
    ///
    /// # Panics
    ///
    /// If one does not hold.
    pub fn validate(&self) {
        assert!(self.indices.len().is_multiple_of(3), "{} indices", self.indices.len());
        for index in self.indices {
            let count = self.vertices.len();
            assert!((*index as usize) < count, "index {index} of {count} vertices");
        }
        for vertex in self.vertices {
            assert!(vertex.position.iter().all(|number| number.is_finite()), "{vertex:?}");
        }
        let bounds = self.bounds.iter().flatten().chain(&self.sphere);
        assert!(bounds.clone().all(|number| number.is_finite()), "{self:?}");
    }
}

const _: () = assert!(size_of::<MeshVertex>() == 32, "its doc states it");
