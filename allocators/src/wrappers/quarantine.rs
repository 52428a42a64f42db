//! Keeps freed blocks back for a while, and finds writes to them.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), on errors whose symptom appears long after
//! the cause and in correct code: when memory is written after its free, it already has a new
//! owner. Changes: here it has no owner for a while, so the write is detected as a write after
//! free, with the size of the block and the place of its free.

mod check;
mod held;
pub(crate) mod pattern;
#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

use self::held::{Change, Held, Ring};
use crate::bookkeeping::address_table::{AddressTable, Place};
use crate::bookkeeping::left::Left;
use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::wrappers::proxy::over_backing;

/// An allocator that delays the return of freed blocks to its backing and watches them.
///
/// A freed block is filled with 0xdf and waits. When more than a chosen number of blocks or of
/// bytes wait, the oldest blocks are returned to the backing. Each block is checked before it is
/// returned: a changed byte is reported as
/// [`Misuse::WriteAfterFree`](crate::Misuse::WriteAfterFree), with its offset, the number of
/// changed bytes, the block's size and the place of its free. [`check`](Self::check) checks all
/// waiting blocks now, [`flush`](Self::flush) returns all of them, and so does dropping the
/// allocator.
///
/// Each block is recorded by its address, so wrong frees are found at once, before anything is
/// written. Freeing or resizing a block that waits is a
/// [`Misuse::DoubleFree`](crate::Misuse::DoubleFree), reported with the place of the first free; so
/// is freeing one of the last 64 returned blocks. Interior and foreign addresses are found too, and
/// a layout that is not the block's.
///
/// A block larger than the limit in bytes is returned at once. A block that moves by `reallocate`
/// is copied and its old place waits; one that shrinks in place returns its tail at once.
///
/// # Complexity
///
/// A free fills the block and checks those that are returned: O(bytes). An allocation inserts the
/// block into a hash table, O(1) amortised; a refused one retries once for each waiting block.
///
/// # Memory
///
/// When the backing refuses a request, waiting blocks are returned, the oldest first, and the
/// request is retried after each; it is refused only when none waits any more. So a quarantine
/// holds no memory that the program needs, and a refused request has emptied it.
///
/// Waiting blocks are live in the backing, in its counters and its walk. Here they count only as
/// reserved.
///
/// Blocks have no extra bytes; in the worst case `bytes_max` bytes wait. The books are 40 bytes for
/// each block that can wait, allocated by the constructor, and 64 to 128 for each of the most
/// blocks that were live or waiting at once, in a table that doubles when a block is allocated. If
/// it cannot grow, the oldest block is returned to make room, or the request is refused if none
/// waits. A free allocates nothing. The books are not counted in this allocator's statistics. The
/// object itself is about 700 bytes.
///
/// Under AddressSanitizer and Valgrind the bytes of a waiting block are unaddressable, so the tool
/// reports the access itself, also a read.
///
/// # Threads
///
/// `Send` where backing and books are `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// Reads of freed memory show only by the values read; on Linux a `GuardPageAllocator` stops at the
/// instruction. Over a frame a free returns no memory, and waiting changes nothing. In a correct
/// program it costs cache memory and two passes over each block.
///
/// # Panics
///
/// When dropped with live blocks, with their number and bytes.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{AllocError, Allocator, HeapAllocator, QuarantineAllocator};
///
/// let mut memory = [MaybeUninit::uninit(); 32 << 10];
/// let mut more = [MaybeUninit::uninit(); 32 << 10];
/// let heap = HeapAllocator::from_region("heap", &mut memory);
/// let books = HeapAllocator::from_region("books", &mut more);
/// // At most 100 blocks of 8 KiB together wait.
/// let sound = QuarantineAllocator::new("sound", 100, 8 << 10, &heap, &books)?;
///
/// let sample = Layout::new::<[i16; 100]>();
/// let first = sound.allocate(sample)?.cast::<u8>();
/// // SAFETY: the block is live, has this layout, and is not used again.
/// unsafe { sound.deallocate_sized(first, sample) };
/// assert_eq!((sound.stats().live, sound.held_count()), (0, 1));
/// // The heap alone would reuse the same block; a stale pointer would damage its new contents.
/// let second = sound.allocate(sample)?.cast::<u8>();
/// assert_ne!(first, second);
/// // SAFETY: as above.
/// unsafe { sound.deallocate_sized(second, sample) };
/// # Ok::<(), AllocError>(())
/// ```
///
/// # Invariants
///
/// 1. `blocks` has each block that the backing has returned and not got back, with the layout it
///    was last requested with and its granted size; nothing else is in it.
/// 2. `held` has those of them that were freed, each with its slot in `blocks`, and at most
///    `bytes_max` bytes, which `held_bytes` counts.
/// 3. `live`, `requested` and `granted` count the others.
pub struct QuarantineAllocator<
    'a,
    B: Allocator + ?Sized = dyn Allocator + 'a,
    K: Allocator + ?Sized = dyn Allocator + 'a,
