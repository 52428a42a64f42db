//! Thousands of stores in one allocation.
//!
//! The step that the article leaves open: how to let many small objects grow and shrink, each
//! separately, in one buffer. Here a store is packed, without a spare word, and is rewritten after
//! all others where a change does not fit. Its old words are garbage, which is reclaimed by sliding
//! all stores together once it is a fourth of the whole. A store needs no reference back to its id
//! for that: the two trade places for the time.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_ids::{IdString32, SmallId};

use super::edit::{Edit, pack, packed_tail};
use super::raise;
use super::value::{Value, span};
use super::view::{KeyValuesRef, head_words};
use super::words::Words;
use crate::error::{GrowError, or_panic};

mod check;
mod room;
mod slots;
#[cfg(test)]
mod tests;

use slots::{FREE_SLOT, KEYS_MAX, NO_SLOT, Slot, TAILED};

/// Says of what a [`StoreId`] is; nothing of it is ever made.
#[derive(Debug)]
pub enum StoreTag {}

/// Names a store of a [`KeyValuesSet`], in 4 bytes: 20 bits of index are a million stores, 12 of
/// generation 4 095 lives of each slot, after which it is not used again.
pub type StoreId = SmallId<StoreTag>;

/// Why a store of a set was not changed. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyValuesSetError {
    /// The id names no store of this set: it was removed.
    NoStore,
    /// There is no room for the change.
    Grow(GrowError),
}

impl fmt::Display for KeyValuesSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStore => f.write_str("the set has no store of this id"),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for KeyValuesSetError {}

impl From<GrowError> for KeyValuesSetError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

/// Stores of keys and values, thousands of them in one block of memory: one for each entity that
/// has some.
///
/// ```text
/// block  | store | store | garbage | store | .. free .. | slot 2 | slot 1 | slot 0 |
///          grow up ->                                     <- grow down      8 bytes a slot
///
/// store  | keys | values | types |                            bools and numbers alone: 9 bytes a key
///        | words of texts | keys | values | types | texts and arrays |          4 more with others
/// slot   | place | generation, kind, keys |
/// ```
///
/// Stores have no header, no slack and no block of the allocator: a store of one float takes 20
/// bytes in all, and the set as it grows at most an eighth more.
///
/// # Complexity
///
/// A lookup is O(1) to the store, and there as with [`KeyValues`](super::KeyValues). Setting a
/// number where a number was, or a text over one that takes as many words, changes it in place. Any
/// other change writes the store again: O(bytes of the store), and amortised as much for reclaiming
/// what it was.
///
/// # Memory
///
/// Nothing while empty. Then one block: 8 bytes a store, 9 a key, up to 3 to fill the last word of
/// types, and 4 in a store with texts or arrays, plus these in whole words. It grows by an eighth,
/// and a fourth of what stores take may be garbage. The object itself is at most 56 bytes.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # When not to use it
///
/// For one store, or for few that change all the time: each is quicker in a separate
/// [`KeyValues`](super::KeyValues), which has slack.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{KeyValues, KeyValuesSet};
/// use loligo_ids::id32;
///
/// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
/// let mut orc: KeyValues = KeyValues::new(&MEMORY);
/// orc.set(id32!("health"), 40.0);
///
/// let mut sheets: KeyValuesSet = KeyValuesSet::new(&MEMORY);
/// let first = sheets.insert(orc.view());
/// let second = sheets.insert(orc.view());
/// sheets.try_set(second, id32!("health"), 35.0)?;
/// sheets.try_set(second, id32!("drunk"), true)?;
///
/// let health = |id| sheets.get(id).and_then(|sheet| sheet.get_f32(id32!("health")));
/// assert_eq!((health(first), health(second)), (Some(40.0), Some(35.0)));
/// sheets.remove(first);
/// assert!(sheets.get(first).is_none());
/// # Ok::<(), loligo_containers::KeyValuesSetError>(())
/// ```
///
/// # Invariants
///
/// 1. The first `used` words are the blocks of stores and of garbage, one after the other. A block
///    of garbage begins with its own number of words and the highest bit; `garbage` words are such.
/// 2. The last `2 * slots` words are the slots, the first at the end. They do not overlap the
///    blocks.
/// 3. A live slot says where its block begins; each block that is not garbage has one such slot.
///    The slot of a store without keys has no block and says 0. `live` slots are live.
/// 4. The free slots form a list from `free`, to 2^32 - 1. A free slot has the generation that it
///    will have; one that has lived all its lives is on no list.
/// 5. The blocks have the invariants of [`KeyValuesRef`], and no two values of one share a word.
pub struct KeyValuesSet<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    words: Words<'a, A>,
    used: u32,
    pub(super) garbage: u32,
    slots: u32,
    live: u32,
    free: u32,
}

