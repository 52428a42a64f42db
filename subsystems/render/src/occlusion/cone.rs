//! A box as an eye sees it: a cone of directions, and how far away it begins in each.

use core::ops::Range;

use glam::Vec3;

use super::Camera;
use super::wide::Wide;
use crate::state::Transform;

/// By how much of a pixel a cone is narrower: more than what is rounded.
const NARROWER: f64 = 0.02;

/// The most edges that the outline of a box has, and the most faces that look at an eye.
const EDGES_MAX: usize = 6;
const FACES_MAX: usize = 3;

/// The directions in which a box is, as functions of a pixel's place: `x * step + y * down + start`.
///
/// The outline and the planes of the faces that look at the eye are planes, a direction is linear in
/// the pixel, so all of them are linear in it. What is least within a pixel is at one of its
/// corners, always the same one: the functions are those of that corner, at the pixel's number.
pub(super) struct Cone {
    /// Not negative in a pixel that is wholly within the edge.
    edges: [Linear; EDGES_MAX],
    edge_count: usize,
    /// One by the depth of a face's plane, at most; the box begins at the farthest of them.
    faces: [Linear; FACES_MAX],
}

#[derive(Clone, Copy)]
struct Linear {
    step: f64,
    down: f64,
    start: f64,
    /// One by the step.
    by_step: f64,
}

impl Linear {
    /// Is never the least.
    const FAR: Self = Self { step: 0.0, down: 0.0, start: f64::INFINITY, by_step: 0.0 };

    /// Returns the least in a pixel of a normal times the pixel's directions.
    fn least(camera: &Camera, normal: Wide) -> Self {
        let [step, down] = [camera.pixel_right, camera.pixel_down].map(|axis| normal.dot(axis));
        let start = normal.dot(camera.corner) + step.min(0.0) + down.min(0.0);
        Self { step, down, start, by_step: step.recip() }
    }

    fn row(&self, row: usize) -> f64 {
        self.down * row as f64 + self.start
    }
}

impl Cone {
    /// Returns the cone of a box between two corners that is placed by a transform; `None` if it
    /// hides nothing.
    pub(super) fn new(
        camera: &Camera,
        transform: &Transform,
        [low, high]: [Vec3; 2],
    ) -> Option<Self> {
        let rows = transform.rows.map(|row| row.map(f64::from));
        let column = |at: usize| Wide(rows.map(|row| row[at]));
        let (low, high) = (Wide::from(low), Wide::from(high));
        let (Wide(middle), Wide(half)) = ((low + high) * 0.5, (high - low) * 0.5);
        let axes = [0, 1, 2].map(|at| column(at) * half[at]);
        // Seen from the eye.
        let [x, y, z] = [0, 1, 2].map(|at| column(at) * middle[at]);
        let center = x + y + z + (column(3) - Wide::from(camera.eye));
        if !(center.is_finite() && axes.iter().all(|axis| axis.is_finite())) {
            return None;
        }
        let mut cone = Self {
            edges: [Linear::FAR; EDGES_MAX],
            edge_count: 0,
            faces: [Linear::FAR; FACES_MAX],
        };
        // Which faces look at the eye: of each axis the one ahead, and its opposite.
        let (mut looks, mut count, mut distance) = ([[false; 2]; 3], 0, 0.0_f64);
        for (axis, looks) in looks.iter_mut().enumerate() {
            let normal = axes[(axis + 1) % 3].cross(axes[(axis + 2) % 3]);
            let normal = normal * if normal.dot(axes[axis]) < 0.0 { -1.0 } else { 1.0 };
            for (side, looks) in [1.0, -1.0].into_iter().zip(looks) {
                let normal = normal * side;
                // Times the length of the normal, which is nothing of a box that is flat.
                let away = -normal.dot(center + axes[axis] * side);
                if away > 0.0 && count < FACES_MAX {
                    *looks = true;
                    cone.faces[count] = Linear::least(camera, normal * (-1.0 / away));
                    (count, distance) = (count + 1, distance.max(away * away / normal.squared()));
                }
            }
        }
        // What is nearer than that may be cut by the near plane, somewhere in the picture.
        let near = f64::from(camera.near);
        if count == 0 || distance < near * near * camera.widest {
            return None;
        }
        cone.add_outline(camera, center, &axes, looks)?;
        Some(cone)
    }

    /// Adds the edges between faces that look at the eye and faces that do not.
    fn add_outline(
        &mut self,
        camera: &Camera,
        center: Wide,
        axes: &[Wide; 3],
        looks: [[bool; 2]; 3],
    ) -> Option<()> {
        const SIDES: [f64; 2] = [1.0, -1.0];
        for (one, other, along) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            for corner in 0..4 {
                let [a, b] = [corner / 2, corner % 2];
                if looks[one][a] == looks[other][b] {
                    continue;
                }
                let middle = center + axes[one] * SIDES[a] + axes[other] * SIDES[b];
                let normal = (middle + axes[along]).cross(middle - axes[along]);
                let normal = normal * if normal.dot(center) < 0.0 { -1.0 } else { 1.0 };
                let edge = Linear::least(camera, normal);
                let narrower = (edge.step.abs() + edge.down.abs()) * NARROWER;
                let edge = Linear { start: edge.start - narrower, ..edge };
                *self.edges.get_mut(self.edge_count)? = edge;
                self.edge_count += 1;
            }
        }
        (self.edge_count >= 3).then_some(())
    }

    /// Returns the pixels of a row that the box covers, and one by the depth at which it begins: of
    /// each face at the first pixel of the row, and how much more it is at each that follows.
    pub(super) fn row(&self, row: usize, width: usize) -> (Range<usize>, [[f32; 2]; FACES_MAX]) {
        let (mut first, mut end) = (0.0, width as f64);
        for edge in &self.edges[..self.edge_count] {
            let start = edge.row(row);
            if edge.step > 0.0 {
                first = (-start * edge.by_step).max(first);
            } else if edge.step < 0.0 {
                end = (1.0 - start * edge.by_step).min(end);
            } else if start < 0.0 {
                return (0..0, [[0.0; 2]; FACES_MAX]);
            }
        }
        // Upwards, and downwards: a cast cuts the fraction. A NaN is none of both.
        let first = first as usize + usize::from(first.fract() > 0.0);
        let end = end.max(0.0) as usize;
        let span = if first < end { first..end } else { 0..0 };
        (span, self.faces.map(|face| [face.row(row) as f32, face.step as f32]))
    }
}
