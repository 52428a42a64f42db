//! What a slab passes on to its backing, and how it keeps account of that.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::SlabAllocator;
use super::passed::{Memory, Passed, PassedOn};
use crate::bookkeeping::sites::{SiteBook, wrong_free_beside};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::misuse::Misuse;
use crate::heaps::size_class_heap::SizeClassHeap;
use crate::heaps::size_classes::SizeClasses;

impl<B: Allocator + ?Sized, C: SizeClasses, S: SiteBook> SlabAllocator<'_, B, C, S> {
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn allocate_large(
        &self,
        layout: Layout,
        zeroed: bool,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let block = if zeroed {
            self.backing.allocate_zeroed(layout)?
        } else {
            self.backing.allocate(layout)?
        };
        // The block comes first, so that a refusal of it leaves the table as it was.
        if self.passed.is_full() && self.move_table(self.passed.count() + 1).is_err() {
            // SAFETY: the block was just handed out for this layout and nobody has seen it.
            unsafe { self.backing.deallocate_sized(block.cast(), layout) };
            return Err(AllocError);
        }
        self.entered(self.passed.insert(passed_on(block)), block);
        self.growing.count_passed_on(layout.size(), block.len());
        Ok(block)
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn deallocate_large(&self, block: NonNull<u8>, layout: Option<Layout>) {
        let bytes = self.expect(block, layout.map(|layout| layout.size()));
        // The backing comes first: where it finds the layout wrong, nothing has changed yet.
        match layout {
            // SAFETY: the table says that the block is live and the backing's; the layout fits it
            // by the caller's promise.
            Some(layout) => unsafe { self.backing.deallocate_sized(block, layout) },
            // SAFETY: as above.
            None => unsafe { self.backing.deallocate(block) },
        }
        self.passed.remove(block);
        self.growing.uncount_passed_on(bytes);
    }

    /// # Safety
    ///
    /// As [`Allocator::resize_in_place`]; no region of ours holds the block.
    #[track_caller]
    pub(super) unsafe fn resize_large(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let before = self.expect(block, Some(old.size()));
        // SAFETY: the block is the backing's; the promise is passed on.
        let resized = unsafe { self.backing.resize_in_place(block, old, new)? };
        self.became(block, before, resized, [old, new]);
        Ok(resized)
    }

    /// Lets the backing change a block's size as it does best. One that becomes small moves into a
    /// slot, unless no slot can be had.
    ///
    /// # Safety
    ///
    /// As [`Allocator::reallocate`]; no region of ours holds the block.
    #[track_caller]
    pub(super) unsafe fn reallocate_large(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let before = self.expect(block, Some(old.size()));
        if SizeClassHeap::<C>::has_class(new) {
            // SAFETY: the caller's promise.
            if let Ok(moved) = unsafe { move_block(self, block, old, new) } {
                return Ok(moved);
            }
        }
        // SAFETY: the block is the backing's; the promise is passed on.
        let moved = unsafe { self.backing.reallocate(block, old, new)? };
        self.became(block, before, moved, [old, new]);
        Ok(moved)
    }

    /// The size of a passed-on block. Reports an address that is none, and a size that is more.
    #[track_caller]
    pub(super) fn expect(&self, block: NonNull<u8>, bytes: Option<usize>) -> usize {
        match self.passed.bytes_at(block) {
            Some(granted) if bytes.is_none_or(|bytes| bytes <= granted) => granted,
            Some(_) => self.wrong(Misuse::WrongSize, block, bytes, Location::caller()),
            None => self.unknown(block, bytes, Location::caller()),
        }
    }

    /// Shows the passed-on blocks.
    pub(super) fn walk_large(&self, visit: &mut dyn FnMut(Block)) {
        let mut from = 0;
        while let Some((passed, next)) = self.passed.next(from) {
            from = next;
            visit(Block { address: passed.address, bytes: passed.bytes, site: None });
        }
    }

    pub(super) fn verify_large(&self) -> Result<(), Damage> {
        self.passed.validate()?;
        let mut from = 0;
        while let Some((passed, next)) = self.passed.next(from) {
            from = next;
            let address = passed.address.as_ptr().cast_const();
            if self.growing.owns(address) {
                return Err(Damage { what: "a large block is in a region of small ones", address });
            }
        }
        Ok(())
    }

    /// Gives the table's memory back where that is more than a few blocks need.
    #[track_caller]
    pub(super) fn shrink_table(&self) {
        let count = self.passed.count();
        if count == 0 {
            self.give_table(self.passed.take_memory());
        } else if Passed::layout_for(count).is_ok_and(|fit| fit.size() < self.passed.bytes() / 2) {
            // Without memory for a smaller table the present one serves on.
            let _ = self.move_table(count);
        }
    }

    /// Gives a table's memory back.
    #[track_caller]
    pub(super) fn give_table(&self, table: Option<Memory>) {
        let Some(Memory { block, layout }) = table else {
            return;
        };
        // SAFETY: the block came from the backing with this layout, and the table has left it.
        unsafe { self.backing.deallocate_sized(block.cast(), layout) };
        self.growing.uncount_reserved(block.len());
    }

    /// Moves the table to one for `count` blocks, if that is not just as large.
    #[track_caller]
    fn move_table(&self, count: usize) -> Result<(), AllocError> {
        let layout = Passed::layout_for(count)?;
        let block = self.backing.allocate(layout)?;
        self.growing.count_reserved(block.len());
        let memory = Memory { block, layout };
        if block.len() == self.passed.bytes() {
            // A backing that grants whole pages has no smaller block.
            self.give_table(Some(memory));
            return Ok(());
        }
        // SAFETY: the block was just handed out with the layout for this count, which is not less
        // than the table's; it is given back in `give_table` only.
        let old = unsafe { self.passed.move_to(memory) };
        self.give_table(old);
        Ok(())
    }

    /// Enters what a passed-on block has become.
    #[track_caller]
    fn became(&self, block: NonNull<u8>, before: usize, now: NonNull<[u8]>, layouts: [Layout; 2]) {
        self.entered(self.passed.replace(block, passed_on(now)), now);
        let [old, new] = layouts;
        let more = new.size().saturating_sub(old.size());
        self.growing.recount_passed_on(before, now.len(), more);
    }

    #[track_caller]
    fn entered(&self, entered: bool, block: NonNull<[u8]>) {
        if !entered {
            self.wrong(Misuse::Damaged, block.cast(), None, Location::caller());
        }
    }

    /// Reports an address that neither a region nor the table knows.
    #[cold]
    #[inline(never)]
    fn unknown(
        &self,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> ! {
        let misuse = if self.passed.was_freed(block) {
            Misuse::DoubleFree
        } else if self.passed.holds(block.as_ptr()) {
            Misuse::InteriorFree
        } else {
            Misuse::ForeignFree
        };
        self.wrong(misuse, block, bytes, site)
    }

    #[cold]
    #[inline(never)]
    fn wrong(
        &self,
        what: Misuse,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> ! {
        wrong_free_beside(&self.sites, what, self.growing.name(), block, bytes, site)
    }
}

const fn passed_on(block: NonNull<[u8]>) -> PassedOn {
    PassedOn { address: block.cast(), bytes: block.len() }
}
