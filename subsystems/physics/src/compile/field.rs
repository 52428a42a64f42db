//! Compilers of fields.

mod ready;

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::{CompileError, Compiler, Context, Property, PropertyValue, build_blob};
use loligo_containers::{BlobBuilder, Endian, blob_field};
use loligo_expressions::{Expression, Symbols};
use loligo_ids::IdString32;

use super::names::members_of;
use super::settings::settings_of;
use crate::field::{
    FIELD_DEPTH_MAX, FIELD_PARAMETERS_MAX, FIELD_VARIABLES, FIELD_VERSION, FieldImage,
    FieldParameter, VARIABLES_BEFORE,
};
use crate::ranges::{PARAMETER, SECONDS, SIDE};
use ready::Ready;

/// Compiles fields: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `region` | everywhere | `{ sphere = 10 }`, its radius, or `{ box = [ 8 4 8 ] }`, its sides |
/// | `seconds` | 0 | how long it lasts; 0 is for ever |
/// | `settings`, `groups` | all | the settings, and the names of the groups in them that it is for |
/// | `parameters` | none | names and values that a game can change: `{ speed = 4 }` |
/// | `strength` | | three numbers or formulas: the acceleration along x, y and z of the field |
///
/// In place of `parameters` and `strength` there can be one that is ready-made, with any of the keys below
/// as its parameters:
///
/// | key | its keys, with their defaults |
/// |---|---|
/// | `wind` | `direction` (`[ 1 0 0 ]`, no parameter), `speed` 5, `drag` 1, `gusts` 0.3, `period` 4 |
/// | `vortex` | `spin` 10, `pull` 5, `lift` 3, `core` 1: the radius at which it is strongest |
/// | `explosion` | `strength` 200, `radius` 5; it lasts 0.1 seconds in a sphere, unless said otherwise |
///
/// A formula is a number or a text of `loligo-expressions` over the parameters and
/// [`FIELD_VARIABLES`](crate::FIELD_VARIABLES).
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldCompiler;

impl Compiler for FieldCompiler {
    fn version(&self) -> u32 {
        FIELD_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        let draft = FieldDraft::read(&source)?;
        if let Some(groups) = source.get("groups") {
            settings_of(context, &source)?.bits_of(groups)?;
        }
        for (name, _) in &draft.parameters {
            context.name(name);
        }
        draft.build(context.endian())
    }
}

/// Compiles the source of a field; that its groups are in the settings is not checked.
///
/// # Errors
///
/// [`CompileError`] has line and column, what is wrong, and what to do.
///
/// # Examples
///
/// ```
/// use loligo_containers::Endian;
/// use loligo_physics::compile::compile_field;
///
/// let source = b"parameters = { speed = 4 }\nstrength = [ \"sped * time\" 0 0 ]";
/// let error = compile_field(source, Endian::NATIVE).expect_err("a slip");
/// assert_eq!(error.to_string(), ":2:15: nothing is called `sped`; is `speed` meant?");
/// ```
pub fn compile_field(source: &[u8], endian: Endian) -> Result<Vec<u8>, CompileError> {
    FieldDraft::read(&Property::read(source)?)?.build(endian)
}

/// A field that is being compiled.
#[derive(Debug)]
struct FieldDraft {
    region: u32,
    size: [f32; 3],
    seconds: f32,
    groups: Vec<IdString32>,
    parameters: Vec<(String, f32)>,
    formulas: [Vec<u32>; 3],
}

impl FieldDraft {
    fn read(source: &Property) -> Result<Self, CompileError> {
        let keys = ["region", "seconds", "settings", "groups", "parameters", "strength"];
        source.allow(&[&keys[..], &ready::NAMES].concat())?;
        let ready = Ready::read(source)?;
        let (mut region, mut size) = read_region(source)?;
        let mut seconds = 0.0;
        if let Some(Ready { radius: Some(radius), .. }) = ready {
            seconds = 0.1;
            if source.get("region").is_none() {
                (region, size) = (2, [radius, 0.0, 0.0]);
            }
        }
        let parameters = match &ready {
            Some(ready) => ready.parameters.clone(),
            None => read_parameters(source)?,
        };
        let formulas = match &ready {
            Some(ready) => {
                let [x, y, z] = &ready.strength;
                let compile = |text: &String| {
                    compiled(text, &parameters)
                        .map_err(|(_, reason, remedy)| source.error(reason, remedy))
                };
                [compile(x)?, compile(y)?, compile(z)?]
            }
            None => read_strength(source, &parameters)?,
        };
        Ok(Self {
            region,
            size,
            seconds: source.number_or("seconds", SECONDS, seconds)?,
            groups: read_groups(source)?,
            parameters,
            formulas,
        })
    }

