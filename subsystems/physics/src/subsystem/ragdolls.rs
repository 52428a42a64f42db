//! The manager of the component `ragdoll`: bones of characters that physics moves, from where the
//! animation lets go of them until they are dropped.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};
use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_entities::{Batch, ComponentError, ComponentManager, ComponentType, Entity, Pose};
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::assets::Assets;
use super::bodies::{Bodies, shape_of, template_of};
use super::messages::{BoneMoved, HoldBone};
use super::records::Records;
use super::said;
use super::saved::{Words, Writer};
use crate::actor::{ActorDescription, ActorId, Shape};
use crate::component::{JointForm, RAGDOLL, RagdollSource};
use crate::error::PhysicsError;
use crate::joint::{JointDescription, JointKind};
use crate::ragdoll::{HAS_LIMITS, HAS_REST, RagdollBone};
use crate::settings::{ActorKind, Settings};

/// The words of a component.
const WORDS: usize = size_of::<RagdollSource>() / 4;

/// A bone that physics moves.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct BoneRecord {
    /// The bits of the entity.
    entity: u32,
    /// The hash of its name.
    bone: u32,
    /// The bits of the id of its actor.
    actor: u32,
    /// The bits of the id of the joint to its parent; 0 without one.
    joint: u32,
}

/// The ragdolls of a game.
pub(crate) struct Ragdolls<'m> {
    records: Records<'m, RagdollSource>,
    /// The bones that are held, in the order in which they were asked for.
    bones: Array<'m, BoneRecord, SubsystemMemory<'m>>,
    /// The bones that are to be held from the next update on.
    asked: Array<'m, HoldBone, SubsystemMemory<'m>>,
    /// The actors of bones whose entities are gone: there is room for all.
    gone: Array<'m, u32, SubsystemMemory<'m>>,
}

