//! Changing a store in a block that has the room: no step here can fail.

use bytemuck::{cast_slice, cast_slice_mut};

use super::value::{Span, Value, is_long, kind, span};
use super::view::{KeyValuesRef, head_words};

/// A block under change.
///
/// # Invariants
///
/// 1. Those of [`KeyValuesRef`].
/// 2. What values have at the end of the block is within its last `tail` words, and no two share a
///    word.
/// 3. `head_words(count) + tail` is at most the block's length, and the words between the two are
///    0.
pub(super) struct Edit<'b> {
    pub(super) block: &'b mut [u32],
    pub(super) count: usize,
    pub(super) tail: usize,
}

impl Edit<'_> {
    pub(super) fn view(&self) -> KeyValuesRef<'_> {
        KeyValuesRef { block: self.block, count: self.count }
    }

    /// Sets the value of the key at a place if that takes no words that are free, and returns
    /// whether it did.
    #[inline]
    pub(super) fn overwrite(&mut self, place: usize, value: Value<'_>) -> bool {
        let old = self.span(place);
        match old {
            Some(old) if self.overwrite_words(place, old, value) => true,
            _ if value.tail_words(0) == 0 => {
                self.free(old);
                let (kind, word) = self.put(value);
                self.set_entry(place, kind, word);
                true
            }
            _ => false,
        }
    }

    /// Sets the value of the key at a place; the block has room for it.
    pub(super) fn replace(&mut self, place: usize, value: Value<'_>) {
        self.free(self.span(place));
        let (kind, word) = self.put(value);
        self.set_entry(place, kind, word);
    }

    /// Inserts a key at a place, moving those after it. The block has room for key and value.
    pub(super) fn insert(&mut self, place: usize, key: u32, value: Value<'_>) {
        let (count, block) = (self.count, &mut *self.block);
        // From the back to the front, as each part moves up: types, values, keys.
        let kinds: &mut [u8] = cast_slice_mut(block);
        let old = 8 * count;
        kinds.copy_within(old + place..old + count, old + 8 + place + 1);
        kinds.copy_within(old..old + place, old + 8);
        block.copy_within(count + place..2 * count, count + place + 2);
        block.copy_within(count..count + place, count + 1);
        block.copy_within(place..count, place + 1);
        block[place] = key;
        self.count = count + 1;
        let (kind, word) = self.put(value);
        self.set_entry(place, kind, word);
    }

    /// Removes the key at a place, moving those after it. Its value's words stay as garbage, unless
    /// they were added last: then they are freed.
    pub(super) fn remove(&mut self, place: usize) {
        let old = self.span(place);
        self.free(old);
        let (count, block) = (self.count, &mut *self.block);
        block.copy_within(place + 1..count, place);
        block.copy_within(count..count + place, count - 1);
        block.copy_within(count + place + 1..2 * count, count - 1 + place);
        let kinds: &mut [u8] = cast_slice_mut(block);
        let (from, to) = (8 * count, 8 * (count - 1));
        kinds.copy_within(from..from + place, to);
        kinds.copy_within(from + place + 1..from + count, to + place);
        self.count = count - 1;
        kinds[9 * (count - 1)..4 * head_words(count)].fill(0);
    }

    /// Returns how many of the last words belong to values.
    pub(super) fn live(&self) -> usize {
        (0..self.count).filter_map(|place| self.span(place)).map(|span| span.words).sum()
    }

    /// Moves the data that values have at the end together, so that `tail` is what
    /// [`live`](Self::live) returns. The entries are sorted by the offset of their data, and back
    /// by key, in place: nothing is allocated.
    pub(super) fn compact(&mut self) {
        self.sort(|edit, place| edit.span(place).map_or(0, |span| span.back as u32));
        let mut to = 0;
        for place in 0..self.count {
            let Some(Span { back, words }) = self.span(place) else { continue };
            to += words;
            let end = self.block.len();
            self.block.copy_within(end - back..end - back + words, end - to);
            let moved = 4 * (back - to) as u32;
            self.block[self.count + place] -= moved;
        }
        let end = self.block.len();
        self.block[end - self.tail..end - to].fill(0);
        self.tail = to;
        self.sort(|edit, place| edit.block[place]);
    }

    /// Writes what `value` has at the end of the block and returns its type and word.
    pub(super) fn put(&mut self, value: Value<'_>) -> (u8, u32) {
        let (bytes, length) = value.data();
        let (short, long) = match value {
            Value::Bool(value) => return (kind::BOOL, value.into()),
            Value::F32(value) => return (kind::F32, value.to_bits()),
            Value::Str(_) => (kind::STR, kind::LONG_STR),
            Value::Array(_) => (kind::ARRAY, kind::LONG_ARRAY),
        };
        if bytes.is_empty() {
            return (short, 0);
        }
        let words = bytes.len().div_ceil(4);
        let is_long = is_long(self.tail + words, length);
        self.tail += words + usize::from(is_long);
        let back = self.tail;
        let start = self.block.len() - back;
        if is_long {
            self.block[start] = length as u32;
            copy(&mut self.block[start + 1..][..words], bytes);
            return (long, 4 * back as u32);
        }
        copy(&mut self.block[start..][..words], bytes);
        (short, ((4 * back) | (length << 16)) as u32)
    }

    fn set_entry(&mut self, place: usize, kind: u8, word: u32) {
        self.block[self.count + place] = word;
        cast_slice_mut::<u32, u8>(self.block)[8 * self.count + place] = kind;
    }

    fn span(&self, place: usize) -> Option<Span> {
        let view = self.view();
        span(self.block, view.kind(place), view.word(place))
    }

    /// Writes `value` over the words of the old one, if it fits and both are short or both long.
    fn overwrite_words(&mut self, place: usize, old: Span, value: Value<'_>) -> bool {
        let (bytes, length) = value.data();
        let words = bytes.len().div_ceil(4);
        let was_long = matches!(self.view().kind(place), kind::LONG_STR | kind::LONG_ARRAY);
        let room = old.words - usize::from(was_long);
        if words == 0 || words > room || (!was_long && length > u16::MAX as usize) {
            return false;
        }
        let is_text = matches!(value, Value::Str(_));
        let start = self.block.len() - old.back;
        let (kind, word, first) = if was_long {
            self.block[start] = length as u32;
            let kind = if is_text { kind::LONG_STR } else { kind::LONG_ARRAY };
            (kind, 4 * old.back as u32, start + 1)
        } else {
            let kind = if is_text { kind::STR } else { kind::ARRAY };
            (kind, ((4 * old.back) | (length << 16)) as u32, start)
        };
        copy(&mut self.block[first..][..words], bytes);
        self.set_entry(place, kind, word);
        true
    }

    /// Gives the words of a value back where they are the last that were taken; others are garbage.
    fn free(&mut self, old: Option<Span>) {
        if let Some(Span { back, words }) = old
            && back == self.tail
        {
            let start = self.block.len() - back;
            self.block[start..][..words].fill(0);
            self.tail -= words;
        }
    }

    /// Sorts the entries by `rank` of a place, by heaps: in place and in O(n log n) at worst.
    fn sort(&mut self, rank: impl Fn(&Self, usize) -> u32 + Copy) {
        for root in (0..self.count / 2).rev() {
            self.sift(root, self.count, rank);
        }
        for end in (1..self.count).rev() {
            self.swap(0, end);
            self.sift(0, end, rank);
        }
    }

    fn sift(&mut self, mut root: usize, end: usize, rank: impl Fn(&Self, usize) -> u32) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && rank(self, child) < rank(self, child + 1) {
                child += 1;
            }
            if rank(self, root) >= rank(self, child) {
                return;
            }
            self.swap(root, child);
            root = child;
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        let count = self.count;
        self.block.swap(one, other);
        self.block.swap(count + one, count + other);
        cast_slice_mut::<u32, u8>(self.block).swap(8 * count + one, 8 * count + other);
    }
}

