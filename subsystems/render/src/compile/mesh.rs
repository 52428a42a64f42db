//! Meshes: parts of glTF files, and shapes.

use glam::Vec3;
use loligo_compiler::{CompileError, Compiler, Context, Property};
use loligo_diagnostics::context;
use loligo_formats::GltfFile;
use std::string::ToString;
use std::vec::Vec;

use super::geometry::Geometry;
use super::lods;
use super::model::{self, Part};
use super::shape::{self, SHAPES};
use super::texture::placed;
use crate::mesh::MESH_VERSION;

/// Compiles meshes: an object of these keys, and either `file` or `shape`.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `file` | | path of a glTF 2.0 file in the project, `.gltf` or `.glb` |
/// | `node` | none | the node of this name with all below it, in its own space |
/// | `mesh` | none | the mesh of this name; without both, all that the scene shows |
/// | `shape` | | `"box"`, `"plane"`, `"cylinder"` or `"sphere"` |
/// | `size` | `[ 1 1 1 ]`, `[ 1 1 ]` | of a box along x, y, z; of a plane along x and z, in metres |
/// | `radius` | 0.5 | of a cylinder or a sphere |
/// | `radius_top` | `radius` | of a cylinder's top: 0 makes a cone |
/// | `height` | 1 | of a cylinder |
/// | `segments` | 24 | sides of a cylinder or a sphere, 3 to 512; of a plane parts along each side, there 1 |
/// | `rings` | 12 | of a sphere from pole to pole, 2 to 512 |
/// | `scale` | 1 | multiplies all lengths |
/// | `offset` | `[ 0 0 0 ]` | is added after that: shapes have their center at the origin |
/// | `uv_scale` | `[ 1 1 ]` | multiplies places in the texture: how often it is repeated |
/// | `lods` | none | coarser levels for where it is small, the coarsest last; at most 7 |
/// | `lod_hysteresis` | 0.1 | by which part of a `share` the size must be past it before the level changes back, 0 to 0.5 |
/// | `occluder` | none | an object: a box that hides what it covers, where the frame says so. `size` is along x, y, z, that of the mesh without; `offset` its middle, that of the mesh |
///
/// A level is an object with a `share`: it takes over where the sphere around the mesh is less than
/// this share of the height of the picture. Its other keys are those of a mesh from `file` to
/// `rings`; the file is that of the mesh if it names only a `node` or a `mesh`, and a level without
/// any of them draws nothing. `scale`, `offset` and `uv_scale` hold for all levels.
///
/// A texture covers each side of a box, a plane, the side of a cylinder, each of its ends, and a
/// sphere once.
///
/// Of a glTF file positions, normals, the first places in a texture and indices are taken, of all
/// primitives of triangles; what has no normals is flat. Of a skin up to four bones a vertex are taken,
/// which animations find by their names. Targets of positions and normals are taken by their names
/// (`targetNames` of the mesh's extras; `0`, `1` .. without), and its weights are those that the mesh
/// has at rest; objects may have others. Materials and animations are not
/// looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeshCompiler;

const FILE_KEYS: [&str; 9] =
    ["file", "node", "mesh", "scale", "offset", "uv_scale", "lods", "lod_hysteresis", "occluder"];
const SHAPE_KEYS: [&str; 13] = [
    "shape",
    "size",
    "radius",
    "radius_top",
    "height",
    "segments",
    "rings",
    "scale",
    "offset",
    "uv_scale",
    "lods",
    "lod_hysteresis",
    "occluder",
];

/// The keys of a level.
const LOD_FILE_KEYS: [&str; 4] = ["share", "file", "node", "mesh"];
const LOD_SHAPE_KEYS: [&str; 8] =
    ["share", "shape", "size", "radius", "radius_top", "height", "segments", "rings"];

/// How far numbers of a mesh may go: a metre is a metre, and 32 bits hold millimetres no further
/// than that.
const FAR: f32 = 1.0e6;

