//! What becomes of joints at the beginning of the next step.
//!
//! The simulation has a list of joints that were made, changed and removed since the last step, which
//! it does not save. So these wait here, where they are saved, and in its list nothing waits.

use std::vec::Vec;

use loligo_allocators::Allocator;
use rapier3d::prelude::{GenericJoint, ImpulseJointHandle};
use serde::{Deserialize, Serialize};

use super::PhysicsWorld;
use super::marks::body;
use crate::actor::ActorId;
use crate::error::PhysicsError;
use crate::geometry::Filter;
use crate::joint::{Joint, JointId};

pub(super) const UNKNOWN: PhysicsError = PhysicsError::Unknown { what: "joint" };

/// In place of the handle of a joint that is not in the simulation yet.
pub(crate) const WAITING: [u32; 2] = [u32::MAX; 2];

/// Something that waits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum JointChange {
    /// A joint is to be made, of the bits of its id.
    Link(u32, GenericJoint),
    /// The joint of a handle is to be changed.
    Set([u32; 2], GenericJoint),
    /// The joint of a handle is to be removed.
    Unlink([u32; 2]),
    /// A body whose joints are removed before is to be removed as well.
    Remove([u32; 2]),
}

/// All that waits, in the order of the calls.
pub(crate) type JointChanges = Vec<JointChange>;

fn handle(parts: [u32; 2]) -> ImpulseJointHandle {
    ImpulseJointHandle::from_raw_parts(parts[0], parts[1])
}

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Does what waits.
    pub(super) fn apply_joint_changes(&mut self) {
        let mut changes = core::mem::take(&mut self.joint_changes);
        for change in changes.drain(..) {
            match change {
                JointChange::Link(id, joint) => self.link(id, joint),
                JointChange::Set(parts, joint) => {
                    let set = self.simulation.impulse_joints.get_mut(handle(parts), true);
                    if let Some(set) = set {
                        set.data = joint;
                    }
                }
                JointChange::Unlink(parts) => {
                    self.simulation.remove_impulse_joint(handle(parts));
                }
                JointChange::Remove(parts) => {
                    self.simulation.remove_body(body(parts));
                }
            }
        }
        self.joint_changes = changes;
    }

    fn link(&mut self, id: u32, mut joint: GenericJoint) {
        let record = JointId::from_bits(id).and_then(|id| self.joints.get(id)).copied();
        joint.set_enabled(record.is_some_and(|record| self.is_whole(&record)));
        let Some(record) = JointId::from_bits(id).and_then(|id| self.joints.get_mut(id)) else {
            return;
        };
        let [first, other] = record.actors.map(ActorId::from_bits);
        let bodies = [first, other].map(|actor| Some(body(self.actors.get(actor?)?.body)));
        if let [Some(first), Some(other)] = bodies {
            let made = self.simulation.insert_impulse_joint(first, other, joint);
            record.handle = made.into_raw_parts().into();
        }
    }

    /// Has the joints of an actor be in the simulation while both of their actors are: the solver
    /// takes it for granted that a joint has a dynamic body that is enabled.
    pub(super) fn refresh_joints(&mut self, id: ActorId) {
        let bits = id.to_bits();
        for slot in 0..self.joints.len() {
            let mut joints =
                self.joints.iter_with_ids().filter(|(_, of)| of.actors.contains(&bits));
            let Some((joint, record)) = joints.nth(slot) else { break };
            let is_whole = self.is_whole(record);
            let is_enabled = self.generic(joint, record).is_some_and(GenericJoint::is_enabled);
            if is_enabled != is_whole
                && let Ok(made) = self.generic_mut(joint)
            {
                made.set_enabled(is_whole);
            }
        }
    }

    /// Returns whether both actors of a joint are in the simulation.
    fn is_whole(&self, record: &Joint) -> bool {
        record.actors.into_iter().all(|bits| {
            let body = ActorId::from_bits(bits).and_then(|id| self.body(id).ok());
            body.is_some_and(rapier3d::prelude::RigidBody::is_enabled)
        })
    }

    /// Has a joint be removed whose record is gone.
    pub(super) fn unlink(&mut self, id: JointId, joint: &Joint) {
        self.joint_changes.retain(|change| match change {
            JointChange::Link(linked, _) => *linked != id.to_bits(),
            JointChange::Set(set, _) => *set != joint.handle,
            JointChange::Unlink(_) | JointChange::Remove(_) => true,
        });
        if joint.handle != WAITING {
            self.joint_changes.push(JointChange::Unlink(joint.handle));
        }
    }

    /// Returns what a joint is, or will be in the next step.
    pub(super) fn generic(&self, id: JointId, joint: &Joint) -> Option<&GenericJoint> {
        let waiting = self.joint_changes.iter().find_map(|change| match change {
            JointChange::Link(linked, made) if *linked == id.to_bits() => Some(made),
            JointChange::Set(set, made) if *set == joint.handle => Some(made),
            _ => None,
        });
        waiting.or_else(|| Some(&self.simulation.impulse_joints.get(handle(joint.handle))?.data))
    }

    /// Returns what a joint will be in the next step, to be changed.
    pub(super) fn generic_mut(&mut self, id: JointId) -> Result<&mut GenericJoint, PhysicsError> {
        let joint = *self.joints.get(id).ok_or(UNKNOWN)?;
        let now = *self.generic(id, &joint).ok_or(UNKNOWN)?;
        let is_its = |change: &JointChange| match change {
            JointChange::Link(linked, _) => *linked == id.to_bits(),
            JointChange::Set(set, _) => *set == joint.handle,
            JointChange::Unlink(_) | JointChange::Remove(_) => false,
        };
        let at = self.joint_changes.iter().position(is_its).unwrap_or_else(|| {
            self.joint_changes.push(JointChange::Set(joint.handle, now));
            self.joint_changes.len() - 1
        });
        match &mut self.joint_changes[at] {
            JointChange::Link(_, made) | JointChange::Set(_, made) => Ok(made),
            JointChange::Unlink(_) | JointChange::Remove(_) => Err(UNKNOWN),
        }
    }

    /// Removes a body whose actor is gone, with its joints: at once, or where there are joints in the
    /// next step. Until then it meets nothing.
    pub(super) fn remove_body(&mut self, id: ActorId, parts: [u32; 2]) {
        let handle = body(parts);
        let has_joints = self.simulation.impulse_joints.attached_joints(handle).next().is_some();
        if !has_joints && self.joint_changes.is_empty() {
            self.simulation.remove_body(handle);
            return;
        }
        let bits = id.to_bits();
        let gone = |joint: &Joint| joint.actors.contains(&bits);
        while let Some((id, joint)) = self
            .joints
            .iter_with_ids()
            .find(|(_, joint)| gone(joint))
            .map(|(id, joint)| (id, *joint))
        {
            self.joints.remove(id);
            self.unlink(id, &joint);
        }
        if !has_joints {
            self.simulation.remove_body(handle);
            return;
        }
        let nothing = super::actors::groups(Filter { groups: 0, meets: 0 });
        let simulation = &mut self.simulation;
        let colliders = simulation.bodies.get(handle).map_or(&[][..], |body| body.colliders());
        for collider in colliders {
            if let Some(collider) = simulation.colliders.get_mut(*collider) {
                collider.set_collision_groups(nothing);
            }
        }
        self.joint_changes.push(JointChange::Remove(parts));
    }
}
