//! Dead zones: sticks that rest a little off their center are at rest.

/// Returns a value outside of a dead zone, rescaled so that it begins at 0 and ends at 1.
pub(crate) fn axial(value: f32, dead_zone: f32) -> f32 {
    let size = value.abs().min(1.0);
    if size <= dead_zone {
        return 0.0;
    }
    let rescaled = (size - dead_zone) / (1.0 - dead_zone);
    if value < 0.0 { -rescaled } else { rescaled }
}

/// Returns the first coordinate of a stick outside of a round dead zone: its direction stays, and
/// its distance from the center begins at 0 at the edge of the zone and ends at 1.
pub(crate) fn radial([x, y]: [f32; 2], dead_zone: f32) -> f32 {
    let distance = libm::sqrtf(x * x + y * y);
    if distance <= dead_zone {
        return 0.0;
    }
    x / distance * axial(distance, dead_zone)
}

#[cfg(test)]
mod tests {
    use super::{axial, radial};

    #[test]
    fn it_begins_at_zero_and_ends_at_one() {
        for (value, expected) in [(0.0, 0.0), (0.2, 0.0), (0.6, 0.5), (1.0, 1.0), (-0.6, -0.5)] {
            let found = axial(value, 0.2);
            assert!((found - expected).abs() < 1e-6, "{value}: {found} is not {expected}");
        }
        assert_eq!(axial(-0.3, 0.0), -0.3, "no dead zone");
    }

    #[test]
    fn a_stick_keeps_its_direction() {
        let stick = [0.48, 0.36];
        let [x, y] = [radial(stick, 0.2), radial([stick[1], stick[0]], 0.2)];
        assert!((x / y - stick[0] / stick[1]).abs() < 1e-5, "{x} {y}");
        assert!((libm::hypotf(x, y) - 0.5).abs() < 1e-6, "{x} {y}");
        assert_eq!(radial([0.1, 0.1], 0.2), 0.0, "both are small");
        assert!(radial([0.1, 0.9], 0.2) > 0.0, "x alone would be in a square zone");
        let corner = libm::hypotf(radial([1.0, 1.0], 0.2), radial([1.0, 1.0], 0.2));
        assert!((corner - 1.0).abs() < 1e-6, "no more than 1: {corner}");
    }
}
