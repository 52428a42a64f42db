//! Walking, judging and verifying the entries of a ring.

use super::{Entry, GRAIN, Ring, stride};
use crate::contract::misuse::Misuse;

impl Ring<'_> {
    /// Returns the misuse of freeing an address at which no live block starts.
    #[cold]
    #[inline(never)]
    pub(super) fn judge(&self, offset: usize) -> Misuse {
        if offset >= self.capacity {
            return Misuse::ForeignFree;
        }
        let (head, tail) = (self.head.get(), self.tail.get());
        let occupied = if self.wraps() {
            offset < head || offset >= tail
        } else {
            (tail..head).contains(&offset)
        };
        if !occupied {
            // Free memory: a block was here, or can be here later.
            return Misuse::DoubleFree;
        }
        let mut start = offset / GRAIN * GRAIN;
        while self.get(start) == Entry::NONE && start != 0 {
            start -= GRAIN;
        }
        if self.get(start).is_live() { Misuse::InteriorFree } else { Misuse::DoubleFree }
    }

    /// Calls `visit` with the entries of the occupied part, in address order, until it returns
    /// false.
    pub(super) fn each(&self, mut visit: impl FnMut(usize, Entry) -> bool) {
        let (head, tail) = (self.head.get(), self.tail.get());
        let parts = if self.occupied.get() == 0 {
            [0..0, 0..0]
        } else if self.wraps() {
            [0..head, tail..self.capacity]
        } else {
            [tail..head, 0..0]
        };
        for part in parts {
            let mut at = part.start;
            while at < part.end {
                let entry = self.get(at);
                if !visit(at, entry) || entry == Entry::NONE {
                    return;
                }
                at += stride(entry.bytes());
            }
        }
    }

    /// Checks the invariants. O(grains).
    pub(super) fn validate(&self) -> Result<(), (&'static str, usize)> {
        let (mut occupied, mut live, mut bytes, mut entries) = (0, 0, 0, 0);
        let mut broken = None;
        self.each(|at, entry| {
            if entry == Entry::NONE || stride(entry.bytes()) > self.capacity - at {
                broken = Some(at);
                return false;
            }
            entries += 1;
            occupied += stride(entry.bytes());
            live += usize::from(entry.is_live());
            bytes += if entry.is_live() { entry.bytes() } else { 0 };
            true
        });
        if let Some(at) = broken {
            return Err(("an entry of the ring is broken", at));
        }
        if occupied != self.occupied.get() {
            return Err(("the blocks do not fill the ring from tail to head", self.tail.get()));
        }
        if occupied == 0 && (self.head.get(), self.tail.get()) != (0, 0) {
            return Err(("an empty ring does not start over", self.head.get()));
        }
        if occupied != 0 && !self.get(self.tail.get()).is_live() {
            return Err(("no live block starts at the tail", self.tail.get()));
        }
        let all = (0..self.capacity).step_by(GRAIN);
        if all.filter(|&at| self.get(at) != Entry::NONE).count() != entries {
            return Err(("an entry is where nothing starts", 0));
        }
        if (self.live.get(), self.requested.get()) != (live, bytes) {
            return Err(("the blocks and their counts differ", 0));
        }
        Ok(())
    }
}
