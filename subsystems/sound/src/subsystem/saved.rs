//! The state of a game's sounds as bytes: components, the gains of buses, and the player's.

use bytemuck::Pod;
use loligo_allocators::SharedRef;
use loligo_containers::{Array, SortedMap};
use loligo_entities::Entity;
use loligo_ids::IdString32;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::emitters::Records;
use crate::player::StateError;

const TORN: SubsystemError = SubsystemError::Wrong {
    what: "the state of the sounds is torn",
    remedy: "save the game again",
};

pub(super) fn said(error: StateError) -> SubsystemError {
    match error {
        StateError::Memory(error) => SubsystemError::Grow(error),
        StateError::Torn => TORN,
    }
}

/// Appends records.
pub(super) fn save<'m, T: Pod>(
    records: &Records<'m, T>,
    out: &mut Array<'m, u8, SubsystemMemory<'m>>,
) -> Result<(), SubsystemError> {
    out.try_extend_from_slice(&(records.len() as u32).to_ne_bytes())?;
    for (entity, record) in records.iter() {
        out.try_extend_from_slice(&entity.to_ne_bytes())?;
        out.try_extend_from_slice(bytemuck::bytes_of(record))?;
    }
    Ok(())
}

/// Reads records, and takes them off the bytes.
pub(super) fn load<'m, T: Pod>(
    from: &mut &[u8],
    memory: SharedRef<'m>,
) -> Result<Records<'m, T>, SubsystemError> {
    let mut records = SortedMap::new_in(memory);
    for _ in 0..count::<T>(from)? {
        let entity = Entity::from_bits(take(from)?).ok_or(TORN)?;
        if records.try_insert(entity.to_bits(), take(from)?)?.is_some() {
            return Err(TORN);
        }
    }
    Ok(records)
}

/// Appends the gains of buses.
pub(super) fn save_gains<'m>(
    gains: &SortedMap<'m, IdString32, f32, SubsystemMemory<'m>>,
    out: &mut Array<'m, u8, SubsystemMemory<'m>>,
) -> Result<(), SubsystemError> {
    out.try_extend_from_slice(&(gains.len() as u32).to_ne_bytes())?;
    for (bus, gain) in gains.iter() {
        out.try_extend_from_slice(&bus.hash().to_ne_bytes())?;
        out.try_extend_from_slice(&gain.to_ne_bytes())?;
    }
    Ok(())
}

/// Reads the gains of buses, and takes them off the bytes.
pub(super) fn load_gains<'m>(
    from: &mut &[u8],
    memory: SharedRef<'m>,
) -> Result<SortedMap<'m, IdString32, f32, SubsystemMemory<'m>>, SubsystemError> {
    let mut gains = SortedMap::new_in(memory);
    for _ in 0..count::<f32>(from)? {
        let (bus, gain) = (IdString32::from_hash(take(from)?), take::<f32>(from)?);
        if !(0.0..=256.0).contains(&gain) || gains.try_insert(bus, gain)?.is_some() {
            return Err(TORN);
        }
    }
    Ok(gains)
}

fn take<T: Pod>(from: &mut &[u8]) -> Result<T, SubsystemError> {
    let (taken, rest) = from.split_at_checked(size_of::<T>()).ok_or(TORN)?;
    *from = rest;
    Ok(bytemuck::pod_read_unaligned(taken))
}

/// Returns how many records follow, each with a word before it.
fn count<T>(from: &mut &[u8]) -> Result<u32, SubsystemError> {
    let count = take::<u32>(from)?;
    if count as usize > from.len() / (size_of::<T>() + 4) { Err(TORN) } else { Ok(count) }
}
