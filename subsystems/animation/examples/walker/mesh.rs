//! A skin of tubes around the bones.

use core::f32::consts::TAU;

use glam::{Quat, Vec3};

use crate::body::{ANKLE, ARMS, BALL, Body, CHEST, HEAD, HIPS, LEGS, NECK, SPINE, turn_x};
use crate::picture::{HAIR, SHIRT, SHOE, SKIN, TROUSERS};

/// A corner of the skin: with two bones, and how much it follows the second, of 255.
#[derive(Clone, Copy)]
pub(crate) struct Vertex {
    pub(crate) place: Vec3,
    pub(crate) normal: Vec3,
    /// The number of its color.
    pub(crate) color: usize,
    pub(crate) bones: [usize; 2],
    pub(crate) second: u8,
}

#[derive(Default)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) triangles: Vec<[u16; 3]>,
}

/// A ring of a tube: its middle, half its width and depth, how it follows bones, and its color.
#[derive(Clone, Copy)]
struct Ring {
    middle: Vec3,
    radii: [f32; 2],
    bones: [usize; 2],
    second: f32,
    color: usize,
}

/// Returns the skin of a body.
pub(crate) fn of(body: &Body) -> Mesh {
    let mut mesh = Mesh::default();
    torso(body, &mut mesh);
    head(body, &mut mesh);
    for (arm, leg) in ARMS.into_iter().zip(LEGS) {
        limb_of_arm(body, arm, &mut mesh);
        limb_of_leg(body, leg, &mut mesh);
        foot(body, leg + 2, &mut mesh);
    }
    mesh
}

fn torso(body: &Body, mesh: &mut Mesh) {
    let [hips, spine, chest, neck] = [HIPS, SPINE, CHEST, NECK].map(|bone| body.place(bone));
    let up = |from: Vec3, by: f32| from + Vec3::Y * by;
    let ring = |middle, radii, bones, second, color| Ring { middle, radii, bones, second, color };
    let broad = body.place(ARMS[0]).x;
    mesh.tube(
        8,
        Quat::IDENTITY,
        &[
            ring(up(hips, -0.11), [0.02, 0.02], [HIPS, SPINE], 0.0, TROUSERS),
            ring(up(hips, -0.1), [0.13, 0.1], [HIPS, SPINE], 0.0, TROUSERS),
            ring(up(hips, 0.0), [0.165, 0.12], [HIPS, SPINE], 0.0, TROUSERS),
            ring(up(hips, 0.07), [0.155, 0.11], [HIPS, SPINE], 0.3, TROUSERS),
            ring(up(hips, 0.07), [0.16, 0.115], [HIPS, SPINE], 0.3, SHIRT),
            ring(up(spine, 0.05), [0.15, 0.11], [SPINE, CHEST], 0.2, SHIRT),
            ring(up(chest, 0.0), [0.17, 0.12], [SPINE, CHEST], 0.7, SHIRT),
            ring(up(chest, 0.1), [0.185, 0.125], [CHEST, NECK], 0.0, SHIRT),
            ring(up(chest, 0.17), [broad - 0.02, 0.11], [CHEST, NECK], 0.0, SHIRT),
            ring(up(neck, -0.02), [0.1, 0.08], [CHEST, NECK], 0.3, SHIRT),
            ring(up(neck, 0.0), [0.058, 0.06], [CHEST, NECK], 0.6, SHIRT),
            ring(up(neck, 0.0), [0.055, 0.055], [CHEST, NECK], 0.7, SKIN),
            ring(up(neck, 0.09), [0.05, 0.055], [NECK, HEAD], 0.5, SKIN),
        ],
    );
}

