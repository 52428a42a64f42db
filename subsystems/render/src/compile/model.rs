//! Triangles of models in glTF 2.0.

use glam::{Mat3, Mat4, Vec3};
use loligo_compiler::CompileError;
use loligo_formats::gltf::mesh::Mode;
use loligo_formats::gltf::{Node, Primitive, Semantic};
use loligo_formats::{AccessorView, GltfFile};
use std::borrow::ToOwned;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::geometry::{Geometry, INDICES_MAX, VERTICES_MAX};
use super::morphs::PrimitiveTargets;
use super::skins;
use crate::mesh::SkinVertex;

/// Which part of a file is wanted.
#[derive(Debug)]
pub(super) enum Part {
    /// All that the scene shows.
    Scene,
    /// A node and those below it, in the node's own space.
    Node(String),
    /// A mesh.
    Mesh(String),
}

/// Returns the triangles of a part. An error about the file has its path; that the part is not there
/// has none.
pub(super) fn geometry(file: &GltfFile, part: &Part) -> Result<Geometry, CompileError> {
    let document = file.document();
    let owned = |name: Option<&str>| name.map(ToOwned::to_owned);
    let mut geometry = Geometry::default();
    let mut skin = None;
    let mut add = |node: &Node<'_>, space: Mat4| match node.mesh() {
        Some(mesh) => {
            if let Some(own) = node.skin() {
                if skin.is_some_and(|skin| skin != own.index()) {
                    return Err(two_skins(file));
                }
                if skin.is_none() {
                    geometry.bones = skins::bones(file, &own)?;
                }
                skin = Some(own.index());
            }
            // What bones move is where they are, and not where its node is.
            let space = if node.skin().is_some() { Mat4::IDENTITY } else { space };
            let has_skin = node.skin().is_some();
            let targets = geometry.morphs.take_mesh(file, &mesh, Some(node))?;
            mesh.primitives().try_for_each(|primitive| {
                let has = Movers { has_skin, targets: &targets };
                add_primitive(file, &primitive, space, has, &mut geometry)
            })
        }
        None => Ok(()),
    };
    match part {
        Part::Scene => file.walk(file.scene()?.nodes(), Mat4::IDENTITY, &mut add)?,
        Part::Node(name) => {
            let node = document.nodes().find(|node| node.name() == Some(name));
            let names = || document.nodes().filter_map(|node| owned(node.name()));
            let node =
                node.ok_or_else(|| file.unnamed("node", name, &names().collect::<Vec<_>>()))?;
            let inverse = Mat4::from_cols_array_2d(&node.transform().matrix()).inverse();
            // What is flat has no inverse, and no own space to look from.
            let space = if inverse.is_finite() { inverse } else { Mat4::IDENTITY };
            file.walk(core::iter::once(node), space, &mut add)?;
        }
        Part::Mesh(name) => {
            let mesh = document.meshes().find(|mesh| mesh.name() == Some(name));
            let names = || document.meshes().filter_map(|mesh| owned(mesh.name()));
            let mesh =
                mesh.ok_or_else(|| file.unnamed("mesh", name, &names().collect::<Vec<_>>()))?;
            let targets = geometry.morphs.take_mesh(file, &mesh, None)?;
            for primitive in mesh.primitives() {
                let has = Movers { has_skin: false, targets: &targets };
                add_primitive(file, &primitive, Mat4::IDENTITY, has, &mut geometry)?;
            }
        }
    }
    if geometry.indices.is_empty() {
        return Err(file.wrong("there is no triangle in what was asked for"));
    }
    if !geometry.skin.is_empty() && geometry.skin.len() != geometry.vertices.len() {
        let reason = "a skin moves some of its triangles and others not";
        let remedy = "name a node of either kind, as two meshes".into();
        return Err(CompileError { remedy, ..file.wrong(reason) });
    }
    geometry.morphs.rest(&mut geometry.vertices);
    Ok(geometry)
}

fn two_skins(file: &GltfFile) -> CompileError {
    let remedy = "name a node whose meshes have one skin".into();
    CompileError { remedy, ..file.wrong("the meshes of what was asked for have two skins") }
}

/// What moves the vertices of a primitive.
struct Movers<'t> {
    has_skin: bool,
    /// The numbers of its targets.
    targets: &'t [usize],
}

