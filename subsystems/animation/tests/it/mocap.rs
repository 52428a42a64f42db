//! Clips as motion capture makes them, from a seed: the same on all machines.
//!
//! What is in one:
//!
//! - A gait of 0.7 to 1.1 cycles a second. Each joint swings around one main axis, as a hinge does, with a
//!   tenth of it around the others; the spectrum of a swing is that of the first six harmonics, the n-th
//!   with an amplitude of 1 / n^2 at a random phase.
//! - Slow sway of 0.05 to 0.3 cycles a second in all joints.
//! - Footsteps: at each, knee, ankle and hip of that leg take an impulse that decays within a tenth of a
//!   second, and the hips drop by up to 2 cm.
//! - The hips travel forward and bob.
//! - Noise in all moving joints: white, of the stated degrees, smoothed over three frames as capture
//!   software does.
//! - Fingers that hold still in most clips, and close and open in some.

use core::f32::consts::TAU;

use glam::{Quat, Vec3};
use loligo_animation::compile::{RawClip, RawSkeleton};
use loligo_entities::Pose;

/// What a clip is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MocapTerms {
    pub(crate) seed: u64,
    pub(crate) frames: usize,
    pub(crate) rate: f32,
    /// Degrees of noise in each joint.
    pub(crate) noise: f32,
    /// How far the hips travel in a second, in metres.
    pub(crate) speed: f32,
}

/// A generator of random numbers: splitmix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next number from -1 to 1.
    pub(crate) fn signed(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = (mixed ^ mixed >> 31) >> 40;
        bits as f32 / 8_388_608.0 - 1.0
    }

    /// Returns the next number between two.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * 0.5 * (self.signed() + 1.0)
    }
}

/// Makes a body of 22 bones, or of 62 with fingers of three bones and helpers that roll.
pub(crate) fn body(has_fingers: bool) -> RawSkeleton {
    let mut body = RawSkeleton::default();
    let at = |x: f32, y: f32, z: f32| Pose::at(Vec3::new(x, y, z));
    let hips = body.add("hips", None, at(0.0, 0.95, 0.0));
    let mut spine = hips;
    for (number, name) in ["spine", "chest", "upper chest"].into_iter().enumerate() {
        spine = body.add(name, Some(spine), at(0.0, 0.12, 0.01 * number as f32));
    }
    let neck = body.add("neck", Some(spine), at(0.0, 0.15, 0.0));
    body.add("head", Some(neck), at(0.0, 0.1, 0.02));
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let clavicle =
            body.add(&format!("{side} clavicle"), Some(spine), at(sign * 0.05, 0.1, 0.0));
        let arm = body.add(&format!("{side} arm"), Some(clavicle), at(sign * 0.14, 0.0, 0.0));
        let forearm = body.add(&format!("{side} forearm"), Some(arm), at(sign * 0.28, 0.0, 0.0));
        let hand = body.add(&format!("{side} hand"), Some(forearm), at(sign * 0.26, 0.0, 0.0));
        if has_fingers {
            for (number, finger) in
                ["thumb", "index", "middle", "ring", "little"].iter().enumerate()
            {
                let mut joint = hand;
                let mut far = 0.08;
                for part in 0..3 {
                    let place = at(sign * far, 0.0, 0.02 * number as f32 - 0.04);
                    joint = body.add(&format!("{side} {finger} {part}"), Some(joint), place);
                    far = 0.03;
                }
            }
            body.add(&format!("{side} arm roll"), Some(arm), at(sign * 0.14, 0.0, 0.0));
            body.add(&format!("{side} forearm roll"), Some(forearm), at(sign * 0.13, 0.0, 0.0));
        }
        let thigh = body.add(&format!("{side} thigh"), Some(hips), at(sign * 0.09, -0.05, 0.0));
        let shin = body.add(&format!("{side} shin"), Some(thigh), at(0.0, -0.42, 0.0));
        let foot = body.add(&format!("{side} foot"), Some(shin), at(0.0, -0.42, 0.0));
        body.add(&format!("{side} toes"), Some(foot), at(0.0, -0.05, 0.13));
        if has_fingers {
            body.add(&format!("{side} thigh roll"), Some(thigh), at(0.0, -0.2, 0.0));
            body.add(&format!("{side} shin roll"), Some(shin), at(0.0, -0.2, 0.0));
            body.add(&format!("{side} heel"), Some(foot), at(0.0, -0.06, -0.05));
        }
    }
    body
}

/// A swing: harmonics of the gait around one main axis.
struct Swing {
    axis: Vec3,
    amplitude: f32,
    phases: [f32; 6],
    sway: (f32, f32, f32),
}

