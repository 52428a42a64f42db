//! The table of the blocks that a slab has passed on to its backing: address to size.
//!
//! Open addressing in memory of the backing. A search starts at the slot that the address is hashed
//! to and goes on to the next until it meets the address or a free slot. Nothing is divided, and
//! nothing marks what was taken out: the entries after it move back into the hole.
//!
//! ```text
//!  slot      0       1       2       3       4                capacity - 1
//!        +-------+-------+-------+-------+-------+--- .. ---+-------+
//!        | A, 5k | free  | B, 1M | C, 9k | free  |          | D, 3k |
//!        +-------+-------+-------+-------+-------+--- .. ---+-------+
//!                         home of B and C                     home of D and A
//! ```
//!
//! Memory: 2 words a slot, 4 to 8 words a block where the table only grew, 16 slots at the least.

#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Damage};

/// The least number of slots of a table.
const SLOTS_MIN: usize = 16;
/// How many addresses freed last are remembered, to distinguish a double free from a foreign one.
const FREED: usize = 16;
/// 2^64 divided by the golden ratio, made odd: spreads addresses that differ in few bits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A block that the backing serves in the slab's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PassedOn {
    pub(super) address: NonNull<u8>,
    /// Its size as granted.
    pub(super) bytes: usize,
}

type Slot = Option<PassedOn>;

const _: () = assert!(
    size_of::<Slot>() == 2 * size_of::<usize>(),
    "a free slot is known by its address alone"
);

/// A block of the backing that holds a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// As granted.
    pub(super) block: NonNull<[u8]>,
    /// As asked.
    pub(super) layout: Layout,
}

/// Blocks by address.
///
/// # Invariants
///
/// 1. `slots` leads to `capacity` initialised slots in `memory`, a power of two; without memory
///    there are none.
/// 2. `count` slots hold a block, at most half of them.
/// 3. No slot between the one that a block's address is hashed to and the one that it is in is
///    free, and each address is in one slot only.
#[derive(Debug)]
pub(super) struct Passed {
    slots: Cell<NonNull<Cell<Slot>>>,
    capacity: Cell<usize>,
    count: Cell<usize>,
    memory: Cell<Option<Memory>>,
    freed: [Cell<usize>; FREED],
    freed_next: Cell<usize>,
}

// SAFETY: the table's memory belongs to it alone, and of the blocks in it only addresses are used.
// What gives both back is the backing, which the slab holds and answers for.
unsafe impl Send for Passed {}

impl Passed {
    pub(super) const fn new() -> Self {
        Self {
            slots: Cell::new(NonNull::dangling()),
            capacity: Cell::new(0),
            count: Cell::new(0),
            memory: Cell::new(None),
            freed: [const { Cell::new(0) }; FREED],
            freed_next: Cell::new(0),
        }
    }

    /// Returns the layout of a table in which `count` blocks fill at most half of the slots.
    pub(super) fn layout_for(count: usize) -> Result<Layout, AllocError> {
        let slots =
            count.checked_mul(2).and_then(usize::checked_next_power_of_two).ok_or(AllocError)?;
        Layout::array::<Cell<Slot>>(slots.max(SLOTS_MIN)).map_err(|_| AllocError)
    }

    /// Returns the number of blocks.
    pub(super) fn count(&self) -> usize {
        self.count.get()
    }

    /// Returns the bytes that the table's memory has, as granted.
    pub(super) fn bytes(&self) -> usize {
        self.memory.get().map_or(0, |memory| memory.block.len())
    }

    /// Whether the table must grow before a block is entered.
    pub(super) fn is_full(&self) -> bool {
        2 * self.count.get() >= self.capacity.get()
    }

    /// Moves the table into `memory`, all of which it uses, and returns the old memory.
    ///
    /// # Safety
    ///
    /// `memory.block` is valid for reads and writes and belongs to the table alone until it is
    /// returned; it was asked with [`layout_for`](Self::layout_for) a count that is at least
    /// [`count`](Self::count).
    pub(super) unsafe fn move_to(&self, memory: Memory) -> Option<Memory> {
        let old = self.slots();
        let slots = memory.block.cast::<Cell<Slot>>();
        let capacity = 1 << (memory.block.len() / size_of::<Slot>()).ilog2();
        for index in 0..capacity {
            // SAFETY: the block has room for `capacity` slots.
            let slot = unsafe { slots.add(index) };
            // SAFETY: as above; the layout was aligned for slots.
            unsafe { slot.write(Cell::new(None)) };
        }
        self.slots.set(slots);
        self.capacity.set(capacity);
        self.count.set(0);
        for passed in old.iter().filter_map(Cell::get) {
            // There are twice as many slots as the blocks counted; more there are in a damaged
            // table only, which `validate` and the frees of what is missing then report.
            let _ = self.insert(passed);
        }
        self.memory.replace(Some(memory))
    }

    /// Empties the table and returns its memory.
    pub(super) fn take_memory(&self) -> Option<Memory> {
        self.slots.set(NonNull::dangling());
        self.capacity.set(0);
        self.count.set(0);
        self.memory.take()
    }

