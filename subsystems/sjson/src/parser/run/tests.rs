//! Tests of runs against loops over bytes.

use std::vec::Vec;

use proptest::prelude::*;

use super::{digits_end, plain_end};
use crate::test_drawn::{check, seeded};

/// Bytes of which many belong to a run, many are next to one that does, and some are of no ASCII.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        6 => b'0'..=b'9',
        4 => any::<u8>(),
        1 => proptest::sample::select(b"\"\\ \x00\x1f\x20\x21\x23\x5b\x5d\x2f\x3a\x7f\x80\xa2\xb0\xdc\xff".to_vec()),
    ];
    proptest::collection::vec(byte, 0..40)
}

fn digits_one_by_one(text: &[u8], from: usize, number: u64) -> (usize, u64) {
    let digits = text[from..].iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold((from, number), |(at, number), &byte| {
        (at + 1, number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')))
    })
}

fn plain_one_by_one(text: &[u8], from: usize) -> usize {
    let is_plain = |byte: &&u8| !matches!(byte, 0..=0x1f | b'"' | b'\\');
    from + text[from..].iter().take_while(is_plain).count()
}

/// From each place of a text: so at all alignments, and with all numbers of bytes up to the end.
#[test]
fn runs_end_where_a_loop_over_bytes_says() {
    check(seeded(0x71a5, 2000), &(bytes(), any::<u64>()), |(text, number)| {
        for from in 0..=text.len() {
            prop_assert_eq!(plain_end(&text, from), plain_one_by_one(&text, from));
            let expected = digits_one_by_one(&text, from, number);
            prop_assert_eq!(digits_end(&text, from, number), expected, "from {}", from);
        }
        Ok(())
    });
}

/// Each byte at each place of a word, among bytes that belong to the run and at the text's end.
#[test]
fn each_byte_ends_a_run_or_does_not() {
    for byte in 0..=u8::MAX {
        for place in 0..20 {
            for rest in 0..10 {
                let mut text = [b'7'; 30];
                text[place] = byte;
                let text = &text[..place + 1 + rest];
                assert_eq!(plain_end(text, 0), plain_one_by_one(text, 0), "{text:?}");
                assert_eq!(digits_end(text, 0, 0), digits_one_by_one(text, 0, 0), "{text:?}");
            }
        }
    }
}

#[test]
fn a_place_past_the_end_has_no_run() {
    assert_eq!((plain_end(b"abc", 4), digits_end(b"123", 4, 5)), (4, (4, 5)));
}
