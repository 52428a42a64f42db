//! The manager of the component `joint`: what joins the actors of two entities.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity, Pose};
use loligo_ids::IdString32;
use loligo_interface::SubsystemError;

use super::bodies::Bodies;
use super::records::Records;
use super::said;
use super::saved::{Words, Writer};
use crate::actor::ActorId;
use crate::component::{JOINT, JointForm, JointSource};
use crate::error::PhysicsError;
use crate::joint::{JointDescription, JointId, JointKind, Motor};

/// The words of a component.
const WORDS: usize = size_of::<JointSource>() / 4;

/// A joint of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct JointRecord {
    /// The bits of the other entity; 0 if there is none of that name, or no parent.
    other: u32,
    /// The bits of the id of the joint; 0 before it is made.
    joint: u32,
    source: JointSource,
}

/// The joints of entities. A joint goes with the actor of either entity, which the world sees to.
pub(crate) struct Joints<'m> {
    records: Records<'m, JointRecord>,
    /// How many may have no joint yet.
    waiting: usize,
}

impl<'m> Joints<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self { records: Records::new_in(memory), waiting: 0 }
    }

    /// Returns the joint of an entity, if both of its actors are there.
    pub(crate) fn find(&self, entity: Entity, bodies: &Bodies<'_>) -> Option<JointId> {
        let id = JointId::from_bits(self.records.get(entity)?.joint)?;
        bodies.world.contains_joint(id).then_some(id)
    }

    /// Makes the joints whose actors are there. One that cannot be made is dropped.
    pub(crate) fn prepare(&mut self, bodies: &mut Bodies<'_>) -> Result<(), SubsystemError> {
        if self.waiting == 0 {
            return Ok(());
        }
        let (mut made, mut waiting) = (Ok(()), 0);
        self.records.map.retain(|bits, record| {
            if record.joint != 0 {
                return true;
            }
            let Some(entity) = Entity::from_bits(*bits) else { return false };
            match make(entity, record, bodies) {
                Ok(Some(id)) => record.joint = id.to_bits(),
                Ok(None) => waiting += 1,
                Err(error) => {
                    made = made.and(Err(error));
                    return false;
                }
            }
            true
        });
        self.waiting = waiting;
        made
    }

    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        self.records.save(out)
    }

    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let records: Records<'_, JointRecord> = Records::load(from, memory)?;
        let waiting = records.map.values().iter().filter(|record| record.joint == 0).count();
        Ok(Self { records, waiting })
    }
}

/// Makes a joint; nothing while one of its actors waits to be made.
fn make(
    entity: Entity,
    record: &JointRecord,
    bodies: &mut Bodies<'_>,
) -> Result<Option<JointId>, SubsystemError> {
    let wrong = |what, remedy| SubsystemError::Wrong { what, remedy };
    let source = &record.source;
    let kind = source.kind().ok_or(wrong("a joint is of no kind", "compile it again"))?;
    let Some(other) = Entity::from_bits(record.other) else {
        return Err(match source.other {
            0 => wrong(
                "an entity has a joint without `other`, and no parent that it could be joined to",
                "name an entity of the same source under `other`",
            ),
            _ => wrong(
                "`other` of a joint names an entity that its source does not have",
                "correct the name; it is that of an entity of the same source",
            ),
        });
    };
    if bodies.is_waiting(entity) || bodies.is_waiting(other) {
        return Ok(None);
    }
    let own = bodies.find(entity).ok_or(wrong(
        "an entity has a joint and no actor",
        "give it the component `actor` as well, or remove `joint`",
    ))?;
    let partner = bodies.find(other).ok_or(wrong(
        "`other` of a joint is an entity without an actor",
        "give that entity the component `actor`, or name another",
    ))?;
    let frames = frames_of(source, [partner, own], bodies).map_err(said)?;
    let is_driven = source.has(JointSource::HAS_MOTOR);
    let description = JointDescription {
        limits: source.has(JointSource::HAS_LIMITS).then_some(source.limits),
        motor: is_driven.then(|| motor_of(source)),
        collides: source.has(JointSource::COLLIDES),
        ..JointDescription::new(kind_of(kind, source), [partner, own], frames)
    };
    match bodies.world.create_joint(&description) {
        Ok(id) => Ok(Some(id)),
        Err(PhysicsError::Kind { .. }) => Err(wrong(
            "a joint is between two actors that do not move by themselves",
            "make one of them dynamic",
        )),
        Err(error) => Err(said(error)),
    }
}

/// Returns the frames of a joint in the spaces of its partner and its own actor.
fn frames_of(
    source: &JointSource,
    [partner, own]: [ActorId; 2],
    bodies: &Bodies<'_>,
) -> Result<[Pose; 2], PhysicsError> {
    let (there, here) = (bodies.world.pose(partner)?, bodies.world.pose(own)?);
    let frame = |position: [f32; 3], rotation, scale| Pose {
        position: Vec3::from_array(position) * scale,
        rotation: Quat::from_array(rotation),
        scale: Vec3::ONE,
    };
    let own = frame(source.position, source.rotation, here.scale);
    let other = match source.has(JointSource::HAS_OTHER_FRAME) {
        true => frame(source.other_position, source.other_rotation, there.scale),
        false => {
            let back = there.rotation.inverse();
            let at = here.position + here.rotation * own.position;
            Pose {
                position: back * (at - there.position),
                rotation: (back * here.rotation * own.rotation).normalize(),
                scale: Vec3::ONE,
            }
        }
    };
    Ok([other, own])
}

fn kind_of(kind: JointForm, source: &JointSource) -> JointKind {
    match kind {
        JointForm::Fixed => JointKind::Fixed,
        JointForm::Hinge => JointKind::Hinge,
        JointForm::Slider => JointKind::Slider,
        JointForm::Ball => JointKind::Ball,
        JointForm::Spring => JointKind::Spring {
            rest: source.length.max(1e-4),
            stiffness: source.stiffness,
            damping: source.damping,
        },
    }
}

fn motor_of(source: &JointSource) -> Motor {
    Motor {
        speed: source.speed,
        place: source.target,
        stiffness: if source.has(JointSource::HAS_TARGET) { source.stiffness } else { 0.0 },
        damping: source.damping,
        force_max: if source.force > 0.0 { source.force } else { f32::MAX },
    }
}

impl ComponentManager for Joints<'_> {
    fn component(&self) -> ComponentType {
        JOINT
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (sources, rest) = batch.data().as_chunks::<WORDS>();
        if sources.len() != batch.len() || !rest.is_empty() {
            return Err(ComponentError::data(batch.len(), "the data are not joints"));
        }
        self.records.spawn(batch, |copy, at| {
            let source: JointSource = bytemuck::cast(sources[at]);
            let other = match source.other {
                0 => batch.parent(copy, at),
                name => batch.find(copy, at, IdString32::from_hash(name)),
            };
            JointRecord { other: other.map_or(0, Entity::to_bits), joint: 0, source }
        })?;
        self.waiting += batch.len() * batch.copies();
        Ok(())
    }

    fn remove(&mut self, entities: &[Entity]) {
        self.records.remove(entities);
    }
}