impl Compiler for MeshCompiler {
    fn version(&self) -> u32 {
        MESH_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let source = Property::read(&source)?;
        let mut geometry = match (source.get("file"), source.get("shape")) {
            (Some(file), None) => {
                source.allow(&FILE_KEYS)?;
                of_file(context, &source, file)?
            }
            (None, Some(name)) => {
                source.allow(&SHAPE_KEYS)?;
                of_shape(&source, name)?
            }
            _ => {
                let remedy = "write `file = \"door.glb\"` or `shape = \"box\"`";
                return Err(source.error("a mesh is of a file or a shape, one of both", remedy));
            }
        };
        lods::add(context, &source, &mut geometry, |context, level| {
            of_level(context, &source, level)
        })?;
        let scale = source.number_or("scale", f32::MIN_POSITIVE..=FAR, 1.0)?;
        let offset = source.numbers_or("offset", -FAR..=FAR, [0.0; 3])?;
        let uv_scale = source.numbers_or("uv_scale", -FAR..=FAR, [1.0; 2])?;
        geometry.place(scale, Vec3::from_array(offset), uv_scale);
        geometry.occluder = occluder(&source, &geometry)?;
        geometry.build(context.endian())
    }
}

/// Reads the box that hides what it covers; two corners that are the same where there is none.
fn occluder(source: &Property, geometry: &Geometry) -> Result<[Vec3; 2], CompileError> {
    let Some(occluder) = source.get("occluder") else { return Ok([Vec3::ZERO; 2]) };
    occluder.allow(&["size", "offset"])?;
    if geometry.is_moved() {
        let remedy = "leave it out, or name a mesh without a skin and targets";
        return Err(occluder.error("a mesh that bones or targets move is no occluder", remedy));
    }
    let [low, high] = geometry.bounds();
    let (size, middle) = ((high - low).to_array(), ((low + high) * 0.5).to_array());
    let size = Vec3::from_array(occluder.numbers_or("size", 0.0..=FAR, size)?);
    let middle = Vec3::from_array(occluder.numbers_or("offset", -FAR..=FAR, middle)?);
    Ok([middle - size * 0.5, middle + size * 0.5])
}

fn of_shape(source: &Property, name: &Property) -> Result<Geometry, CompileError> {
    let number = name.word_index(&SHAPES.map(|shape| shape.name))?;
    context!("In making the shape", SHAPES[number].name);
    shape::make(source, &SHAPES[number])
}

/// Makes the triangles of a level; `None` where nothing is drawn.
fn of_level(
    context: &mut Context<'_>,
    source: &Property,
    level: &Property,
) -> Result<Option<Geometry>, CompileError> {
    let is_part = level.get("node").or(level.get("mesh")).is_some();
    let inherited = if is_part { source.get("file") } else { None };
    match (level.get("file").or(inherited), level.get("shape")) {
        (Some(file), None) => {
            level.allow(&LOD_FILE_KEYS)?;
            of_file(context, level, file).map(Some)
        }
        (None, Some(name)) => {
            level.allow(&LOD_SHAPE_KEYS)?;
            of_shape(level, name).map(Some)
        }
        (Some(_), Some(name)) => {
            let remedy = "write one of both";
            Err(name.error("a level is of a file or a shape", remedy))
        }
        (None, None) => level.allow(&["share"]).map(|()| None),
    }
}

fn of_file(
    context: &mut Context<'_>,
    source: &Property,
    file: &Property,
) -> Result<Geometry, CompileError> {
    let path = file.string()?;
    context!("In the model", path);
    let bytes = context.try_read(path).map_err(|error| placed(error, file))?;
    let Some(bytes) = bytes else {
        let remedy = "give its path from the project's folder on";
        return Err(file.error(std::format!("there is no file `{path}`"), remedy));
    };
    let (part, name) = match (source.get("node"), source.get("mesh")) {
        (None, None) => (Part::Scene, None),
        (Some(node), None) => (Part::Node(node.string()?.to_string()), Some(node)),
        (None, Some(mesh)) => (Part::Mesh(mesh.string()?.to_string()), Some(mesh)),
        (Some(_), Some(mesh)) => {
            return Err(mesh.error("both a node and a mesh are named", "name one of both"));
        }
    };
    let gltf = GltfFile::read(context, path, &bytes)?;
    model::geometry(&gltf, &part).map_err(|error| match (name, error.file.is_empty()) {
        // That there is no such part is about the source; what is wrong with the part about the
        // file.
        (Some(name), true) => placed(error, name),
        _ => error,
    })
}
