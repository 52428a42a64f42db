//! The table from blocks to the numbers of their sites: 8 bytes a slot.
//!
//! Open addressing with linear probing, as in the wrappers' address table, but with both halves in
//! one word. A removed slot is filled by shifting later entries back; for the last removed entry
//! this is delayed until the next insertion or removal, as most allocators reuse the block freed
//! last. The slot that an address hashes to is a product of its hash and the capacity, which
//! therefore need not be a power of two and can grow by half.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

use crate::contract::allocator::{AllocError, Allocator};

/// Slots of the first table.
const SLOTS_MIN: usize = 64;
/// Bits of a slot for the number; the others are the low bits of the address.
const NUMBER_BITS: u32 = 16;

/// A hash table from the addresses of blocks to numbers that are not zero.
///
/// # Invariants
///
/// 1. `slots` is null and `capacity` zero, or `slots` points to `capacity` written words, allocated
///    from `books` with `layout(capacity)`.
/// 2. `used` slots are entries, at most 7/8 of all, and no address is in two slots; the others are
///    zero, except the one of invariant 5.
/// 3. Between the slot that an address hashes to and the one it is in, none is zero.
/// 4. The addresses of all blocks have `high` for the bits that no slot stores.
/// 5. `gone` is zero, or the value of slot `gone_at`, which is no longer an entry.
pub(super) struct Table {
    slots: Cell<*mut u64>,
    capacity: Cell<usize>,
    used: Cell<usize>,
    high: Cell<u64>,
    gone: Cell<u64>,
    gone_at: Cell<usize>,
}

impl Table {
    pub(super) const fn new() -> Self {
        Self {
            slots: Cell::new(ptr::null_mut()),
            capacity: Cell::new(0),
            used: Cell::new(0),
            high: Cell::new(0),
            gone: Cell::new(0),
            gone_at: Cell::new(0),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.used.get()
    }

    pub(super) fn bytes(&self) -> usize {
        self.capacity.get() * size_of::<u64>()
    }

    pub(super) fn address(&self) -> *const u8 {
        self.slots.get().cast()
    }

    /// Reserves room for `more` entries.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; the table is as it was.
    #[inline]
    pub(super) fn reserve<K: Allocator + ?Sized>(
        &self,
        more: usize,
        books: &K,
    ) -> Result<(), AllocError> {
        let needed = self.used.get() + more;
        if needed <= most(self.capacity.get()) { Ok(()) } else { self.grow(needed, books) }
    }

    /// Sets the number of `address`, for which there is room. An address that no slot can store is
    /// ignored.
    #[inline]
    pub(super) fn insert(&self, address: NonNull<u8>, number: u16) {
        let (high, key) = halves(address);
        if self.used.get() == 0 && high != self.high.get() {
            // The removed entry had other bits.
            self.settle();
            self.high.set(high);
        }
        if high != self.high.get() {
            return;
        }
        if key_of(self.gone.get()) == key && self.gone.get() != 0 {
            self.gone.set(0);
            self.used.set(self.used.get() + 1);
            self.set(self.gone_at.get(), key | u64::from(number));
            return;
        }
        self.settle();
        let at = self.find(key);
        if self.slot(at) == 0 {
            assert!(self.used.get() + 1 < self.capacity.get(), "room is reserved before inserting");
            self.used.set(self.used.get() + 1);
        }
        self.set(at, key | u64::from(number));
    }

    /// Returns the number of `address`.
    #[inline]
    pub(super) fn get(&self, address: NonNull<u8>) -> Option<u16> {
        let slot = self.slot(self.position(address)?);
        (slot != 0 && slot != self.gone.get()).then_some(slot as u16)
    }

    /// Removes `address`, if it is there.
    #[inline]
    pub(super) fn remove(&self, address: NonNull<u8>) {
        // The delayed removal of another entry may move the slot.
        self.settle();
        let Some(at) = self.position(address) else { return };
        let slot = self.slot(at);
        if slot != 0 {
            self.used.set(self.used.get() - 1);
            self.gone.set(slot);
            self.gone_at.set(at);
        }
    }

    /// Returns the number of the greatest address that is not above `address`. O(slots).
    pub(super) fn at_or_below(&self, address: NonNull<u8>) -> Option<u16> {
        let (high, key) = halves(address);
        if high != self.high.get() {
            return None;
        }
        self.settle();
        let slots = (0..self.capacity.get()).map(|at| self.slot(at));
        slots.filter(|&slot| slot != 0 && key_of(slot) <= key).max().map(|slot| slot as u16)
    }

    /// Empties the table, which keeps its memory.
    pub(super) fn clear(&self) {
        if (self.used.replace(0), self.gone.replace(0)) != (0, 0) {
            // SAFETY: invariant 1: this many words are ours.
            unsafe { self.slots.get().write_bytes(0, self.capacity.get()) };
        }
    }

    /// Checks the invariants, and that no number is above `numbers`. O(slots).
    ///
    /// # Errors
    ///
    /// The broken invariant, in words.
    pub(super) fn validate(&self, numbers: usize) -> Result<(), &'static str> {
        self.settle();
        let mut used = 0;
        for at in 0..self.capacity.get() {
            let slot = self.slot(at);
            if slot == 0 {
                continue;
            }
            used += 1;
            let number = usize::from(slot as u16);
            if number == 0 || number > numbers {
                return Err("a block has a site that has no such number");
            }
            if self.find(key_of(slot)) != at {
                return Err("a block of the table of sites cannot be found");
            }
        }
        if used == self.used.get() && used <= most(self.capacity.get()) {
            Ok(())
        } else {
            Err("the table of sites is miscounted")
        }
    }

