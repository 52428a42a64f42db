//! The side table of the page allocator: address to range, in separate memory.
//!
//! A directory of leaves, each leaf one page of entries, all sorted by falling address. Linux
//! places mappings from the top of the address space downwards, so a new range usually goes to the
//! end of the last leaf and nothing has to move. Searching is two binary searches; inserting and
//! removing move at most one page of entries, which is cheap compared with the system calls around
//! it.
//!
//! ```text
//!  directory (one mapping, doubled when full)      leaf (one page)
//!  +--------+--------+--------+                    +---------+---------+----+---------+
//!  | leaf 0 | leaf 1 | leaf 2 | ->                 | highest | next    | .. | lowest  |
//!  +--------+--------+--------+                    +---------+---------+----+---------+
//!   pointer, top address, len: 24 bytes             16 bytes each, 256 in 4 KiB
//! ```
//!
//! Memory: 16 bytes a range in full leaves, at most 64 if neighbours were freed at random (leaves
//! that together are half full are joined), and 24 bytes a leaf; at least one page of leaf and one
//! of directory, from the first block until the table is dropped.

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::entry::Entry;
use super::system::{self, Access};
use crate::contract::allocator::{AllocError, Damage};

#[cfg(test)]
mod tests;

/// One leaf, as the directory records it.
#[derive(Clone, Copy)]
struct Leaf {
    entries: NonNull<Entry>,
    /// The address of the first entry, the highest of the leaf.
    top: usize,
    len: usize,
}

/// An unused leaf page, linked to the next one.
struct Spare {
    next: Option<NonNull<Spare>>,
}

/// The place of an entry. Valid until the next change of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    leaf: usize,
    index: usize,
}

/// Ranges by address.
///
/// # Invariants
///
/// 1. The first `leaves` slots of `directory` hold leaves, each a page of this table with
///    `1..=capacity()` entries at its front; `directory` is a mapping with room for `room` of them.
/// 2. Over all leaves the entries' addresses descend, and no range reaches into the one above it.
/// 3. Each leaf's `top` is the address of its first entry.
/// 4. `spares` counts the list at `spare`, and `spares >= pledged`, `room >= leaves + pledged`: an
///    insertion with a reserved slot takes at most one leaf and cannot fail.
pub(super) struct Table {
    directory: NonNull<Leaf>,
    room: usize,
    leaves: usize,
    spare: Option<NonNull<Spare>>,
    spares: usize,
    pledged: usize,
}

// SAFETY: the pages that the pointers reach belong to this table alone, and no thread is special to
// the kernel's mappings.
unsafe impl Send for Table {}

impl Table {
    pub(super) const fn new() -> Self {
        Self {
            directory: NonNull::dangling(),
            room: 0,
            leaves: 0,
            spare: None,
            spares: 0,
            pledged: 0,
        }
    }

    /// Reserves the memory of one more insertion, which then cannot fail. [`insert`](Self::insert)
    /// or [`cancel`](Self::cancel) must follow.
    ///
    /// # Errors
    ///
    /// The kernel has no page for the table. Nothing has changed.
    pub(super) fn reserve_slot(&mut self) -> Result<(), AllocError> {
        let pledged = self.pledged + 1;
        if self.room < self.leaves + pledged {
            self.grow_directory()?;
        }
        if self.spares < pledged {
            let page = system::map(system::page_size(), Access::ReadWrite, false)?;
            self.keep_spare(page.cast());
        }
        self.pledged = pledged;
        Ok(())
    }

    /// Cancels a reserved slot.
    pub(super) fn cancel(&mut self) {
        self.pledged -= 1;
    }

    /// Inserts a range separate from all others, using one reserved slot.
    pub(super) fn insert(&mut self, entry: Entry) {
        self.pledged -= 1;
        let after = self.leaf_after(entry.start());
        if self.leaves == 0 {
            self.add_leaf(0, entry);
            return;
        }
        // At or above the highest top the entry goes to the front of the first leaf.
        let leaf = after.saturating_sub(1);
        let index = self.entries(leaf).partition_point(|other| other.start() > entry.start());
        let len = self.leaf(leaf).len;
        if len < capacity() {
            self.put(Place { leaf, index }, entry);
        } else if index == len {
            // Entries that arrive in falling order fill each leaf to its end.
            self.add_leaf(leaf + 1, entry);
        } else {
            self.split(leaf);
            let half = self.leaf(leaf).len;
            let place = if index <= half {
                Place { leaf, index }
            } else {
                Place { leaf: leaf + 1, index: index - half }
            };
            self.put(place, entry);
        }
    }

