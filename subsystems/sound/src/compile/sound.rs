//! The compiler of sounds.

mod keys;
mod node;
mod write;

use std::vec::Vec;

use loligo_compiler::{CompileError, Compiler, Context, Property};
use loligo_ids::IdString32;

use super::mixer::plan_of;
use crate::level::gain_of;
use crate::tree::{SOUND_PRIORITY_MAX, SOUND_VERSION};
use node::Nodes;

/// The metres of [`distance`](crate::SoundTree::distance).
const METRES: core::ops::RangeInclusive<f32> = 0.01..=100_000.0;

/// Compiles sounds: an object of the keys of a node, and of these.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `bus` | `"master"` | the bus of `game.mixer` on which it is heard |
/// | `group` | none | the group of `game.mixer` whose voices it shares |
/// | `priority` | 50 | from 0 to 100: where there are too few voices, the sound with more has one |
/// | `fade_out` | 0.05 | the seconds over which it fades out when it is stopped |
/// | `distance` | `[ 1 50 ]` | up to how many metres it is as loud as it is, and from how many on silent |
/// | `cone` | everywhere | `[ inner outer decibels ]`: as loud as it is within the first angle, with the decibels outside of the second |
/// | `doppler` | 1 | how much of the Doppler effect it has, from 0 to 10 |
/// | `occlusion` | 0 | how much of it walls take, from 0 to 1; of one with 0 nobody asks where walls are |
///
/// A node is one of `wave`, `layers`, `sequence`, `random`, `shuffle` and `switch`:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `wave` | | the name of a wave |
/// | `layers` | | nodes that play at the same time |
/// | `sequence` | | waves, or choices of waves, one after the other, to the frame exact |
/// | `random` | | nodes of which one plays, by their weights, and not the one of the last time |
/// | `shuffle` | | nodes of which one plays, each once before any comes again |
/// | `switch` | | the name of a parameter whose word chooses one of `cases`, else `default` |
/// | `cases` | | of a `switch`: nodes by words |
/// | `default` | none | of a `switch`: the node for all other words |
/// | `weight` | 1 | of what is in `random` or `shuffle` |
/// | `volume` | 0 | decibels, or the least and most of which chance takes some |
/// | `speed` | 1 | a factor of its speed, or the least and greatest |
/// | `delay` | 0 | seconds that it waits for, or the least and most |
/// | `fade_in` | 0 | the seconds over which it fades in |
/// | `curves` | none | what follows from parameters: `target`, `parameter` and `points` each |
/// | `loop` | `false` | of a `wave`: whether its loop is followed |
/// | `markers` | none | of a `wave`: seconds `at` which an event with a `name` is sent |
///
/// A string in place of a node is a wave of that name.
#[derive(Clone, Copy, Debug, Default)]
pub struct SoundCompiler;

/// A sound before it is written.
struct Draft {
    bus: IdString32,
    group: IdString32,
    priority: u32,
    fade_out: f32,
    distance: [f32; 2],
    cone: [f32; 3],
    doppler: f32,
    occlusion: f32,
    nodes: Nodes,
}

impl Compiler for SoundCompiler {
    fn version(&self) -> u32 {
        SOUND_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = Property::read(&context.source()?)?;
        let draft = read(&source, context)?;
        write::write(&draft, context.endian())
    }
}

fn read(source: &Property, context: &mut Context<'_>) -> Result<Draft, CompileError> {
    let plan = plan_of(context)?;
    let bus = source.get("bus").map_or(Ok(IdString32::new("master")), |bus| plan.bus(bus))?;
    let none = IdString32::from_hash(0);
    let group = source.get("group").map_or(Ok(none), |group| plan.group(group))?;
    let priority = source.number_or("priority", 0.0..=SOUND_PRIORITY_MAX as f32, 50.0)? as u32;
    let fade_out = source.number_or("fade_out", keys::SECONDS, 0.05)?;
    let distance = source.numbers_or("distance", METRES, [1.0, 50.0])?;
    if distance[0] >= distance[1] {
        let place = source.get("distance").unwrap_or(source);
        let reason = "it is from far to near";
        return Err(place.error(reason, "write the smaller number first"));
    }
    let cone = cone(source)?;
    let doppler = source.number_or("doppler", 0.0..=10.0, 1.0)?;
    let occlusion = source.number_or("occlusion", 0.0..=1.0, 0.0)?;
    let mut nodes = Nodes::default();
    nodes.read_root(source, context)?;
    Ok(Draft { bus, group, priority, fade_out, distance, cone, doppler, occlusion, nodes })
}

/// Reads two angles and decibels; returns the angles and a factor.
fn cone(source: &Property) -> Result<[f32; 3], CompileError> {
    let Some(cone) = source.get("cone") else { return Ok([360.0, 360.0, 1.0]) };
    let [inner, outer, decibels] = cone.numbers::<3>(-144.0..=360.0)?;
    if !(0.0..=outer).contains(&inner) {
        let reason = "its angles are not from the inner to the outer one";
        return Err(cone.error(reason, "write degrees, the smaller ones first: `[ 60 120 -12 ]`"));
    }
    if decibels > 0.0 {
        return Err(cone.error("it is louder outside than within", "give decibels up to 0"));
    }
    Ok([inner, outer, gain_of(decibels)])
}
