//! Freed blocks are kept back for a while, and what is written to them then is found.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), on errors whose symptom shows long after
//! the deed and in code that is innocent: memory that is written after it was freed has a new owner
//! by then. Changes: here it has none for a while, so the write is found as what it is, with the
//! size of the block and who freed it.

mod check;
mod held;
pub(crate) mod left;
pub(crate) mod pattern;
#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

use self::held::{Change, Held, Ring};
use self::left::Left;
use crate::bookkeeping::address_table::{AddressTable, Place};
use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::stats::Stats;

/// An allocator that keeps freed blocks back from its backing and watches them.
///
/// A freed block is filled with 0xdf and waits. When more than a chosen number of blocks wait, or
/// more than a chosen number of bytes, the oldest leave for the backing. A block that leaves is
/// read: a byte that has changed is reported as
/// [`Misuse::WriteAfterFree`](crate::Misuse::WriteAfterFree), with where it is in the block, how
/// many bytes have changed, how large the block is and who freed it. [`check`](Self::check) looks
/// at once at all that wait, [`flush`](Self::flush) lets them all go, and so does dropping the
/// allocator.
///
/// Each block is remembered by its address, so wrong frees are found at once, before anything is
/// written: a block that is freed or resized while it waits is a
/// [`Misuse::DoubleFree`](crate::Misuse::DoubleFree), reported with who freed it first; so is one
/// of the last 64 that have left; an address inside a block or of nobody's is found too, and a
/// layout that is not the block's.
///
/// A block larger than the limit in bytes goes straight to the backing. A block that moves by
/// `reallocate` is copied and its old place kept back; one that shrinks in place gives its tail
/// back at once.
///
/// # Complexity
///
/// A free fills the block and reads those that leave: O(bytes). An allocation enters the block into
/// a hash table, O(1) amortised; one that is refused tries once more for each block that waits.
///
/// # Memory
///
/// When the backing refuses a request, blocks leave, the oldest first, and it is asked again after
/// each; only when none waits any more is the request refused. So a quarantine takes no memory that
/// the program needs, and a refused request has emptied it.
///
/// Waiting blocks are live in the backing, its counters and its walk. Here they count as reserved
/// alone.
///
/// No byte lies beside a block; at the worst `bytes_max` bytes wait. The books are 40 bytes for
/// each block that may wait, taken by the constructor, and 64 to 128 for each of the most that were
/// live or waiting at once, in a table that grows by doubling when a block is allocated. Where it
/// cannot, the oldest block leaves to make room, or the request is refused if none waits. A free
/// takes no memory. The books count in no statistics of this allocator. The object itself is about
/// 700 bytes.
///
/// Under AddressSanitizer and Valgrind the bytes of a waiting block are unaddressable, so that the
/// tool reports the very access, reads too.
///
/// # Threads
///
/// `Send` where backing and books are `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// Reads of freed memory show only by the values read; on Linux a `GuardPageAllocator` stops at the
/// instruction. Above a frame a free gives nothing back, and waiting changes
/// nothing. In a program that is right, it costs memory in the cache and two passes over each
/// block.
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
/// let (mut memory, mut more) = ([MaybeUninit::uninit(); 32 << 10], [MaybeUninit::uninit(); 32 << 10]);
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
/// // The heap alone would give the same block out again; what still points to it would damage that.
/// let second = sound.allocate(sample)?.cast::<u8>();
/// assert_ne!(first, second);
/// // SAFETY: as above.
/// unsafe { sound.deallocate_sized(second, sample) };
/// # Ok::<(), AllocError>(())
/// ```
///
/// # Invariants
///
/// 1. `blocks` has each block that the backing has given out and not got back, with the layout it
///    was last asked with and what was granted; nothing else is in it.
/// 2. `held` holds those of them that were freed, each with its slot in `blocks`, and at most
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

/// What is remembered of a block.
#[derive(Clone, Copy)]
struct Known {
    /// The table knows the number alone.
    block: NonNull<u8>,
    layout: Layout,
    granted: usize,
    /// Where it waits in the ring, or [`LIVE`].
    slot: usize,
}

/// The slot of a block that does not wait.
const LIVE: usize = usize::MAX;

impl Known {
    fn new(block: NonNull<[u8]>, layout: Layout) -> Self {
        Self { block: block.cast(), layout, granted: block.len(), slot: LIVE }
    }

    /// Returns the bytes asked for: a size of zero is served as one byte.
    fn requested(self) -> usize {
        self.layout.size().max(1)
    }

