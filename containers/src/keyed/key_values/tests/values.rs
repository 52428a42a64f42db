//! How many words a value takes and where they are, one by one.

use super::asked::with_notes;
use super::value::{is_long, kind, span};
use super::words::Words;
use super::*;

#[test]
fn bools_and_numbers_have_no_bytes() {
    for value in [Value::Bool(true), Value::F32(1.0), Value::Str(""), Value::Array(&[])] {
        assert_eq!(value.data(), (&[][..], 0), "{value:?}");
        for tail in [0, 1, 16_383, 16_384, 1 << 20] {
            assert_eq!(value.tail_words(tail), 0, "{value:?} after {tail} words");
        }
    }
    assert_eq!(Value::Str("abcde").data(), (&b"abcde"[..], 5), "bytes of a text");
    assert_eq!(Value::Array(&[0.0, 0.0]).data(), (&[0; 8][..], 2), "numbers of an array");
    // A value whose offset fits 16 bits takes no word for its length.
    let tails = [0, 16_381, 16_382].map(|tail| Value::Str("abcde").tail_words(tail));
    assert_eq!(tails, [2, 2, 3], "two words and a length");
}

#[test]
fn sixteen_bits_tell_places_and_lengths() {
    let places = [0, 13_108, 16_383, 16_384].map(|back| is_long(back, 1));
    assert_eq!(places, [false, false, false, true], "65532 bytes, and 4 more");
    let lengths = [0, 65_535, 65_536].map(|length| is_long(1, length));
    assert_eq!(lengths, [false, false, true], "65535, and one more");
}

#[test]
fn values_without_words_lie_nowhere() {
    for kind in [kind::BOOL, kind::F32, kind::STR, kind::ARRAY] {
        assert!(span(&[0; 4], kind, 0).is_none(), "type {kind}");
    }
    let found = span(&[0; 4], kind::STR, 8 | 5 << 16).map(|span| (span.back, span.words));
    assert_eq!(found, Some((2, 2)), "five bytes");
    let found = span(&[0; 4], kind::ARRAY, 12 | 3 << 16).map(|span| (span.back, span.words));
    assert_eq!(found, Some((3, 3)), "three numbers");
    let found = span(&[0, 5, 0, 0], kind::LONG_STR, 12).map(|span| (span.back, span.words));
    assert_eq!(found, Some((3, 3)), "a length and five bytes");
}

#[test]
fn what_is_granted_beyond_is_zero() {
    with_notes(|memory| {
        memory.more.set(8);
        let words = Words::copied(&[1, 2, 3], memory).expect("there is memory");
        assert_eq!(words.as_slice(), [1, 2, 3, 0, 0], "two words more");
        let mut words = Words::new(memory);
        words.grow(4, 4).expect("there is memory");
        assert_eq!(words.as_slice(), [0; 10], "with slack, and two words more");
        words.as_mut_slice().fill(7);
        words.shrink(3).expect("there is memory");
        assert_eq!(words.as_slice(), [7, 7, 7, 0, 0], "cut, and two words more");
        words.grow(6, 0).expect("there is memory");
        assert_eq!(words.as_slice(), [7, 7, 7, 0, 0, 0, 0, 0], "grown again");
        words.shrink(0).expect("it goes back");
        assert_eq!(words.as_slice(), [0; 0], "none");
    });
}

/// Keys are kept in files and written in sources, so they are those of this formula for all time.
#[test]
fn a_key_is_hashed_as_said() {
    use loligo_ids::murmur2_32;
    assert_eq!(path_key(&[]), IdString32::new(""), "no name");
    assert_eq!(path_key(&[]).hash(), 0, "no name");
    let hashes = ["stats", "health"].map(|name| murmur2_32(name, 0).to_le_bytes());
    let key = murmur2_32(hashes.as_flattened(), 0);
    assert_eq!(path_key(&["stats", "health"]).hash(), key, "the hash of both hashes");
    assert_eq!(child_key(IdString32::new("stats"), "health").hash(), key, "as of the object");
}
