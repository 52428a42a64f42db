//! Models in glTF 2.0.
//!
//! The crate `gltf` reads the text and checks that all that it leads to is there. Buffers are read
//! here, each with its bounds checked, as no length that a file states is believed.

use core::cell::Cell;

use glam::{Mat3, Mat4, Vec3};
use gltf::mesh::Mode;
use gltf::{Document, Gltf, Node, Primitive, Semantic};
use loligo_compiler::{CompileError, Context};
use std::borrow::ToOwned;
use std::format;
use std::string::{String, ToString};
use std::sync::Arc;
use std::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::geometry::{Geometry, INDICES_MAX, VERTICES_MAX};
use super::gltf_view::View;

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

/// A file with its buffers.
pub(super) struct GltfFile {
    path: String,
    gltf: Gltf,
    buffers: Vec<Arc<[u8]>>,
    /// How many nodes were looked at.
    visits: Cell<usize>,
}

const REMEDY: &str = "export the model again";

/// How deep nodes may be in nodes.
const DEPTH_MAX: u32 = 256;

impl GltfFile {
    /// Reads a file and the files of its buffers.
    pub(super) fn read(
        context: &mut Context<'_>,
        path: &str,
        bytes: &[u8],
    ) -> Result<Self, CompileError> {
        let wrong = |reason: String| CompileError::new(reason, REMEDY).in_file(path);
        let mut gltf = open(bytes).map_err(|error| error.in_file(path))?;
        let mut blob = gltf.blob.take();
        let mut buffers: Vec<Arc<[u8]>> = Vec::new();
        for buffer in gltf.buffers() {
            let number = buffer.index();
            let read: Arc<[u8]> = match buffer.source() {
                gltf::buffer::Source::Bin => {
                    let nothing = || wrong("the file has no binary part".to_owned());
                    blob.take().ok_or_else(nothing)?.into()
                }
                gltf::buffer::Source::Uri(uri) => read_uri(context, path, uri)?,
            };
            if read.len() < buffer.length() {
                let (has, told) = (read.len(), buffer.length());
                let reason = format!("buffer {number} is to have {told} bytes, and has {has}");
                return Err(wrong(reason));
            }
            buffers.push(read);
        }
        Ok(Self { path: path.to_owned(), gltf, buffers, visits: Cell::new(0) })
    }

    /// Returns the triangles of a part. An error about the file has its path; that the part is not
    /// there has none.
    pub(super) fn geometry(&self, part: &Part) -> Result<Geometry, CompileError> {
        let mut geometry = Geometry::default();
        match part {
            Part::Scene => {
                let scene = self.gltf.default_scene().or_else(|| self.gltf.scenes().next());
                let scene = scene.ok_or_else(|| self.wrong("there is no scene in it"))?;
                for node in scene.nodes() {
                    self.node(&node, Mat4::IDENTITY, &mut geometry, 0)?;
                }
            }
            Part::Node(name) => {
                let named = |node: &Node<'_>| node.name() == Some(name);
                let node = self.gltf.nodes().find(named);
                let names = self.gltf.nodes().filter_map(|node| node.name());
                let node = node.ok_or_else(|| self.unnamed("node", name, names))?;
                let own = matrix(&node);
                let inverse = own.inverse();
                // What is flat has no inverse, and no own space to look from.
                let space = if inverse.is_finite() { inverse } else { Mat4::IDENTITY };
                self.node(&node, space, &mut geometry, 0)?;
            }
            Part::Mesh(name) => {
                let mesh = self.gltf.meshes().find(|mesh| mesh.name() == Some(name));
                let names = self.gltf.meshes().filter_map(|mesh| mesh.name());
                let mesh = mesh.ok_or_else(|| self.unnamed("mesh", name, names))?;
                for primitive in mesh.primitives() {
                    self.primitive(&primitive, Mat4::IDENTITY, &mut geometry)?;
                }
            }
        }
        if geometry.indices.is_empty() {
            return Err(self.wrong("there is no triangle in what was asked for"));
        }
        Ok(geometry)
    }

