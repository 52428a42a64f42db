//! The regions of a heap and its huge blocks, by number and by address.
//!
//! ```text
//!  number   0       1       2      ...  15 | 16 ...      more, from the backing
//!  entry  | start, bytes, region or null, align |  ...
//!  order  | numbers by ascending start, only where there are more than 16 |
//! ```
//!
//! The tables of a region are in its own memory, [`Region`] first, so an entry has what a search by
//! address needs and the way there. A huge block is an entry alone. Ids of pages have the number of
//! their region, so numbers do not change.

use core::alloc::Layout;
use core::ops::{Index, IndexMut};
use core::ptr::NonNull;

use super::page_id::PAGE_BITS;
use super::region::Region;

#[cfg(test)]
mod tests;

/// Numbers that need no memory outside the heap.
pub(super) const INLINE: usize = 16;
/// Most numbers: the id of a page has 12 bits for them.
pub(super) const NUMBERS_MAX: usize = 1 << (32 - PAGE_BITS);

/// A region or a huge block.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Page 0 of a region, or the huge block. Null if the number is free.
    start: *mut u8,
    bytes: usize,
    /// Null for a huge block.
    region: *mut Region,
    /// Of a huge block.
    align: usize,
}

impl Entry {
    const FREE: Self =
        Self { start: core::ptr::null_mut(), bytes: 0, region: core::ptr::null_mut(), align: 1 };

    fn is_huge(&self) -> bool {
        !self.start.is_null() && self.region.is_null()
    }
}

/// The regions and huge blocks of a heap.
///
/// # Invariants
///
/// 1. An entry with a region has a pointer to one that was made by [`Region::new`], whose memory
///    belongs to the heap, and to which no other pointer is used while a reference from here lives.
/// 2. `more` is null and `capacity` is `INLINE`, or `more` leads to `capacity - INLINE` entries and
///    then `capacity` numbers, all written, in memory that belongs to the table alone.
/// 3. Numbers from `len` on are free. `count` are not.
/// 4. With `more`, the first `count` of the numbers in its order are those that are not free, by
///    ascending start.
#[derive(Debug)]
pub(super) struct RegionTable {
    inline: [Entry; INLINE],
    more: *mut Entry,
    more_bytes: usize,
    capacity: usize,
    len: usize,
    count: usize,
}

impl RegionTable {
    pub(super) const fn new() -> Self {
        Self {
            inline: [Entry::FREE; INLINE],
            more: core::ptr::null_mut(),
            more_bytes: 0,
            capacity: INLINE,
            len: 0,
            count: 0,
        }
    }

    /// Every number in use is below this.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Regions and huge blocks.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether one more needs no wider table.
    pub(super) fn has_free_number(&self) -> bool {
        self.count < self.capacity
    }

    /// The layout of the memory of the next wider table, if there is one.
    pub(super) fn wider(&self) -> Option<Layout> {
        let capacity = self.capacity * 2;
        (capacity <= NUMBERS_MAX).then(|| layout_of(capacity))
    }

    /// Moves the entries that are not inline into memory for twice as many numbers; returns the
    /// memory that they were in.
    ///
    /// # Safety
    ///
    /// `memory` was asked with [`wider`](Self::wider), is valid for reads and writes, and belongs
    /// to the table alone until it is returned.
    pub(super) unsafe fn widen(&mut self, memory: NonNull<[u8]>) -> Option<(NonNull<u8>, Layout)> {
        let old = self.memory();
        let capacity = self.capacity * 2;
        let more = memory.cast::<Entry>().as_ptr();
        for number in INLINE..capacity {
            let entry = self.entry(number).copied().unwrap_or(Entry::FREE);
            // SAFETY: the caller's promise: the memory has room for this many.
            unsafe { more.wrapping_add(number - INLINE).write(entry) };
        }
        (self.more, self.capacity) = (more, capacity);
        self.more_bytes = memory.len();
        let mut placed = 0;
        for number in 0..capacity {
            // SAFETY: as above; the numbers come after the entries.
            unsafe { self.order().wrapping_add(number).write(0) };
        }
        for number in 0..self.len {
            if let Some(start) = self.start_of(number) {
                self.insert_in_order(placed, number, start);
                placed += 1;
            }
        }
        old
    }

