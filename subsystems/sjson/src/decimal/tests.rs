//! Tests of decimals against the standard library's reader of numbers.

use std::format;

use proptest::prelude::*;

use super::{DIGITS_BITS, Decimal, FRACTION_MAX, quotient};
use crate::test_drawn::{check, seeded};

/// Returns what the standard library reads.
fn nearest(negative: bool, digits: u64, fraction: usize) -> f64 {
    let sign = if negative { "-" } else { "" };
    format!("{sign}{digits}e-{fraction}").parse().expect("a number")
}

#[test]
fn floats_are_the_nearest() {
    let digits = (any::<u64>(), 0..64_u32).prop_map(|(digits, shift)| digits >> shift);
    let drawn = (digits, 0..=FRACTION_MAX, any::<bool>());
    check(seeded(0xdec1, 20_000), &drawn, |(digits, fraction, negative)| {
        let expected = nearest(negative, digits, fraction);
        let decimal = Decimal::new(negative, digits, fraction);
        prop_assert_eq!(decimal.is_none(), digits >> DIGITS_BITS != 0);
        if let Some(float) = decimal.f64() {
            prop_assert_eq!(float.to_bits(), expected.to_bits());
        }
        // Of any number, whether it is kept or not.
        if digits > 0 {
            prop_assert_eq!(quotient(digits, fraction), expected.abs());
        }
        Ok(())
    });
}

/// Decimals in the middle between two floats, and those next to them.
#[test]
fn halves_go_to_even_floats() {
    for fraction in 1..=4_u32 {
        // Odd numbers of 54 bits over a power of two: half of the last bit of a float.
        for odd in [(1 << 53) + 1, (1 << 53) + 3, (1 << 54) - 1] {
            let half = odd * 5_u64.pow(fraction);
            for digits in [half - 1, half, half + 1] {
                let expected = nearest(false, digits, fraction as usize);
                assert_eq!(quotient(digits, fraction as usize), expected, "{digits} e-{fraction}");
            }
        }
    }
}

#[test]
fn limits_are_kept_and_no_more() {
    let most = (1 << DIGITS_BITS) - 1;
    for (digits, fraction) in [(0, 0), (0, FRACTION_MAX), (most, 0), (most, FRACTION_MAX)] {
        for negative in [false, true] {
            let decimal = Decimal::new(negative, digits, fraction);
            assert_eq!(decimal.is_negative(), negative, "{digits} {fraction}");
            assert_eq!((decimal.digits(), decimal.fraction()), (digits, fraction));
            let expected = nearest(negative, digits, fraction);
            assert_eq!(decimal.f64().map(f64::to_bits), Some(expected.to_bits()));
        }
    }
    for (digits, fraction) in [(most + 1, 0), (0, FRACTION_MAX + 1)] {
        let none = Decimal::new(false, digits, fraction);
        assert!(none.is_none(), "{digits} {fraction}");
        assert_eq!((none.f64(), none.i64()), (None, None), "{digits} {fraction}");
    }
    assert_eq!(Decimal::new(true, 7, 0).i64(), Some(-7));
    assert_eq!(Decimal::new(true, 7, 1).i64(), None);
}
