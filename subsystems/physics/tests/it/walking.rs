//! Characters: walls, slopes, steps and floors that move.

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_entities::Pose;
use loligo_physics::{ActorDescription, ActorId, ActorKind, Geometry, Mover, Shape, Walk};

use crate::memory::with_memory;
use crate::scene::{Body, GRAVITY, STEP, World, position, world};

/// A character of 1.8 metres on a floor.
struct Hiker<'m> {
    world: World<'m>,
    id: ActorId,
    mover: Mover,
    falling: f32,
}

impl<'m> Hiker<'m> {
    fn new(memory: &'m dyn Allocator) -> Self {
        let mut world = world(memory);
        Body::floor().put(&mut world);
        let capsule = Geometry::Capsule { half_height: 0.6, radius: 0.3 };
        let id = Body::new(ActorKind::Kinematic, capsule, Vec3::Y * 0.95).put(&mut world);
        world.step().unwrap();
        Self { world, id, mover: Mover::default(), falling: 0.0 }
    }

    /// Walks for some seconds, and falls where there is no ground.
    fn walk(&mut self, velocity: Vec3, seconds: f32) -> Walk {
        let mut walk = Walk::default();
        for _ in 0..(seconds / STEP).round() as u32 {
            self.falling = if walk.is_grounded { 0.0 } else { self.falling + GRAVITY * STEP };
            let way = (velocity - Vec3::Y * self.falling) * STEP;
            walk = self.world.walk(self.id, &self.mover, way).unwrap();
            self.world.step().unwrap();
        }
        walk
    }

    fn feet(&self) -> Vec3 {
        position(&self.world, self.id) - Vec3::Y * 0.9
    }
}

/// A slope up along x from the origin, of an angle.
fn slope(world: &mut World<'_>, angle: f32) {
    let shapes = [Shape::new(Geometry::Box { half: Vec3::new(10.0, 0.5, 5.0) })];
    let rotation = Quat::from_rotation_z(angle);
    let at = rotation * Vec3::new(10.0, -0.5, 0.0) + Vec3::X;
    let pose = Pose { rotation, ..Pose::at(at) };
    world.create_actor(&ActorDescription::new(ActorKind::Static, pose, &shapes)).unwrap();
}

#[test]
fn it_stands_walks_and_slides_along_walls() {
    with_memory(|memory| {
        let mut hiker = Hiker::new(memory);
        let walk = hiker.walk(Vec3::ZERO, 0.5);
        assert!(walk.is_grounded && walk.ground.is_some(), "{walk:?}");
        assert!(hiker.feet().length() < 0.05, "{}", hiker.feet());
        hiker.walk(Vec3::X * 2.0, 1.0);
        assert!((hiker.feet().x - 2.0).abs() < 0.1, "{}", hiker.feet());
        let half = Vec3::new(0.5, 3.0, 10.0);
        let wall = Geometry::Box { half };
        Body::new(ActorKind::Static, wall, Vec3::new(4.0, 3.0, 0.0)).put(&mut hiker.world);
        hiker.walk(Vec3::new(2.0, 0.0, 1.0), 2.0);
        let feet = hiker.feet();
        assert!((3.1..3.25).contains(&feet.x), "the wall is at 3.5: {feet}");
        assert!((1.7..2.1).contains(&feet.z), "it goes on along the wall: {feet}");
    });
}

#[test]
fn it_climbs_what_is_flat_enough_and_no_more() {
    let climbed = |angle: f32| {
        with_memory(|memory| {
            let mut hiker = Hiker::new(memory);
            slope(&mut hiker.world, angle);
            hiker.world.step().unwrap();
            hiker.walk(Vec3::X * 2.0, 3.0);
            hiker.feet().y
        })
    };
    // It walks 6 metres along x, of which the slope begins at 1.
    let flat = climbed(0.5);
    assert!((1.8..3.0).contains(&flat), "{flat}");
    let steep = climbed(1.0);
    assert!(steep < 0.4, "{steep}");
}

#[test]
fn it_takes_steps_of_a_height_and_no_more() {
    let climbed = |height: f32| {
        with_memory(|memory| {
            let mut hiker = Hiker::new(memory);
            for level in 1..=3 {
                let top = level as f32 * height;
                let half = Vec3::new(3.0, top / 2.0, 3.0);
                let at = Vec3::new(1.0 + 3.0 + level as f32 * 0.8, top / 2.0, 0.0);
                Body::new(ActorKind::Static, Geometry::Box { half }, at).put(&mut hiker.world);
            }
            hiker.world.step().unwrap();
            hiker.walk(Vec3::X * 2.0, 3.0);
            hiker.feet().y
        })
    };
    let low = climbed(0.25);
    assert!((low - 0.75).abs() < 0.1, "{low}");
    let high = climbed(0.6);
    assert!(high < 0.2, "{high}");
}

#[test]
fn a_floor_that_moves_takes_it_along() {
    with_memory(|memory| {
        let mut hiker = Hiker::new(memory);
        let half = Vec3::new(2.0, 0.25, 2.0);
        let ferry =
            Body::new(ActorKind::Kinematic, Geometry::Box { half }, Vec3::new(0.0, -0.2, 0.0));
        let ferry = ferry.put(&mut hiker.world);
        hiker.world.teleport(hiker.id, &Pose::at(Vec3::Y * 0.97)).unwrap();
        hiker.world.step().unwrap();
        hiker.walk(Vec3::ZERO, 0.5);
        for step in 1..=120 {
            let way = step as f32 * STEP;
            let at = Vec3::new(way, -0.2 + 0.5 * way, 0.0);
            hiker.world.move_to(ferry, &Pose::at(at)).unwrap();
            hiker.walk(Vec3::ZERO, STEP);
        }
        let feet = hiker.feet();
        assert!((feet.x - 2.0).abs() < 0.1, "{feet}");
        assert!((feet.y - 1.05).abs() < 0.1, "{feet}");
    });
}

#[test]
fn it_pushes_what_is_dynamic_by_its_mass() {
    let pushed = |mass: f32| {
        with_memory(|memory| {
            let mut hiker = Hiker::new(memory);
            hiker.mover = Mover { mass, ..hiker.mover };
            let at = Vec3::new(1.5, 0.5, 0.0);
            let thing = Body::cube(ActorKind::Dynamic, 0.5, at).put(&mut hiker.world);
            hiker.world.set_mass(thing, 20.0).unwrap();
            hiker.world.step().unwrap();
            hiker.walk(Vec3::X * 2.0, 2.0);
            position(&hiker.world, thing).x
        })
    };
    assert!(pushed(80.0) > 2.0, "{}", pushed(80.0));
    assert!(pushed(0.0) < 1.6, "{}", pushed(0.0));
}

#[test]
fn only_kinematic_actors_walk() {
    with_memory(|memory| {
        let mut hiker = Hiker::new(memory);
        let ball = Body::ball(0.5, Vec3::Y * 9.0).put(&mut hiker.world);
        assert!(hiker.world.walk(ball, &hiker.mover, Vec3::X).is_err());
        let flat = Mover { up: Vec3::ZERO, ..hiker.mover };
        assert!(hiker.world.walk(hiker.id, &flat, Vec3::X).is_err());
        assert!(hiker.world.walk(hiker.id, &hiker.mover, Vec3::NAN).is_err());
    });
}
