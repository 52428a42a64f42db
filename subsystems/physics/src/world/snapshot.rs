//! A world as bytes, which goes on as if it had never stopped.
//!
//! ```text
//! | magic, version | length | checksum | settings, steps, flags | tables | lists | simulation |
//! ```
//!
//! Each part after the settings has its length before it. The simulation's part is what rapier3d says
//! of itself through serde, written by postcard; everything else is plain data in the machine's order.

use core::error::Error;
use core::fmt;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::{Array, EventStream, GrowError};
use loligo_ids::{HoleTable, Lifo, Retire, TableId};
use rapier3d::prelude::PhysicsWorld as Simulation;
use serde::{Deserialize, Serialize};

use super::PhysicsWorld;
use super::joint_changes::JointChanges;
use super::moved::Moved;
use super::touches::{Touch, Touches};
use super::vehicles::Controllers;
use crate::world_settings::WorldSettings;

mod bytes;
mod check;

use bytes::{Source, checksum, put};

/// The first bytes of a snapshot.
const MAGIC: u32 = 0x4C50_4853;
/// It changes with what is written, and with the version of rapier3d.
const VERSION: u32 = 2;
/// Magic, version, length and checksum.
const HEADER: usize = 24;

/// Why bytes are not a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// They are something else, or of a program of another version.
    Foreign,
    /// There are more or fewer than there were.
    Length {
        /// How many there were.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// Some of them have changed.
    Damaged,
    /// The checksum is right, and what they say does not hold together.
    Wrong {
        /// Which part.
        part: &'static str,
    },
    /// There is no memory.
    Memory {
        /// The bytes that were asked for.
        bytes: u64,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no saved physics world: ")?;
        match self {
            Self::Foreign => {
                f.write_str("it is of another program or version; load it with that one")
            }
            Self::Length { expected, found } => {
                write!(f, "it had {expected} bytes and has {found}; copy it again")
            }
            Self::Damaged => f.write_str("its checksum is wrong, so it was changed; copy it again"),
            Self::Wrong { part } => {
                write!(f, "its {part} do not hold together; save it again with this program")
            }
            Self::Memory { bytes } => {
                write!(f, "the allocator has no memory for {bytes} bytes; give it more")
            }
        }
    }
}

impl Error for SnapshotError {}

impl From<GrowError> for SnapshotError {
    fn from(error: GrowError) -> Self {
        match error {
            GrowError::Memory { bytes, .. } => Self::Memory { bytes },
            GrowError::Length { wanted, .. } => Self::Memory { bytes: wanted },
        }
    }
}

/// What is not a table or a list.
#[derive(Clone, Copy, AnyBitPattern, NoUninit)]
#[repr(C)]
struct Fixed {
    gravity: [f32; 3],
    step_seconds: f32,
    solver_rounds: u32,
    stay_steps: u32,
    far: f32,
    steps: u32,
    has_lost_shapes: u32,
}

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Appends the world: all but the events that nobody has taken.
    ///
    /// A world that is [loaded](Self::load) from the bytes goes on as this one does, byte for byte,
    /// and two worlds with the same history of calls append the same bytes.
    ///
    /// # Complexity
    ///
    /// O(actors + contacts + triangles): 1.5 KiB for a box at rest on a floor, 6 KiB in a heap of boxes.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Memory`]. What was appended until then is there.
    pub fn save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), SnapshotError> {
        let start = out.len();
        out.try_resize(start + HEADER, 0)?;
        let WorldSettings { gravity, step_seconds, solver_rounds, stay_steps, far } = self.settings;
        out.try_extend_from_slice(bytemuck::bytes_of(&Fixed {
            gravity: gravity.to_array(),
            step_seconds,
            solver_rounds,
            stay_steps,
            far,
            steps: self.steps,
            has_lost_shapes: self.touches.has_lost_shapes.into(),
        }))?;
        put_table(out, &self.actors)?;
        put_table(out, &self.joints)?;
        put_table(out, &self.vehicles)?;
        put(out, bytemuck::cast_slice(&self.moved.list))?;
        put(out, bytemuck::cast_slice(&self.forced))?;
        put(out, bytemuck::cast_slice(&self.touches.list))?;
        put_serialized(out, &self.joint_changes)?;
        put_serialized(out, &self.controllers)?;
        put_serialized(out, &self.simulation)?;
        let length = (out.len() - start) as u64;
        let sum = checksum(&out[start + HEADER..]);
        let header = &mut out[start..start + HEADER];
        header[..4].copy_from_slice(&MAGIC.to_ne_bytes());
        header[4..8].copy_from_slice(&VERSION.to_ne_bytes());
        header[8..16].copy_from_slice(&length.to_ne_bytes());
        header[16..].copy_from_slice(&sum.to_ne_bytes());
        Ok(())
    }
}

