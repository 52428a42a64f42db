//! The columns of each kind of object.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::details::Details;
use super::morphed::Morphed;
use super::rare::Rare;
use crate::state::{
    InstanceParameters, Light, MESH_HIDDEN, Material, Mesh, PlacedLight, Shape, Transform,
};

/// The meshes.
pub(super) struct Meshes<'a, A: Allocator + ?Sized> {
    pub(super) handles: Array<'a, u32, A>,
    pub(super) x: Array<'a, f32, A>,
    pub(super) y: Array<'a, f32, A>,
    pub(super) z: Array<'a, f32, A>,
    pub(super) radius: Array<'a, f32, A>,
    pub(super) transforms: Array<'a, Transform, A>,
    pub(super) shapes: Array<'a, Shape, A>,
    pub(super) materials: Array<'a, Material, A>,
    pub(super) flags: Array<'a, u32, A>,
    pub(super) details: Details<'a, A>,
    pub(super) parameters: Rare<'a, InstanceParameters, A>,
    pub(super) morphed: Rare<'a, Morphed, A>,
}

impl<'a, A: Allocator + ?Sized> Meshes<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self {
            handles: Array::new_in(memory),
            x: Array::new_in(memory),
            y: Array::new_in(memory),
            z: Array::new_in(memory),
            radius: Array::new_in(memory),
            transforms: Array::new_in(memory),
            shapes: Array::new_in(memory),
            materials: Array::new_in(memory),
            flags: Array::new_in(memory),
            details: Details::new_in(memory),
            parameters: Rare::new_in(memory),
            morphed: Rare::new_in(memory),
        }
    }

    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        self.handles.try_reserve(more)?;
        self.x.try_reserve(more)?;
        self.y.try_reserve(more)?;
        self.z.try_reserve(more)?;
        self.radius.try_reserve(more)?;
        self.transforms.try_reserve(more)?;
        self.shapes.try_reserve(more)?;
        self.materials.try_reserve(more)?;
        self.flags.try_reserve(more)?;
        self.details.try_reserve(more)?;
        self.parameters.try_reserve_rows(more)?;
        self.morphed.try_reserve_rows(more)
    }

    /// Appends a row, for which there is room.
    pub(super) fn push(&mut self, handle: u32, mesh: &Mesh) {
        let Mesh { transform, sphere, geometry, state, layer, flags, details } = *mesh;
        self.handles.push(handle);
        self.x.push(0.0);
        self.y.push(0.0);
        self.z.push(0.0);
        self.radius.push(0.0);
        self.transforms.push(transform);
        self.shapes.push(Shape { geometry, sphere, details });
        self.materials.push(Material { state, layer });
        self.flags.push(flags);
        self.details.push();
        self.parameters.push();
        self.morphed.push();
        self.place(self.handles.len() - 1);
    }

    /// Removes a row; returns the handle of the one that is there now.
    pub(super) fn swap_remove(&mut self, row: usize) -> Option<u32> {
        self.handles.swap_remove(row);
        self.x.swap_remove(row);
        self.y.swap_remove(row);
        self.z.swap_remove(row);
        self.radius.swap_remove(row);
        self.transforms.swap_remove(row);
        self.shapes.swap_remove(row);
        self.materials.swap_remove(row);
        self.flags.swap_remove(row);
        self.details.swap_remove(row);
        self.parameters.swap_remove(row);
        self.morphed.swap_remove(row);
        self.handles.get(row).copied()
    }

    /// Places a mesh's sphere in the world.
    pub(super) fn place(&mut self, row: usize) {
        let [x, y, z, radius] = self.shapes[row].sphere;
        let transform = &self.transforms[row];
        let center = transform.point(Vec3::new(x, y, z));
        let is_hidden = self.flags[row] & MESH_HIDDEN != 0;
        let radius = if is_hidden { f32::NEG_INFINITY } else { radius * transform.scale() };
        (self.x[row], self.y[row], self.z[row]) = (center.x, center.y, center.z);
        self.radius[row] = radius;
    }

    pub(super) fn mesh(&self, row: usize) -> Mesh {
        let Shape { geometry, sphere, details } = self.shapes[row];
        let Material { state, layer } = self.materials[row];
        let (transform, flags) = (self.transforms[row], self.flags[row]);
        Mesh { transform, sphere, geometry, state, layer, flags, details }
    }

    pub(super) fn bytes(&self) -> usize {
        let floats = [&self.x, &self.y, &self.z, &self.radius]
            .map(|column| column.capacity())
            .iter()
            .sum::<usize>();
        (floats + self.handles.capacity() + self.flags.capacity()) * 4
            + self.transforms.capacity() * size_of::<Transform>()
            + self.shapes.capacity() * size_of::<Shape>()
            + self.materials.capacity() * size_of::<Material>()
            + self.details.bytes()
            + self.parameters.bytes()
            + self.morphed.bytes()
    }

    pub(super) fn validate(&self) -> Result<(), &'static str> {
        let lens = [
            self.x.len(),
            self.y.len(),
            self.z.len(),
            self.radius.len(),
            self.transforms.len(),
            self.shapes.len(),
            self.materials.len(),
            self.flags.len(),
        ];
        if lens.iter().any(|len| *len != self.handles.len()) {
            return Err("the columns of meshes differ in length");
        }
        self.details.validate(self.handles.len())?;
        self.parameters.validate(self.handles.len())?;
        self.morphed.validate(self.handles.len())?;
        for row in 0..self.handles.len() {
            let [x, y, z, radius] = self.shapes[row].sphere;
            let center = self.transforms[row].point(Vec3::new(x, y, z));
            let placed =
                [(center.x, self.x[row]), (center.y, self.y[row]), (center.z, self.z[row])];
            if !placed.iter().all(|(expected, own)| same(*expected, *own)) {
                return Err("a sphere is not where its mesh is");
            }
            let is_hidden = self.flags[row] & MESH_HIDDEN != 0;
            let scaled = radius * self.transforms[row].scale();
            let expected = if is_hidden { f32::NEG_INFINITY } else { scaled };
            if !same(self.radius[row], expected) {
                return Err("a sphere is not as large as its mesh");
            }
        }
        Ok(())
    }
}

