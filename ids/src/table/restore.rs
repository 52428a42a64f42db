//! A table from the bytes that it was saved as, all of which are validated.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "counts were checked in 128 bits to make up the image's length, so all offsets \
              lie within it"
)]

use core::mem::MaybeUninit;

use bytemuck::AnyBitPattern;
use loligo_allocators::Allocator;

use crate::error::{InsertError, RestoreError};
use crate::id::{Repr, TableId};
use crate::policy::{End, FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::image::{CHECKSUM, Counts, HEADER, checksum, kind, number, wrong};
use crate::table::shape::{Parts, Shape};

impl<'a, S: Shape, T: AnyBitPattern, I: TableId, F: FreeList, E: GenerationEnd>
    Table<'a, S, T, I, F, E>
{
    /// Returns the table that was saved as `image`, with memory from `memory`.
    ///
    /// It has the tag and the limit that it had, names the same objects by the same ids, and hands
    /// out the same ids from here on. The image need not be aligned. Another table of the process
    /// may have taken the same tag by itself; [`tag`](Self::tag) says what that means.
    ///
    /// # Complexity
    ///
    /// O(slots). Takes one block.
    ///
    /// # Errors
    ///
    /// [`RestoreError`], with offset and reason, if the bytes are not an image of a table of this
    /// very type, if any of them was changed (always found where the change is within eight bytes,
    /// else with 2^64 to 1), if what they say does not hold together though the checksum is right,
    /// or if memory is refused.
    pub fn restore(image: &[u8], memory: &'a (dyn Allocator + 'a)) -> Result<Self, RestoreError> {
        Self::restore_in(image, memory)
    }
}

impl<'a, S: Shape, T: AnyBitPattern, I: TableId, F: FreeList, E: GenerationEnd, A>
    Table<'a, S, T, I, F, E, A>
