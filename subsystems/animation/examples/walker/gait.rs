//! How a person moves. Feet that are on the ground stay where they are.

use core::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Mat3, Quat, Vec3};

use crate::body::{
    ANKLE, ARMS, BALL, BONES, Body, CHEST, HEAD, HIPS, LEGS, NECK, SPINE, turn_x, turn_y, turn_z,
};
use crate::file::Animation;

/// Frames a second.
const RATE: f32 = 30.0;

/// How fast a walk is, in metres a second, how long two steps of it take, and which part of that each
/// foot is on the ground.
const SPEED: f32 = 1.15;
const STRIDE: f32 = 1.0;
const STANCE: f32 = 0.58;

/// How far hips are below where they are at rest.
const BENT: f32 = 0.045;

type Frame = [(Vec3, Quat); BONES.len()];

/// Where a foot is to be, as seen from the root: the ankle, how far the heel is raised, and how it is
/// turned around the vertical axis.
#[derive(Clone, Copy)]
struct Foot {
    ankle: Vec3,
    pitch: f32,
    turn: f32,
}

pub(crate) fn all(body: &Body) -> [Animation; 6] {
    let clip = |name, seconds: f32, pose: &dyn Fn(f32) -> Frame| {
        let last = (seconds * RATE) as usize;
        let frames = (0..=last).map(|frame| pose(frame as f32 / last as f32)).collect();
        Animation { name, rate: RATE, frames }
    };
    [
        clip("idle", 4.0, &|part| idle(body, part)),
        clip("walk", STRIDE, &|part| walk(body, part)),
        clip("turn_left", 1.2, &|part| turn(body, part, FRAC_PI_2)),
        clip("turn_right", 1.2, &|part| turn(body, part, -FRAC_PI_2)),
        clip("look", 4.0, &|part| look(body, part)),
        clip("wave", 2.0, &|part| wave(body, part)),
    ]
}

fn sin(turns: f32) -> f32 {
    libm::sinf(TAU * turns)
}

