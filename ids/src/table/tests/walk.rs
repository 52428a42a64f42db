//! The walk over a bitmap, against the bits asked one by one.

use core::ptr::NonNull;
use std::collections::VecDeque;
use std::vec::Vec;

use crate::table::hole_walk::HoleWalk;
use crate::test_backing::Random;

/// Walks a bitmap by steps and by folding, and from every place on by both.
fn check(bitmap: &[u64]) {
    let expected: Vec<usize> = (0..bitmap.len() * 64)
        .filter(|place| bitmap[place / 64] >> (place % 64) & 1 != 0)
        .collect();
    // SAFETY: the bitmap has as many words and is not changed.
    let walk = || unsafe { HoleWalk::new(NonNull::from(bitmap).cast(), bitmap.len()) };
    assert!(walk().eq(expected.iter().copied()), "steps over {bitmap:x?}");
    for from in 0..=expected.len() {
        let mut rest = walk();
        for place in &expected[..from] {
            assert_eq!(rest.next(), Some(*place), "step over {bitmap:x?}");
        }
        assert_eq!(rest.len(), expected.len() - from, "what is left of {bitmap:x?} after {from}");
        let folded = rest.fold(Vec::new(), |mut all, place| {
            all.push(place);
            all
        });
        assert_eq!(folded, expected[from..], "the rest of {bitmap:x?} after {from}");
    }
}

/// Takes from both ends in turns that `random` chooses, until nothing is left.
fn check_ends(bitmap: &[u64], random: &mut Random) {
    // SAFETY: the bitmap has as many words and is not changed.
    let mut walk = unsafe { HoleWalk::new(NonNull::from(bitmap).cast(), bitmap.len()) };
    let mut expected: VecDeque<usize> = walk.clone().collect();
    let front = random.below(5);
    loop {
        assert_eq!(walk.len(), expected.len(), "what is left of {bitmap:x?}");
        let (taken, wanted) = if random.below(4) < front {
            (walk.next(), expected.pop_front())
        } else {
            (walk.next_back(), expected.pop_back())
        };
        assert_eq!(taken, wanted, "an end of {bitmap:x?}");
        if random.below(40) == 0 {
            assert!(walk.clone().eq(expected.iter().copied()), "forwards from here");
            assert!(walk.clone().rev().eq(expected.iter().rev().copied()), "and backwards");
            let sum = walk.clone().sum::<usize>();
            assert_eq!(sum, expected.iter().sum::<usize>(), "and summed");
        }
        if wanted.is_none() {
            assert_eq!((walk.next(), walk.next_back()), (None, None), "both ends stay at the end");
            return;
        }
    }
}

#[test]
fn every_bit_is_visited_once_and_in_order() {
    check(&[]);
    for word in [0, 1, 1 << 63, u64::MAX, u64::MAX >> 1, u64::MAX << 1, !(1 << 31), 0xff_ffff] {
        check(&[word]);
        check(&[0, word, 0]);
        check(&[word, 1, word]);
    }
}

#[test]
fn words_of_every_density_are_walked() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        // From bits that are rare to holes that are rare, so that words change between both ways.
        let bitmap: Vec<u64> = (0..6)
            .map(|_| {
                let fill = random.below(41);
                (0..64).fold(0, |word, _| word << 1 | u64::from(random.below(40) < fill))
            })
            .collect();
        std::println!("seed {seed}");
        check(&bitmap);
        for _ in 0..20 {
            check_ends(&bitmap, &mut random);
        }
    }
}
