//! Guard words before and after each block.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), which fills some bytes next to each block
//! with a known pattern and checks them when the block is freed. Changes: both sides are guarded;
//! `verify` checks all live blocks at any time; and the links between blocks are trusted only after
//! their check word.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::{self, NonNull};

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::wrappers::proxy::over_backing;

mod guard;
mod header;
mod report;
#[cfg(test)]
mod tests;

use header::{Header, Shape, header_of};

/// An allocator that writes guard words before and after each block of its backing and detects when
/// one is overwritten.
///
/// Each block has exactly the requested size (at least one byte), so the byte after its last one is
/// already guarded. The guards are checked when the block is freed, resized or asked for its size,
/// for both ways of freeing; [`verify`](Allocator::verify) checks those of all live blocks.
///
/// A changed byte after a block is an [`Overrun`](crate::Misuse::Overrun), one before it an
/// [`Underrun`](crate::Misuse::Underrun); the report says how many bytes were changed, how far from
/// the block, and the block's size. If the guard just before a block is intact but the header
/// before it is not, it is [`Damaged`](crate::Misuse::Damaged). No word of a header is used before
/// its check word is verified, so an overwritten link or size is reported and never followed. A
/// call that links or unlinks a block changes one link in the header of another block; that link is
/// checked first, and the rest of that header is checked when its own block is.
///
/// A double free is found as long as the backing has neither reused nor overwritten the block's
/// header; so are frees of memory that the backing never owned, and of an address inside a block.
/// Freeing a block of another user of the same backing is a foreign free.
///
/// # Complexity
///
/// O(1) on top of the backing's, and O(alignment) for alignments above that of a word. `verify` and
/// `walk` take O(blocks), and so does the report of a wrong free. Freeing touches the headers of
/// two other blocks.
///
/// # Memory
///
/// ```text
/// | pad | prev | next | size, alignment | check | guard |  block  |  guard   |
/// 0     ^ 8-byte words, 32 bytes in all           8     ^ aligned    16
/// ```
///
/// 56 bytes a block on 64-bit machines, plus the pad if the alignment is above 8: the distance from
/// 40 to the next multiple of the alignment. The pad is filled with guard words as well. Bytes that
/// the backing adds by rounding up are not used. `reserved` counts the bytes requested from the
/// backing.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// It cannot detect a write that skips the guards or writes the values already there, nor a read,
/// and it does not know the writer: guard pages and AddressSanitizer stop the writer itself. Over a
/// backing that returns memory to the system at once, a double free faults on the header instead of
/// being reported. Pointers must keep the provenance of the returned slice, as the header is
/// reached from the block's address.
///
/// # Panics
///
/// When dropped with live blocks, with a list of the first 16.
///
/// # Examples
///
/// A pool with room for the guards:
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{AllocError, Allocator, CanaryAllocator, PoolAllocator};
///
/// let mut memory = [MaybeUninit::uninit(); 8192];
/// let particle = Layout::new::<[f32; 5]>();
/// let guarded = CanaryAllocator::layout_for(particle);
/// let pool = PoolAllocator::from_region("particles", guarded, &mut memory);
/// let canary = CanaryAllocator::new("guarded particles", &pool);
///
/// let block = canary.allocate(particle)?;
/// assert_eq!(block.len(), 20);
/// canary.verify().expect("no write past its end");
/// // One byte too far:
/// let end = block.cast::<u8>().as_ptr().wrapping_add(20);
/// // SAFETY: the byte is the allocator's, and is in the pool's block.
/// let kept = unsafe { end.replace(7) };
/// let damage = canary.verify().expect_err("the byte after the block has changed");
/// assert_eq!(damage.address, end.cast_const());
/// // SAFETY: as above; it is put back, since the free would end the program.
/// unsafe { end.write(kept) };
/// // SAFETY: the block is live, has this layout, and is not used again.
/// unsafe { canary.deallocate_sized(block.cast(), particle) };
/// # Ok::<(), AllocError>(())
/// ```
///
/// # Invariants
///
/// 1. `head` leads over `next` to the header of every live block once, and ends in null; `prev`
///    leads back.
/// 2. The check word of each of these headers is the seal of its words, its address and `secret`.
/// 3. The guards and the pad of each live block hold the guard's words.
/// 4. `allocations_total - frees_total` blocks are live; the counters of bytes are sums over them.
pub struct CanaryAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    head: Cell<*mut Header>,
    /// Distinguishes this allocator's headers from another's; zero until the first block.
    secret: Cell<u64>,
    allocations_total: Cell<u64>,
    frees_total: Cell<u64>,
    bytes_total: Cell<u64>,
    freed_total: Cell<u64>,
    reserved: Cell<usize>,
    /// The greatest number of live bytes before any free.
    peak: Cell<u64>,
    /// The greatest `reserved` before any free.
    peak_reserved: Cell<usize>,
    backing: &'a B,
    name: &'a str,
}

