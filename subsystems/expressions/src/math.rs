//! Functions of floats that give the same bits on every machine, and in a loop as alone.
//!
//! Those of the platform's C library differ from machine to machine in the last bit, so a constant
//! folded by a compiler on one of them would not be what the game computes on another; and a call
//! for each float keeps a loop over a column from doing several at a time. Here sine, cosine,
//! tangent, exponential, logarithm and power are sums of powers in 64-bit floats without a branch:
//! only operations that IEEE 754 defines to the bit, in a fixed order, never fused. Rounded to 32
//! bits in the end they are within 0.51 units in the last place.

use crate::float::{cube, fourth, sqrt, square};

/// Adding and taking away this leaves a 64-bit float rounded to a whole number, ties to even, and
/// the sum has that number in its low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// From here on all 32-bit floats are whole numbers.
const WHOLE: f32 = 8_388_608.0;

/// The angles up to which sine and cosine are reduced here: the product of a quarter turn's 25
/// leading bits and the number of quarter turns is exact.
pub(crate) const NEAR: f32 = 1.0e8;

/// The 25 leading bits of a quarter turn.
const QUARTER: f64 = f64::from_bits(0x3ff9_21fb_5000_0000);
/// A quarter turn less these.
const QUARTER_REST: f64 = 1.589_325_477_352_819_5e-8;

/// Rounds toward zero.
#[inline(always)]
pub(crate) fn trunc(x: f32) -> f32 {
    let size = x.abs();
    let near = (size + WHOLE) - WHOLE;
    let below = if near > size { near - 1.0 } else { near };
    let whole = below.copysign(x);
    if size < WHOLE { whole } else { x }
}

#[inline(always)]
pub(crate) fn floor(x: f32) -> f32 {
    let whole = trunc(x);
    if whole > x { whole - 1.0 } else { whole }
}

#[inline(always)]
pub(crate) fn ceil(x: f32) -> f32 {
    -floor(-x)
}

/// Rounds to the nearest whole number, a half away from zero.
#[inline(always)]
pub(crate) fn round(x: f32) -> f32 {
    let whole = trunc(x);
    let away = whole + 1.0_f32.copysign(x);
    if (x - whole).abs() >= 0.5 { away } else { whole }
}

#[inline(always)]
pub(crate) fn fract(x: f32) -> f32 {
    x - floor(x)
}

#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    if x.abs() < NEAR { sin_near(x) } else { libm::sinf(x) }
}

#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    if x.abs() < NEAR { cos_near(x) } else { libm::cosf(x) }
}

#[inline(always)]
pub(crate) fn tan(x: f32) -> f32 {
    if x.abs() < NEAR { tan_near(x) } else { libm::tanf(x) }
}

/// The sine of an angle below [`NEAR`].
#[inline(always)]
pub(crate) fn sin_near(x: f32) -> f32 {
    let (quarters, rest) = quarter_turns(x);
    // Keeps the sign of a zero, which the sum would lose.
    if x == 0.0 { x } else { wave(quarters, rest) as f32 }
}

/// The cosine of an angle below [`NEAR`].
#[inline(always)]
pub(crate) fn cos_near(x: f32) -> f32 {
    let (quarters, rest) = quarter_turns(x);
    wave(quarters.wrapping_add(1), rest) as f32
}

/// The tangent of an angle below [`NEAR`].
#[inline(always)]
pub(crate) fn tan_near(x: f32) -> f32 {
    let (quarters, rest) = quarter_turns(x);
    let tangent = wave(quarters, rest) / wave(quarters.wrapping_add(1), rest);
    if x == 0.0 { x } else { tangent as f32 }
}

/// Splits an angle into quarter turns, right in the two lowest bits, and a rest of at most half of
/// one.
#[inline(always)]
fn quarter_turns(x: f32) -> (u64, f64) {
    let angle = f64::from(x);
    let shifted = angle * core::f64::consts::FRAC_2_PI + ROUND;
    let quarters = shifted - ROUND;
    (shifted.to_bits(), angle - quarters * QUARTER - quarters * QUARTER_REST)
}

