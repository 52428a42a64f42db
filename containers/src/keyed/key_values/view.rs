//! Reading a store, wherever it is.

use core::fmt;
use core::hint::cold_path;

use bytemuck::cast_slice;
use loligo_ids::IdString32;

use super::scan;
use super::value::{Value, kind};

/// A store that is read in place: of a [`KeyValues`](super::KeyValues), of a
/// [`KeyValuesSet`](super::KeyValuesSet), or [opened](Self::open) in bytes that were loaded or
/// mapped.
///
/// # Complexity
///
/// A lookup compares the keys sixteen at a time, up to 48 of them, and halves more: O(log keys).
/// None allocates.
///
/// # Memory
///
/// Three words; the store is borrowed.
///
/// # Invariants
///
/// 1. `block` has `count` keys in strictly ascending order, then as many values of a word, then as
///    many types of a byte, each of them a kind of the module `value`.
/// 2. The word of a bool is 0 or 1. That of a text or an array is 0 where it has no bytes; else its
///    lower half says how many bytes before the end of `block` it begins, a multiple of 4, and its
///    upper half how many bytes or numbers it has. The word of a long one says the former, and the
///    word there the latter; the bytes follow it.
/// 3. All of these are within `block`, after the types. Texts are UTF-8.
#[derive(Clone, Copy)]
pub struct KeyValuesRef<'b> {
    pub(super) block: &'b [u32],
    pub(super) count: usize,
}

/// As [`KeyValuesRef::scalar_by`], of a store in parts, which are handed over in registers.
#[inline(never)]
pub(super) fn scalar_in_other(
    block: &[u32],
    count: usize,
    key: IdString32,
    kind: u8,
) -> Option<u32> {
    let store = KeyValuesRef { block, count };
    let place = scan::find_in_other(block, count, key.hash())?;
    (store.kind(place) == kind).then(|| store.word(place))
}

/// Keys that take sixteen words at least, with their values and types.
const ENOUGH: usize = 7;

/// Returns the number of words that `count` keys take with their values and types.
#[inline(always)]
pub(super) const fn head_words(count: usize) -> usize {
    2 * count + count.div_ceil(4)
}

impl<'b> KeyValuesRef<'b> {
    /// The store without keys.
    pub(super) const EMPTY: Self = Self { block: &[], count: 0 };