// SAFETY: the raw pointer leads to headers in blocks that this allocator alone holds, and the
// backing, which is shared, may be used from another thread as it is `Sync`.
unsafe impl<B: Allocator + Sync + ?Sized> Send for CanaryAllocator<'_, B> {}

impl CanaryAllocator<'_> {
    /// Returns the layout requested from the backing for a block of `layout`: room for header and
    /// guards, with an alignment of at least 8. If no address space has that room, it is the
    /// largest layout of that alignment, which every backing refuses.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        match Shape::of(layout) {
            Some(shape) => shape.below(),
            None => header::greatest(layout.align()),
        }
    }
}

impl<'a> CanaryAllocator<'a> {
    /// Wraps `backing`. Allocates nothing yet.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(name, backing)
    }
}

impl<'a, B: Allocator + ?Sized> CanaryAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self {
            head: Cell::new(ptr::null_mut()),
            secret: Cell::new(0),
            allocations_total: Cell::new(0),
            frees_total: Cell::new(0),
            bytes_total: Cell::new(0),
            freed_total: Cell::new(0),
            reserved: Cell::new(0),
            peak: Cell::new(0),
            peak_reserved: Cell::new(0),
            backing,
            name,
        }
    }

    #[inline(always)]
    #[track_caller]
    fn take(&self, layout: Layout, zeroed: bool) -> Result<NonNull<[u8]>, AllocError> {
        let Some(shape) = Shape::of(layout) else { return Err(AllocError) };
        let head = self.head.get();
        // Nothing can unwind once the backing has returned a block, so the link is tested before.
        self.test_head(head, Location::caller());
        let start = if zeroed {
            self.backing.allocate_zeroed(shape.below())?
        } else {
            self.backing.allocate(shape.below())?
        };
        // SAFETY: the backing's block has `total` bytes, of which `front` come first.
        let block = unsafe { start.cast::<u8>().add(shape.front) };
        // SAFETY: the block has its header before it.
        let at = unsafe { header_of(block) };
        // SAFETY: the header's bytes are before the block, in the backing's block.
        unsafe { Header::write_first(at, head, shape.word, self.secret.get()) };
        if let Some(next) = NonNull::new(head) {
            // SAFETY: invariant 1: it is the header of a live block.
            unsafe { Header::lead_back(next, ptr::null_mut(), at.as_ptr()) };
        }
        self.head.set(at.as_ptr());
        // SAFETY: the block is in its backing's block as its shape has it, and is not yet used.
        unsafe { guard::write(block, shape) };
        self.count(shape.size, shape.total);
        self.allocations_total.set(self.allocations_total.get() + 1);
        Ok(NonNull::slice_from_raw_parts(block, shape.size))
    }

    /// Tests the one word of the first header that is about to change.
    #[inline(always)]
    fn test_head(&self, head: *mut Header, site: &'static Location<'static>) {
        match NonNull::new(head) {
            // SAFETY: invariant 1: it is the header of a live block.
            Some(at) if !unsafe { Header::leads_back(at, ptr::null_mut()) } => {
                self.neighbour_damaged(at, site)
            }
            None if self.secret.get() == 0 => self.make_secret(),
            _ => {}
        }
    }

    #[inline]
    fn count(&self, bytes: usize, total: usize) {
        self.bytes_total.set(self.bytes_total.get() + bytes as u64);
        self.reserved.set(self.reserved.get() + total);
    }

    #[inline]
    fn uncount(&self, bytes: usize, total: usize) {
        // Live bytes peak just before a free, so allocating does not update the peak.
        let live = self.live_bytes();
        if live > self.peak.get() {
            self.peak.set(live);
        }
        let reserved = self.reserved.get();
        if reserved > self.peak_reserved.get() {
            self.peak_reserved.set(reserved);
        }
        self.freed_total.set(self.freed_total.get() + bytes as u64);
        self.reserved.set(reserved - total);
    }

    #[inline]
    fn live_bytes(&self) -> u64 {
        self.bytes_total.get() - self.freed_total.get()
    }

    /// Returns the header of a block passed in, after checking all its words.
    #[inline(always)]
    fn examined(
        &self,
        block: NonNull<u8>,
        told: Option<usize>,
        site: &'static Location<'static>,
    ) -> Header {
        // SAFETY: the callers' promise: the block is live.
        let at = unsafe { header_of(block) };
        // SAFETY: the callers' promise: the block is live, so its header is before it.
        let header = unsafe { Header::read(at) };
        if !header.is_sealed(at, self.secret.get()) {
            self.unknown(block, told, site);
        }
        let shape = header.shape();
        // SAFETY: the header's seal holds, so this is a live block of that shape.
        if !unsafe { guard::holds(block, shape) } {
            self.breached(block, site);
        }
        if told.is_some_and(|told| told != shape.size) {
            self.other_size(block, told, shape.size, site);
        }
        header
    }

    /// Tests the links to a block in its neighbours' headers.
    #[inline(always)]
    fn test_beside(&self, at: NonNull<Header>, header: &Header, site: &'static Location<'static>) {
        if let Some(next) = NonNull::new(header.next) {
            // SAFETY: `at` holds, so by invariant 1 the next one is the header of a live block.
            if !unsafe { Header::leads_back(next, at.as_ptr()) } {
                self.neighbour_damaged(next, site);
            }
        }
        if let Some(prev) = NonNull::new(header.prev) {
            // SAFETY: as above.
            if !unsafe { Header::leads_on(prev, at.as_ptr()) } {
                self.neighbour_damaged(prev, site);
            }
        }
    }

    /// Takes a block off the list. Of its neighbours' headers it uses only the links to this block,
    /// which it has checked.
    #[inline(always)]
    fn unlink(&self, at: NonNull<Header>, header: &Header, site: &'static Location<'static>) {
        self.test_beside(at, header, site);
        match NonNull::new(header.prev) {
            // SAFETY: `at` holds, so by invariant 1 it is the header of a live block.
            Some(prev) => unsafe { Header::lead_on(prev, at.as_ptr(), header.next) },
            None => self.head.set(header.next),
        }
        if let Some(next) = NonNull::new(header.next) {
            // SAFETY: as above.
            unsafe { Header::lead_back(next, at.as_ptr(), header.prev) };
        }
    }

    /// Frees a block of any shape, or reports the misuse.
    #[track_caller]
    unsafe fn release(&self, block: NonNull<u8>, told: Option<usize>) {
        let site = Location::caller();
        let header = self.examined(block, told, site);
        // SAFETY: the caller's promise, and the header states the block's shape.
        unsafe { self.give_back(block, &header, header.shape(), site) };
    }

    /// As [`release`](Self::release), for calls that the fast path does not handle.
    #[cold]
    #[inline(never)]
    #[track_caller]
    unsafe fn release_otherwise(&self, block: NonNull<u8>, told: usize) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.release(block, Some(told)) }
    }

    /// Unlinks a block whose words are all intact and returns it to the backing.
    #[inline(always)]
    #[track_caller]
    unsafe fn give_back(
        &self,
        block: NonNull<u8>,
        header: &Header,
        shape: Shape,
        site: &'static Location<'static>,
    ) {
        let secret = self.secret.get();
        // SAFETY: the block is live.
        let at = unsafe { header_of(block) };
        self.unlink(at, header, site);
        // SAFETY: the header is this block's, which is ours until the backing has it.
        unsafe { Header::kill(at, secret) };
        self.uncount(shape.size, shape.total);
        self.frees_total.set(self.frees_total.get() + 1);
        // SAFETY: the backing's block began `front` bytes before ours.
        let start = unsafe { block.sub(shape.front) };
        mark::undefined(start, shape.total);
        // SAFETY: the backing's block is live, had this layout, and is not used again.
        unsafe { self.backing.deallocate_sized(start, shape.below()) };
    }

    /// Returns the damage around a live block, if any.
    fn damage_of(&self, at: NonNull<Header>, header: &Header) -> Option<Damage> {
        let block = header::block_of(at);
        let damage = |what, address| Some(Damage { what, address });
        if !header.is_sealed(at, self.secret.get()) {
            // SAFETY: `at` came from a header that holds, so the guard after it is there.
            return match unsafe { guard::before(block, 0) } {
                Some(span) => damage(report::UNDER, span.nearest),
                None => damage(report::HEADER_CHANGED, at.as_ptr().cast_const().cast()),
            };
        }
        let shape = header.shape();
        // SAFETY: the seal holds, so this is a live block of that shape.
        if unsafe { guard::holds(block, shape) } {
            return None;
        }
        // SAFETY: as above.
        if let Some(span) = unsafe { guard::behind(block, shape.size) } {
            return damage(report::OVER, span.nearest);
        }
        // SAFETY: as above.
        let nearest = unsafe { guard::before(block, shape.pad()) }.map(|span| span.nearest);
        damage(report::UNDER, nearest.unwrap_or(block.as_ptr()))
    }
}