    /// Returns the range with the highest start at or below `address`.
    pub(super) fn at_or_below(&self, address: usize) -> Option<(Place, Entry)> {
        let after = self.leaf_after(address);
        if let Some(leaf) = after.checked_sub(1) {
            let entries = self.entries(leaf);
            let index = entries.partition_point(|entry| entry.start() > address);
            if let Some(&entry) = entries.get(index) {
                return Some((Place { leaf, index }, entry));
            }
        }
        if after == self.leaves {
            return None;
        }
        let place = Place { leaf: after, index: 0 };
        Some((place, self.entries(after)[0]))
    }

    /// Returns the range that starts at `address`.
    pub(super) fn at(&self, address: usize) -> Option<(Place, Entry)> {
        self.at_or_below(address).filter(|(_, entry)| entry.start() == address)
    }

    /// Returns the range with the lowest start above `address`.
    pub(super) fn above(&self, address: usize) -> Option<Entry> {
        // It is in the last leaf whose top is above: its lowest entry that is still above.
        let leaf = self.leaf_after(address).checked_sub(1)?;
        let entries = self.entries(leaf);
        let index = entries.partition_point(|entry| entry.start() > address);
        entries.get(index.checked_sub(1)?).copied()
    }

    /// Overwrites a range's entry; the address stays.
    pub(super) fn replace(&mut self, place: Place, entry: Entry) {
        self.slots(place.leaf)[place.index].write(entry);
    }

    /// Removes a range. Never fails and never requests memory from the kernel.
    pub(super) fn remove(&mut self, place: Place) {
        let Place { leaf, index } = place;
        let len = self.leaf(leaf).len;
        self.slots(leaf).copy_within(index + 1..len, index);
        if len == 1 {
            self.drop_leaf(leaf);
            return;
        }
        self.leaf_mut(leaf).len = len - 1;
        if index == 0 {
            self.leaf_mut(leaf).top = self.entries(leaf)[0].start();
        }
        self.join(leaf);
    }

    /// Returns the bytes that the table itself has mapped.
    pub(super) fn bytes(&self) -> usize {
        (self.leaves + self.spares) * system::page_size() + self.room * size_of::<Leaf>()
    }

    /// Visits every range, highest first.
    pub(super) fn each(&self, mut visit: impl FnMut(Entry)) {
        for leaf in 0..self.leaves {
            self.entries(leaf).iter().copied().for_each(&mut visit);
        }
    }

    /// Checks the invariants. O(ranges).
    pub(super) fn validate(&self) -> Result<(), Damage> {
        let damage = |what, address: *const u8| Err(Damage { what, address });
        let mut above = usize::MAX;
        for index in 0..self.leaves {
            let leaf = *self.leaf(index);
            let page = leaf.entries.as_ptr().cast::<u8>().cast_const();
            if leaf.len == 0 || leaf.len > capacity() {
                return damage("a leaf of the page table has an impossible length", page);
            }
            let entries = self.entries(index);
            if entries[0].start() != leaf.top {
                return damage("a leaf of the page table has a wrong top", page);
            }
            for entry in entries {
                let at = entry.address().as_ptr().cast_const();
                let grain = system::page_size().max(entry.align());
                if entry.bytes() == 0 || entry.start() & (grain - 1) != 0 {
                    return damage("a range of pages has an impossible size or address", at);
                }
                if entry.end() > above {
                    return damage("ranges of pages overlap or are out of order", at);
                }
                above = entry.start();
            }
        }
        let mut spares = 0;
        let mut spare = self.spare;
        while let Some(page) = spare {
            spares += 1;
            // SAFETY: the list holds pages of this table with a link written at their front.
            spare = unsafe { page.as_ref() }.next;
        }
        if spares != self.spares || spares < self.pledged || self.room < self.leaves + self.pledged
        {
            let at = self.directory.as_ptr().cast::<u8>().cast_const();
            return damage("the page table has fewer spare leaves than were pledged", at);
        }
        Ok(())
    }

