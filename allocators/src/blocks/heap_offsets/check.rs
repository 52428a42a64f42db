//! Whether the nodes, the lists and the counters agree.

use super::HeapOffsets;
use super::bins::Bins;
use super::nodes::NIL;
use crate::contract::allocator::{Allocator, Damage};

/// What the chain of blocks has.
#[derive(Default)]
struct Tally {
    nodes: u32,
    free: u32,
    live: usize,
    granted: u64,
}

impl<B: Allocator + ?Sized> HeapOffsets<'_, B> {
    pub(super) fn check(&self) -> Result<(), Damage> {
        let tally = self.check_chain()?;
        let listed = self.check_bins(tally.free)?;
        let counted = (self.live.get(), self.granted.get(), self.nodes.used());
        if listed != tally.free {
            Err(damage("a free block is in no list", self.start))
        } else if counted != (tally.live, tally.granted, tally.nodes) {
            Err(damage("the counters disagree with the blocks", self.start))
        } else {
            Ok(())
        }
    }

    fn check_chain(&self) -> Result<Tally, Damage> {
        let mut tally = Tally::default();
        let (mut at, mut before, mut offset) = (0, NIL, self.start);
        let mut was_free = false;
        if self.last.get() == NIL {
            return Ok(tally);
        }
        while at != NIL {
            let all = self.nodes.all();
            let node = all.get(at as usize).ok_or_else(|| damage("a link is damaged", offset))?;
            let is_free = !node.is_live();
            if node.offset.get() != offset || node.before.get() != before || node.len.get() == 0 {
                return Err(damage("a block is not where the one before it ends", offset));
            }
            if is_free && was_free {
                return Err(damage("two free neighbours were not merged", offset));
            }
            tally.nodes += 1;
            if is_free {
                tally.free += 1;
            } else {
                tally.live += 1;
                tally.granted += node.len.get();
            }
            if tally.nodes as usize > all.len() {
                return Err(damage("a block is after itself", offset));
            }
            offset += node.len.get();
            (was_free, before, at) = (is_free, at, node.after.get());
        }
        if before != self.last.get() || offset != self.end.get() {
            return Err(damage("the last block does not end with the range", offset));
        }
        Ok(tally)
    }

    /// Returns how many blocks the lists of the bins have together.
    fn check_bins(&self, free: u32) -> Result<u32, Damage> {
        let mut listed = 0;
        for bin in 0..Bins::COUNT {
            let (mut at, mut before) = (self.bins.head(bin), NIL);
            while at != NIL {
                let all = self.nodes.all();
                let node = all.get(at as usize).ok_or_else(|| damage("a list is damaged", 0))?;
                let is_of_bin = !node.is_live() && Bins::of(node.len.get()) == bin;
                listed += 1;
                if !is_of_bin || node.prev.get() != before || listed > free {
                    return Err(damage("a list of free blocks is damaged", node.offset.get()));
                }
                (before, at) = (at, node.next.get());
            }
        }
        Ok(listed)
    }
}

fn damage(what: &'static str, offset: u64) -> Damage {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    Damage { what, address: core::ptr::without_provenance(offset) }
}
