//! A vector of 64-bit floats: what is subtracted from each other loses digits, and here none may be
//! missing.

use core::ops::{Add, Mul, Neg, Sub};

use glam::Vec3;

/// Three 64-bit floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wide(pub(super) [f64; 3]);

impl Wide {
    pub(super) fn dot(self, other: Self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|at| self.0[at] * other.0[at]);
        x + y + z
    }

    pub(super) fn cross(self, other: Self) -> Self {
        let [a, b] = [self.0, other.0];
        Self([(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i]))
    }

    /// Returns the square of its length.
    pub(super) fn squared(self) -> f64 {
        self.dot(self)
    }

    pub(super) fn is_finite(self) -> bool {
        self.0.iter().all(|part| part.is_finite())
    }
}

impl From<Vec3> for Wide {
    fn from(from: Vec3) -> Self {
        Self(from.to_array().map(f64::from))
    }
}

impl Add for Wide {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self([0, 1, 2].map(|at| self.0[at] + other.0[at]))
    }
}

impl Sub for Wide {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Wide {
    type Output = Self;

    fn neg(self) -> Self {
        self * -1.0
    }
}

impl Mul<f64> for Wide {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        Self(self.0.map(|part| part * by))
    }
}
