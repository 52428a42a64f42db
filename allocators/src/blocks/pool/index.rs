//! Finds the group of an address, for any number of chunks.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

use super::chunk::{Chunk, Shape};
use super::group::{EMPTY_TABLE, Group, NOWHERE};

/// The minimum number of slots of an allocated table.
const SLOTS_MIN: usize = 4;

/// A table from windows of addresses to groups, followed by the chunks sorted by address.
///
/// The table has at least two slots a group and is indexed by the low bits of the window's number.
/// If two windows share a slot, one of them is in it, and the other is found by binary search among
/// the chunks. Windows of one chunk are consecutive and share no slot.
///
/// ```text
/// table                      sorted
/// | slot 0 | .. | slot 2^k-1 | chunk 0 | .. | chunk 2^(k-1)-1 |
/// ```
///
/// # Invariants
///
/// 1. `table` points to `mask + 1` slots, a power of two; each holds [`NOWHERE`] or a group of one
///    of the chunks.
/// 2. `sorted` points to the `chunks` chunks in ascending order of their first block.
pub(super) struct Index {
    table: Cell<*const Cell<*const Group>>,
    mask: Cell<usize>,
    sorted: Cell<*mut NonNull<Chunk>>,
    chunks: Cell<usize>,
    /// How many groups all the chunks have.
    groups: Cell<usize>,
    /// The backing's block; none while empty or in a region.
    memory: Cell<Option<(NonNull<u8>, Layout)>>,
}

impl Index {
    pub(super) const fn new() -> Self {
        Self {
            table: Cell::new(EMPTY_TABLE),
            mask: Cell::new(0),
            sorted: Cell::new(ptr::null_mut()),
            chunks: Cell::new(0),
            groups: Cell::new(0),
            memory: Cell::new(None),
        }
    }

    /// Returns the table's entry for `window`: its group, another's, or the one without blocks.
    #[inline]
    pub(super) fn guess(&self, window: usize) -> &Group {
        // SAFETY: invariant 1: the masked number is below the count of slots.
        let slot = unsafe { self.table.get().add(window & self.mask.get()) };
        // SAFETY: as above; slots are only ever changed through their cells.
        let group = unsafe { (*slot).get() };
        // SAFETY: invariant 1: it is the constant or a group of an existing chunk.
        unsafe { &*group }
    }

    /// Puts `group` where [`guess`](Self::guess) looks for `window`.
    pub(super) fn aim(&self, window: usize, group: &Group) {
        // SAFETY: invariant 1. There is a group, so there is a chunk and the table is our own.
        let slot = unsafe { self.table.get().add(window & self.mask.get()) };
        // SAFETY: as above.
        unsafe { (*slot).set(group) };
    }

    /// Returns the chunks sorted by address.
    pub(super) fn sorted(&self) -> &[NonNull<Chunk>] {
        if self.chunks.get() == 0 {
            return &[];
        }
        // SAFETY: invariant 2. The slice is dropped before the index changes again: callers use it
        // for one search or one walk.
        unsafe { core::slice::from_raw_parts(self.sorted.get(), self.chunks.get()) }
    }

    /// Returns the chunk whose blocks include `address`.
    ///
    /// # Complexity
    ///
    /// O(log chunks).
    pub(super) fn chunk_of(&self, address: usize, shape: Shape) -> Option<&Chunk> {
        let sorted = self.sorted();
        // SAFETY: invariant 2: the chunks exist.
        let above =
            sorted.partition_point(|chunk| unsafe { chunk.as_ref() }.first.addr() <= address);
        let chunk = sorted.get(above.checked_sub(1)?)?;
        // SAFETY: as above.
        let chunk = unsafe { chunk.as_ref() };
        chunk.contains(address, shape).then_some(chunk)
    }

    /// Returns a number of groups, and the layout of an index for them, if the current one is too
    /// small for `groups_more` more.
    pub(super) fn grown_layout(&self, groups_more: usize) -> Option<(usize, Layout)> {
        let groups = self.groups.get() + groups_more;
        if self.sorted.get().is_null() || 2 * groups > self.slots() {
            Some((groups, layout_for(groups)))
        } else {
            None
        }
    }