/// Adds a primitive as it is seen from a space.
fn add_primitive(
    file: &GltfFile,
    primitive: &Primitive<'_>,
    space: Mat4,
    movers: Movers<'_>,
    geometry: &mut Geometry,
) -> Result<(), CompileError> {
    if primitive.mode() != Mode::Triangles {
        let reason = format!("a primitive is of {:?} and not of triangles", primitive.mode());
        return Err(CompileError {
            remedy: "export triangles alone".into(),
            ..file.wrong(&reason)
        });
    }
    let Some(positions) = view(file, primitive, &Semantic::Positions)? else { return Ok(()) };
    let normals = view(file, primitive, &Semantic::Normals)?;
    let uvs = view(file, primitive, &Semantic::TexCoords(0))?;
    let count = positions.len();
    for (other, what) in [(&normals, "normals"), (&uvs, "places in the texture")] {
        if let Some(other) = other
            && other.len() != count
        {
            let reason = format!("{count} positions have {} {what}", other.len());
            return Err(file.wrong(&reason));
        }
    }
    let indices = match primitive.indices() {
        Some(accessor) => {
            let view = file.view(&accessor)?;
            let indices = view.indices().map_err(|reason| file.wrong(&reason))?;
            if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
                let reason = format!("an index is {index}, and there are {count} vertices");
                return Err(file.wrong(&reason));
            }
            indices
        }
        None => (0..count as u32).collect(),
    };
    if !indices.len().is_multiple_of(3) {
        return Err(file.wrong(&format!("{} indices make no triangles", indices.len())));
    }
    let more = if normals.is_some() { count } else { indices.len() };
    let vertices = geometry.vertices.len() + more;
    if vertices > VERTICES_MAX || geometry.indices.len() + indices.len() > INDICES_MAX {
        let reason = format!("the mesh has more than {VERTICES_MAX} vertices");
        return Err(CompileError { remedy: "make several of it".into(), ..file.wrong(&reason) });
    }
    let targets = PrimitiveTargets::read(file, primitive, count, movers.targets)?;
    let skin = match movers.has_skin {
        true => skins::vertices(file, primitive, count, geometry.bones.len())?,
        false => Vec::new(),
    };
    let (normals, uvs) = (normals.as_ref(), uvs.as_ref());
    let placed = Placed { skin, ..Placed::of(space, &positions, normals, uvs, &targets) };
    placed.add(&indices, geometry).map_err(|reason| file.wrong(&reason))
}

fn view<'f>(
    file: &'f GltfFile,
    primitive: &Primitive<'_>,
    semantic: &Semantic,
) -> Result<Option<AccessorView<'f>>, CompileError> {
    let Some(accessor) = primitive.get(semantic) else { return Ok(None) };
    let wanted = if matches!(semantic, Semantic::TexCoords(_)) { 2 } else { 3 };
    let view = file.view(&accessor)?;
    match view.components() == wanted {
        true => Ok(Some(view)),
        false => Err(file.wrong(&format!("{semantic:?} are not of {wanted} numbers each"))),
    }
}

/// A primitive as it is seen from a space.
struct Placed<'v> {
    space: Mat4,
    /// What turns normals: they stay across what is scaled unevenly.
    turn: Mat3,
    /// Whether the space is mirrored, so that fronts would be backs.
    is_mirrored: bool,
    positions: &'v AccessorView<'v>,
    normals: Option<&'v AccessorView<'v>>,
    uvs: Option<&'v AccessorView<'v>>,
    /// Which bones move each vertex; nothing where none do.
    skin: Vec<SkinVertex>,
    targets: &'v PrimitiveTargets<'v>,
}

impl<'v> Placed<'v> {
    fn of(
        space: Mat4,
        positions: &'v AccessorView<'v>,
        normals: Option<&'v AccessorView<'v>>,
        uvs: Option<&'v AccessorView<'v>>,
        targets: &'v PrimitiveTargets<'v>,
    ) -> Self {
        let linear = Mat3::from_mat4(space);
        let turn = linear.inverse().transpose();
        let turn = if turn.is_finite() { turn } else { linear };
        let is_mirrored = linear.determinant() < 0.0;
        Self { space, turn, is_mirrored, positions, normals, uvs, skin: Vec::new(), targets }
    }

    fn add(&self, indices: &[u32], geometry: &mut Geometry) -> Result<(), String> {
        let (first, linear) = (geometry.vertices.len() as u32, Mat3::from_mat4(self.space));
        let swap = |[a, b, c]: [u32; 3]| if self.is_mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = indices.as_chunks().0.iter().copied().map(swap);
        if let Some(normals) = self.normals {
            for index in 0..self.positions.len() {
                let turned = self.turn * Vec3::from_array(normals.numbers(index));
                let normal = turned.try_normalize().unwrap_or(Vec3::Y);
                let vertex = geometry.vertex(self.position(index)?, normal, self.uv(index));
                let moves = self.targets.of(index, linear, self.turn, turned.length());
                geometry.morphs.add(vertex, moves)?;
            }
            geometry.skin.extend_from_slice(&self.skin);
            for [a, b, c] in triangles {
                geometry.triangle(first + a, first + b, first + c);
            }
            return Ok(());
        }
        for triangle in triangles {
            let mut corners = [Vec3::ZERO; 3];
            for (corner, index) in corners.iter_mut().zip(triangle) {
                *corner = self.position(index as usize)?;
            }
            let [a, b, c] = corners;
            let normal = (b - a).cross(c - a).try_normalize().unwrap_or(Vec3::Y);
            let mut vertices = [0; 3];
            for (at, index) in triangle.into_iter().enumerate() {
                vertices[at] = geometry.vertex(corners[at], normal, self.uv(index as usize));
                let moves = self.targets.of_flat(triangle, at, linear, corners, normal);
                geometry.morphs.add(vertices[at], moves)?;
                geometry.skin.extend(self.skin.get(index as usize));
            }
            geometry.triangle(vertices[0], vertices[1], vertices[2]);
        }
        Ok(())
    }

    fn position(&self, index: usize) -> Result<Vec3, String> {
        let position = self.space.transform_point3(Vec3::from_array(self.positions.numbers(index)));
        match position.is_finite() {
            true => Ok(position),
            false => Err(format!("vertex {index} is at {position}")),
        }
    }

    fn uv(&self, index: usize) -> [f32; 2] {
        let uv: [f32; 2] = self.uvs.map_or([0.0; 2], |uvs| uvs.numbers(index));
        uv.map(|number| if number.is_finite() { number } else { 0.0 })
    }
}
