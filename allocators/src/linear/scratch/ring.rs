//! The ring: the memory of the blocks, and a table of their starts.

use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;

mod inspect;
#[cfg(test)]
mod tests;

/// The granularity of block offsets and strides.
pub(super) const GRAIN: usize = 16;

/// The most bytes of a ring, so that an entry has a bit to spare.
const BYTES_MAX: usize = (1 << 31) - GRAIN;

/// Returns the stride of a block of `bytes` bytes.
#[inline]
const fn stride(bytes: usize) -> usize {
    // `bytes` is at most `isize::MAX`, as a layout's size is.
    (bytes + GRAIN - 1) & !(GRAIN - 1)
}

/// What starts at a grain of the ring: nothing, a live block, or freed room that the tail has not
/// passed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry(u32);

impl Entry {
    const NONE: Self = Self(0);
    const FREED: u32 = 1 << 31;

    /// A size is at least 1 and at most `BYTES_MAX`, so it fits and differs from nothing.
    #[inline]
    const fn live(bytes: usize) -> Self {
        Self(bytes as u32)
    }

    #[inline]
    const fn freed(bytes: usize) -> Self {
        Self(bytes as u32 | Self::FREED)
    }

    #[inline]
    const fn is_live(self) -> bool {
        self.0 != 0 && self.0 & Self::FREED == 0
    }

    #[inline]
    const fn is_freed(self) -> bool {
        self.0 & Self::FREED != 0
    }

    #[inline]
    const fn bytes(self) -> usize {
        (self.0 & !Self::FREED) as usize
    }
}

/// A ring of blocks over one region, without a fallback.
///
/// # Invariants
///
/// 1. `memory` points to `capacity` bytes, a multiple of 16 at an address that is one, and
///    `entries` to an entry for each 16 of them; only the ring uses this memory.
/// 2. The part from `tail` to `head`, around the end, has `occupied` bytes, without holes, of live
///    blocks and freed room, each with its entry at its start; all other entries are nothing. No
///    block reaches over the end.
/// 3. If nothing is occupied, head and tail are zero; else a live block starts at the tail. (Equal
///    head and tail otherwise mean a full ring.)
/// 4. `live` and `requested` count the live blocks and their requested bytes.
pub(super) struct Ring<'a> {
    memory: NonNull<u8>,
    entries: NonNull<Cell<Entry>>,
    pub(super) capacity: usize,
    pub(super) head: Cell<usize>,
    pub(super) tail: Cell<usize>,
    pub(super) occupied: Cell<usize>,
    /// Requested bytes of the live blocks, equal to the granted bytes.
    pub(super) requested: Cell<usize>,
    live: Cell<usize>,
    /// The most requested bytes before any of them were freed.
    peak: Cell<usize>,
    allocations_total: Cell<u64>,
    requested_total: Cell<u64>,
    /// All of the given memory, table and skipped bytes included.
    bytes: usize,
    name: &'a str,
    region: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

impl<'a> Ring<'a> {
    /// Creates a ring with its whole table in the given memory.
    ///
    /// # Safety
    ///
    /// `memory` is valid for `bytes` bytes for as long as the ring exists, and used by no other
    /// code.
    pub(super) unsafe fn over(name: &'a str, memory: NonNull<u8>, bytes: usize) -> Self {
        let skipped = memory.addr().get().wrapping_neg() % GRAIN;
        // Five words of 4 bytes for each grain: four for blocks, one for its entry.
        let grains = bytes.saturating_sub(skipped) / (GRAIN + size_of::<Entry>());
        let capacity = (grains * GRAIN).min(BYTES_MAX);
        // SAFETY: without room for a block nothing is skipped; else more bytes follow than are
        // skipped.
        let memory = unsafe { memory.add(if capacity == 0 { 0 } else { skipped }) };
        // SAFETY: the entries follow the ring within the memory given.
        let entries = unsafe { memory.add(capacity) };
        // SAFETY: this many bytes were counted for them; all zero is `Entry::NONE`.
        unsafe { entries.write_bytes(0, capacity / GRAIN * size_of::<Entry>()) };
        let ring = Self {
            memory,
            entries: entries.cast(),
            capacity,
            head: Cell::new(0),
            tail: Cell::new(0),
            occupied: Cell::new(0),
            requested: Cell::new(0),
            live: Cell::new(0),
            peak: Cell::new(0),
            allocations_total: Cell::new(0),
            requested_total: Cell::new(0),
            bytes,
            name,
            region: PhantomData,
        };
        ring.open_region(mark::no_access);
        ring
    }

