//! The manager of the component `actor`: which actor an entity has.

use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity, Pose};
use loligo_interface::{Places, SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::{RAPIER, said};
use crate::actor::{ActorDescription, ActorId, Shape};
use crate::component::{ACTOR, ActorSource};
use crate::settings::{ActorKind, ActorTemplate, Settings, ShapeTemplate};
use crate::world::PhysicsWorld;
use crate::world_settings::WorldSettings;

/// The words of a component.
const WORDS: usize = size_of::<ActorSource>() / 4;

/// What moves further than this in a step was put there, and pushes nothing on its way, in metres.
const LEAP: f32 = 2.0;

/// An entity whose actor is made in the next update, when it is somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pending {
    pub(crate) entity: Entity,
    pub(crate) has_parent: bool,
    pub(crate) source: ActorSource,
}

/// The actors of entities.
///
/// # Invariants
///
/// 1. `owners` has the actor of each entity that has one, at the index of the entity, with the
///    entity's bits; nothing elsewhere.
pub(crate) struct Bodies<'m> {
    pub(crate) world: PhysicsWorld<'m, SubsystemMemory<'m>>,
    pub(crate) owners: Array<'m, Option<(Entity, ActorId)>, SubsystemMemory<'m>>,
    pub(crate) pending: Array<'m, Pending, SubsystemMemory<'m>>,
}

impl<'m> Bodies<'m> {
    pub(crate) fn try_new(memory: SharedRef<'m>) -> Result<Self, SubsystemError> {
        let world = PhysicsWorld::new_in(WorldSettings::default(), memory).map_err(said)?;
        Ok(Self { world, owners: Array::new_in(memory), pending: Array::new_in(memory) })
    }

    pub(crate) const fn memory(&self) -> SharedRef<'m> {
        self.pending.memory()
    }

    /// Returns the actor of an entity. O(1).
    pub(crate) fn find(&self, entity: Entity) -> Option<ActorId> {
        let (owner, actor) = (*self.owners.get(entity.index() as usize)?)?;
        (owner == entity).then_some(actor)
    }

    /// Makes the actors of entities that are new, where these are.
    pub(crate) fn prepare(
        &mut self,
        assets: &Assets<'_>,
        places: &dyn Places,
    ) -> Result<(), SubsystemError> {
        let mut made = Ok(());
        for at in 0..self.pending.len() {
            let pending = self.pending[at];
            made = made.and(self.make(&pending, assets, places));
        }
        self.pending.clear();
        made
    }

    fn make(
        &mut self,
        pending: &Pending,
        assets: &Assets<'_>,
        places: &dyn Places,
    ) -> Result<(), SubsystemError> {
        let wrong = |what, remedy| SubsystemError::Wrong { what, remedy };
        let source = &pending.source;
        let settings = assets
            .settings()
            .ok_or(wrong("there are actors and no settings of physics", "write `game.physics`"))?;
        let template = template_of(&settings, source.template);
        let pose = pose_of(pending, template.kind, places)?;
        let missing =
            wrong("an actor has no collision that is loaded", "compile the project again");
        let name = source.collision.name().ok_or(missing)?;
        let collision = assets.collision(name).ok_or(missing)?;
        let mut shapes = Array::new_in(self.memory());
        let mut is_continuous = false;
        for part in collision.parts() {
            let of = settings.shape(part.template).ok_or(wrong(
                "a shape has a template that the settings do not have",
                "compile the project again",
            ))?;
            is_continuous |= of.has(ShapeTemplate::CONTINUOUS);
            let pose = Pose { position: part.position, rotation: part.rotation, scale: Vec3::ONE };
            shapes.try_push(Shape {
                pose,
                filter: of.filter,
                surface: of.surface,
                is_trigger: of.has(ShapeTemplate::TRIGGER),
                sends_touches: !of.has(ShapeTemplate::SILENT),
                ..Shape::new(part.geometry)
            })?;
        }
        let description = ActorDescription {
            entity: Some(pending.entity),
            velocity: source.velocity.into(),
            turning: source.spin.into(),
            mass: (template.mass > 0.0).then_some(template.mass),
            gravity_scale: template.gravity_scale,
            damping: template.linear_damping,
            turning_damping: template.angular_damping,
            is_continuous,
            is_asleep: template.has(ActorTemplate::ASLEEP),
            is_sleepless: template.has(ActorTemplate::SLEEPLESS),
            ..ActorDescription::new(template.kind, pose, &shapes)
        };
        let index = pending.entity.index() as usize;
        if index >= self.owners.len() {
            self.owners.try_resize(index + 1, None)?;
        }
        let id = self.world.create_actor(&description).map_err(said)?;
        self.owners[index] = Some((pending.entity, id));
        match source.is_disabled {
            0 => Ok(()),
            _ => self.world.set_enabled(id, false).map_err(said),
        }
    }

    /// Has kinematic actors be where their entities are.
    pub(crate) fn follow(&mut self, places: &dyn Places) -> Result<(), SubsystemError> {
        let Self { world, owners, .. } = self;
        for (entity, id) in owners.iter().flatten() {
            if world.kind(*id) == Ok(ActorKind::Kinematic)
                && let Some(pose) = places.pose(*entity)
            {
                let here = world.pose(*id).map_err(said)?;
                let way = here.position.distance(pose.position);
                let followed = match way > LEAP {
                    true => world.teleport(*id, &pose),
                    false if way > 0.0 || here.rotation != pose.rotation => {
                        world.move_to(*id, &pose)
                    }
                    false => Ok(()),
                };
                followed.map_err(said)?;
            }
        }
        Ok(())
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
}

