//! Tests of cooking.

use std::vec::Vec;

use glam::Vec3;

use super::{cook_convex, cook_mesh, weld_of};
use crate::collision::CONVEX_POINTS_MAX;

#[test]
fn near_points_become_one_and_what_has_no_area_is_left_out() {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.000_01, 0.0],
        [1.0, 1.0, 0.0],
        [0.5, 0.0, 0.0],
        [9.0, 9.0, 9.0],
    ]
    .map(Vec3::from_array);
    let triangles = [[0, 1, 2], [3, 4, 2], [0, 1, 1], [0, 5, 1], [0, 3, 2], [2, 0, 1], [0, 2, 1]];
    let cooked = cook_mesh(&points, &triangles, 0.001);
    assert_eq!(cooked.points.len(), 4, "the fourth is the second, the last two have no triangle");
    // The last one is the first, seen from the other side, and stays.
    assert_eq!(cooked.triangles, [[0, 1, 2], [1, 3, 2], [0, 2, 1]]);
    let whole = cook_mesh(&points, &triangles, 0.0);
    assert_eq!(whole.points.len(), 5, "nothing is welded");
}

#[test]
fn welding_looks_across_cells() {
    let weld = 0.1;
    for at in 0..40_u8 {
        let x = f32::from(at) * 0.013;
        let points =
            [Vec3::new(x, 0.0, -x), Vec3::new(x + 0.07, 0.0, -x), Vec3::new(x + 0.2, 0.0, -x)];
        assert_eq!(cook_convex(&points, weld).len(), 2, "at {x}");
    }
    let line: Vec<_> = (0..100_u8).map(|at| Vec3::X * f32::from(at)).collect();
    assert!((weld_of(&line) - 0.0099).abs() < 1.0e-6, "{}", weld_of(&line));
}

#[test]
fn of_many_points_the_outermost_stay() {
    // A ball of points, and the corners of a cube around it.
    let mut points: Vec<Vec3> = Vec::new();
    for at in 0..5000_u32 {
        let y = 1.0 - 2.0 * (at as f32 + 0.5) / 5000.0;
        let turn = at as f32 * 2.399_963;
        let radius = libm::sqrtf(1.0 - y * y);
        points.push(Vec3::new(radius * libm::cosf(turn), y, radius * libm::sinf(turn)));
    }
    let ball = cook_convex(&points, 0.0);
    assert!((100..=CONVEX_POINTS_MAX).contains(&ball.len()), "{}", ball.len());
    for at in 0..8_u8 {
        let side = |bit: u8| if at >> bit & 1 == 0 { -2.0 } else { 2.0 };
        points.push(Vec3::new(side(0), side(1), side(2)));
    }
    let cube = cook_convex(&points, 0.0);
    assert_eq!(cube.len(), 8, "only corners are outermost: {cube:?}");
}
