//! Targets of models in glTF 2.0: how each moves a vertex.

use std::borrow::ToOwned;
use std::format;
use std::string::String;
use std::vec::Vec;

use glam::{Mat3, Vec3};
use loligo_compiler::CompileError;
use loligo_formats::gltf::{Accessor, Mesh, Node, Primitive};
use loligo_formats::{AccessorView, GltfFile};
use loligo_ids::IdString32;

use crate::mesh::MeshVertex;
use crate::morph::{MorphDelta, TARGETS_MAX};

/// The most deltas of a mesh, 28 bytes each.
const DELTAS_MAX: usize = 1 << 22;

/// What targets add where they are too small to be seen: nothing.
const TINY: f32 = 1.0e-7;

/// How targets move the vertices of a mesh.
#[derive(Debug, Default)]
pub(super) struct Morphs {
    /// The hashes of their names.
    pub(super) targets: Vec<u32>,
    /// The weights with which the mesh is at rest.
    pub(super) weights: Vec<f32>,
    /// Of which vertex each delta is; vertex by vertex once all primitives were added.
    deltas: Vec<(u32, MorphDelta)>,
}

/// The targets of a primitive.
pub(super) struct PrimitiveTargets<'v> {
    all: Vec<Target<'v>>,
}

struct Target<'v> {
    number: usize,
    positions: Option<AccessorView<'v>>,
    normals: Option<AccessorView<'v>>,
}

impl Morphs {
    /// Takes the targets of a mesh, and returns the number that each has in this one. Those of the
    /// same name are one.
    pub(super) fn take_mesh(
        &mut self,
        file: &GltfFile,
        mesh: &Mesh<'_>,
        node: Option<&Node<'_>>,
    ) -> Result<Vec<usize>, CompileError> {
        let weights = node.and_then(Node::weights).or(mesh.weights()).unwrap_or_default();
        let count = mesh.primitives().map(|primitive| primitive.morph_targets().count()).max();
        let (count, names) = (count.unwrap_or(0), file.target_names(mesh));
        let mut numbers = Vec::new();
        for at in 0..count {
            let name = names.get(at).cloned().unwrap_or_else(|| format!("{at}"));
            let weight = weights.get(at).copied().unwrap_or(0.0);
            let hash = IdString32::new(&name).hash();
            let wrong = |reason: &str, remedy: &str| {
                let reason = format!("its target `{name}` {reason}");
                CompileError { remedy: remedy.to_owned(), ..file.wrong(&reason) }
            };
            if !weight.is_finite() {
                return Err(wrong("has a weight that is not finite", "export the model again"));
            }
            let known = self.targets.iter().position(|target| *target == hash);
            if known.is_some_and(|known| numbers.contains(&known)) {
                return Err(wrong("comes twice", "give each target of a mesh another name"));
            }
            if known.is_some_and(|known| self.weights[known] != weight) {
                let reason = "has two weights in the meshes of what was asked for";
                return Err(wrong(reason, "give it one weight, or name one of the meshes"));
            }
            if known.is_none() && self.targets.len() == TARGETS_MAX {
                return Err(wrong("is one too many: a mesh has 256", "make several meshes of it"));
            }
            numbers.push(known.unwrap_or(self.targets.len()));
            if known.is_none() {
                self.targets.push(hash);
                self.weights.push(weight);
            }
        }
        Ok(numbers)
    }

    /// Adds how targets move a vertex: the number of each, what it adds to the position and to the
    /// normal. Vertices come in order.
    pub(super) fn add(
        &mut self,
        vertex: u32,
        moves: impl Iterator<Item = (usize, Vec3, Vec3)>,
    ) -> Result<(), String> {
        for (number, position, normal) in moves {
            if !(position.is_finite() && normal.is_finite()) {
                return Err(format!("a target moves vertex {vertex} by {position}"));
            }
            if position.length() < TINY && normal.length() < TINY {
                continue;
            }
            if self.deltas.len() == DELTAS_MAX {
                return Err(format!("its targets move vertices more than {DELTAS_MAX} times"));
            }
            let (position, normal) = (position.to_array(), normal.to_array());
            self.deltas.push((vertex, MorphDelta { target: number as u32, position, normal }));
        }
        Ok(())
    }

