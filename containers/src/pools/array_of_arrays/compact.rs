//! Making room: growing the buffer, moving the rows together, and copying the whole.

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};
use crate::pools::array_of_arrays::ArrayOfArrays;
use crate::pools::array_of_arrays::space::Space;
use crate::pools::array_of_arrays::word::{Word, class_for, units_of};

/// The buffer is full: rows are moved together if at least one part in `FREE_SHARE` is free, else
/// it grows.
const FREE_SHARE: u32 = 4;

/// The units of the first buffer.
const FIRST_UNITS: u32 = 16;

/// A buffer of at most this many units doubles; a longer one grows by half. Small buffers save
/// time, large ones memory.
const DOUBLES_TO: u32 = 4096;

impl<'a, T: Copy, A: Allocator + ?Sized> ArrayOfArrays<'a, T, A> {
    /// Moves all rows together in the order of their ids' indices, each into the least block that
    /// holds it, and takes a buffer and a table of rows of just that length. Ids stay. A walk over
    /// the rows then reads memory from front to back.
    ///
    /// # Complexity
    ///
    /// O(rows and elements). Old and new buffer are there together for a while.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the new buffer; nothing has changed.
    pub fn try_compact(&mut self) -> Result<(), GrowError> {
        let tight = |word: Word| class_for(word.len().div_ceil(Self::UNIT));
        let live = self.rows.iter().filter(|word| word.is_live());
        let units = live.map(|word| units_of(tight(*word))).sum();
        let space = Space::with_units(units, self.memory())?;
        if self.rows.capacity() > self.rows.len() {
            let mut rows = Array::try_with_capacity_in(self.rows.len(), self.memory())?;
            rows.try_extend_from_slice(&self.rows)?;
            self.rows = rows;
        }
        self.move_rows(space, tight);
        Ok(())
    }

    /// Moves all rows together as [`try_compact`](Self::try_compact) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn compact(&mut self) {
        or_panic(self.try_compact());
    }

    /// Returns a copy with its own memory, in which the same ids name rows with the same elements.
    ///
    /// # Complexity
    ///
    /// Two copies of memory, whatever the rows are, of no more than is in use; what is free among
    /// the blocks is copied along.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_clone<'b>(
        &self,
        memory: &'b (dyn Allocator + 'b),
    ) -> Result<ArrayOfArrays<'b, T>, GrowError> {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<ArrayOfArrays<'b, T, B>, GrowError> {
        let mut copy = ArrayOfArrays::new_in(memory);
        copy.try_copy_from(self)?;
        Ok(copy)
    }

    /// Becomes a copy of another, in the memory that this one has if that is enough: a state that
    /// is kept each frame, for instance.
    ///
    /// # Complexity
    ///
    /// As [`try_clone`](Self::try_clone).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_copy_from<B: Allocator + ?Sized>(
        &mut self,
        other: &ArrayOfArrays<'_, T, B>,
    ) -> Result<(), GrowError> {
        let larger = if self.space.units() < other.space.frontier() {
            Some(Space::with_units(other.space.frontier(), self.memory())?)
        } else {
            None
        };
        if self.rows.capacity() < other.rows.len() {
            self.rows = Array::try_with_capacity_in(other.rows.len(), self.memory())?;
            // From here on nothing is refused.
        }
        self.rows.clear();
        self.rows.try_extend_from_slice(&other.rows)?;
        if let Some(space) = larger {
            self.space = space;
        }
        // SAFETY: there is room up to the other's frontier, and no row has a block here.
        unsafe { self.space.copy_all(&other.space) };
        (self.dead, self.live) = (other.dead, other.live);
        Ok(())
    }

    /// Takes a block of a class, which is not 0. All rows may have moved afterwards, none of them
    /// to a smaller block than its elements need.
    #[inline]
    pub(super) fn take_block(&mut self, class: u32) -> Result<u32, GrowError> {
        match self.space.allocate(class) {
            Some(offset) => Ok(offset),
            None => self.make_room(class),
        }
    }

    /// Takes a block where there is none: no free one is large enough, and the buffer is full.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, class: u32) -> Result<u32, GrowError> {
        let (all, free, more) = (self.space.units(), self.space.free(), units_of(class));
        // What the rows' blocks have, and this one.
        let used = (self.space.frontier() - free).saturating_add(more);
        if free >= (all / FREE_SHARE).max(1) {
            let roomy = used.saturating_add(used / 2).max(all);
            if self.repack(roomy).is_ok() {
                return self.allocated(class);
            }
        }
        let needed = self.space.frontier().saturating_add(more);
        let longer = if all <= DOUBLES_TO { all } else { all / 2 };
        let wanted = needed.max(all.saturating_add(longer)).max(FIRST_UNITS);
        let grown = self.space.grow(wanted).or_else(|_| self.space.grow(needed));
        // Where the buffer cannot be longer, another of this length may do, if the system has one.
        grown.or_else(|error| if used <= all { self.repack(all) } else { Err(error) })?;
        self.allocated(class)
    }

    /// Takes a block after the frontier, where room was made.
    fn allocated(&mut self, class: u32) -> Result<u32, GrowError> {
        match self.space.allocate(class) {
            Some(offset) => Ok(offset),
            None => unreachable!("room was made for {} units", units_of(class)),
        }
    }

    /// Moves all rows into a new buffer of `units` units, so that all free units follow them. Rows
    /// that use a quarter of their block or less get one of twice their length, so they may grow
    /// and shrink by half before either costs anything.
    fn repack(&mut self, units: u32) -> Result<(), GrowError> {
        let space = Space::with_units(units, self.memory())?;
        self.move_rows(space, |word| {
            let (needed, has) = (word.len().div_ceil(Self::UNIT), word.capacity() / Self::UNIT);
            class_for(if needed <= has / 4 { needed * 2 } else { has })
        });
        Ok(())
    }

    /// Moves all rows into an empty space, which has the room, into blocks of the classes that
    /// `class` says: at least what their elements need.
    fn move_rows(&mut self, mut space: Space<'a, T, A>, class: impl Fn(Word) -> u32) {
        for word in &mut *self.rows {
            if !word.is_live() || word.capacity() == 0 {
                continue;
            }
            let class = class(*word);
            let (_, offset) = Self::block(*word);
            if class == 0 {
                *word = Word::empty(word.generation());
                continue;
            }
            let Some(to) = space.allocate(class) else {
                unreachable!("the space was made for these rows");
            };
            // SAFETY: the row's block was handed out (invariant 1).
            let from = unsafe { self.space.at(offset) };
            // SAFETY: both blocks have the units that the elements need, and are in two buffers.
            unsafe { space.copy_block(to, from, word.len().div_ceil(Self::UNIT)) };
            Self::set_block(word, class, to);
        }
        self.space = space;
    }
}
