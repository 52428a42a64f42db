//! A wrapper's record of each block, by its address, outside the blocks.
//!
//! # Memory
//!
//! ```text
//! slot    | address or 0 | value |
//! table   | slot 0 | slot 1 | .. | slot 2^k - 1 |      at most 3/4 full
//! ```
//!
//! Open addressing with linear probing. A removed slot is filled by shifting later entries back, so
//! there are no tombstones and a table never needs cleaning. For the last removed entry this is
//! delayed until the next removal: most allocators reuse the block freed last, and then the slot is
//! reused as it is. Growing allocates a table twice as large from `books` and frees the old one;
//! the table never shrinks before it is dropped.

use core::alloc::Layout;
use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use crate::bookkeeping::table_memory::TableMemory;
use crate::contract::allocator::AllocError;

#[cfg(test)]
mod tests;

/// Slots of the first table.
const SLOTS_MIN: usize = 64;
/// The most slots, so that their numbers have 32 bits.
const SLOTS_MAX: usize = 1 << 31;

#[derive(Clone, Copy)]
struct Slot<V: Copy> {
    /// Zero if the slot is empty; no block has this address.
    address: usize,
    /// Written if there is an address.
    value: MaybeUninit<V>,
}

impl<V: Copy> Slot<V> {
    fn new(address: usize, value: V) -> Self {
        Self { address, value: MaybeUninit::new(value) }
    }

    fn entry(self) -> Option<(usize, V)> {
        // SAFETY: a slot with an address has its value.
        (self.address != 0).then(|| (self.address, unsafe { self.value.assume_init() }))
    }
}

/// The place of an entry in a table, or where it was when it was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    at: usize,
    address: usize,
}

/// A hash table from the addresses of blocks to values.
///
/// It does not store the allocator that its memory comes from: its owner passes the same one to
/// each call, and calls [`release`](Self::release) before dropping it.
///
/// # Complexity
///
/// O(1) amortised. `size_of::<usize>() + size_of::<V>()` bytes a slot, 4/3 to 8/3 slots an entry.
///
/// # Invariants
///
/// 1. `slots` is null and `capacity` zero, or `slots` points to `capacity` slots, a power of two,
///    allocated from `books` with `layout(capacity)`. All addresses are written, and the value of
///    each slot whose address is not zero.
/// 2. `used` slots, at most 3/4 of all, have the address of an entry; no address is in two slots.
/// 3. Between the slot that an address hashes to and the one it is in, no slot is empty.
/// 4. `gone` is zero, or one more than a slot whose address is no longer an entry.
pub(crate) struct AddressTable<V: Copy> {
    slots: Cell<*mut Slot<V>>,
    capacity: Cell<usize>,
    used: Cell<u32>,
    /// One more than the slot of the last removed entry, if it is not yet emptied.
    gone: Cell<u32>,
}

impl<V: Copy> AddressTable<V> {
    pub(crate) const fn new() -> Self {
        let (used, gone) = (Cell::new(0), Cell::new(0));
        Self { slots: Cell::new(ptr::null_mut()), capacity: Cell::new(0), used, gone }
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.used.get() as usize
    }

    /// Returns the size of its memory.
    pub(crate) fn bytes(&self) -> usize {
        self.capacity.get() * size_of::<Slot<V>>()
    }

