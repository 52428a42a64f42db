//! Compilers of tables of effects.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::{CompileError, Compiler, Context, Property, PropertyValue, build_blob};
use loligo_containers::{BlobBuilder, Endian, blob_field};
use loligo_ids::{IdString32, IdString64};

use super::names::unknown;
use super::settings::settings_of;
use crate::impacts::{
    ANY, IMPACT_POINTS_MAX, IMPACT_ROWS_MAX, IMPACTS_VERSION, ImpactImage, ImpactKind, ImpactRow,
};
use crate::ranges::{AMOUNT, STRENGTH};

/// Compiles tables of effects: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `settings` | | the resource of type `physics` that has the materials |
/// | `rows` | | in any order |
///
/// A row:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `kind` | | `"impact"`, `"footstep"` or `"slide"` |
/// | `materials` | | two names, in either order; `"*"` is any material |
/// | `least` | 0 | the least impulse of an impact, or speed of a footstep or slide |
/// | `effect` | none | the name of the effect; without, nothing is played |
/// | `strength` | 1 | a number, or points of a curve by ascending amount: `[ [ 2 0.1 ] [ 50 1 ] ]` |
#[derive(Clone, Copy, Debug, Default)]
pub struct ImpactsCompiler;

impl Compiler for ImpactsCompiler {
    fn version(&self) -> u32 {
        IMPACTS_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        let settings = settings_of(context, &source)?;
        let rows = read_rows(&source, &settings.materials)?;
        for row in &rows {
            context.name(&row.effect);
        }
        build(&rows, context.endian())
    }
}

/// Compiles the source of a table of effects, with the names of the materials that there are.
///
/// # Errors
///
/// [`CompileError`] has line and column, what is wrong, and what to do.
///
/// # Examples
///
/// ```
/// use loligo_containers::Endian;
/// use loligo_physics::compile::compile_impacts;
///
/// let source = br#"rows = [ { kind = "impact" materials = [ "wood" "stne" ] effect = "thud" } ]"#;
/// let names = ["wood".to_string(), "stone".to_string()];
/// let error = compile_impacts(source, &names, Endian::NATIVE).expect_err("a slip");
/// assert_eq!(error.to_string(), ":1:49: there is no material `stne`; is `stone` meant?");
/// ```
pub fn compile_impacts(
    source: &[u8],
    materials: &[String],
    endian: Endian,
) -> Result<Vec<u8>, CompileError> {
    build(&read_rows(&Property::read(source)?, materials)?, endian)
}

/// A row with its names.
#[derive(Debug)]
struct DraftRow {
    kind: u32,
    materials: [u32; 2],
    least: f32,
    effect: String,
    order: u32,
    points: Vec<[f32; 2]>,
}

/// Reads all rows, and puts them in the order of the blob.
fn read_rows(source: &Property, materials: &[String]) -> Result<Vec<DraftRow>, CompileError> {
    source.allow(&["settings", "rows"])?;
    let remedy =
        "add `rows = [ { kind = \"impact\" materials = [ \"*\" \"*\" ] effect = \"..\" } ]`";
    let list = source.need("rows", remedy)?;
    let items = list.items()?;
    if items.len() > IMPACT_ROWS_MAX {
        let reason = format!("there are {} rows", items.len());
        return Err(list.error(reason, format!("{IMPACT_ROWS_MAX} are possible")));
    }
    let rows = items.iter().enumerate().map(|(at, item)| read_row(item, materials, at as u32));
    let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
    rows.sort_by(|a, b| {
        let key = |row: &DraftRow| (row.kind, row.materials);
        key(a).cmp(&key(b)).then(a.least.total_cmp(&b.least)).then(a.order.cmp(&b.order))
    });
    let is_same = |two: &[DraftRow]| {
        let key = |row: &DraftRow| (row.kind, row.materials, row.least.to_bits());
        key(&two[0]) == key(&two[1])
    };
    if let Some(two) = rows.windows(2).find(|two| is_same(two)) {
        let [first, second] = [&two[0], &two[1]].map(|row| &items[row.order as usize]);
        let reason = format!(
            "the row in line {} has the same kind, materials and least amount",
            first.place().0
        );
        return Err(second.error(reason, "remove one, or change its `least`"));
    }
    Ok(rows)
}