/// Returns the template of a name; without one, something dynamic.
fn template_of(settings: &Settings<'_>, name: u32) -> ActorTemplate {
    let name = loligo_ids::IdString32::from_hash(name);
    settings.actor(name).unwrap_or(ActorTemplate {
        name,
        kind: ActorKind::Dynamic,
        flags: 0,
        mass: 0.0,
        linear_damping: 0.0,
        angular_damping: 0.0,
        gravity_scale: 1.0,
    })
}

/// Returns where an entity is in the world.
fn pose_of(
    pending: &Pending,
    kind: ActorKind,
    places: &dyn Places,
) -> Result<Pose, SubsystemError> {
    let pose = match pending.has_parent {
        false => places.pose(pending.entity),
        true if kind == ActorKind::Static => places.matrix(pending.entity).map(|matrix| {
            let (scale, rotation, position) = matrix.to_scale_rotation_translation();
            Pose { position, rotation, scale }
        }),
        true => {
            return Err(SubsystemError::Wrong {
                what: "an entity with a parent has an actor that moves",
                remedy: "make it an entity without a parent, or its actor static",
            });
        }
    };
    pose.ok_or(SubsystemError::Wrong {
        what: "an entity with an actor has no transform",
        remedy: "give it the component `transform`",
    })
}

impl ComponentManager for Bodies<'_> {
    fn component(&self) -> ComponentType {
        ACTOR
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (sources, rest) = batch.data().as_chunks::<WORDS>();
        if sources.len() != batch.len() || !rest.is_empty() {
            return Err(ComponentError::data(batch.len(), "the data are not actors"));
        }
        self.pending.try_reserve(batch.len() * batch.copies())?;
        for copy in 0..batch.copies() {
            for (at, (entity, words)) in batch.owners(copy).zip(sources).enumerate() {
                let source: ActorSource = bytemuck::cast(*words);
                let has_parent = batch.parent(copy, at).is_some();
                self.pending.try_push(Pending { entity, has_parent, source })?;
            }
        }
        Ok(())
    }

    fn remove(&mut self, entities: &[Entity]) {
        for entity in entities.iter().rev() {
            self.pending.retain(|pending| pending.entity != *entity);
            let Some(id) = self.find(*entity) else { continue };
            self.owners[entity.index() as usize] = None;
            let _ = RAPIER.run(|| self.world.destroy_actor(id));
        }
    }
}
