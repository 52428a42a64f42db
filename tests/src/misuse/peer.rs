//! Somebody else's allocator as one of this family, for as long as it is misused.

use core::alloc::Layout;
use core::cell::RefCell;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};
use loligo_replay::subject::Subject;

use super::{Wrong, commit};

/// The block that is misused.
const BLOCK: Layout = match Layout::from_size_align(64, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("64 bytes at 16 are a layout"),
};

/// Does the wrong thing to a row of the replayer, in a child process: this may abort, crash or
/// return. [`verdict_of_peer`](super::verdict_of_peer) reads from the child's end what became of it.
///
/// # Panics
///
/// If the row refuses a handful of blocks.
pub fn commit_on(wrong: Wrong, name: &str, subject: &mut dyn Subject) {
    commit(wrong, true, &Peer::new(name, BLOCK, subject), BLOCK);
}

/// A peer that is asked for blocks of one layout. It keeps no counters, lists nothing and finds
/// everything sound, as peers have no such calls.
pub(super) struct Peer<'a> {
    subject: RefCell<&'a mut dyn Subject>,
    layout: Layout,
    name: &'a str,
}

impl<'a> Peer<'a> {
    pub(super) fn new(name: &'a str, layout: Layout, subject: &'a mut dyn Subject) -> Self {
        Self { subject: RefCell::new(subject), layout, name }
    }
}

// SAFETY: every block is the subject's, which keeps the contract while it is used rightly.
unsafe impl Allocator for Peer<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.subject.borrow_mut().allocate(layout);
        let block = NonNull::new(block).ok_or(AllocError)?;
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: as the caller promises, or breaks the promise on purpose.
        unsafe { self.deallocate_sized(block, self.layout) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: as the caller promises, or breaks the promise on purpose.
        unsafe { self.subject.borrow_mut().deallocate(block.as_ptr(), layout) }
    }

    unsafe fn allocated_size(&self, _block: NonNull<u8>) -> usize {
        self.layout.size()
    }

    fn stats(&self) -> Stats {
        Stats::default()
    }

    fn name(&self) -> &str {
        self.name
    }

    fn owns(&self, _address: *const u8) -> bool {
        false
    }

    fn walk(&self, _visit: &mut dyn FnMut(Block)) {}

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}
