//! Quaternions in lanes.

use crate::lanes::Lanes;

/// Returns the rotations `a` after `b`, lane by lane.
#[inline(always)]
pub(crate) fn multiply(a: &[Lanes; 4], b: &[Lanes; 4]) -> [Lanes; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (*a, *b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Returns the quaternions between two, each scaled to length 1, the short way around. Those of `a` where
/// nothing is between them.
#[inline(always)]
pub(crate) fn between(a: &[Lanes; 4], b: &[Lanes; 4], weight: Lanes) -> [Lanes; 4] {
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let toward = dot.select_negative(-weight, weight);
    let rest = Lanes::ONE - weight;
    let mut out = *a;
    for (row, other) in out.iter_mut().zip(b) {
        *row = *row * rest + *other * toward;
    }
    normalized_or(&out, a)
}

/// Returns quaternions scaled to length 1, and those of `or` where one is too short to have a direction.
#[inline(always)]
pub(crate) fn normalized_or(q: &[Lanes; 4], or: &[Lanes; 4]) -> [Lanes; 4] {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    // Below this a sum of unit quaternions has lost its direction to rounding.
    let short = square - Lanes::splat(1.0e-8);
    let inverse = Lanes::ONE / square.sqrt();
    let mut out = *q;
    for (row, or) in out.iter_mut().zip(or) {
        *row = short.select_negative(*or, *row * inverse);
    }
    out
}
