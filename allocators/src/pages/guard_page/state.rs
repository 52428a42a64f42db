//! The state that the guard-page allocator's lock protects: the blocks by address, and the freed
//! ones in order.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::describe::GuardedAddress;
use super::shape::{Opened, Shape, requested};
use crate::bookkeeping::address_table::AddressTable;
use crate::bookkeeping::counters::Counters;
use crate::bookkeeping::left::Left;
use crate::contract::allocator::{AllocError, Damage};
use crate::contract::misuse::Misuse;
use crate::pages::page::PageAllocator;

#[cfg(test)]
mod tests;

/// The stage of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// Live, between guards.
    Guarded(Shape),
    /// Live, on pages without guards.
    Forwarded,
    /// Freed and closed, its addresses kept. The waiting blocks are a list, the oldest first.
    Freed { site: &'static Location<'static>, next: Option<NonNull<u8>> },
}

/// A block that is live or whose addresses are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) block: NonNull<u8>,
    pub(super) layout: Layout,
    /// All its pages, guards included.
    pub(super) span: NonNull<[u8]>,
    /// The site of its allocation or last resize.
    pub(super) site: &'static Location<'static>,
    pub(super) stage: Stage,
}

impl Known {
    pub(super) fn requested(&self) -> usize {
        requested(self.layout)
    }

    pub(super) fn is_live(&self) -> bool {
        !matches!(self.stage, Stage::Freed { .. })
    }

    /// Returns the open pages of a guarded block.
    pub(super) fn opened(&self) -> Option<Opened> {
        let Stage::Guarded(shape) = self.stage else {
            return None;
        };
        // SAFETY: the pages before the block are of the same span, and the offset is the block's
        // distance from their start.
        let data = unsafe { self.block.sub(shape.offset) };
        Some(Opened { data, shape, bytes: self.requested() })
    }

    pub(super) fn spans(&self, address: usize) -> bool {
        let start = self.span.cast::<u8>().addr().get();
        address >= start && address - start < self.span.len()
    }

    fn contains(&self, address: usize) -> bool {
        let start = self.block.addr().get();
        address >= start && address - start < self.requested()
    }
}

/// # Invariants
///
/// 1. `blocks` has each live block and each whose addresses are kept, by its address; spans do not
///    overlap.
/// 2. `guarded` and `forwarded` count the live blocks of each kind, including reserved ones.
/// 3. The list from `oldest` to `newest` has `waiting` freed blocks; `closing` more are being
///    inserted or removed.
/// 4. `counters` has the spans of all blocks as reserved, and the bytes of the live ones as
///    requested and granted.
pub(super) struct State {
    pub(super) blocks: AddressTable<Known>,
    pub(super) counters: Counters,
    pub(super) left: Left,
    pub(super) guarded: usize,
    pub(super) forwarded: usize,
    pub(super) waiting: usize,
    closing: usize,
    oldest: Option<NonNull<u8>>,
    newest: Option<NonNull<u8>>,
}

// SAFETY: the table is memory of the pages that this state alone reaches; the pointers in it are
// addresses of pages that belong to the allocator, whichever thread holds it.
unsafe impl Send for State {}

impl State {
    pub(super) const fn new() -> Self {
        Self {
            blocks: AddressTable::new(),
            counters: Counters::new(),
            left: Left::new(),
            guarded: 0,
            forwarded: 0,
            waiting: 0,
            closing: 0,
            oldest: None,
            newest: None,
        }
    }

    /// Inserts a block that is about to be returned; it was counted as guarded or forwarded before.
    pub(super) fn enter(&mut self, known: Known, pages: &PageAllocator) -> Result<(), AllocError> {
        self.blocks.reserve(pages)?;
        self.blocks.insert(known.block, known);
        self.counters.reserved(known.span.len());
        self.counters.allocated(known.requested(), known.requested());
        Ok(())
    }

    /// Finds a live block that `layout` fits, or the misuse.
    pub(super) fn find(&self, block: NonNull<u8>, layout: Option<Layout>) -> Result<Known, Misuse> {
        let Some(known) = self.blocks.get(block) else {
            return Err(self.stranger(block));
        };
        if !known.is_live() {
            return Err(Misuse::DoubleFree);
        }
        let fits = |layout: Layout| {
            layout.align() == known.layout.align() && requested(layout) == known.requested()
        };
        if layout.is_none_or(fits) { Ok(known) } else { Err(Misuse::WrongSize) }
    }

    #[cold]
    fn stranger(&self, block: NonNull<u8>) -> Misuse {
        let address = block.addr().get();
        match self.spanning(address) {
            Some(known) if known.contains(address) => Misuse::InteriorFree,
            None if self.left.knows(block) => Misuse::DoubleFree,
            _ => Misuse::ForeignFree,
        }
    }

    /// Returns the block whose span contains an address. O(blocks).
    pub(super) fn spanning(&self, address: usize) -> Option<Known> {
        let mut found = None;
        self.blocks.for_each(|_, known| {
            if known.spans(address) {
                found = Some(known);
            }
        });
        found
    }

    pub(super) fn describe(&self, address: *const u8) -> Option<GuardedAddress> {
        self.spanning(address.addr()).map(|known| GuardedAddress::new(address, &known))
    }