    /// Reserves room for one more entry, so that the next [`insert`](Self::insert) cannot fail.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; the table is as it was.
    #[inline]
    pub(crate) fn reserve<K: TableMemory + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        if 4 * (self.len() + 1) <= 3 * self.capacity.get() { Ok(()) } else { self.grow(books) }
    }

    /// Sets the value of `address`, which must not be zero. A new entry needs a successful
    /// [`reserve`](Self::reserve) before it.
    ///
    /// # Panics
    ///
    /// If there is no room.
    #[inline]
    pub(crate) fn insert(&self, address: NonNull<u8>, value: V) {
        let address = address.addr().get();
        if self.gone.get() != 0 {
            let at = self.gone.get() as usize - 1;
            if self.address_at(at) == address {
                self.gone.set(0);
                self.used.set(self.used.get() + 1);
                self.set(at, Slot::new(address, value));
                return;
            }
        }
        let at = self.find(address);
        if self.address_at(at) == 0 {
            assert!(self.len() + 1 < self.capacity.get(), "room is reserved before inserting");
            self.used.set(self.used.get() + 1);
        }
        self.set(at, Slot::new(address, value));
    }

    /// Returns the value of `address`.
    #[inline]
    pub(crate) fn get(&self, address: NonNull<u8>) -> Option<V> {
        self.place_of(address).map(|place| self.at(place))
    }

    /// Removes `address` and returns its value.
    #[inline]
    pub(crate) fn remove(&self, address: NonNull<u8>) -> Option<V> {
        let place = self.place_of(address)?;
        let value = self.at(place);
        self.remove_at(place);
        Some(value)
    }

    /// Returns the place of `address`, so that later operations on its entry need not search for
    /// it.
    #[inline]
    pub(crate) fn place_of(&self, address: NonNull<u8>) -> Option<Place> {
        if self.used.get() == 0 {
            return None;
        }
        let address = address.addr().get();
        let at = self.find(address);
        let is_entry = self.address_at(at) != 0 && at + 1 != self.gone.get() as usize;
        is_entry.then_some(Place { at, address })
    }

    /// Returns the value of a found entry, which may have moved since.
    ///
    /// # Panics
    ///
    /// If it is no longer in the table.
    #[inline]
    pub(crate) fn at(&self, place: Place) -> V {
        let slot = self.slot(self.now_at(place));
        // SAFETY: the slot has the place's address, which is not zero, so it has its value.
        unsafe { slot.value.assume_init() }
    }

    /// Sets the value of a found entry, which may have moved since.
    ///
    /// # Panics
    ///
    /// If it is no longer in the table.
    #[inline]
    pub(crate) fn set_at(&self, place: Place, value: V) {
        let at = self.now_at(place);
        self.set(at, Slot::new(place.address, value));
    }

    /// Removes a found entry, which may have moved since.
    ///
    /// # Panics
    ///
    /// If it is no longer in the table.
    #[inline]
    pub(crate) fn remove_at(&self, place: Place) {
        self.settle();
        // The removal of another entry may just have moved it.
        let at = self.now_at(place);
        self.used.set(self.used.get() - 1);
        self.gone.set(at as u32 + 1);
    }

    /// Visits every entry, in no order. `visit` must not change the table.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, V)) {
        self.settle();
        for at in 0..self.capacity.get() {
            if let Some((address, value)) = self.slot(at).entry() {
                visit(address, value);
            }
        }
    }

    /// Checks the invariants. O(slots).
    ///
    /// # Errors
    ///
    /// The broken invariant, in words.
    pub(crate) fn validate(&self) -> Result<(), &'static str> {
        self.settle();
        let mut used = 0;
        for at in 0..self.capacity.get() {
            let address = self.address_at(at);
            if address != 0 {
                used += 1;
                if self.find(address) != at {
                    return Err("an entry of the table of addresses cannot be found");
                }
            }
        }
        if used == self.len() { Ok(()) } else { Err("the table of addresses is miscounted") }
    }

    /// Frees the memory and leaves an empty table.
    pub(crate) fn release<K: TableMemory + ?Sized>(&self, books: &K) {
        let capacity = self.capacity.replace(0);
        self.used.set(0);
        self.gone.set(0);
        if let Some(slots) = NonNull::new(self.slots.replace(ptr::null_mut())) {
            // SAFETY: invariant 1; the table is not used any more.
            unsafe { books.give_back_table(slots.cast(), layout::<V>(capacity)) };
        }
    }

    #[cold]
    #[inline(never)]
    fn grow<K: TableMemory + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        let capacity = self.capacity.get().saturating_mul(2).max(SLOTS_MIN);
        if capacity > SLOTS_MAX {
            return Err(AllocError);
        }
        if capacity
            .checked_mul(size_of::<Slot<V>>())
            .is_none_or(|bytes| bytes > isize::MAX as usize)
        {
            return Err(AllocError);
        }
        // All zero: every slot is empty.
        let memory = books.take_table(layout::<V>(capacity))?.cast::<Slot<V>>();
        self.settle();
        let old = Self {
            slots: Cell::new(self.slots.replace(memory.as_ptr())),
            capacity: Cell::new(self.capacity.replace(capacity)),
            used: Cell::new(self.used.replace(0)),
            gone: Cell::new(0),
        };
        old.for_each(|address, value| {
            self.set(self.find(address), Slot::new(address, value));
            self.used.set(self.used.get() + 1);
        });
        old.release(books);
        Ok(())
    }

    /// Empties the slot of the last removed entry.
    #[inline]
    fn settle(&self) {
        if self.gone.get() != 0 {
            self.empty(self.gone.get() as usize - 1);
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
            let address = self.address_at(at);
            if address == 0 {
                break;
            }
            // It can move into the hole if the hole is between the slot it hashes to and its own.
            let mask = self.capacity.get() - 1;
            let way = at.wrapping_sub(self.home(address)) & mask;
            if way >= at.wrapping_sub(hole) & mask {
                self.set(hole, self.slot(at));
                hole = at;
            }
        }
        self.set(hole, Slot { address: 0, value: MaybeUninit::uninit() });
    }

    /// Returns the slot of a found entry, usually the one that it was found in.
    #[inline]
    fn now_at(&self, place: Place) -> usize {
        if place.at < self.capacity.get()
            && self.address_at(place.at) == place.address
            && place.at + 1 != self.gone.get() as usize
        {
            return place.at;
        }
        self.find_again(place)
    }

    #[cold]
    #[inline(never)]
    fn find_again(&self, place: Place) -> usize {
        let address = NonNull::new(ptr::without_provenance_mut(place.address));
        let now = address.and_then(|address| self.place_of(address));
        now.expect("an entry is in the table until it is taken out").at
    }

    /// Returns the slot of `address`, or the empty one where it would be inserted. There must be
    /// slots.
    #[inline]
    fn find(&self, address: usize) -> usize {
        let mut at = self.home(address);
        loop {
            let there = self.address_at(at);
            if there == address || there == 0 {
                return at;
            }
            at = self.next(at);
        }
    }

    /// Returns the slot that an address hashes to: the upper bits of a product with 2^64 / phi.
    #[inline]
    fn home(&self, address: usize) -> usize {
        let mixed = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - self.capacity.get().trailing_zeros())) as usize
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.capacity.get() - 1)
    }

    #[inline]
    fn place(&self, at: usize) -> *mut Slot<V> {
        debug_assert!(at < self.capacity.get(), "slot {at} is within the table");
        // SAFETY: callers pass slots below the capacity (invariant 1).
        unsafe { self.slots.get().add(at) }
    }

    #[inline]
    fn address_at(&self, at: usize) -> usize {
        // SAFETY: the slot is within the table and its address is initialised (invariant 1).
        unsafe { (*self.place(at)).address }
    }

    #[inline]
    fn slot(&self, at: usize) -> Slot<V> {
        // SAFETY: the slot is within the table; its address is written, and reading an unwritten
        // `MaybeUninit` is allowed.
        unsafe { self.place(at).read() }
    }

    #[inline]
    fn set(&self, at: usize, slot: Slot<V>) {
        // SAFETY: the slot is within the table, which this object alone writes.
        unsafe { self.place(at).write(slot) }
    }
}

/// Returns the layout of a table of `capacity` slots, which [`AddressTable::grow`] has validated.
fn layout<V: Copy>(capacity: usize) -> Layout {
    Layout::array::<Slot<V>>(capacity).expect("the table's size was checked before it was taken")
}
