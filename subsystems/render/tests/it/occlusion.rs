//! What the coarse picture of depths hides, compared with rays in 64-bit floats.

use glam::camera::rh::proj::directx::{orthographic, perspective};
use glam::camera::rh::view::look_at_mat4;
use glam::{Affine3A, Mat4, Quat, Vec3};
use loligo_containers::Array;
use loligo_render::{Occlusion, Spheres, Transform};
use proptest::prelude::*;

use crate::drawn::check;
use crate::memory::with_memory;

const NEAR: f32 = 0.1;

fn projection() -> Mat4 {
    perspective(1.1, 1.6, NEAR, 500.0)
}

/// A box: where its middle is, how it is turned, how long its sides are.
#[derive(Clone, Copy, Debug)]
struct Block {
    at: Vec3,
    turn: [f32; 3],
    sides: Vec3,
}

impl Block {
    fn transform(&self) -> Affine3A {
        let [x, y, z] = self.turn;
        let turn = Quat::from_euler(glam::EulerRot::XYZ, x, y, z);
        Affine3A::from_scale_rotation_translation(self.sides, turn, self.at)
    }

    /// Returns `true` if what is between two points meets it.
    fn is_between(&self, eye: [f64; 3], point: [f64; 3]) -> bool {
        let rows = Transform::from(self.transform()).rows;
        // Its axes are across each other.
        let place = |point: [f64; 3]| {
            let column = |at: usize| rows.map(|row| f64::from(row[at]));
            let away = minus(point, column(3));
            [0, 1, 2].map(|at| dot(away, column(at)) / dot(column(at), column(at)))
        };
        let (from, to) = (place(eye), place(point));
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            let step = to[axis] - from[axis];
            let [one, other] = [-0.5, 0.5].map(|side| (side - from[axis]) / step);
            first = first.max(one.min(other));
            last = last.min(one.max(other));
        }
        first <= last
    }
}

fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn minus(one: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|at| one[at] - other[at])
}

fn block() -> impl Strategy<Value = Block> {
    let at = [-30.0..30.0_f32, -6.0..6.0, -60.0..5.0].prop_map(Vec3::from_array);
    let sides = [0.2..30.0_f32, 0.2..20.0, 0.2..30.0].prop_map(Vec3::from_array);
    let turn = [-3.0..3.0_f32, -3.0..3.0, -3.0..3.0];
    // Some are as houses are.
    (at, turn, sides, any::<bool>()).prop_map(|(at, turn, sides, is_straight)| Block {
        at,
        turn: if is_straight { [0.0; 3] } else { turn },
        sides,
    })
}

/// Draws unit boxes.
fn picture<'a>(
    memory: &'a dyn loligo_allocators::Allocator,
    (view, projection): (Mat4, Mat4),
    blocks: &[Block],
) -> Occlusion<'a> {
    let mut picture = Occlusion::new(memory);
    picture.try_begin(view, projection).expect("there is memory");
    for block in blocks {
        let corners = [Vec3::splat(-0.5), Vec3::splat(0.5)];
        picture.draw_box(&block.transform().into(), corners);
    }
    picture
}

#[test]
fn what_is_hidden_no_ray_reaches() {
    let hidden = core::cell::Cell::new(0);
    let sphere =
        ([-25.0..25.0_f32, -5.0..5.0, -110.0..0.0].prop_map(Vec3::from_array), 0.0..2.0_f32);
    let scene = (
        prop::collection::vec(block(), 1..12),
        prop::collection::vec(sphere, 60),
        [-3.0..3.0_f32, -3.0..3.0, -3.0..3.0].prop_map(Vec3::from_array),
    );
    check(&scene, |(blocks, spheres, eye)| {
        with_memory(|memory, _| {
            let view = look_at_mat4(eye, eye + Vec3::new(0.1, 0.05, -1.0), Vec3::Y);
            let picture = picture(memory, (view, projection()), &blocks);
            let clip = projection() * view;
            let wide = |point: Vec3| point.to_array().map(f64::from);
            for (center, radius) in &spheres {
                if !picture.hides(*center, *radius) {
                    continue;
                }
                hidden.set(hidden.get() + 1);
                // Points all over the sphere; those that the camera does not look at may be free.
                for number in 0..60 {
                    let z: f64 = f64::from(number) / 29.5 - 1.0;
                    let (sin, cos) = (f64::from(number) * 2.399_963).sin_cos();
                    let flat = f64::max(1.0 - z * z, 0.0).sqrt();
                    let away = [flat * cos, flat * sin, z].map(|part| part * -f64::from(*radius));
                    let point = minus(wide(*center), away);
                    let at = clip * Vec3::from_array(point.map(|part| part as f32)).extend(1.0);
                    let is_looked_at = at.x.abs() <= at.w && at.y.abs() <= at.w;
                    let is_free = !blocks.iter().any(|block| block.is_between(wide(eye), point));
                    prop_assert!(
                        !(is_looked_at && is_free),
                        "{point:?} of the sphere {center} {radius} is seen from {eye}"
                    );
                }
            }
            Ok(())
        })
    });
    assert!(hidden.get() > 300, "only {} spheres were hidden", hidden.get());
}

