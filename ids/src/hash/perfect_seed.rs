//! The first seed under which no two keys of a set have the same 32-bit hash.
//!
//! Of n keys none collide with a chance of about e^(-n^2 / 2^33): 0.61 at 65 000, 0.31 at 100 000.
//! So a few seeds are enough, and one that is bad is known half-way through the keys in the mean.
#![forbid(unsafe_code)]
#![expect(
    clippy::arithmetic_side_effects,
    reason = "at most 2^30 keys, so indices, sums of two and doubles fit; a loop ends before \
              its seed does"
)]

use core::error::Error;
use core::fmt;

use loligo_allocators::{AllocError, Allocator};

use super::buffer::Buffer;
use super::murmur::{murmur2_32, murmur2_64a};

#[cfg(test)]
mod tests;

/// The most keys that [`perfect_seed`] takes.
pub const SMALL_KEYS_MAX: usize = 1024;

/// Seeds that [`perfect_seed`] tries. With 1 024 keys one in 8 000 fails.
const SMALL_TRIES: u32 = 64;

/// The most keys that [`perfect_seed_in`] takes: a quarter of the hashes that there are.
const KEYS_MAX: usize = 1 << 30;

/// Returns the smallest seed with which [`murmur2_32`](crate::murmur2_32) gives every key a
/// different hash, for sets that are known while compiling.
///
/// `None` means that two keys are equal, or that they were made to collide under every seed.
///
/// # Complexity
///
/// O(n log n) a seed. Allocates nothing; 4 KiB of stack.
///
/// # Panics
///
/// With more than [`SMALL_KEYS_MAX`] keys; in a constant the compiler says so. [`perfect_seed_in`]
/// takes more.
///
/// # Examples
///
/// ```
/// use loligo_ids::{murmur2_32, perfect_seed};
///
/// const COMMANDS: [&str; 3] = ["pause", "resume", "step"];
/// const SEED: u32 = match perfect_seed(&COMMANDS) {
///     Some(seed) => seed,
///     None => panic!("two commands have one name"),
/// };
/// assert_eq!(SEED, 0);
/// assert_ne!(murmur2_32("pause", SEED), murmur2_32("resume", SEED));
/// ```
#[must_use]
pub const fn perfect_seed(keys: &[&str]) -> Option<u32> {
    assert!(keys.len() <= SMALL_KEYS_MAX, "more than 1 024 keys: use `perfect_seed_in`");
    let mut hashes = [0; SMALL_KEYS_MAX];
    let mut seed = 0;
    while seed < SMALL_TRIES {
        let mut at = 0;
        while at < keys.len() {
            hashes[at] = murmur2_32(keys[at], seed);
            at += 1;
        }
        if all_differ(&mut hashes, keys.len()) {
            return Some(seed);
        }
        seed += 1;
    }
    None
}

/// Returns the smallest seed below `tries` with which [`murmur2_32`](crate::murmur2_32) gives every
/// key a different hash.
///
/// Then a key is its hash: comparing hashes compares keys, and the keys need not be kept.
///
/// # Complexity
///
/// O(n) a seed in the mean. About 1.6 seeds are tried at 65 000 keys, 3.2 at 100 000, 18 at 157
/// 000, and e times as many for each further step of 2^33 in n^2.
///
/// # Memory
///
/// 8 to 16 bytes a key from `memory`, in one block that is given back at the end.
///
/// # Errors
///
/// [`PerfectSeedError`]: equal keys are named, and where `tries` seeds were not enough the two keys that
/// the last one failed at.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{PerfectSeedError, perfect_seed_in};
///
/// static HEAP: StaticHeap<65536> = StaticHeap::new("scratch");
///
/// let keys = ["textures/grass", "textures/stone", "units/larch"];
/// assert_eq!(perfect_seed_in(&keys, 100, &HEAP), Ok(0));
/// let twice = ["grass", "stone", "grass"];
/// assert_eq!(
///     perfect_seed_in(&twice, 100, &HEAP),
///     Err(PerfectSeedError::Duplicate { key: "grass", first: 0, second: 2 })
/// );
/// ```
pub fn perfect_seed_in<'k, K: AsRef<str>, A: Allocator + ?Sized>(
    keys: &'k [K],
    tries: u32,
    memory: &A,
) -> Result<u32, PerfectSeedError<'k>> {
    let mut failed = None;
    if keys.len() > KEYS_MAX {
        return Err(PerfectSeedError::TooManyKeys { keys: keys.len() });
    }
    let slots = (2 * keys.len()).next_power_of_two();
    let mut table = Buffer::new(memory);
    for seed in 0..tries {
        table.refill(slots, 0_u32)?;
        let Some(at) = first_collision(keys, seed, table.as_mut_slice()) else {
            return Ok(seed);
        };
        if failed.is_none() {
            table.refill(slots, 0)?;
            if let Some((first, second)) = first_duplicate(keys, table.as_mut_slice()) {
                let key = keys[first].as_ref();
                return Err(PerfectSeedError::Duplicate { key, first, second });
            }
        }
        failed = Some((seed, at));
    }
    let pair = failed.map(|(seed, at)| {
        let hash = murmur2_32(keys[at].as_ref(), seed);
        let other = keys.iter().find(|key| murmur2_32(key.as_ref(), seed) == hash);
        [other.unwrap_or(&keys[at]).as_ref(), keys[at].as_ref()]
    });
    Err(PerfectSeedError::NoSeed { tries, pair })
}