    /// Replaces a live block's entry after a resize in place.
    pub(super) fn exchange(&mut self, old: &Known, new: Known) {
        self.blocks.insert(new.block, new);
        // The old size is subtracted first, so that a peak never includes both.
        self.counters.freed(old.requested(), old.requested());
        self.counters.released(old.span.len());
        self.counters.reserved(new.span.len());
        self.counters.allocated(new.requested(), new.requested());
    }

    /// Removes a forwarded block.
    pub(super) fn take_forwarded(&mut self, block: NonNull<u8>) -> Result<(), Misuse> {
        let known = self.find(block, None)?;
        self.forwarded -= 1;
        self.counters.freed(known.requested(), known.requested());
        self.forget(&known);
        Ok(())
    }

    /// Marks a guarded block as freed, before it is closed. [`keep`](Self::keep) or
    /// [`give_up`](Self::give_up) follows.
    pub(super) fn mark_freed(
        &mut self,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) -> Result<(), Misuse> {
        let known = self.find(block, None)?;
        self.blocks.insert(block, Known { stage: Stage::Freed { site, next: None }, ..known });
        self.guarded -= 1;
        self.closing += 1;
        self.counters.freed(known.requested(), known.requested());
        Ok(())
    }

    /// Appends a closed block to the waiting list.
    pub(super) fn keep(&mut self, block: NonNull<u8>) {
        self.closing -= 1;
        self.waiting += 1;
        let last = self.newest.replace(block);
        match last.and_then(|last| self.blocks.get(last)) {
            Some(Known { stage: Stage::Freed { site, .. }, block: last, .. }) => {
                self.link(last, site, block);
            }
            _ => self.oldest = Some(block),
        }
    }

    fn link(&self, last: NonNull<u8>, site: &'static Location<'static>, next: NonNull<u8>) {
        if let Some(known) = self.blocks.get(last) {
            let stage = Stage::Freed { site, next: Some(next) };
            self.blocks.insert(last, Known { stage, ..known });
        }
    }

    /// Removes a freed block that was not kept.
    pub(super) fn give_up(&mut self, block: NonNull<u8>) {
        self.closing -= 1;
        if let Some(known) = self.blocks.get(block) {
            self.forget(&known);
        }
    }

    /// Removes the oldest waiting block if more than `most` wait.
    pub(super) fn pop_beyond(&mut self, most: usize) -> Option<Known> {
        if self.waiting <= most {
            return None;
        }
        let known = self.blocks.get(self.oldest?)?;
        let Stage::Freed { next, .. } = known.stage else {
            return None;
        };
        self.oldest = next;
        if next.is_none() {
            self.newest = None;
        }
        self.waiting -= 1;
        self.forget(&known);
        Some(known)
    }

    /// Removes a block, before its pages are released.
    fn forget(&self, known: &Known) {
        self.blocks.remove(known.block);
        self.left.remember(known.block);
        self.counters.released(known.span.len());
    }

    /// Checks the invariants, and the bytes around each live block.
    pub(super) fn validate(&self) -> Result<(), Damage> {
        let here = core::ptr::from_ref(self).cast();
        let damage = |what| Err(Damage { what, address: here });
        if let Err(what) = self.blocks.validate() {
            return damage(what);
        }
        let (mut live, mut bytes, mut reserved, mut freed) = (0, 0, 0, 0);
        let mut stray = None;
        self.blocks.for_each(|_, known| {
            reserved += known.span.len();
            if known.is_live() {
                live += 1;
                bytes += known.requested();
            } else {
                freed += 1;
            }
            // SAFETY: a guarded block that is live is open, and the rest of its pages was filled.
            let beside = known.opened().and_then(|opened| unsafe { opened.stray() });
            stray = stray.or(beside.map(|beside| (known, beside)));
        });
        let stats = self.counters.stats(true);
        if (live, bytes, bytes, reserved)
            != (stats.live, stats.requested, stats.granted, stats.reserved)
        {
            return damage("the counters of the guarded blocks are not the sums over the table");
        }
        if freed != self.waiting + self.closing || self.listed() != self.waiting {
            return damage("the list of freed blocks differs from the table");
        }
        if live > self.guarded + self.forwarded {
            return damage("more blocks are live than are counted as guarded or forwarded");
        }
        match stray {
            Some((known, beside)) if beside.before => Err(Damage {
                what: "bytes before a guarded block were overwritten",
                address: known.block.as_ptr().wrapping_sub(beside.distance),
            }),
            Some((known, beside)) => Err(Damage {
                what: "bytes after a guarded block were overwritten",
                address: known.block.as_ptr().wrapping_add(known.requested() + beside.distance - 1),
            }),
            None => Ok(()),
        }
    }

    /// Follows the list of freed blocks, no further than its maximum length.
    fn listed(&self) -> usize {
        let (mut count, mut at) = (0, self.oldest);
        while let Some(known) = at.and_then(|block| self.blocks.get(block)) {
            let Stage::Freed { next, .. } = known.stage else {
                break;
            };
            count += 1;
            at = if count > self.waiting { None } else { next };
        }
        count
    }
}
