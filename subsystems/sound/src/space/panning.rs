//! From directions to gains of equal power.

use super::CHANNELS;

/// The speakers around a listener, in their order from the left at the back to the right at the back: the
/// channel, and the sine and cosine of its angle from the front.
const RING: [(usize, [f32; 2]); 5] = [
    (4, [-0.939_692_6, -0.342_020_14]),
    (0, [-0.5, 0.866_025_4]),
    (2, [0.0, 1.0]),
    (1, [0.5, 0.866_025_4]),
    (5, [0.939_692_6, -0.342_020_14]),
];

/// Returns the gains of two speakers for a place between them, from -1 on the left to 1: their squares add up
/// to 1.
pub(super) fn stereo(place: f32) -> [f32; 2] {
    let place = place.clamp(-1.0, 1.0);
    [1.0 - place, 1.0 + place].map(|share| libm::sqrtf(share * 0.5))
}

/// Returns the gains of five speakers for a direction in the plane, of which only `focus` is heard from there
/// and the rest from all of them: their squares add up to 1.
///
/// The direction is a sum of those of two speakers next to each other, whose shares are its gains: the
/// two of which no share is negative.
pub(super) fn surround([x, z]: [f32; 2], focus: f32) -> [f32; CHANNELS] {
    let mut powers = [0.0; CHANNELS];
    let mut focus = focus.clamp(0.0, 1.0);
    if let Some((channels, shares)) = pair([x, z]) {
        let sum = shares[0] * shares[0] + shares[1] * shares[1];
        for (channel, share) in channels.into_iter().zip(shares) {
            powers[channel] = focus * share * share / sum;
        }
    } else {
        focus = 0.0;
    }
    let all = (1.0 - focus) * 0.2;
    let mut gains = powers.map(|power| libm::sqrtf(power + all));
    gains[3] = 0.0;
    gains
}

/// Returns the two speakers that a direction is between, and its shares of them.
fn pair([x, z]: [f32; 2]) -> Option<([usize; 2], [f32; 2])> {
    let cross = |[a, b]: [f32; 2], [c, d]: [f32; 2]| a * d - b * c;
    // Its length does not count, and squares of small numbers are nothing.
    let length = x.abs().max(z.abs());
    if length < f32::MIN_POSITIVE {
        return None;
    }
    let way = [x / length, z / length];
    (0..RING.len()).find_map(|at| {
        let [(left, from), (right, to)] = [RING[at], RING[(at + 1) % RING.len()]];
        let whole = cross(from, to);
        let shares = [cross(way, to) / whole, cross(from, way) / whole];
        let is_it = shares[0] >= 0.0 && shares[1] >= 0.0 && shares[0] + shares[1] > 0.0;
        is_it.then_some(([left, right], shares))
    })
}
