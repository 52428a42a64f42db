//! The packed array: objects are stored without gaps, and slots lead to them.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "a slot that is taken out is live, so there is a last one; those used are no \
              more than there are"
)]

use core::ops::Range;
use core::ptr::NonNull;

use crate::id::{Repr, Sealed};
use crate::table::holes::NOTHING;
use crate::table::shape::{Measures, Offsets, Parts, Shape, offsets, slots_for};

/// The arrangement of a [`PackedTable`](crate::PackedTable): objects without gaps.
#[derive(Clone, Copy, Debug)]
pub enum Packed {}

impl Sealed for Packed {}

impl Shape for Packed {
    type Parts<T, R: Repr> = PackedParts<T, R>;
}

/// A slot: both halves are in one cache line.
#[repr(C)]
#[derive(Clone, Copy)]
struct Slot<R: Repr> {
    /// The id's bits where the slot is live.
    word: R,
    /// The object's place where the slot is live.
    place: R,
}

/// # Invariants
///
/// 1. `slots` leads to as many slots as [`slots_for`] says, `ids` and `objects` to `capacity` of
///    them, all in one block; without a block `slots` leads to one slot of zeros.
/// 2. The first `len` of `objects` are objects, those of `ids` the bits of their ids.
/// 3. The place of a live slot is below `len`, and the id there is the slot's.
#[doc(hidden)]
pub struct PackedParts<T, R: Repr> {
    slots: NonNull<Slot<R>>,
    ids: NonNull<R>,
    objects: NonNull<T>,
}

impl<T, R: Repr> Clone for PackedParts<T, R> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R: Repr> Copy for PackedParts<T, R> {}

impl<T, R: Repr> PackedParts<T, R> {
    #[inline]
    fn at(self, slot: usize) -> NonNull<Slot<R>> {
        // SAFETY: callers pass slots of this table, or 0 where there is no block (invariant 1).
        unsafe { self.slots.add(slot) }
    }

    #[inline]
    fn id_at(self, place: usize) -> NonNull<R> {
        // SAFETY: callers pass places below the capacity (invariant 1).
        unsafe { self.ids.add(place) }
    }

    #[inline]
    fn set_bits_at(self, place: usize, bits: u64) {
        // SAFETY: the place is below the capacity, and the table alone writes it.
        unsafe { self.id_at(place).write(R::narrow(bits)) }
    }

    /// Returns the objects.
    #[inline]
    pub(super) fn objects(self) -> NonNull<T> {
        self.objects
    }
}

impl<T, R: Repr> Parts<T, R> for PackedParts<T, R> {
    const MEASURES: Measures = Measures {
        slot: size_of::<Slot<R>>(),
        bitmap: false,
        beside: size_of::<R>(),
        free: 0,
        object: size_of::<T>(),
        align: align_of::<T>(),
    };
    const CODE: u32 = 2;
    const PACKED: bool = true;
    const STACK_APART: bool = false;
    type Walk = Range<usize>;

    fn nowhere() -> Self {
        Self {
            slots: NonNull::from(&NOTHING).cast(),
            ids: NonNull::dangling(),
            objects: NonNull::dangling(),
        }
    }

    fn block(self) -> NonNull<u8> {
        self.objects.cast()
    }

    unsafe fn within(block: NonNull<u8>, measures: Measures, capacity: usize) -> Self {
        let Some(Offsets { slots, beside, .. }) = offsets(measures, capacity) else {
            unreachable!("the block has a size, so its offsets exist");
        };
        // SAFETY: the caller's block is that large.
        let slots = unsafe { block.add(slots) };
        // SAFETY: as above.
        let beside = unsafe { block.add(beside) };
        Self { slots: slots.cast(), ids: beside.cast(), objects: block.cast() }
    }

    unsafe fn format(self, used: usize, capacity: usize) {
        let slots = slots_for(capacity).unwrap_or(0);
        // SAFETY: the caller's block has more slots than are used.
        let fresh = unsafe { self.slots.add(used) };
        // SAFETY: the caller's block has this many; two zeros are a slot.
        unsafe { fresh.write_bytes(0, slots - used) };
    }