    /// Returns how many keys there are.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.count
    }

    /// Returns `true` if there is no key.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Returns `true` if there is this key.
    #[inline]
    #[must_use]
    pub fn contains(self, key: IdString32) -> bool {
        self.find(key).is_some()
    }

    /// Returns the value of a key, or `None` if there is no such key.
    #[inline]
    #[must_use]
    pub fn get(self, key: IdString32) -> Option<Value<'b>> {
        self.find(key).map(|place| self.value(place))
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not a bool.
    #[inline(always)]
    #[must_use]
    pub fn get_bool(self, key: IdString32) -> Option<bool> {
        self.scalar(key, kind::BOOL).map(|word| word != 0)
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not a number.
    #[inline(always)]
    #[must_use]
    pub fn get_f32(self, key: IdString32) -> Option<f32> {
        self.scalar(key, kind::F32).map(f32::from_bits)
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not a text.
    #[inline]
    #[must_use]
    pub fn get_str(self, key: IdString32) -> Option<&'b str> {
        let place = self.find(key)?;
        self.text(self.kind(place), self.word(place))
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not an array.
    #[inline]
    #[must_use]
    pub fn get_array(self, key: IdString32) -> Option<&'b [f32]> {
        let place = self.find(key)?;
        self.array(self.kind(place), self.word(place))
    }

    /// Returns all keys with their values, in the order of the keys' hashes: the same for all
    /// stores with the same keys, however they came to them.
    #[must_use]
    pub fn iter(
        self,
    ) -> impl DoubleEndedIterator<Item = (IdString32, Value<'b>)> + Clone + use<'b> {
        self.range(0, self.count)
    }

    /// Returns the keys from place `from` up to place `to` with their values.
    pub(super) fn range(
        self,
        from: usize,
        to: usize,
    ) -> impl DoubleEndedIterator<Item = (IdString32, Value<'b>)> + Clone + use<'b> {
        (from..to).map(move |place| (IdString32::from_hash(self.block[place]), self.value(place)))
    }

    /// Returns the keys.
    #[inline(always)]
    pub(super) fn keys(self) -> &'b [u32] {
        &self.block[..self.count]
    }

    /// Returns the first sixteen words if there are surely as many, by the number of keys alone: the
    /// length of a store of a set is only known after another load.
    #[inline(always)]
    fn sixteen(self) -> Option<&'b [u32; 16]> {
        const { assert!(head_words(ENOUGH) >= 16, "keys, values and types are sixteen words") };
        // SAFETY: the block has the words of `ENOUGH` keys with values and types (invariant 1).
        (self.count >= ENOUGH).then(|| unsafe { &*self.block.as_ptr().cast() })
    }

    #[inline(always)]
    pub(super) fn find(self, key: IdString32) -> Option<usize> {
        if let Some(sixteen) = self.sixteen() {
            let found = scan::find_in_sixteen(sixteen, self.count, key.hash());
            if found.is_some() || self.count <= 16 {
                return found;
            }
        }
        cold_path();
        scan::find_in_other(self.block, self.count, key.hash())
    }

    #[inline(always)]
    fn scalar(self, key: IdString32, kind: u8) -> Option<u32> {
        self.scalar_by(self.sixteen(), key, kind)
    }

    /// Returns the word of a key if its value is of this type, by the first sixteen words of the
    /// block if there are as many. This is what a lookup should cost: nothing is called, and
    /// nothing checked that the invariants say, for a key among the first sixteen.
    #[inline(always)]
    pub(super) fn scalar_by(
        self,
        sixteen: Option<&[u32; 16]>,
        key: IdString32,
        kind: u8,
    ) -> Option<u32> {
        if let Some(sixteen) = sixteen {
            if let Some(place) = scan::find_in_sixteen(sixteen, self.count, key.hash()) {
                return (self.kind(place) == kind).then(|| self.word(place));
            }
            if self.count <= 16 {
                return None;
            }
        }
        cold_path();
        scalar_in_other(self.block, self.count, key, kind)
    }

    /// Returns the type of the key at a place.
    #[inline(always)]
    pub(super) fn kind(self, place: usize) -> u8 {
        debug_assert!(place < self.count, "place {place} among {}", self.count);
        let bytes = self.block.as_ptr().cast::<u8>();
        // SAFETY: places are those of keys, and as many types follow 8 bytes a key, all of them in
        // the block (invariant 1).
        let kind = unsafe { bytes.add(8 * self.count + place) };
        // SAFETY: as above; every byte of a word is initialised.
        unsafe { *kind }
    }

    /// Returns the word of the key at a place.
    #[inline(always)]
    pub(super) fn word(self, place: usize) -> u32 {
        debug_assert!(place < self.count, "place {place} among {}", self.count);
        // SAFETY: as in `kind`, after a word a key.
        let word = unsafe { self.block.as_ptr().add(self.count + place) };
        // SAFETY: as above.
        unsafe { *word }
    }

    fn value(self, place: usize) -> Value<'b> {
        let (kind, word) = (self.kind(place), self.word(place));
        match kind {
            kind::BOOL => Value::Bool(word != 0),
            kind::F32 => Value::F32(f32::from_bits(word)),
            kind::STR | kind::LONG_STR => Value::Str(self.text(kind, word).unwrap_or_default()),
            _ => Value::Array(self.array(kind, word).unwrap_or_default()),
        }
    }

    #[inline]
    fn text(self, kind: u8, word: u32) -> Option<&'b str> {
        let bytes: &'b [u8] = cast_slice(self.block);
        let text = match kind {
            kind::STR => {
                let start = bytes.len() - word as usize % 0x1_0000;
                &bytes[start..][..word as usize / 0x1_0000]
            }
            kind::LONG_STR => {
                let (length, start) = self.long(word);
                &bytes[4 * start..][..length]
            }
            _ => return None,
        };
        // SAFETY: texts are UTF-8 (invariant 3), and this is the place of one (invariant 2).
        Some(unsafe { str::from_utf8_unchecked(text) })
    }

    #[inline]
    fn array(self, kind: u8, word: u32) -> Option<&'b [f32]> {
        let numbers: &'b [f32] = cast_slice(self.block);
        match kind {
            kind::ARRAY => {
                let start = numbers.len() - word as usize % 0x1_0000 / 4;
                Some(&numbers[start..][..word as usize / 0x1_0000])
            }
            kind::LONG_ARRAY => {
                let (length, start) = self.long(word);
                Some(&numbers[start..][..length])
            }
            _ => None,
        }
    }

    /// Returns how long a long value is and the word where it begins.
    fn long(self, word: u32) -> (usize, usize) {
        let at = self.block.len() - word as usize / 4;
        (self.block[at] as usize, at + 1)
    }
}

/// Equal if keys and values are equal, wherever they are stored. A NaN equals nothing.
impl PartialEq for KeyValuesRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().eq(other.iter())
    }
}

/// As a map from hashes to values.
impl fmt::Debug for KeyValuesRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
