//! The sites, each with a number that fits into a slot.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

use super::Site;
use crate::bookkeeping::address_table::AddressTable;
use crate::contract::allocator::{AllocError, Allocator};

/// The capacity of the first list.
const LISTED_MIN: usize = 16;

/// Sites by their numbers, from 1 on, and numbers by their sites.
///
/// Like the tables, it does not store the allocator for books.
///
/// # Invariants
///
/// 1. `list` is null and `capacity` zero, or `list` points to memory for `capacity` sites,
///    allocated from `books` with `layout(capacity)`.
/// 2. The first `numbers.len()` of them are written, and `numbers` has the number of each: one more
///    than its index.
pub(super) struct Names {
    list: Cell<*mut Site>,
    capacity: Cell<usize>,
    numbers: AddressTable<u16>,
}

impl Names {
    pub(super) const fn new() -> Self {
        Self {
            list: Cell::new(ptr::null_mut()),
            capacity: Cell::new(0),
            numbers: AddressTable::new(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.capacity.get() * size_of::<Site>() + self.numbers.bytes()
    }

    /// Returns the number of a recorded site.
    pub(super) fn number(&self, site: Site) -> Option<u16> {
        self.numbers.get(NonNull::from(site).cast())
    }

    /// Assigns a number to a new site, unless all numbers are used.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` refuses; no site's number has changed.
    #[cold]
    #[inline(never)]
    pub(super) fn enter<K: Allocator + ?Sized>(
        &self,
        site: Site,
        books: &K,
    ) -> Result<Option<u16>, AllocError> {
        let count = self.count();
        let Ok(number) = u16::try_from(count + 1) else {
            return Ok(None);
        };
        self.numbers.reserve(books)?;
        if count == self.capacity.get() {
            self.grow(books)?;
        }
        // SAFETY: `count` is below the capacity (invariant 1).
        let place = unsafe { self.list.get().add(count) };
        // SAFETY: as above; this object alone writes there.
        unsafe { place.write(site) };
        self.numbers.insert(NonNull::from(site).cast(), number);
        Ok(Some(number))
    }

    /// Returns the site with an assigned number.
    ///
    /// # Panics
    ///
    /// If it was not assigned.
    pub(super) fn site(&self, number: u16) -> Site {
        let place = usize::from(number) - 1;
        assert!(place < self.count(), "site {number} is one of those numbered");
        // SAFETY: the first `count` places are in the list (invariants 1 and 2).
        let place = unsafe { self.list.get().add(place) };
        // SAFETY: and they are written.
        unsafe { place.read() }
    }

    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.numbers.validate()?;
        for number in 1..=self.count() as u16 {
            if self.number(self.site(number)) != Some(number) {
                return Err("a site has another number than its place");
            }
        }
        Ok(())
    }

    /// Frees the memory and removes all sites.
    pub(super) fn release<K: Allocator + ?Sized>(&self, books: &K) {
        self.numbers.release(books);
        self.give(self.list.replace(ptr::null_mut()), self.capacity.replace(0), books);
    }

    fn grow<K: Allocator + ?Sized>(&self, books: &K) -> Result<(), AllocError> {
        let capacity = (2 * self.capacity.get()).max(LISTED_MIN);
        let list = books.allocate(layout(capacity))?.cast::<Site>().as_ptr();
        let old = self.list.replace(list);
        if !old.is_null() {
            // SAFETY: both lists are valid for the sites counted, and distinct.
            unsafe { list.copy_from_nonoverlapping(old, self.count()) };
        }
        self.give(old, self.capacity.replace(capacity), books);
        Ok(())
    }

    fn give<K: Allocator + ?Sized>(&self, list: *mut Site, capacity: usize, books: &K) {
        if let Some(list) = NonNull::new(list) {
            // SAFETY: invariant 1, and the list is no longer used.
            unsafe { books.deallocate_sized(list.cast(), layout(capacity)) };
        }
    }
}

/// Returns the layout of a list; there are never more than 2^16 sites.
fn layout(capacity: usize) -> Layout {
    Layout::array::<Site>(capacity).expect("a list of 2^16 references is not too large")
}
