//! The manager of the component `actor`: which actor an entity has.

use bytemuck::{Pod, Zeroable};
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::saved::{TORN, Words, Writer, of_snapshot};
use super::{RAPIER, said};
use crate::actor::ActorId;
use crate::component::{ACTOR, ActorSource};
use crate::settings::ActorKind;
use crate::world::PhysicsWorld;
use crate::world_settings::WorldSettings;

mod making;
mod placing;
mod renewing;
mod reshaping;

pub(crate) use making::{shape_of, template_of};
pub(crate) use placing::world_pose;

/// The words of a component.
const WORDS: usize = size_of::<ActorSource>() / 4;

/// How many static actors one update makes at the most. The rest waits, and what was spawned with it
/// or after it and moves waits as well: it would fall through what is not there yet.
pub const STATIC_ACTORS_AN_UPDATE: usize = 512;

/// An entity whose actor is made in an update, when it is somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Pending {
    /// The bits of the entity.
    pub(crate) entity: u32,
    /// Whether it has a parent.
    pub(crate) has_parent: u32,
    pub(crate) source: ActorSource,
}

/// What is remembered of an entity that has an actor, or waits for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Owner {
    pub(crate) entity: Entity,
    /// Its actor; none while it waits.
    pub(crate) actor: Option<ActorId>,
    /// What it was made of, for settings that change.
    pub(crate) template: u32,
    pub(crate) collision: [u32; 2],
}

/// The actors of entities.
///
/// # Invariants
///
/// 1. `owners` has, at the index of an entity, that entity with its actor if it has one, without one if
///    it is in `pending`; nothing elsewhere.
/// 2. The first `sorted` of `pending` are in the order in which they are made.
/// 3. `parented` has the entities whose actor the world moves and that had a parent when it was made,
///    by ascending bits.
/// 4. `followers` has the entities whose actor is kinematic, by ascending bits.
pub(crate) struct Bodies<'m> {
    pub(crate) world: PhysicsWorld<'m, SubsystemMemory<'m>>,
    pub(crate) owners: Array<'m, Option<Owner>, SubsystemMemory<'m>>,
    pub(crate) pending: Array<'m, Pending, SubsystemMemory<'m>>,
    pub(crate) sorted: usize,
    pub(crate) parented: Array<'m, Entity, SubsystemMemory<'m>>,
    pub(crate) followers: Array<'m, Entity, SubsystemMemory<'m>>,
}

impl<'m> Bodies<'m> {
    pub(crate) fn try_new(memory: SharedRef<'m>) -> Result<Self, SubsystemError> {
        let world = PhysicsWorld::new_in(WorldSettings::default(), memory).map_err(said)?;
        Ok(Self::of(world, memory))
    }

    const fn of(world: PhysicsWorld<'m, SubsystemMemory<'m>>, memory: SharedRef<'m>) -> Self {
        Self {
            world,
            owners: Array::new_in(memory),
            pending: Array::new_in(memory),
            sorted: 0,
            parented: Array::new_in(memory),
            followers: Array::new_in(memory),
        }
    }