> {
    held: Ring,
    blocks: AddressTable<Known>,
    left: Left,
    held_bytes: Cell<usize>,
    bytes_max: usize,
    live: Cell<usize>,
    requested: Cell<usize>,
    granted: Cell<usize>,
    peak_requested: Cell<usize>,
    peak_granted: Cell<usize>,
    peak_reserved: Cell<usize>,
    allocations_total: Cell<u64>,
    requested_total: Cell<u64>,
    granted_total: Cell<u64>,
    backing: &'a B,
    books: &'a K,
    name: &'a str,
}

/// The record of a block.
#[derive(Clone, Copy)]
struct Known {
    /// The block; the table's key is its address alone.
    block: NonNull<u8>,
    layout: Layout,
    granted: usize,
    /// Its slot in the ring, or [`LIVE`].
    slot: usize,
}

/// The slot of a block that does not wait.
const LIVE: usize = usize::MAX;

impl Known {
    fn new(block: NonNull<[u8]>, layout: Layout) -> Self {
        Self { block: block.cast(), layout, granted: block.len(), slot: LIVE }
    }

    /// Returns the requested bytes: a size of zero counts as one byte.
    fn requested(self) -> usize {
        self.layout.size().max(1)
    }

    /// Returns `true` if a caller's `layout` can be the block's.
    fn fits(self, layout: Layout) -> bool {
        let sizes = self.layout.size()..=self.granted;
        layout.align() == self.layout.align() && sizes.contains(&layout.size())
    }
}

// SAFETY: the ring and the table are memory of the books that only this object reaches, and no
// other object uses the blocks in it; backing and books are `Sync`, so they may be called from the
// thread that has this object.
unsafe impl<B, K> Send for QuarantineAllocator<'_, B, K>
where
    B: Allocator + Sync + ?Sized,
    K: Allocator + Sync + ?Sized,
{
}

impl QuarantineAllocator<'_> {
    /// Returns the layout that a quarantine requests from its backing for a block of `layout`: the
    /// same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a> QuarantineAllocator<'a> {
    /// Creates a quarantine over `backing`, in which at most `count_max` blocks of `bytes_max`
    /// bytes in total wait. If either is zero, no block waits.
    ///
    /// `books` provides the memory for the list of those blocks; it can be the backing itself, if
    /// that serves blocks of several sizes.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` has no room for `count_max` entries of 40 bytes.
    #[track_caller]
    pub fn new(
        name: &'a str,
        count_max: usize,
        bytes_max: usize,
        backing: &'a (dyn Allocator + 'a),
        books: &'a (dyn Allocator + 'a),
    ) -> Result<Self, AllocError> {
        Self::new_in(name, count_max, bytes_max, backing, books)
    }
}