    /// Returns the bytes of the block at `address`.
    pub(super) fn bytes_at(&self, address: NonNull<u8>) -> Option<usize> {
        let index = self.position(address)?;
        self.slots()[index].get().map(|passed| passed.bytes)
    }

    /// Enters a block that is not in the table, which is not [full](Self::is_full). `false` if
    /// there is no free slot, which is damage.
    #[must_use]
    pub(super) fn insert(&self, passed: PassedOn) -> bool {
        let slots = self.slots();
        let home = self.home(passed.address);
        for step in 0..slots.len() {
            let slot = &slots[(home + step) & (slots.len() - 1)];
            if slot.get().is_none() {
                slot.set(Some(passed));
                self.count.set(self.count.get() + 1);
                return true;
            }
        }
        false
    }

    /// Takes out the block at `address` and remembers that it was freed.
    pub(super) fn remove(&self, address: NonNull<u8>) {
        if let Some(index) = self.position(address) {
            self.close(index);
            self.count.set(self.count.get() - 1);
            let next = self.freed_next.get();
            self.freed[next % FREED].set(address.addr().get());
            self.freed_next.set(next.wrapping_add(1));
        }
    }

    /// Enters what the block at `address` has become, there or elsewhere. `false` is damage.
    #[must_use]
    pub(super) fn replace(&self, address: NonNull<u8>, passed: PassedOn) -> bool {
        if address != passed.address {
            self.remove(address);
            return self.insert(passed);
        }
        let index = self.position(address);
        if let Some(index) = index {
            self.slots()[index].set(Some(passed));
        }
        index.is_some()
    }

    /// Whether a block at `address` is among those freed last.
    pub(super) fn was_freed(&self, address: NonNull<u8>) -> bool {
        self.freed.iter().any(|freed| freed.get() == address.addr().get())
    }

    /// Whether `address` is in one of the blocks. O(capacity), as the table knows starts only.
    pub(super) fn holds(&self, address: *const u8) -> bool {
        let within = |passed: PassedOn| {
            address.addr().wrapping_sub(passed.address.addr().get()) < passed.bytes
        };
        self.slots().iter().filter_map(Cell::get).any(within)
    }

    /// Returns the first block in slot `from` or after it, and the slot after that.
    pub(super) fn next(&self, from: usize) -> Option<(PassedOn, usize)> {
        let slots = self.slots().iter().enumerate().skip(from);
        slots.filter_map(|(index, slot)| slot.get().map(|passed| (passed, index + 1))).next()
    }

    /// Checks the invariants. O(capacity) and the distances of all blocks from their homes.
    pub(super) fn validate(&self) -> Result<(), Damage> {
        let slots = self.slots();
        let damage = |what, address: *const u8| Err(Damage { what, address });
        let mut count = 0;
        for (index, slot) in slots.iter().enumerate() {
            let Some(passed) = slot.get() else { continue };
            let at = passed.address.as_ptr().cast_const();
            count += 1;
            if passed.bytes == 0 || at.addr().checked_add(passed.bytes).is_none() {
                return damage("a large block has an impossible size", at);
            }
            if self.position(passed.address) != Some(index) {
                return damage("a large block is where no search finds it", at);
            }
        }
        if count != self.count.get() || 2 * count > slots.len() {
            let at = self.slots.get().as_ptr().cast::<u8>().cast_const();
            return damage("the table of large blocks holds another number", at);
        }
        Ok(())
    }

    fn slots(&self) -> &[Cell<Slot>] {
        // SAFETY: invariant 1; of no slots the pointer may dangle. Slots are changed through their
        // cells only, and code that moves the table or takes its memory uses no slice from before.
        unsafe { core::slice::from_raw_parts(self.slots.get().as_ptr(), self.capacity.get()) }
    }

    /// The slot where the search for an address starts: the high bits of a product. There are
    /// slots.
    fn home(&self, address: NonNull<u8>) -> usize {
        let mixed = (address.addr().get() as u64).wrapping_mul(MULTIPLIER);
        let bits = self.capacity.get().trailing_zeros();
        // Rotated, not shifted: the caller masks, and a table without slots does no harm.
        mixed.rotate_left(bits) as usize & self.capacity.get().wrapping_sub(1)
    }

    fn position(&self, address: NonNull<u8>) -> Option<usize> {
        let slots = self.slots();
        let home = self.home(address);
        // A free slot ends the search; the number of slots ends it in a damaged table.
        for step in 0..slots.len() {
            let index = (home + step) & (slots.len() - 1);
            if slots[index].get()?.address == address {
                return Some(index);
            }
        }
        None
    }

    /// Frees a slot, moving back what would not be found any more.
    fn close(&self, index: usize) {
        let slots = self.slots();
        let mask = slots.len() - 1;
        let mut hole = index;
        for step in 1..slots.len() {
            let at = (index + step) & mask;
            let Some(passed) = slots[at].get() else { break };
            // Its search must not start after the hole.
            let from_home = at.wrapping_sub(self.home(passed.address)) & mask;
            if from_home >= at.wrapping_sub(hole) & mask {
                slots[hole].set(Some(passed));
                hole = at;
            }
        }
        slots[hole].set(None);
    }
}
