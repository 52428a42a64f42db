//! Separate pages for each block, between pages without access.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), where a suspected system gets its memory
//! from the virtual memory system, so that the access to a freed page faults. Changes: pages
//! without access are on both sides of each block, so a write past its end faults too; freed
//! addresses are kept unused for a while; and a caller can find out which block an address belongs
//! to.

mod blocks;
mod describe;
#[cfg(unix)]
mod faults;
mod shape;
mod state;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;
#[cfg(unix)]
use core::sync::atomic::AtomicBool;

pub use self::describe::{GuardedAddress, GuardedPlace};
use self::shape::Shape;
use self::state::State;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::pages::page::PageAllocator;
use crate::threads::sync::SpinCell;

/// The guard that a block is next to, and so the errors that fault at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GuardSide {
    /// The block ends as close to the guard after it as its alignment allows: at alignment 1, or
    /// with a size that is a multiple of its alignment, the first byte past it faults.
    Overrun,
    /// The block starts right after the guard before it: the last byte before it faults.
    Underrun,
}

/// Gives each block separate pages between two pages without access, so that a stray access faults
/// at the very instruction.
///
/// ```text
///  Overrun    | guard |  filled    | block |f| guard |    f: less than its alignment
///  Underrun   | guard | block |  filled      | guard |
///  freed      |            no access                 |
/// ```
///
/// The guards catch reads as well as writes. The rest of the block's pages is filled with 0xfd and
/// checked when the block is freed or resized, and by [`verify`](Allocator::verify): a changed byte
/// is a [`Misuse::Overrun`](crate::Misuse::Overrun) or
/// [`Misuse::Underrun`](crate::Misuse::Underrun), reported with its distance from the block and the
/// site of the block's allocation.
///
/// A freed block loses its memory and its access at once, and its addresses wait until a chosen
/// number of later blocks are freed. Until then each use of it faults, and a second free is
/// reported with the site of the first; the last 64 released addresses are still recognised as
/// freed. Every block is in a table by its address, so foreign and interior frees and wrong layouts
/// are always found.
///
/// [`describe`](Self::describe) returns the block that an address belongs to, for a debugger for
/// instance; [`report_faults`](Self::report_faults) prints this when the program faults.
///
/// # The kernel's limit
///
/// Linux allows a process 65 530 mappings (`vm.max_map_count`) by default. A live guarded block
/// uses two of them, or three if its neighbours are of another kind; one that waits uses at most
/// one. So only a chosen number of live blocks is guarded, 16 384 unless set by
/// [`with_guarded_max`](Self::with_guarded_max); further requests are forwarded to the pages and
/// have no guards. If the kernel refuses a guarded block earlier, waiting blocks are released, the
/// oldest first, and if that does not help the request is forwarded too.
/// [`guarded_blocks`](Self::guarded_blocks) and [`forwarded_blocks`](Self::forwarded_blocks) return
/// the numbers.
///
/// # Complexity
///
/// System calls: two for allocating, two for freeing, and one when the addresses go. In addition
/// O(1) amortised, and filling and reading up to a page. `describe`, `owns` and the report of a
/// wrong free go through the table, O(blocks).
///
/// A block is resized in place if its guards can stay in place; else it moves by copying.
///
/// # Memory
///
/// Whole pages: each block wastes less than one page, 4 095 bytes if it has one byte. It takes at
/// least a page of memory and three of address space; at an alignment above a page the guard before
/// it is as large as the alignment. The table takes 117 to 235 bytes for each of the most blocks
/// that were live or waiting at once, from the same pages; it counts in no statistics of this
/// allocator, which are exact. [`Allocator::allocated_size`] is the requested size, and `reserved`
/// are the spans with their guards, of live and of waiting blocks. In the pages' own statistics
/// each span is one block.
///
/// # Threads
///
/// `Send` and `Sync`: a spin lock guards the table. It is held during a system call only when the
/// table grows. [`walk`](Allocator::walk) holds it while it calls back.
///
/// # When not to use it
///
/// A page for each block is expensive, in memory and in time: five system calls and the first touch
/// of a page, where a pool takes a few dozen instructions. Use it for one suspect; for a whole
/// program there are [`QuarantineAllocator`](crate::QuarantineAllocator) and canaries. Accesses by
/// the kernel for the program (a read of a file into the guard) do not fault but fail with
/// `EFAULT`. An access that jumps over the guards is not detected.
///
/// # Panics
///
/// When dropped with live blocks, with their number, bytes, and allocation sites.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{AllocError, Allocator, GuardPageAllocator, PageAllocator, GuardedPlace};
///
/// let pages = PageAllocator::new("pages");
/// let suspect = GuardPageAllocator::new("suspect", &pages).with_quarantine(100);
///
/// let layout = Layout::new::<[u32; 25]>();
/// let block = suspect.allocate(layout)?;
/// assert_eq!(block.len(), 100);
/// // Touching the byte after the block would stop the program here and now.
/// let past = block.cast::<u8>().as_ptr().wrapping_add(100);
/// let known = suspect.describe(past).expect("it is next to a block");
/// assert_eq!((known.place, known.block), (GuardedPlace::Behind(1), block.cast()));
/// println!("{known}");
/// // SAFETY: the block is live, has this layout, and is not used again.
/// unsafe { suspect.deallocate_sized(block.cast(), layout) };
/// assert!(suspect.describe(past).is_some_and(|known| known.freed.is_some()));
/// # Ok::<(), AllocError>(())
/// ```
pub struct GuardPageAllocator<'a> {
    name: &'a str,
    pages: &'a PageAllocator,
    side: GuardSide,
    guarded_max: usize,
    waiting_max: usize,
    /// Whether it reports faults permanently.
    #[cfg(unix)]
    reports: AtomicBool,
    state: SpinCell<State>,
}

