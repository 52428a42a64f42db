//! The object at a slot, whatever its generation.

use loligo_allocators::Allocator;

use crate::id::{Repr, TableId};
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::{Parts, Shape};

impl<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'_, S, T, I, F, E, A>
{
    /// Returns the live id of a slot, which [`Id::index`](crate::Id::index) names; `None` if the
    /// slot holds no object.
    ///
    /// For arrays that run parallel to the slots, and bits of an index that came without its
    /// generation. A stale index is not detected: whatever object is there now is found.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn id_by_slot(&self, index: I::Repr) -> Option<I> {
        let index = index.wide();
        if index >= self.used as u64 || self.is_dead(index as usize) {
            return None;
        }
        I::checked(self.parts.word(index as usize))
    }

    /// Returns the object at a slot and its id.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::HoleTable;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut units: HoleTable<&str> = HoleTable::new(&MEMORY);
    /// let scout = units.insert("scout")?;
    /// // A bit set of visible units stores slots alone.
    /// assert_eq!(units.get_by_slot(scout.index()), Some((scout, &"scout")));
    /// assert_eq!(units.remove_by_slot(scout.index()), Some((scout, "scout")));
    /// assert_eq!(units.get_by_slot(scout.index()), None);
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn get_by_slot(&self, index: I::Repr) -> Option<(I, &T)> {
        let id = self.id_by_slot(index)?;
        Some((id, self.get(id)?))
    }

    /// Returns the object at a slot, to be changed, and its id.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn get_mut_by_slot(&mut self, index: I::Repr) -> Option<(I, &mut T)> {
        let id = self.id_by_slot(index)?;
        Some((id, self.get_mut(id)?))
    }

    /// Takes the object at a slot out and returns it with the id that it had.
    ///
    /// # Complexity
    ///
    /// O(1). Moves one object in a [`PackedTable`](crate::PackedTable).
    #[inline]
    pub fn remove_by_slot(&mut self, index: I::Repr) -> Option<(I, T)> {
        let id = self.id_by_slot(index)?;
        Some((id, self.remove(id)?))
    }
}