// SAFETY: a block is in a block of the backing, which keeps the contract, between words that no
// other code uses; allocating from the backing is the last step, and nothing unwinds after it.
unsafe impl<B: Allocator + ?Sized> Allocator for CanaryAllocator<'_, B> {
    // Always, so that the sizes for a constant layout are constants too.
    #[inline(always)]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.take(layout, false)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.take(layout, true)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.release(block, None) }
    }

    #[inline(always)]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise: the block is live.
        let at = unsafe { header_of(block) };
        // SAFETY: the caller's promise: the block is live, so its header is before it.
        let header = unsafe { Header::read(at) };
        if let Some(shape) = Shape::of(layout)
            && header.is_sealed_as(shape, at, self.secret.get())
            // SAFETY: the header's seal holds, so this is a live block of that shape.
            && unsafe { guard::holds(block, shape) }
        {
            // SAFETY: the caller's promise, and the block has this shape.
            unsafe { self.give_back(block, &header, shape, Location::caller()) }
        } else {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.release_otherwise(block, layout.size()) }
        }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let header = self.examined(block, Some(old.size()), Location::caller());
        let before = header.shape();
        // The block keeps its alignment, as the size of its front does not change.
        let wanted = before.resized(new.size()).ok_or(AllocError)?;
        if wanted == before {
            return Ok(NonNull::slice_from_raw_parts(block, before.size));
        }
        // SAFETY: the backing's block began `front` bytes before ours.
        let start = unsafe { block.sub(before.front) };
        // SAFETY: the backing's block is live and has this layout.
        let start = unsafe { self.backing.resize_in_place(start, before.below(), wanted.below())? };
        // The pointer passed in may have provenance over no more than the old size, so the
        // backing's is used from here on.
        // SAFETY: the backing's block has the wanted length now, of which `front` bytes come first.
        let block = unsafe { start.cast::<u8>().add(before.front) };
        // SAFETY: the block is live.
        let at = unsafe { header_of(block) };
        // SAFETY: the header is this block's.
        unsafe { Header::set_word(at, before.word, wanted.word) };
        let more = wanted.size.saturating_sub(before.size);
        if more > 0 {
            // SAFETY: the block has grown, so its old end is within it.
            mark::undefined(unsafe { block.add(before.size) }, more);
        }
        // SAFETY: the backing's block has the wanted length now.
        unsafe { guard::write_behind(block, wanted.size) };
        self.uncount(before.size.saturating_sub(wanted.size), before.total);
        self.count(more, wanted.total);
        Ok(NonNull::slice_from_raw_parts(block, wanted.size))
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.align() <= old.align() {
            // SAFETY: the caller's promise is the one asked here.
            if let Ok(resized) = unsafe { self.resize_in_place(block, old, new) } {
                return Ok(resized);
            }
        }
        // Any misuse of the old block is reported now, before there is a new one.
        let site = Location::caller();
        let header = self.examined(block, Some(old.size()), site);
        // SAFETY: the block is live.
        self.test_beside(unsafe { header_of(block) }, &header, site);
        // SAFETY: the caller's promise is the one asked here.
        unsafe { move_block(self, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.examined(block, None, Location::caller()).shape().size
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        CanaryAllocator::layout_for(layout)
    }

    fn stats(&self) -> Stats {
        let live_bytes = self.live_bytes();
        let peak = self.peak.get().max(live_bytes) as usize;
        Stats {
            live: (self.allocations_total.get() - self.frees_total.get()) as usize,
            requested: live_bytes as usize,
            granted: live_bytes as usize,
            reserved: self.reserved.get(),
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: self.peak_reserved.get().max(self.reserved.get()),
            allocations_total: self.allocations_total.get(),
            requested_total: self.bytes_total.get(),
            granted_total: self.bytes_total.get(),
            exact: true,
        }
    }

    over_backing!();

    /// Shows the live blocks, newest first, up to the first whose header is damaged.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        let mut at = NonNull::new(self.head.get());
        while let Some(here) = at {
            // SAFETY: invariant 1: it is the header of a live block.
            let header = unsafe { Header::read(here) };
            if !header.is_sealed(here, self.secret.get()) {
                return;
            }
            let address = header::block_of(here);
            visit(Block { address, bytes: header.shape().size, site: None });
            at = NonNull::new(header.next);
        }
    }

    /// Checks the header and the guards of every live block, and the counters against them.
    fn verify(&self) -> Result<(), Damage> {
        let (mut blocks, mut bytes, mut reserved) = (0, 0, 0);
        let mut prev = ptr::null_mut();
        let mut at = NonNull::new(self.head.get());
        while let Some(here) = at {
            // SAFETY: invariant 1: it is the header of a live block.
            let header = unsafe { Header::read(here) };
            if let Some(damage) = self.damage_of(here, &header) {
                return Err(damage);
            }
            if header.prev != prev {
                let address = here.as_ptr().cast_const().cast();
                return Err(Damage {
                    what: "a back link in the list of live blocks is wrong",
                    address,
                });
            }
            let shape = header.shape();
            (blocks, bytes, reserved) = (blocks + 1, bytes + shape.size, reserved + shape.total);
            (prev, at) = (here.as_ptr(), NonNull::new(header.next));
        }
        let stats = self.stats();
        if (stats.live, stats.requested, stats.reserved) != (blocks, bytes, reserved) {
            let address = ptr::from_ref(self).cast();
            return Err(Damage {
                what: "the counters and the list of live blocks differ",
                address,
            });
        }
        Ok(())
    }
}

impl<B: Allocator + ?Sized> Drop for CanaryAllocator<'_, B> {
    fn drop(&mut self) {
        leak::assert_none(self);
    }
}
