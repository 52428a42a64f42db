//! An allocator that needs two blocks of its backing for each block, so that a refusal can strike
//! between them. With planted faults.

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::ptr::NonNull;
use std::collections::BTreeMap;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

/// What a [`NotingAllocator`] does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotingFault {
    /// Nothing.
    None,
    /// Keeps the block when the note is refused.
    KeepsBlockOnRefusal,
    /// Counts the allocation before the note is there.
    CountsBeforeNote,
    /// Panics when the note is refused.
    PanicsOnRefusal,
    /// Does not give the last note back.
    KeepsLastNote,
    /// Reports that it reserved more than its backing granted.
    ReservesTooMuch,
}

/// Passes requests on, and writes a note in a separate block for each.
#[derive(Debug)]
pub struct NotingAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    backing: &'a B,
    fault: NotingFault,
    blocks: RefCell<BTreeMap<usize, Noted>>,
    stats: Cell<Stats>,
}

/// A live block and its note.
#[derive(Clone, Copy, Debug)]
struct Noted {
    block: NonNull<u8>,
    requested: usize,
    granted: usize,
    note: NonNull<u8>,
}

/// The layout of a note.
const NOTE: Layout = Layout::new::<[usize; 4]>();

impl<'a> NotingAllocator<'a> {
    /// Takes its memory from `backing`.
    pub const fn new(backing: &'a (dyn Allocator + 'a), fault: NotingFault) -> Self {
        Self::new_in(backing, fault)
    }
}

impl<'a, B: Allocator + ?Sized> NotingAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    pub const fn new_in(backing: &'a B, fault: NotingFault) -> Self {
        Self {
            backing,
            fault,
            blocks: RefCell::new(BTreeMap::new()),
            stats: Cell::new(Stats {
                live: 0,
                requested: 0,
                granted: 0,
                reserved: 0,
                peak_requested: 0,
                peak_granted: 0,
                peak_reserved: 0,
                allocations_total: 0,
                requested_total: 0,
                granted_total: 0,
                exact: true,
            }),
        }
    }

    fn count(&self, requested: usize, granted: usize) {
        let mut stats = self.stats.get();
        stats.live += 1;
        stats.requested += requested;
        stats.granted += granted;
        stats.reserved += granted + NOTE.size();
        stats.allocations_total += 1;
        stats.requested_total += requested as u64;
        stats.granted_total += granted as u64;
        stats.peak_requested = stats.peak_requested.max(stats.requested);
        stats.peak_granted = stats.peak_granted.max(stats.granted);
        stats.peak_reserved = stats.peak_reserved.max(stats.reserved);
        self.stats.set(stats);
    }

    fn note_refused(&self, block: NonNull<u8>, layout: Layout) {
        assert!(self.fault != NotingFault::PanicsOnRefusal, "planted: no memory for the note");
        if self.fault != NotingFault::KeepsBlockOnRefusal {
            // SAFETY: the block was just allocated with this layout and nothing else refers to it.
            unsafe { self.backing.deallocate_sized(block, layout) }
        }
    }
}

// SAFETY: blocks come from the backing as they are; without a planted fault a refusal gives back
// what was taken before it.
unsafe impl<B: Allocator + ?Sized> Allocator for NotingAllocator<'_, B> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let granted = self.backing.allocate(layout)?;
        let block = granted.cast::<u8>();
        if self.fault == NotingFault::CountsBeforeNote {
            self.count(layout.size(), granted.len());
        }
        let Ok(note) = self.backing.allocate(NOTE) else {
            self.note_refused(block, layout);
            return Err(AllocError);
        };
        if self.fault != NotingFault::CountsBeforeNote {
            self.count(layout.size(), granted.len());
        }
        let noted =
            Noted { block, requested: layout.size(), granted: granted.len(), note: note.cast() };
        self.blocks.borrow_mut().insert(block.addr().get(), noted);
        Ok(granted)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let noted = self.blocks.borrow_mut().remove(&block.addr().get());
        let noted = noted.expect("the block is live, which the caller promises");
        let mut stats = self.stats.get();
        stats.live -= 1;
        stats.requested -= noted.requested;
        stats.granted -= noted.granted;
        stats.reserved -= noted.granted + NOTE.size();
        self.stats.set(stats);
        // SAFETY: the block came from the backing and is not used again.
        unsafe { self.backing.deallocate(noted.block) };
        if self.fault != NotingFault::KeepsLastNote || stats.live > 0 {
            // SAFETY: as above, for the note.
            unsafe { self.backing.deallocate_sized(noted.note, NOTE) };
        }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.blocks.borrow()[&block.addr().get()].granted
    }

    fn stats(&self) -> Stats {
        let mut stats = self.stats.get();
        if self.fault == NotingFault::ReservesTooMuch {
            stats.reserved += self.backing.stats().granted + 1;
            stats.peak_reserved = usize::MAX;
        }
        stats
    }

    fn name(&self) -> &str {
        "noting"
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        Some(&self.backing)
    }

    fn owns(&self, address: *const u8) -> bool {
        self.backing.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        for noted in self.blocks.borrow().values() {
            visit(Block { address: noted.block, bytes: noted.requested, site: None });
        }
    }

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}