impl<'m> Ragdolls<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            records: Records::new_in(memory),
            bones: Array::new_in(memory),
            asked: Array::new_in(memory),
            gone: Array::new_in(memory),
        }
    }

    /// Returns `true` if an entity has a ragdoll.
    pub(crate) fn has(&self, entity: Entity) -> bool {
        self.records.get(entity).is_some()
    }

    /// Returns `true` if physics moves bones of an entity, or will from the next update on.
    pub(crate) fn is_held(&self, entity: Entity) -> bool {
        let bits = entity.to_bits();
        self.bones.iter().any(|bone| bone.entity == bits)
            || self.asked.iter().any(|asked| asked.entity == bits)
    }

    /// Returns the actor of a bone that is held.
    pub(crate) fn find(&self, entity: Entity, bone: IdString32) -> Option<ActorId> {
        let key = (entity.to_bits(), bone.hash());
        let found = self.bones.iter().find(|held| (held.entity, held.bone) == key)?;
        ActorId::from_bits(found.actor)
    }

    /// Calls `each` with the resources that entities need.
    pub(crate) fn needs(&self, each: &mut dyn FnMut(IdString64)) {
        self.records.map.values().iter().filter_map(|of| of.ragdoll.name()).for_each(each);
    }

    pub(crate) fn hold(&mut self, bone: HoldBone) -> Result<(), SubsystemError> {
        Ok(self.asked.try_push(bone)?)
    }

    /// Lets go of all bones of an entity.
    pub(crate) fn drop_bones(&mut self, entity: u32, bodies: &mut Bodies<'_>) {
        self.asked.retain(|asked| asked.entity != entity);
        self.bones.retain(|bone| {
            if bone.entity == entity
                && let Some(id) = ActorId::from_bits(bone.actor)
            {
                // It is gone with its joints.
                let _ = bodies.world.destroy_actor(id);
            }
            bone.entity != entity
        });
    }

    /// Makes the bodies of bones that were asked for, or puts them elsewhere, and joins them.
    pub(crate) fn prepare(
        &mut self,
        assets: &Assets<'_>,
        bodies: &mut Bodies<'_>,
    ) -> Result<(), SubsystemError> {
        for bits in self.gone.drain(..) {
            if let Some(id) = ActorId::from_bits(bits) {
                let _ = bodies.world.destroy_actor(id);
            }
        }
        if self.asked.is_empty() {
            return Ok(());
        }
        let settings = assets.settings();
        let mut done = Ok(());
        for at in 0..self.asked.len() {
            let asked = self.asked[at];
            done = done.and(self.hold_one(&asked, settings.as_ref(), assets, bodies));
        }
        self.asked.clear();
        for at in 0..self.bones.len() {
            done = done.and(self.join(at, assets, bodies));
        }
        done
    }

    fn hold_one(
        &mut self,
        asked: &HoldBone,
        settings: Option<&Settings<'_>>,
        assets: &Assets<'_>,
        bodies: &mut Bodies<'_>,
    ) -> Result<(), SubsystemError> {
        let wrong = |what, remedy| SubsystemError::Wrong { what, remedy };
        // One that is gone needs no bones.
        let Some(entity) = Entity::from_bits(asked.entity) else { return Ok(()) };
        let record = self.records.get(entity).ok_or(wrong(
            "a bone of an entity without a ragdoll is to be held",
            "give the entity the component `ragdoll`",
        ))?;
        let missing = wrong("a ragdoll is not loaded", "compile the project again");
        let name = record.ragdoll.name().ok_or(missing)?;
        let ragdoll = assets.ragdoll(name).ok_or(missing)?;
        // Fingers and the like have no bodies.
        let name = IdString32::from_hash(asked.bone);
        let Some(index) = ragdoll.find(name) else { return Ok(()) };
        let settings = settings.ok_or(wrong(
            "there are ragdolls and no settings of physics",
            "write `game.physics`",
        ))?;
        let pose = Pose {
            position: Vec3::from_array(asked.at),
            rotation: Quat::from_array(asked.turn),
            scale: Vec3::ONE,
        };
        let (speed, spin) = (Vec3::from_array(asked.speed), Vec3::from_array(asked.spin));
        let world = &mut bodies.world;
        if let Some(id) = self.find(entity, name) {
            let moved = world.teleport(id, &pose);
            let moved = moved.and_then(|()| world.set_velocity(id, speed));
            return moved.and_then(|()| world.set_turning(id, spin)).map_err(of_bone);
        }
        let part = ragdoll.shape(index);
        let of = settings.shape(part.template).ok_or(wrong(
            "a bone has a template that the settings do not have",
            "compile the project again",
        ))?;
        let within = Pose { position: part.position, rotation: part.rotation, scale: Vec3::ONE };
        let shape = [shape_of(Shape { pose: within, ..Shape::new(part.geometry) }, &of)];
        let template = template_of(settings, ragdoll.actor().hash());
        let description = ActorDescription {
            entity: Some(entity),
            velocity: speed,
            turning: spin,
            gravity_scale: template.gravity_scale,
            damping: template.linear_damping,
            turning_damping: template.angular_damping,
            is_written: false,
            ..ActorDescription::new(ActorKind::Dynamic, pose, &shape)
        };
        // There is room for it here and among those that are gone, before it is made.
        self.bones.try_reserve(1)?;
        self.gone.try_reserve(self.bones.len() + 1)?;
        let actor = world.create_actor(&description).map_err(of_bone)?.to_bits();
        Ok(self.bones.try_push(BoneRecord {
            entity: asked.entity,
            bone: asked.bone,
            actor,
            joint: 0,
        })?)
    }

    /// Joins a bone to its parent, if both are held and are not joined yet.
    fn join(
        &mut self,
        at: usize,
        assets: &Assets<'_>,
        bodies: &mut Bodies<'_>,
    ) -> Result<(), SubsystemError> {
        let held = self.bones[at];
        let found = (held.joint == 0).then(|| {
            let entity = Entity::from_bits(held.entity)?;
            let ragdoll = assets.ragdoll(self.records.get(entity)?.ragdoll.name()?)?;
            let bone = &ragdoll.bones()[ragdoll.find(IdString32::from_hash(held.bone))?];
            let parent = ragdoll.bones().get(bone.parent as usize)?;
            Some((bone, self.find(entity, parent.name)?))
        });
        let (Some(Some((bone, parent))), Some(own)) = (found, ActorId::from_bits(held.actor))
        else {
            return Ok(());
        };
        let description = joint_of(bone, [parent, own], bodies).map_err(said)?;
        let id = bodies.world.create_joint(&description).map_err(said)?;
        self.bones[at].joint = id.to_bits();
        Ok(())
    }

    /// Sends where the bones are that have moved.
    pub(crate) fn send(&self, share: f32, bodies: &mut Bodies<'m>) -> Result<(), SubsystemError> {
        let mut sent = Ok(());
        for bone in &self.bones {
            let Some(id) = ActorId::from_bits(bone.actor) else { continue };
            if bodies.world.has_moved(id) != Ok(true) {
                continue;
            }
            let Ok(pose) = bodies.world.pose_between(id, share) else { continue };
            sent = sent.and(bodies.world.events_mut().try_push(BoneMoved {
                entity: bone.entity,
                bone: bone.bone,
                at: pose.position.to_array(),
                turn: pose.rotation.normalize().to_array(),
            }));
        }
        Ok(sent?)
    }

    pub(crate) fn save(&self, out: &mut Writer<'_, 'm>) -> Result<(), SubsystemError> {
        self.records.save(out)?;
        out.list(&self.bones)?;
        out.list(&self.asked)?;
        out.list(&self.gone)
    }

    pub(crate) fn load(
        from: &mut Words<'_>,
        memory: SharedRef<'m>,
    ) -> Result<Self, SubsystemError> {
        let records = Records::load(from, memory)?;
        let (bones, asked, mut gone) =
            (from.list(memory)?, from.list(memory)?, from.list::<u32>(memory)?);
        gone.try_reserve(bones.len())?;
        Ok(Self { records, bones, asked, gone })
    }
}

