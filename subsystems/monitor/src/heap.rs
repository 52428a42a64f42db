//! An allocator that records what it gives out and takes back.

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

use crate::current;
use crate::name::Name;

/// Passes everything on to another allocator, and records allocations and frees with the thread's
/// current recorder.
///
/// Put it around the heap to be watched: its live bytes are then a counter in exported traces, and
/// each block an event with the scope that it was asked for in. Sizes are those that the allocator
/// grants.
///
/// A block that is moved or resized is recorded as freed and allocated.
///
/// # Complexity
///
/// As the allocator below, its `allocated_size`, and an event for each call.
///
/// # Memory
///
/// Nothing; the object is 24 bytes.
///
/// # When not to use it
///
/// Around the monitor's own heap: what the monitor does would be in what is monitored. (It would
/// work.)
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_containers::Array;
/// use loligo_monitor::{Monitor, MonitoredAllocator, Options, name};
///
/// let pages = PageAllocator::new("pages");
/// let monitor = Monitor::try_new(&Options::default(), &pages)?;
/// let heap = HeapAllocator::new("units", &pages);
/// let heap = MonitoredAllocator::new(name!("units"), &heap);
/// monitor.try_recorder("main")?.run(|| {
///     let mut units: Array<u32> = Array::new(&heap);
///     units.push(7);
/// });
/// assert_eq!(monitor.drain(&mut []).events, 2);
/// # Ok::<(), loligo_monitor::MonitorError>(())
/// ```
pub struct MonitoredAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    backing: &'a B,
    name: Name,
}

impl<'a> MonitoredAllocator<'a> {
    /// Returns a wrapper of `backing` that records under `name`.
    #[must_use]
    pub const fn new(name: Name, backing: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(name, backing)
    }
}

impl<'a, B: Allocator + ?Sized> MonitoredAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: Name, backing: &'a B) -> Self {
        Self { backing, name }
    }

    /// Records how much of what the heap has taken from below is in none of its blocks, from 0 to
    /// 1, as a float under `name`. Once a frame it makes a graph of the heap's fragmentation.
    ///
    /// # Complexity
    ///
    /// That of the heap's [`stats`](Allocator::stats), which for most is O(1).
    pub fn record_fragmentation(&self, name: Name) {
        let stats = self.backing.stats();
        let reserved = stats.reserved.max(1) as f32;
        current::float(name, 1.0 - (stats.granted as f32 / reserved).min(1.0));
    }

    fn record_allocated(&self, block: NonNull<[u8]>) {
        current::allocated(self.name, block.cast::<u8>().addr().get(), block.len());
    }
}

// SAFETY: every block is the backing's, which keeps the contract; recording neither unwinds nor
// touches a block.
unsafe impl<B: Allocator + ?Sized> Allocator for MonitoredAllocator<'_, B> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.backing.allocate(layout)?;
        self.record_allocated(block);
        Ok(block)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.backing.allocate_zeroed(layout)?;
        self.record_allocated(block);
        Ok(block)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise: the block is live.
        let bytes = unsafe { self.backing.allocated_size(block) };
        current::freed(self.name, block.addr().get(), bytes);
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate(block) };
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise: the block is live.
        let bytes = unsafe { self.backing.allocated_size(block) };
        current::freed(self.name, block.addr().get(), bytes);
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate_sized(block, layout) };
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise: the block is live.
        let bytes = unsafe { self.backing.allocated_size(block) };
        // SAFETY: the caller's promise, passed on.
        let resized = unsafe { self.backing.resize_in_place(block, old, new)? };
        current::freed(self.name, block.addr().get(), bytes);
        self.record_allocated(resized);
        Ok(resized)
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise: the block is live.
        let bytes = unsafe { self.backing.allocated_size(block) };
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.backing.reallocate(block, old, new)? };
        current::freed(self.name, block.addr().get(), bytes);
        self.record_allocated(moved);
        Ok(moved)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.allocated_size(block) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        layout
    }

    fn stats(&self) -> Stats {
        self.backing.stats()
    }

    fn name(&self) -> &str {
        self.name.as_static().unwrap_or("monitored")
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        // Through a reference, as a backing type without a size has no other way to a trait object.
        Some(&self.backing)
    }

    fn budget(&self) -> Option<usize> {
        self.backing.budget()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.backing.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.backing.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.backing.verify()
    }
}

impl<B: Allocator + ?Sized> fmt::Debug for MonitoredAllocator<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MonitoredAllocator").field("name", &self.name).finish_non_exhaustive()
    }
}
