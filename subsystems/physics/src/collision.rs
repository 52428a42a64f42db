//! Collision shapes: what an actor is made of, cooked for a world.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | shapes: offset, count | points | triangles | heights    32 bytes
//! shapes        | name | template | form | pose | size | ranges | ..      80 bytes each
//! points        | x | y | z | ..                                          12 bytes each
//! triangles     | three corners, counted from the shape's first | ..      12 bytes each
//! heights       | y | ..                                                   4 bytes each
//! ```

mod double;
mod image;
mod verify;
mod volume;

#[cfg(feature = "compile")]
pub(crate) use double::{between, cross, dot, double};
pub(crate) use image::{BOX, CAPSULE, CONVEX, HEIGHTS, MESH, SPHERE};
pub use image::{CollisionImage, CollisionShape};
#[cfg(feature = "compile")]
pub(crate) use volume::has_volume;

use core::fmt;

use glam::{Quat, Vec3};
use loligo_containers::Blob;
use loligo_ids::IdString32;
use loligo_resources::DataError;

use crate::geometry::Geometry;

/// The type of collision shapes.
pub const COLLISION_TYPE: &str = "collision";

/// The version of collision shapes that is compiled and read here.
pub const COLLISION_VERSION: u32 = 1;

/// The most shapes of a resource.
pub const SHAPES_MAX: usize = 1024;

/// The most points of a convex shape.
pub const CONVEX_POINTS_MAX: usize = 256;

/// The most corners of a mesh, and the most of its triangles.
pub const MESH_MAX: usize = 1 << 20;

/// The most heights along a side of a height field.
pub const HEIGHTS_SIDE_MAX: usize = 2048;

/// A shape of a resource: where it is on its actor, what it is like, and its form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionPart<'b> {
    /// Its name, hashed; the hash of the empty name where it has none.
    pub name: IdString32,
    /// The name of its template in the settings.
    pub template: IdString32,
    /// Where it is, as seen from its actor.
    pub position: Vec3,
    /// How it is turned there.
    pub rotation: Quat,
    /// Its form.
    pub geometry: Geometry<'b>,
}

/// Collision shapes that were opened: a view of bytes that were verified once.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and trusts no length. Reading is free.
///
/// # Memory
///
/// The bytes are borrowed and read in place. The object is four slices.
///
/// # Examples
///
/// ```
/// use loligo_physics::Collision;
///
/// let error = Collision::open(&[0; 16]).expect_err("not a collision");
/// assert!(error.to_string().starts_with("no compiled collision: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. There are 1 to [`SHAPES_MAX`] shapes, whose points, triangles and heights are in the lists.
/// 2. Numbers are finite, sides and radii above 0, rotations of length 1.
/// 3. A convex shape has 4 to [`CONVEX_POINTS_MAX`] points, not all in a plane. Corners of a triangle are
///    three different points of its mesh, of which there are at most [`MESH_MAX`].
/// 4. A height field has 2 to [`HEIGHTS_SIDE_MAX`] heights along each side.
#[derive(Clone, Copy)]
pub struct Collision<'b> {
    shapes: &'b [CollisionShape],
    points: &'b [[f32; 3]],
    triangles: &'b [[u32; 3]],
    heights: &'b [f32],
}

impl<'b> Collision<'b> {
    /// Returns the shapes of another resource that has such lists.
    pub(crate) const fn of(
        shapes: &'b [CollisionShape],
        points: &'b [[f32; 3]],
        triangles: &'b [[u32; 3]],
        heights: &'b [f32],
    ) -> Self {
        Self { shapes, points, triangles, heights }
    }

    /// Opens the payload of a resource of type `collision`. It must be at a multiple of 16, as that of a
    /// loaded resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let collision = Self::open_verified(payload)?;
        collision.verify()?;
        Ok(collision)
    }

    /// Opens what [`open`](Self::open) has accepted before, without a second look at its numbers.
    /// Calls on bytes that it would not accept can panic.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`DataError`] if it is not a blob of this type.
    pub fn open_verified(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<CollisionImage>::open_structure(payload)
            .map_err(|error| DataError::blob(COLLISION_TYPE, error))?;
        let image = blob.root();
        Ok(Self {
            shapes: blob.array(&image.shapes),
            points: blob.array(&image.points),
            triangles: blob.array(&image.triangles),
            heights: blob.array(&image.heights),
        })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        verify::verify(self)
    }

    /// Returns the number of shapes, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "there is a shape")]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Returns a shape.
    ///
    /// # Panics
    ///
    /// If there is no such shape.
    #[must_use]
    pub fn part(&self, index: usize) -> CollisionPart<'b> {
        let shape = &self.shapes[index];
        CollisionPart {
            name: shape.name,
            template: shape.template,
            position: Vec3::from_array(shape.position),
            rotation: Quat::from_array(shape.rotation),
            geometry: self.geometry(shape),
        }
    }

    /// Returns all shapes, in the order of the source.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = CollisionPart<'b>> + use<'b> {
        let collision = *self;
        (0..self.len()).map(move |index| collision.part(index))
    }

    /// Returns the index of the first shape of a name.
    ///
    /// # Complexity
    ///
    /// O(shapes).
    #[must_use]
    pub fn find(&self, name: IdString32) -> Option<usize> {
        self.shapes.iter().position(|shape| shape.name == name)
    }

    fn geometry(&self, shape: &CollisionShape) -> Geometry<'b> {
        let size = Vec3::from_array(shape.size);
        let points = &self.points[range(shape.points)];
        match shape.form {
            BOX => Geometry::Box { half: size },
            SPHERE => Geometry::Sphere { radius: size.x },
            CAPSULE => Geometry::Capsule { half_height: size.y, radius: size.x },
            CONVEX => Geometry::Convex { points },
            MESH => {
                let triangles = &self.triangles[range(shape.triangles)];
                Geometry::Mesh { vertices: points, triangles }
            }
            _ => {
                let [first, rows, columns] = shape.heights;
                let heights = &self.heights[range([first, rows * columns])];
                Geometry::HeightField { rows, columns, heights, size }
            }
        }
    }
}

impl fmt::Debug for Collision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collision").field("shapes", &self.len()).finish_non_exhaustive()
    }
}

/// Returns the range of a first index and a count.
const fn range([first, count]: [u32; 2]) -> core::ops::Range<usize> {
    first as usize..first as usize + count as usize
}
