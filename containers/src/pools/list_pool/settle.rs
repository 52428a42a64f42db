//! A little sorting at each call.
//!
//! A frontier goes through the array from left to right while the lists are taken in the order of
//! their slots. The part left of it is done: contiguous lists, and free nodes. The next list stays
//! where it is if it is contiguous and nothing but free nodes is between the frontier and it. Else
//! its nodes are brought to the frontier one by one, each in exchange for what is there, which
//! belongs to a later list, or is free.
//!
//! ```text
//! frontier        v                           list 2: 3 -> 9 -> 4
//! | 1 | 1 | 1 | 2 | 5 | 3 | 3 | . | 4 | 2 |
//! | 1 | 1 | 1 | 2 | 2 | 3 | 3 | . | 4 | 5 |   9 and 4 exchanged: moved 1
//! | 1 | 1 | 1 | 2 | 2 | 2 | 3 | . | 4 | 5 |   ..
//! ```
//!
//! So one way from left to right puts all lists together, and a list that grew pushes its
//! neighbours as far as the next free node and no further.

use loligo_allocators::Allocator;

use crate::pools::list_pool::ListPool;
use crate::pools::list_pool::list::TOGETHER;
use crate::pools::list_pool::nodes::{LAST, Nodes};

#[cfg(test)]
mod tests;

/// Lists and nodes that are passed at most for each node that may be moved.
const LOOKS: u32 = 16;

/// How far the sorting has come. It is no more than a hint: whatever it says, exchanging nodes is
/// sound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frontier {
    /// The next node to be filled, at least 1.
    node: u32,
    /// The list that is looked at.
    list: u32,
    /// Whether a node of that list is before `node`.
    begun: bool,
}

impl Frontier {
    pub(super) const START: Self = Self { node: 1, list: 0, begun: false };
}

/// What leads to a node.
#[derive(Clone, Copy)]
enum Before {
    /// The head of this list.
    Head(u32),
    /// The link of this node.
    Node(u32),
}