/// From 0 to 1, slowly at both ends.
fn smooth(part: f32) -> f32 {
    let part = part.clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

fn rest(body: &Body) -> Frame {
    core::array::from_fn(|bone| (body.offsets[bone], Quat::IDENTITY))
}

fn bend(frame: &mut Frame, bone: usize, x: f32, y: f32, z: f32) {
    frame[bone].1 = turn_y(y) * turn_x(x) * turn_z(z);
}

/// Breathing, with the weight on one leg and then on the other.
fn idle(body: &Body, part: f32) -> Frame {
    let mut frame = rest(body);
    let (breath, sway) = (sin(2.0 * part), sin(part));
    frame[HIPS].0 += Vec3::new(0.018 * sway, 0.003 * breath - BENT * 0.6, 0.0);
    bend(&mut frame, HIPS, 0.0, 0.03 * sway, -0.02 * sway);
    bend(&mut frame, SPINE, 0.02 + 0.008 * breath, 0.0, 0.02 * sway);
    bend(&mut frame, CHEST, 0.015 * breath, -0.02 * sway, 0.01 * sway);
    bend(&mut frame, HEAD, -0.02 * breath, 0.06 * sin(part + 0.1), 0.0);
    for (arm, side) in ARMS.into_iter().zip([1.0, -1.0]) {
        bend(&mut frame, arm, 0.03 * breath, 0.0, side * (0.1 + 0.012 * breath));
        bend(&mut frame, arm + 1, -0.22 - 0.03 * breath, 0.0, 0.0);
    }
    for (leg, side) in LEGS.into_iter().zip([1.0, -1.0]) {
        let ankle = Vec3::new(0.11 * side, ANKLE, -0.01);
        place_foot(body, &mut frame, leg, &Foot { ankle, pitch: 0.0, turn: 0.12 * side });
    }
    frame
}

/// Two steps; the left heel comes down first.
fn walk(body: &Body, part: f32) -> Frame {
    let mut frame = rest(body);
    frame[0].0.z = SPEED * STRIDE * part;
    let (swing, bob) = (libm::cosf(TAU * part), libm::cosf(2.0 * TAU * (part - 0.04)));
    frame[HIPS].0 += Vec3::new(0.02 * sin(part - 0.04), -BENT - 0.018 * bob, 0.02);
    bend(&mut frame, HIPS, 0.03, -0.1 * swing, -0.03 * sin(part));
    bend(&mut frame, SPINE, 0.03, 0.08 * swing, 0.02 * sin(part));
    bend(&mut frame, CHEST, 0.03, 0.14 * swing, 0.015 * sin(part));
    bend(&mut frame, NECK, -0.03, -0.06 * swing, 0.0);
    bend(&mut frame, HEAD, -0.04, -0.05 * swing, 0.0);
    for (arm, side) in ARMS.into_iter().zip([1.0, -1.0]) {
        let forward = -side * libm::cosf(TAU * (part - 0.03));
        bend(&mut frame, arm, -0.42 * forward + 0.06, 0.0, 0.1 * side);
        bend(&mut frame, arm + 1, -0.35 - 0.2 * forward.max(-0.6), 0.0, 0.0);
    }
    for (leg, side, late) in [(LEGS[0], 1.0, 0.0), (LEGS[1], -1.0, 0.5)] {
        let phase = part - late;
        let mut foot = step(phase - libm::floorf(phase));
        foot.ankle.x = 0.085 * side;
        foot.turn = 0.08 * side;
        place_foot(body, &mut frame, leg, &foot);
    }
    frame
}

/// How far the heel is raised when the foot leaves the ground, and the toes when it comes down.
const PUSH: f32 = 0.75;
const HEEL: f32 = -0.28;

/// A foot in a walk: on the ground first, then in the air.
fn step(phase: f32) -> Foot {
    // From where it comes down to where it leaves the ground, as seen from the root, which moves on.
    let reach = SPEED * STRIDE * STANCE * 0.5 + 0.02;
    if phase < STANCE {
        let part = phase / STANCE;
        let flat = reach - SPEED * STRIDE * phase;
        let pitch = PUSH * smooth((part - 0.55) / 0.45) + HEEL * (1.0 - smooth(part / 0.2));
        return on_ground(flat, pitch);
    }
    let part = (phase - STANCE) / (1.0 - STANCE);
    let (from, to) = (on_ground(reach - SPEED * STRIDE * STANCE, PUSH), on_ground(reach, HEEL));
    // Neither end has a jerk: the foot leaves with the speed of the ground, and comes with it.
    let ground = -SPEED * STRIDE * (1.0 - STANCE);
    let (square, cube) = (part * part, part * part * part);
    let rise = 3.0 * square - 2.0 * cube;
    let slopes = (cube - 2.0 * square + part) + (cube - square);
    let z = from.ankle.z + (to.ankle.z - from.ankle.z) * rise + ground * slopes;
    let y = from.ankle.y + (to.ankle.y - from.ankle.y) * rise + 0.05 * libm::sinf(PI * part);
    let pitch = PUSH + (HEEL - PUSH) * smooth(part * 1.05);
    Foot { ankle: Vec3::new(0.0, y, z), pitch, turn: 0.0 }
}

/// A foot on the ground whose flat ankle would be at `flat`: it turns about its ball where the heel is
/// raised, and about its heel where the toes are.
fn on_ground(flat: f32, pitch: f32) -> Foot {
    let pivot = if pitch > 0.0 { BALL } else { -0.06 };
    let (sine, cosine) = (libm::sinf(pitch), libm::cosf(pitch));
    let (y, z) = (ANKLE, -pivot);
    let ankle = Vec3::new(0.0, y * cosine - z * sine, flat + pivot + y * sine + z * cosine);
    Foot { ankle, pitch, turn: 0.0 }
}

/// A quarter of a turn in two steps.
fn turn(body: &Body, part: f32, angle: f32) -> Frame {
    let mut frame = rest(body);
    let turned = angle * smooth((part - 0.05) / 0.85);
    frame[0].1 = turn_y(turned);
    // The foot on the side that it turns to steps first.
    let first = if angle > 0.0 { 0 } else { 1 };
    let weight = sin(part) * if first == 0 { -0.03 } else { 0.03 };
    let down = BENT * 0.6 + 0.02 * libm::sinf(PI * part);
    frame[HIPS].0 += turn_y(-turned) * Vec3::new(weight, 0.0, 0.0) - Vec3::Y * down;
    let ahead = angle * 0.25 * libm::sinf(PI * part);
    bend(&mut frame, SPINE, 0.03, 0.3 * ahead, 0.0);
    bend(&mut frame, CHEST, 0.02, 0.4 * ahead, 0.0);
    bend(&mut frame, HEAD, 0.0, 0.8 * ahead, 0.0);
    for (arm, side) in ARMS.into_iter().zip([1.0, -1.0]) {
        bend(&mut frame, arm, 0.12 * side * sin(part), 0.0, side * 0.13);
        bend(&mut frame, arm + 1, -0.28, 0.0, 0.0);
    }
    for (number, (leg, side)) in LEGS.into_iter().zip([1.0, -1.0]).enumerate() {
        let start = if number == first { 0.08 } else { 0.5 };
        let moved = smooth((part - start) / 0.38);
        let air = ((part - start) / 0.38).clamp(0.0, 1.0);
        // In the world, where the foot is turned with its place.
        let around = angle * moved;
        let world = turn_y(around) * Vec3::new(0.11 * side, ANKLE, -0.01);
        let world = world + Vec3::Y * 0.07 * libm::sinf(PI * air);
        let ankle = turn_y(-turned) * world;
        let pitch = 0.35 * libm::sinf(PI * air);
        place_foot(
            body,
            &mut frame,
            leg,
            &Foot { ankle, pitch, turn: around - turned + 0.12 * side },
        );
    }
    frame
}

/// The head turns to the left, and to the right.
fn look(body: &Body, part: f32) -> Frame {
    let mut frame = idle(body, part);
    let aside =
        smooth(part / 0.15) - smooth((part - 0.4) / 0.2) * 2.0 + smooth((part - 0.85) / 0.15);
    bend(&mut frame, NECK, 0.0, 0.35 * aside, 0.0);
    bend(&mut frame, HEAD, -0.06, 0.6 * aside, 0.0);
    frame
}

/// The right hand is raised and waves.
fn wave(body: &Body, part: f32) -> Frame {
    let mut frame = idle(body, part);
    let up = smooth(part / 0.2) * (1.0 - smooth((part - 0.8) / 0.2));
    let arm = ARMS[1];
    bend(&mut frame, arm, -0.25 * up, 0.0, -0.1 - 1.9 * up);
    let wave = 0.35 * sin(4.0 * part);
    bend(&mut frame, arm + 1, -0.25 * (1.0 - up), 0.0, up * (-0.75 + wave));
    frame
}

/// Turns a leg so that its foot is where it is to be.
fn place_foot(body: &Body, frame: &mut Frame, leg: usize, foot: &Foot) {
    let (hips_at, hips) = frame[HIPS];
    let hip = hips_at + hips * body.offsets[leg];
    let (thigh, shin) = (body.offsets[leg + 1].length(), body.offsets[leg + 2].length());
    let way = foot.ankle - hip;
    let far = way.length().min(0.999 * (thigh + shin));
    let along = way.normalize();
    // Knees point where the foot does.
    let forward = turn_y(foot.turn) * Vec3::Z;
    let forward = (forward - along * forward.dot(along)).normalize();
    let foot_of_knee = (thigh * thigh - shin * shin + far * far) / (2.0 * far);
    let bulge = libm::sqrtf((thigh * thigh - foot_of_knee * foot_of_knee).max(0.0));
    let knee = along * foot_of_knee + forward * bulge;
    let upper = turned_to(knee, forward);
    let lower = turned_to(along * far - knee, forward);
    let sole = turn_y(foot.turn) * turn_x(foot.pitch);
    frame[leg].1 = hips.conjugate() * upper;
    frame[leg + 1].1 = upper.conjugate() * lower;
    frame[leg + 2].1 = lower.conjugate() * sole;
    // Toes stay on the ground where the heel is raised.
    frame[leg + 3].1 = turn_x(-foot.pitch.clamp(0.0, PUSH));
}

/// Returns how a bone is turned that points down, so that it points along a direction; its front is near
/// another.
fn turned_to(down: Vec3, front: Vec3) -> Quat {
    let y = -down.normalize();
    let x = y.cross(front).normalize();
    Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
}
