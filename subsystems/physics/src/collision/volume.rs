//! Whether points span a solid.

use super::double::{between, cross, dot, double};

/// A solid is at least this part of its length wide and thick, and at least as many metres.
const THIN: f64 = 1.0e-4;

/// Returns `true` if the points are not all in one plane, nor nearly.
///
/// It looks for the point farthest from the first, the one farthest from the line through both, and the
/// one farthest from the plane through the three.
pub(crate) fn has_volume(points: &[[f32; 3]]) -> bool {
    let Some(first) = points.first().copied().map(double) else { return false };
    let farthest = |measure: &dyn Fn([f64; 3]) -> f64| {
        let ways = points.iter().map(|point| between(first, double(*point)));
        let measured = ways.map(|way| (measure(way), way));
        measured.fold((0.0, [0.0; 3]), |best, next| if next.0 > best.0 { next } else { best })
    };
    let squared = |way| dot(way, way);
    // Squared, as all measures here.
    let (length, second) = farthest(&squared);
    // Squares of ways and products, each of as many lengths as the measure has.
    let (area, third) = farthest(&|way| squared(cross(second, way)));
    if length == 0.0 || area < length * length * THIN * THIN {
        return false;
    }
    let normal = cross(second, third);
    let (thick, _) = farthest(&|way| dot(normal, way) * dot(normal, way));
    thick >= squared(normal) * length.max(1.0) * THIN * THIN
}

#[cfg(test)]
mod tests {
    use super::has_volume;

    #[test]
    fn a_solid_is_not_a_plane_a_line_or_a_point() {
        assert!(
            has_volume(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            "a corner"
        );
        assert!(
            !has_volume(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]),
            "a plane"
        );
        assert!(!has_volume(&[[1.0; 3], [2.0; 3], [3.0; 3], [4.0; 3]]), "a line");
        assert!(!has_volume(&[[1.0; 3]; 5]), "a point");
        assert!(!has_volume(&[]), "nothing");
        assert!(has_volume(&[
            [0.0; 3],
            [1.0e-3, 0.0, 0.0],
            [0.0, 1.0e-3, 0.0],
            [0.0, 0.0, 1.0e-3]
        ]));
    }
}
