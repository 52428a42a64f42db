//! A table as bytes that can be stored, sent and compared.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "offsets within an image, which is as long as the table in memory at most, and a \
              header"
)]

use bytemuck::NoUninit;
use loligo_allocators::Allocator;

use crate::error::SaveError;
use crate::id::{Repr, TableId};
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::image::{CHECKSUM, Counts, HEADER, checksum, kind, put};
use crate::table::shape::{Parts, Shape};

impl<S: Shape, T: NoUninit, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Returns how many bytes [`save`](Self::save) writes.
    #[must_use]
    pub fn saved_len(&self) -> usize {
        let word = size_of::<I::Repr>();
        let objects = if S::Parts::<T, I::Repr>::PACKED { self.len() } else { self.used };
        let ids = if S::Parts::<T, I::Repr>::PACKED { self.len() } else { 0 };
        HEADER + (self.used + ids) * word + objects * size_of::<T>()
    }

    /// Writes the table in place: the free list, the generations and reserved ids included, so that
    /// the restored one hands out the same ids.
    ///
    /// ```text
    /// | header: type, counts, length, checksum | words of the slots | objects, zeros in holes |
    /// | header                                 | words of the slots | ids | objects |          packed
    /// ```
    ///
    /// Two tables that had the same history of calls and have the same [tag](Self::tag) write the
    /// same bytes, whatever their memory, and a restored table writes the bytes that it was
    /// restored from. Numbers are in the machine's order.
    ///
    /// # Complexity
    ///
    /// O(slots). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`SaveError`] if `into` is not [`saved_len`](Self::saved_len) bytes long. Nothing is
    /// written.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Allocator, StaticHeap};
    /// use loligo_ids::PackedTable;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// type Levels<'a> = PackedTable<'a, u32>;
    /// let mut levels = Levels::new_in(&MEMORY);
    /// let cave = levels.insert(3)?;
    /// let mut image = vec![0; levels.saved_len()];
    /// levels.save(&mut image)?;
    ///
    /// let mut restored = Levels::restore(&image, &MEMORY)?;
    /// assert_eq!(restored.get(cave), Some(&3));
    /// // Both go on alike.
    /// assert_eq!(restored.insert(4), levels.insert(4));
    ///
    /// image[170] ^= 1;
    /// assert_eq!(Levels::restore(&image, &MEMORY).err().map(|error| error.offset), Some(152));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, into: &mut [u8]) -> Result<(), SaveError> {
        let needed = self.saved_len();
        if into.len() != needed {
            return Err(SaveError { needed: needed as u64, given: into.len() as u64 });
        }
        let types = kind::<S, T, I, F, E>();
        for (at, (number, _)) in types.into_iter().enumerate() {
            put(into, 8 * at, number);
        }
        self.counts(needed).write(into);
        let mut out = Out { into: &mut *into, at: HEADER };
        for slot in 0..self.used {
            out.number::<I::Repr>(self.linked(slot));
        }
        if S::Parts::<T, I::Repr>::PACKED {
            for place in 0..self.len() {
                out.number::<I::Repr>(self.parts.bits_at(place));
            }
            (0..self.len()).for_each(|place| out.object(self.object(place)));
        } else {
            for slot in 0..self.used {
                if self.is_dead(slot) {
                    out.zeros(size_of::<T>());
                } else {
                    out.object(self.object(slot));
                }
            }
        }
        let sum = checksum(into);
        put(into, CHECKSUM, sum);
        Ok(())
    }

    fn object(&self, place: usize) -> &T {
        // SAFETY: callers name live places, where objects are, and `self` is borrowed.
        unsafe { self.parts.object_at(place).as_ref() }
    }

    /// Returns the word of a slot as it is saved: that of a free one leads on to the next, which
    /// does not show where in its ring a list began.
    fn linked(&self, slot: usize) -> u64 {
        let word = self.parts.word(slot);
        match self.position_of(slot) {
            None => word,
            Some(position) => {
                let next = self.next_free(position).unwrap_or(slot ^ 1);
                (word & I::GENERATION_MASK) | next as u64
            }
        }
    }

    fn counts(&self, bytes: usize) -> Counts {
        let end = |turn: fn(usize) -> usize| match self.free {
            0 => 0,
            free => self.free_in_turn(turn(free)) as u64,
        };
        // A table without a limit is saved as such, whatever addresses the machine has.
        let is_limited = self.limit < Self::limit_for(usize::MAX);
        Counts {
            tag: self.tag,
            limit: if is_limited { self.limit as u64 } else { I::SLOTS },
            used: self.used as u64,
            live: self.len() as u64,
            free: self.free as u64,
            head: end(|_| 0),
            tail: end(|free| free - 1),
            reserved: self.reserved as u64,
            bytes: bytes as u64,
        }
    }
}

/// Bytes on their way into an image that is known to be long enough.
struct Out<'b> {
    into: &'b mut [u8],
    at: usize,
}

impl Out<'_> {
    #[inline]
    fn next(&mut self, len: usize) -> &mut [u8] {
        let from = self.at;
        self.at += len;
        &mut self.into[from..from + len]
    }

    #[inline]
    fn number<R: Repr>(&mut self, number: u64) {
        R::narrow(number).write_ne(self.next(size_of::<R>()));
    }

    #[inline]
    fn object<T: NoUninit>(&mut self, object: &T) {
        self.next(size_of::<T>()).copy_from_slice(bytemuck::bytes_of(object));
    }

    fn zeros(&mut self, len: usize) {
        self.next(len).fill(0);
    }
}
