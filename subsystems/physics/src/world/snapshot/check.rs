//! Whether what was read holds together.

use loligo_allocators::Allocator;
use rapier3d::prelude::ImpulseJointHandle;

use super::SnapshotError;
use crate::actor::{Actor, ActorId, FLAGS, FORCED, LISTED};
use crate::settings::ActorKind;
use crate::world::PhysicsWorld;
use crate::world::joint_changes::{JointChange, WAITING};
use crate::world::marks::{ShapeMark, actor_of, body};

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Compares our records with the simulation's.
    pub(super) fn check(&self) -> Result<(), SnapshotError> {
        let checks = [
            (self.are_actors_whole(), "actors"),
            (self.are_shapes_whole(), "shapes"),
            (self.are_joints_whole(), "joints"),
            (self.are_vehicles_whole(), "vehicles"),
            (self.are_lists_whole(), "lists"),
        ];
        match checks.into_iter().find(|(is_whole, _)| !is_whole) {
            Some((_, part)) => Err(SnapshotError::Wrong { part }),
            None => Ok(()),
        }
    }

    fn are_actors_whole(&self) -> bool {
        let simulation = &self.simulation;
        let removed = |change: &&JointChange| matches!(change, JointChange::Remove(_));
        let waiting = self.joint_changes.iter().filter(removed).count();
        simulation.bodies.len() == self.actors.len() + waiting
            && simulation.soft_bodies.is_empty()
            && self.actors.iter_with_ids().all(|(id, actor)| {
                let kind = |body: &rapier3d::prelude::RigidBody| match actor.kind() {
                    ActorKind::Static => body.is_fixed(),
                    ActorKind::Kinematic => body.is_kinematic(),
                    ActorKind::Dynamic => body.is_dynamic(),
                };
                simulation.bodies.get(body(actor.body)).is_some_and(|body| {
                    actor_of(body.user_data) == Some(id) && kind(body) && is_plausible(actor)
                })
            })
    }

    fn are_shapes_whole(&self) -> bool {
        let simulation = &self.simulation;
        let mut count = 0;
        let are_known = self.actors.iter_with_ids().all(|(id, actor)| {
            let Some(body) = simulation.bodies.get(body(actor.body)) else { return false };
            count += body.colliders().len();
            body.colliders().iter().enumerate().all(|(index, handle)| {
                simulation.colliders.get(*handle).is_some_and(|collider| {
                    let mark = ShapeMark::unpack(collider.user_data);
                    mark.actor == id.to_bits() && mark.shape as usize == index
                })
            })
        });
        // Those of bodies that wait for their removal belong to no actor.
        let waiting = self.joint_changes.iter().map(|change| match change {
            JointChange::Remove(parts) => {
                simulation.bodies.get(body(*parts)).map_or(0, |body| body.colliders().len())
            }
            _ => 0,
        });
        are_known && count + waiting.sum::<usize>() == simulation.colliders.len()
    }

    fn are_joints_whole(&self) -> bool {
        let simulation = &self.simulation;
        let (mut links, mut unlinks) = (0, 0);
        for change in &self.joint_changes {
            match change {
                JointChange::Link(..) => links += 1,
                JointChange::Unlink(_) => unlinks += 1,
                JointChange::Set(..) | JointChange::Remove(_) => {}
            }
        }
        simulation.impulse_joints.len() + links == self.joints.len() + unlinks
            && self.joints.iter_with_ids().all(|(id, record)| {
                let waits = |change: &JointChange| {
                    matches!(change, JointChange::Link(linked, _) if *linked == id.to_bits())
                };
                if record.handle == WAITING {
                    return record.kind <= 4 && self.joint_changes.iter().any(waits);
                }
                let [index, generation] = record.handle;
                let handle = ImpulseJointHandle::from_raw_parts(index, generation);
                simulation.impulse_joints.get(handle).is_some_and(|joint| {
                    let actors = record.actors.map(ActorId::from_bits);
                    let bodies = [joint.body1(), joint.body2()];
                    record.kind <= 4
                        && joint.data.user_data == u128::from(id.to_bits())
                        && actors.into_iter().zip(bodies).all(|(id, body)| {
                            id.and_then(|id| self.handle(id).ok()) == Some(body)
                        })
                })
            })
    }

    fn are_vehicles_whole(&self) -> bool {
        let live = self.controllers.iter().flatten().count();
        live == self.vehicles.len()
            && self.vehicles.iter_with_ids().all(|(id, vehicle)| {
                let chassis = ActorId::from_bits(vehicle.actor)
                    .filter(|id| matches!(self.kind(*id), Ok(ActorKind::Dynamic)))
                    .and_then(|id| self.handle(id).ok());
                let controller = self.controllers.get(id.index() as usize).and_then(Option::as_ref);
                chassis.is_some() && controller.map(|controller| controller.chassis) == chassis
            })
    }

    fn are_lists_whole(&self) -> bool {
        let lists = [(LISTED, &self.moved.list), (FORCED, &self.forced)];
        let are_flagged = lists.into_iter().all(|(flag, list)| {
            let flagged = self.actors.iter().filter(|actor| actor.has(flag)).count();
            let mut sorted: std::vec::Vec<ActorId> = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            flagged == list.len()
                && sorted.len() == list.len()
                && list.iter().all(|id| self.actors.get(*id).is_some_and(|actor| actor.has(flag)))
        });
        are_flagged && self.touches.list.is_sorted_by(|one, two| one.key < two.key)
    }
}

fn is_plausible(actor: &Actor) -> bool {
    let places = [actor.before, actor.now];
    actor.flags & !FLAGS == 0
        && actor.scale.iter().all(|number| number.is_finite())
        && places.iter().all(|place| {
            place.position.iter().chain(&place.rotation).all(|number| number.is_finite())
        })
}