impl<'a> KeyValuesSet<'a> {
    /// Returns a set without stores, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> KeyValuesSet<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { words: Words::new(memory), used: 0, garbage: 0, slots: 0, live: 0, free: NO_SLOT }
    }

    /// Returns how many stores there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.live as usize
    }

    /// Returns `true` if there is no store.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.words.memory()
    }

    /// Returns the bytes of the block: all that the set has from the allocator.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        4 * self.words.as_slice().len()
    }

    /// Returns `true` if the id names a store of this set.
    #[inline]
    #[must_use]
    pub fn contains(&self, id: StoreId) -> bool {
        self.live_slot(id).is_some()
    }

    /// Returns a store, to be read; `None` if it was removed.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline(always)]
    #[must_use]
    pub fn get(&self, id: StoreId) -> Option<KeyValuesRef<'_>> {
        self.find(id)
    }

    /// Returns all stores with their ids, in the order of the ids' indices.
    pub fn iter(&self) -> impl Iterator<Item = (StoreId, KeyValuesRef<'_>)> {
        (0..self.slots).filter_map(|number| {
            let slot = self.slot(number);
            slot.is_live().then_some(())?;
            Some((slot.id(number)?, self.store(slot)))
        })
    }

    /// Puts a copy of a store in and returns the id that names it.
    ///
    /// # Complexity
    ///
    /// O(bytes of the store); may compact or grow the set: O(bytes of all), amortised.
    ///
    /// # Errors
    ///
    /// [`GrowError`], in words of four bytes or in stores or keys, if there is no memory, or if
    /// there would be more than 2^20 stores, 2^19 - 2 keys in one, or 2 GiB in all; nothing has
    /// changed.
    pub fn try_insert(&mut self, store: KeyValuesRef<'_>) -> Result<StoreId, GrowError> {
        let entries = || store.iter().map(|(key, value)| (key.hash(), value));
        let shape = Shape::of(store.len(), entries())?;
        self.make_room_with_slot(shape.words())?;
        let at = self.used;
        let (_, free) = self.words.as_mut_slice().split_at_mut(at as usize);
        shape.write(free, entries());
        self.used += shape.words() as u32;
        Ok(self.take_slot(shape.place(at), shape.meta()))
    }

    /// Puts a copy of a store in as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn insert(&mut self, store: KeyValuesRef<'_>) -> StoreId {
        or_panic(self.try_insert(store))
    }

    /// Puts a copy of one of the set's own stores in: a copy of its words.
    ///
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert).
    ///
    /// # Errors
    ///
    /// [`KeyValuesSetError`]; nothing has changed.
    pub fn try_duplicate(&mut self, id: StoreId) -> Result<StoreId, KeyValuesSetError> {
        let number = self.live_slot(id).ok_or(KeyValuesSetError::NoStore)?;
        let size = self.block_words(self.slot(number));
        self.make_room_with_slot(size)?;
        // It may have moved.
        let Slot { at, meta } = self.slot(number);
        let to = self.used;
        let from = at as usize;
        self.words.as_mut_slice().copy_within(from..from + size, to as usize);
        self.used += size as u32;
        Ok(self.take_slot(if size == 0 { 0 } else { to }, meta & slots::KIND))
    }

    /// Removes a store, and returns whether there was one. Its words are garbage until the set is
    /// compacted.
    ///
    /// # Complexity
    ///
    /// O(1). Allocates nothing.
    pub fn remove(&mut self, id: StoreId) -> bool {
        let Some(number) = self.live_slot(id) else { return false };
        let slot = self.slot(number);
        self.release(slot.at as usize, self.block_words(slot));
        self.free_slot(number);
        true
    }

    /// Sets the value of a key in a store, whatever was there before.
    ///
    /// # Complexity
    ///
    /// In place where a number or bool takes the place of another, or a text or an array that of
    /// one of as many words. Else O(bytes of the store); may compact or grow the set: O(bytes of
    /// all), amortised.
    ///
    /// # Errors
    ///
    /// [`KeyValuesSetError`]; nothing has changed.
    pub fn try_set<'v>(
        &mut self,
        id: StoreId,
        key: IdString32,
        value: impl Into<Value<'v>>,
    ) -> Result<(), KeyValuesSetError> {
        let number = self.live_slot(id).ok_or(KeyValuesSetError::NoStore)?;
        let value = value.into();
        let store = self.store(self.slot(number));
        match store.keys().binary_search(&key.hash()) {
            Ok(place) if self.overwrite(number, place, value) => Ok(()),
            Ok(place) => self.rebuild(number, place, 1, key, value),
            Err(place) => self.rebuild(number, place, 0, key, value),
        }
        .map_err(KeyValuesSetError::Grow)
    }

    /// Sets the value of a key in a store as [`try_set`](Self::try_set) does.
    ///
    /// # Panics
    ///
    /// If the id names no store, or there is no memory.
    pub fn set<'v>(&mut self, id: StoreId, key: IdString32, value: impl Into<Value<'v>>) {
        or_panic(self.try_set(id, key, value));
    }

    /// Makes a store a copy of another: of one that was copied out of the set, merged and changed,
    /// say.
    ///
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert).
    ///
    /// # Errors
    ///
    /// [`KeyValuesSetError`]; nothing has changed.
    pub fn try_replace(
        &mut self,
        id: StoreId,
        store: KeyValuesRef<'_>,
    ) -> Result<(), KeyValuesSetError> {
        let number = self.live_slot(id).ok_or(KeyValuesSetError::NoStore)?;
        let entries = || store.iter().map(|(key, value)| (key.hash(), value));
        let shape = Shape::of(store.len(), entries())?;
        self.make_room(shape.words())?;
        let at = self.used as usize;
        shape.write(&mut self.words.as_mut_slice()[at..], entries());
        self.moved_to_end(number, shape);
        Ok(())
    }

    /// Removes a key and its value from a store, and returns whether there was one.
    ///
    /// # Complexity
    ///
    /// O(bytes of the store + keys log keys). Allocates nothing.
    pub fn remove_key(&mut self, id: StoreId, key: IdString32) -> bool {
        let Some(number) = self.live_slot(id) else { return false };
        let slot = self.slot(number);
        let store = self.store(slot);
        let Ok(place) = store.keys().binary_search(&key.hash()) else { return false };
        let (count, before) = (store.len(), self.block_words(slot));
        let start = slot.at as usize;
        let words = self.words.as_mut_slice();
        let front = usize::from(slot.is_tailed());
        let block = &mut words[start + front..start + before];
        let tail = block.len() - head_words(count);
        let mut edit = Edit { block, count, tail };
        edit.remove(place);
        edit.compact();
        // What is left moves together, and what it no longer takes is garbage at its end.
        let (tail, end) = (edit.tail, start + before);
        let head = head_words(count - 1);
        words.copy_within(end - tail..end, start + front + head);
        if front == 1 {
            words[start] = tail as u32;
        }
        let after = if count == 1 { 0 } else { front + head + tail };
        let meta = if count == 1 { 0 } else { (slot.meta & slots::KIND) - 1 };
        let at = if count == 1 { 0 } else { slot.at };
        self.set_slot(number, Slot { at, meta: slot.meta & !slots::KIND | meta });
        self.release(start + after, before - after);
        true
    }

    /// Slides all stores together and shrinks the block, as far as the allocator can.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`GrowError::Memory`] if the allocator refuses. The stores are as they were.
    pub fn try_shrink(&mut self) -> Result<(), GrowError> {
        self.compact();
        let (used, tail) = (self.used as usize, 2 * self.slots as usize);
        let words = self.words.as_mut_slice();
        let old = words.len();
        words.copy_within(old - tail.., used);
        let done = self.words.shrink(used + tail);
        raise(self.words.as_mut_slice(), used + tail, tail);
        done
    }

    /// Changes a value in place if the new one takes as many words.
    fn overwrite(&mut self, number: u32, place: usize, value: Value<'_>) -> bool {
        let slot = self.slot(number);
        let store = self.store(slot);
        let words =
            span(store.block, store.kind(place), store.word(place)).map_or(0, |old| old.words);
        let (bytes, _) = value.data();
        // A long value has a word more, which is part of the old one's words. Over a short value,
        // one that takes a word less may be written, too: that word is unused until the store is
        // rewritten.
        let needed = bytes.len().div_ceil(4);
        if words != needed && (needed == 0 || words != needed + 1) {
            return false;
        }
        let (count, from) = (store.len(), slot.at as usize + usize::from(slot.is_tailed()));
        let end = from + store.block.len();
        let block = &mut self.words.as_mut_slice()[from..end];
        // No tail, so nothing is given back at its end.
        Edit { block, count, tail: 0 }.overwrite(place, value)
    }

    /// Writes a store again at the end, with `value` in place of `skipped` entries at a place.
    fn rebuild(
        &mut self,
        number: u32,
        place: usize,
        skipped: usize,
        key: IdString32,
        value: Value<'_>,
    ) -> Result<(), GrowError> {
        let store = self.store(self.slot(number));
        let count = store.len() - skipped + 1;
        let shape = Shape::of(count, with(store, place, skipped, key, value))?;
        self.make_room(shape.words())?;
        let slot = self.slot(number);
        let (below, free) = self.words.as_mut_slice().split_at_mut(self.used as usize);
        shape.write(free, with(store_in(below, slot), place, skipped, key, value));
        self.moved_to_end(number, shape);
        Ok(())
    }

    /// Places a store where it was just rewritten, after all others.
    fn moved_to_end(&mut self, number: u32, shape: Shape) {
        let old = self.slot(number);
        let (start, before) = (old.at as usize, self.block_words(old));
        let at = self.used as usize;
        let meta = old.meta & !slots::KIND | shape.meta();
        if start + before == at {
            // It was the last one: it moves down to where it was.
            self.words.as_mut_slice().copy_within(at..at + shape.words(), start);
            self.used = (start + shape.words()) as u32;
            self.set_slot(number, Slot { at: shape.place(start as u32), meta });
        } else {
            self.set_slot(number, Slot { at: shape.place(self.used), meta });
            self.used += shape.words() as u32;
            self.release(start, before);
        }
    }

    #[inline(always)]
    fn store(&self, slot: Slot) -> KeyValuesRef<'_> {
        store_in(self.words.as_slice(), slot)
    }
}

