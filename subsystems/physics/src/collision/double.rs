//! Vectors in 64 bits, for what decides about points in 32.

/// Returns a point in 64 bits.
pub(crate) fn double(point: [f32; 3]) -> [f64; 3] {
    point.map(f64::from)
}

/// Returns the way from one point to another.
pub(crate) fn between(from: [f64; 3], to: [f64; 3]) -> [f64; 3] {
    [to[0] - from[0], to[1] - from[1], to[2] - from[2]]
}

/// Returns the scalar product.
pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the cross product.
pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