    /// Frees the memory and leaves an empty table.
    pub(super) fn release<K: Allocator + ?Sized>(&self, books: &K) {
        let capacity = self.capacity.replace(0);
        self.used.set(0);
        self.gone.set(0);
        if let Some(slots) = NonNull::new(self.slots.replace(ptr::null_mut()))
            && let Ok(layout) = layout(capacity)
        {
            // SAFETY: invariant 1; the table is not used any more.
            unsafe { books.deallocate_sized(slots.cast(), layout) };
        }
    }

    #[cold]
    #[inline(never)]
    fn grow<K: Allocator + ?Sized>(&self, needed: usize, books: &K) -> Result<(), AllocError> {
        let mut capacity = self.capacity.get();
        while most(capacity) < needed {
            capacity = capacity.checked_add(capacity / 2).ok_or(AllocError)?.max(SLOTS_MIN);
        }
        self.settle();
        // All zero: every slot is empty.
        let slots = books.allocate_zeroed(layout(capacity)?)?.cast::<u64>();
        let old = Self {
            slots: Cell::new(self.slots.replace(slots.as_ptr())),
            capacity: Cell::new(self.capacity.replace(capacity)),
            used: Cell::new(self.used.get()),
            high: Cell::new(self.high.get()),
            gone: Cell::new(0),
            gone_at: Cell::new(0),
        };
        for slot in (0..old.capacity.get()).map(|at| old.slot(at)).filter(|&slot| slot != 0) {
            self.set(self.find(key_of(slot)), slot);
        }
        old.release(books);
        Ok(())
    }

    /// Empties the slot of the last removed entry.
    #[inline]
    fn settle(&self) {
        if self.gone.get() != 0 {
            self.empty(self.gone_at.get());
        }
    }

    /// Empties a slot and shifts later entries back.
    #[inline(never)]
    fn empty(&self, slot: usize) {
        self.gone.set(0);
        let mut hole = slot;
        let mut at = hole;
        loop {
            at = self.next(at);
            let slot = self.slot(at);
            if slot == 0 {
                break;
            }
            // It can move into the hole if that is between the slot it hashes to and its own.
            if self.way(self.home(slot), at) >= self.way(hole, at) {
                self.set(hole, slot);
                hole = at;
            }
        }
        self.set(hole, 0);
    }

    /// Returns the slot of an address or the empty one where it would be inserted; `None` in an
    /// empty table.
    #[inline]
    fn position(&self, address: NonNull<u8>) -> Option<usize> {
        let (high, key) = halves(address);
        (self.used.get() != 0 && high == self.high.get()).then(|| self.find(key))
    }

    /// As [`position`](Self::position); there must be an empty slot.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let mut at = self.home(key);
        loop {
            let slot = self.slot(at);
            if slot == 0 || key_of(slot) == key {
                return at;
            }
            at = self.next(at);
        }
    }

    /// Returns the slot that an address hashes to: the hash, a product with 2^64 / phi, as a
    /// fraction of the capacity.
    #[inline]
    fn home(&self, slot: u64) -> usize {
        let mixed = (slot >> NUMBER_BITS).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(mixed) * self.capacity.get() as u128) >> 64) as usize
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.capacity.get() { 0 } else { at + 1 }
    }

    /// Returns how many steps lead from one slot to another.
    #[inline]
    fn way(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.capacity.get() - from }
    }

    #[inline]
    fn place(&self, at: usize) -> *mut u64 {
        debug_assert!(at < self.capacity.get(), "slot {at} is within the table");
        // SAFETY: callers pass slots below the capacity (invariant 1).
        unsafe { self.slots.get().add(at) }
    }

    #[inline]
    fn slot(&self, at: usize) -> u64 {
        // SAFETY: the slot is within the table and is written (invariant 1).
        unsafe { self.place(at).read() }
    }

    #[inline]
    fn set(&self, at: usize, slot: u64) {
        // SAFETY: the slot is within the table, which this object alone writes.
        unsafe { self.place(at).write(slot) }
    }
}

/// Returns how many of `capacity` slots can be used.
#[inline]
fn most(capacity: usize) -> usize {
    capacity - capacity.div_ceil(8)
}

/// Returns the bits of an address that a slot has no room for, and the others in the position of a
/// slot.
#[inline]
fn halves(address: NonNull<u8>) -> (u64, u64) {
    let address = address.addr().get() as u64;
    (address >> (u64::BITS - NUMBER_BITS), address << NUMBER_BITS)
}

/// Returns a slot without its number.
#[inline]
fn key_of(slot: u64) -> u64 {
    slot >> NUMBER_BITS << NUMBER_BITS
}

fn layout(capacity: usize) -> Result<Layout, AllocError> {
    Layout::array::<u64>(capacity).map_err(|_| AllocError)
}