/// What a world refuses of a bone.
fn of_bone(error: PhysicsError) -> SubsystemError {
    match error {
        PhysicsError::Number { what, .. } => {
            SubsystemError::Wrong { what, remedy: "correct the numbers of the bone that is held" }
        }
        error => said(error),
    }
}

/// Returns the joint of a bone to its parent, which is at the bone's origin.
fn joint_of(
    bone: &RagdollBone,
    [parent, own]: [ActorId; 2],
    bodies: &Bodies<'_>,
) -> Result<JointDescription, PhysicsError> {
    let (there, here) = (bodies.world.pose(parent)?, bodies.world.pose(own)?);
    let back = there.rotation.inverse();
    let rest = match bone.flags & HAS_REST {
        0 => back * here.rotation,
        _ => Quat::from_array(bone.rest),
    };
    let turn = Quat::from_array(bone.turn);
    let frame = |position, rotation: Quat| Pose {
        position,
        rotation: rotation.normalize(),
        scale: Vec3::ONE,
    };
    let frames =
        [frame(back * (here.position - there.position), rest * turn), frame(Vec3::ZERO, turn)];
    let kind = match JointForm::of(bone.joint) {
        Some(JointForm::Hinge) => JointKind::Hinge,
        Some(JointForm::Ball) => JointKind::Ball,
        _ => JointKind::Fixed,
    };
    let limits = (bone.flags & HAS_LIMITS != 0).then_some(bone.limits);
    Ok(JointDescription { limits, ..JointDescription::new(kind, [parent, own], frames) })
}

impl ComponentManager for Ragdolls<'_> {
    fn component(&self) -> ComponentType {
        RAGDOLL
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let (sources, rest) = batch.data().as_chunks::<WORDS>();
        if sources.len() != batch.total() || !rest.is_empty() {
            return Err(ComponentError::data(batch.total(), "the data are not ragdolls"));
        }
        let sources = &sources[batch.first()..][..batch.len()];
        self.records.spawn(batch, |_, at| bytemuck::cast(sources[at]))
    }

    fn remove(&mut self, entities: &[Entity]) {
        if !self.bones.is_empty() || !self.asked.is_empty() {
            for entity in entities {
                let bits = entity.to_bits();
                self.asked.retain(|asked| asked.entity != bits);
                let gone = &mut self.gone;
                self.bones.retain(|bone| {
                    // There is room.
                    bone.entity != bits || gone.try_push(bone.actor).is_err()
                });
            }
        }
        self.records.remove(entities);
    }

    fn takes_parts(&self) -> bool {
        true
    }
}
