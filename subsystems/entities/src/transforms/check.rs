//! Whether transforms are whole.

use loligo_allocators::Allocator;

use super::{At, Transforms};
use crate::dense::NONE;
use crate::error::Damage;

impl<A: Allocator + ?Sized> Transforms<'_, A> {
    /// Checks that the structure is whole.
    ///
    /// # Complexity
    ///
    /// O(slots + instances).
    ///
    /// # Errors
    ///
    /// [`Damage`] names the first thing that is wrong.
    pub fn validate(&self) -> Result<(), Damage> {
        let mut children = 0;
        for (number, level) in self.levels.iter().enumerate() {
            if !level.is_whole() {
                return Err(Damage::new("the columns of a level differ in length", number as u32));
            }
            for (place, entity) in level.entities().iter().enumerate() {
                let slot = entity.index();
                if self.at_slot(slot) != Some(At::new(number, place)) {
                    return Err(Damage::new("an instance is not where its slot says", slot));
                }
                self.check_parent(slot, number)?;
                children += self.check_children(slot)?;
            }
        }
        let placed = self.ats.iter().filter(|at| **at != At::NOWHERE).count();
        if placed != self.len() || self.links.len() != self.ats.len() {
            return Err(Damage::new("a slot leads to no instance", placed as u32));
        }
        let hung = self.links.iter().filter(|links| links.parent != NONE).count();
        if children != hung {
            return Err(Damage::new("an instance is not among the children of its parent", 0));
        }
        Ok(())
    }

    fn check_parent(&self, slot: u32, level: usize) -> Result<(), Damage> {
        let parent = self.links[slot as usize].parent;
        let is_right = match (parent, level) {
            (NONE, level) => level == 0,
            (_, 0) => false,
            (parent, level) => self.at_slot(parent).is_some_and(|at| at.level() == level - 1),
        };
        if is_right { Ok(()) } else { Err(Damage::new("a parent is not on the level above", slot)) }
    }

    /// Checks the list of an instance's children, and returns how many there are.
    fn check_children(&self, slot: u32) -> Result<usize, Damage> {
        let mut before = NONE;
        let mut child = self.links[slot as usize].first;
        let mut count = 0;
        while child != NONE {
            let links = self.links[child as usize];
            if links.parent != slot || links.before != before || count > self.links.len() {
                return Err(Damage::new("a list of children is broken", child));
            }
            (before, child) = (child, links.next);
            count += 1;
        }
        Ok(count)
    }
}
