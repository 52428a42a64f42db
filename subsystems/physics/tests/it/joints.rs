//! Joints: what they leave free, how far, and what drives them.

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_entities::Pose;
use loligo_physics::{
    ActorId, ActorKind, JointDescription, JointId, JointKind, Motor, PhysicsError,
};

use crate::memory::with_memory;
use crate::scene::{Body, World, position, run, world};

/// A wall at the origin, and a box of 1 kg at x = 1 that hangs on it by a joint whose axis is z.
struct Gate<'m> {
    world: World<'m>,
    wall: ActorId,
    gate: ActorId,
    frames: [Pose; 2],
}

impl<'m> Gate<'m> {
    fn new(memory: &'m dyn Allocator, axis: Vec3) -> Self {
        let mut world = world(memory);
        let wall = Body::cube(ActorKind::Static, 0.1, Vec3::ZERO).put(&mut world);
        let gate = Body::cube(ActorKind::Dynamic, 0.25, Vec3::X).put(&mut world);
        world.set_mass(gate, 1.0).unwrap();
        let frames = world.joint_frames([wall, gate], Vec3::ZERO, axis).unwrap();
        Self { world, wall, gate, frames }
    }

    fn join(&mut self, change: impl FnOnce(&mut JointDescription), kind: JointKind) -> JointId {
        let mut joint = JointDescription::new(kind, [self.wall, self.gate], self.frames);
        change(&mut joint);
        self.world.create_joint(&joint).unwrap()
    }

    fn at(&self) -> Vec3 {
        position(&self.world, self.gate)
    }
}

#[test]
fn a_fixed_joint_leaves_nothing_free() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::Z);
        gate.join(|_| (), JointKind::Fixed);
        run(&mut gate.world, 2.0);
        assert!(gate.at().distance(Vec3::X) < 0.02, "{}", gate.at());
    });
}

#[test]
fn a_hinge_turns_around_its_axis_within_its_limits() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::Z);
        let joint = gate.join(|joint| joint.limits = Some([-0.5, 0.5]), JointKind::Hinge);
        run(&mut gate.world, 2.0);
        let place = gate.world.joint_place(joint).unwrap();
        assert!((place + 0.5).abs() < 0.05, "{place}");
        let known = Vec3::new(0.5_f32.cos(), -(0.5_f32.sin()), 0.0);
        assert!(gate.at().distance(known) < 0.05, "{}", gate.at());
        gate.world.set_limits(joint, Some([-1.0, 0.5])).unwrap();
        run(&mut gate.world, 2.0);
        assert!((gate.world.joint_place(joint).unwrap() + 1.0).abs() < 0.05);
        gate.world.set_limits(joint, None).unwrap();
        run(&mut gate.world, 0.5);
        assert!(gate.world.joint_place(joint).unwrap() < -1.1);
        assert!((gate.at().length() - 1.0).abs() < 0.02 && gate.at().z.abs() < 0.02);
    });
}

#[test]
fn a_motor_drives_a_hinge_to_a_place_or_at_a_speed() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::Z);
        let motor =
            Motor { place: 1.0, stiffness: 400.0, damping: 40.0, force_max: 100.0, speed: 0.0 };
        let joint = gate.join(|joint| joint.motor = Some(motor), JointKind::Hinge);
        run(&mut gate.world, 3.0);
        let place = gate.world.joint_place(joint).unwrap();
        assert!((place - 1.0).abs() < 0.1, "{place}");
        gate.world.set_motor(joint, None).unwrap();
        let mut lowest = 1.0_f32;
        for _ in 0..120 {
            gate.world.step().unwrap();
            lowest = lowest.min(gate.world.joint_place(joint).unwrap());
        }
        assert!(lowest < -1.0, "it swings to {lowest}");
    });
    with_memory(|memory| {
        // A wheel turns around itself.
        let mut gate = Gate::new(memory, Vec3::Z);
        gate.frames = gate.world.joint_frames([gate.wall, gate.gate], Vec3::X, Vec3::Z).unwrap();
        let motor = Motor { speed: 2.0, damping: 1000.0, force_max: 100.0, ..Motor::default() };
        let joint = gate.join(|_| (), JointKind::Hinge);
        gate.world.set_motor(joint, Some(motor)).unwrap();
        run(&mut gate.world, 1.0);
        let turning = gate.world.turning(gate.gate).unwrap().z;
        assert!((turning - 2.0).abs() < 0.02, "{turning}");
    });
}

#[test]
fn a_slider_slides_along_its_axis_alone() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::NEG_Y);
        let joint = gate.join(|joint| joint.limits = Some([0.0, 3.0]), JointKind::Slider);
        run(&mut gate.world, 3.0);
        let place = gate.world.joint_place(joint).unwrap();
        assert!((place - 3.0).abs() < 0.05, "{place}");
        assert!(gate.at().distance(Vec3::new(1.0, -3.0, 0.0)) < 0.05, "{}", gate.at());
        assert!(gate.world.pose(gate.gate).unwrap().rotation.angle_between(Quat::IDENTITY) < 0.02);
    });
}