    /// Returns the index of the first leaf whose top is at or below `address`.
    fn leaf_after(&self, address: usize) -> usize {
        self.leaf_slice().partition_point(|leaf| leaf.top > address)
    }

    fn leaf_slice(&self) -> &[Leaf] {
        // SAFETY: the directory has `leaves` leaves (invariant 1); with none the pointer is
        // dangling, which is allowed for an empty slice. `&self` keeps them unchanged.
        unsafe { core::slice::from_raw_parts(self.directory.as_ptr(), self.leaves) }
    }

    fn leaf(&self, index: usize) -> &Leaf {
        &self.leaf_slice()[index]
    }

    fn leaf_mut(&mut self, index: usize) -> &mut Leaf {
        // SAFETY: as in `leaf_slice`; `&mut self` makes the reference the only one.
        let leaves =
            unsafe { core::slice::from_raw_parts_mut(self.directory.as_ptr(), self.leaves) };
        &mut leaves[index]
    }

    /// Returns all slots of the directory, used or not.
    fn directory_slots(&mut self) -> &mut [MaybeUninit<Leaf>] {
        // SAFETY: the mapping has room for `room` leaves (invariant 1), `&mut self` makes the
        // reference the only one, and an unused place need not hold a leaf.
        unsafe { core::slice::from_raw_parts_mut(self.directory.as_ptr().cast(), self.room) }
    }

    fn entries(&self, leaf: usize) -> &[Entry] {
        let Leaf { entries, len, .. } = *self.leaf(leaf);
        // SAFETY: the leaf's page has `len` entries at its front (invariant 1).
        unsafe { core::slice::from_raw_parts(entries.as_ptr(), len) }
    }

    /// Returns all slots of a leaf, used or not.
    fn slots(&mut self, leaf: usize) -> &mut [MaybeUninit<Entry>] {
        let entries = self.leaf(leaf).entries;
        // SAFETY: a leaf is a page of this table with room for `capacity()` entries; `&mut self`
        // makes the reference the only one.
        unsafe { core::slice::from_raw_parts_mut(entries.as_ptr().cast(), capacity()) }
    }

    /// Writes an entry into a leaf that has room, moving the lower ones.
    fn put(&mut self, place: Place, entry: Entry) {
        let Place { leaf, index } = place;
        let len = self.leaf(leaf).len;
        let slots = self.slots(leaf);
        slots.copy_within(index..len, index + 1);
        slots[index].write(entry);
        let leaf = self.leaf_mut(leaf);
        leaf.len += 1;
        if index == 0 {
            leaf.top = entry.start();
        }
    }

    /// Inserts a new leaf with one entry before the leaf that is now at `index`.
    fn add_leaf(&mut self, index: usize, entry: Entry) {
        let page = self.take_spare();
        self.enter_leaf(index, Leaf { entries: page, top: entry.start(), len: 1 });
        self.slots(index)[0].write(entry);
    }

    fn enter_leaf(&mut self, index: usize, leaf: Leaf) {
        let leaves = self.leaves;
        let slots = self.directory_slots();
        slots.copy_within(index..leaves, index + 1);
        slots[index].write(leaf);
        self.leaves += 1;
    }

    /// Moves the lower half of a full leaf into a new one after it.
    fn split(&mut self, index: usize) {
        let page = self.take_spare();
        let len = self.leaf(index).len;
        let kept = len / 2;
        let lower = &self.entries(index)[kept..];
        let top = lower[0].start();
        // SAFETY: the fresh page has room for `capacity()` entries and is apart from the old one.
        unsafe { page.copy_from_nonoverlapping(NonNull::from(lower).cast(), len - kept) };
        self.leaf_mut(index).len = kept;
        self.enter_leaf(index + 1, Leaf { entries: page, top, len: len - kept });
    }

