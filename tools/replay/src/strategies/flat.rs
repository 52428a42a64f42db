//! The most common tree, compiled as it would be written: pools by size before a heap.
//!
//! Walking a tree costs some 15 instructions a call more than code that was written for it. That
//! would hide what pools save, so the search would not find them; this shape therefore runs as its
//! written code does, except that the table is not a constant.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, HeapAllocator, PageAllocator};

use super::by_size::Table;
use super::config::{BySizeConfig, HeapConfig, Over, Tree};
use super::node::{Pool, pool};
use crate::ours::{self, Over as Above, PAGES};
use crate::subject::{Subject, resized};

/// The heap that serves what the pools do not.
type Heap = HeapAllocator<'static, PageAllocator>;

/// Pools, and pages for what is large, before a heap. Without `POOLS` there are pages alone.
pub(super) struct Flat<const POOLS: bool>(Above<Front, Heap>);

struct Front {
    table: Table,
    pools: Box<[Pool]>,
    /// From which size on blocks are pages, and whose.
    pages_from: usize,
    large: PageAllocator,
}

/// Returns `true` if a tree has this shape.
pub(super) fn fits(tree: &Tree) -> Option<(&BySizeConfig, HeapConfig)> {
    let Tree::BySize(config) = tree else {
        return None;
    };
    let Tree::Heap(heap) = config.rest else {
        return None;
    };
    let (last, before) = config.classes.split_last()?;
    let are_pools = before.iter().all(|class| matches!(class.to, Tree::Pool(_)));
    let is_last = matches!(last.to, Tree::Pool(_))
        || (matches!(last.to, Tree::Page(_)) && last.up_to == u32::MAX && last.from.is_some());
    (are_pools && is_last && heap.over == Over::Pages).then_some((&**config, heap))
}

impl<const POOLS: bool> Flat<POOLS> {
    pub(super) fn new(config: &BySizeConfig, heap: HeapConfig) -> Self {
        let heap = match heap.region_bytes {
            Some(bytes) => HeapAllocator::with_region_bytes_in("heap", bytes as usize, &PAGES),
            None => HeapAllocator::new_in("heap", &PAGES),
        };
        Self(Above::new(heap, |heap: &'static Heap| {
            let mut pools = Vec::new();
            let mut pages_from = usize::MAX;
            let large = PageAllocator::new("page");
            for class in &config.classes {
                match (&class.to, class.from) {
                    (Tree::Pool(config), _) => pools.push(pool(config, heap)),
                    (_, from) => pages_from = from.unwrap_or(0) as usize,
                }
            }
            let numbers: Vec<u8> = (0..config.classes.len() as u8).collect();
            Front { table: Table::new(config, &numbers), pools: pools.into(), pages_from, large }
        }))
    }

    #[inline(always)]
    fn pool_of(&self, layout: Layout) -> Option<&Pool> {
        if !POOLS {
            return None;
        }
        let front = self.0.front();
        let pool = front.pools.get(front.table.class_of(layout.size()) as usize)?;
        (layout.align() <= pool.block_layout().align()).then_some(pool)
    }

    #[inline(always)]
    fn is_paged(&self, layout: Layout) -> bool {
        layout.size() >= self.0.front().pages_from
    }

    #[inline(never)]
    fn allocate_elsewhere(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.allocate_behind(layout)
    }

    #[inline(always)]
    fn allocate_behind(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if self.is_paged(layout) {
            self.0.front().large.allocate(layout)
        } else {
            self.0.base().allocate(layout)
        }
    }

    /// # Safety
    ///
    /// As [`Allocator::deallocate_sized`].
    #[inline(never)]
    unsafe fn free_elsewhere(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.free_behind(block, layout) }
    }

    /// # Safety
    ///
    /// As [`Allocator::deallocate_sized`].
    #[inline(always)]
    unsafe fn free_behind(&self, block: *mut u8, layout: Layout) {
        if self.is_paged(layout) {
            // SAFETY: its size says that the pages gave it out; the rest is the caller's promise.
            return unsafe { ours::free(&self.0.front().large, block, layout) };
        }
        // SAFETY: no other gave it out.
        unsafe { ours::free(self.0.base(), block, layout) }
    }
}

// SAFETY: each block comes from one pool, the pages or the heap, all of which keep the contract of
// `Allocator`; size and alignment, the same at the free, lead there again.
unsafe impl<const POOLS: bool> Subject for Flat<POOLS> {
    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        ours::address(match self.pool_of(layout) {
            Some(pool) => pool.allocate(layout),
            None if POOLS => self.allocate_elsewhere(layout),
            None => self.allocate_behind(layout),
        })
    }

    #[inline(never)]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        ours::address(match self.pool_of(layout) {
            Some(pool) => pool.allocate_zeroed(layout),
            None if self.is_paged(layout) => self.0.front().large.allocate_zeroed(layout),
            None => self.0.base().allocate_zeroed(layout),
        })
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        match self.pool_of(layout) {
            // SAFETY: the layout leads to the pool that the block came from.
            Some(pool) => unsafe { ours::free(pool, block, layout) },
            // SAFETY: the caller's promise, passed on.
            None if POOLS => unsafe { self.free_elsewhere(block, layout) },
            // SAFETY: as above.
            None => unsafe { self.free_behind(block, layout) },
        }
    }

    #[inline(never)]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the sizes of a replay are at most 2^47.
        let new = unsafe { resized(old, bytes) };
        let (from, to) = (self.pool_of(old), self.pool_of(new));
        match (from, to) {
            (Some(pool), Some(same)) if core::ptr::eq(pool, same) => {
                // SAFETY: the pool holds the block, and its blocks fit the new size.
                return unsafe { ours::reallocate(pool, block, old, bytes) };
            }
            (None, None) if self.is_paged(old) == self.is_paged(new) => {
                if self.is_paged(old) {
                    // SAFETY: the pages gave the block out.
                    return unsafe { ours::reallocate(&self.0.front().large, block, old, bytes) };
                }
                // SAFETY: the heap gave the block out.
                return unsafe { ours::reallocate(self.0.base(), block, old, bytes) };
            }
            _ => {}
        }
        let moved = self.allocate(new);
        if !moved.is_null() {
            // SAFETY: both blocks are live and distinct, and each holds the lesser size.
            unsafe { moved.copy_from_nonoverlapping(block, old.size().min(bytes)) };
            // SAFETY: the old block is live and is not used again.
            unsafe { self.deallocate(block, old) };
        }
        moved
    }

    fn check(&self) -> Result<(), String> {
        self.0.front().pools.iter().try_for_each(ours::check)?;
        ours::check(&self.0.front().large)?;
        self.0.base().verify().map_err(|damage| damage.to_string())
    }
}