#[test]
fn a_ball_swings_and_a_spring_pulls() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::Z);
        gate.join(|_| (), JointKind::Ball);
        gate.world.add_impulse(gate.gate, Vec3::Z, None).unwrap();
        run(&mut gate.world, 1.0);
        assert!((gate.at().length() - 1.0).abs() < 0.03, "{}", gate.at());
    });
    with_memory(|memory| {
        // Hooke: 1 kg stretches a spring of 100 newton a metre by 9.81 cm.
        let mut gate = Gate::new(memory, Vec3::Z);
        let kind = JointKind::Spring { rest: 1.0, stiffness: 100.0, damping: 10.0 };
        let wall = gate.wall;
        let hook =
            Body::cube(ActorKind::Dynamic, 0.1, Vec3::new(0.0, -1.0, 0.0)).put(&mut gate.world);
        gate.world.set_mass(hook, 1.0).unwrap();
        let frames = [Pose::IDENTITY; 2];
        let joint = JointDescription::new(kind, [wall, hook], frames);
        gate.world.create_joint(&joint).unwrap();
        run(&mut gate.world, 6.0);
        let stretch = -position(&gate.world, hook).y - 1.0;
        assert!((stretch - 0.0981).abs() < 0.005, "{stretch}");
    });
}

#[test]
fn a_joint_is_gone_with_its_actor_and_frees_the_other() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::Z);
        let joint = gate.join(|_| (), JointKind::Fixed);
        let post = Body::cube(ActorKind::Dynamic, 0.25, Vec3::X * 2.0).put(&mut gate.world);
        let pair = [gate.gate, post];
        let frames = gate.world.joint_frames(pair, Vec3::X * 1.5, Vec3::Z).unwrap();
        let held = JointDescription::new(JointKind::Fixed, pair, frames);
        let held = gate.world.create_joint(&held).unwrap();
        run(&mut gate.world, 1.0);
        gate.world.destroy_actor(gate.gate).unwrap();
        assert_eq!(gate.world.joint_count(), 0);
        assert!(!gate.world.contains_joint(joint) && !gate.world.contains_joint(held));
        let unknown = Err(PhysicsError::Unknown { what: "joint" });
        assert_eq!(gate.world.destroy_joint(joint), unknown);
        run(&mut gate.world, 0.5);
        assert!(position(&gate.world, post).y < -0.5, "nothing holds it");
    });
}

#[test]
fn what_cannot_be_joined_is_refused() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::Z);
        let joint = JointDescription::new(JointKind::Fixed, [gate.wall, gate.gate], gate.frames);
        let world = &mut gate.world;
        for wrong in [
            JointDescription { actors: [gate.gate; 2], ..joint },
            JointDescription { limits: Some([0.0, 1.0]), ..joint },
            JointDescription { motor: Some(Motor::default()), ..joint },
            JointDescription { kind: JointKind::Hinge, limits: Some([1.0, 0.0]), ..joint },
            JointDescription { frames: [Pose::at(Vec3::NAN); 2], ..joint },
            JointDescription {
                kind: JointKind::Spring { rest: 1.0, stiffness: -1.0, damping: 0.0 },
                ..joint
            },
        ] {
            assert!(world.create_joint(&wrong).is_err(), "{wrong:?}");
        }
        let other = Body::floor().put(world);
        let still = JointDescription { actors: [gate.wall, other], ..joint };
        assert!(world.create_joint(&still).is_err(), "neither is dynamic");
        let fixed = world.create_joint(&joint).unwrap();
        assert!(world.set_motor(fixed, None).is_err());
        assert_eq!(world.joint_count(), 1);
    });
}

/// The solver takes it for granted that a joint has a dynamic body that is enabled.
#[test]
fn a_joint_of_what_is_disabled_rests_and_is_back_with_it() {
    with_memory(|memory| {
        let mut gate = Gate::new(memory, Vec3::Z);
        let cart = Body::cube(ActorKind::Kinematic, 0.1, Vec3::ZERO).put(&mut gate.world);
        gate.world.set_enabled(gate.gate, false).unwrap();
        let frames = gate.world.joint_frames([cart, gate.gate], Vec3::ZERO, Vec3::Z).unwrap();
        let joint = JointDescription::new(JointKind::Fixed, [cart, gate.gate], frames);
        gate.world.create_joint(&joint).unwrap();
        run(&mut gate.world, 0.5);
        assert_eq!(gate.at(), Vec3::X, "it is not there");
        gate.world.set_enabled(gate.gate, true).unwrap();
        run(&mut gate.world, 1.0);
        assert!(gate.at().distance(Vec3::X) < 0.02, "it is held: {}", gate.at());
        gate.world.set_enabled(gate.gate, false).unwrap();
        run(&mut gate.world, 0.5);
    });
}
