//! Actors that come and go.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_entities::{Entity, Pose};
use rapier3d::prelude::{
    ActiveCollisionTypes, ActiveEvents, Collider, ColliderBuilder, ColliderMassProps, Group,
    InteractionGroups, InteractionTestMode, LockedAxes, RigidBody, RigidBodyBuilder,
    RigidBodyHandle, RigidBodyType, Shape as Form,
};

use super::PhysicsWorld;
use super::forms::{form, is_hollow, within};
use super::marks::{ShapeMark, body, body_parts, place, placement};
use crate::actor::{Actor, ActorDescription, ActorId, FROZEN, LISTED, Shape, WRITTEN};
use crate::checked::{finite, number, pose};
use crate::error::PhysicsError;
use crate::geometry::{Filter, Surface};
use crate::settings::ActorKind;

/// The most shapes of an actor.
const SHAPES_MAX: usize = 4096;

/// Room for more shapes than this is given back after an actor that had them.
const KEPT_MAX: usize = 16;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Creates an actor.
    ///
    /// # Complexity
    ///
    /// O(shapes), and O(n log n) for the points of a hull or the triangles of a mesh.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`]: the description is refused, or there is no memory. Nothing was created.
    pub fn create_actor(
        &mut self,
        description: &ActorDescription<'_>,
    ) -> Result<ActorId, PhysicsError> {
        let at = pose(&description.pose)?;
        let made = rigid_body(description, &at)?;
        // The memory of the last one's shapes: an actor of one shape would ask for it each time.
        let empty = Array::new_in(self.moved.list.memory());
        let mut colliders = core::mem::replace(&mut self.made, empty);
        let checked = self.make_shapes(description, &mut colliders);
        let created =
            checked.and_then(|()| self.insert_actor(description, made, &at, &mut colliders));
        if colliders.capacity() <= KEPT_MAX {
            colliders.clear();
            self.made = colliders;
        }
        created
    }

    /// Puts an actor into the simulation that was checked.
    fn insert_actor(
        &mut self,
        description: &ActorDescription<'_>,
        made: RigidBodyBuilder,
        at: &Pose,
        colliders: &mut Array<'_, ColliderBuilder, A>,
    ) -> Result<ActorId, PhysicsError> {
        let count = self.actors.len();
        self.moved.reserve(count)?;
        self.forced.try_reserve((count + 1).saturating_sub(self.forced.len()))?;
        let here = place(&placement(at));
        let actor = Actor {
            entity: description.entity.map_or(0, Entity::to_bits),
            body: [0; 2],
            flags: description.kind as u32
                | LISTED
                | if description.is_written { WRITTEN } else { 0 },
            awake: self.steps,
            scale: at.scale.to_array(),
            before: here,
            now: here,
        };
        let id =
            self.actors.insert(actor).map_err(|error| PhysicsError::insert("actors", error))?;
        let handle = self.simulation.bodies.insert(made.user_data(id.to_bits().into()));
        self.insert_shapes(id, actor.entity, handle, colliders);
        if let Some(actor) = self.actors.get_mut(id) {
            actor.body = body_parts(handle);
        }
        // There is room for it.
        self.moved.list.try_push(id)?;
        Ok(id)
    }

    /// Destroys an actor, with its joints. The next step ends what it touched.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn destroy_actor(&mut self, id: ActorId) -> Result<(), PhysicsError> {
        let actor = self.actors.remove(id).ok_or(PhysicsError::Unknown { what: "actor" })?;
        self.forget_vehicles(id);
        self.remove_body(id, actor.body);
        self.touches.has_lost_shapes = true;
        self.forget(id, actor.flags);
        Ok(())
    }

    /// Returns `true` if the id names an actor.
    #[must_use]
    pub fn contains(&self, id: ActorId) -> bool {
        self.actors.contains(id)
    }

    /// Returns how many actors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.actors.len()
    }

    /// Returns `true` if there is no actor.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.actors.is_empty()
    }

    /// Returns the actors, in the order of their slots.
    pub fn actors(&self) -> impl Iterator<Item = ActorId> + '_ {
        self.actors.ids()
    }

    /// Returns how many actors are awake: those that a step computes.
    ///
    /// # Complexity
    ///
    /// O(actors that are awake).
    #[must_use]
    pub fn awake_count(&self) -> usize {
        self.simulation.islands.active_bodies().count()
    }

    /// Returns how many pairs of shapes are near enough to each other that a step looks for contacts.
    ///
    /// # Complexity
    ///
    /// O(pairs).
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.simulation.narrow_phase.contact_pairs().count()
    }

    /// Returns whose actor it is.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn entity(&self, id: ActorId) -> Result<Option<Entity>, PhysicsError> {
        Ok(Entity::from_bits(self.actor(id)?.entity))
    }

    /// Returns what moves it.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn kind(&self, id: ActorId) -> Result<ActorKind, PhysicsError> {
        Ok(self.actor(id)?.kind())
    }

    /// Takes an actor out of the simulation, or puts it back where it is. What it touches ends.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn set_enabled(&mut self, id: ActorId, is_enabled: bool) -> Result<(), PhysicsError> {
        let is_frozen = self.actor(id)?.has(FROZEN);
        // What is frozen stays so until it is put somewhere.
        self.body_mut(id)?.set_enabled(is_enabled && !is_frozen);
        self.refresh_joints(id);
        Ok(())
    }

    /// Returns `true` if it is in the simulation: neither [disabled](Self::set_enabled) nor frozen.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn is_enabled(&self, id: ActorId) -> Result<bool, PhysicsError> {
        Ok(self.body(id)?.is_enabled())
    }

    /// Returns what a shape of an actor meets.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor or shape.
    pub fn shape_filter(&self, id: ActorId, shape: u32) -> Result<Filter, PhysicsError> {
        let missing = PhysicsError::Shape { shape, reason: "there is none; count its shapes" };
        let handle = *self.body(id)?.colliders().get(shape as usize).ok_or(missing)?;
        let groups = self.simulation.colliders.get(handle).ok_or(missing)?.collision_groups();
        Ok(Filter { groups: groups.memberships.bits(), meets: groups.filter.bits() })
    }

    /// Changes what a shape of an actor meets.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor or shape.
    pub fn set_filter(
        &mut self,
        id: ActorId,
        shape: u32,
        filter: Filter,
    ) -> Result<(), PhysicsError> {
        self.collider_mut(id, shape)?.set_collision_groups(groups(filter));
        self.wake(id)
    }

    /// Changes what a shape of an actor is made of; its mass follows its density.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor or shape, or a number is refused.
    pub fn set_surface(
        &mut self,
        id: ActorId,
        shape: u32,
        surface: Surface,
    ) -> Result<(), PhysicsError> {
        check_surface(&surface)?;
        let collider = self.collider_mut(id, shape)?;
        collider.set_friction(surface.friction);
        collider.set_restitution(surface.restitution);
        if !collider.is_sensor() {
            collider.set_density(surface.density);
        }
        let mark = ShapeMark::unpack(collider.user_data);
        collider.user_data = ShapeMark { material: surface.material, ..mark }.pack();
        self.wake(id)
    }

    /// Returns how many shapes an actor has.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn shape_count(&self, id: ActorId) -> Result<u32, PhysicsError> {
        Ok(self.body(id)?.colliders().len() as u32)
    }

    pub(crate) fn actor(&self, id: ActorId) -> Result<&Actor, PhysicsError> {
        self.actors.get(id).ok_or(PhysicsError::Unknown { what: "actor" })
    }

    pub(crate) fn body(&self, id: ActorId) -> Result<&RigidBody, PhysicsError> {
        let handle = self.handle(id)?;
        self.simulation.bodies.get(handle).ok_or(PhysicsError::Unknown { what: "actor" })
    }

    pub(crate) fn body_mut(&mut self, id: ActorId) -> Result<&mut RigidBody, PhysicsError> {
        let handle = self.handle(id)?;
        self.simulation.bodies.get_mut(handle).ok_or(PhysicsError::Unknown { what: "actor" })
    }

    pub(crate) fn handle(&self, id: ActorId) -> Result<RigidBodyHandle, PhysicsError> {
        Ok(body(self.actor(id)?.body))
    }

    fn collider_mut(&mut self, id: ActorId, shape: u32) -> Result<&mut Collider, PhysicsError> {
        let missing = PhysicsError::Shape { shape, reason: "there is none; count its shapes" };
        let handle = *self.body(id)?.colliders().get(shape as usize).ok_or(missing)?;
        self.simulation.colliders.get_mut(handle).ok_or(missing)
    }

    /// Makes shapes those of an actor, in their order. Its mass follows by each of them.
    pub(super) fn insert_shapes(
        &mut self,
        id: ActorId,
        entity: u32,
        handle: RigidBodyHandle,
        colliders: &mut Array<'_, ColliderBuilder, A>,
    ) {
        for (index, collider) in colliders.iter_mut().enumerate() {
            let mark = ShapeMark::unpack(collider.user_data);
            let (actor, shape) = (id.to_bits(), index as u32);
            collider.user_data = ShapeMark { actor, shape, entity, ..mark }.pack();
            self.simulation.insert_collider(collider.build(), Some(handle));
        }
        colliders.clear();
    }

    pub(super) fn make_shapes(
        &self,
        description: &ActorDescription<'_>,
        into: &mut Array<'_, ColliderBuilder, A>,
    ) -> Result<(), PhysicsError> {
        let shapes = description.shapes;
        if shapes.is_empty() || shapes.len() > SHAPES_MAX {
            let reason = "an actor has 1 to 4096 shapes; give it some, or make several of it";
            return Err(PhysicsError::Shape { shape: shapes.len() as u32, reason });
        }
        into.try_reserve(shapes.len())?;
        let mut mass = 0.0;
        for (index, shape) in shapes.iter().enumerate() {
            let made = collider(description, shape).map_err(|error| error.at_shape(index))?;
            mass += mass_of(&*made.shape.0, density(shape));
            into.try_push(made)?;
        }
        if description.kind == ActorKind::Dynamic && !(mass.is_finite() && mass > 1e-6) {
            let reason = "what moves by itself needs a shape with a density; give it one, which is no trigger";
            return Err(PhysicsError::Shape { shape: 0, reason });
        }
        if let Some(wanted) = description.mass {
            number("the mass", wanted, 1e-6..=1e12, "0.000001 to 1e12 kilograms")?;
            for (collider, shape) in into.iter_mut().zip(shapes) {
                let density = density(shape) * (wanted / mass);
                collider.mass_properties = ColliderMassProps::Density(density);
            }
        }
        Ok(())
    }
}

