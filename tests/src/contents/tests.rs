//! A pattern is found where it was written, and any byte of it that is changed is missed.

use core::ptr::NonNull;

use super::{END_BYTES, Pattern, first_nonzero};

fn write(bytes: &mut [u8], touch_max: usize, seed: u64) -> Pattern {
    let block = NonNull::from(&mut *bytes).cast();
    // SAFETY: the slice has that many bytes and is borrowed for this call alone.
    unsafe { Pattern::write(block, bytes.len(), touch_max, seed) }
}

fn difference(pattern: &Pattern, bytes: &mut [u8]) -> Option<usize> {
    let block = NonNull::from(&mut *bytes).cast();
    // SAFETY: the slice has that many bytes, all with a value.
    unsafe { pattern.first_difference(block, bytes.len()) }
}

#[test]
fn any_changed_byte_is_found() {
    let mut bytes = [0; 100];
    let pattern = write(&mut bytes, 1000, 7);
    for offset in 0..100 {
        bytes[offset] = !bytes[offset];
        assert_eq!(difference(&pattern, &mut bytes), Some(offset));
        assert_eq!(difference(&pattern, &mut bytes[..offset]), None);
        bytes[offset] = !bytes[offset];
    }
}

#[test]
fn a_big_block_is_written_at_its_ends_alone() {
    let mut bytes = vec![0; 10_000];
    let pattern = write(&mut bytes, 200, 3);
    let middle = &bytes[END_BYTES..10_000 - END_BYTES];
    assert!(middle.iter().all(|&byte| byte == 0), "the middle stays untouched");
    for offset in [0, END_BYTES - 1, 10_000 - END_BYTES, 9_999] {
        bytes[offset] = !bytes[offset];
        assert_eq!(difference(&pattern, &mut bytes), Some(offset));
        bytes[offset] = !bytes[offset];
    }
    assert_eq!(difference(&pattern, &mut bytes[..9_970]), None);
}

#[test]
fn different_seeds_differ_everywhere() {
    let mut equal = 0;
    for seed in 0..200 {
        let mut pair = [[0; 64]; 2];
        for (bytes, seed) in pair.iter_mut().zip([seed, seed + 1]) {
            write(bytes, 64, seed);
        }
        equal += pair[0].iter().zip(pair[1]).filter(|(one, other)| **one == *other).count();
    }
    // Of 12 800 pairs of bytes, 50 are equal by chance.
    assert!(equal < 200, "{equal} of 12800 bytes are the same under two seeds");
}

#[test]
fn what_is_not_zero_is_found() {
    let mut bytes = vec![0; 5000];
    let mut found = |offset: usize, value: u8| {
        bytes[offset] = value;
        let block = NonNull::from(bytes.as_mut_slice()).cast();
        // SAFETY: the vector has that many bytes, all with a value.
        let found = unsafe { first_nonzero(block, 5000, 100) };
        bytes[offset] = 0;
        found
    };
    assert_eq!(found(0, 0), None);
    for offset in [0, 99, 4900, 4999] {
        assert_eq!(found(offset, 1), Some(offset));
    }
}