impl<'a, B: Allocator + ?Sized, K: Allocator + ?Sized> QuarantineAllocator<'a, B, K> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    #[track_caller]
    pub fn new_in(
        name: &'a str,
        count_max: usize,
        bytes_max: usize,
        backing: &'a B,
        books: &'a K,
    ) -> Result<Self, AllocError> {
        Ok(Self {
            held: Ring::new(count_max, books)?,
            blocks: AddressTable::new(),
            left: Left::new(),
            held_bytes: Cell::new(0),
            bytes_max,
            live: Cell::new(0),
            requested: Cell::new(0),
            granted: Cell::new(0),
            peak_requested: Cell::new(0),
            peak_granted: Cell::new(0),
            peak_reserved: Cell::new(0),
            allocations_total: Cell::new(0),
            requested_total: Cell::new(0),
            granted_total: Cell::new(0),
            backing,
            books,
            name,
        })
    }

    /// Returns the number of waiting blocks.
    #[must_use]
    pub fn held_count(&self) -> usize {
        self.held.len()
    }

    /// Returns the total size of the waiting blocks.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.held_bytes.get()
    }

    /// Returns all waiting blocks to the backing, each checked first. A change is reported as
    /// [`Misuse::WriteAfterFree`](crate::Misuse::WriteAfterFree).
    ///
    /// # Complexity
    ///
    /// O(bytes waiting), and one free in the backing for each block.
    #[track_caller]
    pub fn flush(&self) {
        while self.held.len() > 0 {
            self.let_oldest_go(Location::caller());
        }
    }

    /// Checks the contents of all waiting blocks. A change is reported as
    /// [`Misuse::WriteAfterFree`](crate::Misuse::WriteAfterFree), with all details, while
    /// [`verify`](Allocator::verify) returns the address alone.
    ///
    /// # Complexity
    ///
    /// O(bytes waiting).
    #[track_caller]
    pub fn check(&self) {
        let site = Location::caller();
        if let Some(change) = self.first_change() {
            self.report(&change, Some(site));
        }
    }

    /// Removes the oldest block, checks it and returns it to the backing.
    fn take_oldest(&self) -> Option<Change> {
        let held = self.held.pop()?;
        self.forget(held.block);
        self.held_bytes.set(self.held_bytes.get() - held.bytes);
        let change = held.change();
        // A backing from outside this crate may not unpoison memory, and hand the block out as it
        // is.
        mark::undefined(held.block, held.bytes);
        // SAFETY: the block is live in the backing, was last requested with this layout, and was
        // freed by its user.
        unsafe { self.backing.deallocate_sized(held.block, held.layout) };
        change
    }

    /// Returns the oldest block to the backing; a change in it is reported with the current caller.
    fn let_oldest_go(&self, site: &'static Location<'static>) {
        if let Some(change) = self.take_oldest() {
            self.report(&change, Some(site));
        }
    }

    /// Frees a slot in a table that cannot grow, by returning a waiting block.
    #[cold]
    #[inline(never)]
    fn make_place(&self, site: &'static Location<'static>) -> Result<(), AllocError> {
        while self.held.len() > 0 {
            self.let_oldest_go(site);
            if self.blocks.reserve(self.books).is_ok() {
                return Ok(());
            }
        }
        Err(AllocError)
    }

    /// Retries the backing while blocks are returned to it.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn take_anyway(&self, layout: Layout, zeroed: bool) -> Result<NonNull<[u8]>, AllocError> {
        while self.held.len() > 0 {
            self.let_oldest_go(Location::caller());
            let block = if zeroed {
                self.backing.allocate_zeroed(layout)
            } else {
                self.backing.allocate(layout)
            };
            if block.is_ok() {
                return block;
            }
        }
        Err(AllocError)
    }

    /// Records a block that the backing has just returned. A slot in the table is reserved.
    #[inline]
    fn record_allocation(&self, block: NonNull<[u8]>, layout: Layout) {
        let known = Known::new(block, layout);
        self.blocks.insert(known.block, known);
        self.live.set(self.live.get() + 1);
        self.allocations_total.set(self.allocations_total.get() + 1);
        self.requested_total.set(self.requested_total.get() + known.requested() as u64);
        self.granted_total.set(self.granted_total.get() + known.granted as u64);
        self.raise(known);
    }

    fn raise(&self, known: Known) {
        let requested = self.requested.get() + known.requested();
        let granted = self.granted.get() + known.granted;
        let reserved = granted + self.held_bytes.get();
        self.requested.set(requested);
        self.granted.set(granted);
        self.peak_requested.set(self.peak_requested.get().max(requested));
        self.peak_granted.set(self.peak_granted.get().max(granted));
        self.peak_reserved.set(self.peak_reserved.get().max(reserved));
    }

    fn lower(&self, known: Known) {
        self.requested.set(self.requested.get() - known.requested());
        self.granted.set(self.granted.get() - known.granted);
    }

    /// Returns the record of a live block that `layout` fits; anything else is misuse.
    #[inline(always)]
    #[track_caller]
    fn expect(&self, block: NonNull<u8>, layout: Option<Layout>) -> (Place, Known) {
        if let Some(place) = self.blocks.place_of(block) {
            let known = self.blocks.at(place);
            if known.slot == LIVE && layout.is_none_or(|layout| known.fits(layout)) {
                return (place, known);
            }
        }
        self.wrong(block, layout, Location::caller())
    }

    /// Makes room for a freed block of `bytes` bytes; returns whether it can wait.
    fn make_room(&self, bytes: usize, site: &'static Location<'static>) -> bool {
        if bytes > self.bytes_max || self.held.capacity() == 0 {
            return false;
        }
        let room = self.bytes_max - bytes;
        while self.held.len() == self.held.capacity() || self.held_bytes.get() > room {
            self.let_oldest_go(site);
        }
        true
    }

    /// Keeps a freed block back. There must be room.
    fn keep(&self, place: Place, known: Known, site: &'static Location<'static>) {
        // SAFETY: the block is live in the backing with this layout (invariant 1), and its user has
        // freed it.
        let held = unsafe { Held::fill(known.block, known.granted, known.layout, site) };
        let slot = self.held.push(held);
        self.blocks.set_at(place, Known { slot, ..known });
        self.held_bytes.set(self.held_bytes.get() + known.granted);
    }

    /// Removes a block from the table.
    fn forget(&self, block: NonNull<u8>) {
        self.blocks.remove(block);
        self.left.remember(block);
    }

    fn count_free(&self, known: Known) {
        self.live.set(self.live.get() - 1);
        self.lower(known);
    }

    /// Records the new layout of a block that was resized in place.
    fn resized(&self, before: Known, block: NonNull<[u8]>, new: Layout) {
        let now = Known::new(block, new);
        self.blocks.insert(now.block, now);
        let more = |now: usize, before: usize| now.saturating_sub(before) as u64;
        let requested = more(now.requested(), before.requested());
        self.requested_total.set(self.requested_total.get() + requested);
        let granted = more(now.granted, before.granted);
        self.granted_total.set(self.granted_total.get() + granted);
        self.lower(before);
        self.raise(now);
    }
}