/// Three mappings each are three quarters of the kernel's limit.
const GUARDED_MAX: usize = 16_384;

/// The default number of freed blocks that wait.
const WAITING_MAX: usize = 1024;

impl GuardPageAllocator<'_> {
    /// Returns the layout requested from the pages for a guarded block of `layout`: the pages of
    /// the block and its guards. It is not `const`, since the page size depends on the machine.
    ///
    /// A layout that no address space can hold is returned unchanged.
    #[must_use]
    pub fn layout_for(layout: Layout) -> Layout {
        let shape = Shape::new(layout, GuardSide::Overrun);
        shape.and_then(Shape::span).unwrap_or(layout)
    }
}

impl<'a> GuardPageAllocator<'a> {
    /// Creates an allocator of guarded blocks over `pages`; it allocates nothing yet. Blocks are
    /// next to the guard after them, up to 16 384 of them are guarded, and 1 024 freed ones wait.
    #[must_use]
    pub const fn new(name: &'a str, pages: &'a PageAllocator) -> Self {
        Self {
            name,
            pages,
            side: GuardSide::Overrun,
            guarded_max: GUARDED_MAX,
            waiting_max: WAITING_MAX,
            #[cfg(unix)]
            reports: AtomicBool::new(false),
            state: SpinCell::new(State::new()),
        }
    }

    /// Sets the guard that blocks are next to.
    #[must_use]
    pub const fn with_side(self, side: GuardSide) -> Self {
        // A const function cannot move fields out of a type with a destructor.
        let mut this = self;
        this.side = side;
        this
    }

    /// Sets how many live blocks can be guarded at once; further requests are forwarded.
    #[must_use]
    pub const fn with_guarded_max(self, blocks: usize) -> Self {
        let mut this = self;
        this.guarded_max = blocks;
        this
    }

    /// Sets how many freed blocks wait, their addresses without access; with zero none waits.
    #[must_use]
    pub const fn with_quarantine(self, blocks: usize) -> Self {
        let mut this = self;
        this.waiting_max = blocks;
        this
    }

