//! The trees of transforms: the parent, children and siblings of each instance.

use loligo_allocators::Allocator;
use loligo_containers::GrowError;

use super::{At, DEPTH_MAX, LinkError, Transforms};
use crate::dense::NONE;
use crate::entity::Entity;
use crate::pose::Pose;

/// The relatives of an instance in its tree, each as the slot of its entity, or [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Links {
    pub(super) parent: u32,
    /// The child that was linked last.
    pub(super) first: u32,
    /// The next sibling in the list, which was linked earlier than this one; then the previous
    /// sibling, which was linked later.
    pub(super) next: u32,
    pub(super) before: u32,
}

impl Links {
    pub(super) const NONE: Self = Self { parent: NONE, first: NONE, next: NONE, before: NONE };
}

impl<'a, A: Allocator + ?Sized> Transforms<'a, A> {
    /// Makes an entity a child of `parent`, or a root if `parent` is `None`. The pose keeps its
    /// values, which are now in the space of the new parent.
    ///
    /// # Complexity
    ///
    /// O(entities below it).
    ///
    /// # Errors
    ///
    /// [`LinkError`] if either entity has no transform, if `parent` is the entity or one of its
    /// descendants, if the tree would be too deep, or if there is no memory. Nothing changes then.
    pub fn link(&mut self, entity: Entity, parent: Option<Entity>) -> Result<(), LinkError> {
        let at = self.at(entity).ok_or(LinkError::Missing { entity })?;
        let level = self.level_below(parent)?;
        if let Some(parent) = parent
            && self.is_within(parent.index(), entity.index())
        {
            return Err(LinkError::Ring { entity, parent });
        }
        let top = entity.index();
        if level != at.level() {
            self.make_room_below(top, at.level(), level)?;
            let mut slot = top;
            loop {
                self.relocate(slot, at.level(), level);
                match self.next_below(slot, top) {
                    Some(next) => slot = next,
                    None => break,
                }
            }
        } else {
            self.levels[level].mark(at.place());
        }
        self.unhang(top);
        self.hang(top, parent);
        Ok(())
    }