    /// The memory that the table was given, with its layout.
    fn memory(&self) -> Option<(NonNull<u8>, Layout)> {
        NonNull::new(self.more).map(|more| (more.cast(), layout_of(self.capacity)))
    }

    /// Gives up the memory that the table was given, if no number in use needs it.
    pub(super) fn take_memory(&mut self) -> Option<(NonNull<u8>, Layout)> {
        if self.len > INLINE {
            return None;
        }
        let memory = self.memory();
        (self.more, self.more_bytes, self.capacity) = (core::ptr::null_mut(), 0, INLINE);
        memory
    }

    /// The bytes of the memory that the table was given.
    pub(super) fn memory_bytes(&self) -> usize {
        self.more_bytes
    }

    /// Enters a region; `None` if the table is full.
    ///
    /// # Safety
    ///
    /// `region` was made by [`Region::new`] and is used only from here until it is removed.
    pub(super) unsafe fn add(&mut self, region: NonNull<Region>) -> Option<usize> {
        // SAFETY: the caller's promise.
        let of = unsafe { region.as_ref() };
        let (start, bytes) = (of.base, of.bytes);
        self.enter(Entry { start, bytes, region: region.as_ptr(), align: 1 })
    }

    /// Enters a huge block; `None` if the table is full.
    pub(super) fn add_huge(&mut self, block: NonNull<u8>, layout: Layout) -> Option<usize> {
        let (bytes, align) = (layout.size(), layout.align());
        self.enter(Entry { start: block.as_ptr(), bytes, region: core::ptr::null_mut(), align })
    }

    /// Takes a region or huge block out; returns its memory as it was allocated.
    pub(super) fn remove(&mut self, number: usize) -> Option<(NonNull<u8>, Layout)> {
        let memory = match self.get(number) {
            Some(region) => (region.memory, region.layout),
            None => self.huge(number)?,
        };
        let start = self.start_of(number)?;
        self.remove_from_order(start);
        *self.entry_mut(number)? = Entry::FREE;
        self.count -= 1;
        while self.len > 0 && self.start_of(self.len - 1).is_none() {
            self.len -= 1;
        }
        Some(memory)
    }

    /// The huge block of a number.
    pub(super) fn huge(&self, number: usize) -> Option<(NonNull<u8>, Layout)> {
        let entry = self.entry(number).filter(|entry| entry.is_huge())?;
        let layout = Layout::from_size_align(entry.bytes, entry.align).ok()?;
        Some((NonNull::new(entry.start)?, layout))
    }

