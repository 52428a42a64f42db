//! The manager of the component `mover`: characters that walk, fall and jump.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity};
use loligo_interface::SubsystemError;

use super::bodies::Bodies;
use super::records::Records;
use super::said;
use super::saved::{Words, Writer};
use crate::actor::ActorId;
use crate::component::{MOVER, MoverSource};
use crate::error::PhysicsError;
use crate::mover::Mover;
use crate::settings::ActorKind;

/// The words of a component.
const WORDS: usize = size_of::<MoverSource>() / 4;

/// A character.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MoverRecord {
    source: MoverSource,
    /// How it is to walk, in metres a second.
    pub(crate) walk: [f32; 3],
    /// How fast it rises, in metres a second; below 0 it falls.
    pub(crate) rise: f32,
    /// How it has moved in the last step, in metres a second.
    pub(crate) velocity: [f32; 3],
    /// The bits of the entity below its feet; 0 for none.
    pub(crate) ground: u32,
    /// [`GROUNDED`](Self::GROUNDED) and others.
    flags: u32,
}

impl MoverRecord {
    /// It is on the ground.
    const GROUNDED: u32 = 1;
    /// Its actor is known to be kinematic.
    const CHECKED: u32 = 2;

    pub(crate) const fn is_grounded(&self) -> bool {
        self.flags & Self::GROUNDED != 0
    }

    /// Takes its feet off the ground.
    pub(crate) const fn jump(&mut self, speed: f32) {
        self.rise = speed;
        self.flags &= !Self::GROUNDED;
    }
}

/// The characters of a game.
pub(crate) struct Movers<'m> {
    pub(crate) records: Records<'m, MoverRecord>,
}

impl<'m> Movers<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { records: Records::new_in(memory) }
    }

    /// Has all of them walk by the way of the next step. One whose actor cannot walk is dropped.
    pub(crate) fn step(&mut self, bodies: &mut Bodies<'_>) -> Result<(), SubsystemError> {
        let mut walked = Ok(());
        self.records.map.retain(|bits, record| {
            let Some(entity) = Entity::from_bits(*bits) else { return false };
            if bodies.is_waiting(entity) {
                return true;
            }
            match bodies.find(entity) {
                Some(id) => match walk(record, id, bodies) {
                    Ok(()) => true,
                    Err(error) => {
                        walked = walked.and(Err(error));
                        false
                    }
                },
                None => {
                    walked = walked.and(Err(SubsystemError::Wrong {
                        what: "an entity has a mover and no actor",
                        remedy: "give it the component `actor` as well, or remove `mover`",
                    }));
                    false
                }
            }
        });
        walked
    }

    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        self.records.save(out)
    }

    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        Ok(Self { records: Records::load(from, memory)? })
    }
}

fn walk(
    record: &mut MoverRecord,
    id: ActorId,
    bodies: &mut Bodies<'_>,
) -> Result<(), SubsystemError> {
    let world = &mut bodies.world;
    if record.flags & MoverRecord::CHECKED == 0 {
        if world.kind(id) != Ok(ActorKind::Kinematic) {
            return Err(SubsystemError::Wrong {
                what: "an entity has a mover, and its actor is not kinematic",
                remedy: "name a template of the kind `kinematic` in its component `actor`",
            });
        }
        world.set_written(id, true).map_err(said)?;
        record.flags |= MoverRecord::CHECKED;
    }
    if world.is_enabled(id) != Ok(true) {
        return Ok(());
    }
    let (gravity, seconds) = (world.settings().gravity, world.settings().step_seconds);
    let up = (-gravity).try_normalize().unwrap_or(Vec3::Y);
    record.rise -= gravity.length() * record.source.gravity_scale * seconds;
    let way = (Vec3::from_array(record.walk) + up * record.rise) * seconds;
    let mover = mover_of(&record.source, up, world.shape_filter(id, 0).map_err(said)?);
    let walked = world.walk(id, &mover, way).map_err(|error| match error {
        PhysicsError::Number { what, .. } => {
            SubsystemError::Wrong { what, remedy: "correct the component `mover`" }
        }
        error => said(error),
    })?;
    let is_stopped = walked.way.dot(up) < way.dot(up) * 0.5;
    if walked.is_grounded && record.rise < 0.0 || is_stopped && record.rise > 0.0 {
        record.rise = 0.0;
    }
    let ground = walked.ground.and_then(|ground| world.entity(ground).ok().flatten());
    record.ground = ground.map_or(0, Entity::to_bits);
    record.velocity = (walked.way / seconds).to_array();
    let grounded = if walked.is_grounded { MoverRecord::GROUNDED } else { 0 };
    record.flags = MoverRecord::CHECKED | grounded;
    Ok(())
}

fn mover_of(source: &MoverSource, up: Vec3, filter: crate::geometry::Filter) -> Mover {
    Mover {
        up,
        climb: source.climb.to_radians(),
        slide: source.slide.to_radians(),
        step_height: source.step_height,
        step_depth: source.step_depth,
        snap: source.snap,
        gap: source.gap,
        mass: source.mass,
        filter,
    }
}

impl ComponentManager for Movers<'_> {
    fn component(&self) -> ComponentType {
        MOVER
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (sources, rest) = batch.data().as_chunks::<WORDS>();
        if sources.len() != batch.total() || !rest.is_empty() {
            return Err(ComponentError::data(batch.total(), "the data are not movers"));
        }
        let sources = &sources[batch.first()..][..batch.len()];
        self.records.spawn(batch, |_, at| MoverRecord {
            source: bytemuck::cast(sources[at]),
            ..MoverRecord::zeroed()
        })
    }

    fn remove(&mut self, entities: &[Entity]) {
        self.records.remove(entities);
    }

    fn takes_parts(&self) -> bool {
        true
    }
}
