//! Walking and verifying a shared frame.

use crate::contract::allocator::{Allocator, Block, Damage};

use super::SharedFrame;
use super::bits::GRAIN;

impl<B: Allocator + Sync + ?Sized> SharedFrame<'_, B> {
    /// Visits the blocks whose bits are set; a block that is allocated or freed meanwhile may be
    /// left out.
    pub(super) fn walk_blocks(&self, visit: &mut dyn FnMut(Block)) {
        let mut from = 0;
        while let Some(start) = self.bits.next_start(from) {
            let end = self.bits.end_of(start).unwrap_or(start);
            let next = self.bits.next_start(start + 1);
            // If a block is freed during the walk, the end of a later one is found.
            if end > start && next.is_none_or(|next| end <= next) {
                let address = self.at(start * GRAIN);
                visit(Block { address, bytes: (end - start) * GRAIN, site: None });
            }
            from = start + 1;
        }
    }

    pub(super) fn verify_all(&self) -> Result<(), Damage> {
        let damage = |what| {
            let address = core::ptr::from_ref(self).cast();
            Err(Damage { what, address })
        };
        let cursor = self.cursor();
        if cursor > self.room || !cursor.is_multiple_of(GRAIN) {
            return damage("the cursor is outside of the memory or between two grains");
        }
        if !self.counters.agree() {
            return damage("more was freed than allocated");
        }
        Ok(())
    }

    /// Checks all invariants, also those that hold only while no call is in progress.
    ///
    /// # Panics
    ///
    /// If one is broken.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        self.verify().expect("it holds at every moment");
        let (mut blocks, mut bytes, mut end) = (0, 0, 0);
        self.walk_blocks(&mut |block| {
            let start = block.address.addr().get() - self.memory.addr().get();
            assert!(start >= end, "blocks overlap");
            end = start + block.bytes;
            blocks += 1;
            bytes += block.bytes;
        });
        assert!(end <= self.cursor(), "a live block is past the cursor");
        let stats = self.stats();
        assert_eq!((stats.live, stats.granted), (blocks, bytes), "bits and counters differ");
        assert!(self.bits.next_start(self.cursor() / GRAIN).is_none(), "a bit past the cursor");
    }
}
