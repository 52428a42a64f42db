//! What the simulation keeps of ours at its bodies and shapes: ids as bits, and how its own ids are
//! stored in records.

use loligo_entities::Pose;
use rapier3d::prelude::{ColliderHandle, Pose as Placement, RigidBodyHandle};

use crate::actor::{ActorId, Place};

/// What is known of a shape without a look at its actor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShapeMark {
    /// The bits of the actor's id.
    pub(crate) actor: u32,
    /// The shape's index among those of the actor.
    pub(crate) shape: u32,
    /// The material's hash.
    pub(crate) material: u32,
    /// The bits of the entity.
    pub(crate) entity: u32,
}

impl ShapeMark {
    pub(crate) fn pack(self) -> u128 {
        [self.entity, self.material, self.shape, self.actor]
            .into_iter()
            .fold(0, |bits, word| bits << 32 | u128::from(word))
    }

    pub(crate) const fn unpack(bits: u128) -> Self {
        Self {
            actor: bits as u32,
            shape: (bits >> 32) as u32,
            material: (bits >> 64) as u32,
            entity: (bits >> 96) as u32,
        }
    }
}

/// Returns the id in the mark of a body.
pub(crate) fn actor_of(bits: u128) -> Option<ActorId> {
    ActorId::from_bits(bits as u32)
}

pub(crate) fn body(parts: [u32; 2]) -> RigidBodyHandle {
    RigidBodyHandle::from_raw_parts(parts[0], parts[1])
}

pub(crate) fn body_parts(handle: RigidBodyHandle) -> [u32; 2] {
    handle.into_raw_parts().into()
}

pub(crate) fn collider(parts: [u32; 2]) -> ColliderHandle {
    ColliderHandle::from_raw_parts(parts[0], parts[1])
}

pub(crate) fn collider_parts(handle: ColliderHandle) -> [u32; 2] {
    handle.into_raw_parts().into()
}

pub(crate) fn placement(pose: &Pose) -> Placement {
    Placement::from_parts(pose.position, pose.rotation)
}

pub(crate) fn place(placement: &Placement) -> Place {
    Place::new(placement.translation, placement.rotation)
}
