//! The state of a game's physics as bytes.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::Entity;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::bodies::{Bodies, Pending};
use crate::component::ActorSource;
use crate::world::{PhysicsWorld, SnapshotError};

/// The words of a component.
const WORDS: usize = size_of::<ActorSource>() / 4;

const WRONG: SubsystemError = SubsystemError::Wrong {
    what: "the state of the physics is torn",
    remedy: "save the game again",
};

fn said(error: SnapshotError) -> SubsystemError {
    match error {
        SnapshotError::Memory { bytes } => {
            SubsystemError::Grow(loligo_containers::GrowError::Memory { elements: 1, bytes })
        }
        _ => WRONG,
    }
}

/// Appends the state.
///
/// ```text
/// words | time: 2 | pending: count | entity | has a parent | component: 10 | .. |
/// the world
/// ```
pub(crate) fn save<'m>(
    bodies: &Bodies<'m>,
    time: u64,
    out: &mut Array<'m, u8, SubsystemMemory<'m>>,
) -> Result<(), SubsystemError> {
    let mut put = |word: u32| out.try_extend_from_slice(&word.to_ne_bytes());
    put(time as u32)?;
    put((time >> 32) as u32)?;
    put(bodies.pending.len() as u32)?;
    for pending in &bodies.pending {
        put(pending.entity.to_bits())?;
        put(pending.has_parent.into())?;
        bytemuck::cast::<_, [u32; WORDS]>(pending.source).into_iter().try_for_each(&mut put)?;
    }
    bodies.world.save(out).map_err(said)
}

/// Reads what was saved.
pub(crate) fn load<'m>(
    bytes: &[u8],
    memory: SharedRef<'m>,
) -> Result<(Bodies<'m>, u64), SubsystemError> {
    let mut bodies = Bodies::try_new(memory)?;
    if bytes.is_empty() {
        return Ok((bodies, 0));
    }
    let mut from = Words { bytes };
    let time = u64::from(from.word()?) | u64::from(from.word()?) << 32;
    for _ in 0..from.count()? {
        let entity = Entity::from_bits(from.word()?).ok_or(WRONG)?;
        let has_parent = from.word()? != 0;
        let mut words = [0; WORDS];
        for word in &mut words {
            *word = from.word()?;
        }
        let source: ActorSource = bytemuck::cast(words);
        bodies.pending.try_push(Pending { entity, has_parent, source })?;
    }
    bodies.world = PhysicsWorld::load(from.bytes, memory).map_err(said)?;
    for id in bodies.world.actors() {
        let entity = bodies.world.entity(id).ok().flatten().ok_or(WRONG)?;
        let index = entity.index() as usize;
        if index >= bodies.owners.len() {
            bodies.owners.try_resize(index + 1, None)?;
        }
        if bodies.owners[index].replace((entity, id)).is_some() {
            return Err(WRONG);
        }
    }
    Ok((bodies, time))
}

/// The words that are left.
struct Words<'b> {
    bytes: &'b [u8],
}

impl Words<'_> {
    fn word(&mut self) -> Result<u32, SubsystemError> {
        let (word, rest) = self.bytes.split_first_chunk().ok_or(WRONG)?;
        self.bytes = rest;
        Ok(u32::from_ne_bytes(*word))
    }

    /// Returns how many follow, of which each has a word at the least.
    fn count(&mut self) -> Result<usize, SubsystemError> {
        let count = self.word()? as usize;
        if count > self.bytes.len() / 4 { Err(WRONG) } else { Ok(count) }
    }
}