    /// Returns how many live blocks are guarded.
    #[must_use]
    pub fn guarded_blocks(&self) -> usize {
        self.state.with(|state| state.guarded)
    }

    /// Returns how many live blocks were forwarded to the pages and have no guards.
    #[must_use]
    pub fn forwarded_blocks(&self) -> usize {
        self.state.with(|state| state.forwarded)
    }

    /// Returns how many freed blocks wait.
    #[must_use]
    pub fn waiting_blocks(&self) -> usize {
        self.state.with(|state| state.waiting)
    }

    /// Returns how many bytes the table takes from the pages.
    #[must_use]
    pub fn overhead_bytes(&self) -> usize {
        self.state.with(|state| state.blocks.bytes())
    }

    /// Releases the addresses of all waiting blocks.
    pub fn flush(&self) {
        while self.let_go_beyond(0) {}
    }

    /// Returns the block that an address is in or next to, with the sites of its allocation and
    /// free. `None` if the address belongs to no block, or to one that was freed and no longer
    /// waits.
    ///
    /// # Complexity
    ///
    /// O(blocks), without allocating.
    #[must_use]
    pub fn describe(&self, address: *const u8) -> Option<GuardedAddress> {
        self.state.with(|state| state.describe(address))
    }
}

// SAFETY: each block is in pages that were mapped for it alone and stay until it is freed, with the
// requested alignment and size; moving the allocator does not move them. Every failing path undoes
// what it did before. Nothing unwinds but misuse handlers, which run before anything has changed
// and without the lock.
unsafe impl Allocator for GuardPageAllocator<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.take(layout, false, Location::caller())
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        // Fresh pages are zero.
        self.take(layout, true, Location::caller())
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.free(block, None, Location::caller()) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.free(block, Some(layout), Location::caller()) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = Location::caller();
        let known = self.expect(block, Some(old), site);
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.resize(&known, new, site) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = Location::caller();
        let known = self.expect(block, Some(old), site);
        // SAFETY: the caller's promise is the one asked here.
        if let Ok(resized) = unsafe { self.resize(&known, new, site) } {
            return Ok(resized);
        }
        if let Some(opened) = known.opened() {
            // Any misuse of the old block is reported now, before there is a new one.
            self.check(&known, opened, site);
        }
        // SAFETY: the caller's promise is the one asked here.
        unsafe { move_block(self, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.expect(block, None, Location::caller()).requested()
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        GuardPageAllocator::layout_for(layout)
    }

    fn stats(&self) -> Stats {
        self.state.with(|state| state.counters.stats(true))
    }

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        Some(self.pages)
    }

    /// Searches the spans of live and of waiting blocks, guards included. O(blocks).
    fn owns(&self, address: *const u8) -> bool {
        self.state.with(|state| state.spanning(address.addr()).is_some())
    }

    /// Shows the live blocks with their allocation sites, in no order.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.state.with(|state| {
            state.blocks.for_each(|_, known| {
                if known.is_live() {
                    let (address, bytes) = (known.block, known.requested());
                    visit(Block { address, bytes, site: Some(known.site) });
                }
            });
        });
    }

    /// Checks the table, the counters, and the fill bytes around each live block.
    fn verify(&self) -> Result<(), Damage> {
        self.state.with(|state| state.validate())
    }
}

impl Drop for GuardPageAllocator<'_> {
    fn drop(&mut self) {
        /// Frees the table after the leak report, which reads it, also if the report unwinds.
        struct Table<'g, 'a>(&'g GuardPageAllocator<'a>);
        impl Drop for Table<'_, '_> {
            fn drop(&mut self) {
                self.0.state.with(|state| state.blocks.release(self.0.pages));
            }
        }
        let table = Table(self);
        self.flush();
        leak::assert_none(self);
        drop(table);
    }
}
