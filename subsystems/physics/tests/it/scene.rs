//! What tests build worlds of.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_entities::{Entity, Pose};
use loligo_physics::{
    ActorDescription, ActorId, ActorKind, Geometry, PhysicsError, PhysicsWorld, Shape, Surface,
    WorldSettings,
};

pub(crate) type World<'m> = PhysicsWorld<'m>;

/// The length of a step of [`WorldSettings::default`].
pub(crate) const STEP: f32 = 1.0 / 60.0;
/// How strong its gravity is.
pub(crate) const GRAVITY: f32 = 9.81;

/// Returns an empty world.
pub(crate) fn world(memory: &dyn Allocator) -> World<'_> {
    PhysicsWorld::new(WorldSettings::default(), memory).expect("the settings are right")
}

/// Returns the entity of a number.
pub(crate) fn entity(number: u32) -> Entity {
    Entity::from_bits(1 << 20 | number).expect("its generation is 1")
}

/// A surface of wood with another friction and restitution.
pub(crate) fn surface(friction: f32, restitution: f32) -> Surface {
    Surface { friction, restitution, ..Surface::default() }
}

/// An actor to be, with one shape.
#[derive(Clone, Copy)]
pub(crate) struct Body<'d> {
    pub(crate) kind: ActorKind,
    pub(crate) shape: Shape<'d>,
    pub(crate) at: Vec3,
    pub(crate) entity: Option<Entity>,
    pub(crate) velocity: Vec3,
    pub(crate) is_continuous: bool,
}

impl<'d> Body<'d> {
    pub(crate) fn new(kind: ActorKind, geometry: Geometry<'d>, at: Vec3) -> Self {
        let shape = Shape::new(geometry);
        Self { kind, shape, at, entity: None, velocity: Vec3::ZERO, is_continuous: false }
    }

    pub(crate) fn cube(kind: ActorKind, half: f32, at: Vec3) -> Self {
        Self::new(kind, Geometry::Box { half: Vec3::splat(half) }, at)
    }

    pub(crate) fn ball(radius: f32, at: Vec3) -> Self {
        Self::new(ActorKind::Dynamic, Geometry::Sphere { radius }, at)
    }

    /// A floor whose top is at height 0.
    pub(crate) fn floor() -> Self {
        let half = Vec3::new(50.0, 0.5, 50.0);
        Self::new(ActorKind::Static, Geometry::Box { half }, Vec3::new(0.0, -0.5, 0.0))
    }

    pub(crate) fn of(self, entity: Entity) -> Self {
        Self { entity: Some(entity), ..self }
    }

    pub(crate) fn with(mut self, surface: Surface) -> Self {
        self.shape.surface = surface;
        self
    }

    pub(crate) fn reporting(mut self) -> Self {
        self.shape.sends_touches = true;
        self
    }

    pub(crate) fn trigger(mut self) -> Self {
        self.shape.is_trigger = true;
        self
    }

    pub(crate) fn fast(self, velocity: Vec3) -> Self {
        Self { velocity, ..self }
    }

    pub(crate) fn put(self, world: &mut World<'_>) -> ActorId {
        self.try_put(world).expect("the actor is right")
    }

    pub(crate) fn try_put(self, world: &mut World<'_>) -> Result<ActorId, PhysicsError> {
        let shapes = [self.shape];
        world.create_actor(&ActorDescription {
            entity: self.entity,
            velocity: self.velocity,
            is_continuous: self.is_continuous,
            ..ActorDescription::new(self.kind, Pose::at(self.at), &shapes)
        })
    }
}

/// Takes some seconds of steps.
pub(crate) fn run(world: &mut World<'_>, seconds: f32) {
    for _ in 0..(seconds / STEP).round() as u32 {
        world.step().expect("there is memory");
    }
}

pub(crate) fn position(world: &World<'_>, id: ActorId) -> Vec3 {
    world.pose(id).expect("it is there").position
}
