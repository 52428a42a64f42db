//! Which resources are wanted, what each of them needs, and how far each is.
//!
//! A package needs its items, a level the meshes and materials of its models, a material its shader
//! and its texture. What somebody wants is counted once for each who does; what is wanted by nobody
//! any more goes, and so does what it alone needed.
//!
//! ```text
//! acquire -> wanted -> reading -> waiting for what it needs -> complete -> release
//!                         |                                       |
//!                         +-------------> missing ----------------+
//! ```

use loligo_allocators::SharedRef;
use loligo_containers::{Array, BuildKeyHasher, GrowError, HashMap};
use loligo_resources::ResourceKey;

use crate::memory::SharedAllocator;
use crate::world::Want;

#[cfg(test)]
mod tests;

/// How far a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The place is free.
    Free,
    /// It is to be read.
    Wanted,
    /// It is being read, perhaps for nobody any more.
    Reading,
    /// It was read, and something that it needs was not.
    Waiting,
    /// It is there, with all that it needs.
    Complete,
    /// It cannot be had.
    Missing,
}

struct Node<'m> {
    key: ResourceKey,
    stage: Stage,
    /// How many want it.
    users: u32,
    /// How many of its needs are not complete.
    waiting: u32,
    /// What it needs, each wanted once more.
    needs: Array<'m, u32, SharedAllocator<'m>>,
    /// What waits for it; nothing once it is complete.
    needed_by: Array<'m, u32, SharedAllocator<'m>>,
    /// The next in the list of what is to go.
    next: u32,
    /// Whether it is in the list of what has become complete.
    is_listed: bool,
}

/// The end of a list.
const NONE: u32 = u32::MAX;

/// How deep packages may be within each other.
const DEPTH_MAX: u32 = 64;

/// What is wanted of the resources.
///
/// # Complexity
///
/// All is O(1) for each resource and each need.
///
/// # Invariants
///
/// 1. `users` of a node is the number of nodes that need it and of those outside who want it; one
///    that nobody wants is being read or free.
/// 2. `waiting` of a node is the number of its needs whose `needed_by` has it.
/// 3. `completed` has room for all nodes twice, `gone` and `wanted` for all in addition to what was in
///    them when a node was added last.
pub(crate) struct Store<'m> {
    nodes: Array<'m, Node<'m>, SharedAllocator<'m>>,
    places: HashMap<'m, ResourceKey, u32, BuildKeyHasher, SharedAllocator<'m>>,
    free: Array<'m, u32, SharedAllocator<'m>>,
    /// To be read, in the order in which they were wanted, from `read` on.
    wanted: Array<'m, u32, SharedAllocator<'m>>,
    read: usize,
    /// What has become complete and was not taken yet, from `taken` on.
    completed: Array<'m, u32, SharedAllocator<'m>>,
    taken: usize,
    gone: Array<'m, ResourceKey, SharedAllocator<'m>>,
}