    /// Moves the index into `memory`, which is freed as `owner` describes, and returns the old
    /// memory.
    ///
    /// # Safety
    ///
    /// `memory` is valid for [`layout_for`]`(groups)` bytes, aligned for it and used by no other
    /// code, where `groups` is at least the number of groups of the chunks now in the index.
    pub(super) unsafe fn move_to(
        &self,
        memory: NonNull<u8>,
        groups: usize,
        owner: Option<Layout>,
    ) -> Option<(NonNull<u8>, Layout)> {
        let slots = slots_for(groups);
        let table = memory.cast::<Cell<*const Group>>().as_ptr();
        // SAFETY: the directory follows the slots, within what `layout_for` counted.
        let sorted = unsafe { table.add(slots) }.cast::<NonNull<Chunk>>();
        let chunks = self.sorted();
        // SAFETY: there is room for half as many chunks as slots, and a chunk has at least one
        // group; the memory is new, so it does not overlap the old.
        unsafe { sorted.copy_from_nonoverlapping(chunks.as_ptr(), chunks.len()) };
        self.sorted.set(sorted);
        self.table.set(table);
        self.mask.set(slots - 1);
        for slot in 0..slots {
            // SAFETY: the slot is within the table.
            let slot = unsafe { table.add(slot) };
            // SAFETY: as above.
            unsafe { slot.write(Cell::new(NOWHERE)) };
        }
        self.fill();
        self.memory.replace(owner.map(|layout| (memory, layout)))
    }

    /// Inserts a chunk into the index.
    ///
    /// # Safety
    ///
    /// The index has room for its groups, and the chunk exists until it is removed.
    pub(super) unsafe fn insert(&self, chunk: NonNull<Chunk>) {
        // SAFETY: the chunk exists by the caller's promise.
        let new = unsafe { chunk.as_ref() };
        let sorted = self.sorted();
        let at = sorted
            // SAFETY: invariant 2: the chunks exist.
            .partition_point(|other| unsafe { other.as_ref() }.first.addr() < new.first.addr());
        let behind = sorted.len() - at;
        // SAFETY: `at` is at most the number of chunks, and there is room for one more.
        let place = unsafe { self.sorted.get().add(at) };
        // SAFETY: as above.
        let next = unsafe { place.add(1) };
        // SAFETY: the later chunks move up by one, into the room for one more.
        unsafe { next.copy_from(place, behind) };
        // SAFETY: the place is within the directory.
        unsafe { place.write(chunk) };
        self.chunks.set(self.chunks.get() + 1);
        self.groups.set(self.groups.get() + new.group_count);
        self.fill_chunk(new);
    }

    /// Removes the chunks that `leaves` selects.
    pub(super) fn remove(&self, leaves: impl Fn(&Chunk) -> bool) {
        let mut kept = 0;
        let mut groups = 0;
        for at in 0..self.chunks.get() {
            // SAFETY: `at` is below the number of chunks.
            let place = unsafe { self.sorted.get().add(at) };
            // SAFETY: as above.
            let entry = unsafe { place.read() };
            // SAFETY: invariant 2: the chunks exist.
            let chunk = unsafe { entry.as_ref() };
            if leaves(chunk) {
                continue;
            }
            // SAFETY: `kept` is at most `at`.
            let place = unsafe { self.sorted.get().add(kept) };
            // SAFETY: as above.
            unsafe { place.write(entry) };
            kept += 1;
            groups += chunk.group_count;
        }
        self.chunks.set(kept);
        self.groups.set(groups);
        for slot in self.table() {
            slot.set(NOWHERE);
        }
        self.fill();
    }

    /// Empties the index and returns its memory. It must have no chunks.
    pub(super) fn take_memory(&self) -> Option<(NonNull<u8>, Layout)> {
        let memory = self.memory.take();
        if memory.is_some() {
            self.table.set(EMPTY_TABLE);
            self.mask.set(0);
            self.sorted.set(ptr::null_mut());
        }
        memory
    }

    /// Returns how many groups the chunks have.
    pub(super) fn groups(&self) -> usize {
        self.groups.get()
    }

    /// Returns the slots; a constant one for a pool without chunks.
    pub(super) fn table(&self) -> &[Cell<*const Group>] {
        if self.sorted.get().is_null() {
            return &[];
        }
        // SAFETY: invariant 1.
        unsafe { core::slice::from_raw_parts(self.table.get(), self.slots()) }
    }

    fn slots(&self) -> usize {
        self.mask.get() + 1
    }

    fn fill(&self) {
        for chunk in self.sorted() {
            // SAFETY: invariant 2: the chunks exist.
            self.fill_chunk(unsafe { chunk.as_ref() });
        }
    }

    fn fill_chunk(&self, chunk: &Chunk) {
        for (g, group) in chunk.groups().iter().enumerate() {
            self.aim(chunk.first_window + g, group);
        }
    }
}

/// Returns how many slots the table has for `groups` groups.
pub(super) fn slots_for(groups: usize) -> usize {
    (2 * groups).next_power_of_two().max(SLOTS_MIN)
}

/// Returns the layout of an index for `groups` groups.
pub(super) fn layout_for(groups: usize) -> Layout {
    let words = slots_for(groups) / 2 * 3;
    Layout::array::<*const Group>(words)
        .expect("as many groups of four words each are in memory, so these words are fewer")
}

const _: () = assert!(
    size_of::<NonNull<Chunk>>() == size_of::<Cell<*const Group>>(),
    "slots and directory are words"
);
