//! Cooking of points and triangles: what a world is given has no duplicates and nothing without an area.

use std::collections::HashMap;
use std::vec::Vec;

use glam::Vec3;

use crate::collision::{CONVEX_POINTS_MAX, between, cross, dot, double};

/// Points and triangles that were cooked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cooked {
    pub(super) points: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Points nearer than this part of the longest side become one, unless the source says otherwise.
const WELD: f32 = 1.0e-4;

/// A triangle whose height is at most this part of its longest side has no area.
const THIN: f64 = 1.0e-6;

/// Returns the distance at which points become one, where a source does not say it.
pub(super) fn weld_of(points: &[Vec3]) -> f32 {
    let low = points.iter().copied().reduce(Vec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(Vec3::max).unwrap_or_default();
    WELD * (high - low).max_element()
}

/// Makes one of points that are nearer than `weld`, and leaves out triangles without an area, those that
/// come twice, and points that no triangle has.
///
/// Points are looked up in a grid of cells as wide as `weld`, so it is O(points). The first point of
/// several stays where it is: nothing drifts, and the result depends on the order of the points alone.
pub(super) fn cook_mesh(points: &[Vec3], triangles: &[[u32; 3]], weld: f32) -> Cooked {
    let mut cells = Cells::new(weld);
    let welded: Vec<u32> = points.iter().map(|point| cells.add(*point)).collect();
    let mut cooked = Cooked::default();
    let mut places = std::vec![u32::MAX; cells.points.len()];
    let mut seen = std::collections::HashSet::new();
    for triangle in triangles {
        let corners = triangle.map(|corner| welded[corner as usize]);
        if !has_area(corners.map(|corner| cells.points[corner as usize]))
            || !seen.insert(turned(corners))
        {
            continue;
        }
        let corners = corners.map(|corner| {
            let place = &mut places[corner as usize];
            if *place == u32::MAX {
                *place = cooked.points.len() as u32;
                cooked.points.push(cells.points[corner as usize].to_array());
            }
            *place
        });
        cooked.triangles.push(corners);
    }
    cooked
}

/// Makes one of points that are nearer than `weld`; of more than a convex shape can have, those stay that
/// are farthest in one of many directions.
pub(super) fn cook_convex(points: &[Vec3], weld: f32) -> Vec<[f32; 3]> {
    let mut cells = Cells::new(weld);
    for point in points {
        cells.add(*point);
    }
    let points = cells.points;
    if points.len() <= CONVEX_POINTS_MAX {
        return points.iter().map(|point| point.to_array()).collect();
    }
    let mut is_kept = std::vec![false; points.len()];
    for direction in directions() {
        let measure = |point: &Vec3| dot(direction, double(point.to_array()));
        // The first of several.
        let best = points
            .iter()
            .enumerate()
            .max_by(|(i, a), (j, b)| measure(a).total_cmp(&measure(b)).then(j.cmp(i)));
        if let Some((at, _)) = best {
            is_kept[at] = true;
        }
    }
    let kept = points.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    kept.map(|(point, _)| point.to_array()).collect()
}

/// Returns as many directions as a convex shape can have points, the axes first, the others evenly on a
/// sphere.
fn directions() -> impl Iterator<Item = [f64; 3]> {
    let axes = (0..6).map(|at| {
        let mut axis = [0.0; 3];
        axis[at / 2] = if at % 2 == 0 { 1.0 } else { -1.0 };
        axis
    });
    let count = CONVEX_POINTS_MAX - 6;
    let golden = core::f64::consts::PI * (3.0 - libm::sqrt(5.0));
    let others = (0..count).map(move |at| {
        let y = 1.0 - 2.0 * (at as f64 + 0.5) / count as f64;
        let radius = libm::sqrt(1.0 - y * y);
        let (sin, cos) = libm::sincos(golden * at as f64);
        [radius * cos, y, radius * sin]
    });
    axes.chain(others)
}

/// Returns the corners with the lowest first, in the same order around.
fn turned([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

fn has_area(corners: [Vec3; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| double(corner.to_array()));
    let sides = [between(a, b), between(b, c), between(c, a)];
    let longest = sides.map(|side| dot(side, side)).into_iter().fold(0.0, f64::max);
    let normal = cross(sides[0], sides[1]);
    dot(normal, normal) > THIN * THIN * longest * longest
}

/// Points in cells of a grid.
struct Cells {
    points: Vec<Vec3>,
    weld: f32,
    /// The points of each cell; those without a neighbour are most.
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl Cells {
    fn new(weld: f32) -> Self {
        Self { points: Vec::new(), weld, cells: HashMap::new() }
    }

    /// Returns the index of the first point that is nearer than the distance, or of the point itself.
    fn add(&mut self, point: Vec3) -> u32 {
        // Equal points become one even where the distance is 0.
        let width = f64::from(self.weld.max(1.0e-6));
        let cell = point.to_array().map(|number| libm::floor(f64::from(number) / width) as i64);
        let near = |other: Vec3| other.distance(point) <= self.weld;
        let around = (0..27)
            .map(|at: i64| [cell[0] + at % 3 - 1, cell[1] + at / 3 % 3 - 1, cell[2] + at / 9 - 1]);
        let found = around.filter_map(|cell| {
            let points = self.cells.get(&cell)?;
            points.iter().copied().find(|other| near(self.points[*other as usize]))
        });
        if let Some(found) = found.min() {
            return found;
        }
        let index = self.points.len() as u32;
        self.points.push(point);
        self.cells.entry(cell).or_default().push(index);
        index
    }
}

#[cfg(test)]
mod tests;
