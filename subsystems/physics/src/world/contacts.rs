//! Where two shapes touch, and how hard.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{EventStream, GrowError};
use rapier3d::prelude::PhysicsWorld as Simulation;

use super::marks::collider;
use super::touches::Touch;
use crate::events::{TouchBegan, TouchStayed};

/// Where two shapes touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Contact {
    pub(crate) point: Vec3,
    /// From the first to the other.
    pub(crate) normal: Vec3,
    pub(crate) impulse: f32,
}

/// Returns the contact of a touch after a step, if there is one.
pub(crate) fn contact(simulation: &Simulation, touch: &Touch) -> Option<Contact> {
    let [first, other] = touch.colliders.map(collider);
    let pair = simulation.narrow_phase.contact_pair(first, other)?;
    let (mut point, mut normal, mut count) = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for manifold in pair.solver_manifolds() {
        for solved in &manifold.data.solver_contacts {
            let (one, two) = manifold.data.solver_contact_world_points(solved, &simulation.bodies);
            point += (one + two) * 0.5;
            normal += manifold.data.normal;
            count += 1.0;
        }
    }
    if count == 0.0 {
        return None;
    }
    let normal = normal.try_normalize().unwrap_or(pair.solver_manifolds()[0].data.normal);
    let sign = if pair.collider1 == first { 1.0 } else { -1.0 };
    let impulse = pair.total_impulse_magnitude();
    Some(Contact { point: point / count, normal: normal * sign, impulse })
}

/// Sends that a touch has begun.
pub(crate) fn began<A: Allocator + ?Sized>(
    simulation: &Simulation,
    touch: &Touch,
    events: &mut EventStream<'_, A>,
) -> Result<(), GrowError> {
    let contact = contact(simulation, touch).unwrap_or_default();
    let [actors, shapes] = touch.parts();
    events.try_push(TouchBegan {
        entity: touch.entities[0],
        other: touch.entities[1],
        actor: actors[0],
        other_actor: actors[1],
        shape: shapes[0],
        other_shape: shapes[1],
        material: touch.materials[0],
        other_material: touch.materials[1],
        point: contact.point.to_array(),
        normal: contact.normal.to_array(),
        impulse: contact.impulse,
    })
}

/// Sends that a touch goes on, if one of the two is awake.
pub(crate) fn stayed<A: Allocator + ?Sized>(
    simulation: &Simulation,
    touch: &Touch,
    events: &mut EventStream<'_, A>,
) -> Result<(), GrowError> {
    let bodies = touch
        .colliders
        .map(|parts| simulation.bodies.get(simulation.colliders.get(collider(parts))?.parent()?));
    let is_awake = bodies.iter().flatten().any(|body| !body.is_fixed() && !body.is_sleeping());
    let (true, None, Some(contact)) = (is_awake, touch.trigger(), contact(simulation, touch))
    else {
        return Ok(());
    };
    let [one, two] =
        bodies.map(|body| body.map_or(Vec3::ZERO, |body| body.velocity_at_point(contact.point)));
    let [actors, shapes] = touch.parts();
    events.try_push(TouchStayed {
        entity: touch.entities[0],
        other: touch.entities[1],
        actor: actors[0],
        other_actor: actors[1],
        shape: shapes[0],
        other_shape: shapes[1],
        material: touch.materials[0],
        other_material: touch.materials[1],
        point: contact.point.to_array(),
        normal: contact.normal.to_array(),
        impulse: contact.impulse,
        sliding: (one - two).reject_from_normalized(contact.normal).length(),
    })
}