/// As a map from ids to stores.
impl<A: Allocator + ?Sized> fmt::Debug for KeyValuesSet<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Returns the store of a live slot.
#[inline(always)]
fn store_in(words: &[u32], slot: Slot) -> KeyValuesRef<'_> {
    let (start, count) = (slot.at as usize, slot.count());
    let head = head_words(count);
    let block = if slot.is_tailed() {
        let tail = words[start] as usize;
        &words[start + 1..start + 1 + head + tail]
    } else {
        &words[start..start + head]
    };
    KeyValuesRef { block, count }
}

/// Returns the entries of a store with another in place of `skipped` of them.
fn with<'v>(
    store: KeyValuesRef<'v>,
    place: usize,
    skipped: usize,
    key: IdString32,
    value: Value<'v>,
) -> impl Iterator<Item = (u32, Value<'v>)> {
    let before = store.range(0, place);
    let after = store.range(place + skipped, store.len());
    before.chain([(key, value)]).chain(after).map(|(key, value)| (key.hash(), value))
}

/// What a store takes when it is packed.
#[derive(Clone, Copy)]
struct Shape {
    count: usize,
    tail: usize,
}

impl Shape {
    fn of<'v>(
        count: usize,
        entries: impl Iterator<Item = (u32, Value<'v>)>,
    ) -> Result<Self, GrowError> {
        if count > KEYS_MAX {
            return Err(GrowError::Length { wanted: count as u64, limit: KEYS_MAX as u64 });
        }
        Ok(Self { count, tail: packed_tail(entries.map(|(_, value)| value)) })
    }

    fn words(self) -> usize {
        usize::from(self.tail != 0) + head_words(self.count) + self.tail
    }

    /// Returns what the slot says where the store is written to `at`.
    fn place(self, at: u32) -> u32 {
        if self.count == 0 { 0 } else { at }
    }

    /// Returns the lower bits of the slot.
    fn meta(self) -> u32 {
        let tailed = if self.tail != 0 { TAILED } else { 0 };
        let meta = self.count as u32 | tailed;
        debug_assert!(meta != FREE_SLOT, "{} keys are a free slot", self.count);
        meta
    }

    /// Writes a store of this shape to the beginning of what is free.
    fn write<'v>(self, free: &mut [u32], entries: impl Iterator<Item = (u32, Value<'v>)>) {
        let block = &mut free[..self.words()];
        if self.tail == 0 {
            pack(block, self.count, entries);
        } else {
            block[0] = self.tail as u32;
            pack(&mut block[1..], self.count, entries);
        }
    }
}
