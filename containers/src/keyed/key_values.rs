//! Keys and values of one object in one small buffer.
//!
//! After Niklas Frykholm, "Allocation Adventures 1: The DataComponent" (2015), all eight of its
//! steps, and the one that it leaves open: [`KeyValuesSet`] has thousands of stores in one
//! allocation. The JSON that is read is the one of that article; his "JSON configuration data"
//! (2009) says why JSON. Changes:
//!
//! - The keys are sorted, so that equal contents have equal keys in equal order, bytes from outside
//!   are checked for duplicates in one pass, and a store of thousands of keys is searched in
//!   halves.
//! - There is no capacity but that of the whole: values follow the keys and types the values, and
//!   all three move up for a new key.
//! - Offsets are counted from the buffer's end, so that growing it changes no value.
//! - A value whose offset or length needs more than 16 bits has a separate type, an offset of 32
//!   bits, and its length with its data. So a store need not be short or long as a whole.
//! - Saved bytes are validated when they are opened.

use core::fmt;
use core::hint::cold_path;

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use crate::error::{GrowError, or_panic};

mod edit;
mod json_in;
mod json_out;
mod names;
mod open;
mod path;
mod scan;
mod set;
#[cfg(test)]
mod tests;
mod value;
mod view;
mod words;

pub use json_in::KeyValuesJsonError;
pub use json_out::KeyValuesWriteError;
pub use names::{PathCollision, PathName, PathNames, PathNamesError, PathText};
pub use open::DamagedKeyValues;
pub use path::{child_key, path_key};
pub use set::{KeyValuesSet, KeyValuesSetError, StoreId, StoreTag};
pub use value::Value;
pub use view::KeyValuesRef;

use edit::{Edit, bytes_of, pack, packed_tail};
use open::{AT_BYTES, AT_COUNT, AT_TAIL, EMPTY, HEADER, checked};
use value::kind;
use view::{head_words, scalar_in_other};
use words::Words;

/// Keys and values of one object, in one buffer without pointers: for small amounts of data of any
/// kind, as the character sheet of an entity.
///
/// Keys are hashed names, or paths of names ([`path_key`]) where an object is in an object; a
/// [`Value`] is a bool, a number, a text or an array of numbers.
///
/// ```text
/// block  | mark, bytes, keys, taken | keys    | values  | types | free -> | .. texts and arrays |
///          16                         4 a key   4 a key   1 a key          <- grow down
///
/// value  | 0 or 1 | f32 | u16 place, u16 length | u32 place |
///                                                     `-> | u32 length | data |    from 64 KiB on
/// ```
///
/// Keys, values and types grow up, texts and arrays down; offsets are counted from the end. So the
/// buffer can be moved, copied, saved and sent in place.
///
/// # Complexity
///
/// A lookup is O(log keys), and compares sixteen keys at a time where there are few. Setting a key
/// that is there is O(1) after the lookup, plus the value's length; a new one moves the keys,
/// values and types after it. A value that no longer fits is rewritten, and its old words are
/// garbage, which is reclaimed within the buffer before it grows: O(bytes + keys log keys),
/// amortised over the garbage.
///
/// # Memory
///
/// Nothing while empty. Then one block: 16 bytes, 9 for a key and its value, up to 3 to fill the
/// last word of types, and for a text or an array its bytes in whole words (4 more where it is
/// long). It doubles, and a fourth of it may be garbage. The object itself is 24 bytes, 32 with
/// `dyn Allocator`.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # When not to use it
///
/// For thousands of stores of a few keys each, where [`KeyValuesSet`] saves the block, the header
/// and the slack. For thousands of keys that come and go: each moves half of the others.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{KeyValues, path_key};
/// use loligo_ids::{IdString32, id32};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// const HEALTH: IdString32 = path_key(&["stats", "health"]);
///
/// let mut sheet: KeyValues = KeyValues::new(&MEMORY);
/// sheet.set(id32!("name"), "The One");
/// sheet.set(HEALTH, 100.0);
/// sheet.set(path_key(&["status_effects", "drunk"]), true);
///
/// assert_eq!(sheet.get_f32(HEALTH), Some(100.0));
/// assert_eq!(sheet.get_str(HEALTH), None, "it is a number");
/// sheet.set(HEALTH, "unknown");
/// assert_eq!(sheet.get_str(HEALTH), Some("unknown"));
/// assert!(sheet.remove(HEALTH));
/// assert_eq!(sheet.len(), 2);
/// ```
///
/// # Invariants
///
/// 1. `words` has no words; or a header, whose mark is right and whose length is that of `words`,
///    and after it a block with as many keys and words at its end as the header says, with the
///    invariants of `Edit`.
pub struct KeyValues<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    words: Words<'a, A>,
}

