//! What a wrapper remembers of each block, by its address, out of the blocks.
//!
//! # Memory
//!
//! ```text
//! slot    | address or 0 | value |
//! table   | slot 0 | slot 1 | .. | slot 2^k - 1 |      at most 3/4 full
//! ```
//!
//! Open addressing with linear probing. A removed slot is filled by shifting back what was pushed past
//! it, so there are no tombstones and a table never needs cleaning. Growing takes a table twice as large
//! from the allocator for books and gives the old one back; the table never shrinks before it is dropped.

use core::alloc::Layout;
use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use crate::allocator::{AllocError, Allocator};

#[cfg(test)]
mod tests;

/// Slots of the first table.
const SLOTS_MIN: usize = 64;

#[derive(Clone, Copy)]
struct Slot<V: Copy> {
    /// Zero where the slot is empty; no block lies there.
    address: usize,
    /// Written where there is an address.
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

/// A hash table from the addresses of blocks to values.
///
/// It does not hold the allocator that its memory comes from: whoever owns it passes the same one to
/// each call, and calls [`release`](Self::release) before dropping it.
///
/// # Complexity
///
/// O(1) amortised. `size_of::<usize>() + size_of::<V>()` bytes a slot, 4/3 to 8/3 slots an entry.
///
/// # Invariants
///
/// 1. `slots` is null and `capacity` zero, or `slots` leads to `capacity` slots, a power of two, whose
///    addresses are written, and whose values are where the address is not zero, taken from the allocator for books with `layout(capacity)`.
/// 2. `used` slots have an address, at most 3/4 of all; no address stands twice.
/// 3. Between the slot that an address hashes to and the one it stands in, no slot is empty.
pub(crate) struct AddressTable<V: Copy> {
    slots: Cell<*mut Slot<V>>,
    capacity: Cell<usize>,
    used: Cell<usize>,
}

impl<V: Copy> AddressTable<V> {
    pub(crate) const fn new() -> Self {
        Self { slots: Cell::new(ptr::null_mut()), capacity: Cell::new(0), used: Cell::new(0) }
    }

    /// Returns how many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.used.get()
    }

    /// Returns the bytes taken from the allocator for books.
    pub(crate) fn bytes(&self) -> usize {
        self.capacity.get() * size_of::<Slot<V>>()
    }

    /// Makes room for one more entry, so that the next [`insert`](Self::insert) cannot fail.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; the table is as it was.
    #[inline]
    pub(crate) fn reserve<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        if 4 * (self.used.get() + 1) <= 3 * self.capacity.get() { Ok(()) } else { self.grow(books) }
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
        let at = self.find(address);
        if self.address_at(at) == 0 {
            assert!(self.used.get() + 1 < self.capacity.get(), "room is reserved before inserting");
            self.used.set(self.used.get() + 1);
        }
        self.set(at, Slot::new(address, value));
    }

    /// Returns the value of `address`.
    #[inline]
    pub(crate) fn get(&self, address: NonNull<u8>) -> Option<V> {
        if self.used.get() == 0 {
            return None;
        }
        let (_, value) = self.slot(self.find(address.addr().get())).entry()?;
        Some(value)
    }

    /// Takes `address` out and returns its value.
    #[inline]
    pub(crate) fn remove(&self, address: NonNull<u8>) -> Option<V> {
        if self.used.get() == 0 {
            return None;
        }
        let mut hole = self.find(address.addr().get());
        let (_, value) = self.slot(hole).entry()?;
        self.used.set(self.used.get() - 1);
        let mut at = hole;
        loop {
            at = self.next(at);
            let slot = self.slot(at);
            if slot.address == 0 {
                break;
            }
            // It may move into the hole if the hole lies on its way, from where it hashes to on.
            let mask = self.capacity.get() - 1;
            let way = at.wrapping_sub(self.home(slot.address)) & mask;
            if way >= at.wrapping_sub(hole) & mask {
                self.set(hole, slot);
                hole = at;
            }
        }
        self.set(hole, Slot { address: 0, value: MaybeUninit::uninit() });
        Some(value)
    }

    /// Shows every entry, in no order. The table must not be changed from `visit`.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, V)) {
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
    /// What is broken, in words.
    pub(crate) fn validate(&self) -> Result<(), &'static str> {
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
        if used == self.used.get() { Ok(()) } else { Err("the table of addresses is miscounted") }
    }

    /// Gives the memory back and leaves an empty table.
    pub(crate) fn release<K: Allocator + ?Sized>(&self, books: &K) {
        let capacity = self.capacity.replace(0);
        self.used.set(0);
        if let Some(slots) = NonNull::new(self.slots.replace(ptr::null_mut())) {
            // SAFETY: invariant 1; nothing uses the table any more.
            unsafe { books.deallocate_sized(slots.cast(), layout::<V>(capacity)) };
        }
    }

    #[cold]
    #[inline(never)]
    fn grow<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        let capacity = (2 * self.capacity.get()).max(SLOTS_MIN);
        if capacity
            .checked_mul(size_of::<Slot<V>>())
            .is_none_or(|bytes| bytes > isize::MAX as usize)
        {
            return Err(AllocError);
        }
        // All zero: every slot is empty.
        let memory = books.allocate_zeroed(layout::<V>(capacity))?.cast::<Slot<V>>();
        let old = Self {
            slots: Cell::new(self.slots.replace(memory.as_ptr())),
            capacity: Cell::new(self.capacity.replace(capacity)),
            used: Cell::new(self.used.replace(0)),
        };
        old.for_each(|address, value| {
            self.set(self.find(address), Slot::new(address, value));
            self.used.set(self.used.get() + 1);
        });
        old.release(books);
        Ok(())
    }

    /// Returns the slot of `address`, or the empty one where it would stand. There must be slots.
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
        // SAFETY: the slot lies within the table and its address is initialised (invariant 1).
        unsafe { (*self.place(at)).address }
    }

    #[inline]
    fn slot(&self, at: usize) -> Slot<V> {
        // SAFETY: the slot lies within the table; its address is written, and a `MaybeUninit` may be
        // read unwritten.
        unsafe { self.place(at).read() }
    }

    #[inline]
    fn set(&self, at: usize, slot: Slot<V>) {
        // SAFETY: the slot lies within the table, which this object alone writes.
        unsafe { self.place(at).write(slot) }
    }
}

/// Returns the layout of a table of `capacity` slots, which [`AddressTable::grow`] found to be possible.
fn layout<V: Copy>(capacity: usize) -> Layout {
    Layout::array::<Slot<V>>(capacity).expect("the table's size was checked before it was taken")
}
