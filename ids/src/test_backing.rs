//! Backing memory for tests: the system's, counted, with requests refused on demand.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;
use std::alloc::System;
use std::collections::BTreeMap;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

#[path = "../../allocators/src/testing/test_random.rs"]
mod test_random;

pub(crate) use test_random::Random;

/// Written over fresh and over freed blocks, so that no code relies on what was there.
const JUNK: u8 = 0xa5;

/// The system allocator under test conditions; panics when dropped with live blocks.
pub(crate) struct TestBacking {
    live: Cell<usize>,
    bytes: Cell<usize>,
    requests: Cell<usize>,
    refused: Cell<Option<usize>>,
    /// Bytes after each block, into which it can grow.
    room: usize,
    /// Where blocks begin, and how much was taken from the system for them.
    taken: RefCell<BTreeMap<usize, Layout>>,
}

impl TestBacking {
    pub(crate) fn new() -> Self {
        Self {
            live: Cell::new(0),
            bytes: Cell::new(0),
            requests: Cell::new(0),
            refused: Cell::new(None),
            room: 0,
            taken: RefCell::new(BTreeMap::new()),
        }
    }

    /// Memory in which each block can grow by `room` bytes without moving.
    pub(crate) fn with_room(room: usize) -> Self {
        let mut backing = Self::new();
        backing.room = room;
        backing
    }

    /// Refuses every request from the `n`th on, counted from now.
    pub(crate) fn refuse_from(&self, n: usize) {
        self.refused.set(Some(self.requests.get() + n));
    }

    /// Refuses nothing any more.
    pub(crate) fn refuse_none(&self) {
        self.refused.set(None);
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.get()
    }
}

// SAFETY: blocks come from the system's allocator with the layout asked for.
unsafe impl Allocator for TestBacking {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let request = self.requests.replace(self.requests.get() + 1);
        if self.refused.get().is_some_and(|from| request >= from) || layout.size() == 0 {
            return Err(AllocError);
        }
        let taken = Layout::from_size_align(layout.size() + self.room, layout.align());
        let taken = taken.map_err(|_| AllocError)?;
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { System.alloc(taken) }).ok_or(AllocError)?;
        self.taken.borrow_mut().insert(block.addr().get(), taken);
        // SAFETY: the block was just allocated with this size.
        unsafe { block.write_bytes(JUNK, layout.size()) };
        self.live.set(self.live.get() + 1);
        self.bytes.set(self.bytes.get() + layout.size());
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        panic!("the tables free with the layout, but {block:p} came without");
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.live.set(self.live.get() - 1);
        self.bytes.set(self.bytes.get() - layout.size());
        // SAFETY: the block is live and this long.
        unsafe { block.write_bytes(JUNK, layout.size()) };
        let taken = self.taken.borrow_mut().remove(&block.addr().get());
        let taken = taken.expect("the block was allocated here");
        // SAFETY: it came from `System` with this layout, and nothing uses it afterwards.
        unsafe { System.dealloc(block.as_ptr(), taken) };
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let request = self.requests.get();
        let fits = self.taken.borrow()[&block.addr().get()].size() >= new.size();
        if !fits || new.size() < old.size() || self.refused.get().is_some_and(|n| request >= n) {
            return Err(AllocError);
        }
        self.requests.set(request + 1);
        self.bytes.set(self.bytes.get() + new.size() - old.size());
        // SAFETY: as much was taken for the block.
        let grown = unsafe { block.add(old.size()) };
        // SAFETY: as above.
        unsafe { grown.write_bytes(JUNK, new.size() - old.size()) };
        Ok(NonNull::slice_from_raw_parts(block, new.size()))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // With the room that a resize in place may take: a table never names more as its own.
        self.taken.borrow()[&block.addr().get()].size()
    }

    fn stats(&self) -> Stats {
        Stats { live: self.live.get(), requested: self.bytes.get(), ..Stats::default() }
    }

    fn name(&self) -> &str {
        "test backing"
    }

    fn owns(&self, _address: *const u8) -> bool {
        false
    }

    fn walk(&self, _visit: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}

impl Drop for TestBacking {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let (live, bytes) = (self.live.get(), self.bytes.get());
            assert_eq!((live, bytes), (0, 0), "blocks and bytes never given back");
        }
    }
}
