//! Searching the first seed under which no two names of a set have the same hash.

use core::hint::black_box;

use loligo_ids::perfect_seed_in;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::HEAP;
use crate::outcome::Reading;
use crate::random::Random;

/// Sets of names over which seeds are counted. The standard deviation of one set's count is about
/// its mean, which is why the count is averaged over this number of sets.
const SETS: u32 = 32;

/// Seeds that a search may try: a set of 100 000 names needs as many once in 10^16.
const TRIES: u32 = 100;

/// Searches seeds for `count` names, another set in each pass.
pub(crate) fn search(count: u32) -> Contender {
    let mut set = 0;
    Contender::new("perfect_seed_in", move || {
        let names = names(set % SETS, count);
        set += 1;
        let ns = clock::time(|| {
            black_box(first_seed(&names));
        });
        Pass { ns, operations: 1 }
    })
}

/// Returns how many seeds are tried for `count` names, in the mean.
pub(crate) fn tries(count: u32) -> Reading {
    let tried: u32 = (0..SETS).map(|set| first_seed(&names(set, count)) + 1).sum();
    Reading::single(f64::from(tried) / f64::from(SETS))
}

fn first_seed(names: &[String]) -> u32 {
    match perfect_seed_in(names, TRIES, &HEAP) {
        Ok(seed) => seed,
        Err(error) => panic!("no seed for {} names: {error}", names.len()),
    }
}

/// Returns the given number of different names as a game has for what it loads: a path and a
/// number.
pub(crate) fn names(set: u32, count: u32) -> Vec<String> {
    const KINDS: [&str; 5] = ["units", "textures", "materials", "levels", "sounds"];
    const SYLLABLES: [&str; 12] =
        ["ba", "cor", "dim", "el", "fen", "gra", "ha", "lor", "mi", "nat", "ros", "ver"];
    let mut random = Random::new(u64::from(set) + 1);
    let mut random_word = |words: &[&'static str]| words[random.below(words.len() as u32) as usize];
    (0..count)
        .map(|at| {
            let (kind, first) = (random_word(&KINDS), random_word(&SYLLABLES));
            let (second, third) = (random_word(&SYLLABLES), random_word(&SYLLABLES));
            format!("{kind}/{first}{second}/{third}_{at}")
        })
        .collect()
}