    fn node(
        &self,
        node: &Node<'_>,
        space: Mat4,
        geometry: &mut Geometry,
        depth: u32,
    ) -> Result<(), CompileError> {
        // A node has one parent, which no check of the text finds out. Without, few nodes could be
        // without end.
        let visits = self.visits.get() + 1;
        self.visits.set(visits);
        if depth > DEPTH_MAX || visits > self.gltf.nodes().len() {
            let reason = format!("nodes lie more than {DEPTH_MAX} deep, in a ring, or in several");
            return Err(self.wrong(&reason));
        }
        let space = space * matrix(node);
        if let Some(mesh) = node.mesh() {
            for primitive in mesh.primitives() {
                self.primitive(&primitive, space, geometry)?;
            }
        }
        for child in node.children() {
            self.node(&child, space, geometry, depth + 1)?;
        }
        Ok(())
    }

    /// Adds a primitive as it is seen from a space.
    fn primitive(
        &self,
        primitive: &Primitive<'_>,
        space: Mat4,
        geometry: &mut Geometry,
    ) -> Result<(), CompileError> {
        if primitive.mode() != Mode::Triangles {
            let reason = format!("a primitive is of {:?} and not of triangles", primitive.mode());
            let error = CompileError::new(reason, "export triangles alone");
            return Err(error.in_file(&*self.path));
        }
        let Some(positions) = self.view(primitive, &Semantic::Positions)? else { return Ok(()) };
        let normals = self.view(primitive, &Semantic::Normals)?;
        let uvs = self.view(primitive, &Semantic::TexCoords(0))?;
        let count = positions.len();
        for (other, what) in [(&normals, "normals"), (&uvs, "places in the texture")] {
            if let Some(other) = other
                && other.len() != count
            {
                let reason = format!("{count} positions have {} {what}", other.len());
                return Err(self.wrong(&reason));
            }
        }
        let indices = match primitive.indices() {
            Some(accessor) => {
                let view = View::open(&accessor, &self.buffers);
                let view = view.map_err(|reason| self.wrong(&reason))?;
                let indices = view.indices().map_err(|reason| self.wrong(&reason))?;
                if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
                    let reason = format!("an index is {index}, and there are {count} vertices");
                    return Err(self.wrong(&reason));
                }
                indices
            }
            None => (0..count as u32).collect(),
        };
        if !indices.len().is_multiple_of(3) {
            return Err(self.wrong(&format!("{} indices make no triangles", indices.len())));
        }
        let more = if normals.is_some() { count } else { indices.len() };
        let vertices = geometry.vertices.len() + more;
        if vertices > VERTICES_MAX || geometry.indices.len() + indices.len() > INDICES_MAX {
            let reason = format!("the mesh has more than {VERTICES_MAX} vertices");
            let error = CompileError::new(reason, "make several of it");
            return Err(error.in_file(&*self.path));
        }
        let placed = Placed::of(space, &positions, normals.as_ref(), uvs.as_ref());
        placed.add(&indices, geometry).map_err(|reason| self.wrong(&reason))
    }

    fn view(
        &self,
        primitive: &Primitive<'_>,
        semantic: &Semantic,
    ) -> Result<Option<View<'_>>, CompileError> {
        let Some(accessor) = primitive.get(semantic) else { return Ok(None) };
        let wanted = if matches!(semantic, Semantic::TexCoords(_)) { 2 } else { 3 };
        let view = View::open(&accessor, &self.buffers).map_err(|reason| self.wrong(&reason))?;
        match view.components() == wanted {
            true => Ok(Some(view)),
            false => Err(self.wrong(&format!("{semantic:?} are not of {wanted} numbers each"))),
        }
    }

    fn wrong(&self, reason: &str) -> CompileError {
        CompileError::new(reason, REMEDY).in_file(&*self.path)
    }

    fn unnamed<'n>(
        &self,
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> CompileError {
        let names: Vec<&str> = names.take(12).collect();
        let remedy = match names.is_empty() {
            true => format!("none has a name; name them, or leave `{what}` out"),
            false => format!("name one of {}", names.join(", ")),
        };
        CompileError::new(format!("`{}` has no {what} `{name}`", self.path), remedy)
    }
}

/// A primitive as it is seen from a space.
struct Placed<'v> {
    space: Mat4,
    /// What turns normals: they stay across what is scaled unevenly.
    turn: Mat3,
    /// Whether the space is mirrored, so that fronts would be backs.
    is_mirrored: bool,
    positions: &'v View<'v>,
    normals: Option<&'v View<'v>>,
    uvs: Option<&'v View<'v>>,
}