impl<'m> Store<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            nodes: Array::new_in(memory),
            places: HashMap::with_hasher_in(BuildKeyHasher::new(), memory),
            free: Array::new_in(memory),
            wanted: Array::new_in(memory),
            read: 0,
            completed: Array::new_in(memory),
            taken: 0,
            gone: Array::new_in(memory),
        }
    }

    /// Wants a resource once more.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub(crate) fn acquire(&mut self, key: ResourceKey) -> Result<Want, GrowError> {
        if let Some(place) = self.places.get(&key) {
            self.nodes[*place as usize].users += 1;
            return Ok(Want(*place));
        }
        self.reserve_one()?;
        let memory = self.nodes.memory();
        let (needs, needed_by) = (Array::new_in(memory), Array::new_in(memory));
        let stage = Stage::Wanted;
        let node = Node {
            key,
            stage,
            users: 1,
            waiting: 0,
            needs,
            needed_by,
            next: NONE,
            is_listed: false,
        };
        self.places
            .try_insert(key, self.free.last().copied().unwrap_or(self.nodes.len() as u32))?;
        // There is room for the rest.
        let place = match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.wanted.push(place);
        Ok(Want(place))
    }

    /// Returns the next that is to be read, which it is from now on.
    pub(crate) fn next_wanted(&mut self) -> Option<(Want, ResourceKey)> {
        while let Some(place) = self.wanted.get(self.read).copied() {
            self.read += 1;
            let node = &mut self.nodes[place as usize];
            // It may be gone since, or be in the list twice.
            if node.stage == Stage::Wanted {
                node.stage = Stage::Reading;
                return Some((Want(place), node.key));
            }
        }
        self.wanted.clear();
        self.read = 0;
        None
    }

    /// Takes what was read back: it is to be read again.
    pub(crate) fn unread(&mut self, wanted: Want) {
        // There is room.
        self.wanted.push(wanted.0);
        self.nodes[wanted.0 as usize].stage = Stage::Wanted;
    }

    /// Returns `true` if nobody wants what was being read any more; then its place is free.
    pub(crate) fn drop_unwanted(&mut self, wanted: Want) -> bool {
        let is_unwanted = self.nodes[wanted.0 as usize].users == 0;
        if is_unwanted {
            self.free_place(wanted.0);
        }
        is_unwanted
    }

    /// Takes notice of what a resource needs, which was read or has changed. Needs that were there
    /// before and are not any more go. Returns `false` if it needs itself, or is within too many
    /// others: that need is left out.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub(crate) fn set_needs(
        &mut self,
        wanted: Want,
        keys: &[ResourceKey],
    ) -> Result<bool, GrowError> {
        let mut needs = Array::try_with_capacity_in(keys.len(), self.nodes.memory())?;
        let mut are_all_needed = true;
        for key in keys {
            match self.need(wanted.0, *key, &mut needs) {
                Ok(is_needed) => are_all_needed &= is_needed,
                Err(error) => {
                    self.give_up(wanted.0, &needs);
                    return Err(error);
                }
            }
        }
        let node = &mut self.nodes[wanted.0 as usize];
        let old = core::mem::replace(&mut node.needs, needs);
        self.give_up(wanted.0, &old);
        let node = &mut self.nodes[wanted.0 as usize];
        node.stage = Stage::Waiting;
        if node.waiting == 0 {
            self.complete(wanted.0, Stage::Complete);
        }
        Ok(are_all_needed)
    }

    /// Takes notice that a resource cannot be had. What waits for it goes on without.
    pub(crate) fn fail(&mut self, wanted: Want) {
        let empty = Array::new_in(self.nodes.memory());
        let needs = core::mem::replace(&mut self.nodes[wanted.0 as usize].needs, empty);
        self.give_up(wanted.0, &needs);
        self.complete(wanted.0, Stage::Missing);
    }

    /// As [`fail`](Self::fail), of one that was complete, and cannot be used.
    pub(crate) fn spoil(&mut self, wanted: Want) {
        self.nodes[wanted.0 as usize].stage = Stage::Missing;
    }

    /// Returns the next that has become complete, or turned out to be missing: first what is needed,
    /// then what needs it.
    pub(crate) fn next_complete(&mut self) -> Option<(Want, ResourceKey, Stage)> {
        while let Some(place) = self.completed.get(self.taken).copied() {
            self.taken += 1;
            let node = &mut self.nodes[place as usize];
            node.is_listed = false;
            // It may be gone since.
            if matches!(node.stage, Stage::Complete | Stage::Missing) {
                return Some((Want(place), node.key, node.stage));
            }
        }
        self.completed.clear();
        self.taken = 0;
        None
    }

    /// Puts what was just returned by [`next_complete`](Self::next_complete) back.
    pub(crate) fn untake(&mut self, wanted: Want) {
        self.nodes[wanted.0 as usize].is_listed = true;
        self.taken -= 1;
    }

    /// Wants a resource once less.
    pub(crate) fn release(&mut self, wanted: Want) {
        let mut list = NONE;
        self.release_into(wanted.0, &mut list);
        self.clear(list);
    }

    /// Returns what nobody wants any more, which is to be unloaded; what needs another comes first.
    pub(crate) fn gone(&self) -> &[ResourceKey] {
        &self.gone
    }

    /// Forgets the first of what is gone: it was unloaded.
    pub(crate) fn forget_gone(&mut self, count: usize) {
        drop(self.gone.drain(..count));
    }

    /// Wants to read again what could not be had and is there now.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the rest is for the next time.
    pub(crate) fn retry(
        &mut self,
        is_there: impl Fn(ResourceKey) -> bool,
    ) -> Result<(), GrowError> {
        for place in 0..self.nodes.len() {
            let node = &self.nodes[place];
            if node.stage == Stage::Missing && is_there(node.key) {
                self.wait_again(place as u32)?;
                self.unread(Want(place as u32));
            }
        }
        Ok(())
    }

    /// Lets all that has gone on without a node wait for it again: it is to be used once more.
    fn wait_again(&mut self, need: u32) -> Result<(), GrowError> {
        for place in 0..self.nodes.len() {
            let node = &mut self.nodes[place];
            if node.stage != Stage::Free && node.needs.contains(&need) {
                let needed_by = &mut self.nodes[need as usize].needed_by;
                needed_by.try_push(place as u32)?;
                self.nodes[place].waiting += 1;
                if self.nodes[place].stage == Stage::Complete {
                    self.nodes[place].stage = Stage::Waiting;
                }
            }
        }
        Ok(())
    }

    /// Returns the place of a resource, if anybody wants it.
    pub(crate) fn find(&self, key: ResourceKey) -> Option<Want> {
        let place = *self.places.get(&key)?;
        (self.nodes[place as usize].users > 0).then_some(Want(place))
    }

    pub(crate) fn key(&self, wanted: Want) -> ResourceKey {
        self.nodes[wanted.0 as usize].key
    }

    /// Returns `true` if anything is to be read.
    pub(crate) fn has_wanted(&self) -> bool {
        !self.wanted.is_empty()
    }

    pub(crate) fn stage(&self, wanted: Want) -> Stage {
        self.nodes[wanted.0 as usize].stage
    }

    /// Returns whether a resource is there with all that it needs, or cannot be had.
    pub(crate) fn is_settled(&self, wanted: Want) -> bool {
        matches!(self.stage(wanted), Stage::Complete | Stage::Missing)
    }

    /// Returns all that is complete, in no order.
    pub(crate) fn all_complete(&self) -> impl Iterator<Item = ResourceKey> {
        let complete = self.nodes.iter().filter(|node| node.stage == Stage::Complete);
        complete.map(|node| node.key)
    }

    /// Makes room for one node more in all lists.
    fn reserve_one(&mut self) -> Result<(), GrowError> {
        let all = self.nodes.len() + 1;
        self.nodes.try_reserve(1)?;
        self.wanted.try_reserve(all)?;
        self.free.try_reserve(all.saturating_sub(self.free.len()))?;
        self.completed.try_reserve((2 * all).saturating_sub(self.completed.len()))?;
        self.gone.try_reserve(all)
    }

    /// Wants a resource for another. Returns `false` if that would be waited for for ever.
    fn need(
        &mut self,
        place: u32,
        key: ResourceKey,
        needs: &mut Array<'m, u32, SharedAllocator<'m>>,
    ) -> Result<bool, GrowError> {
        let Want(need) = self.acquire(key)?;
        if need == place || self.waits_for(need, place, 0) {
            self.release(Want(need));
            return Ok(false);
        }
        let is_settled = self.is_settled(Want(need));
        let node = &mut self.nodes[need as usize];
        if !is_settled {
            if let Err(error) = node.needed_by.try_push(place) {
                self.release(Want(need));
                return Err(error);
            }
            self.nodes[place as usize].waiting += 1;
        }
        // There is room.
        needs.push(need);
        Ok(true)
    }

    /// Returns whether one waits for another, by way of others perhaps, or may do so: the way is
    /// too long to know.
    fn waits_for(&self, one: u32, other: u32, depth: u32) -> bool {
        // Upwards, since few wait for one that has just been wanted.
        let above = &self.nodes[other as usize].needed_by;
        above.iter().any(|above| {
            depth == DEPTH_MAX || *above == one || self.waits_for(one, *above, depth + 1)
        })
    }

    /// Wants less what a node has needed; the node waits for none of it.
    fn give_up(&mut self, place: u32, needs: &[u32]) {
        for need in needs {
            self.stop_waiting(place, *need);
            self.release(Want(*need));
        }
    }

    fn stop_waiting(&mut self, place: u32, need: u32) {
        let needed_by = &mut self.nodes[need as usize].needed_by;
        if let Some(at) = needed_by.iter().position(|by| *by == place) {
            needed_by.swap_remove(at);
            self.nodes[place as usize].waiting -= 1;
        }
    }

    /// Ends the waiting for a node, and for those that waited for it last.
    fn complete(&mut self, place: u32, stage: Stage) {
        // What was taken makes room, which there is for all nodes once more then.
        if self.completed.len() + self.nodes.len() > self.completed.capacity() {
            drop(self.completed.drain(..self.taken));
            self.taken = 0;
        }
        let first = self.completed.len();
        self.nodes[place as usize].stage = stage;
        self.push_completed(place);
        let mut at = first;
        while let Some(place) = self.completed.get(at).copied() {
            at += 1;
            let node = &mut self.nodes[place as usize];
            let empty = Array::new_in(node.needed_by.memory());
            for above in core::mem::replace(&mut node.needed_by, empty) {
                let above_node = &mut self.nodes[above as usize];
                above_node.waiting -= 1;
                if above_node.waiting == 0 && above_node.stage == Stage::Waiting {
                    above_node.stage = Stage::Complete;
                    self.push_completed(above);
                }
            }
        }
    }

    fn push_completed(&mut self, place: u32) {
        if !core::mem::replace(&mut self.nodes[place as usize].is_listed, true) {
            self.completed.push(place);
        }
    }

    /// Wants a node once less; puts it into a list if nobody wants it any more.
    fn release_into(&mut self, place: u32, list: &mut u32) {
        let node = &mut self.nodes[place as usize];
        node.users -= 1;
        if node.users == 0 {
            node.next = core::mem::replace(list, place);
        }
    }

    /// Clears the nodes of a list, and those that they alone have needed.
    fn clear(&mut self, mut list: u32) {
        while list != NONE {
            let place = list;
            let node = &mut self.nodes[place as usize];
            list = node.next;
            let (key, stage) = (node.key, node.stage);
            let empty = Array::new_in(node.needs.memory());
            let needs = core::mem::replace(&mut node.needs, empty);
            for need in &needs {
                self.stop_waiting(place, *need);
                self.release_into(*need, &mut list);
            }
            if matches!(stage, Stage::Waiting | Stage::Complete) {
                // There is room.
                self.gone.push(key);
            }
            // What is being read keeps its place until it comes.
            if stage != Stage::Reading {
                self.free_place(place);
            }
        }
    }

    fn free_place(&mut self, place: u32) {
        let node = &mut self.nodes[place as usize];
        self.places.remove(&node.key);
        node.stage = Stage::Free;
        // There is room.
        self.free.push(place);
    }

    /// Checks the invariants.
    #[cfg(test)]
    pub(crate) fn validate(&self) {
        for (place, node) in self.nodes.iter().enumerate() {
            let wants = |other: &&Node<'_>| other.needs.contains(&(place as u32));
            let inside = self.nodes.iter().filter(wants).count() as u32;
            match node.stage {
                Stage::Free => assert!(self.free.contains(&(place as u32)), "invariant 1"),
                Stage::Reading => assert!(inside <= node.users, "invariant 1"),
                _ => assert!(inside <= node.users && node.users > 0, "invariant 1"),
            }
            let waits =
                |need: &&u32| self.nodes[**need as usize].needed_by.contains(&(place as u32));
            let waiting = node.needs.iter().filter(waits).count() as u32;
            assert_eq!(node.waiting, waiting, "invariant 2");
        }
        assert!(self.completed.capacity() >= 2 * self.nodes.len(), "invariant 3");
        assert!(self.gone.capacity() >= self.gone.len() + self.nodes.len() - self.free.len());
    }
}