    fn build(&self, endian: Endian) -> Result<Vec<u8>, CompileError> {
        build_blob(|memory| {
            let mut builder = BlobBuilder::<FieldImage>::try_new(endian, memory)?;
            let root = builder.root();
            builder.set(root.at(blob_field!(FieldImage, region)), self.region);
            builder.set(root.at(blob_field!(FieldImage, size)), self.size);
            builder.set(root.at(blob_field!(FieldImage, seconds)), self.seconds);
            builder.numbers(root.at(blob_field!(FieldImage, groups)), &self.groups)?;
            let list = root.at(blob_field!(FieldImage, parameters));
            let places = builder.array(list, self.parameters.len())?;
            for (place, (name, value)) in places.iter().zip(&self.parameters) {
                let name = IdString32::new(name);
                builder.set(place.at(blob_field!(FieldParameter, name)), name);
                builder.set(place.at(blob_field!(FieldParameter, default)), *value);
            }
            let [x, y, z] = &self.formulas;
            builder.numbers(root.at(blob_field!(FieldImage, x)), x)?;
            builder.numbers(root.at(blob_field!(FieldImage, y)), y)?;
            builder.numbers(root.at(blob_field!(FieldImage, z)), z)?;
            Ok(builder.finish())
        })
    }
}

fn read_region(source: &Property) -> Result<(u32, [f32; 3]), CompileError> {
    let Some(region) = source.get("region") else { return Ok((0, [0.0; 3])) };
    region.allow(&["sphere", "box"])?;
    match (region.get("sphere"), region.get("box")) {
        (Some(radius), None) => Ok((2, [radius.number(SIDE)?, 0.0, 0.0])),
        (None, Some(sides)) => {
            let sides = sides.numbers::<3>(2.0 * SIDE.start()..=*SIDE.end())?;
            Ok((1, sides.map(|side| side / 2.0)))
        }
        _ => {
            let remedy = "write `{ sphere = 10 }`, `{ box = [ 8 4 8 ] }`, or leave it out";
            Err(region.error("a region is a sphere or a box", remedy))
        }
    }
}

/// Reads the names of groups; that each is there is checked against the settings.
fn read_groups(source: &Property) -> Result<Vec<IdString32>, CompileError> {
    let Some(groups) = source.get("groups") else { return Ok(Vec::new()) };
    source.need("settings", "name the settings that have the groups: `settings = \"game\"`")?;
    let names = groups.items()?;
    if names.is_empty() {
        return Err(groups.error("it is for no group", "name one, or leave `groups` out for all"));
    }
    names.iter().map(|name| name.string().map(IdString32::new)).collect()
}

fn read_parameters(source: &Property) -> Result<Vec<(String, f32)>, CompileError> {
    let members = members_of(source, "parameters", FIELD_PARAMETERS_MAX)?;
    let parameter = |member: &Property| {
        let name = member.key();
        if FIELD_VARIABLES.contains(&name) {
            let reason = format!("`{name}` is a variable of every field");
            return Err(member.error(reason, "rename the parameter"));
        }
        Ok((name.to_string(), member.number(PARAMETER)?))
    };
    members.iter().map(parameter).collect()
}

fn read_strength(
    source: &Property,
    parameters: &[(String, f32)],
) -> Result<[Vec<u32>; 3], CompileError> {
    let remedy = "add `strength = [ 0 \"9.81 * time\" 0 ]`, or a `wind`, `vortex` or `explosion`";
    let strength = source.need("strength", remedy)?;
    let [x, y, z] = strength.items()? else {
        return Err(strength.expected("three formulas", "write `[ 0 \"sin(time)\" 0 ]`"));
    };
    let read = |formula: &Property| {
        let text = match formula.value() {
            PropertyValue::Number(number) => (*number as f32).to_string(),
            PropertyValue::String(text) => text.clone(),
            _ => {
                let remedy = "write a number, or a formula in quotes: `\"sin(time)\"`";
                return Err(formula.expected("a formula", remedy));
            }
        };
        compiled(&text, parameters).map_err(|((line, column), reason, remedy)| {
            let place = formula.place();
            let error = CompileError::new(reason, remedy);
            match line {
                // The text begins after a quote.
                1 => error.at(place.0, place.1 + column),
                _ => error.at(place.0 + line - 1, column),
            }
        })
    };
    Ok([read(x)?, read(y)?, read(z)?])
}

/// Returns the words of a formula; or line and column, what is wrong, and what to do.
fn compiled(
    text: &str,
    parameters: &[(String, f32)],
) -> Result<Vec<u32>, ((u32, u32), String, String)> {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new("compiler", &pages);
    let (before, motion) = FIELD_VARIABLES.split_at(VARIABLES_BEFORE);
    // Places of parameters that there are not have names that no source can write.
    let mut names = before.to_vec();
    names.extend(parameters.iter().map(|(name, _)| &**name));
    names.resize(VARIABLES_BEFORE + FIELD_PARAMETERS_MAX, "");
    names.extend(motion);
    let symbols = Symbols { variables: &names, ..Symbols::default() };
    let expression = Expression::try_compile(text, &symbols, &heap).map_err(|error| {
        let place = (error.line() as u32, error.column() as u32);
        let whole = error.to_string();
        let first = whole.lines().next().unwrap_or_default();
        let first = first.strip_prefix(&format!("{}:{}: ", place.0, place.1)).unwrap_or(first);
        let (reason, remedy) = first.split_once("; ").unwrap_or((first, "change the formula"));
        (place, reason.to_string(), remedy.to_string())
    })?;
    let depth = expression.bytecode().depth();
    if depth > FIELD_DEPTH_MAX {
        let reason = format!("the formula needs {depth} values at once");
        let remedy = format!("{FIELD_DEPTH_MAX} are possible; nest it less");
        return Err(((1, 1), reason, remedy.to_string()));
    }
    Ok(expression.bytecode().words().to_vec())
}
