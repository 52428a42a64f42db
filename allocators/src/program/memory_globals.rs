//! The allocators that a program starts with.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where a static heap is placed
//! into a buffer, the page and the heap allocator are made in it, subsystems use proxies of the
//! heap, and all of it is torn down in reverse. Changes: it is a value and not a set of global
//! variables, so that several can exist at once and the compiler ensures that no proxy outlives it;
//! it includes a scratch allocator; running out of memory during the setup is an error.

mod placed;
#[cfg(test)]
mod tests;

use core::fmt;

use self::placed::{Names, Placed};
use crate::contract::allocator::{AllocError, Allocator, Damage, SharedRef};
use crate::contract::leak;
use crate::heaps::heap::HeapAllocator;
use crate::linear::scratch::ScratchAllocator;
use crate::pages::page::PageAllocator;
use crate::threads::locked::Locked;
use crate::wrappers::shared_proxy::SharedProxy;

/// The default size of the scratch allocator's ring.
const SCRATCH_BYTES: usize = 1 << 20;
/// The default size of the heap's first region: address space until it is touched.
const HEAP_REGION_BYTES: usize = 64 << 20;

type Heap = Locked<HeapAllocator<'static, PageAllocator>>;
type Scratch = Locked<ScratchAllocator<'static, Heap>>;

/// The sizes of the first allocators.
///
/// # Examples
///
/// ```
/// use loligo_allocators::MemoryOptions;
///
/// const SMALL: MemoryOptions =
///     MemoryOptions::new().with_scratch_bytes(16 << 10).with_heap_region_bytes(1 << 20);
/// assert_ne!(SMALL, MemoryOptions::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOptions {
    scratch_bytes: usize,
    heap_region_bytes: usize,
    huge_pages: bool,
}

impl MemoryOptions {
    /// A ring of 1 MiB for scratch memory, heap regions from 64 MiB of address space on, and
    /// standard pages.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            scratch_bytes: SCRATCH_BYTES,
            heap_region_bytes: HEAP_REGION_BYTES,
            huge_pages: false,
        }
    }

    /// Sets the bytes of the scratch allocator's ring, including its table.
    #[must_use]
    pub const fn with_scratch_bytes(self, bytes: usize) -> Self {
        Self { scratch_bytes: bytes, ..self }
    }

    /// Sets the bytes of the heap's first region; each further one is twice as large.
    #[must_use]
    pub const fn with_heap_region_bytes(self, bytes: usize) -> Self {
        Self { heap_region_bytes: bytes, ..self }
    }

    /// Requests huge pages, as [`PageAllocator::with_huge_pages`] does.
    #[must_use]
    pub const fn with_huge_pages(self) -> Self {
        Self { huge_pages: true, ..self }
    }
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The root of a program's memory: pages, a heap over them, scratch memory over the heap, all
/// created in a static heap and torn down in reverse.
///
/// ```text
///  boot (a StaticHeap) holds      boot/pages <- boot/heap <- boot/scratch
///                                                   ^             ^
///                                     default_allocator()   scratch_allocator()
///                                        ^          ^
///                                     "sound"    "physics" ...   proxies of the subsystems
/// ```
///
/// For systems with pages, like [`PageAllocator`](crate::PageAllocator). It is not a global
/// variable: a program keeps it in a local of `main`, or in a `static` with a lock, and each test
/// creates its own, with its own name in every report. It works before `main`.
///
/// # Shutting down
///
/// By dropping it. A subsystem's [`proxy`](Self::proxy) borrows it, so all proxies are dropped by
/// then, and each with a leaked block has panicked under its subsystem's name. Then the scratch
/// memory, the heap and the pages are dropped, and each panics under its own name (`boot/scratch`,
/// `boot/heap`, `boot/pages`) if a direct user leaked a block; last, the boot heap must hold no
/// more blocks than before. After a panic the rest is still torn down, and further leaks are
/// written to standard error (with the feature `std`).
///
/// # Complexity
///
/// [`init`](Self::init) allocates 4 blocks in the boot heap and writes the scratch ring's table, a
/// fifth of its bytes. The allocators have the costs of a [`Locked`] one.
///
/// # Memory
///
/// About 31 KiB of the boot heap (18 KiB with 32-bit addresses), nearly all of it the heap's
/// own tables; [`BOOT_BYTES`](Self::BOOT_BYTES) is enough. Blocks are those of a [`HeapAllocator`]
/// and a [`ScratchAllocator`], with their waste. One heap region of address space, of which the
/// scratch ring touches its table.
///
/// # Threads
///
/// `Send` and `Sync`, as all its allocators are; heap and scratch memory each have a spin lock, at
/// which threads wait for one another.
///
/// # When not to use it
///
/// In a program with one subsystem, or one thread: a heap over pages is two lines, and without a
/// lock.
///
/// # Panics
///
/// When dropped, if there are leaked blocks.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Allocator, Make, MemoryGlobals, MemoryOptions, StaticHeap};
///
/// static BOOT: StaticHeap<{ MemoryGlobals::BOOT_BYTES }> = StaticHeap::new("boot");
///
/// let globals = MemoryGlobals::init(&BOOT, &MemoryOptions::new())?;
/// {
///     let sound = globals.proxy("sound").with_budget(1 << 20);
///     let voice = sound.create([0_f32; 256])?;
///     assert_eq!((sound.name(), sound.stats().live), ("sound", 1));
///     // SAFETY: just made, deleted once.
///     unsafe { sound.destroy(voice) };
/// }
/// drop(globals);
/// assert_eq!(BOOT.stats().live, 0);
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
///
/// A test creates its own root, so that its leaks are reported under its name, even while other
/// tests run:
///
/// ```
/// # use loligo_allocators::{Allocator, MemoryGlobals, MemoryOptions, StaticHeap};
/// let boot = Box::new(StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("loads_a_level"));
/// let globals = MemoryGlobals::init(&*boot, &MemoryOptions::new())?;
/// assert_eq!(globals.default_allocator().name(), "loads_a_level/heap");
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
///
/// No proxy outlives it:
///
/// ```compile_fail,E0505
/// # use loligo_allocators::{MemoryGlobals, MemoryOptions, StaticHeap};
/// # static BOOT: StaticHeap<{ MemoryGlobals::BOOT_BYTES }> = StaticHeap::new("boot");
/// let globals = MemoryGlobals::init(&BOOT, &MemoryOptions::new())?;
/// let sound = globals.proxy("sound");
/// drop(globals);
/// drop(sound);
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
///
/// # Invariants
///
/// 1. The objects are in the boot heap, each alive from its creation to its drop, and do not move.
/// 2. The objects that an object refers to, its name included, are in later fields, and so dropped
///    later.
pub struct MemoryGlobals<'s> {
    // Fields are dropped from the first to the last, even if one of them panics.
    scratch: Placed<'s, Scratch>,
    heap: Placed<'s, Heap>,
    pages: Placed<'s, PageAllocator>,
    _names: Names<'s>,
    boot: Boot<'s>,
}