    /// Frees all blocks. O(blocks and freed blocks between tail and head).
    pub(super) fn reset(&mut self) {
        self.each(|at, _| {
            self.set(at, Entry::NONE);
            true
        });
        self.lower(self.requested.get());
        self.live.set(0);
        self.head.set(0);
        self.tail.set(0);
        self.occupied.set(0);
        self.open_region(mark::no_access);
    }

    /// Marks the memory of all blocks for the tools.
    pub(super) fn open_region(&self, mark: fn(NonNull<u8>, usize)) {
        mark(self.memory, self.capacity);
    }

    /// Returns the first possible start of a block at or after `from`.
    #[inline]
    fn aligned(&self, from: usize, align: usize) -> usize {
        let address = self.memory.addr().get() + from;
        // A ring's offset plus a layout's alignment is below 2^63.
        from + (address.wrapping_neg() & (align - 1))
    }

    /// Whether the occupied part goes around the end.
    #[inline]
    fn wraps(&self) -> bool {
        self.occupied.get() != 0 && self.head.get() <= self.tail.get()
    }

    /// Returns the limit for the end of a block at `offset`, which is new or the newest.
    #[inline]
    fn limit(&self, offset: usize) -> usize {
        if self.wraps() && offset <= self.tail.get() { self.tail.get() } else { self.capacity }
    }

    /// Finds room for a block: its offset, and whether it wraps around the end.
    #[inline]
    fn room(&self, bytes: usize, align: usize) -> Option<(usize, bool)> {
        let stride = stride(bytes);
        let fits = |start: usize, limit: usize| start <= limit && stride <= limit - start;
        let head = self.head.get();
        let start = self.aligned(head, align);
        let limit = if self.wraps() { self.tail.get() } else { self.capacity };
        if fits(start, limit) {
            return Some((start, false));
        }
        if self.wraps() || self.occupied.get() == 0 {
            return None;
        }
        let start = self.aligned(0, align);
        fits(start, self.tail.get()).then_some((start, true))
    }

    /// Records skipped bytes from `from` to `to`, if any, as freed.
    #[inline]
    fn skip(&self, from: usize, to: usize) {
        if from != to {
            self.set(from, Entry::freed(to - from));
            self.occupied.set(self.occupied.get() + (to - from));
        }
    }

    #[inline]
    fn free(&self, block: NonNull<u8>, bytes: Option<usize>, site: &'static Location<'static>) {
        let (offset, found) = match self.find(block) {
            Ok(found) => found,
            Err(what) => wrong_free(what, self.name, block, bytes, site),
        };
        if bytes.is_some_and(|bytes| bytes != found) {
            wrong_free(Misuse::WrongSize, self.name, block, bytes, site);
        }
        self.live.set(self.live.get() - 1);
        self.lower(found);
        mark::no_access(self.at(offset), found);
        let stride = stride(found);
        if offset == self.tail.get() {
            self.set(offset, Entry::freed(stride));
            self.advance();
        } else if offset + stride == self.head.get() {
            self.set(offset, Entry::NONE);
            self.head.set(offset);
            self.occupied.set(self.occupied.get() - stride);
        } else {
            self.set(offset, Entry::freed(stride));
        }
    }

    /// Moves the tail over freed room, to the next live block or until the ring is empty.
    #[inline]
    fn advance(&self) {
        let mut tail = self.tail.get();
        let mut occupied = self.occupied.get();
        while occupied != 0 {
            let entry = self.get(tail);
            if !entry.is_freed() {
                break;
            }
            self.set(tail, Entry::NONE);
            tail += entry.bytes();
            occupied -= entry.bytes();
            if tail == self.capacity {
                tail = 0;
            }
        }
        if occupied == 0 {
            tail = 0;
            self.head.set(0);
        }
        self.tail.set(tail);
        self.occupied.set(occupied);
    }

    /// Resizes a block in place.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if it is to grow and is not the newest, or there is no room.
    fn resize(&self, offset: usize, old: usize, new: usize) -> Result<(), AllocError> {
        let (before, after) = (stride(old), stride(new));
        let end = offset + before;
        if end == self.head.get() {
            if after > self.limit(offset).saturating_sub(offset) && after > before {
                return Err(AllocError);
            }
            self.head.set(offset + after);
            self.occupied.set(self.occupied.get() - before + after);
        } else if after > before {
            return Err(AllocError);
        } else if after < before {
            self.set(offset + after, Entry::freed(before - after));
        }
        self.set(offset, Entry::live(new));
        if new < old {
            self.lower(old - new);
            mark::no_access(self.at(offset + new), old - new);
        } else {
            self.raise(new - old);
            mark::undefined(self.at(offset + old), new - old);
        }
        Ok(())
    }

