//! The accuracy of the functions: compared with 64-bit floats, over samples of all 32-bit ones.

use std::println;

use super::*;

/// Returns how many units in the last place `ours` is from `right`.
fn units(ours: f32, right: f64) -> f64 {
    let nearest = right as f32;
    if ours.to_bits() == nearest.to_bits() || ours.is_nan() && nearest.is_nan() {
        return 0.0;
    }
    // The unit at the right result; that of the least normal number below it.
    let exponent = ((right.abs().to_bits() >> 52) as i32 - 1_023).max(-126);
    (f64::from(ours) - right).abs() / 2.0_f64.powi(exponent - 23)
}

/// Compares over a sample of all bit patterns, at equal distances.
fn compare(
    name: &str,
    ours: impl Fn(f32) -> f32,
    right: impl Fn(f64) -> f64,
    is_in: impl Fn(f32) -> bool,
) {
    let mut worst = (0.0, 0.0);
    for bits in (0..=u32::MAX).step_by(4_099) {
        let x = f32::from_bits(bits);
        if is_in(x) {
            let off = units(ours(x), right(f64::from(x)));
            if off > worst.0 || off.is_nan() {
                worst = (off, x);
            }
        }
    }
    println!("{name}: {:.4} units at {:e}", worst.0, worst.1);
    assert!(worst.0 <= 0.51, "{name}: {} units at {:e}", worst.0, worst.1);
}

#[test]
fn sums_of_powers_are_within_half_a_unit() {
    let is_near = |x: f32| x.abs() < NEAR;
    compare("sin", sin, f64::sin, is_near);
    compare("cos", cos, f64::cos, is_near);
    compare("tan", tan, f64::tan, is_near);
    compare("exp", exp, f64::exp, |x| !x.is_nan());
    compare("ln", ln, f64::ln, |x| x > 0.0);
    for y in [-2.5, -0.3, 0.1, 1.5, 7.0, 33.3] {
        let right = |x: f64| x.powf(f64::from(y as f32));
        compare("pow", |x| pow(x, y as f32), right, |x| x > 0.0 && x.is_finite());
    }
}

#[test]
fn huge_angles_are_reduced_elsewhere() {
    for x in [1.0e8_f32, -3.0e9, 1.0e20, f32::MAX] {
        let right = f64::from(x);
        assert!(units(sin(x), right.sin()) < 1.0, "{} for {}", sin(x), right.sin());
        assert!(units(cos(x), right.cos()) < 1.0, "{} for {}", cos(x), right.cos());
    }
    assert!(sin(f32::INFINITY).is_nan() && cos(f32::NAN).is_nan(), "no angle, no sine");
}

#[test]
fn rounding_is_the_same_as_in_the_library() {
    for bits in (0..=u32::MAX).step_by(65_537) {
        let x = f32::from_bits(bits);
        let pairs = [
            (floor(x), x.floor()),
            (ceil(x), x.ceil()),
            (round(x), x.round()),
            (trunc(x), x.trunc()),
        ];
        for (ours, right) in pairs {
            assert_eq!(canonical(ours).to_bits(), canonical(right).to_bits(), "of {x:e}");
        }
    }
}

#[test]
fn corners_are_as_in_ieee_754() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    assert_eq!(sin(-0.0).to_bits(), (-0.0_f32).to_bits(), "a zero keeps its sign");
    assert_eq!(tan(-0.0).to_bits(), (-0.0_f32).to_bits(), "a zero keeps its sign");
    assert_eq!((exp(-inf), exp(inf), exp(0.0)), (0.0, inf, 1.0));
    assert_eq!((ln(0.0), ln(-0.0), ln(inf), ln(1.0)), (-inf, -inf, inf, 0.0));
    assert!(ln(-1.0).is_nan() && ln(nan).is_nan() && exp(nan).is_nan(), "no number");
    let corners = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.3, -0.3, 2.5, -7.0, inf, -inf, nan, 1e-40];
    for x in corners {
        for y in corners {
            let (ours, right) = (pow(x, y), x.powf(y));
            // Those that are made otherwise are asked for elsewhere.
            if !matches!(y, 0.5 | 1.0 | 2.0 | -1.0) {
                let is_same = ours.is_nan() && right.is_nan()
                    || ours.to_bits() == right.to_bits()
                    || ((ours - right) / right).abs() < 1e-6;
                assert!(is_same, "{x} ^ {y} is {ours}, not {right}");
            }
        }
    }
}