/// Returns the sine of a number of quarter turns and a rest.
#[inline(always)]
fn wave(quarters: u64, rest: f64) -> f64 {
    let square = rest * rest;
    let fourth = square * square;
    // The series as a tree, whose longest chain is short.
    let sine_high = (1.0 / 120.0 - square * (1.0 / 5_040.0))
        + fourth * (1.0 / 362_880.0 - square * (1.0 / 39_916_800.0));
    let sine = rest * ((1.0 - square * (1.0 / 6.0)) + fourth * sine_high);
    let cosine = (1.0 - square * 0.5)
        + fourth
            * ((1.0 / 24.0 - square * (1.0 / 720.0))
                + fourth * (1.0 / 40_320.0 - square * (1.0 / 3_628_800.0)));
    let odd = 0_u64.wrapping_sub(quarters & 1);
    let bits = (cosine.to_bits() & odd) | (sine.to_bits() & !odd);
    f64::from_bits(bits ^ ((quarters & 2) << 62))
}

#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    exp64(f64::from(x)) as f32
}

/// Returns e to the power of `x`, right where the result is a 32-bit float, beyond its ends
/// otherwise.
#[inline(always)]
fn exp64(x: f64) -> f64 {
    let x = if x < -110.0 { -110.0 } else { x };
    let x = if x > 90.0 { 90.0 } else { x };
    let shifted = x * core::f64::consts::LOG2_E + ROUND;
    let doublings = shifted - ROUND;
    let r = x - doublings * core::f64::consts::LN_2;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0));
    let high = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5_040.0));
    let power = low + r4 * (high + r4 * (1.0 / 40_320.0));
    power * f64::from_bits(shifted.to_bits().wrapping_add(1_023) << 52)
}

#[inline(always)]
pub(crate) fn ln(x: f32) -> f32 {
    let logarithm = ln64(f64::from(x.abs())) as f32;
    if x < 0.0 { f32::NAN } else { logarithm }
}

/// Returns the natural logarithm of a positive number, a zero, infinity, or NaN; a 64-bit float
/// that was a 32-bit one is never denormal.
#[inline(always)]
fn ln64(x: f64) -> f64 {
    let bits = x.to_bits();
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    // The exponent as a float: in the low bits of 2^52, from which 2^52 and its bias are taken
    // away.
    let exponent =
        f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1_023.0);
    let is_high = mantissa > core::f64::consts::SQRT_2;
    let m = if is_high { mantissa * 0.5 } else { mantissa };
    let exponent = if is_high { exponent + 1.0 } else { exponent };
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let s4 = s2 * s2;
    let low = (1.0 + s2 * (1.0 / 3.0)) + s4 * (1.0 / 5.0 + s2 * (1.0 / 7.0));
    let high = (1.0 / 9.0 + s2 * (1.0 / 11.0)) + s4 * (1.0 / 13.0 + s2 * (1.0 / 15.0));
    let series = low + (s4 * s4) * high;
    let logarithm = exponent * core::f64::consts::LN_2 + 2.0 * s * series;
    let logarithm = if x == 0.0 { f64::NEG_INFINITY } else { logarithm };
    if x < f64::INFINITY { logarithm } else { x }
}

/// Returns `x` to the power of `y`. Powers of 1, 2, 3, 4, -1 and 0.5 are made by multiplying,
/// dividing and the square root, so that a compiler may do the same where it knows `y`.
#[inline(always)]
pub(crate) fn pow(x: f32, y: f32) -> f32 {
    let power = power(x, y);
    let power = if y == 1.0 { x } else { power };
    let power = if y == 2.0 { square(x) } else { power };
    let power = if y == 3.0 { cube(x) } else { power };
    let power = if y == 4.0 { fourth(x) } else { power };
    let power = if y == -1.0 { 1.0 / x } else { power };
    if y == 0.5 { sqrt(x) } else { power }
}

/// The power by logarithm and exponential, with the corners of IEEE 754.
#[inline(always)]
fn power(x: f32, y: f32) -> f32 {
    let size = x.abs();
    let power = exp64(f64::from(y) * ln64(f64::from(size))) as f32;
    let power = if (size == 1.0) | (y == 0.0) { 1.0 } else { power };
    let is_whole = trunc(y) == y;
    let half = y * 0.5;
    let is_odd = is_whole & (trunc(half) != half);
    let is_negative = x.to_bits() >> 31 != 0;
    let power = if is_negative & is_odd { -power } else { power };
    let is_root_of_negative = (x < 0.0) & (size < f32::INFINITY) & !is_whole;
    let power = if is_root_of_negative | y.is_nan() { f32::NAN } else { power };
    if (x == 1.0) | (y == 0.0) { 1.0 } else { power }
}

/// Gives all NaNs the same bits, because machines differ in which they make.
#[inline(always)]
pub(crate) fn canonical(x: f32) -> f32 {
    if x.is_nan() { f32::NAN } else { x }
}

#[cfg(test)]
mod tests;