fn rigid_body(
    description: &ActorDescription<'_>,
    at: &Pose,
) -> Result<RigidBodyBuilder, PhysicsError> {
    finite("the speed", description.velocity)?;
    finite("the turning", description.turning)?;
    number("the scale of gravity", description.gravity_scale, -1e6..=1e6, "-1e6 to 1e6")?;
    for damping in [description.damping, description.turning_damping] {
        number("the damping", damping, 0.0..=1e6, "0 to 1e6")?;
    }
    let kind = match description.kind {
        ActorKind::Static => RigidBodyType::Fixed,
        ActorKind::Kinematic => RigidBodyType::KinematicPositionBased,
        ActorKind::Dynamic => RigidBodyType::Dynamic,
    };
    let locked = match description.is_upright {
        true => LockedAxes::ROTATION_LOCKED,
        false => LockedAxes::empty(),
    };
    Ok(RigidBodyBuilder::new(kind)
        .pose(placement(at))
        .linvel(description.velocity)
        .angvel(description.turning)
        .gravity_scale(description.gravity_scale)
        .linear_damping(description.damping)
        .angular_damping(description.turning_damping)
        .ccd_enabled(description.is_continuous)
        .locked_axes(locked)
        .can_sleep(!description.is_sleepless)
        .sleeping(description.is_asleep))
}

