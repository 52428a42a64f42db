//! Walks a pool's invariants.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;

use crate::pools::list_pool::ListPool;
use crate::pools::list_pool::list::Head;
use crate::pools::list_pool::nodes::{LAST, Nodes};

/// What [`ListPool::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListDamage {
    /// What is wrong, in words.
    pub what: &'static str,
    /// The index of the list nearest to it, as [`List::index`](crate::List::index) has it.
    pub list: u32,
    /// The node nearest to it, 0 for none.
    pub node: u32,
}

impl fmt::Display for ListDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at list {}, node {}", self.what, self.list, self.node)
    }
}

impl Error for ListDamage {}

impl<T, A: Allocator + ?Sized, const K: usize> ListPool<'_, T, A, K> {
    /// Checks the pool's own structure, in release builds too.
    ///
    /// # Complexity
    ///
    /// O(lists and nodes), and takes no memory.
    ///
    /// # Errors
    ///
    /// [`ListDamage`] names the first fault found.
    pub fn validate(&self) -> Result<(), ListDamage> {
        let (bits, nodes) = (self.nodes.bits(), self.nodes.count());
        if !bits.is_sound() || self.nodes.links().len() != nodes as usize {
            return damage("the bits or links are not as many as the nodes", 0, nodes);
        }
        if nodes != 0 && (nodes < 2 || !bits.is_used(0)) {
            return damage("node 0 is not set apart", 0, 0);
        }
        if bits.count() + self.nodes.free() != nodes {
            return damage("free nodes are miscounted", 0, 0);
        }
        if self.heads.len() != self.lives.len() {
            return damage("heads and lives are not as many", 0, 0);
        }
        let (mut lists, mut broken, mut chained) = (0, 0, 0);
        for (list, head) in (0..).zip(&*self.heads) {
            if self.lives[list as usize] == 0 {
                continue;
            }
            lists += 1;
            broken += u32::from(head.end != 0 && !head.is_together());
            chained += self.check_chain(list, *head)?;
        }
        if (lists, broken) != (self.lists, self.broken) {
            return damage("lists or broken lists are miscounted", lists, 0);
        }
        // Each chain ends in its own list's mark, so no two have a node in common: all are
        // accounted for.
        if chained + u32::from(nodes != 0) != bits.count() {
            return damage("a node in use is in no list", 0, chained);
        }
        self.check_vacant()
    }

    /// Checks one list and returns how many nodes it has.
    fn check_chain(&self, list: u32, head: Head) -> Result<u32, ListDamage> {
        if head.end == 0 {
            let sound = head == Head::EMPTY;
            return if sound {
                Ok(0)
            } else {
                damage("an empty list has a node", list, head.first)
            };
        }
        let last = (head.end - 1) / Nodes::<T, A, K>::K;
        let mut node = head.first();
        for count in 1..=self.nodes.count() {
            if node == 0 || node >= self.nodes.count() {
                return damage("a list leads out of the array", list, node);
            }
            if !self.nodes.bits().is_used(node) {
                return damage("a list leads to a free node", list, node);
            }
            let link = self.nodes.link(node);
            if link & LAST != 0 {
                let before = u64::from(count - 1) * u64::from(Nodes::<T, A, K>::K);
                if link & !LAST != list {
                    return damage("a list ends as another's", list, node);
                }
                if node != last {
                    return damage("a list ends in another node than its head says", list, node);
                }
                let items = before + u64::from((head.end - 1) % Nodes::<T, A, K>::K + 1);
                if items != u64::from(head.len) {
                    return damage(
                        "a list has another number of items than its head says",
                        list,
                        node,
                    );
                }
                if count == 1 && !head.is_together() {
                    return damage("a list of one node is said to lie apart", list, node);
                }
                return Ok(count);
            }
            if head.is_together() && link != node + 1 {
                return damage("a list lies apart that is said to lie together", list, node);
            }
            node = link;
        }
        damage("a list leads in a circle", list, node)
    }

    fn check_vacant(&self) -> Result<(), ListDamage> {
        let vacant = self.heads.len() as u32 - self.lists;
        let mut next = self.vacant;
        for _ in 0..vacant {
            let slot = next.wrapping_sub(1);
            if self.lives.get(slot as usize) != Some(&0) {
                return damage("the vacant slots lead to one with a list", slot, 0);
            }
            next = self.heads[slot as usize].end;
        }
        if next == 0 { Ok(()) } else { damage("the vacant slots lead on beyond the last", next, 0) }
    }
}

fn damage<O>(what: &'static str, list: u32, node: u32) -> Result<O, ListDamage> {
    Err(ListDamage { what, list, node })
}
