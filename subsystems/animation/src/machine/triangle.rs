//! Where a point is among those of a plane.

use super::image::MachineMotion;

/// A triangle of points, made ready to find the weights of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(super) corners: [u16; 3],
    /// The points.
    points: [[f32; 2]; 3],
    /// What the weights of the second and the third corner are along x and y, from the first one.
    rows: [[f32; 2]; 2],
}

impl Triangle {
    /// Makes a triangle of the points of a state. None if it has no area, or if there is no such point.
    pub(crate) fn try_new(corners: [u16; 3], motions: &[MachineMotion]) -> Option<Self> {
        let mut points = [[0.0; 2]; 3];
        for (point, corner) in points.iter_mut().zip(corners) {
            let motion = motions.get(usize::from(corner))?;
            *point = [motion.x, motion.y];
        }
        let [a, b, c] = points;
        let ([bx, by], [cx, cy]) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
        let area = bx * cy - by * cx;
        let rows = [[cy / area, -cx / area], [-by / area, bx / area]];
        let is_finite = rows.iter().flatten().all(|number| number.is_finite());
        (area != 0.0 && is_finite).then_some(Self { corners, points, rows })
    }

    /// Returns the weights of the corners at a point: all from 0 to 1 if it is inside.
    #[inline]
    fn weights(&self, x: f32, y: f32) -> [f32; 3] {
        let (x, y) = (x - self.points[0][0], y - self.points[0][1]);
        let [b, c] = self.rows.map(|row| row[0] * x + row[1] * y);
        [1.0 - b - c, b, c]
    }

    /// Returns the square of how far a point is from the border, and the weights of the corners at the
    /// nearest point of it.
    fn border(&self, x: f32, y: f32) -> (f32, [f32; 3]) {
        let mut nearest = (f32::MAX, [1.0, 0.0, 0.0]);
        for at in 0..3 {
            let next = (at + 1) % 3;
            let (a, b) = (self.points[at], self.points[next]);
            let (bx, by) = (b[0] - a[0], b[1] - a[1]);
            let along = ((x - a[0]) * bx + (y - a[1]) * by) / (bx * bx + by * by);
            // A side that is too short or too long for floats ends at its first point.
            let part = if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 };
            let (dx, dy) = (x - a[0] - part * bx, y - a[1] - part * by);
            let square = dx * dx + dy * dy;
            if square < nearest.0 {
                let mut weights = [0.0; 3];
                weights[at] = 1.0 - part;
                weights[next] = part;
                nearest = (square, weights);
            }
        }
        nearest
    }
}

/// Returns the corners and the weights at a point: those of the triangle that it is in, or of the nearest
/// point where it is in none.
pub(super) fn locate(triangles: &[Triangle], x: f32, y: f32) -> ([u16; 3], [f32; 3]) {
    for triangle in triangles {
        let weights = triangle.weights(x, y);
        if weights.iter().all(|weight| *weight >= 0.0) {
            return (triangle.corners, weights);
        }
    }
    let mut nearest = (f32::INFINITY, ([0; 3], [1.0, 0.0, 0.0]));
    for triangle in triangles {
        let (square, weights) = triangle.border(x, y);
        if square < nearest.0 {
            nearest = (square, (triangle.corners, weights));
        }
    }
    nearest.1
}