fn collider(
    description: &ActorDescription<'_>,
    shape: &Shape<'_>,
) -> Result<ColliderBuilder, PhysicsError> {
    check_surface(&shape.surface)?;
    if description.kind == ActorKind::Dynamic && is_hollow(&shape.geometry) && !shape.is_trigger {
        let reason = "meshes and height fields do not move by themselves; take a convex hull";
        return Err(PhysicsError::Shape { shape: 0, reason });
    }
    let within = within(description.pose.scale, &pose(&shape.pose)?);
    let form = form(&shape.geometry, within.scale)?;
    let sends = shape.is_trigger || shape.sends_touches;
    // A trigger is entered by what the game moves, too, whether it moves itself or not.
    let meets = match shape.is_trigger {
        true => ActiveCollisionTypes::all(),
        false => ActiveCollisionTypes::default(),
    };
    let mark = ShapeMark { material: shape.surface.material, ..ShapeMark::default() };
    Ok(ColliderBuilder::new(form)
        .position(placement(&within))
        .density(density(shape))
        .friction(shape.surface.friction)
        .restitution(shape.surface.restitution)
        .collision_groups(groups(shape.filter))
        .sensor(shape.is_trigger)
        .active_collision_types(meets)
        .active_events(if sends { ActiveEvents::COLLISION_EVENTS } else { ActiveEvents::empty() })
        .user_data(mark.pack()))
}

/// Returns the density of a shape; what is a trigger has no weight.
fn density(shape: &Shape<'_>) -> f32 {
    if shape.is_trigger { 0.0 } else { shape.surface.density }
}

/// Returns the mass of a form. That of a box or a ball is a product; the simulation computes the inertia with
/// it, and does so again when the form becomes one of a body.
fn mass_of(form: &dyn Form, density: f32) -> f32 {
    if let Some(cuboid) = form.as_cuboid() {
        return 8.0 * cuboid.half_extents.element_product() * density;
    }
    match form.as_ball() {
        Some(ball) => core::f32::consts::TAU * 2.0 / 3.0 * ball.radius.powi(3) * density,
        None => form.mass_properties(density).mass(),
    }
}

fn check_surface(surface: &Surface) -> Result<(), PhysicsError> {
    number("the friction", surface.friction, 0.0..=1e3, "0 to 1000")?;
    number("the restitution", surface.restitution, 0.0..=1.0, "0 to 1")?;
    number("the density", surface.density, 0.0..=1e9, "0 to 1e9 kilograms a cubic metre")
}

pub(super) fn groups(filter: Filter) -> InteractionGroups {
    let [groups, meets] = [filter.groups, filter.meets].map(Group::from_bits_retain);
    InteractionGroups::new(groups, meets, InteractionTestMode::And)
}
