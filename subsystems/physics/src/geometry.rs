//! What a shape is, how it meets others, and what its surface is like: what resources and worlds share.

use glam::Vec3;

/// A shape's form, in metres; borrowed from a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Geometry<'a> {
    /// A box.
    Box {
        /// Half of its extent along each axis.
        half: Vec3,
    },
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: f32,
    },
    /// A capsule along y.
    Capsule {
        /// Half of the distance between the centres of its two halves of a sphere.
        half_height: f32,
        /// The radius of these.
        radius: f32,
    },
    /// The convex hull of points.
    Convex {
        /// Four or more points that are not in a plane.
        points: &'a [[f32; 3]],
    },
    /// Triangles: for what does not move by itself.
    Mesh {
        /// The corners.
        vertices: &'a [[f32; 3]],
        /// Three indices of corners each.
        triangles: &'a [[u32; 3]],
    },
    /// Heights over a grid in the plane of x and z, centred at the origin: for what does not move by
    /// itself.
    HeightField {
        /// How many heights there are along z: at least 2.
        rows: u32,
        /// How many heights there are along x: at least 2.
        columns: u32,
        /// `rows * columns` heights, one row after the other.
        heights: &'a [f32],
        /// The extent along x and z, and what heights are multiplied by.
        size: Vec3,
    },
}

/// Filter of a shape: the bit of its group, and the groups that it meets. Two shapes meet if each
/// has a group that the other meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The groups that it is of, a bit each.
    pub groups: u32,
    /// The groups that it meets.
    pub meets: u32,
}

impl Filter {
    /// Meets everything.
    pub const ALL: Self = Self { groups: u32::MAX, meets: u32::MAX };
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}

/// What a surface is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// The hash of the material's name: an [`IdString32`](loligo_ids::IdString32).
    pub material: u32,
    /// The coefficient of friction; that of two surfaces is the mean of theirs.
    pub friction: f32,
    /// How much of the speed of an impact is given back, from 0 to 1; that of two surfaces is the
    /// mean of theirs.
    pub restitution: f32,
    /// Kilograms a cubic metre.
    pub density: f32,
}

impl Default for Surface {
    /// Wood, about.
    fn default() -> Self {
        Self { material: 0, friction: 0.5, restitution: 0.0, density: 700.0 }
    }
}
