//! Frees, with the contents reread before each.

use core::alloc::Layout;

use crate::rule::{Rule, Violation, require};

use super::{Key, Live, Oracle};

impl Oracle<'_> {
    /// Rereads a block and frees it by its address.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    ///
    /// # Panics
    ///
    /// If `key` does not name a live block.
    pub fn free(&mut self, key: Key) -> Result<(), Violation> {
        let live = self.leave(key)?;
        // SAFETY: the block is live, and it is forgotten here.
        unsafe { self.allocator.deallocate(live.block) };
        self.freed(&live, "deallocate")
    }

    /// Rereads a block and frees it with a layout that fits: its own alignment, and a size between
    /// the one asked (`share` 0) and the one granted (`share` 255).
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    ///
    /// # Panics
    ///
    /// If `key` does not name a live block.
    pub fn free_sized(&mut self, key: Key, share: u8) -> Result<(), Violation> {
        let live = self.leave(key)?;
        let layout = fitting(&live, share);
        // SAFETY: the block is live, the layout fits it, and it is forgotten here.
        unsafe { self.allocator.deallocate_sized(live.block, layout) };
        self.freed(&live, "deallocate_sized")
    }

    /// Frees every live block, in address order, by either way in turn.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    pub fn free_all(&mut self) -> Result<(), Violation> {
        let keys: Vec<Key> = self.keys().collect();
        for (index, key) in keys.into_iter().enumerate() {
            if index % 2 == 0 {
                self.free(key)?;
            } else {
                self.free_sized(key, (index % 251) as u8)?;
            }
        }
        Ok(())
    }

    fn leave(&mut self, key: Key) -> Result<Live, Violation> {
        self.check_contents(key)?;
        let live = self.live.remove(&key.0);
        Ok(live.expect("the key of a block that is live"))
    }

    fn freed(&mut self, live: &Live, what: &str) -> Result<(), Violation> {
        let stats = self.allocator.stats();
        self.ledger.lower(&stats, (live.requested, live.granted), what)?;
        self.settle(what)
    }

    /// Rereads a block.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a byte is not what was last written.
    ///
    /// # Panics
    ///
    /// If `key` does not name a live block.
    pub fn check_contents(&self, key: Key) -> Result<(), Violation> {
        let live = &self.live[&key.0];
        // SAFETY: the block is live, and its pattern was written when it was entered.
        let wrong = unsafe { live.pattern.first_difference(live.block, live.bytes) };
        require(wrong.is_none(), Rule::Contents, || {
            format!(
                "byte {} of the block {:p} of {:?} is not what was written",
                wrong.unwrap_or(0),
                live.block,
                live.layout
            )
        })
    }
}

/// A layout that fits the block, its size between what was asked and what was granted.
pub(super) fn fitting(live: &Live, share: u8) -> Layout {
    let asked = live.layout.size();
    let slack = (live.bytes - asked) as u128;
    let size = asked + (slack * u128::from(share) / 255) as usize;
    Layout::from_size_align(size, live.layout.align()).unwrap_or(live.layout)
}