    /// Returns the parent of an entity. O(1).
    #[must_use]
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        self.at(entity)?;
        self.entity_at(self.links[entity.index() as usize].parent)
    }

    /// Returns the children of an entity, the most recently linked one first.
    pub fn children(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        let has = self.contains(entity);
        let mut slot = if has { self.links[entity.index() as usize].first } else { NONE };
        core::iter::from_fn(move || {
            let child = self.entity_at(slot)?;
            slot = self.links[slot as usize].next;
            Some(child)
        })
    }

    /// Creates an instance for an entity that has none.
    pub(super) fn insert(
        &mut self,
        entity: Entity,
        parent: Option<Entity>,
        pose: &Pose,
    ) -> Result<(), LinkError> {
        let level = self.level_below(parent)?;
        let slot = entity.index();
        if let Some(stale) = self.entity_at(slot) {
            // The previous entity of this slot was never removed here. If the parent is one of its
            // descendants, it is removed too, so the parent is checked again.
            self.remove_tree(stale.index());
            self.level_below(parent)?;
        }
        self.reserve(entity, level)?;
        self.levels[level].reserve_one()?;
        let place = self.levels[level].push(entity, pose);
        self.ats[slot as usize] = At::new(level, place);
        self.hang(slot, parent);
        Ok(())
    }

    /// Removes an instance and all of its descendants.
    pub(super) fn remove_tree(&mut self, top: u32) {
        let mut slot = top;
        loop {
            // Go down to a leaf and remove it. Continue with its parent, which can be a leaf now.
            while self.links[slot as usize].first != NONE {
                slot = self.links[slot as usize].first;
            }
            let parent = self.links[slot as usize].parent;
            self.unhang(slot);
            self.take_out(slot);
            if slot == top {
                return;
            }
            slot = parent;
        }
    }

    /// Returns the instance after `slot` in a walk of the tree below `top`, in which a parent comes
    /// before its children.
    pub(super) fn next_below(&self, slot: u32, top: u32) -> Option<u32> {
        let mut links = self.links[slot as usize];
        if links.first != NONE {
            return Some(links.first);
        }
        let mut slot = slot;
        while slot != top {
            if links.next != NONE {
                return Some(links.next);
            }
            slot = links.parent;
            links = self.links[slot as usize];
        }
        None
    }

    /// Returns the level of a child of `parent`, or level 0 for a root if `parent` is `None`.
    fn level_below(&self, parent: Option<Entity>) -> Result<usize, LinkError> {
        let Some(parent) = parent else { return Ok(0) };
        let level = 1 + self.at(parent).ok_or(LinkError::NoParent { parent })?.level();
        if level >= DEPTH_MAX {
            return Err(LinkError::TooDeep { levels: level + 1 });
        }
        Ok(level)
    }

    /// Returns `true` if `slot` is `top` or one of its descendants.
    fn is_within(&self, mut slot: u32, top: u32) -> bool {
        while slot != NONE && slot != top {
            slot = self.links[slot as usize].parent;
        }
        slot == top
    }

    /// Reserves space in the levels to which `top` and its descendants move, when `top` moves from
    /// level `from` to level `to`.
    fn make_room_below(&mut self, top: u32, from: usize, to: usize) -> Result<(), LinkError> {
        let mut counts = [0; DEPTH_MAX];
        let mut deepest = to;
        let mut slot = Some(top);
        while let Some(at) = slot {
            let level = self.ats[at as usize].level() - from + to;
            deepest = deepest.max(level);
            if let Some(count) = counts.get_mut(level) {
                *count += 1;
            }
            slot = self.next_below(at, top);
        }
        if deepest >= DEPTH_MAX {
            return Err(LinkError::TooDeep { levels: deepest + 1 });
        }
        let memory = self.ats.memory();
        while self.levels.len() <= deepest {
            self.levels.try_push(super::Level::new(memory))?;
        }
        let wanted = self.levels.iter_mut().zip(counts).filter(|(_, count)| *count > 0);
        for (level, count) in wanted {
            level.reserve(count).map_err(|error: GrowError| LinkError::Grow(error))?;
        }
        Ok(())
    }

    /// Moves an instance by `to - from` levels. The caller has reserved the space.
    fn relocate(&mut self, slot: u32, from: usize, to: usize) {
        let at = self.ats[slot as usize];
        let level = &self.levels[at.level()];
        let (entity, pose) = (level.entities()[at.place()], level.pose(at.place()));
        self.take_out(slot);
        let level = at.level() - from + to;
        let place = self.levels[level].push(entity, &pose);
        self.ats[slot as usize] = At::new(level, place);
    }

    /// Removes an instance from its level, but keeps its links.
    fn take_out(&mut self, slot: u32) {
        let at = core::mem::replace(&mut self.ats[slot as usize], At::NOWHERE);
        if let Some(moved) = self.levels[at.level()].remove(at.place()) {
            self.ats[moved.index() as usize] = at;
        }
    }

    /// Makes an instance the first child of `parent`, if there is one.
    fn hang(&mut self, slot: u32, parent: Option<Entity>) {
        let Some(parent) = parent.map(|parent| parent.index()) else { return };
        let first = core::mem::replace(&mut self.links[parent as usize].first, slot);
        if first != NONE {
            self.links[first as usize].before = slot;
        }
        let links = &mut self.links[slot as usize];
        (links.parent, links.next, links.before) = (parent, first, NONE);
    }

    /// Removes an instance from its parent's children. It keeps its own children.
    fn unhang(&mut self, slot: u32) {
        let Links { parent, next, before, .. } = self.links[slot as usize];
        if parent == NONE {
            return;
        }
        match before {
            NONE => self.links[parent as usize].first = next,
            before => self.links[before as usize].next = next,
        }
        if next != NONE {
            self.links[next as usize].before = before;
        }
        let links = &mut self.links[slot as usize];
        (links.parent, links.next, links.before) = (NONE, NONE, NONE);
    }
}
