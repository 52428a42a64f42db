//! Blocks that did not fit into an allocator's own memory, and are in its backing instead.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose allocators take their
//! memory from one another, and the foundation library of BitSquid (2012), where the allocators for
//! short-lived memory fall back to a backing. Changes: blocks that fell back are recorded and
//! counted separately, so that a drop can release them and a wrong free is found.
//!
//! Two allocators share this: each tries its own memory first, here called the near allocator.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::address_table::AddressTable;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::misuse::{Misuse, Report, misuse, wrong_free};
use crate::contract::stats::Stats;

#[cfg(test)]
mod tests;

/// A block of the backing.
#[derive(Clone, Copy)]
struct Fallen {
    /// As the backing returned it.
    block: NonNull<[u8]>,
    /// As last requested.
    layout: Layout,
}

impl Fallen {
    /// Returns the requested bytes: a size of zero counts as one.
    fn requested(self) -> usize {
        self.layout.size().max(1)
    }

    /// Reports a layout that does not fit the block.
    fn check(self, name: &str, layout: Layout, site: &'static Location<'static>) {
        let bytes = layout.size().max(1);
        if bytes < self.requested() || bytes > self.block.len() {
            let block = self.block.cast();
            wrong_free(Misuse::WrongSize, name, block, Some(layout.size()), site);
        }
    }
}

/// The blocks that fell back, and their backing.
///
/// # Complexity
///
/// O(1) amortised on top of the near allocator or the backing. A table of 40 bytes a slot, also
/// from the backing, 4/3 to 8/3 slots a block; it is allocated with the first block and freed on
/// drop.
///
/// # Invariants
///
/// 1. `fallen` has each block that was allocated from `backing` and not freed, by its address.
/// 2. `own` counts only those blocks; its `reserved` is their granted bytes and the table.
/// 3. `peak` has the greatest sums of the near allocator's counters and `own` before any of them
///    was lowered while a block had fallen back. (With none fallen back, the near allocator keeps
///    its own peaks.)
pub(crate) struct FallBack<'a, B: Allocator + ?Sized> {
    fallen: AddressTable<Fallen>,
    own: Cell<Stats>,
    peak: Cell<Peak>,
    backing: Option<&'a B>,
}

// SAFETY: only this object uses the blocks in the table, and the backing, which is shared, may be
// used from another thread as it is `Sync`.
unsafe impl<B: Allocator + Sync + ?Sized> Send for FallBack<'_, B> {}

/// Peaks of requested, granted and reserved.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Peak([usize; 3]);

impl Peak {
    fn of(stats: &Stats) -> Self {
        Self([stats.peak_requested, stats.peak_granted, stats.peak_reserved])
    }

    fn max(self, other: Self) -> Self {
        Self(core::array::from_fn(|at| self.0[at].max(other.0[at])))
    }

    /// Raises the peaks in `stats` to these, and to the current values.
    fn enter(self, stats: &mut Stats) {
        let now = Self([stats.requested, stats.granted, stats.reserved]);
        let all = self.max(now).max(Self::of(stats));
        [stats.peak_requested, stats.peak_granted, stats.peak_reserved] = all.0;
    }
}

impl<'a, B: Allocator + ?Sized> FallBack<'a, B> {
    /// Creates the path to `backing`; without one, every request here is refused.
    pub(crate) const fn new(backing: Option<&'a B>) -> Self {
        Self {
            fallen: AddressTable::new(),
            own: Cell::new(NOTHING),
            peak: Cell::new(Peak([0; 3])),
            backing,
        }
    }

    /// Returns the counters of the blocks that fell back, the table counted as reserved.
    pub(crate) fn own_stats(&self) -> Stats {
        let mut stats = self.own.get();
        Peak([0; 3]).enter(&mut stats);
        stats
    }

    /// Returns the combined counters of `near` and the blocks that fell back.
    pub(crate) fn stats(&self, near: &impl Allocator) -> Stats {
        let near = near.stats();
        let own = self.own.get();
        let mut sum = Stats {
            live: near.live + own.live,
            requested: near.requested + own.requested,
            granted: near.granted + own.granted,
            reserved: near.reserved + own.reserved,
            allocations_total: near.allocations_total + own.allocations_total,
            requested_total: near.requested_total + own.requested_total,
            granted_total: near.granted_total + own.granted_total,
            ..near
        };
        self.peak.get().enter(&mut sum);
        sum
    }

