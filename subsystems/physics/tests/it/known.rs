//! Cases whose solutions are known. Each is a measure that returns by how much the world is off and by
//! how much it may be, which follows from the length of a step and from what the solver allows; and
//! each is taken of a world with a planted fault as well, which it must find.

use glam::Vec3;
use loligo_physics::{ActorKind, JointDescription, JointKind, Surface};

use crate::memory::with_memory;
use crate::scene::{Body, GRAVITY, STEP, World, position, run, surface, world};

/// What a measure has found.
#[derive(Clone, Copy, Debug)]
struct Off {
    /// By how much the world is off.
    by: f32,
    /// By how much it may be.
    allowed: f32,
}

impl Off {
    fn is_right(self) -> bool {
        self.by <= self.allowed
    }
}

/// Takes a measure of a right world and of one with a fault.
fn judge(measure: impl Fn(&mut World<'_>, bool) -> Off) {
    for has_fault in [false, true] {
        let off = with_memory(|memory| measure(&mut world(memory), has_fault));
        assert_eq!(off.is_right(), !has_fault, "fault: {has_fault}, {off:?}");
    }
}

/// Speeds change at the beginning of a step or of its parts, so what falls is at most half a step's
/// fall ahead: g * step * time / 2.
#[test]
fn what_falls_is_half_of_gravity_times_the_square_of_time_below() {
    judge(|world, is_half| {
        let ball = Body::ball(0.5, Vec3::new(0.0, 100.0, 0.0)).put(world);
        world.set_gravity_scale(ball, if is_half { 0.5 } else { 1.0 }).unwrap();
        run(world, 2.0);
        let fallen = 100.0 - position(world, ball).y;
        Off { by: (fallen - GRAVITY * 2.0 * 2.0 / 2.0).abs(), allowed: GRAVITY * STEP * 2.0 / 2.0 }
    });
}

/// A ball of radius r at the end of a rod of length l: 2 pi sqrt((l^2 + 2/5 r^2) / (g l)), and 1 + a^2 / 16
/// of it for a small amplitude a. The integrator is off by (omega * step)^2 / 24 of it, which is 0.01 %;
/// the joint of the solver is a stiff spring, for which a hundredth is allowed.
#[test]
fn a_pendulum_has_the_period_that_its_length_makes() {
    judge(|world, is_half| {
        if is_half {
            world.set_gravity(Vec3::new(0.0, -GRAVITY / 2.0, 0.0)).unwrap();
        }
        let (length, radius, amplitude) = (1.0_f32, 0.1_f32, 0.15_f32);
        let pivot = Vec3::new(0.0, 5.0, 0.0);
        let at = pivot + length * Vec3::new(amplitude.sin(), -amplitude.cos(), 0.0);
        let hook = Body::cube(ActorKind::Static, 0.01, pivot).put(world);
        let ball = Body::ball(radius, at).put(world);
        let frames = world.joint_frames([hook, ball], pivot, Vec3::Z).unwrap();
        let joint = JointDescription::new(JointKind::Hinge, [hook, ball], frames);
        world.create_joint(&joint).unwrap();
        let (mut before, mut crossings) = (position(world, ball).x, Vec::new());
        for step in 0..1500 {
            world.step().unwrap();
            let x = position(world, ball).x;
            if before < 0.0 && x >= 0.0 {
                crossings.push((step as f32 + before / (before - x)) * STEP);
            }
            before = x;
        }
        let periods = crossings.len() - 1;
        let period = (crossings[periods] - crossings[0]) / periods as f32;
        let square = (length * length + 0.4 * radius * radius) / (GRAVITY * length);
        let known = core::f32::consts::TAU * square.sqrt() * (1.0 + amplitude * amplitude / 16.0);
        Off { by: (period - known).abs(), allowed: 0.01 * known }
    });
}

/// A box on a slope slides from the angle on whose tangent is its friction: it stays a tenth below, and
/// slides a tenth above by the difference of both accelerations. While it settles it may slide by
/// the slop of the solver, 5 mm; how far it slides is right to a step's speed in the way of a second.
#[test]
fn a_box_slides_from_the_angle_of_its_friction_on() {
    judge(|world, is_smooth| {
        let friction = 0.5;
        let rough = surface(if is_smooth { 0.0 } else { friction }, 0.0);
        let mut off = 0.0_f32;
        let mut allowed = 0.0;
        for (factor, at) in [(0.9, 0.0), (1.1, 10.0)] {
            let angle = (friction * factor).atan();
            let down = GRAVITY * Vec3::new(angle.sin(), -angle.cos(), 0.0);
            let floor = Body::floor().with(rough).put(world);
            let crate_at = Vec3::new(0.0, 0.2, at);
            let thing = Body::cube(ActorKind::Dynamic, 0.2, crate_at).with(rough).put(world);
            world.set_gravity(Vec3::new(0.0, -GRAVITY, 0.0)).unwrap();
            run(world, 0.5);
            let start = position(world, thing).x;
            world.set_gravity(down).unwrap();
            run(world, 1.0);
            let pull = GRAVITY * (angle.sin() - friction * angle.cos());
            let known = pull.max(0.0) / 2.0;
            off = off.max((position(world, thing).x - start - known).abs());
            allowed = 0.005 + GRAVITY * angle.sin() * STEP / 2.0;
            world.destroy_actor(thing).unwrap();
            world.destroy_actor(floor).unwrap();
        }
        Off { by: off, allowed }
    });
}

/// Ten boxes on each other stay where they are, within 5 mm of slop for each contact below, and come to
/// rest. The fault: they bounce.
#[test]
fn a_stack_of_ten_is_at_rest() {
    judge(|world, do_bounce| {
        let made_of = surface(0.5, if do_bounce { 1.0 } else { 0.0 });
        Body::floor().with(made_of).put(world);
        let gap = if do_bounce { 0.05 } else { 0.0 };
        let boxes: Vec<_> = (0..10)
            .map(|level| {
                let at = Vec3::new(0.0, 0.5 + level as f32 * (1.0 + gap), 0.0);
                Body::cube(ActorKind::Dynamic, 0.5, at).with(made_of).put(world)
            })
            .collect();
        run(world, 6.0);
        let mut off = Off { by: 0.0, allowed: 1.0 };
        for (level, id) in boxes.iter().enumerate() {
            let known = Vec3::new(0.0, 0.5 + level as f32, 0.0);
            let slop = 0.005 * (level + 1) as f32;
            off.by = off.by.max((position(world, *id) - known).abs().max_element() / slop);
            let awake = if world.is_asleep(*id).unwrap() { 0.0 } else { 2.0 };
            off.by = off.by.max(awake);
        }
        off
    });
}

/// What falls from a height bounces to the square of its restitution of it. The speed at which it
/// meets the ground is right to that of one step, before and after.
#[test]
fn a_ball_bounces_as_high_as_its_restitution_says() {
    judge(|world, is_dull| {
        let bouncing = surface(0.5, if is_dull { 0.4 } else { 0.8 });
        Body::floor().with(bouncing).put(world);
        let (height, radius) = (2.0_f32, 0.25);
        let at = Vec3::new(0.0, height + radius, 0.0);
        let ball = Body::ball(radius, at).with(bouncing).put(world);
        let (mut lowest, mut peak) = (height, 0.0_f32);
        for _ in 0..150 {
            world.step().unwrap();
            let bottom = position(world, ball).y - radius;
            // The peak is after the first time at the ground and before the second.
            match world.velocity(ball).unwrap().y > 0.0 {
                true if lowest < 0.1 => peak = peak.max(bottom),
                _ if peak > 0.0 => break,
                _ => lowest = lowest.min(bottom),
            }
        }
        let known = 0.8 * 0.8 * height;
        let speed = (2.0 * GRAVITY * height).sqrt();
        Off { by: (peak - known).abs(), allowed: known * 2.0 * 2.0 * GRAVITY * STEP / speed }
    });
}

/// A ball of 10 cm at 250 metres a second goes 4 metres in a step, and a door that moves is 4 cm thick.
/// The fault: its way is not checked.
#[test]
fn a_continuous_ball_does_not_pass_through_a_door_that_moves() {
    judge(|world, is_discrete| {
        let half = loligo_physics::Geometry::Box { half: Vec3::new(0.02, 2.0, 2.0) };
        let door = Body::new(ActorKind::Kinematic, half, Vec3::new(10.0, 2.0, 0.0)).put(world);
        let heavy = Surface { density: 7800.0, ..Surface::default() };
        let ball = Body::ball(0.05, Vec3::new(0.0, 2.0, 0.0)).with(heavy);
        let ball = Body { is_continuous: !is_discrete, ..ball.fast(Vec3::new(250.0, 0.0, 0.0)) };
        let ball = ball.put(world);
        run(world, 0.5);
        let _ = door;
        Off { by: position(world, ball).x, allowed: 10.0 }
    });
}

/// What is static stops all that is fast, without a word: 300 metres a second against 2 cm.
#[test]
fn nothing_passes_through_what_is_static() {
    with_memory(|memory| {
        let world = &mut world(memory);
        let half = loligo_physics::Geometry::Box { half: Vec3::new(0.01, 2.0, 2.0) };
        Body::new(ActorKind::Static, half, Vec3::new(10.0, 2.0, 0.0)).put(world);
        let ball = Body::ball(0.05, Vec3::new(0.0, 2.0, 0.0)).fast(Vec3::new(300.0, 0.0, 0.0));
        let ball = ball.put(world);
        run(world, 0.5);
        assert!(position(world, ball).x < 10.0, "{}", position(world, ball));
    });
}