    /// Returns `true` if a caller's `layout` can be the block's.
    fn fits(self, layout: Layout) -> bool {
        let sizes = self.layout.size()..=self.granted;
        layout.align() == self.layout.align() && sizes.contains(&layout.size())
    }
}

// SAFETY: the ring and the table are memory of the books that this object alone reaches, and the
// blocks in it are nobody else's; backing and books are `Sync`, so they may be called from
// whichever thread has this object.
unsafe impl<B, K> Send for QuarantineAllocator<'_, B, K>
where
    B: Allocator + Sync + ?Sized,
    K: Allocator + Sync + ?Sized,
{
}

impl QuarantineAllocator<'_> {
    /// Returns what a quarantine asks of its backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a, B: Allocator + ?Sized, K: Allocator + ?Sized> QuarantineAllocator<'a, B, K> {
    /// Makes a quarantine in front of `backing`, in which at most `count_max` blocks of `bytes_max`
    /// bytes together wait. With either of them zero no block waits.
    ///
    /// `books` gives the memory for the list of those blocks; it may be the backing itself, if that
    /// serves blocks of several sizes.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `books` has no room for `count_max` entries of 40 bytes.
    #[track_caller]
    pub fn new(
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

    /// Returns how many freed blocks wait.
    #[must_use]
    pub fn held_count(&self) -> usize {
        self.held.len()
    }

    /// Returns how many bytes the freed blocks have that wait.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.held_bytes.get()
    }

    /// Lets all waiting blocks leave for the backing, each checked first. A change that is found is
    /// reported as [`Misuse::WriteAfterFree`](crate::Misuse::WriteAfterFree).
    ///
    /// # Complexity
    ///
    /// O(bytes waiting), and a free of the backing's for each block.
    #[track_caller]
    pub fn flush(&self) {
        while self.held.len() > 0 {
            self.let_oldest_go(Location::caller());
        }
    }

    /// Checks the contents of all waiting blocks. A change that is found is reported as
    /// [`Misuse::WriteAfterFree`](crate::Misuse::WriteAfterFree), with all that is known, where
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

    /// Takes the oldest block out, reads it and gives it to the backing.
    fn take_oldest(&self) -> Option<Change> {
        let held = self.held.pop()?;
        self.forget(held.block);
        self.held_bytes.set(self.held_bytes.get() - held.bytes);
        let change = held.change();
        // A backing of somebody else's may know nothing of marks, and give the block out as it is.
        mark::undefined(held.block, held.bytes);
        // SAFETY: the block is live in the backing, was last asked with this layout, and its user
        // has given it up.
        unsafe { self.backing.deallocate_sized(held.block, held.layout) };
        change
    }

    /// Lets the oldest block leave; reports it if it has changed, and charges the current caller.
    fn let_oldest_go(&self, site: &'static Location<'static>) {
        if let Some(change) = self.take_oldest() {
            self.report(&change, Some(site));
        }
    }

    /// Makes room in a table that cannot grow, of the entry of a waiting block.
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

    /// Asks the backing again and again while blocks leave.
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

    /// Enters a block that the backing has just given out. Room in the table is reserved.
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

    /// Returns what is known of a live block that `layout` fits; anything else is misuse.
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

    /// Makes room for a freed block of `bytes` bytes; returns whether it may wait.
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
        // SAFETY: the block is live in the backing with this layout (invariant 1), and the caller
        // of the free has given it up.
        let held = unsafe { Held::fill(known.block, known.granted, known.layout, site) };
        let slot = self.held.push(held);
        self.blocks.set_at(place, Known { slot, ..known });
        self.held_bytes.set(self.held_bytes.get() + known.granted);
    }

    /// Takes a block out of the table for good.
    fn forget(&self, block: NonNull<u8>) {
        self.blocks.remove(block);
        self.left.remember(block);
    }

    fn count_free(&self, known: Known) {
        self.live.set(self.live.get() - 1);
        self.lower(known);
    }

    /// Enters the new layout of a block that the backing has resized where it lies.
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

// SAFETY: every block is the backing's, which keeps the contract; one that waits is given to
// nobody. What waits changes nothing of what is live, so a refusal leaves every block as it was.
// Misuse handlers, which may unwind, run when nothing is half done.
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
        // What leaves to make room for the old block is read, and reported, while there is no new
        // one.
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

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        // Through a reference, as a backing type without a size has no other way to a trait object.
        Some(&self.backing)
    }

    /// Answers for the backing, waiting blocks included.
    fn owns(&self, address: *const u8) -> bool {
        self.backing.owns(address)
    }

    /// Shows the live blocks with the sizes they were asked with, in no order; none that waits.
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
        /// Gives the books back after the leak report, which reads them, also where that unwinds.
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
