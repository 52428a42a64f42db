//! Compilers of the components `animation` and `attach`.

use std::sync::Arc;
use std::vec::Vec;

use loligo_containers::Array;
use loligo_entities::compile::{
    CompileError, ComponentCompiler, Config, Field, PlainCompiler, PlainField, PlainKind,
    SharedComponentCompiler,
};
use loligo_entities::{ComponentType, ResourceWords};
use loligo_ids::murmur2_32;

use crate::clip::CLIP_TYPE;
use crate::machine::MACHINE_TYPE;
use crate::skeleton::SKELETON_TYPE;
use crate::subsystem::{
    ANIMATION, ATTACH, CLIPS_MAX, DETAILS_MAX, FEET_MAX, FEET_SHIFT, HEAD, LOOPS, RESTING,
    ROOT_MOTION, SCATTER,
};

/// Returns the compilers of the components that the subsystem has: `animation` and `attach`.
#[must_use]
pub fn components() -> Vec<SharedComponentCompiler> {
    std::vec![Arc::new(AnimationCompiler) as SharedComponentCompiler, Arc::new(ATTACH_COMPILER)]
}

/// An entity that follows a bone of its parent.
const ATTACH_COMPILER: PlainCompiler = PlainCompiler {
    name: "attach",
    component: ATTACH,
    fields: &[
        PlainField { key: "bone", kind: PlainKind::Name },
        PlainField { key: "position", kind: PlainKind::Vector([0.0; 3]) },
        PlainField { key: "rotation", kind: PlainKind::Quad([0.0, 0.0, 0.0, 1.0]) },
        PlainField { key: "scale", kind: PlainKind::Vector([1.0; 3]) },
    ],
    known: "bone, position, rotation, scale",
};

/// Compiles characters.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `skeleton` | | the skeleton |
/// | `mesh`, `material` | | what is drawn: a mesh with a skin |
/// | `machine` | none | a state machine, which plays its clips |
/// | `clips` | none | an object: short names, and clips or objects of `clip`, `loops` (true) and `above` |
/// | `play` | nothing | the short name of the clip that is played at first |
/// | `phase` | 0 | where in it that begins, from 0 to 1 |
/// | `scatter` | `false` | whether each entity begins elsewhere |
/// | `speed` | 1 | how fast clips are played |
/// | `root_motion` | `false` | whether the way of the clips moves the entity |
/// | `radius` | by the bones | how far the skin is from bones, in metres |
/// | `details` | `[]` | objects of `distance`, `rate` (0) and `resting` (`[]`), by ascending distance |
/// | `feet` | `[]` | bones that are put on the ground, or objects of `bone` and `reach` (0.5) |
#[derive(Clone, Copy, Debug, Default)]
pub struct AnimationCompiler;

const KEYS: [&str; 13] = [
    "skeleton",
    "mesh",
    "material",
    "machine",
    "clips",
    "play",
    "phase",
    "scatter",
    "speed",
    "root_motion",
    "radius",
    "details",
    "feet",
];

const KNOWN: &str = "skeleton, mesh, material, machine, clips, play, phase, scatter, speed, root_motion, radius, details, feet";

impl ComponentCompiler for AnimationCompiler {
    fn name(&self) -> &'static str {
        "animation"
    }

    fn component(&self) -> ComponentType {
        ANIMATION
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&KEYS, KNOWN)?;
        let start = words.len();
        let mut head = [0; HEAD];
        let skeleton = config.resource(&config.need("skeleton")?, SKELETON_TYPE)?;
        put(&mut head, 1, skeleton);
        for (at, key) in [(3, "mesh"), (5, "material")] {
            if let Some(field) = config.field(key) {
                put(&mut head, at, config.resource(&field, key)?);
            }
        }
        if let Some(field) = config.field("machine") {
            put(&mut head, 7, config.resource(&field, MACHINE_TYPE)?);
        }
        let number = |key, default: f32| config.field(key).map_or(Ok(default), |of| of.number());
        let flag = |key| config.field(key).map_or(Ok(false), |of| of.bool());
        head[9] = number("speed", 1.0)?.to_bits();
        head[10] = if flag("root_motion")? { ROOT_MOTION } else { 0 };
        head[10] |= if flag("scatter")? { SCATTER } else { 0 };
        head[12] = number("phase", 0.0)?.to_bits();
        head[13] = number("radius", 0.0)?.to_bits();
        words.try_extend_from_slice(&head)?;
        let clips = clips_of(config, words)?;
        if let Some(play) = config.field("play") {
            let short = hash_of(&play)?;
            let own = words[start + HEAD..].chunks_exact(5);
            if !own.clone().any(|clip| clip[0] == short) {
                return Err(play.error("is not the short name of a clip under `clips`"));
            }
            words[start + 11] = short;
        }
        let details = details_of(config, words)?;
        words[start + 14] = clips;
        words[start + 15] = details | feet_of(config, words)? << FEET_SHIFT;
        words[start] = (words.len() - start) as u32;
        Ok(())
    }
}