/// Writes bytes into as many words as they take, with zeros after them.
fn copy(words: &mut [u32], bytes: &[u8]) {
    let (whole, rest) = bytes.split_at(bytes.len() & !3);
    let words: &mut [u8] = cast_slice_mut(words);
    let (to_whole, to_rest) = words.split_at_mut(whole.len());
    to_whole.copy_from_slice(whole);
    if !rest.is_empty() {
        to_rest.fill(0);
        to_rest[..rest.len()].copy_from_slice(rest);
    }
}

/// Returns the words at the end of a block that entries packed into it take.
pub(super) fn packed_tail<'v>(values: impl Iterator<Item = Value<'v>>) -> usize {
    values.fold(0, |tail, value| tail + value.tail_words(tail))
}

/// Packs entries, their keys ascending, into a block that fits them: head at its beginning, the
/// rest at its end.
pub(super) fn pack<'v>(
    block: &mut [u32],
    count: usize,
    entries: impl Iterator<Item = (u32, Value<'v>)>,
) {
    // The bytes after the last type.
    block[head_words(count) - usize::from(count != 0)..head_words(count)].fill(0);
    let mut edit = Edit { block, count, tail: 0 };
    for (place, (key, value)) in entries.enumerate() {
        edit.block[place] = key;
        let (kind, word) = edit.put(value);
        edit.set_entry(place, kind, word);
    }
}

/// Returns the bytes of words.
pub(super) fn bytes_of(words: &[u32]) -> &[u8] {
    cast_slice(words)
}