fn head(body: &Body, mesh: &mut Mesh) {
    let middle = body.place(HEAD) + Vec3::new(0.0, 0.1, 0.01);
    let ring = |y: f32, z: f32, radius: f32, color| Ring {
        middle: middle + Vec3::new(0.0, y, z),
        radii: [0.85 * radius, radius],
        bones: [HEAD, HEAD],
        second: 0.0,
        color,
    };
    mesh.tube(
        8,
        Quat::IDENTITY,
        &[
            ring(-0.125, 0.02, 0.01, SKIN),
            ring(-0.11, 0.015, 0.06, SKIN),
            ring(-0.05, 0.005, 0.095, SKIN),
            ring(0.02, 0.0, 0.105, SKIN),
            ring(0.045, -0.002, 0.106, SKIN),
            ring(0.045, -0.008, 0.114, HAIR),
            ring(0.09, -0.01, 0.1, HAIR),
            ring(0.125, -0.01, 0.06, HAIR),
            ring(0.137, -0.01, 0.01, HAIR),
        ],
    );
    // Hair at the back, so that one sees where it looks.
    let back = |y: f32, radii: [f32; 2]| Ring {
        middle: middle + Vec3::new(0.0, y, -0.06),
        radii,
        bones: [HEAD, HEAD],
        second: 0.0,
        color: HAIR,
    };
    mesh.tube(
        6,
        Quat::IDENTITY,
        &[back(-0.09, [0.03, 0.02]), back(-0.07, [0.07, 0.045]), back(0.05, [0.088, 0.06])],
    );
    // A nose.
    let nose = |y: f32, radius: f32| Ring {
        middle: middle + Vec3::new(0.0, y, 0.1),
        radii: [radius, 1.3 * radius],
        bones: [HEAD, HEAD],
        second: 0.0,
        color: SKIN,
    };
    mesh.tube(5, Quat::IDENTITY, &[nose(-0.035, 0.01), nose(-0.025, 0.018), nose(0.02, 0.006)]);
}

fn limb_of_arm(body: &Body, arm: usize, mesh: &mut Mesh) {
    let [shoulder, elbow, wrist] = [arm, arm + 1, arm + 2].map(|bone| body.place(bone));
    let ring = |middle, radii, bones, second, color| Ring { middle, radii, bones, second, color };
    let hand = wrist - Vec3::Y * 0.09;
    mesh.tube(
        6,
        Quat::IDENTITY,
        &[
            ring(hand - Vec3::Y * 0.06, [0.012, 0.02], [arm + 2, arm + 2], 0.0, SKIN),
            ring(hand - Vec3::Y * 0.03, [0.022, 0.04], [arm + 2, arm + 2], 0.0, SKIN),
            ring(hand + Vec3::Y * 0.04, [0.024, 0.045], [arm + 2, arm + 2], 0.0, SKIN),
            ring(wrist, [0.026, 0.03], [arm + 1, arm + 2], 0.5, SKIN),
            ring(wrist + Vec3::Y * 0.03, [0.028, 0.032], [arm + 1, arm + 2], 0.0, SKIN),
            ring(wrist + Vec3::Y * 0.03, [0.038, 0.042], [arm + 1, arm + 2], 0.0, SHIRT),
            ring(elbow.lerp(wrist, 0.3), [0.044, 0.046], [arm + 1, arm + 2], 0.0, SHIRT),
            ring(elbow, [0.044, 0.046], [arm, arm + 1], 0.5, SHIRT),
            ring(shoulder.lerp(elbow, 0.4), [0.052, 0.055], [arm, arm + 1], 0.0, SHIRT),
            ring(shoulder, [0.06, 0.065], [CHEST, arm], 0.6, SHIRT),
            ring(shoulder + Vec3::Y * 0.045, [0.03, 0.04], [CHEST, arm], 0.4, SHIRT),
            ring(shoulder + Vec3::Y * 0.055, [0.005, 0.005], [CHEST, arm], 0.4, SHIRT),
        ],
    );
}

