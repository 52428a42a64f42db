//! A model of containers of rows or lists: vectors by id, and ids of some that are gone.

use std::collections::VecDeque;

/// How many ids are remembered of what is gone: fewer than an index has generations, so that none
/// of them names something again.
const GONE: usize = 100;

/// The vectors, in no order, and the ids of the last that went.
pub(super) struct Named<I> {
    live: Vec<(I, Vec<u32>)>,
    gone: VecDeque<I>,
}

impl<I> Default for Named<I> {
    fn default() -> Self {
        Self { live: Vec::new(), gone: VecDeque::new() }
    }
}

impl<I: Copy + PartialEq> Named<I> {
    pub(super) fn add(&mut self, id: I, items: &[u32]) {
        self.live.push((id, items.to_vec()));
    }

    pub(super) fn len(&self) -> usize {
        self.live.len()
    }

    /// Returns an id and what it names, if that is not gone; none if there was never any.
    pub(super) fn pick(&mut self, which: u16) -> Option<(I, Option<&mut Vec<u32>>)> {
        let live = self.live.len();
        let which = usize::from(which) % (live + self.gone.len()).max(1);
        match self.live.get_mut(which) {
            Some((id, items)) => Some((*id, Some(items))),
            None => self.gone.get(which - live).map(|id| (*id, None)),
        }
    }

    /// Removes what an id names; returns whether there was such a thing.
    pub(super) fn remove(&mut self, id: I) -> bool {
        let Some(at) = self.live.iter().position(|(other, _)| *other == id) else { return false };
        self.live.swap_remove(at);
        self.forget(id);
        true
    }

    pub(super) fn clear(&mut self) {
        for (id, _) in core::mem::take(&mut self.live) {
            self.forget(id);
        }
    }

    /// Returns all ids with what they name.
    pub(super) fn all(&self) -> impl Iterator<Item = (I, Option<&[u32]>)> {
        let live = self.live.iter().map(|(id, items)| (*id, Some(&items[..])));
        live.chain(self.gone.iter().map(|id| (*id, None)))
    }

    fn forget(&mut self, id: I) {
        self.gone.push_back(id);
        if self.gone.len() > GONE {
            self.gone.pop_front();
        }
    }
}
