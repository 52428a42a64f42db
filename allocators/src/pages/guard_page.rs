//! A page of its own for each block, and pages beside it that nobody may touch.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), where a system under suspicion gets its
//! memory from the virtual memory system, so that the access to a freed page faults. Changes: pages
//! without access are on both sides of each block, so a write past its end faults too; freed
//! addresses are kept for a while; and a caller learns which block an address belongs to.

mod blocks;
mod describe;
mod faults;
mod shape;
mod state;
#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;
use core::sync::atomic::AtomicBool;

pub use self::describe::{GuardedAddress, GuardedPlace};
use self::shape::Shape;
use self::state::State;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::pages::page::PageAllocator;
use crate::threads::sync::SpinCell;

/// The side of its pages that a block is at, and so the errors that fault at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GuardSide {
    /// The block ends as close to the guard behind it as its alignment allows: at alignment 1, or
    /// with a size that is a multiple of its alignment, the first byte past it faults.
    Overrun,
    /// The block starts right behind the guard before it: the last byte before it faults.
    Underrun,
}

/// Gives each block pages of its own between two pages without access, so that a stray access
/// faults at the very instruction.
///
/// ```text
///  Overrun    | guard |  filled    | block |f| guard |    f: less than its alignment
///  Underrun   | guard | block |  filled      | guard |
///  freed      |            no access                 |
/// ```
///
/// The guards catch reads as well as writes. What is left of the block's pages is filled with 0xfd
/// and read when the block is freed or resized, and by [`verify`](Allocator::verify): a byte that
/// was written there is a [`Misuse::Overrun`](crate::Misuse::Overrun) or
/// [`Misuse::Underrun`](crate::Misuse::Underrun), with how far from the block it lies and who
/// allocated that.
///
/// A freed block loses its memory and its access at once, and its addresses wait until a chosen
/// number of freed blocks came after it. Until then each use of it faults, and a second free is
/// reported with who freed it first; the last 64 that left are known as freed still. Every block is
/// in a table by its address, so foreign and interior frees and wrong layouts are found, always.
///
/// [`describe`](Self::describe) says what an address belongs to, to a debugger for instance;
/// [`report_faults`](Self::report_faults) has that printed when the program faults.
///
/// # The kernel's limit
///
/// Linux allows a process 65 530 mappings (`vm.max_map_count`) unless it is set otherwise. A live
/// guarded block takes two of them, or three where nothing like it lies beside it; one that waits
/// takes one at most. So only a chosen number of live blocks is guarded, 16 384 unless set by
/// [`with_guarded_max`](Self::with_guarded_max); what is asked beyond is forwarded to the pages and
/// has no guards. Where the kernel refuses a guarded
/// block earlier, waiting blocks leave, the oldest first, and if that does not help the request is
/// forwarded too. [`guarded_blocks`](Self::guarded_blocks) and
/// [`forwarded_blocks`](Self::forwarded_blocks) tell.
///
/// # Complexity
///
/// System calls: two for allocating, two for freeing, and one when the addresses go. Beside them
/// O(1) amortised, and filling and reading up to a page. `describe`, `owns` and the report of a
/// wrong free go through the table, O(blocks).
///
/// A block is resized in place if its guards can stay where they are; else it moves by copying.
///
/// # Memory
///
/// Whole pages: less than one is wasted beside a block, 4 095 bytes where it has one byte. It takes
/// at least a page of memory and three of address space; at an alignment above a page the
/// guard before it is as large as the alignment. The table takes 117 to 235 bytes for each of the
/// most blocks that were live or waiting at once, from the same pages; it counts in no statistics
/// of this allocator, which start with nothing and are exact. [`Allocator::allocated_size`] is what
/// was asked, and `reserved` are the spans with their guards, of live and of waiting blocks. In the
/// pages' own books each span is one block.
///
/// # Threads
///
/// `Send` and `Sync`: a spin lock guards the table. It is held during a system call only where the
/// table grows. [`walk`](Allocator::walk) holds it while it calls back.
///
/// # When not to use it
///
/// A page for each block is dear, in memory as in time: five system calls and the first touch of a
/// page, where a pool takes a few dozen instructions. Put it under one suspect; for a whole program
/// there are [`QuarantineAllocator`](crate::QuarantineAllocator) and canaries. Accesses that the
/// kernel does for the program (a read of a file into the guard) do not fault but fail with
/// `EFAULT`. An access that jumps over the guards is not seen.
///
/// # Panics
///
/// When dropped with live blocks, with their number, bytes, and who allocated them.
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
/// // To touch the byte after the block would stop the program here and now.
/// let past = block.cast::<u8>().as_ptr().wrapping_add(100);
/// let known = suspect.describe(past).expect("it lies beside a block");
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
    /// Whether it reports faults for ever.
    reports: AtomicBool,
    state: SpinCell<State>,
}