fn read_row(item: &Property, materials: &[String], order: u32) -> Result<DraftRow, CompileError> {
    item.allow(&["kind", "materials", "least", "effect", "strength"])?;
    let kind = item.need("kind", "say what happens: `kind = \"impact\"`")?;
    let kind = kind.word_index(&ImpactKind::NAMES)? as u32;
    let pair = item.need("materials", "name two: `materials = [ \"wood\" \"*\" ]`")?;
    let [a, b] = pair.items()? else {
        return Err(pair.expected("two materials", "write `[ \"wood\" \"*\" ]`"));
    };
    let [a, b] = [hash_of(a, materials)?, hash_of(b, materials)?];
    let effect = item.get("effect").map_or(Ok(""), Property::string)?.to_string();
    let points = match item.get("strength") {
        None => std::vec![[0.0, 1.0]],
        Some(strength) => read_curve(strength)?,
    };
    let least = item.number_or("least", AMOUNT, 0.0)?;
    Ok(DraftRow { kind, materials: [a.min(b), a.max(b)], least, effect, order, points })
}

/// Returns the hash of a material, or of any.
fn hash_of(named: &Property, materials: &[String]) -> Result<u32, CompileError> {
    let name = named.string()?;
    if name == "*" {
        return Ok(ANY);
    }
    let names = materials.iter().map(String::as_str);
    match names.clone().any(|known| known == name) {
        true => Ok(IdString32::new(name).hash()),
        false => Err(unknown(named, "material", name, names)),
    }
}

fn read_curve(strength: &Property) -> Result<Vec<[f32; 2]>, CompileError> {
    if let PropertyValue::Number(_) = strength.value() {
        return Ok(std::vec![[0.0, strength.number(STRENGTH)?]]);
    }
    let mut points: Vec<[f32; 2]> = Vec::new();
    for item in strength.items()? {
        let [x, y] = item.items()? else {
            return Err(item.expected("amount and strength", "write `[ 10 1 ]`"));
        };
        let amount = x.number(AMOUNT)?;
        if points.last().is_some_and(|last| last[0] >= amount) {
            let reason = format!("the amount {amount} is not more than the one before");
            return Err(x.error(reason, "order the points by amount, each once"));
        }
        points.push([amount, y.number(STRENGTH)?]);
    }
    match points.len() {
        1..=IMPACT_POINTS_MAX => Ok(points),
        count => {
            let remedy = format!("1 to {IMPACT_POINTS_MAX} are possible");
            Err(strength.error(format!("the curve has {count} points"), remedy))
        }
    }
}

fn build(rows: &[DraftRow], endian: Endian) -> Result<Vec<u8>, CompileError> {
    let points: Vec<[f32; 2]> = rows.iter().flat_map(|row| row.points.iter().copied()).collect();
    build_blob(|memory| {
        let mut builder = BlobBuilder::<ImpactImage>::try_new(endian, memory)?;
        let root = builder.root();
        let places = builder.array(root.at(blob_field!(ImpactImage, rows)), rows.len())?;
        let mut first = 0;
        for (place, row) in places.iter().zip(rows) {
            let effect = match row.effect.is_empty() {
                true => IdString64::from_hash(0),
                false => IdString64::new(&row.effect),
            };
            let points = [first, row.points.len() as u32];
            first += points[1];
            builder.set(place.at(blob_field!(ImpactRow, kind)), row.kind);
            builder.set(place.at(blob_field!(ImpactRow, materials)), row.materials);
            builder.set(place.at(blob_field!(ImpactRow, least)), row.least);
            builder.set(place.at(blob_field!(ImpactRow, effect)), effect);
            builder.set(place.at(blob_field!(ImpactRow, order)), row.order);
            builder.set(place.at(blob_field!(ImpactRow, points)), points);
        }
        builder.numbers(root.at(blob_field!(ImpactImage, points)), &points)?;
        Ok(builder.finish())
    })
}