#[test]
fn a_wall_hides_up_to_a_pixel_of_its_edge() {
    with_memory(|memory, _| {
        let wall = Block {
            at: Vec3::new(0.0, 0.0, -10.5),
            turn: [0.0; 3],
            sides: Vec3::new(8.0, 8.0, 1.0),
        };
        let picture = picture(memory, (Mat4::IDENTITY, projection()), &[wall]);
        // A metre from the wall's front, 4 m of it to either side, a pixel is some 7 cm.
        let is_hidden = |x: f32, y: f32| picture.hides(Vec3::new(x, y, -11.0), 0.1);
        for (x, y) in [(0.0, 0.0), (4.1, 0.0), (-4.1, 0.0), (0.0, 4.1), (0.0, -4.1), (4.1, -4.1)] {
            assert!(is_hidden(x, y), "{x} {y}");
        }
        for (x, y) in [(4.4, 0.0), (-4.4, 0.0), (0.0, 4.4), (0.0, -4.4), (4.4, 4.4)] {
            assert!(!is_hidden(x, y), "{x} {y}");
        }
        assert!(!picture.hides(Vec3::new(0.0, 0.0, -10.05), 0.1), "it looks out of the front");
        assert!(!picture.hides(Vec3::new(0.0, 0.0, -30.0), f32::NAN), "no number");
        assert!(!picture.hides(Vec3::NAN, 1.0), "nowhere");
        assert!(!picture.hides(Vec3::new(0.0, 0.0, 30.0), 1.0), "behind the camera");
        assert!(!picture.hides(Vec3::new(0.0, 0.0, -30.0), f32::INFINITY), "all there is");
    });
}

#[test]
fn a_long_wall_beside_the_camera_hides_as_well() {
    with_memory(|memory, _| {
        // It begins behind the camera: corners of it are nowhere in the picture.
        let wall = Block {
            at: Vec3::new(3.0, 0.0, -20.0),
            turn: [0.0; 3],
            sides: Vec3::new(1.0, 30.0, 80.0),
        };
        let drawn = picture(memory, (Mat4::IDENTITY, projection()), &[wall]);
        assert!(drawn.hides(Vec3::new(8.0, 0.0, -12.0), 1.0), "it is covered");
        assert!(!drawn.hides(Vec3::new(-8.0, 0.0, -12.0), 1.0), "on the other side");
        // The near plane would cut it, or the eye is in it: one sees into it.
        for x in [0.55, 0.3] {
            let wall = Block { at: Vec3::new(x, 0.0, -20.0), ..wall };
            let drawn = picture(memory, (Mat4::IDENTITY, projection()), &[wall]);
            assert!(!drawn.hides(Vec3::new(8.0, 0.0, -12.0), 1.0), "{x}");
        }
        let wall = Block { at: Vec3::new(0.0, 0.0, -5.0), turn: [0.0; 3], sides: Vec3::splat(4.0) };
        let parallel = orthographic(-9.0, 9.0, -9.0, 9.0, 0.1, 99.0);
        let mut drawn = picture(memory, (Mat4::IDENTITY, parallel), &[wall]);
        assert!(!drawn.hides(Vec3::new(0.0, 0.0, -30.0), 0.1), "a parallel projection");
        drawn.try_begin(Mat4::IDENTITY, projection()).expect("there is memory");
        assert!(!drawn.hides(Vec3::new(0.0, 0.0, -30.0), 0.1), "nothing was drawn");
        drawn.draw_box(&wall.transform().into(), [Vec3::splat(-0.5), Vec3::splat(0.5)]);
        assert!(drawn.hides(Vec3::new(0.0, 0.0, -30.0), 0.1), "a picture after another");
        let columns = [[0.0, 0.0, 9.0], [0.0, 0.0, 0.0], [-30.0, -3.0, -9.0], [0.1, 0.1, 0.1]];
        let [x, y, z, radius] = &columns;
        let mut numbers: Array<u32> = Array::new_in(memory);
        numbers.extend([0, 1, 2]);
        drawn.retain_seen(&Spheres { x, y, z, radius }, &mut numbers);
        assert_eq!(&*numbers, [1, 2], "the first is hidden");
        drawn.end();
        assert!(!drawn.hides(Vec3::new(0.0, 0.0, -30.0), 0.1), "without a camera");
    });
}
