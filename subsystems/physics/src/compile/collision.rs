//! Compilers of collision shapes.

mod cook;
mod draft;
mod heights;
mod model;

use std::format;
use std::string::ToString;
use std::vec::Vec;

use glam::Quat;
use loligo_compiler::{CompileError, Compiler, Context, Property, build_blob};
use loligo_formats::GltfFile;
use loligo_ids::IdString32;

use super::settings::{SettingsDraft, settings_of};
use crate::collision::{BOX, CAPSULE, COLLISION_VERSION, SHAPES_MAX, SPHERE};
use crate::ranges::{PLACE, SIDE};
pub(super) use draft::CollisionDraft;
use draft::DraftShape;

/// Compiles collision shapes: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `settings` | | the resource of type `physics` that has the templates |
/// | `file` | none | path of a glTF 2.0 file in the project, whose nodes shapes name |
/// | `shapes` | | from 1 to 1024 |
///
/// A shape has one of the forms below, and
///
/// | key | default | meaning |
/// |---|---|---|
/// | `template` | | a template of shapes in the settings |
/// | `name` | none | |
/// | `position` | `[ 0 0 0 ]` | as seen from the actor, in metres |
/// | `rotation` | `[ 0 0 0 1 ]` | a quaternion |
///
/// | form | meaning |
/// |---|---|
/// | `box = [ 1 1 1 ]` | its sides |
/// | `sphere = 0.5` | its radius |
/// | `capsule = { radius = 0.3 height = 1.8 }` | along y; the height is of all of it |
/// | `convex = { node = "hull" }` or `{ points = [ [ 0 0 0 ] .. ] }` | the solid around points |
/// | `mesh = { node = "floor" }` or `{ vertices = [ .. ] triangles = [ [ 0 1 2 ] .. ] }` | triangles |
/// | `heights = { size = [ 100 20 100 ] picture = "hills.png" }` | white is 20 m above black |
/// | `heights = { size = [ 9 1 9 ] rows = [ [ 0 0.5 0 ] .. ] }` | heights along x, one row for each z |
///
/// Points that are nearer than `weld` (a ten-thousandth of the size, in `convex` and `mesh`) become one;
/// triangles without an area are left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct CollisionCompiler;

impl Compiler for CollisionCompiler {
    fn version(&self) -> u32 {
        COLLISION_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        source.allow(&["settings", "file", "shapes"])?;
        let settings = settings_of(context, &source)?;
        let file = source.get("file").map(|file| read_file(context, file)).transpose()?;
        let remedy = "add `shapes = [ { template = \"crate\" box = [ 1 1 1 ] } ]`";
        let shapes = source.need("shapes", remedy)?;
        let items = shapes.items()?;
        if !(1..=SHAPES_MAX).contains(&items.len()) {
            let reason = format!("there are {} shapes", items.len());
            return Err(shapes.error(reason, format!("1 to {SHAPES_MAX} are possible")));
        }
        let mut draft = CollisionDraft::default();
        for item in items {
            read_shape(context, &mut draft, item, &settings, file.as_ref())?;
        }
        build_blob(|memory| draft.build(context.endian(), memory))
    }
}

/// The keys of forms.
const FORMS: [&str; 6] = ["box", "sphere", "capsule", "convex", "mesh", "heights"];

/// Reads a shape into a draft.
pub(super) fn read_shape(
    context: &mut Context<'_>,
    draft: &mut CollisionDraft,
    item: &Property,
    settings: &SettingsDraft,
    file: Option<&GltfFile>,
) -> Result<(), CompileError> {
    let mut keys = std::vec!["template", "name", "position", "rotation"];
    keys.extend(FORMS);
    item.allow(&keys)?;
    let template = item.need("template", "name one of the settings: `template = \"crate\"`")?;
    let template = settings.check_shape(template)?;
    let name = item.get("name").map_or(Ok(""), Property::string)?;
    context.name(name);
    let mut found = FORMS.iter().filter_map(|form| item.get(form));
    let (Some(form), None) = (found.next(), found.next()) else {
        let reason = "a shape has one form";
        return Err(item.error(reason, format!("give it one of `{}`", FORMS.join("`, `"))));
    };
    let mut shape = DraftShape {
        name: IdString32::new(name),
        template,
        position: item.numbers_or("position", PLACE, [0.0; 3])?,
        rotation: rotation_of(item)?,
        ..DraftShape::default()
    };
    match form.key() {
        "box" => {
            shape.form = BOX;
            shape.size =
                form.numbers::<3>(2.0 * SIDE.start()..=*SIDE.end())?.map(|side| side / 2.0);
        }
        "sphere" => {
            shape.form = SPHERE;
            shape.size[0] = form.number(SIDE)?;
        }
        "capsule" => read_capsule(&mut shape, form)?,
        "convex" => model::read_convex(draft, &mut shape, form, file)?,
        "mesh" => model::read_mesh(draft, &mut shape, form, file)?,
        _ => heights::read_heights(context, draft, &mut shape, form)?,
    }
    draft.shapes.push(shape);
    Ok(())
}

fn read_capsule(shape: &mut DraftShape, form: &Property) -> Result<(), CompileError> {
    form.allow(&["radius", "height"])?;
    let radius = form.need("radius", "give it: `radius = 0.3`")?.number(SIDE)?;
    let height = form.need("height", "give it: `height = 1.8`")?;
    let metres = height.number(SIDE)?;
    let half_height = metres / 2.0 - radius;
    if !SIDE.contains(&half_height) {
        let reason = format!("a capsule of radius {radius} is higher than {}", 2.0 * radius);
        return Err(height.error(reason, "make it higher, or write `sphere`"));
    }
    (shape.form, shape.size) = (CAPSULE, [radius, half_height, 0.0]);
    Ok(())
}

/// Reads a quaternion, and makes its length 1.
pub(super) fn rotation_of(item: &Property) -> Result<[f32; 4], CompileError> {
    rotation_under(item, "rotation")
}

/// As [`rotation_of`], under another key.
pub(super) fn rotation_under(item: &Property, key: &str) -> Result<[f32; 4], CompileError> {
    let Some(found) = item.get(key) else { return Ok([0.0, 0.0, 0.0, 1.0]) };
    let rotation = Quat::from_array(found.numbers(-1.0e3..=1.0e3)?);
    match rotation.length() > 1.0e-3 {
        true => Ok(rotation.normalize().to_array()),
        false => Err(found.error("a rotation has a length", "write `[ 0 0 0 1 ]` for none")),
    }
}

/// Reads the glTF file of a path.
pub(super) fn read_file(
    context: &mut Context<'_>,
    file: &Property,
) -> Result<GltfFile, CompileError> {
    let bytes = bytes_of(context, file)?;
    GltfFile::read(context, file.string()?, &bytes)
}

/// Reads the file of a path.
fn bytes_of(
    context: &mut Context<'_>,
    file: &Property,
) -> Result<std::sync::Arc<[u8]>, CompileError> {
    let path = file.string()?;
    let (line, column) = file.place();
    let bytes = context.try_read(path).map_err(|error| error.at(line, column))?;
    let remedy = "give its path from the project's folder on".to_string();
    bytes.ok_or_else(|| file.error(format!("there is no file `{path}`"), remedy))
}