    pub(crate) const fn memory(&self) -> SharedRef<'m> {
        self.pending.memory()
    }

    /// Returns the actor of an entity. O(1).
    pub(crate) fn find(&self, entity: Entity) -> Option<ActorId> {
        self.owner(entity)?.actor
    }

    /// Returns `true` if an entity will have an actor, and has none yet. O(1).
    pub(crate) fn is_waiting(&self, entity: Entity) -> bool {
        self.owner(entity).is_some_and(|owner| owner.actor.is_none())
    }

    fn owner(&self, entity: Entity) -> Option<&Owner> {
        let owner = self.owners.get(entity.index() as usize)?.as_ref()?;
        (owner.entity == entity).then_some(owner)
    }

    /// Returns a hash of what is where and how it moves.
    pub(crate) fn hash(&self, time: u64) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64 ^ time;
        let mut mix = |number: f32| {
            hash = (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0000_0100_0000_01B3);
        };
        for id in self.world.actors() {
            let Ok(pose) = self.world.pose(id) else { continue };
            pose.position.to_array().into_iter().for_each(&mut mix);
            pose.rotation.to_array().into_iter().for_each(&mut mix);
            for vector in [self.world.velocity(id), self.world.turning(id)].into_iter().flatten() {
                vector.to_array().into_iter().for_each(&mut mix);
            }
        }
        hash
    }

    /// Appends what waits, who has which actor, and the world, which is last.
    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        out.word(self.sorted as u32)?;
        out.list(&self.pending)?;
        let owners = self.owners.iter().flatten();
        out.word(owners.clone().filter(|owner| owner.actor.is_some()).count() as u32)?;
        for owner in owners {
            let Some(actor) = owner.actor else { continue };
            let [low, high] = owner.collision;
            for word in [owner.entity.to_bits(), actor.to_bits(), owner.template, low, high] {
                out.word(word)?;
            }
        }
        out.word(self.parented.len() as u32)?;
        for entity in &self.parented {
            out.word(entity.to_bits())?;
        }
        self.world.save(out.out).map_err(of_snapshot)
    }

    /// Reads what was saved, to the end.
    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let sorted = from.word()? as usize;
        let pending = from.list::<Pending>(memory)?;
        if sorted > pending.len() {
            return Err(TORN);
        }
        let mut owners = Array::new_in(memory);
        for _ in 0..from.count(5)? {
            let (entity, actor) = (from.entity()?, ActorId::from_bits(from.word()?).ok_or(TORN)?);
            let (template, collision) = (from.word()?, [from.word()?, from.word()?]);
            let owner = Owner { entity, actor: Some(actor), template, collision };
            put_owner(&mut owners, owner)?;
        }
        for pending in &pending {
            let entity = Entity::from_bits(pending.entity).ok_or(TORN)?;
            put_owner(&mut owners, Owner::waiting(entity, &pending.source))?;
        }
        let mut parented = Array::new_in(memory);
        for _ in 0..from.count(1)? {
            parented.try_push(from.entity()?)?;
        }
        let world = PhysicsWorld::load(from.bytes, memory).map_err(of_snapshot)?;
        let is_right = |owner: &Owner| {
            owner.actor.is_none_or(|actor| world.entity(actor) == Ok(Some(owner.entity)))
        };
        if !owners.iter().flatten().all(is_right) || !parented.is_sorted_by(|a, b| a < b) {
            return Err(TORN);
        }
        let mut followers = Array::new_in(memory);
        for owner in owners.iter().flatten() {
            let is_kinematic = |actor| world.kind(actor) == Ok(ActorKind::Kinematic);
            if owner.actor.is_some_and(is_kinematic) {
                followers.try_push(owner.entity)?;
            }
        }
        followers.sort_unstable();
        Ok(Self { owners, pending, sorted, parented, followers, ..Self::of(world, memory) })
    }
}

impl Owner {
    pub(crate) const fn waiting(entity: Entity, source: &ActorSource) -> Self {
        let collision = [source.collision.low, source.collision.high];
        Self { entity, actor: None, template: source.template, collision }
    }
}

/// Adds an owner that was saved; each is there once.
fn put_owner<'m>(
    owners: &mut Array<'m, Option<Owner>, SubsystemMemory<'m>>,
    owner: Owner,
) -> Result<(), SubsystemError> {
    let index = owner.entity.index() as usize;
    if index >= owners.len() {
        owners.try_resize(index + 1, None)?;
    }
    match owners[index].replace(owner) {
        Some(_) => Err(TORN),
        None => Ok(()),
    }
}

impl ComponentManager for Bodies<'_> {
    fn component(&self) -> ComponentType {
        ACTOR
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (sources, rest) = batch.data().as_chunks::<WORDS>();
        if sources.len() != batch.total() || !rest.is_empty() {
            return Err(ComponentError::data(batch.total(), "the data are not actors"));
        }
        let sources = &sources[batch.first()..][..batch.len()];
        self.pending.try_reserve(batch.len() * batch.copies())?;
        let last =
            (0..batch.copies()).flat_map(|copy| batch.owners(copy)).map(|of| of.index()).max();
        let wanted = last.map_or(0, |last| last as usize + 1);
        if wanted > self.owners.len() {
            self.owners.try_resize(wanted, None)?;
        }
        for copy in 0..batch.copies() {
            for (at, (entity, words)) in batch.owners(copy).zip(sources).enumerate() {
                let source: ActorSource = bytemuck::cast(*words);
                let has_parent = batch.parent(copy, at).is_some().into();
                // There is room.
                self.pending.try_push(Pending { entity: entity.to_bits(), has_parent, source })?;
                self.owners[entity.index() as usize] = Some(Owner::waiting(entity, &source));
            }
        }
        Ok(())
    }

    fn remove(&mut self, entities: &[Entity]) {
        let mut have_waited = false;
        for entity in entities.iter().rev() {
            let Some(owner) = self.owner(*entity).copied() else { continue };
            self.owners[entity.index() as usize] = None;
            match owner.actor {
                Some(id) => {
                    let _ = RAPIER.run(|| self.world.destroy_actor(id));
                    for list in [&mut self.parented, &mut self.followers] {
                        if let Ok(at) = list.binary_search(entity) {
                            list.remove(at);
                        }
                    }
                }
                None => have_waited = true,
            }
        }
        if have_waited {
            self.forget_pending();
        }
    }

    fn takes_parts(&self) -> bool {
        true
    }
}
