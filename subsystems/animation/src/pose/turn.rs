//! Quaternions in lanes.

use crate::lanes::Lanes;

/// Returns the rotations `a` after `b`, lane by lane.
#[inline]
pub(crate) fn multiply(a: &[Lanes; 4], b: &[Lanes; 4]) -> [Lanes; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (*a, *b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}