// SAFETY: every block is the backing's, which keeps the contract; one that waits is not handed out.
// Waiting blocks do not affect live ones, so a refusal leaves every block as it was. Misuse
// handlers, which may unwind, run when no change is half done.
unsafe impl<B: Allocator + ?Sized, K: Allocator + ?Sized> Allocator
    for QuarantineAllocator<'_, B, K>
{
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if self.blocks.reserve(self.books).is_err() {
            self.make_place(Location::caller())?;
        }
        let block = match self.backing.allocate(layout) {
            Ok(block) => block,
            Err(AllocError) => self.take_anyway(layout, false)?,
        };
        self.record_allocation(block, layout);
        Ok(block)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if self.blocks.reserve(self.books).is_err() {
            self.make_place(Location::caller())?;
        }
        let block = match self.backing.allocate_zeroed(layout) {
            Ok(block) => block,
            Err(AllocError) => self.take_anyway(layout, true)?,
        };
        self.record_allocation(block, layout);
        Ok(block)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let site = Location::caller();
        let (place, known) = self.expect(block, None);
        if self.make_room(known.granted, site) {
            self.keep(place, known, site);
        } else {
            self.forget(block);
            // SAFETY: the caller's promise, passed on.
            unsafe { self.backing.deallocate(block) };
        }
        self.count_free(known);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let site = Location::caller();
        let (place, known) = self.expect(block, Some(layout));
        if self.make_room(known.granted, site) {
            self.keep(place, known, site);
        } else {
            self.forget(block);
            // SAFETY: the caller's promise, passed on.
            unsafe { self.backing.deallocate_sized(block, layout) };
        }
        self.count_free(known);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let (_, before) = self.expect(block, Some(old));
        // SAFETY: the caller's promise, passed on.
        let block = unsafe { self.backing.resize_in_place(block, old, new)? };
        self.resized(before, block, new);
        Ok(block)
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let (_, before) = self.expect(block, Some(old));
        if new.align() <= old.align() {
            // SAFETY: the caller's promise, passed on.
            if let Ok(resized) = unsafe { self.backing.resize_in_place(block, old, new) } {
                self.resized(before, resized, new);
                return Ok(resized);
            }
        }
        // A block that is returned to make room for the old one is checked, and reported, before
        // there is a new block.
        self.make_room(before.granted, Location::caller());
        // SAFETY: the caller's promise is the one asked here.
        unsafe { move_block(self, block, old, new) }
    }

    #[inline]
    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.expect(block, None).1.granted
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        QuarantineAllocator::layout_for(layout)
    }

    fn stats(&self) -> Stats {
        let granted = self.granted.get();
        Stats {
            live: self.live.get(),
            requested: self.requested.get(),
            granted,
            reserved: granted + self.held_bytes.get(),
            peak_requested: self.peak_requested.get(),
            peak_granted: self.peak_granted.get(),
            peak_reserved: self.peak_reserved.get(),
            allocations_total: self.allocations_total.get(),
            requested_total: self.requested_total.get(),
            granted_total: self.granted_total.get(),
            exact: true,
        }
    }

    over_backing!();

    /// Shows the live blocks with their requested sizes, in no order; waiting blocks are not shown.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.blocks.for_each(|_, known| {
            if known.slot == LIVE {
                visit(Block { address: known.block, bytes: known.requested(), site: None });
            }
        });
    }

    /// Checks the books, and the contents of all waiting blocks. O(blocks + bytes waiting).
    fn verify(&self) -> Result<(), Damage> {
        let here = core::ptr::from_ref(self).cast();
        self.validate().map_err(|what| Damage { what, address: here })?;
        match self.first_change() {
            Some(Change { held, offset, .. }) => Err(Damage {
                what: "a block in quarantine was written to after it was freed",
                address: held.block.as_ptr().wrapping_add(offset),
            }),
            None => Ok(()),
        }
    }
}

impl<B: Allocator + ?Sized, K: Allocator + ?Sized> Drop for QuarantineAllocator<'_, B, K> {
    fn drop(&mut self) {
        /// Frees the books after the leak report, which reads them, also if the report unwinds.
        struct Books<'q, B: Allocator + ?Sized, K: Allocator + ?Sized>(
            &'q QuarantineAllocator<'q, B, K>,
        );
        impl<B: Allocator + ?Sized, K: Allocator + ?Sized> Drop for Books<'_, B, K> {
            fn drop(&mut self) {
                self.0.blocks.release(self.0.books);
                self.0.held.release(self.0.books);
            }
        }
        let books = Books(self);
        let mut first = None;
        while self.held.len() > 0 {
            let change = self.take_oldest();
            first = first.or(change);
        }
        if let Some(change) = first {
            self.report(&change, None);
        }
        leak::assert_none(self);
        drop(books);
    }
}