impl Swing {
    fn new(random: &mut Random, amplitude: f32) -> Self {
        let main = (random.between(0.0, 3.0) as usize).min(2);
        let mut axis = [0.1 * random.signed(), 0.1 * random.signed(), 0.1 * random.signed()];
        axis[main] = 1.0;
        Self {
            axis: Vec3::from_array(axis).normalize(),
            amplitude,
            phases: core::array::from_fn(|_| random.between(0.0, TAU)),
            sway: (random.between(0.05, 0.3), random.between(0.0, TAU), 0.1 * amplitude),
        }
    }

    fn angle(&self, seconds: f32, gait: f32) -> f32 {
        let waves = self.phases.iter().enumerate().map(|(number, phase)| {
            let harmonic = number as f32 + 1.0;
            libm::sinf(TAU * gait * harmonic * seconds + phase) / (harmonic * harmonic)
        });
        let (rate, phase, amplitude) = self.sway;
        self.amplitude * waves.sum::<f32>() + amplitude * libm::sinf(TAU * rate * seconds + phase)
    }
}

/// Returns how far a joint swings, in radians.
fn amplitude(name: &str, fingers_move: bool) -> f32 {
    let degrees: f32 = match name {
        _ if name.contains("thumb")
            || name.contains("index")
            || name.contains("middle")
            || name.contains("ring")
            || name.contains("little") =>
        {
            if fingers_move {
                12.0
            } else {
                0.0
            }
        }
        _ if name.contains("thigh roll") || name.contains("heel") || name.contains("shin roll") => {
            0.0
        }
        _ if name.contains("roll") => 4.0,
        _ if name.contains("thigh") || name.contains("arm") => 18.0,
        _ if name.contains("shin") => 22.0,
        _ if name.contains("foot") || name.contains("toes") => 10.0,
        _ => 3.0,
    };
    degrees.to_radians()
}

/// Returns the impulse of the last footstep of a leg: 1 at the step, and gone a tenth of a second later.
fn impulse(seconds: f32, gait: f32, phase: f32) -> f32 {
    let cycle = seconds * gait + phase;
    let since = (cycle - cycle.floor()) / gait;
    if since < 0.1 { (1.0 - since / 0.1) * (1.0 - since / 0.1) } else { 0.0 }
}

/// Makes a clip for a body.
pub(crate) fn clip(body: &RawSkeleton, terms: MocapTerms) -> RawClip {
    let MocapTerms { seed, frames, rate, noise, speed } = terms;
    let mut random = Random(seed);
    let gait = random.between(0.7, 1.1);
    let fingers_move = random.signed() > 0.5;
    let swings: Vec<_> = body
        .names
        .iter()
        .map(|name| Swing::new(&mut random, amplitude(name, fingers_move)))
        .collect();
    let noises: Vec<Vec<Vec3>> = swings
        .iter()
        .map(|swing| noise_of(&mut random, frames, if swing.amplitude > 0.0 { noise } else { 0.0 }))
        .collect();
    let mut samples = Vec::with_capacity(frames * body.len());
    for (frame, shakes) in (0..frames).map(|frame| (frame, at(&noises, frame))) {
        let seconds = frame as f32 / rate;
        for (bone, name) in body.names.iter().enumerate() {
            let mut pose = body.bind[bone];
            let mut angle = swings[bone].angle(seconds, gait);
            let phase = if name.starts_with("left") { 0.0 } else { 0.5 };
            let is_leg = ["thigh", "shin", "foot"].iter().any(|part| name.ends_with(part));
            if is_leg {
                angle += 0.06 * impulse(seconds, gait, phase);
            }
            if name == "hips" {
                let drop = impulse(seconds, gait, 0.0) + impulse(seconds, gait, 0.5);
                let bob = 0.02 * libm::sinf(2.0 * TAU * gait * seconds) - 0.02 * drop;
                pose.position += Vec3::new(0.01 * angle, bob, speed * seconds);
            }
            let turn = Quat::from_scaled_axis(swings[bone].axis * angle + shakes[bone]);
            pose.rotation = (pose.rotation * turn).normalize();
            samples.push(pose);
        }
    }
    RawClip { rate, samples, ..RawClip::default() }
}

/// Returns the noise of all bones in a frame.
fn at(noises: &[Vec<Vec3>], frame: usize) -> Vec<Vec3> {
    noises.iter().map(|noise| noise[frame]).collect()
}

/// Returns white noise of that many degrees, smoothed over three frames.
fn noise_of(random: &mut Random, frames: usize, degrees: f32) -> Vec<Vec3> {
    let mut next =
        || Vec3::new(random.signed(), random.signed(), random.signed()) * degrees.to_radians();
    let white: Vec<_> = (0..frames + 2).map(|_| next()).collect();
    white.windows(3).map(|three| 0.25 * (three[0] + 2.0 * three[1] + three[2])).collect()
}