    pub(crate) fn backing(&self) -> Option<&dyn Allocator> {
        // Through a reference, as an unsized backing type has no other conversion to a trait
        // object.
        self.backing.as_ref().map(|backing| backing as &dyn Allocator)
    }

    /// Allocates a block from the backing.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no backing, or it refuses the block or room in the table for it.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn allocate(
        &self,
        layout: Layout,
        zeroed: bool,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let backing = self.backing.ok_or(AllocError)?;
        let block =
            if zeroed { backing.allocate_zeroed(layout)? } else { backing.allocate(layout)? };
        // The block first: it can be freed again, so that a refusal changes nothing; a grown table
        // could not shrink again.
        if self.fallen.reserve(backing).is_err() {
            // SAFETY: the block is live, was requested with this layout, and is not yet used.
            unsafe { backing.deallocate_sized(block.cast(), layout) };
            return Err(AllocError);
        }
        let fallen = Fallen { block, layout };
        self.fallen.insert(block.cast(), fallen);
        let mut own = self.own.get();
        own.live += 1;
        own.allocations_total += 1;
        raise(&mut own, fallen.requested(), block.len());
        self.count(own);
        Ok(block)
    }

    /// Frees a block of `near` or one that fell back, with its size if known.
    #[inline]
    #[track_caller]
    pub(crate) fn free(&self, near: &impl Allocator, block: NonNull<u8>, layout: Option<Layout>) {
        if !near.owns(block.as_ptr()) {
            return self.free_fallen(near, block, layout, Location::caller());
        }
        self.note_peak(near);
        match layout {
            // SAFETY: the caller's promise, passed on.
            Some(layout) => unsafe { near.deallocate_sized(block, layout) },
            // SAFETY: the caller's promise, passed on.
            None => unsafe { near.deallocate(block) },
        }
    }

    /// Frees all blocks that fell back, and the table. `near` still has its blocks.
    #[track_caller]
    pub(crate) fn reset(&mut self, near: &impl Allocator) {
        self.note_peak(near);
        // First: if the backing reports a block and that unwinds, no block is freed twice.
        let fallen = core::mem::replace(&mut self.fallen, AddressTable::new());
        self.count(Stats { live: 0, requested: 0, granted: 0, ..self.own.get() });
        fallen.for_each(|_, fallen| self.give_back(fallen));
        if let Some(backing) = self.backing {
            fallen.release(backing);
        }
    }

    /// Resizes a block of `near` or one that fell back, in place.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if it cannot get the new size in place.
    #[inline]
    #[track_caller]
    pub(crate) fn resize(
        &self,
        near: &impl Allocator,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if !near.owns(block.as_ptr()) {
            return self.resize_fallen(near, block, old, new, Location::caller());
        }
        self.note_peak(near);
        // SAFETY: the caller's promise, passed on.
        unsafe { near.resize_in_place(block, old, new) }
    }

    pub(crate) fn allocated_size(&self, near: &impl Allocator, block: NonNull<u8>) -> usize {
        if near.owns(block.as_ptr()) {
            // SAFETY: the callers' promise: the block is live.
            unsafe { near.allocated_size(block) }
        } else {
            self.fallen.get(block).map_or(0, |fallen| fallen.block.len())
        }
    }

    /// Returns `true` if `address` is in a block that fell back. O(blocks that fell back).
    pub(crate) fn owns(&self, address: *const u8) -> bool {
        let mut found = false;
        self.fallen.for_each(|start, fallen| {
            found |= address.addr().wrapping_sub(start) < fallen.block.len();
        });
        found
    }

    pub(crate) fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.fallen.for_each(|_, fallen| {
            let address = fallen.block.cast();
            visit(Block { address, bytes: fallen.requested(), site: None });
        });
    }

    pub(crate) fn verify(&self) -> Result<(), Damage> {
        let damage = |what| Err(Damage { what, address: core::ptr::from_ref(self).cast() });
        if let Err(what) = self.fallen.validate() {
            return damage(what);
        }
        let (mut requested, mut granted) = (0, 0);
        self.fallen.for_each(|_, fallen| {
            requested += fallen.requested();
            granted += fallen.block.len();
        });
        let own = self.own.get();
        if (own.live, own.requested, own.granted) != (self.fallen.len(), requested, granted) {
            return damage("the blocks that fell back and their counts differ");
        }
        Ok(())
    }

    #[inline(never)]
    #[track_caller]
    fn free_fallen(
        &self,
        near: &impl Allocator,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) {
        let fallen = self.find(near.name(), block, site);
        if let Some(layout) = layout {
            fallen.check(near.name(), layout, site);
        }
        self.note_peak(near);
        self.fallen.remove(block);
        let mut own = self.own.get();
        own.live -= 1;
        lower(&mut own, fallen.requested(), fallen.block.len());
        self.count(own);
        // Last, as the backing may find the block damaged and report it.
        self.give_back(fallen);
    }

    #[inline(never)]
    #[track_caller]
    fn resize_fallen(
        &self,
        near: &impl Allocator,
        block: NonNull<u8>,
        told: Layout,
        new: Layout,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let old = self.find(near.name(), block, site);
        old.check(near.name(), told, site);
        let layout = Layout::from_size_align(new.size(), old.layout.align());
        let layout = layout.map_err(|_| AllocError)?;
        let backing = self.backing.ok_or(AllocError)?;
        // SAFETY: the block is live in the backing with this layout (invariant 1).
        let resized = unsafe { backing.resize_in_place(block, old.layout, layout)? };
        let fallen = Fallen { block: resized, layout };
        self.note_peak(near);
        self.fallen.insert(block, fallen);
        let mut own = self.own.get();
        let totals = (own.requested_total, own.granted_total);
        lower(&mut own, old.requested(), old.block.len());
        raise(&mut own, fallen.requested(), resized.len());
        own.requested_total = totals.0 + grown(old.requested(), fallen.requested());
        own.granted_total = totals.1 + grown(old.block.len(), resized.len());
        self.count(own);
        Ok(resized)
    }

    /// Returns the record of a block that is not the near allocator's.
    fn find(&self, name: &str, block: NonNull<u8>, site: &'static Location<'static>) -> Fallen {
        self.fallen.get(block).unwrap_or_else(|| unknown(name, block, site))
    }

    #[track_caller]
    fn give_back(&self, fallen: Fallen) {
        if let Some(backing) = self.backing {
            // SAFETY: the block was taken from this backing, was last asked with this layout, and
            // its entry has just left the table.
            unsafe { backing.deallocate_sized(fallen.block.cast(), fallen.layout) };
        }
    }

    /// Sets the counters, the reserved bytes from the granted ones.
    fn count(&self, own: Stats) {
        let reserved = own.granted + self.fallen.bytes();
        let mut own = Stats { reserved, ..own };
        Peak::of(&own).enter(&mut own);
        self.own.set(own);
    }

    /// Records the current sums, before one of them is lowered.
    #[inline]
    fn note_peak(&self, near: &impl Allocator) {
        if self.fallen.len() != 0 {
            self.peak.set(Peak::of(&self.stats(near)));
        }
    }
}