where
    A: Allocator + ?Sized,
{
    /// As [`restore`](Self::restore), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`restore`](Self::restore).
    pub fn restore_in(image: &[u8], memory: &'a A) -> Result<Self, RestoreError> {
        let counts = Self::believed(image)?;
        let limit = match usize::try_from(counts.limit) {
            Ok(limit) => limit,
            // All that the index can name: as many as there can be, on any machine.
            Err(_) if counts.limit == I::SLOTS => usize::MAX,
            Err(_) => {
                return wrong(Counts::LIMIT, "the limit is more than this machine can have");
            }
        };
        let mut table = Self::empty(limit, Some(memory), counts.tag);
        if let Err(error) = table.grow_to(counts.used as usize) {
            let refused = match error {
                InsertError::Memory { bytes, .. } => Some(bytes),
                _ => None,
            };
            let what = "there is no memory for so many slots";
            return Err(RestoreError { offset: Counts::USED as u64, what, refused });
        }
        table.fill_from(image, counts)?;
        Ok(table)
    }

    /// Returns the table that was saved as `image`, in memory of the caller and with `slots` slots,
    /// its limit from here on.
    ///
    /// # Complexity
    ///
    /// O(slots). Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`restore`](Self::restore), and if the memory is too short or the image uses more slots.
    pub fn restore_fixed(
        image: &[u8],
        memory: &'a mut [MaybeUninit<u64>],
        slots: usize,
    ) -> Result<Self, RestoreError> {
        let counts = Self::believed(image)?;
        if counts.used > slots as u64 {
            return wrong(Counts::USED, "more slots are in use than there are to be");
        }
        let Ok(mut table) = Self::fixed_tagged(memory, slots, counts.tag) else {
            return wrong(Counts::USED, "the memory is too short for so many slots");
        };
        table.fill_from(image, counts)?;
        Ok(table)
    }

    /// Returns the counts of an image whose type, length and checksum are right and whose counts
    /// agree with its length.
    fn believed(image: &[u8]) -> Result<Counts, RestoreError> {
        if image.len() < HEADER {
            return wrong(image.len(), "the image ends within its header");
        }
        for (at, (expected, what)) in kind::<S, T, I, F, E>().into_iter().enumerate() {
            if number(image, 8 * at) != expected {
                return wrong(8 * at, what);
            }
        }
        let counts = Counts::read(image);
        if counts.bytes != image.len() as u64 {
            return wrong(Counts::BYTES, "the image is not as long as it says");
        }
        // A fuzzer cannot guess a checksum, so under it each is taken and what follows is reached.
        if !cfg!(fuzzing) && number(image, CHECKSUM) != checksum(image) {
            return wrong(CHECKSUM, "the checksum is another: the image is damaged");
        }
        if counts.tag & (I::INDEX_MASK | I::GENERATION_MASK) != 0
            || I::Repr::narrow(counts.tag).wide() != counts.tag
        {
            return wrong(Counts::TAG, "the tag does not stand where an id has it");
        }
        if counts.limit > I::SLOTS {
            return wrong(Counts::LIMIT, "the limit is more than an id can name");
        }
        if counts.used > counts.limit {
            return wrong(Counts::USED, "more slots are in use than the limit");
        }
        let packed = S::Parts::<T, I::Repr>::PACKED;
        let (ids, objects) = if packed { (counts.live, counts.live) } else { (0, counts.used) };
        // In 128 bits, where nothing of this can overflow.
        let wide = u128::from;
        let words = (wide(counts.used) + wide(ids)) * size_of::<I::Repr>() as u128;
        let bytes = HEADER as u128 + words + wide(objects) * size_of::<T>() as u128;
        if bytes != wide(counts.bytes) {
            return wrong(Counts::USED, "the counts do not make up the length");
        }
        let known = wide(counts.live) + wide(counts.free) + wide(counts.reserved);
        if known > wide(counts.used) {
            return wrong(Counts::LIVE, "live, free and reserved slots are more than all");
        }
        Ok(counts)
    }

    /// Fills a table that has the memory, but nothing in it. On an error it is left as what may be
    /// dropped.
    fn fill_from(&mut self, image: &[u8], counts: Counts) -> Result<(), RestoreError> {
        self.used = counts.used as usize;
        let from = From::<I> { image, counts, id: core::marker::PhantomData };
        let live = self.words_from(from)?;
        if live as u64 != counts.live {
            return wrong(Counts::LIVE, "the live slots are miscounted");
        }
        if S::Parts::<T, I::Repr>::PACKED {
            self.packed_from(from)?;
        } else {
            self.holes_from(from);
        }
        self.list_from(from)?;
        self.aside_from(from)?;
        self.reserved = counts.reserved as usize;
        self.retired = self.used - live - self.free - self.reserved;
        Ok(())
    }

    /// Takes the words over and returns how many are live. The place of a live slot is one that is
    /// none.
    fn words_from(&mut self, from: From<'_, I>) -> Result<usize, RestoreError> {
        let mut live = 0;
        for slot in 0..from.used() {
            let word = from.word(slot);
            let at = from.word_at(slot);
            self.parts.set_word(slot, word);
            if word & I::INDEX_MASK == slot as u64 {
                if !self.is_own(word) {
                    return wrong(at, "a live slot has no generation or another table's tag");
                }
                self.parts.set_place(slot, from.counts.live as usize);
                live += 1;
            } else {
                if word & !(I::INDEX_MASK | I::GENERATION_MASK) != 0 {
                    return wrong(at, "a dead slot has a tag");
                }
            }
        }
        Ok(live)
    }

    fn packed_from(&mut self, from: From<'_, I>) -> Result<(), RestoreError> {
        let live = from.counts.live as usize;
        for place in 0..live {
            let index = from.used() + place;
            let bits = from.word(index);
            let slot = (bits & I::INDEX_MASK) as usize;
            if slot >= from.used() || self.parts.word(slot) != bits || self.is_dead(slot) {
                return wrong(from.word_at(index), "the id of an object is not live");
            }
            if self.parts.place_of(slot) != live {
                return wrong(from.word_at(index), "two objects have one id");
            }
            self.parts.put(slot, bits, place, from.object(from.used() + live, place));
        }
        Ok(())
    }

    fn holes_from(&mut self, from: From<'_, I>) {
        for slot in 0..from.used() {
            let bits = self.parts.word(slot);
            if bits & I::INDEX_MASK == slot as u64 {
                self.parts.put(slot, bits, 0, from.object(from.used(), slot));
            }
        }
    }

    /// Walks the free list and writes it down. A slot that was visited is on it from then on, so a
    /// list that runs in a circle is found.
    fn list_from(&mut self, from: From<'_, I>) -> Result<(), RestoreError> {
        let (mut slot, mut last) = (from.counts.head, None);
        for _ in 0..from.counts.free {
            let at = last.map_or(Counts::HEAD, |last| from.word_at(last));
            if slot >= from.counts.used || !self.is_unlisted(slot as usize) {
                return wrong(at, "the free list leads to a slot that is not free");
            }
            let free = slot as usize;
            let word = self.parts.word(free);
            if E::END == End::Retire && word & I::GENERATION_MASK == I::GENERATION_MASK {
                return wrong(from.word_at(free), "a slot is free that has lived all its lives");
            }
            self.place_free(free, word & I::GENERATION_MASK, self.free);
            self.free += 1;
            last = Some(free);
            slot = word & I::INDEX_MASK;
        }
        let ends = (last.unwrap_or(0) as u64, last.map_or(0, |last| (last ^ 1) as u64));
        if ends.0 != from.counts.tail || (last.is_none() && from.counts.head != 0) {
            return wrong(Counts::TAIL, "the free list ends elsewhere");
        }
        if let Some(last) = last
            && slot != ends.1
        {
            return wrong(from.word_at(last), "the free list leads beyond its end");
        }
        if F::LIFO {
            self.reverse_list();
        }
        Ok(())
    }

    /// Counts what is dead and on no list.
    fn aside_from(&mut self, from: From<'_, I>) -> Result<(), RestoreError> {
        let mut reserved = 0;
        for slot in 0..from.used() {
            if !self.is_unlisted(slot) {
                continue;
            }
            let word = self.parts.word(slot);
            if word & I::INDEX_MASK != (slot ^ 1) as u64 {
                return wrong(from.word_at(slot), "a slot on no list leads on");
            }
            if word & I::GENERATION_MASK != 0 {
                reserved += 1;
            } else if E::END != End::Retire {
                return wrong(from.word_at(slot), "a slot is retired though none should be");
            }
        }
        if reserved == from.counts.reserved {
            Ok(())
        } else {
            wrong(Counts::RESERVED, "the reserved slots are miscounted")
        }
    }
}

/// An image whose length was checked against its counts.
#[derive(Clone, Copy)]
struct From<'b, I> {
    image: &'b [u8],
    counts: Counts,
    id: core::marker::PhantomData<I>,
}

impl<I: TableId> From<'_, I> {
    #[inline]
    fn used(self) -> usize {
        self.counts.used as usize
    }

    /// Returns the offset of the word of a slot or, beyond `used`, of an id.
    #[inline]
    fn word_at(self, index: usize) -> usize {
        HEADER + index * size_of::<I::Repr>()
    }

    #[inline]
    fn word(self, index: usize) -> u64 {
        let at = self.word_at(index);
        I::Repr::read_ne(&self.image[at..at + size_of::<I::Repr>()]).wide()
    }

    /// Returns an object, where that many words are before the objects.
    #[inline]
    fn object<T: AnyBitPattern>(self, words: usize, index: usize) -> T {
        let at = self.word_at(words) + index * size_of::<T>();
        bytemuck::pod_read_unaligned(&self.image[at..at + size_of::<T>()])
    }
}