fn limb_of_leg(body: &Body, leg: usize, mesh: &mut Mesh) {
    let [hip, knee, ankle] = [leg, leg + 1, leg + 2].map(|bone| body.place(bone));
    let ring =
        |middle, radii, bones, second| Ring { middle, radii, bones, second, color: TROUSERS };
    mesh.tube(
        7,
        Quat::IDENTITY,
        &[
            ring(ankle + Vec3::Y * 0.02, [0.052, 0.058], [leg + 1, leg + 2], 0.2),
            ring(ankle.lerp(knee, 0.3), [0.055, 0.062], [leg + 1, leg + 2], 0.0),
            ring(ankle.lerp(knee, 0.7), [0.063, 0.072], [leg + 1, leg + 2], 0.0),
            ring(knee.lerp(ankle, 0.1), [0.06, 0.066], [leg, leg + 1], 0.8),
            ring(knee, [0.063, 0.068], [leg, leg + 1], 0.5),
            ring(knee.lerp(hip, 0.1), [0.066, 0.07], [leg, leg + 1], 0.2),
            ring(knee.lerp(hip, 0.6), [0.08, 0.085], [leg, leg + 1], 0.0),
            ring(hip, [0.086, 0.095], [HIPS, leg], 0.6),
            ring(hip + Vec3::Y * 0.06, [0.06, 0.07], [HIPS, leg], 0.2),
        ],
    );
}

/// A shoe: rings along z, from the heel to the toes.
fn foot(body: &Body, foot: usize, mesh: &mut Mesh) {
    let ankle = body.place(foot);
    let ring = |z: f32, high: f32, half: f32, toe: f32| Ring {
        middle: Vec3::new(ankle.x, 0.5 * high, ankle.z + z),
        radii: [half, 0.5 * high],
        bones: [foot, foot + 1],
        second: toe,
        color: SHOE,
    };
    // What is up for a tube is forward for a shoe.
    let forward = turn_x(core::f32::consts::FRAC_PI_2);
    mesh.tube(
        6,
        forward,
        &[
            ring(-0.075, 0.05, 0.02, 0.0),
            ring(-0.065, 0.1, 0.042, 0.0),
            ring(0.0, ANKLE + 0.03, 0.046, 0.0),
            ring(0.07, 0.085, 0.048, 0.0),
            ring(BALL, 0.065, 0.052, 0.5),
            ring(BALL + 0.05, 0.05, 0.045, 1.0),
            ring(BALL + 0.075, 0.02, 0.02, 1.0),
        ],
    );
}

impl Mesh {
    /// Adds a tube of rings, from one end to the other, both of them closed.
    fn tube(&mut self, sides: u16, turn: Quat, rings: &[Ring]) {
        let first = self.vertices.len() as u16;
        for (at, ring) in rings.iter().enumerate() {
            let (before, after) = (at.saturating_sub(1), (at + 1).min(rings.len() - 1));
            // How much narrower it becomes along the tube.
            let along = (rings[after].middle - rings[before].middle).length().max(1.0e-3);
            let narrower = (rings[before].radii[0] - rings[after].radii[0]) / along;
            for side in 0..sides {
                let angle = TAU * f32::from(side) / f32::from(sides);
                let (sine, cosine) = (libm::sinf(angle), libm::cosf(angle));
                let [wide, deep] = ring.radii;
                let out = turn * Vec3::new(wide * sine, 0.0, deep * cosine);
                let slope = Vec3::new(sine / wide, 0.0, cosine / deep).normalize();
                let slope = slope + Vec3::Y * narrower.clamp(-2.0, 2.0);
                self.vertices.push(Vertex {
                    place: ring.middle + out,
                    normal: (turn * slope).normalize(),
                    color: ring.color,
                    bones: ring.bones,
                    second: (255.0 * ring.second + 0.5) as u8,
                });
            }
        }
        for ring in 1..rings.len() as u16 {
            let (low, high) = (first + (ring - 1) * sides, first + ring * sides);
            for side in 0..sides {
                let next = (side + 1) % sides;
                self.triangles.push([low + side, low + next, high + next]);
                self.triangles.push([low + side, high + next, high + side]);
            }
        }
        let last = first + (rings.len() as u16 - 1) * sides;
        for side in 1..sides - 1 {
            self.triangles.push([first, first + side + 1, first + side]);
            self.triangles.push([last, last + side, last + side + 1]);
        }
    }
}