impl MemoryGlobals<'_> {
    /// A boot heap of the given number of bytes is enough for one root.
    pub const BOOT_BYTES: usize = 64 << 10;
}

impl<'s> MemoryGlobals<'s> {
    /// Creates the allocators in `boot`, usually a [`StaticHeap`](crate::StaticHeap). Their names
    /// begin with its name.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if `boot` has no room for them or the system has no memory for the scratch
    /// ring. The parts created until then are torn down.
    pub fn init(boot: SharedRef<'s>, options: &MemoryOptions) -> Result<Self, AllocError> {
        // In the reverse order of the fields, so that an error tears down as a drop does.
        let boot = Boot::new(boot);
        let names = Names::new(boot.heap)?;
        // SAFETY: the names are dropped after the pages, the heap and the scratch memory, here as
        // in the fields (invariant 2), and `Allocator::name` lends them for no longer than those
        // are borrowed.
        let [pages_name, heap_name, scratch_name] = unsafe { names.forever() };
        let pages = PageAllocator::new(pages_name);
        let pages = if options.huge_pages { pages.with_huge_pages() } else { pages };
        let pages = Placed::new(boot.heap, pages)?;
        // SAFETY: the pages do not move and are dropped after the heap (invariants 1 and 2).
        let below = unsafe { pages.forever() };
        let heap = HeapAllocator::with_region_bytes_in(heap_name, options.heap_region_bytes, below);
        let heap = Placed::new(boot.heap, Locked::new(heap))?;
        // SAFETY: the heap does not move and is dropped after the scratch memory (invariants 1 and
        // 2).
        let below = unsafe { heap.forever() };
        let scratch = ScratchAllocator::new_in(scratch_name, options.scratch_bytes, below)?;
        let scratch = Placed::new(boot.heap, Locked::new(scratch))?;
        Ok(Self { scratch, heap, pages, _names: names, boot })
    }

    /// Returns the heap, for blocks of any size. Subsystems use a [`proxy`](Self::proxy) of it.
    #[must_use]
    pub fn default_allocator(&self) -> SharedRef<'_> {
        &*self.heap
    }

    /// Returns the scratch memory, for short-lived blocks.
    #[must_use]
    pub fn scratch_allocator(&self) -> SharedRef<'_> {
        &*self.scratch
    }

    /// Returns the pages, for reservations and for whole buffers.
    #[must_use]
    pub fn page_allocator(&self) -> &PageAllocator {
        &self.pages
    }

    /// Creates a proxy of the default allocator for a subsystem, whose leak report has this name.
    #[must_use]
    pub fn proxy<'g>(&'g self, name: &'g str) -> SharedProxy<'g> {
        SharedProxy::new_in(name, self.default_allocator())
    }

    /// Returns the boot heap, the pages, the heap and the scratch memory, for an overview.
    #[must_use]
    pub fn allocators(&self) -> [SharedRef<'_>; 4] {
        [self.boot.heap, self.page_allocator(), self.default_allocator(), self.scratch_allocator()]
    }

    /// Checks the structure of all four allocators. O(blocks).
    ///
    /// # Errors
    ///
    /// [`Damage`] describes the first fault found.
    pub fn verify(&self) -> Result<(), Damage> {
        self.allocators().iter().try_for_each(|allocator| allocator.verify())
    }
}

impl Drop for MemoryGlobals<'_> {
    fn drop(&mut self) {
        // A scratch allocator releases its blocks silently on drop, so it is checked here. The
        // others report when they are dropped, which happens also if this panics.
        self.scratch.with(ScratchAllocator::assert_empty);
    }
}

/// The boot heap, which must hold no more blocks at the end than at the start.
struct Boot<'s> {
    heap: SharedRef<'s>,
    live_before: usize,
}

impl<'s> Boot<'s> {
    fn new(heap: SharedRef<'s>) -> Self {
        Self { heap, live_before: heap.stats().live }
    }
}

impl Drop for Boot<'_> {
    fn drop(&mut self) {
        if self.heap.stats().live > self.live_before {
            leak::assert_none(self.heap);
        }
    }
}

impl fmt::Debug for MemoryGlobals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryGlobals")
            .field("boot", &self.boot.heap.name())
            .field("heap", &self.heap.stats())
            .field("scratch", &self.scratch.stats())
            .finish_non_exhaustive()
    }
}