/// Returns `true` if two numbers have the same bits, or both are NaN. A NaN may have other bits
/// when it is computed again.
fn same(one: f32, other: f32) -> bool {
    one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
}

/// The lights.
pub(super) struct Lights<'a, A: Allocator + ?Sized> {
    pub(super) handles: Array<'a, u32, A>,
    pub(super) lights: Array<'a, Light, A>,
    pub(super) stages: Array<'a, u8, A>,
}

impl<'a, A: Allocator + ?Sized> Lights<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self {
            handles: Array::new_in(memory),
            lights: Array::new_in(memory),
            stages: Array::new_in(memory),
        }
    }

    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        self.handles.try_reserve(more)?;
        self.lights.try_reserve(more)?;
        self.stages.try_reserve(more)
    }

    /// Appends a row, for which there is room.
    pub(super) fn push(&mut self, handle: u32, light: &PlacedLight) {
        self.handles.push(handle);
        self.lights.push(light.light);
        self.stages.push(light.stage as u8);
    }

    pub(super) fn set(&mut self, row: usize, light: &PlacedLight) {
        self.lights[row] = light.light;
        self.stages[row] = light.stage as u8;
    }

    /// Removes a row; returns the handle of the one that is there now.
    pub(super) fn swap_remove(&mut self, row: usize) -> Option<u32> {
        self.handles.swap_remove(row);
        self.lights.swap_remove(row);
        self.stages.swap_remove(row);
        self.handles.get(row).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        self.handles.capacity() * 4
            + self.lights.capacity() * size_of::<Light>()
            + self.stages.capacity()
    }

    pub(super) fn validate(&self) -> Result<(), &'static str> {
        let lens = [self.lights.len(), self.stages.len()];
        if lens == [self.handles.len(); 2] {
            Ok(())
        } else {
            Err("the columns of lights differ in length")
        }
    }
}