/// Why there is no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PerfectSeedError<'k> {
    /// The same key is in the set twice, so that no seed can distinguish the two.
    Duplicate {
        /// The key.
        key: &'k str,
        /// Where it is first.
        first: usize,
        /// The index of its repetition.
        second: usize,
    },
    /// As many seeds as allowed were tried. Allow more, take 64-bit hashes, or find out who made
    /// keys that collide on purpose.
    NoSeed {
        /// The seeds tried.
        tries: u32,
        /// The keys that collided under the last one; `None` if no seed was allowed.
        pair: Option<[&'k str; 2]>,
    },
    /// More keys than a quarter of all hashes.
    TooManyKeys {
        /// How many there are.
        keys: usize,
    },
    /// The allocator refused the memory for the search.
    Memory(AllocError),
}

impl fmt::Display for PerfectSeedError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate { key, first, second } => {
                write!(f, "key {key:?} stands twice, at {first} and at {second}: name it once")
            }
            Self::NoSeed { tries, pair } => {
                write!(f, "none of the first {tries} seeds tells all keys apart")?;
                match pair {
                    Some([first, second]) => {
                        write!(f, "; under the last one {first:?} and {second:?} collide")
                    }
                    None => Ok(()),
                }
            }
            Self::TooManyKeys { keys } => {
                write!(
                    f,
                    "{keys} keys are too many for 32-bit hashes; at most {KEYS_MAX} are taken"
                )
            }
            Self::Memory(error) => write!(f, "no memory for the search for a seed: {error}"),
        }
    }
}

impl Error for PerfectSeedError<'_> {}

impl From<AllocError> for PerfectSeedError<'_> {
    fn from(error: AllocError) -> Self {
        Self::Memory(error)
    }
}

/// Returns the first key whose hash an earlier one has. `table` is all 0 and has more slots than
/// there are keys, a power of two of them.
fn first_collision<K: AsRef<str>>(keys: &[K], seed: u32, table: &mut [u32]) -> Option<usize> {
    let mask = table.len() - 1;
    // 0 marks a free slot; the key that hashes to it is remembered apart.
    let mut zero_seen = false;
    for (at, key) in keys.iter().enumerate() {
        let hash = murmur2_32(key.as_ref(), seed);
        if hash == 0 {
            if zero_seen {
                return Some(at);
            }
            zero_seen = true;
            continue;
        }
        let mut slot = hash as usize & mask;
        while table[slot] != 0 {
            if table[slot] == hash {
                return Some(at);
            }
            slot = (slot + 1) & mask;
        }
        table[slot] = hash;
    }
    None
}

/// Returns a key that occurs twice. `table` is as in [`first_collision`].
fn first_duplicate<K: AsRef<str>>(keys: &[K], table: &mut [u32]) -> Option<(usize, usize)> {
    let mask = table.len() - 1;
    for (second, key) in keys.iter().enumerate() {
        // Keys that collide under every seed of one hash are still spread by the other.
        let mut slot = murmur2_64a(key.as_ref(), 0) as usize & mask;
        while table[slot] != 0 {
            let first = table[slot] as usize - 1;
            if keys[first].as_ref() == key.as_ref() {
                return Some((first, second));
            }
            slot = (slot + 1) & mask;
        }
        // There are at most 2^30 keys.
        table[slot] = second as u32 + 1;
    }
    None
}

/// Returns `true` if the first `len` values differ from one another, by sorting them: a heap sort,
/// which the compiler evaluates in few enough steps.
const fn all_differ(values: &mut [u32; SMALL_KEYS_MAX], len: usize) -> bool {
    let mut root = len / 2;
    while root > 0 {
        root -= 1;
        sift_down(values, root, len);
    }
    let mut end = len;
    while end > 1 {
        end -= 1;
        values.swap(0, end);
        sift_down(values, 0, end);
        if end + 1 < len && values[end] == values[end + 1] {
            return false;
        }
    }
    len < 2 || values[0] != values[1]
}

/// Lets the value at `root` sink to its place in the heap of the first `end` values.
const fn sift_down(values: &mut [u32; SMALL_KEYS_MAX], root: usize, end: usize) {
    let mut at = root;
    loop {
        let mut child = 2 * at + 1;
        if child >= end {
            return;
        }
        if child + 1 < end && values[child] < values[child + 1] {
            child += 1;
        }
        if values[at] >= values[child] {
            return;
        }
        values.swap(at, child);
        at = child;
    }
}