    /// The region of a number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&Region> {
        // SAFETY: invariant 1; null is none.
        unsafe { self.entry(number)?.region.as_ref() }
    }

    /// The region of a number.
    #[inline]
    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut Region> {
        // SAFETY: invariant 1; null is none. The borrow of the table is exclusive.
        unsafe { self.entry(number)?.region.as_mut() }
    }

    /// The address of the region of a number.
    pub(super) fn pointer(&self, number: usize) -> Option<NonNull<Region>> {
        NonNull::new(self.entry(number)?.region)
    }

    /// The regions with their numbers, without huge blocks.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Region)> {
        (0..self.len).filter_map(|number| self.get(number).map(|region| (number, region)))
    }

    /// The number of the region or huge block that has an address, and how far from its start.
    pub(super) fn find(&self, address: *const u8) -> Option<(usize, usize)> {
        let within = |number: usize| {
            let entry = self.entry(number).filter(|entry| !entry.start.is_null())?;
            let offset = address.addr().wrapping_sub(entry.start.addr());
            (offset < entry.bytes).then_some((number, offset))
        };
        if self.more.is_null() {
            return (0..self.len).find_map(within);
        }
        let after = self.places_up_to(self.count, address.addr());
        within(self.in_order(after.checked_sub(1)?))
    }

    /// Whether the order is that of the starts. O(numbers).
    pub(super) fn is_sound(&self) -> bool {
        let counted = (0..self.capacity).filter(|&n| self.start_of(n).is_some()).count();
        let mut places = 1..self.count;
        counted == self.count
            && (self.more.is_null()
                || places.all(|at| self.start_in_order(at - 1) < self.start_in_order(at)))
    }

    fn enter(&mut self, entry: Entry) -> Option<usize> {
        let number = (0..self.capacity).find(|&number| self.start_of(number).is_none())?;
        *self.entry_mut(number)? = entry;
        self.insert_in_order(self.count, number, entry.start.addr());
        self.count += 1;
        self.len = self.len.max(number + 1);
        Some(number)
    }

    /// Where the region or huge block of a number begins; `None` if the number is free.
    fn start_of(&self, number: usize) -> Option<usize> {
        self.entry(number).map(|entry| entry.start.addr()).filter(|&start| start != 0)
    }

    fn entry(&self, number: usize) -> Option<&Entry> {
        if number < INLINE {
            return Some(&self.inline[number]);
        }
        // SAFETY: invariant 2.
        (number < self.capacity).then(|| unsafe { &*self.more.wrapping_add(number - INLINE) })
    }

    fn entry_mut(&mut self, number: usize) -> Option<&mut Entry> {
        if number < INLINE {
            return Some(&mut self.inline[number]);
        }
        // SAFETY: invariant 2; the borrow of the table is exclusive.
        (number < self.capacity).then(|| unsafe { &mut *self.more.wrapping_add(number - INLINE) })
    }

    /// Where the order is, after the entries.
    fn order(&self) -> *mut u16 {
        self.more.wrapping_add(self.capacity - INLINE).cast()
    }

    fn in_order(&self, place: usize) -> usize {
        // SAFETY: invariant 2: there are `capacity` numbers, and callers stay below `count`.
        usize::from(unsafe { self.order().wrapping_add(place).read() })
    }

    fn start_in_order(&self, place: usize) -> usize {
        self.entry(self.in_order(place)).map_or(0, |entry| entry.start.addr())
    }

    /// How many of the first `count` places have a start up to an address.
    fn places_up_to(&self, count: usize, address: usize) -> usize {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low.midpoint(high);
            if self.start_in_order(middle) <= address {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Enters a number among the first `count` places of the order, if there is one.
    fn insert_in_order(&mut self, count: usize, number: usize, start: usize) {
        if self.more.is_null() {
            return;
        }
        let at = self.places_up_to(count, start);
        let place = self.order().wrapping_add(at);
        // SAFETY: invariant 2: `count` is below `capacity`, so there is a place for one more.
        unsafe { place.copy_to(place.wrapping_add(1), count - at) };
        // SAFETY: as above.
        unsafe { place.write(number as u16) };
    }

    /// Takes the number of a start out of the order, if there is one.
    fn remove_from_order(&mut self, start: usize) {
        if self.more.is_null() {
            return;
        }
        let after = self.places_up_to(self.count, start);
        let place = self.order().wrapping_add(after - 1);
        // SAFETY: invariants 2 and 4: the start is that of place `after - 1`, below `count`.
        unsafe { place.wrapping_add(1).copy_to(place, self.count - after) };
    }
}

impl Index<usize> for RegionTable {
    type Output = Region;

    #[inline]
    fn index(&self, number: usize) -> &Region {
        self.get(number).expect("a region has this number")
    }
}

impl IndexMut<usize> for RegionTable {
    #[inline]
    fn index_mut(&mut self, number: usize) -> &mut Region {
        self.get_mut(number).expect("a region has this number")
    }
}

/// The memory of a table for `capacity` numbers.
fn layout_of(capacity: usize) -> Layout {
    let bytes = (capacity - INLINE) * size_of::<Entry>() + capacity * size_of::<u16>();
    // At most a few hundred KiB: a layout of any such size is valid.
    Layout::from_size_align(bytes, align_of::<Entry>()).unwrap_or(Layout::new::<Entry>())
}