impl<'v> Placed<'v> {
    fn of(
        space: Mat4,
        positions: &'v View<'v>,
        normals: Option<&'v View<'v>>,
        uvs: Option<&'v View<'v>>,
    ) -> Self {
        let linear = Mat3::from_mat4(space);
        let turn = linear.inverse().transpose();
        let turn = if turn.is_finite() { turn } else { linear };
        let is_mirrored = linear.determinant() < 0.0;
        Self { space, turn, is_mirrored, positions, normals, uvs }
    }

    fn add(&self, indices: &[u32], geometry: &mut Geometry) -> Result<(), String> {
        let first = geometry.vertices.len() as u32;
        let swap = |[a, b, c]: [u32; 3]| if self.is_mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = indices.as_chunks().0.iter().copied().map(swap);
        if let Some(normals) = self.normals {
            for index in 0..self.positions.len() {
                let normal = self.turn * Vec3::from_array(normals.numbers(index));
                let normal = normal.try_normalize().unwrap_or(Vec3::Y);
                geometry.vertex(self.position(index)?, normal, self.uv(index));
            }
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

/// Reads the text of a file, and checks that all that it leads to is there.
fn open(bytes: &[u8]) -> Result<Gltf, CompileError> {
    let gltf = Gltf::from_slice_without_validation(bytes).map_err(|error| unread(&error))?;
    let json = gltf.as_json();
    if !json.asset.version.starts_with("2.") {
        let reason = format!("the file is of glTF {}", json.asset.version);
        return Err(CompileError::new(reason, "export the model as glTF 2.0"));
    }
    // The check of the crate panics where there are no positions of that number.
    let primitives = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    for index in primitives.flat_map(|primitive| primitive.attributes.values()) {
        if json.accessors.get(index.value()).is_none() {
            let reason = format!("a primitive is of accessor {index}, which is not there");
            return Err(CompileError::new(reason, REMEDY));
        }
    }
    let Gltf { document, blob } = gltf;
    let document = Document::from_json(document.into_json()).map_err(|error| unread(&error))?;
    Ok(Gltf { document, blob })
}

fn matrix(node: &Node<'_>) -> Mat4 {
    Mat4::from_cols_array_2d(&node.transform().matrix())
}

/// Reads a buffer that is in the text, or in a separate file given by a path.
fn read_uri(context: &mut Context<'_>, path: &str, uri: &str) -> Result<Arc<[u8]>, CompileError> {
    let wrong = |reason: String, remedy: &str| CompileError::new(reason, remedy).in_file(path);
    if let Some(data) = uri.strip_prefix("data:") {
        let text = data.split_once(";base64,").map(|(_, text)| text);
        let text = text.ok_or_else(|| wrong("a buffer is no base64".to_owned(), REMEDY))?;
        let bytes = STANDARD.decode(text);
        let bytes =
            bytes.map_err(|error| wrong(format!("a buffer is no base64: {error}"), REMEDY))?;
        return Ok(bytes.into());
    }
    let uri = uri.replace("%20", " ");
    let beside = match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{uri}"),
        None => uri,
    };
    match context.try_read(&beside) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => {
            let reason = format!("its buffer is in `{beside}`, which is not there");
            Err(wrong(reason, "add that file to the project"))
        }
        Err(error) => Err(error.in_file(path)),
    }
}

/// Reports why a file could not be read, with line and column where its text is wrong.
fn unread(error: &gltf::Error) -> CompileError {
    match error {
        gltf::Error::Deserialize(error) => {
            let (line, column) = (error.line() as u32, error.column() as u32);
            let text = error.to_string();
            let text = text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text);
            CompileError::new(format!("the text is no glTF: {text}"), REMEDY).at(line, column)
        }
        gltf::Error::Validation(errors) => {
            let list = errors.iter().map(|(place, error)| format!("{place}: {error}"));
            let first = list.take(1).collect::<String>();
            CompileError::new(format!("the file is no whole glTF: {first}"), REMEDY)
        }
        other => CompileError::new(format!("the file is damaged: {other}"), REMEDY),
    }
}