impl<'a> KeyValues<'a> {
    /// Returns a store without keys, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns a store without keys, with room for `keys` keys and for `bytes` bytes of texts and
    /// arrays, each of them rounded up to words.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_with_capacity(
        keys: usize,
        bytes: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(keys, bytes, memory)
    }

    /// Returns a copy of a store from elsewhere: in a set, or in bytes that were
    /// [opened](KeyValuesRef::open).
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates once, as much as the keys and values need.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_from_ref(
        store: KeyValuesRef<'_>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_from_ref_in(store, memory)
    }
}

impl<'a, A: Allocator + ?Sized> KeyValues<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { words: Words::new(memory) }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(
        keys: usize,
        bytes: usize,
        memory: &'a A,
    ) -> Result<Self, GrowError> {
        let mut store = Self::new_in(memory);
        store.try_reserve(keys, bytes)?;
        Ok(store)
    }

    /// As [`try_from_ref`](Self::try_from_ref), and keeps the type of the allocator, so that its
    /// calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_ref`](Self::try_from_ref).
    pub fn try_from_ref_in(store: KeyValuesRef<'_>, memory: &'a A) -> Result<Self, GrowError> {
        let mut copy = Self::new_in(memory);
        if store.is_empty() {
            return Ok(copy);
        }
        let tail = packed_tail(store.iter().map(|(_, value)| value));
        copy.grow_to(HEADER + head_words(store.len()) + tail, 0)?;
        let (header, block) = copy.parts();
        pack(block, store.len(), store.iter().map(|(key, value)| (key.hash(), value)));
        header[AT_COUNT] = store.len() as u32;
        header[AT_TAIL] = tail as u32;
        Ok(copy)
    }

    /// Returns a copy: the block in place, so that its bytes are equal, too, unless the allocator
    /// grants a longer block than it was asked for.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates once.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_clone(&self) -> Result<Self, GrowError> {
        let words = self.words.as_slice();
        if words.is_empty() {
            return Ok(Self::new_in(self.memory()));
        }
        let mut copy = Self { words: Words::copied(words, self.memory())? };
        // Offsets are counted from the end, which is higher where more was granted.
        let (header, block) = copy.parts();
        let tail = header[AT_TAIL] as usize;
        raise(block, words.len() - HEADER, tail);
        let granted = copy.words.as_slice().len();
        copy.fit(granted);
        Ok(copy)
    }

    /// Returns the store to be read: what all lookups go through, and what may be handed on.
    #[inline]
    #[must_use]
    pub fn view(&self) -> KeyValuesRef<'_> {
        match self.words.as_slice().split_first_chunk::<HEADER>() {
            Some((header, block)) => KeyValuesRef { block, count: header[AT_COUNT] as usize },
            None => KeyValuesRef::EMPTY,
        }
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.words.memory()
    }

    /// Returns how many keys there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Returns `true` if there is no key.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.view().is_empty()
    }

    /// Returns `true` if there is this key.
    #[inline]
    #[must_use]
    pub fn contains(&self, key: IdString32) -> bool {
        self.view().contains(key)
    }

    /// Returns the value of a key, or `None` if there is no such key.
    #[inline]
    #[must_use]
    pub fn get(&self, key: IdString32) -> Option<Value<'_>> {
        self.view().get(key)
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not a bool.
    #[inline(always)]
    #[must_use]
    pub fn get_bool(&self, key: IdString32) -> Option<bool> {
        self.scalar(key, kind::BOOL).map(|word| word != 0)
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not a number.
    #[inline(always)]
    #[must_use]
    pub fn get_f32(&self, key: IdString32) -> Option<f32> {
        self.scalar(key, kind::F32).map(f32::from_bits)
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not a text.
    #[inline]
    #[must_use]
    pub fn get_str(&self, key: IdString32) -> Option<&str> {
        self.view().get_str(key)
    }

    /// Returns the value of a key, or `None` if there is no such key or its value is not an array.
    #[inline]
    #[must_use]
    pub fn get_array(&self, key: IdString32) -> Option<&[f32]> {
        self.view().get_array(key)
    }

    /// Returns all keys with their values, in the order of the keys' hashes.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (IdString32, Value<'_>)> + Clone {
        self.view().iter()
    }

    /// Sets the value of a key, whatever was there before.
    ///
    /// # Complexity
    ///
    /// O(log keys + value) for a key that is there; a new one moves the keys, values and types
    /// after it. May compact or grow the block: O(bytes + keys log keys), amortised.
    ///
    /// # Errors
    ///
    /// [`GrowError`], in words of four bytes, if there is no memory, or no room within 2 GiB;
    /// nothing has changed.
    pub fn try_set<'v>(
        &mut self,
        key: IdString32,
        value: impl Into<Value<'v>>,
    ) -> Result<(), GrowError> {
        self.set_value(key, value.into())
    }

    /// Sets the value of a key as [`try_set`](Self::try_set) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn set<'v>(&mut self, key: IdString32, value: impl Into<Value<'v>>) {
        or_panic(self.set_value(key, value.into()));
    }

    /// Removes a key and its value, and returns whether there was one. What a text or an array took
    /// is garbage until the block is compacted, unless it was the last to be set.
    ///
    /// # Complexity
    ///
    /// Moves the keys, values and types after it. Allocates nothing.
    pub fn remove(&mut self, key: IdString32) -> bool {
        let Some(place) = self.view().find(key) else { return false };
        self.edit(|edit| edit.remove(place));
        true
    }

    /// Removes all keys and keeps the block.
    pub fn clear(&mut self) {
        let words = self.words.as_mut_slice();
        let bytes = 4 * words.len() as u32;
        words.fill(0);
        if let Some(header) = words.first_chunk_mut() {
            *header = EMPTY;
            header[AT_BYTES] = bytes;
        }
    }

    /// Sets every key of `other` to the value that it has there. The keys of this store alone keep
    /// theirs.
    ///
    /// # Complexity
    ///
    /// O(bytes of both), and for each new key it moves those after it. May compact or grow the
    /// block once.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    pub fn try_merge(&mut self, other: KeyValuesRef<'_>) -> Result<(), GrowError> {
        let store = self.view();
        let new =
            other.keys().iter().filter(|key| store.find(IdString32::from_hash(**key)).is_none());
        // One word more for each that may be long from here on.
        let tail = other.iter().map(|(_, value)| value.tail_words(usize::MAX / 8)).sum();
        self.make_room(new.count(), tail)?;
        for (key, value) in other.iter() {
            self.set_value(key, value)?;
        }
        Ok(())
    }

    /// Sets every key of `other` as [`try_merge`](Self::try_merge) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn merge(&mut self, other: KeyValuesRef<'_>) {
        or_panic(self.try_merge(other));
    }

    /// Makes room for `keys` new keys, and for `bytes` bytes of texts and arrays, each of them
    /// rounded up to words.
    ///
    /// # Errors
    ///
    /// [`GrowError`], in words; nothing has changed.
    pub fn try_reserve(&mut self, keys: usize, bytes: usize) -> Result<(), GrowError> {
        self.make_room(keys, bytes.div_ceil(4))
    }

    /// Reclaims all garbage and shrinks the block, as far as the allocator can: before a store is
    /// saved, or when it will not change for a long time.
    ///
    /// # Complexity
    ///
    /// O(bytes + keys log keys).
    ///
    /// # Errors
    ///
    /// [`GrowError::Memory`] if the allocator refuses. The keys and values are as they were.
    pub fn try_shrink(&mut self) -> Result<(), GrowError> {
        if self.is_empty() {
            return self.words.shrink(0);
        }
        self.edit(|edit| edit.compact());
        let (header, block) = self.parts();
        let (head, tail) = (head_words(header[AT_COUNT] as usize), header[AT_TAIL] as usize);
        // The end moves down to the head before it is cut off, and up again where it is not.
        let old = block.len();
        block.copy_within(old - tail.., head);
        let done = self.words.shrink(HEADER + head + tail);
        let (_, block) = self.parts();
        raise(block, head + tail, tail);
        let words = self.words.as_slice().len();
        self.fit(words);
        done
    }

    /// Returns the store in place, to be saved, sent or compared:
    /// [`KeyValuesRef::open`] reads it in place.
    ///
    /// Two stores that had the same history in blocks of the same length have the same bytes. What
    /// is free is zero; garbage is not.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        let words = self.words.as_slice();
        bytes_of(if words.is_empty() { &EMPTY } else { words })
    }

    /// Checks that the store is whole.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`DamagedKeyValues`] names the first thing that is wrong: an error in this container, or
    /// memory that somebody wrote to.
    pub fn validate(&self) -> Result<(), DamagedKeyValues> {
        let words = self.words.as_slice();
        if words.is_empty() {
            return Ok(());
        }
        let (store, tail) = checked(words)?;
        let free = head_words(store.count)..store.block.len() - tail;
        match store.block[free.clone()].iter().position(|&word| word != 0) {
            Some(at) => {
                let at = HEADER + free.start + at;
                Err(DamagedKeyValues::at_word(at, "what is free is not zero"))
            }
            None => Ok(()),
        }
    }

    /// As [`KeyValuesRef::scalar`], with one comparison for an empty store and a small one.
    #[inline(always)]
    fn scalar(&self, key: IdString32, kind: u8) -> Option<u32> {
        let words = self.words.as_slice();
        if words.len() < HEADER + 16 {
            cold_path();
            return scalar_in_small(words, key, kind);
        }
        let view = self.view();
        view.scalar_by(view.block.first_chunk(), key, kind)
    }

    fn set_value(&mut self, key: IdString32, value: Value<'_>) -> Result<(), GrowError> {
        let tail = self.words.as_slice().get(AT_TAIL).map_or(0, |&tail| tail as usize);
        if let Some(place) = self.view().find(key) {
            if !self.edit(|edit| edit.overwrite(place, value)) {
                self.make_room(0, value.tail_words(tail))?;
                self.edit(|edit| edit.replace(place, value));
            }
            return Ok(());
        }
        self.make_room(1, value.tail_words(tail))?;
        if let Err(place) = scan::place_of(self.view().keys(), key.hash()) {
            self.edit(|edit| edit.insert(place, key.hash(), value));
        }
        Ok(())
    }

    /// Makes sure that `keys` more keys and `tail` more words at the end fit.
    #[inline]
    fn make_room(&mut self, keys: usize, tail: usize) -> Result<(), GrowError> {
        if let Some((header, block)) = self.words.as_slice().split_first_chunk::<HEADER>() {
            let head = head_words((header[AT_COUNT] as usize).saturating_add(keys).min(MOST));
            let taken = head.saturating_add(header[AT_TAIL] as usize);
            if taken.saturating_add(tail) <= block.len() {
                return Ok(());
            }
        } else if keys == 0 && tail == 0 {
            return Ok(());
        }
        self.make_more_room(keys, tail)
    }

    #[cold]
    #[inline(never)]
    fn make_more_room(&mut self, keys: usize, tail: usize) -> Result<(), GrowError> {
        let old = self.words.as_slice().len();
        let (taken, live, count) = match old {
            0 => (0, 0, 0),
            _ => self.edit(|edit| (edit.tail, edit.live(), edit.count)),
        };
        let more = HEADER
            .saturating_add(head_words(count.saturating_add(keys).min(MOST)))
            .saturating_add(tail.min(MOST));
        let fits_compacted = more + live <= old;
        if fits_compacted && 4 * (taken - live) >= old {
            self.edit(|edit| edit.compact());
            return Ok(());
        }
        match self.grow_to(more + taken, old) {
            Err(_) if fits_compacted => {
                self.edit(|edit| edit.compact());
                Ok(())
            }
            done => done,
        }
    }

    /// Makes the block `words` long at least, and by `slack` more if that is to be had. What is at
    /// its end moves to the new one.
    fn grow_to(&mut self, words: usize, slack: usize) -> Result<(), GrowError> {
        if words > MOST {
            return Err(GrowError::Length { wanted: words as u64, limit: MOST as u64 });
        }
        let old = self.words.as_slice().len();
        self.words.grow(words, slack.min(MOST - words))?;
        let new = self.words.as_slice().len();
        if old == 0 {
            self.words.as_mut_slice()[..HEADER].copy_from_slice(&EMPTY);
        } else {
            let (header, block) = self.parts();
            let tail = header[AT_TAIL] as usize;
            raise(block, old - HEADER, tail);
        }
        self.fit(new);
        Ok(())
    }

    /// Writes into the header how long the block is.
    fn fit(&mut self, words: usize) {
        debug_assert!(words < 2 * MOST, "a block of {words} words");
        self.words.as_mut_slice()[AT_BYTES] = 4 * words as u32;
    }

    /// Changes what is in the block, which is not empty.
    #[inline]
    fn edit<R>(&mut self, change: impl FnOnce(&mut Edit<'_>) -> R) -> R {
        let (header, block) = self.parts();
        let (count, tail) = (header[AT_COUNT] as usize, header[AT_TAIL] as usize);
        let mut edit = Edit { block, count, tail };
        let result = change(&mut edit);
        let (count, tail) = (edit.count as u32, edit.tail as u32);
        header[AT_COUNT] = count;
        header[AT_TAIL] = tail;
        result
    }

    /// Returns the header and the block of words that are not empty.
    fn parts(&mut self) -> (&mut [u32; HEADER], &mut [u32]) {
        match self.words.as_mut_slice().split_first_chunk_mut() {
            Some(parts) => parts,
            None => unreachable!("words that are not empty have a header"),
        }
    }
}

