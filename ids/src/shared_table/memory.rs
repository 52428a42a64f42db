//! The block of a shared table: how it is made and given back.
#![expect(clippy::arithmetic_side_effects, reason = "there is memory for twice the slots")]

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use super::lane::{Lane, Lanes};
use super::{Atomic, SharedTable};
use crate::error::InsertError;
use crate::id::TableId;
use crate::policy::GenerationEnd;
use crate::sync::{AtomicUsize, AtomicWord, SharedRepr};
use crate::tag;

impl<'a, I: TableId<Repr: SharedRepr>, E: GenerationEnd, A: Allocator + ?Sized>
    SharedTable<'a, I, E, A>
{
    /// Returns a table of slots that the index can name, in these lanes.
    pub(super) fn with_lanes(shape: Lanes, memory: &'a A) -> Result<Self, InsertError> {
        let slots = shape.slots();
        let (lanes, words) = if slots == 0 {
            (NonNull::dangling(), NonNull::dangling())
        } else {
            let refused = |bytes| InsertError::Memory { slots: slots as u64, bytes };
            let (layout, words_at) = Self::layout(&shape).ok_or(refused(u64::MAX))?;
            let block = memory.allocate(layout).map_err(|_| refused(layout.size() as u64))?;
            let block = block.cast::<u8>();
            // SAFETY: the words begin within the block.
            (block.cast::<Lane>(), unsafe { block.add(words_at) }.cast::<Atomic<I>>())
        };
        for number in 0..shape.count() {
            // SAFETY: the block has room for these, and begins with them.
            let lane = unsafe { lanes.add(number) };
            // SAFETY: the place is the table's own, and nothing is there yet.
            unsafe { lane.write(Lane::new(shape.share(number).slots)) };
        }
        for slot in 0..slots {
            // SAFETY: the block has room for twice as many, of which this is one of the first half.
            let word = unsafe { words.add(slot) };
            // SAFETY: the place is the table's own, and nothing is there yet.
            unsafe { word.write(Atomic::<I>::new((slot ^ 1) as u64)) };
            // SAFETY: as above, of the second half.
            let entry = unsafe { words.add(slots + slot) };
            // SAFETY: as above.
            unsafe { entry.write(Atomic::<I>::new(slot as u64)) };
        }
        Ok(Self {
            lanes,
            words,
            shape,
            turn: 0,
            meetings: AtomicUsize::new(0),
            retired: AtomicUsize::new(0),
            tag: tag::next::<I>(),
            memory,
            kind: PhantomData,
        })
    }

    /// Returns the layout of the block, and where the words begin in it.
    fn layout(shape: &Lanes) -> Option<(Layout, usize)> {
        let words = Layout::array::<Atomic<I>>(shape.slots().checked_mul(2)?).ok()?;
        Layout::array::<Lane>(shape.count()).ok()?.extend(words).ok()
    }
}

impl<I: TableId<Repr: SharedRepr>, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for SharedTable<'_, I, E, A>
{
    fn drop(&mut self) {
        if self.shape.slots() == 0 {
            return;
        }
        if core::mem::needs_drop::<Atomic<I>>() {
            for at in 0..2 * self.shape.slots() {
                // SAFETY: the block holds this many (invariant 1).
                let atomic = unsafe { self.words.add(at) };
                // SAFETY: it was written when the table was made, and is not used again.
                unsafe { atomic.drop_in_place() };
            }
        }
        for number in 0..self.shape.count() {
            // SAFETY: the block holds this many (invariant 1).
            let lane = unsafe { self.lanes.add(number) };
            // SAFETY: as above.
            unsafe { lane.drop_in_place() };
        }
        let Some((layout, _)) = Self::layout(&self.shape) else {
            unreachable!("the block was taken with a layout");
        };
        // SAFETY: the block came from this allocator with this layout, and is not used any more.
        unsafe { self.memory.deallocate_sized(self.lanes.cast(), layout) };
    }
}
