//! Triangles while they are gathered.

use glam::{Affine3A, Mat4, Vec3};
use loligo_compiler::CompileError;
use loligo_containers::{BlobBuilder, Endian, blob_field};
use std::format;
use std::string::String;
use std::vec::Vec;

use super::build;
use super::morphs::Morphs;
use crate::lod::Lod;
use crate::mesh::{MeshImage, MeshVertex, SkinVertex};
use crate::state::Transform;

/// The most vertices of a mesh, and the most indices: a gigabyte of them would come of a mistake.
pub(super) const VERTICES_MAX: usize = 1 << 24;
pub(super) const INDICES_MAX: usize = 1 << 26;

/// Vertices and triangles of a mesh.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) vertices: Vec<MeshVertex>,
    pub(super) indices: Vec<u32>,
    /// Which bones move each vertex; nothing where none do.
    pub(super) skin: Vec<SkinVertex>,
    /// The names of the bones, hashed, and what leads from the mesh at rest to each.
    pub(super) bones: Vec<(u64, Mat4)>,
    /// Where the indices of its coarser levels begin.
    pub(super) lods: Vec<Lod>,
    /// By which share of a limit a size must be past it before the level changes back.
    pub(super) hysteresis: f32,
    /// The corners of a box that hides what it covers; both the same without one.
    pub(super) occluder: [Vec3; 2],
    /// How targets move its vertices.
    pub(super) morphs: Morphs,
}

impl Geometry {
    /// Adds a vertex and returns its index.
    pub(super) fn vertex(&mut self, position: Vec3, normal: Vec3, uv: [f32; 2]) -> u32 {
        let index = self.vertices.len() as u32;
        let (position, normal) = (position.to_array(), normal.to_array());
        self.vertices.push(MeshVertex { position, normal, uv });
        index
    }

    /// Returns whether bones or targets move its vertices.
    pub(super) fn is_moved(&self) -> bool {
        !(self.bones.is_empty() && self.morphs.targets.is_empty())
    }

    /// Adds a triangle, its front counter-clockwise.
    pub(super) fn triangle(&mut self, a: u32, b: u32, c: u32) {
        self.indices.extend([a, b, c]);
    }

    /// Appends the triangles of another; the error is what there is too much of.
    pub(super) fn append(&mut self, other: Self) -> Result<(), String> {
        let first = self.vertices.len();
        if first + other.vertices.len() > VERTICES_MAX
            || self.indices.len() + other.indices.len() > INDICES_MAX
        {
            return Err(format!("the levels have more than {VERTICES_MAX} vertices"));
        }
        self.vertices.extend(other.vertices);
        self.indices.extend(other.indices.iter().map(|index| index + first as u32));
        Ok(())
    }

    /// Scales, moves, and scales places in the texture.
    pub(super) fn place(&mut self, scale: f32, offset: Vec3, uv_scale: [f32; 2]) {
        for vertex in &mut self.vertices {
            let position = Vec3::from_array(vertex.position) * scale + offset;
            vertex.position = position.to_array();
            vertex.uv = [vertex.uv[0] * uv_scale[0], vertex.uv[1] * uv_scale[1]];
        }
        self.morphs.scale(scale);
        // What leads to a bone begins with the way back.
        let back =
            (Mat4::from_translation(offset) * Mat4::from_scale(Vec3::splat(scale))).inverse();
        for (_, rest) in &mut self.bones {
            *rest *= back;
        }
    }

    /// Returns the box around all vertices, wherever weights from 0 to 1 move them.
    pub(super) fn bounds(&self) -> [Vec3; 2] {
        let low = self.corners().map(|[low, _]| low).reduce(Vec3::min).unwrap_or(Vec3::ZERO);
        [low, self.corners().map(|[_, high]| high).reduce(Vec3::max).unwrap_or(Vec3::ZERO)]
    }

    /// Returns the box in which each vertex is.
    fn corners(&self) -> impl Iterator<Item = [Vec3; 2]> {
        let positions = self.vertices.iter().map(|vertex| Vec3::from_array(vertex.position));
        positions.enumerate().map(|(at, position)| self.morphs.reach(at, position))
    }

    /// Returns the sphere around the box's center that holds all vertices.
    fn sphere(&self, [low, high]: [Vec3; 2]) -> [f32; 4] {
        let center = (low + high) * 0.5;
        let farther = |[low, high]: [Vec3; 2]| (center - low).max(high - center).length();
        let radius = self.corners().map(farther).fold(0.0, f32::max);
        // The root may have been rounded down.
        [center.x, center.y, center.z, radius * (1.0 + f32::EPSILON)]
    }

    /// Writes the blob of the mesh.
    pub(super) fn build(&self, endian: Endian) -> Result<Vec<u8>, CompileError> {
        let bounds = self.bounds();
        let sphere = self.sphere(bounds);
        if !sphere.iter().all(|number| number.is_finite()) {
            let reason = format!("the mesh is as large as {sphere:?}");
            return Err(CompileError::new(reason, "make it smaller"));
        }
        build(|heap| {
            let mut builder = BlobBuilder::<MeshImage, _>::try_new_in(endian, heap)?;
            let root = builder.root();
            builder.set(root.at(blob_field!(MeshImage, sphere)), sphere);
            builder.set(root.at(blob_field!(MeshImage, low)), bounds[0].to_array());
            builder.set(root.at(blob_field!(MeshImage, high)), bounds[1].to_array());
            let numbers: &[f32] = bytemuck::cast_slice(&self.vertices);
            builder.numbers(root.at(blob_field!(MeshImage, vertices)), numbers)?;
            builder.numbers(root.at(blob_field!(MeshImage, indices)), &self.indices)?;
            let skin: &[u32] = bytemuck::cast_slice(&self.skin);
            builder.numbers(root.at(blob_field!(MeshImage, skin)), skin)?;
            let names: Vec<u64> = self.bones.iter().map(|(name, _)| *name).collect();
            builder.numbers(root.at(blob_field!(MeshImage, bones)), &names)?;
            let rests = self.bones.iter().map(|(_, rest)| Affine3A::from_mat4(*rest).into());
            let rests: Vec<Transform> = rests.collect();
            let rests: &[f32] = bytemuck::cast_slice(&rests);
            builder.numbers(root.at(blob_field!(MeshImage, rests)), rests)?;
            let lods = self.lods.iter().flat_map(|lod| [lod.share.to_bits(), lod.first_index]);
            let lods: Vec<u32> = lods.collect();
            builder.numbers(root.at(blob_field!(MeshImage, lods)), &lods)?;
            builder.set(root.at(blob_field!(MeshImage, hysteresis)), self.hysteresis);
            let [low, high] = self.occluder.map(|corner| corner.to_array());
            let occluder = [low[0], low[1], low[2], high[0], high[1], high[2]];
            builder.set(root.at(blob_field!(MeshImage, occluder)), occluder);
            let (firsts, deltas) = self.morphs.columns(self.vertices.len());
            let targets = root.at(blob_field!(MeshImage, targets));
            builder.numbers(targets, &self.morphs.targets)?;
            builder.numbers(root.at(blob_field!(MeshImage, weights)), &self.morphs.weights)?;
            builder.numbers(root.at(blob_field!(MeshImage, firsts)), &firsts)?;
            let deltas: &[u32] = bytemuck::cast_slice(&deltas);
            builder.numbers(root.at(blob_field!(MeshImage, deltas)), deltas)?;
            Ok(builder.finish().to_vec())
        })
    }
}