    unsafe fn move_to(self, to: Self, used: usize, len: usize) {
        // What follows goes first: nothing begins earlier than it did, so it makes room.
        // SAFETY: there is room for that many, by the caller's promise.
        unsafe { to.ids.copy_from(self.ids, len) };
        // SAFETY: as above.
        unsafe { to.slots.copy_from(self.slots, used) };
        if to.objects != self.objects {
            // SAFETY: as above, and other objects are in another block; those here are not used
            // again.
            unsafe { to.objects.copy_from_nonoverlapping(self.objects, len) };
        }
    }

    #[inline]
    fn word(self, slot: usize) -> u64 {
        // SAFETY: the slot is within the table, whose slots are all written.
        unsafe { (*self.at(slot).as_ptr()).word }.wide()
    }

    #[inline]
    fn set_word(self, slot: usize, word: u64) {
        // SAFETY: the slot is within the table, which alone writes it.
        unsafe { (*self.at(slot).as_ptr()).word = R::narrow(word) }
    }

    #[inline]
    fn put(self, slot: usize, bits: u64, len: usize, value: T) {
        // SAFETY: the place after the last object is below the capacity and holds none.
        unsafe { self.object_at(len).write(value) };
        self.set_bits_at(len, bits);
        let fresh = Slot { word: R::narrow(bits), place: R::narrow(len as u64) };
        // SAFETY: the slot is within the table, which alone writes it.
        unsafe { self.at(slot).write(fresh) };
    }

    #[inline]
    fn take(self, slot: usize, len: usize, mask: usize) -> T {
        let place = self.place_of(slot);
        let last = len - 1;
        // SAFETY: the slot is live, so an object is in its place (invariants 2 and 3).
        let taken = unsafe { self.object_at(place).read() };
        let moved = self.bits_at(last);
        // SAFETY: both places are below `len`; they may be the same, in which case nothing changes.
        // The object there was read, so it is held once.
        unsafe { self.object_at(place).copy_from(self.object_at(last), 1) };
        self.set_bits_at(place, moved);
        self.set_place(moved as usize & mask, place);
        taken
    }

    #[inline]
    fn place_of(self, slot: usize) -> usize {
        // SAFETY: the slot is within the table, whose slots are all written.
        unsafe { (*self.at(slot).as_ptr()).place }.wide() as usize
    }

    #[inline]
    fn set_place(self, slot: usize, place: usize) {
        // SAFETY: the slot is within the table, which alone writes it.
        unsafe { (*self.at(slot).as_ptr()).place = R::narrow(place as u64) }
    }

    #[inline]
    fn object_at(self, place: usize) -> NonNull<T> {
        // SAFETY: callers pass places below the capacity (invariant 1).
        unsafe { self.objects.add(place) }
    }

    #[inline]
    fn bits_at(self, place: usize) -> u64 {
        // SAFETY: the place is below `len`, so its id was written (invariant 2).
        unsafe { self.id_at(place).read() }.wide()
    }

    #[inline]
    fn next_place(self, place: usize, _used: usize, len: usize) -> Option<usize> {
        (place < len).then_some(place)
    }

    #[inline]
    fn cheapest_place(self, _place: usize, _used: usize, len: usize) -> Option<usize> {
        len.checked_sub(1)
    }

    #[inline]
    fn after(_place: usize) -> usize {
        0
    }

    #[inline]
    fn walk(self, _used: usize, len: usize) -> Range<usize> {
        0..len
    }

    fn check(self, slot: usize, live: bool, len: usize) -> Result<(), &'static str> {
        if !live {
            return Ok(());
        }
        let place = self.place_of(slot);
        if place >= len {
            return Err("the place of the slot is beyond the last object");
        }
        if self.bits_at(place) == self.word(slot) {
            Ok(())
        } else {
            Err("the id beside the object is another")
        }
    }
}
