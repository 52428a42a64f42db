//! Culling compared with planes in 64-bit floats.

use glam::camera::rh::proj::directx::{perspective, perspective_infinite};
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Vec3};
use loligo_containers::Array;
use loligo_render::{Frustum, Spheres, View};
use proptest::prelude::*;

use crate::drawn::check;
use crate::memory::with_memory;

/// How far the sphere reaches in front of the plane that it is farthest behind, in metres.
fn reach(camera: Mat4, center: Vec3, radius: f32) -> f64 {
    let [x, y, z, w] = [0, 1, 2, 3].map(|row| camera.row(row).to_array().map(f64::from));
    let plus = |a: [f64; 4], b: [f64; 4]| core::array::from_fn(|part| a[part] + b[part]);
    let minus = |a: [f64; 4], b: [f64; 4]| core::array::from_fn(|part| a[part] - b[part]);
    let planes = [plus(w, x), minus(w, x), plus(w, y), minus(w, y), z, minus(w, z)];
    let [at_x, at_y, at_z] = center.to_array().map(f64::from);
    let reaches = planes.map(|[a, b, c, d]: [f64; 4]| {
        let length = (a * a + b * b + c * c).sqrt();
        (a * at_x + b * at_y + c * at_z + d) / length + f64::from(radius)
    });
    reaches.into_iter().fold(f64::INFINITY, f64::min)
}

#[test]
fn what_is_seen_is_what_planes_in_64_bits_let_pass() {
    let place = || [-60.0..60.0_f32, -60.0..60.0, -60.0..60.0].prop_map(Vec3::from_array);
    let spheres = prop::collection::vec((place(), 0.0..8.0_f32), 0..70);
    check(&(place(), place(), spheres, 0..20_usize), |(eye, to, spheres, first)| {
        prop_assume!(eye.distance(to) > 1.0 && (to - eye).normalize().y.abs() < 0.99);
        let view = look_at_mat4(eye, to, Vec3::Y);
        let projection = perspective(1.1, 1.6, 0.5, 80.0);
        let view = View::new(view, projection);
        prop_assert!((view.eye - eye).length() < 1e-3, "{} is not {eye}", view.eye);
        prop_assert!(view.depth(to) > 0.0, "it looks there");
        let camera = projection * look_at_mat4(eye, to, Vec3::Y);
        let column = |part: fn(&(Vec3, f32)) -> f32| spheres.iter().map(part).collect::<Vec<f32>>();
        let [x, y, z] = [column(|s| s.0.x), column(|s| s.0.y), column(|s| s.0.z)];
        let radius = column(|s| s.1);
        let first = first.min(spheres.len());
        with_memory(|memory, _| {
            let mut seen: Array<u32> = Array::new_in(memory);
            let columns = Spheres { x: &x, y: &y, z: &z, radius: &radius };
            view.frustum.try_cull(&columns, first..spheres.len(), &mut seen).expect("memory");
            prop_assert!(seen.is_sorted(), "{seen:?} in order");
            for (number, (center, radius)) in spheres.iter().enumerate() {
                let is_seen = seen.contains(&(number as u32));
                let reach = reach(camera, *center, *radius);
                let near_enough = reach.abs() < 1e-3;
                prop_assert!(
                    near_enough || is_seen == (number >= first && reach > 0.0),
                    "number {number} reaches {reach}, seen: {is_seen}"
                );
                if number >= first {
                    prop_assert_eq!(view.frustum.sees(*center, *radius), is_seen);
                }
            }
            Ok(())
        })
    });
}

#[test]
fn what_is_no_number_is_not_seen() {
    let frustum = Frustum::new(perspective(1.0, 1.0, 0.1, 100.0));
    let at = Vec3::new(0.0, 0.0, -3.0);
    assert!(frustum.sees(at, 1.0), "in the middle");
    assert!(!frustum.sees(at, f32::NEG_INFINITY), "hidden");
    assert!(!frustum.sees(at, f32::NAN), "no radius");
    assert!(!frustum.sees(Vec3::NAN, 1.0), "nowhere");
    let endless = Frustum::new(perspective_infinite(1.0, 1.0, 0.1));
    assert!(endless.sees(Vec3::new(0.0, 0.0, -1e6), 1.0), "there is no far plane");
    assert!(!endless.sees(Vec3::new(0.0, 0.0, 5.0), 1.0), "there is a near one");
    assert!(!endless.sees(at, f32::NEG_INFINITY), "hidden");
}
