//! Compilers of state machines.

mod draft;
mod formulas;
mod layers;
mod motions;
mod names;
mod transitions;
mod triangulate;

use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::{CompileError, Compiler, Context, Property};
use loligo_containers::Endian;

use super::raw_skeleton::RawSkeleton;
use super::sources::named_skeleton;
use crate::clip::CLIP_TYPE;
use crate::machine::MACHINE_VERSION;
use crate::skeleton::SKELETON_TYPE;
use draft::MachineDraft;

/// A machine that was compiled from its source.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledMachine {
    /// The payload of a resource of type `machine`.
    pub bytes: Vec<u8>,
    /// The names of the clips, in the order of their numbers, with line and column in the source.
    pub clips: Vec<(String, (u32, u32))>,
    /// All names that the payload has hashes of.
    pub names: Vec<String>,
}

/// Compiles state machines: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `skeleton` | | name of the resource of type `skeleton` that it is for |
/// | `root` | none | the bone whose way on the ground is given to the entity |
/// | `variables` | none | names and defaults: `{ speed = 0 }` |
/// | `clips` | | names for resources: `{ walk = "clips/walk" run = { clip = "clips/run" marks = [ 4 12 ] } }` |
/// | `masks` | none | bones, with all that are below: `{ upper = [ "spine" { bone = "neck" weight = 0.5 } ] }` |
/// | `layers` | | from the first one up |
///
/// `marks` are frames of a cycle at which what all cycles have in common happens, in the same order in each:
/// the left step, the right one.
///
/// A layer:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `name` | | |
/// | `weight` | 1 | a formula, from 0 to 1 |
/// | `mask` | all bones | a mask |
/// | `additive` | false | whether it is added to the layers below; else it takes their place |
/// | `states` | | `{ idle = { clip = "idle" } }` |
/// | `start` | the first one | the state that it begins with |
/// | `transitions` | none | in the order in which they are tried |
///
/// A state has one of `clip = "walk"`, `clips = [ { clip = "a" weight = "1 - hurt" } ]`, and `along = "speed"`
/// or `along = [ "x" "y" ]` with `points = [ { clip = "walk" at = 1.5 } ]` or `at = [ 0 1.5 ]`; and
///
/// | key | default | meaning |
/// |---|---|---|
/// | `loops` | true | whether it begins again where it ends |
/// | `speed` | 1 | a formula; below 0 it goes backwards |
///
/// A transition:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `from` | | a state, several, or `"*"`, which is all others |
/// | `to` | | a state |
/// | `if` | 1 | a formula: every value but 0 is true |
/// | `when` | `"now"` | or `"end"`, the end of the lap |
/// | `event` | none | in place of `when`: the event of a clip at which it is taken |
/// | `seconds` | 0.2 | how long the cross-fade is |
/// | `sync` | false | whether both cycles go on in step |
/// | `start` | 0 | where the state begins, as a part of its lap from 0 to 1 |
///
/// A formula is a number or a text of `loligo-expressions` over the variables, `state.time` (seconds),
/// `state.phase` and `state.fade` (from 0 to 1).
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineCompiler;

impl Compiler for MachineCompiler {
    fn version(&self) -> u32 {
        MACHINE_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        let named = source.need("skeleton", "name the skeleton: `skeleton = \"heroes/hero\"`")?;
        let skeleton = named_skeleton(context, named)?.1;
        let place = named.place();
        context.refer(SKELETON_TYPE, named.string()?, place);
        let compiled = compile_source(&source, &skeleton, context.endian())?;
        for (clip, place) in &compiled.clips {
            context.refer(CLIP_TYPE, clip, *place);
        }
        for name in &compiled.names {
            context.name(name);
        }
        Ok(compiled.bytes)
    }
}

/// Compiles the source of a machine for a skeleton.
///
/// # Errors
///
/// [`CompileError`] has line and column, what is wrong, and what to do.
///
/// # Examples
///
/// ```
/// use loligo_animation::compile::{RawSkeleton, compile_machine};
/// use loligo_containers::Endian;
/// use loligo_entities::Pose;
///
/// let mut hero = RawSkeleton::default();
/// hero.add("hips", None, Pose::IDENTITY);
/// let source = br#"
///     skeleton = "hero"
///     variables = { speed = 0 }
///     clips = { idle = "clips/idle" walk = "clips/walk" }
///     layers = [ {
///         name = "base"
///         states = { idle = { clip = "idle" } walk = { clip = "walk" speed = "speed / 1.4" } }
///         transitions = [
///             { from = "idle" to = "walk" if = "speed > 0.1" seconds = 0.2 }
///             { from = "walk" to = "idle" if = "sped <= 0.1" seconds = 0.2 }
///         ]
///     } ]
/// "#;
/// let error = compile_machine(source, &hero, Endian::NATIVE).expect_err("a slip");
/// assert_eq!(error.to_string(), ":10:47: nothing is called `sped`; is `speed` meant?");
/// ```
pub fn compile_machine(
    source: &[u8],
    skeleton: &RawSkeleton,
    endian: Endian,
) -> Result<CompiledMachine, CompileError> {
    compile_source(&Property::read(source)?, skeleton, endian)
}

fn compile_source(
    source: &Property,
    skeleton: &RawSkeleton,
    endian: Endian,
) -> Result<CompiledMachine, CompileError> {
    source.allow(&["skeleton", "root", "variables", "clips", "masks", "layers"])?;
    let mut draft = MachineDraft::default();
    names::read_variables(&mut draft, source)?;
    names::read_clips(&mut draft, source)?;
    names::read_bones(&mut draft, source, skeleton)?;
    layers::read_layers(&mut draft, source)?;
    let bytes = draft.build(endian);
    let bytes =
        bytes.map_err(|error| CompileError::new(error.to_string(), "make the machine smaller"))?;
    Ok(CompiledMachine { bytes, clips: draft.clip_places(), names: draft.names })
}