impl<B: Allocator + ?Sized> Drop for FallBack<'_, B> {
    /// Frees all blocks in the backing.
    fn drop(&mut self) {
        self.fallen.for_each(|_, fallen| self.give_back(fallen));
        if let Some(backing) = self.backing {
            self.fallen.release(backing);
        }
    }
}

/// The counters of an object that has served nothing and records sizes.
const NOTHING: Stats = Stats {
    live: 0,
    requested: 0,
    granted: 0,
    reserved: 0,
    peak_requested: 0,
    peak_granted: 0,
    peak_reserved: 0,
    allocations_total: 0,
    requested_total: 0,
    granted_total: 0,
    exact: true,
};

fn raise(stats: &mut Stats, requested: usize, granted: usize) {
    stats.requested += requested;
    stats.granted += granted;
    stats.requested_total += requested as u64;
    stats.granted_total += granted as u64;
}

fn lower(stats: &mut Stats, requested: usize, granted: usize) {
    stats.requested -= requested;
    stats.granted -= granted;
}

fn grown(before: usize, after: usize) -> u64 {
    after.saturating_sub(before) as u64
}

/// Reports the free of an address that is neither near nor in the table.
#[cold]
#[inline(never)]
fn unknown(name: &str, block: NonNull<u8>, site: &'static Location<'static>) -> ! {
    misuse(
        &Report::new(Misuse::ForeignFree, name, block.as_ptr())
            .with_site(site)
            .with_detail(format_args!("or a double free, if the block had fallen back")),
    )
}
