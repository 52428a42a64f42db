//! What sources name: skeletons and files.

use std::sync::Arc;

use loligo_compiler::{CompileError, Context, Property};
use loligo_formats::GltfFile;

use super::gltf_skeleton::gltf_skeleton;
use super::raw_skeleton::RawSkeleton;
use crate::skeleton::SKELETON_TYPE;

/// Reads the skeleton of a name, and the file it is in.
pub(super) fn named_skeleton(
    context: &mut Context<'_>,
    asked: &Property,
) -> Result<(GltfFile, RawSkeleton), CompileError> {
    let name = asked.string()?;
    let Some(path) = context.source_of(SKELETON_TYPE, name)? else {
        let reason = std::format!("there is no skeleton `{name}`");
        return Err(asked.error(reason, "add it to the project, or name another"));
    };
    let described = Property::read(&context.read(&path)?).map_err(|error| error.in_file(&*path))?;
    skeleton_of(context, &described).map_err(|error| in_skeleton(error, &path))
}

/// Reads the skeleton that a source describes, and the file it is in.
pub(super) fn skeleton_of(
    context: &mut Context<'_>,
    source: &Property,
) -> Result<(GltfFile, RawSkeleton), CompileError> {
    source.allow(&["file", "skin"])?;
    let file = source.need("file", "name a glTF file: `file = \"models/hero.glb\"`")?;
    let skin = source.get("skin").map(Property::string).transpose()?;
    let file = read_file(context, file)?;
    let skeleton = gltf_skeleton(&file, skin)?;
    Ok((file, skeleton))
}

/// Names the skeleton's source in an error that names no file.
fn in_skeleton(error: CompileError, path: &Arc<str>) -> CompileError {
    if error.file.is_empty() { error.in_file(&**path) } else { error }
}

/// Reads the glTF file of a path.
pub(super) fn read_file(
    context: &mut Context<'_>,
    file: &Property,
) -> Result<GltfFile, CompileError> {
    let path = file.string()?;
    let (line, column) = file.place();
    let bytes = context.try_read(path).map_err(|error| error.at(line, column))?;
    let Some(bytes) = bytes else {
        let remedy = "give its path from the project's folder on";
        return Err(file.error(std::format!("there is no file `{path}`"), remedy));
    };
    GltfFile::read(context, path, &bytes)
}
