//! Compilers of skeletons and clips, and where those of all types are registered.

use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::{CompileError, Compiler, Compilers, Context, Property, nearest};

use super::compress::{ClipKeys, CompressOptions, compress};
use super::gltf_clip::gltf_clip;
use super::machine::MachineCompiler;
use super::raw_clip::RawEvent;
use super::raw_skeleton::RawSkeleton;
use super::sources::{named_skeleton, read_file, skeleton_of};
use crate::clip::{CLIP_TYPE, CLIP_VERSION};
use crate::machine::MACHINE_TYPE;
use crate::skeleton::{SKELETON_TYPE, SKELETON_VERSION};

/// Registers all compilers of this crate: `clip`, `machine` and `skeleton`.
///
/// # Examples
///
/// ```
/// use loligo_compiler::Compilers;
///
/// let mut compilers = Compilers::built_in();
/// loligo_animation::compile::register(&mut compilers);
/// assert!(compilers.get("clip").is_some());
/// ```
pub fn register(compilers: &mut Compilers) {
    compilers.register(CLIP_TYPE, ClipCompiler);
    compilers.register(MACHINE_TYPE, MachineCompiler);
    compilers.register(SKELETON_TYPE, SkeletonCompiler);
}

/// Compiles skeletons: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `file` | | path of a glTF 2.0 file in the project, `.gltf` or `.glb` |
/// | `skin` | the only one | the skin whose joints are the bones |
#[derive(Clone, Copy, Debug, Default)]
pub struct SkeletonCompiler;

impl Compiler for SkeletonCompiler {
    fn version(&self) -> u32 {
        SKELETON_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        let (_, skeleton) = skeleton_of(context, &source)?;
        for name in &skeleton.names {
            context.name(name);
        }
        let built = skeleton.build(context.endian());
        built.map_err(|error| CompileError::new(error.to_string(), "export the model again"))
    }
}

/// Compiles clips: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `skeleton` | | name of the resource of type `skeleton` that it is for |
/// | `file` | that of the skeleton | path of a glTF 2.0 file whose nodes have the names of its bones |
/// | `animation` | the only one | the animation |
/// | `rate` | 30 | frames a second that it is sampled with |
/// | `bound_cm` | 0.01 | how far the skin may be off, in centimetres |
/// | `skin_cm` | 3 | how far from each bone the skin is measured, in centimetres |
/// | `jump_ratio` | 8 | a jump frame comes after this many times its bytes of the stream; 0 is none |
/// | `packed` | true | false: in the file as in memory, which loads faster and takes more bytes |
/// | `keys` | `"smallest"` | `"curves"`: keys where curves need them; `"dense"`: in each frame; or what has fewer bytes |
/// | `events` | none | what happens: `{ name = "step" frame = 12 bone = "left foot" }`, `bone` can be left out |
#[derive(Clone, Copy, Debug, Default)]
pub struct ClipCompiler;

impl Compiler for ClipCompiler {
    fn version(&self) -> u32 {
        CLIP_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        source.allow(&[
            "skeleton",
            "file",
            "animation",
            "rate",
            "bound_cm",
            "skin_cm",
            "jump_ratio",
            "keys",
            "packed",
            "events",
        ])?;
        let asked = source.need("skeleton", "name the skeleton: `skeleton = \"heroes/hero\"`")?;
        let (file, skeleton) = named_skeleton(context, asked)?;
        let file = match source.get("file") {
            Some(other) => read_file(context, other)?,
            None => file,
        };
        let animation = source.get("animation").map(Property::string).transpose()?;
        let rate = source.number_or("rate", 1.0..=240.0, 30.0)?;
        let mut clip = gltf_clip(&file, &skeleton, animation, rate)?;
        clip.events = events_of(context, &source, &skeleton)?;
        let is_packed = source.bool_or("packed", true)?;
        let options = CompressOptions {
            bound: source.number_or("bound_cm", 0.000_1..=100.0, 0.01)? / 100.0,
            skin_distance: source.number_or("skin_cm", 0.0..=1000.0, 3.0)? / 100.0,
            jump_ratio: source.number_or("jump_ratio", 0.0..=1.0e6, 8.0)? as u32,
            keys: keys_of(&source)?,
            endian: context.endian(),
            ..CompressOptions::default()
        };
        let compressed = compress(&skeleton, &clip, &options);
        let compressed = compressed.map_err(|error| {
            let text = error.to_string();
            let (reason, remedy) = text.split_once("; ").unwrap_or((&text, "export it again"));
            CompileError::new(reason, remedy)
        })?;
        let packed = compressed.packed.filter(|_| is_packed);
        Ok(packed.unwrap_or(compressed.bytes))
    }
}

/// Reads how the keys of a clip are stored.
fn keys_of(source: &Property) -> Result<ClipKeys, CompileError> {
    let Some(asked) = source.get("keys") else { return Ok(ClipKeys::Smallest) };
    match asked.string()? {
        "smallest" => Ok(ClipKeys::Smallest),
        "curves" => Ok(ClipKeys::Curves),
        "dense" => Ok(ClipKeys::Dense),
        other => {
            let reason = std::format!("keys cannot be stored as `{other}`");
            Err(asked.error(reason, "write `smallest`, `curves` or `dense`"))
        }
    }
}

/// Reads the events of a clip.
fn events_of(
    context: &mut Context<'_>,
    source: &Property,
    skeleton: &RawSkeleton,
) -> Result<Vec<RawEvent>, CompileError> {
    let mut events = Vec::new();
    let items = source.get("events").map_or(Ok(&[][..]), Property::items)?;
    for item in items {
        item.allow(&["name", "frame", "bone"])?;
        let name = item.need("name", "name the event: `name = \"step\"`")?.string()?;
        let frame = item.need("frame", "say when it is: `frame = 12`")?.number(0.0..=f32::MAX)?;
        let bone = item.get("bone").map(|bone| bone_of(bone, skeleton)).transpose()?;
        context.name(name);
        events.push(RawEvent { frame, name: name.to_string(), bone });
    }
    Ok(events)
}

/// Returns the bone that is named.
fn bone_of(named: &Property, skeleton: &RawSkeleton) -> Result<usize, CompileError> {
    let name = named.string()?;
    skeleton.names.iter().position(|bone| bone == name).ok_or_else(|| {
        let names = skeleton.names.iter().map(String::as_str);
        let remedy = nearest(name, names).map_or_else(
            || std::format!("the first of its bones is `{}`", skeleton.names[0]),
            |near| std::format!("is `{near}` meant?"),
        );
        named.error(std::format!("the skeleton has no bone `{name}`"), remedy)
    })
}