fn put(head: &mut [u32], at: usize, name: ResourceWords) {
    (head[at], head[at + 1]) = (name.low, name.high);
}

/// Appends the clips, and returns how many there are.
fn clips_of<'s>(
    config: &Config<'_, 's>,
    words: &mut Array<'_, u32>,
) -> Result<u32, CompileError<'s>> {
    let Some(clips) = config.field("clips") else { return Ok(0) };
    let what = "an object of short names and clips";
    let mut count = 0;
    for (short, value) in clips.entries().ok_or_else(|| clips.expected(what))? {
        let short = murmur2_32(short.as_bytes(), 0);
        let is_object = value.entries().is_some();
        let named = if is_object { value.get("clip") } else { Some(value) };
        let named = named.ok_or_else(|| value.expected("an object with the key `clip`"))?;
        let clip = config.resource(&named, CLIP_TYPE)?;
        if let Some(mut keys) = value.entries()
            && let Some((_, other)) =
                keys.find(|(key, _)| !["clip", "loops", "above"].contains(key))
        {
            return Err(other.error("is not known here; known are clip, loops, above"));
        }
        let loops = value.get("loops").map_or(Ok(true), |loops| loops.bool())?;
        let above = value.get("above").map_or(Ok(0), |above| hash_of(&above))?;
        words.try_extend_from_slice(&[
            short,
            clip.low,
            clip.high,
            if loops { LOOPS } else { 0 },
            above,
        ])?;
        count += 1;
        if count as usize > CLIPS_MAX {
            return Err(value.error("is a clip too many; 64 are the most"));
        }
    }
    Ok(count)
}

/// Appends the levels of detail, and returns how many there are.
fn details_of<'s>(
    config: &Config<'_, 's>,
    words: &mut Array<'_, u32>,
) -> Result<u32, CompileError<'s>> {
    let Some(details) = config.field("details") else { return Ok(0) };
    let (mut count, mut before) = (0, 0.0);
    for item in details.items().ok_or_else(|| details.expected("an array of objects"))? {
        let distance = item
            .get("distance")
            .ok_or_else(|| item.expected("an object with the key `distance`"))?;
        let metres = distance.number()?;
        if metres < before {
            return Err(distance.error("is nearer than the one before; order them by distance"));
        }
        before = metres;
        let rate = item.get("rate").map_or(Ok(0.0), |rate| rate.number())?;
        words.try_extend_from_slice(&[metres.to_bits(), rate.to_bits()])?;
        let mut resting = [0; RESTING];
        if let Some(names) = item.get("resting") {
            let what = "an array of names of bones, four at the most";
            for (at, name) in names.items().ok_or_else(|| names.expected(what))?.enumerate() {
                *resting.get_mut(at).ok_or_else(|| names.expected(what))? = hash_of(&name)?;
            }
        }
        words.try_extend_from_slice(&resting)?;
        count += 1;
        if count as usize > DETAILS_MAX {
            return Err(item.error("is a level of detail too many; four are the most"));
        }
    }
    Ok(count)
}

/// Appends the feet, and returns how many there are.
fn feet_of<'s>(
    config: &Config<'_, 's>,
    words: &mut Array<'_, u32>,
) -> Result<u32, CompileError<'s>> {
    let Some(feet) = config.field("feet") else { return Ok(0) };
    let what = "an array of names of bones, or of objects with the key `bone`";
    let mut count = 0;
    for item in feet.items().ok_or_else(|| feet.expected(what))? {
        let bone = if item.entries().is_some() { item.get("bone") } else { Some(item) };
        let bone = bone.ok_or_else(|| item.expected("an object with the key `bone`"))?;
        if let Some(mut keys) = item.entries()
            && let Some((_, other)) = keys.find(|(key, _)| !["bone", "reach"].contains(key))
        {
            return Err(other.error("is not known here; known are bone, reach"));
        }
        let reach = item.get("reach").map_or(Ok(0.5), |reach| reach.number())?;
        if reach <= 0.0 {
            return Err(item.error("looks for the ground nowhere; let `reach` be above 0"));
        }
        words.try_extend_from_slice(&[hash_of(&bone)?, reach.to_bits()])?;
        count += 1;
        if count as usize > FEET_MAX {
            return Err(item.error("is a foot too many; four are the most"));
        }
    }
    Ok(count)
}

/// Returns the hash of a string.
fn hash_of<'s>(field: &Field<'_, 's>) -> Result<u32, CompileError<'s>> {
    let text = field.plain_string().ok_or_else(|| field.expected("a name in quotes"))?;
    Ok(murmur2_32(text.as_bytes(), 0))
}
