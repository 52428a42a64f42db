//! Hashers for keys: one for any key, one for keys that are hashed already.
//!
//! After Niklas Frykholm, "Static Hash Values" (2010), whose names are hashed before the game runs,
//! so that a table need not hash them again. Changes: ids count as hashed keys, too, and there is a
//! hasher for all other keys, whose hashes are the same in every run and on every machine.
#![forbid(unsafe_code)]

use core::hash::{BuildHasherDefault, Hasher};

#[cfg(test)]
mod tests;

/// Makes [`KeyHasher`]s: the default of maps.
pub type BuildKeyHasher = BuildHasherDefault<KeyHasher>;

/// Makes [`IdHasher`]s.
pub type BuildIdHasher = BuildHasherDefault<IdHasher>;

/// A quick hasher for keys of any kind, the same in every run and on every machine.
///
/// Eight bytes are one multiplication of 64 by 64 bits, whose halves are folded together, so every
/// bit of the key moves the upper as well as the lower bits of the hash. A `usize` counts as 64
/// bits everywhere. Slices of integers are another matter: they come here as their bytes, in the
/// machine's order and width.
///
/// # Complexity
///
/// O(bytes), an eighth of a step each. Nothing allocates.
///
/// # When not to use it
///
/// For keys that an attacker can choose (names from the network, for instance) so that they
/// collide: the hash has no secret. Take `std::hash::RandomState`, and do without repeatable order.
///
/// # Examples
///
/// ```
/// use core::hash::BuildHasher;
/// use loligo_containers::BuildKeyHasher;
///
/// let hasher = BuildKeyHasher::new();
/// assert_eq!(hasher.hash_one(7_u32), hasher.hash_one(7_u32));
/// assert_ne!(hasher.hash_one("larch"), hasher.hash_one("birch"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeyHasher {
    state: u64,
}

/// Digits of pi after the point: a start that no key is likely to cancel.
const START: u64 = 0x243f_6a88_85a3_08d3;

/// Odd, its bits without a pattern: 2^64 over the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Default for KeyHasher {
    #[inline]
    fn default() -> Self {
        Self { state: START }
    }
}

impl KeyHasher {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(MULTIPLIER);
        self.state = product as u64 ^ (product >> 64) as u64;
    }
}

/// The methods for integers, all of which go through `add`: those of 128 bits with the lower half
/// first, as else they would be bytes in the machine's order.
macro_rules! integers {
    () => {
        integers! {
            write_u8: u8;
            write_u16: u16;
            write_u32: u32;
            write_u64: u64;
            write_usize: usize;
            write_i8: i8;
            write_i16: i16;
            write_i32: i32;
            write_i64: i64;
            write_isize: isize;
        }

        #[inline(always)]
        fn write_u128(&mut self, value: u128) {
            self.add(value as u64);
            self.add((value >> 64) as u64);
        }

        #[inline(always)]
        fn write_i128(&mut self, value: i128) {
            self.write_u128(value as u128);
        }
    };
    ($($method:ident: $integer:ty;)*) => {$(
        #[inline(always)]
        fn $method(&mut self, value: $integer) {
            self.add(value as u64);
        }
    )*};
}

impl Hasher for KeyHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        // The length, so that zero bytes at the end change the hash. It does not overlap the rest,
        // which is at most 7 bytes.
        self.add(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    integers!();

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}

/// A hasher for keys that are hashed already or numbered one after the other: `IdString32`,
/// `IdString64`, and every `Id`.
///
/// One multiplication by an odd number. The lower bits of the hash are those of the key in another
/// order, so ids of one table, whose indices differ, spread over a hash table without meeting; the
/// upper seven, by which hashbrown distinguishes keys before it compares them, depend on all bits
/// of the key.
///
/// # Complexity
///
/// O(1) for integers of up to 64 bits.
///
/// # When not to use it
///
/// For integers that differ in their upper bits only (addresses of pages, floats as bits): they
/// meet. For text: it is hashed here as [`KeyHasher`] does, and that one says what it is.
///
/// # Examples
///
/// ```
/// use core::hash::BuildHasher;
/// use loligo_containers::BuildIdHasher;
/// use loligo_ids::id32;
///
/// let hasher = BuildIdHasher::new();
/// assert_ne!(hasher.hash_one(id32!("larch")), hasher.hash_one(id32!("birch")));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct IdHasher {
    state: u64,
}

impl IdHasher {
    #[inline(always)]
    fn add(&mut self, word: u64) {
        // Turned, so that the parts of a pair do not cancel; the first turn is one of 0.
        self.state = (self.state.rotate_left(26) ^ word).wrapping_mul(MULTIPLIER);
    }
}

impl Hasher for IdHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut hasher = KeyHasher { state: self.state ^ START };
        hasher.write(bytes);
        self.state = hasher.state;
    }

    integers!();

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}