impl<T, A: Allocator + ?Sized, const K: usize> ListPool<'_, T, A, K> {
    /// Sorts a little: moves at most `budget` nodes to make lists contiguous, and continues at the
    /// next call where this one stopped. Returns how many nodes it moved.
    ///
    /// Ids stay what they are, and the order of the items in each list does. Repeated calls without
    /// changes in between end with all lists contiguous, in the order of their slots where nodes
    /// had to move. Where changes are few per call it keeps up with them: at one change a hundred
    /// calls, `settle(4)` keeps more than nine of ten links between neighbours.
    ///
    /// # Complexity
    ///
    /// O(1) while all lists are contiguous. Else at most `budget` nodes are moved and 16 times as
    /// many lists and nodes passed; a node is moved in O(nodes of the list whose node was in its
    /// place). Takes no memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{ListError, ListPool};
    ///
    /// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
    /// let mut pool: ListPool<u32> = ListPool::new(&MEMORY);
    /// let lists: [_; 8] = core::array::from_fn(|_| pool.create());
    /// for item in 0..200 {
    ///     pool.push(lists[item as usize % 8], item);
    /// }
    /// assert!(!pool.is_settled(), "pushed in turns, the lists' nodes lie mixed");
    /// while !pool.is_settled() {
    ///     pool.settle(4);
    /// }
    /// assert_eq!(pool.as_slice(lists[3]).map(|items| items[..3].to_vec()), Some(vec![3, 11, 19]));
    /// # Ok::<(), ListError>(())
    /// ```
    pub fn settle(&mut self, budget: u32) -> u32 {
        let mut moved = 0;
        for _ in 0..budget.saturating_mul(LOOKS) {
            if self.broken == 0 {
                break;
            }
            let Some((node, before)) = self.next_to_bring() else { continue };
            if node != self.frontier.node {
                if moved == budget {
                    break;
                }
                self.exchange(node, before, self.frontier.node);
                moved += 1;
            }
            self.frontier.begun = true;
            self.frontier.node += 1;
        }
        moved
    }

    /// Returns `true` if all lists are contiguous. O(1).
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        self.broken == 0
    }

    /// Looks at one list or node and returns the node that is to come to the frontier, with what
    /// leads to it; `None` if what was looked at may stay as it is.
    #[inline]
    fn next_to_bring(&mut self) -> Option<(u32, Before)> {
        let Frontier { node, list, begun } = self.frontier;
        if begun {
            // The node before may since have been freed or taken by another list. Its link is then
            // a valid one, too, and the node that it leads to can be brought here as well.
            let last = node - 1;
            let link = if self.nodes.bits().is_used(last) { self.nodes.link(last) } else { LAST };
            if link & LAST != 0 {
                self.mark_together(list);
                self.frontier = Frontier { node, list: list + 1, begun: false };
                return None;
            }
            if node < self.nodes.count() {
                return Some((link, Before::Node(last)));
            }
            self.frontier = Frontier::START;
            return None;
        }
        let Some(head) = self.heads.get(list as usize) else {
            self.frontier = Frontier::START;
            return None;
        };
        if head.end == 0 || self.lives[list as usize] == 0 {
            self.frontier.list += 1;
            return None;
        }
        let first = head.first();
        if head.is_together() && (first == node || self.nodes.bits().used_from(node) == Some(first))
        {
            let last = (head.end - 1) / Nodes::<T, A, K>::K;
            self.frontier = Frontier { node: last + 1, list: list + 1, begun };
            return None;
        }
        if node >= self.nodes.count() {
            // Lists of which nodes were taken left of the frontier since it began need more room
            // than there is on the right.
            self.frontier = Frontier::START;
            return None;
        }
        Some((first, Before::Head(list)))
    }

    /// Marks a list as contiguous, if it is.
    fn mark_together(&mut self, list: u32) {
        let Some(head) = self.heads.get(list as usize).copied() else { return };
        if head.end == 0 || head.is_together() || self.lives[list as usize] == 0 {
            return;
        }
        if self.follows(head.first(), (head.end - 1) / Nodes::<T, A, K>::K) {
            self.heads[list as usize].first |= TOGETHER;
            self.broken -= 1;
        }
    }

    /// Notes that one of a list's nodes leaves its place.
    fn mark_apart(&mut self, list: u32) {
        let head = &mut self.heads[list as usize];
        if head.is_together() && self.nodes.link(head.first()) & LAST == 0 {
            head.first &= !TOGETHER;
            self.broken += 1;
        }
    }

    /// Exchanges a node of a list with another place, whether that is free, of another list or of
    /// the same.
    fn exchange(&mut self, node: u32, before: Before, place: u32) {
        if let Before::Head(list) = before {
            self.mark_apart(list);
        }
        let items = Nodes::<T, A, K>::K;
        if !self.nodes.bits().is_used(place) {
            self.nodes.occupy(place);
            self.nodes.copy(node * items, place * items, items);
            self.nodes.set_link(place, self.nodes.link(node));
            self.nodes.give(node);
            self.lead(before, place);
            self.end_at(place);
            return;
        }
        let before_place = self.before(place);
        self.nodes.swap_items(node, place);
        let (link, link_of_place) = (self.nodes.link(node), self.nodes.link(place));
        self.nodes.set_link(node, link_of_place);
        self.nodes.set_link(place, link);
        // What leads to one of the two may be the other, and that has moved.
        let moved = |before| match before {
            Before::Node(at) if at == node => Before::Node(place),
            Before::Node(at) if at == place => Before::Node(node),
            other => other,
        };
        self.lead(moved(before), place);
        self.lead(moved(before_place), node);
        self.end_at(place);
        self.end_at(node);
    }

    /// Finds what leads to a node in use, and marks its list as not contiguous.
    fn before(&mut self, node: u32) -> Before {
        let mut last = node;
        let list = loop {
            let link = self.nodes.link(last);
            if link & LAST != 0 {
                break link & !LAST;
            }
            last = link;
        };
        let head = self.heads[list as usize];
        self.mark_apart(list);
        if head.first() == node {
            return Before::Head(list);
        }
        if head.is_together() {
            return Before::Node(node - 1);
        }
        let mut at = head.first();
        loop {
            let next = self.nodes.link(at);
            if next == node {
                return Before::Node(at);
            }
            at = next;
        }
    }

    /// Lets what led to a node lead to `node`.
    #[inline]
    fn lead(&mut self, before: Before, node: u32) {
        match before {
            Before::Head(list) => {
                let head = &mut self.heads[list as usize];
                head.first = head.first & TOGETHER | node;
            }
            Before::Node(at) => self.nodes.set_link(at, node),
        }
    }

    /// Where a node is the last of a list, lets the list end in it.
    #[inline]
    fn end_at(&mut self, node: u32) {
        let link = self.nodes.link(node);
        if link & LAST != 0 {
            let items = Nodes::<T, A, K>::K;
            let head = &mut self.heads[(link & !LAST) as usize];
            head.end = node * items + (head.end - 1) % items + 1;
        }
    }
}
