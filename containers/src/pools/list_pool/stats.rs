//! How full a pool is, and how many of its lists are contiguous.

use loligo_allocators::Allocator;

use crate::pools::list_pool::ListPool;
use crate::pools::list_pool::list::Head;
use crate::pools::list_pool::nodes::{LAST, Nodes};

/// A pool's counters, from [`ListPool::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListPoolStats {
    /// Lists that there are.
    pub lists: u64,
    /// Of those, contiguous lists; empty ones are, too.
    pub together: u64,
    /// Items of all lists.
    pub items: u64,
    /// Nodes that there is memory for, but for the one that is never used.
    pub nodes: u64,
    /// Of those, nodes that are free.
    pub free: u64,
    /// Links from a node to the next of its list.
    pub links: u64,
    /// Of those, links to the next node in memory.
    pub adjacent: u64,
    /// Bytes of all arrays, as they were granted.
    pub bytes: u64,
}

impl<T, A: Allocator + ?Sized, const K: usize> ListPool<'_, T, A, K> {
    /// Returns how full the pool is and how many of its lists are contiguous.
    ///
    /// # Complexity
    ///
    /// O(lists and nodes): follows every link.
    #[must_use]
    pub fn stats(&self) -> ListPoolStats {
        let k = u64::from(Nodes::<T, A, K>::K);
        let mut stats = ListPoolStats {
            lists: self.lists_len() as u64,
            together: (self.lists - self.broken).into(),
            nodes: self.nodes.count().saturating_sub(1).into(),
            free: self.nodes.free().into(),
            bytes: self.bytes() as u64,
            ..ListPoolStats::default()
        };
        for (head, _) in self.heads.iter().zip(&*self.lives).filter(|(_, life)| **life != 0) {
            if head.end == 0 {
                continue;
            }
            let mut node = head.first();
            loop {
                let link = self.nodes.link(node);
                if link & LAST != 0 {
                    stats.items += u64::from((head.end - 1) % Nodes::<T, A, K>::K + 1);
                    break;
                }
                stats.items += k;
                stats.links += 1;
                stats.adjacent += u64::from(link == node + 1);
                node = link;
            }
        }
        stats
    }

    fn bytes(&self) -> usize {
        let heads = self.heads.capacity() * size_of::<Head>();
        self.nodes.bytes() + heads + self.lives.capacity()
    }
}
