//! How loud a place is heard by listeners: a plain curve of distance, and left and right.

use glam::Vec3;

/// Who hears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listener {
    /// Where it is.
    pub at: [f32; 3],
    /// The direction to its right, of length 1.
    pub right: [f32; 3],
    /// How loud it hears, as a factor.
    pub gain: f32,
}

/// Returns how loud a place is on the left and on the right: of several listeners the one that hears it
/// most counts. Without listeners nothing has a place, and all is heard in the middle.
///
/// Up to the first distance nothing is lost; from there it is lost as by the distance, and by a line to
/// nothing at the second. Both sides have the same power as the middle.
pub(super) fn placed(source: [f32; 3], distance: [f32; 2], listeners: &[Listener]) -> [f32; 2] {
    let mut most = match listeners {
        [] => return [1.0; 2],
        _ => [0.0; 2],
    };
    let source = Vec3::from_array(source);
    for listener in listeners {
        let way = source - Vec3::from_array(listener.at);
        let far = libm::sqrtf(way.dot(way));
        let gain = at_distance(far, distance) * listener.gain;
        let side = match far > 1e-4 {
            true => (way.dot(Vec3::from_array(listener.right)) / far).clamp(-1.0, 1.0),
            false => 0.0,
        };
        let gains = [1.0 - side, 1.0 + side].map(|share| gain * libm::sqrtf(share));
        if gains.iter().all(|gain| gain.is_finite()) && gains[0] + gains[1] > most[0] + most[1] {
            most = gains;
        }
    }
    most
}

fn at_distance(far: f32, [near, end]: [f32; 2]) -> f32 {
    if far <= near {
        1.0
    } else if far >= end {
        0.0
    } else {
        near / far * ((end - far) / (end - near))
    }
}
