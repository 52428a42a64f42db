//! Triangles between the points of a plane, as few thin ones as there can be (Delaunay).

use std::vec::Vec;

/// A point, scaled so that both axes are as long.
type Point = [f64; 2];

/// Triangles closer to a line than this, as parts of the square that all points are in, have no area.
const THIN: f64 = 1.0e-6;

/// Returns the triangles between points, each counter-clockwise. None if all points are on a line, or
/// nearly.
pub(super) fn triangulate(places: &[[f32; 2]]) -> Option<Vec<[u16; 3]>> {
    let points = scaled(places)?;
    let mut order: Vec<u16> = (0..points.len() as u16).collect();
    order.sort_by(|a, b| {
        let ([ax, ay], [bx, by]) = (points[usize::from(*a)], points[usize::from(*b)]);
        ax.total_cmp(&bx).then(ay.total_cmp(&by))
    });
    let mut triangles = swept(&points, &order)?;
    // Each flip makes the smallest angles larger, so there is an end; the bound is against rounding.
    for _ in 0..points.len() * points.len() {
        if !flip_one(&points, &mut triangles) {
            break;
        }
    }
    triangles.sort_unstable();
    Some(triangles)
}

/// Returns the points in the square from 0 to 1. None if one of its sides has no length.
fn scaled(places: &[[f32; 2]]) -> Option<Vec<Point>> {
    let bound = |axis: usize, pick: fn(f64, f64) -> f64, start: f64| {
        places.iter().map(|place| f64::from(place[axis])).fold(start, pick)
    };
    let low = [0, 1].map(|axis| bound(axis, f64::min, f64::MAX));
    let high = [0, 1].map(|axis| bound(axis, f64::max, f64::MIN));
    let sides = [high[0] - low[0], high[1] - low[1]];
    if !(sides[0] > 0.0 && sides[1] > 0.0) {
        return None;
    }
    let scale =
        |place: &[f32; 2]| [0, 1].map(|axis| (f64::from(place[axis]) - low[axis]) / sides[axis]);
    Some(places.iter().map(scale).collect())
}

/// Returns twice the area of a triangle: above 0 if it is counter-clockwise.
fn area(points: &[Point], [a, b, c]: [u16; 3]) -> f64 {
    let [a, b, c] = [a, b, c].map(|at| points[usize::from(at)]);
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Returns triangles between all points, which are added from left to right: each with all sides of the
/// hull that it sees.
fn swept(points: &[Point], order: &[u16]) -> Option<Vec<[u16; 3]>> {
    let is_off = |at: &usize| area(points, [order[0], order[1], order[*at]]).abs() > THIN;
    let first_off = (2..order.len()).find(is_off)?;
    let (line, top) = (&order[..first_off], order[first_off]);
    let is_left = area(points, [line[0], line[1], top]) > 0.0;
    let mut triangles = Vec::new();
    for pair in line.windows(2) {
        let (a, b) = if is_left { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
        triangles.push([a, b, top]);
    }
    let mut hull: Vec<u16> = line.to_vec();
    if !is_left {
        hull.reverse();
    }
    hull.push(top);
    for point in &order[first_off + 1..] {
        let count = hull.len();
        let side = |at: usize| [hull[at % count], hull[(at + 1) % count]];
        let sees = |at: usize| {
            let [a, b] = side(at);
            area(points, [a, b, *point]) < -THIN
        };
        // A point that sees no side is on the hull, but for rounding: it is in no triangle.
        let start = (0..count).find(|at| sees(*at) && !sees(at + count - 1))?;
        let seen = (0..count).take_while(|step| sees(start + step)).count();
        for step in 0..seen {
            let [a, b] = side(start + step);
            triangles.push([b, a, *point]);
        }
        let rest = (0..=count - seen).map(|step| hull[(start + seen + step) % count]);
        let mut next: Vec<u16> = rest.collect();
        next.push(*point);
        hull = next;
    }
    Some(triangles)
}

/// Turns the side between two triangles whose circle has another point in it; returns `false` if there is
/// none.
fn flip_one(points: &[Point], triangles: &mut [[u16; 3]]) -> bool {
    for first in 0..triangles.len() {
        for second in first + 1..triangles.len() {
            let Some([a, b, c, d]) = quad(triangles[first], triangles[second]) else { continue };
            let flipped = [[a, b, d], [b, c, d]];
            let is_convex = flipped.iter().all(|triangle| area(points, *triangle) > THIN);
            if is_convex && is_in_circle(points, [a, b, c], d) {
                [triangles[first], triangles[second]] = flipped;
                return true;
            }
        }
    }
    false
}

/// Returns the corners of two triangles that have a side in common, counter-clockwise: the side is from the
/// first to the third.
fn quad(one: [u16; 3], other: [u16; 3]) -> Option<[u16; 4]> {
    for at in 0..3 {
        let [c, a, b] = [one[at], one[(at + 1) % 3], one[(at + 2) % 3]];
        for side in 0..3 {
            if [other[side], other[(side + 1) % 3]] == [a, c] {
                return Some([a, b, c, other[(side + 2) % 3]]);
            }
        }
    }
    None
}

/// Returns `true` if a point is in the circle around a triangle that is counter-clockwise, and not on it.
fn is_in_circle(points: &[Point], triangle: [u16; 3], point: u16) -> bool {
    let to = points[usize::from(point)];
    let rows = triangle.map(|at| {
        let [x, y] = points[usize::from(at)];
        let (x, y) = (x - to[0], y - to[1]);
        [x, y, x * x + y * y]
    });
    let [a, b, c] = rows;
    let minor = |p: [f64; 3], q: [f64; 3]| p[0] * q[1] - p[1] * q[0];
    a[2] * minor(b, c) - b[2] * minor(a, c) + c[2] * minor(a, b) > 1.0e-9
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    #[test]
    fn a_grid_is_covered_once() {
        let places: Vec<[f32; 2]> =
            (0..5).flat_map(|x| (0..5).map(move |y| [x as f32, 3.0 * y as f32])).collect();
        let points = scaled(&places).expect("an area");
        let triangles = triangulate(&places).expect("an area");
        assert_eq!(triangles.len(), 32, "two for each of the cells");
        let sum: f64 = triangles.iter().map(|triangle| area(&points, *triangle)).sum();
        assert!((sum - 2.0).abs() < 1.0e-9, "twice the area of the square: {sum}");
    }

    #[test]
    fn no_circle_has_another_point_in_it() {
        let mut seed = 7_u32;
        for count in 3..40 {
            let mut draw = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) as f32 / 1.0e6
            };
            let places: Vec<[f32; 2]> = (0..count).map(|_| [draw(), draw()]).collect();
            let points = scaled(&places).expect("an area");
            let triangles = triangulate(&places).expect("an area");
            for triangle in &triangles {
                let is_inside = |point: &u16| is_in_circle(&points, *triangle, *point);
                let mut others = (0..count).filter(|point| !triangle.contains(point));
                assert_eq!(others.find(is_inside), None, "{count} points, {triangle:?}");
            }
        }
    }

    #[test]
    fn points_on_a_line_have_no_triangles() {
        assert_eq!(triangulate(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), None);
        assert_eq!(triangulate(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), None);
        assert_eq!(triangulate(&[[0.0, 0.0]]), None);
        let one = triangulate(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
        assert_eq!(one, Some(vec![[0, 2, 3], [3, 2, 1]]), "two with a common side");
    }
}