    /// Joins a leaf with a neighbour if both together are at most half full.
    fn join(&mut self, index: usize) {
        let small = |leaf: usize| {
            leaf + 1 < self.leaves
                && self.leaf(leaf).len + self.leaf(leaf + 1).len <= capacity() / 2
        };
        let upper = if small(index) {
            index
        } else if index > 0 && small(index - 1) {
            index - 1
        } else {
            return;
        };
        let (len, more) = (self.leaf(upper).len, self.leaf(upper + 1).len);
        let source = self.leaf(upper + 1).entries;
        let free = &mut self.slots(upper)[len..len + more];
        let target = NonNull::from(free).cast::<Entry>();
        // SAFETY: the upper leaf's page has `more` free slots after its `len` entries, and the two
        // pages do not overlap.
        unsafe { target.copy_from_nonoverlapping(source, more) };
        self.leaf_mut(upper).len = len + more;
        self.drop_leaf(upper + 1);
    }

    /// Removes a leaf from the directory; its page becomes a spare or is unmapped.
    fn drop_leaf(&mut self, index: usize) {
        let page = self.leaf(index).entries;
        let leaves = self.leaves;
        self.directory_slots().copy_within(index + 1..leaves, index);
        self.leaves -= 1;
        // One spare more than is reserved, so that a block that is repeatedly allocated and freed
        // at a leaf's edge causes no system call for the table.
        if self.spares > self.pledged {
            // SAFETY: the page is out of the directory, so it is not used any more.
            if unsafe { system::unmap(page.cast(), system::page_size()) }.is_ok() {
                return;
            }
        }
        self.keep_spare(page.cast());
    }

    fn keep_spare(&mut self, page: NonNull<Spare>) {
        let spare = Spare { next: self.spare };
        // SAFETY: the page is this table's, unused, and has room and alignment for the link.
        unsafe { page.write(spare) };
        self.spare = Some(page);
        self.spares += 1;
    }

    /// Returns the page of a new leaf. Only with a reserved slot, so there is one (invariant 4).
    fn take_spare(&mut self) -> NonNull<Entry> {
        let page = self.spare.expect("a pledged insertion has its leaf");
        // SAFETY: the list holds pages of this table with a link written at their front.
        self.spare = unsafe { page.as_ref() }.next;
        self.spares -= 1;
        page.cast()
    }

    /// Doubles the directory.
    #[cold]
    fn grow_directory(&mut self) -> Result<(), AllocError> {
        let old = self.room * size_of::<Leaf>();
        let page = system::page_size();
        let (base, new) = if self.room == 0 {
            (system::map(page, Access::ReadWrite, false)?, page)
        } else {
            let old = system::whole_pages(old).ok_or(AllocError)?;
            // SAFETY: the mapping is the directory's own, and only `self.directory` points to it,
            // which is set again below.
            let base = unsafe { system::grow_moving(self.directory.cast(), old, old * 2) }?;
            (base, old * 2)
        };
        self.directory = base.cast();
        self.room = new / size_of::<Leaf>();
        Ok(())
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let page = system::page_size();
        for index in 0..self.leaves {
            let entries = self.leaf(index).entries;
            // SAFETY: the leaf's page is this table's and is not used again. What the kernel will
            // not take back ends with the process.
            let _ = unsafe { system::unmap(entries.cast(), page) };
        }
        while let Some(spare) = self.spare {
            // SAFETY: the list holds pages of this table with a link written at their front.
            self.spare = unsafe { spare.as_ref() }.next;
            // SAFETY: as for the leaves above.
            let _ = unsafe { system::unmap(spare.cast(), page) };
        }
        let bytes = self.room * size_of::<Leaf>();
        if let Some(bytes) = system::whole_pages(bytes).filter(|&bytes| bytes > 0) {
            // SAFETY: the mapping is the directory's own and is not used again.
            let _ = unsafe { system::unmap(self.directory.cast(), bytes) };
        }
    }
}

/// Returns how many entries a leaf holds.
fn capacity() -> usize {
    system::page_size() / size_of::<Entry>()
}
