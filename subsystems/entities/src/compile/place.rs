//! Where the instances of a level are: `positions`, `poses`, a `grid` or a `ring`.

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::config::{Config, Field};
use super::error::{CompileError, CompileErrorKind};
use super::source::{Located, Notes};
use super::transform::read_pose;
use crate::pose::Pose;
use crate::resource::ENTITIES_MAX;

/// The keys that say where an entity is placed.
pub(super) const KEYS: [&str; 4] = ["positions", "poses", "grid", "ring"];

const GRID_KEYS: [&str; 7] = ["count", "step", "center", "jitter", "turn", "scale", "seed"];
const RING_KEYS: [&str; 3] = ["count", "radius", "center"];

const ONE_OF: &str = "an instance has one of `positions`, `poses`, `grid` and `ring`; write which";

/// Reads the places of an instance.
pub(super) fn read<'s, 'm>(
    placed: &Located<'_, 's>,
    memory: &'m dyn Allocator,
    notes: &dyn Notes<'s>,
) -> Result<Array<'m, Pose>, CompileError<'s>> {
    let mut found = KEYS.iter().filter_map(|key| Some((*key, placed.get(key)?)));
    let (Some((key, value)), None) = (found.next(), found.next()) else {
        return Err(placed.error(CompileErrorKind::Told(ONE_OF)));
    };
    let layers = [value];
    let config = Config { layers: &layers, memory, notes };
    let mut poses = Array::new_in(memory);
    match key {
        "grid" => grid(&config, &mut poses)?,
        "ring" => ring(&config, &mut poses)?,
        _ => {
            let what = "an array of places";
            for item in Field(value).items().ok_or_else(|| value.expected(what))? {
                let pose = match key {
                    "poses" => read_pose(&Config { layers: &[item.0], memory, notes })?,
                    _ => Pose::at(Vec3::from_array(item.numbers("a position `[ x y z ]`")?)),
                };
                poses.try_push(pose)?;
            }
        }
    }
    Ok(poses)
}

/// Places in rows, layers and columns around a center.
fn grid<'s>(config: &Config<'_, 's>, poses: &mut Array<'_, Pose>) -> Result<(), CompileError<'s>> {
    config.allow(&GRID_KEYS, "count, step, center, jitter, turn, scale, seed")?;
    let count = config.need("count")?;
    let counts = count.numbers::<3>("how many along x, y and z: `[ 100 1 100 ]`")?;
    let whole = |number: &f32| *number >= 0.0 && *number as u32 as f32 == *number;
    if !counts.iter().all(whole) {
        return Err(count.error("these are no whole numbers; write how many along x, y and z"));
    }
    let counts = counts.map(|number| number as u32);
    let all = counts.iter().map(|count| u64::from(*count)).fold(1, u64::saturating_mul);
    if all > ENTITIES_MAX as u64 {
        return Err(count.0.error(CompileErrorKind::TooMany));
    }
    let vector = |key, default: [f32; 3]| {
        let found = config.field(key);
        found.map_or(Ok(default), |value| value.numbers("`[ x y z ]`")).map(Vec3::from_array)
    };
    let step = vector("step", [1.0; 3])?;
    let center = vector("center", [0.0; 3])?;
    let jitter = vector("jitter", [0.0; 3])?;
    let turn = config.field("turn").map_or(Ok(0.0), |value| value.number())?.to_radians();
    let what = "the smallest and the largest scale: `[ 0.8 1.2 ]`";
    let [small, large] = config.field("scale").map_or(Ok([1.0; 2]), |value| value.numbers(what))?;
    let seed = config.field("seed").map_or(Ok(0.0), |value| value.number())?;
    let middle = Vec3::from_array(counts.map(|count| (count as f32 - 1.0) * 0.5));
    poses.try_reserve(all as usize)?;
    let mut draw = Draw(u64::from(seed.to_bits()));
    let [x, y, z] = counts;
    for at in (0..y).flat_map(|y| (0..z).flat_map(move |z| (0..x).map(move |x| [x, y, z]))) {
        let at = Vec3::from_array(at.map(|number| number as f32));
        let shake = Vec3::new(draw.side(), draw.side(), draw.side());
        poses.try_push(Pose {
            position: center + (at - middle) * step + shake * jitter,
            rotation: around_y(draw.side() * turn),
            scale: Vec3::splat(small + (large - small) * draw.part()),
        })?;
    }
    Ok(())
}

/// Places on a circle, the x axis of each away from its center.
fn ring<'s>(config: &Config<'_, 's>, poses: &mut Array<'_, Pose>) -> Result<(), CompileError<'s>> {
    config.allow(&RING_KEYS, "count, radius, center")?;
    let count = config.need("count")?;
    let number = count.number()?;
    if !(number >= 0.0 && number <= ENTITIES_MAX as f32 && number as u32 as f32 == number) {
        return Err(count.error("this is no number of entities; write a whole one"));
    }
    let radius = config.need("radius")?.number()?;
    let center = config.field("center");
    let center = center.map_or(Ok([0.0; 3]), |value| value.numbers("`[ x y z ]`"))?;
    let reserved: Result<(), GrowError> = poses.try_reserve(number as usize);
    reserved?;
    for at in 0..number as u32 {
        let rotation = around_y(core::f32::consts::TAU * (at as f32 / number));
        let position = Vec3::from_array(center) + rotation * Vec3::X * radius;
        poses.try_push(Pose { position, rotation, ..Pose::IDENTITY })?;
    }
    Ok(())
}

/// Turns around the axis that points up; the same on all machines.
fn around_y(angle: f32) -> Quat {
    let (sin, cos) = libm::sincosf(angle * 0.5);
    Quat::from_xyzw(0.0, sin, 0.0, cos).normalize()
}

/// Draws numbers that look like chance, and are the same each time: SplitMix64.
struct Draw(u64);

impl Draw {
    /// From 0 to 1, without 1.
    fn part(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // As many bits as a float has.
        ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// From -1 to 1.
    fn side(&mut self) -> f32 {
        self.part() * 2.0 - 1.0
    }
}