/// Returns the word of a key in the words of a store, if its value is of this type.
#[inline(never)]
fn scalar_in_small(words: &[u32], key: IdString32, kind: u8) -> Option<u32> {
    let (header, block) = words.split_first_chunk::<HEADER>()?;
    scalar_in_other(block, header[AT_COUNT] as usize, key, kind)
}

/// Moves the `tail` words before place `end` to the end of the block, and clears where they were.
fn raise(block: &mut [u32], end: usize, tail: usize) {
    let to = block.len() - tail;
    block.copy_within(end - tail..end, to);
    block[end - tail..to].fill(0);
}

/// The most words that a block has: 2 GiB, so that any place in it is a number of bytes in 32 bits,
/// also where the allocator grants more than was asked.
const MOST: usize = 1 << 29;

impl<A: Allocator + ?Sized> Clone for KeyValues<'_, A> {
    /// Copies as [`try_clone`](Self::try_clone) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    fn clone(&self) -> Self {
        or_panic(self.try_clone())
    }
}

/// Equal where keys and values are, whatever is free or garbage. A NaN equals nothing.
impl<A: Allocator + ?Sized, B: Allocator + ?Sized> PartialEq<KeyValues<'_, B>>
    for KeyValues<'_, A>
{
    fn eq(&self, other: &KeyValues<'_, B>) -> bool {
        self.view() == other.view()
    }
}

/// As a map from hashes to values.
impl<A: Allocator + ?Sized> fmt::Debug for KeyValues<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