impl<'a, A: Allocator + ?Sized> PhysicsWorld<'a, A> {
    /// Makes a world from the bytes that another one has [saved](Self::save).
    ///
    /// Damage is found before anything is read. Bytes that were *forged* are not all found: load
    /// snapshots that your own program wrote.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`]: they are not such bytes, or there is no memory.
    pub fn load(bytes: &[u8], memory: &'a A) -> Result<Self, SnapshotError> {
        let mut source = Source::new(verified(bytes)?);
        let fixed: Fixed = source.plain("settings")?;
        let settings = WorldSettings {
            gravity: fixed.gravity.into(),
            step_seconds: fixed.step_seconds,
            solver_rounds: fixed.solver_rounds,
            stay_steps: fixed.stay_steps,
            far: fixed.far,
        };
        settings.check().map_err(|_| SnapshotError::Wrong { part: "settings" })?;
        let actors = table(source.part("actors")?, "actors", memory)?;
        let joints = table(source.part("joints")?, "joints", memory)?;
        let vehicles = table(source.part("vehicles")?, "vehicles", memory)?;
        let moved = Moved { list: ids(source.part("moved actors")?, "moved actors", memory)? };
        let forced = ids(source.part("forces")?, "forces", memory)?;
        let mut touches = Touches::new_in(memory);
        plain::<Touch, _>(source.part("touches")?, "touches", &mut touches.list)?;
        touches.has_lost_shapes = fixed.has_lost_shapes != 0;
        let joint_changes: JointChanges = serialized(source.part("joints")?, "joints")?;
        let controllers: Controllers = serialized(source.part("vehicles")?, "vehicles")?;
        let simulation: Simulation = serialized(source.part("simulation")?, "simulation's parts")?;
        source.end()?;
        let world = Self {
            simulation,
            actors,
            joints,
            joint_changes,
            vehicles,
            controllers,
            moved,
            touches,
            forced,
            made: Array::new_in(memory),
            events: EventStream::new_in(memory),
            settings,
            steps: fixed.steps,
        };
        world.check()?;
        Ok(world)
    }
}

/// Returns what is after the header, if the header says that it is whole.
fn verified(bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    let mut header = Source::new(bytes);
    let start: [u32; 2] = header.plain("header").map_err(|_| SnapshotError::Foreign)?;
    if start != [MAGIC, VERSION] {
        return Err(SnapshotError::Foreign);
    }
    let numbers: [u64; 2] = header.plain("header").map_err(|_| SnapshotError::Foreign)?;
    if numbers[0] != bytes.len() as u64 {
        return Err(SnapshotError::Length { expected: numbers[0], found: bytes.len() as u64 });
    }
    match checksum(&bytes[HEADER..]) == numbers[1] {
        true => Ok(&bytes[HEADER..]),
        false => Err(SnapshotError::Damaged),
    }
}

fn put_table<T: NoUninit, I: TableId, A: Allocator + ?Sized, B: Allocator + ?Sized>(
    out: &mut Array<'_, u8, B>,
    table: &HoleTable<'_, T, I, Lifo, Retire, A>,
) -> Result<(), SnapshotError> {
    let length = table.saved_len();
    out.try_extend_from_slice(&(length as u64).to_ne_bytes())?;
    let start = out.len();
    out.try_resize(start + length, 0)?;
    table.save(&mut out[start..]).map_err(|_| SnapshotError::Wrong { part: "tables" })
}

fn table<'a, T: AnyBitPattern, I: TableId, A: Allocator + ?Sized>(
    bytes: &[u8],
    part: &'static str,
    memory: &'a A,
) -> Result<HoleTable<'a, T, I, Lifo, Retire, A>, SnapshotError> {
    HoleTable::restore_in(bytes, memory).map_err(|error| match error.refused {
        Some(bytes) => SnapshotError::Memory { bytes },
        None => SnapshotError::Wrong { part },
    })
}

fn ids<'a, I: TableId<Repr = u32>, A: Allocator + ?Sized>(
    bytes: &[u8],
    part: &'static str,
    memory: &'a A,
) -> Result<Array<'a, I, A>, SnapshotError> {
    let mut list = Array::new_in(memory);
    let mut rest = Source::new(bytes);
    while !rest.is_empty() {
        let bits: u32 = rest.plain(part)?;
        list.try_push(I::checked(bits.into()).ok_or(SnapshotError::Wrong { part })?)?;
    }
    Ok(list)
}

fn plain<T: AnyBitPattern, A: Allocator + ?Sized>(
    bytes: &[u8],
    part: &'static str,
    list: &mut Array<'_, T, A>,
) -> Result<(), SnapshotError> {
    let mut rest = Source::new(bytes);
    while !rest.is_empty() {
        list.try_push(rest.plain(part)?)?;
    }
    Ok(())
}

fn put_serialized<A: Allocator + ?Sized>(
    out: &mut Array<'_, u8, A>,
    value: &impl Serialize,
) -> Result<(), SnapshotError> {
    let start = out.len();
    out.try_resize(start + 8, 0)?;
    let mut sink = bytes::Sink { out, refused: None };
    let written = postcard::serialize_with_flavor(value, &mut sink);
    if let Some(error) = sink.refused {
        return Err(error.into());
    }
    written.map_err(|_| SnapshotError::Wrong { part: "simulation's parts" })?;
    let length = (out.len() - start - 8) as u64;
    out[start..start + 8].copy_from_slice(&length.to_ne_bytes());
    Ok(())
}

fn serialized<'b, T: Deserialize<'b>>(
    bytes: &'b [u8],
    part: &'static str,
) -> Result<T, SnapshotError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(SnapshotError::Wrong { part }),
    }
}
