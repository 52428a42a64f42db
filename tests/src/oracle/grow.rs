//! Changes of a block's size, in place and by moving.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::rule::{Rule, Violation, require};

use super::free::fitting;
use super::{Key, Live, Oracle};

impl Oracle<'_> {
    /// Asks for another size in place; returns whether that was granted. `share` chooses the old
    /// size that is passed, as in [`free_sized`](Self::free_sized).
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    ///
    /// # Panics
    ///
    /// If `key` does not name a live block.
    pub fn resize(&mut self, key: Key, size: usize, share: u8) -> Result<bool, Violation> {
        self.check_contents(key)?;
        let live = self.live[&key.0];
        let old = fitting(&live, share);
        let Ok(new) = Layout::from_size_align(size, live.layout.align()) else {
            return Ok(false);
        };
        // SAFETY: the block is live, `old` fits it, and the alignment stays.
        let answer = unsafe { self.allocator.resize_in_place(live.block, old, new) };
        let Ok(answer) = answer else {
            self.check_contents(key)?;
            self.refused("resize_in_place", new)?;
            return Ok(false);
        };
        require(answer.cast() == live.block, Rule::Moved, || {
            format!("resize_in_place({old:?}, {new:?}) moved the block {:p}", live.block)
        })?;
        self.changed(&live, old, new, answer, "resize_in_place")?;
        Ok(true)
    }

    /// Asks for another layout, where the block may move; `None` if that was refused, and the key
    /// still holds. `share` chooses the old size that is passed, as in
    /// [`free_sized`](Self::free_sized).
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    ///
    /// # Panics
    ///
    /// If `key` does not name a live block.
    pub fn reallocate(
        &mut self,
        key: Key,
        new: Layout,
        share: u8,
    ) -> Result<Option<Key>, Violation> {
        self.check_contents(key)?;
        let live = self.live[&key.0];
        let old = fitting(&live, share);
        // SAFETY: the block is live and `old` fits it.
        let answer = unsafe { self.allocator.reallocate(live.block, old, new) };
        let Ok(answer) = answer else {
            self.refused("reallocate", new)?;
            self.check_contents(key)?;
            return Ok(None);
        };
        self.changed(&live, old, new, answer, "reallocate")?;
        Ok(Some(Key(answer.cast::<u8>().addr().get())))
    }

    fn changed(
        &mut self,
        live: &Live,
        old: Layout,
        new: Layout,
        answer: NonNull<[u8]>,
        what: &str,
    ) -> Result<(), Violation> {
        self.live.remove(&live.block.addr().get());
        self.check_place(new, answer, what)?;
        let kept = old.size().min(new.size());
        // SAFETY: the block is live and holds the lesser of both sizes of the old contents.
        let wrong = unsafe { live.pattern.first_difference(answer.cast(), kept) };
        require(wrong.is_none(), Rule::Contents, || {
            format!("{what}({old:?}, {new:?}) lost byte {}", wrong.unwrap_or(0))
        })?;
        let stats = self.allocator.stats();
        let had = (live.requested, live.granted);
        let raised = self.ledger.change(&stats, had, new, answer.len(), what)?;
        let live = self.enter(new, answer, raised);
        self.check_size(&live, what)?;
        self.settle(what)
    }
}