/// Three mappings each are three quarters of the kernel's limit.
const GUARDED_MAX: usize = 16_384;

/// How many freed blocks wait unless told otherwise.
const WAITING_MAX: usize = 1024;

impl GuardPageAllocator<'_> {
    /// Returns what is asked of the pages for a guarded block of `layout`: the pages of the block
    /// and its guards. It is not `const`, since the size of a page is the machine's.
    ///
    /// A layout that no address space can hold is returned as it is.
    #[must_use]
    pub fn layout_for(layout: Layout) -> Layout {
        let shape = Shape::new(layout, GuardSide::Overrun);
        shape.and_then(Shape::span).unwrap_or(layout)
    }
}

impl<'a> GuardPageAllocator<'a> {
    /// Makes an allocator of guarded blocks over `pages`, which takes nothing from them yet. Blocks
    /// are at the guard behind them, up to 16 384 of them are guarded, and 1 024 freed ones wait.
    #[must_use]
    pub const fn new(name: &'a str, pages: &'a PageAllocator) -> Self {
        Self {
            name,
            pages,
            side: GuardSide::Overrun,
            guarded_max: GUARDED_MAX,
            waiting_max: WAITING_MAX,
            reports: AtomicBool::new(false),
            state: SpinCell::new(State::new()),
        }
    }

    /// Sets the guard that blocks are at.
    #[must_use]
    pub const fn with_side(self, side: GuardSide) -> Self {
        // A const function cannot move fields out of a type with a destructor.
        let mut this = self;
        this.side = side;
        this
    }

    /// Sets how many live blocks may be guarded at once; what is asked beyond is forwarded.
    #[must_use]
    pub const fn with_guarded_max(self, blocks: usize) -> Self {
        let mut this = self;
        this.guarded_max = blocks;
        this
    }

    /// Sets how many freed blocks wait, their addresses without access; with zero none does.
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

    /// Gives the addresses of all waiting blocks back.
    pub fn flush(&self) {
        while self.let_go_beyond(0) {}
    }

    /// Reports what is known about an address: which block it is in or beside, who allocated that,
    /// and who freed it. `None` where it is nobody's, or of a block that was freed and waits no
    /// more.
    ///
    /// # Complexity
    ///
    /// O(blocks), without allocating.
    #[must_use]
    pub fn describe(&self, address: *const u8) -> Option<GuardedAddress> {
        self.state.with(|state| state.describe(address))
    }
}

// SAFETY: each block is in pages that were mapped for it alone and stay until it is freed, at the
// alignment asked and as long as asked; moving the allocator leaves them where they are. Every
// failing path undoes what it did before. Nothing unwinds but misuse handlers, which run before
// anything has changed and without the lock.
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
            // What the free of the old block would report is reported while there is no new one.
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

    /// Knows the spans of live and of waiting blocks, guards included. O(blocks).
    fn owns(&self, address: *const u8) -> bool {
        self.state.with(|state| state.spanning(address.addr()).is_some())
    }

    /// Shows the live blocks with who allocated them, in no order.
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

    /// Checks the table, the counters, and what was filled beside each live block.
    fn verify(&self) -> Result<(), Damage> {
        self.state.with(|state| state.validate())
    }
}

impl Drop for GuardPageAllocator<'_> {
    fn drop(&mut self) {
        /// Gives the table back after the leak report, which reads it, also where that unwinds.
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
