//! Collision shapes as they are saved.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::IdString32;

/// The forms of shapes.
pub(crate) const BOX: u32 = 0;
pub(crate) const SPHERE: u32 = 1;
pub(crate) const CAPSULE: u32 = 2;
pub(crate) const CONVEX: u32 = 3;
pub(crate) const MESH: u32 = 4;
pub(crate) const HEIGHTS: u32 = 5;

blob_struct! {
    /// Collision shapes as they are saved: a blob. [`Collision`](super::Collision) reads it.
    pub struct CollisionImage {
        /// The shapes, in the order of the source.
        pub shapes: BlobArray<CollisionShape>,
        /// The points of convex shapes and the corners of meshes.
        pub points: BlobArray<[f32; 3]>,
        /// The corners of triangles, counted from the first of the mesh.
        pub triangles: BlobArray<[u32; 3]>,
        /// The heights of height fields, row by row.
        pub heights: BlobArray<f32>,
    }

    /// A shape. 80 bytes.
    pub struct CollisionShape {
        /// Its name, hashed.
        pub name: IdString32,
        /// The name of its template, hashed.
        pub template: IdString32,
        /// Which form it has.
        pub form: u32,
        /// Where it is on its actor.
        pub position: [f32; 3],
        /// How it is turned there.
        pub rotation: [f32; 4],
        /// Half the sides of a box, the radius and half the height of round forms, the sides of a field.
        pub size: [f32; 3],
        /// The first of its points, and how many there are.
        pub points: [u32; 2],
        /// The first of its triangles, and how many there are.
        pub triangles: [u32; 2],
        /// The first of its heights, rows and columns.
        pub heights: [u32; 3],
    }
}