    #[inline]
    fn raise(&self, bytes: usize) {
        self.requested.set(self.requested.get() + bytes);
        self.requested_total.set(self.requested_total.get() + bytes as u64);
    }

    #[inline]
    fn lower(&self, bytes: usize) {
        // Requested bytes peak just before a free, so allocating does not update the peak.
        self.peak.set(self.peak.get().max(self.requested.get()));
        self.requested.set(self.requested.get() - bytes);
    }

    /// Returns offset and size of a live block, or the misuse that the address shows.
    #[inline]
    fn find(&self, block: NonNull<u8>) -> Result<(usize, usize), Misuse> {
        let offset = self.offset_of(block.as_ptr());
        if offset < self.capacity && offset.is_multiple_of(GRAIN) && self.get(offset).is_live() {
            return Ok((offset, self.get(offset).bytes()));
        }
        Err(self.judge(offset))
    }

    #[inline]
    fn offset_of(&self, address: *const u8) -> usize {
        address.addr().wrapping_sub(self.memory.addr().get())
    }

    #[inline]
    fn at(&self, offset: usize) -> NonNull<u8> {
        // SAFETY: callers pass offsets up to the capacity (invariant 1).
        unsafe { self.memory.add(offset) }
    }

    #[inline]
    fn entry(&self, offset: usize) -> &Cell<Entry> {
        debug_assert!(offset < self.capacity, "offset {offset} is within the ring");
        // SAFETY: callers pass offsets below the capacity (invariant 1).
        let entry = unsafe { self.entries.add(offset / GRAIN) };
        // SAFETY: the entries were all written, and are changed through cells alone.
        unsafe { entry.as_ref() }
    }

    #[inline]
    fn get(&self, offset: usize) -> Entry {
        self.entry(offset).get()
    }

    #[inline]
    fn set(&self, offset: usize, entry: Entry) {
        self.entry(offset).set(entry);
    }
}

// SAFETY: a block is in free room of the ring, which becomes occupied with it and stays so until it
// is freed, so it overlaps no other. Nothing is changed before the one check that can fail.
unsafe impl Allocator for Ring<'_> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let bytes = layout.size().max(1);
        let Some((start, around)) = self.room(bytes, layout.align()) else {
            return Err(AllocError);
        };
        if self.occupied.get() == 0 {
            // Bytes skipped before the first block are not occupied.
            self.tail.set(start);
        } else if around {
            self.skip(self.head.get(), self.capacity);
            self.skip(0, start);
        } else {
            self.skip(self.head.get(), start);
        }
        self.set(start, Entry::live(bytes));
        self.head.set(start + stride(bytes));
        self.occupied.set(self.occupied.get() + stride(bytes));
        self.live.set(self.live.get() + 1);
        self.allocations_total.set(self.allocations_total.get() + 1);
        self.raise(bytes);
        mark::undefined(self.at(start), bytes);
        Ok(NonNull::slice_from_raw_parts(self.at(start), bytes))
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.free(block, None, Location::caller());
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.free(block, Some(layout.size().max(1)), Location::caller());
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let (before, bytes) = (old.size().max(1), new.size().max(1));
        let (offset, found) = match self.find(block) {
            Ok(found) => found,
            Err(what) => wrong_free(what, self.name, block, Some(before), Location::caller()),
        };
        // Before any refusal: a caller that then moves the block copies the size in `old`.
        if before != found {
            wrong_free(Misuse::WrongSize, self.name, block, Some(before), Location::caller());
        }
        self.resize(offset, found, bytes)?;
        // The pointer passed in may have provenance over less than the block, so the ring's own is
        // returned.
        Ok(NonNull::slice_from_raw_parts(self.at(offset), bytes))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.find(block).map_or(0, |(_, bytes)| bytes)
    }

    fn stats(&self) -> Stats {
        let requested = self.requested.get();
        let peak = self.peak.get().max(requested);
        Stats {
            live: self.live.get(),
            requested,
            granted: requested,
            reserved: self.bytes,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: self.bytes,
            allocations_total: self.allocations_total.get(),
            requested_total: self.requested_total.get(),
            granted_total: self.requested_total.get(),
            exact: true,
        }
    }

    fn name(&self) -> &str {
        self.name
    }

    #[inline]
    fn owns(&self, address: *const u8) -> bool {
        self.offset_of(address) < self.capacity
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.each(|at, entry| {
            if entry.is_live() {
                visit(Block { address: self.at(at), bytes: entry.bytes(), site: None });
            }
            true
        });
    }

    fn verify(&self) -> Result<(), Damage> {
        self.validate().map_err(|(what, offset)| {
            let address = self.memory.as_ptr().wrapping_add(offset);
            Damage { what, address }
        })
    }
}