    /// Moves vertices by the weights of the mesh at rest, and measures normals by how long those
    /// are then.
    pub(super) fn rest(&mut self, vertices: &mut [MeshVertex]) {
        if self.weights.iter().all(|weight| *weight == 0.0) {
            return;
        }
        for deltas in self.deltas.chunk_by_mut(|one, other| one.0 == other.0) {
            let vertex = &mut vertices[deltas[0].0 as usize];
            let mut position = Vec3::from(vertex.position);
            let mut normal = Vec3::from(vertex.normal);
            for (_, delta) in &*deltas {
                let weight = self.weights[delta.target as usize];
                position += Vec3::from(delta.position) * weight;
                normal += Vec3::from(delta.normal) * weight;
            }
            let length = normal.length();
            let share = if length > TINY { 1.0 / length } else { 1.0 };
            for (_, delta) in deltas {
                delta.normal = (Vec3::from(delta.normal) * share).to_array();
            }
            vertex.position = position.to_array();
            vertex.normal = normal.normalize_or(Vec3::Y).to_array();
        }
    }

    /// Scales all lengths.
    pub(super) fn scale(&mut self, scale: f32) {
        for (_, delta) in &mut self.deltas {
            delta.position = (Vec3::from(delta.position) * scale).to_array();
        }
    }

    /// Returns the box that a vertex does not leave with weights from 0 to 1.
    pub(super) fn reach(&self, vertex: usize, position: Vec3) -> [Vec3; 2] {
        let [mut low, mut high] = [position; 2];
        for (_, delta) in self.of(vertex) {
            let weight = self.weights[delta.target as usize];
            let way = Vec3::from(delta.position);
            let ends = [way * -weight, way * (1.0 - weight)];
            low += ends[0].min(ends[1]).min(Vec3::ZERO);
            high += ends[0].max(ends[1]).max(Vec3::ZERO);
        }
        [low, high]
    }

    /// Returns where the deltas of each vertex begin, and the deltas; nothing without targets.
    pub(super) fn columns(&self, vertices: usize) -> (Vec<u32>, Vec<MorphDelta>) {
        if self.targets.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let first =
            |vertex| self.deltas.partition_point(|(own, _)| (*own as usize) < vertex) as u32;
        let deltas = self.deltas.iter().map(|(_, delta)| *delta).collect();
        ((0..=vertices).map(first).collect(), deltas)
    }

    fn of(&self, vertex: usize) -> &[(u32, MorphDelta)] {
        let first = self.deltas.partition_point(|(own, _)| (*own as usize) < vertex);
        let rest = &self.deltas[first..];
        &rest[..rest.partition_point(|(own, _)| *own as usize == vertex)]
    }
}

impl<'v> PrimitiveTargets<'v> {
    /// Reads the targets of a primitive of `count` vertices, whose numbers are these.
    pub(super) fn read(
        file: &'v GltfFile,
        primitive: &Primitive<'_>,
        count: usize,
        numbers: &[usize],
    ) -> Result<Self, CompileError> {
        let view = |accessor: Option<Accessor<'_>>| {
            let Some(accessor) = accessor else { return Ok(None) };
            let view = file.view(&accessor)?;
            match (view.components(), view.len()) == (3, count) {
                true => Ok(Some(view)),
                false => {
                    let reason = format!("a target is not of three numbers for {count} vertices");
                    Err(file.wrong(&reason))
                }
            }
        };
        let mut all = Vec::new();
        for (target, number) in primitive.morph_targets().zip(numbers) {
            let (positions, normals) = (view(target.positions())?, view(target.normals())?);
            all.push(Target { number: *number, positions, normals });
        }
        Ok(Self { all })
    }

    /// Returns how each target moves a vertex whose normal is `length` long where it is turned.
    pub(super) fn of(
        &self,
        index: usize,
        linear: Mat3,
        turn: Mat3,
        length: f32,
    ) -> impl Iterator<Item = (usize, Vec3, Vec3)> {
        self.all.iter().map(move |target| {
            let own = |view: &Option<AccessorView<'_>>| {
                Vec3::from_array(view.as_ref().map_or([0.0; 3], |view| view.numbers(index)))
            };
            let normal = turn * own(&target.normals);
            let normal = if length > TINY { normal / length } else { Vec3::ZERO };
            (target.number, linear * own(&target.positions), normal)
        })
    }

    /// Returns how each target moves a corner of a flat triangle, given where the corners are and
    /// its normal.
    pub(super) fn of_flat(
        &self,
        indices: [u32; 3],
        corner: usize,
        linear: Mat3,
        corners: [Vec3; 3],
        normal: Vec3,
    ) -> impl Iterator<Item = (usize, Vec3, Vec3)> {
        self.all.iter().map(move |target| {
            let way = |index: u32| {
                let positions = target.positions.as_ref();
                let own = positions.map_or([0.0; 3], |view| view.numbers(index as usize));
                linear * Vec3::from_array(own)
            };
            let ways = indices.map(way);
            let [a, b, c]: [Vec3; 3] = core::array::from_fn(|at| corners[at] + ways[at]);
            let moved = (b - a).cross(c - a).try_normalize().unwrap_or(normal);
            (target.number, ways[corner], moved - normal)
        })
    }
}
