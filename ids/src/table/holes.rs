//! The array with holes: an object stays in the place that its id names.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "places below the capacity and numbers of words no smaller than those used"
)]

use core::ptr::NonNull;

use crate::id::{Repr, Sealed};
use crate::table::hole_walk::HoleWalk;
use crate::table::shape::{Measures, Offsets, Parts, Shape, offsets, slots_for};

/// The arrangement of a [`HoleTable`](crate::HoleTable): objects never move.
#[derive(Clone, Copy, Debug)]
pub enum Holes {}

impl Sealed for Holes {}

impl Shape for Holes {
    type Parts<T, R: Repr> = HoleParts<T, R>;
}

/// # Invariants
///
/// 1. `words` leads to as many words as [`slots_for`] says, `live` to a bit for each place,
///    `objects` to the places, all in one block; without a block `words` leads to one zero.
/// 2. The bit of a place is set where the slot's word is live, and then there is an object.
#[doc(hidden)]
pub struct HoleParts<T, R: Repr> {
    words: NonNull<R>,
    live: NonNull<u64>,
    objects: NonNull<T>,
}

impl<T, R: Repr> Clone for HoleParts<T, R> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R: Repr> Copy for HoleParts<T, R> {}

/// What a table without memory points to: its only slot equals no id.
pub(super) static NOTHING: [u64; 2] = [0; 2];

impl<T, R: Repr> HoleParts<T, R> {
    #[inline]
    fn at(self, slot: usize) -> NonNull<R> {
        // SAFETY: callers pass slots of this table, or 0 where there is no block (invariant 1).
        unsafe { self.words.add(slot) }
    }

    #[inline]
    fn bits(self, place: usize) -> NonNull<u64> {
        // SAFETY: callers pass places below the capacity, each of which has a bit (invariant 1).
        unsafe { self.live.add(place / 64) }
    }

    #[inline]
    fn live_word(self, place: usize) -> u64 {
        // SAFETY: the word is within the bitmap, which was zeroed when it was made.
        unsafe { self.bits(place).read() }
    }

    #[inline]
    fn set_live_word(self, place: usize, word: u64) {
        // SAFETY: the word is within the bitmap, which the table alone writes.
        unsafe { self.bits(place).write(word) }
    }
}

impl<T, R: Repr> Parts<T, R> for HoleParts<T, R> {
    const MEASURES: Measures = Measures {
        slot: size_of::<R>(),
        bitmap: true,
        beside: 0,
        free: 0,
        object: size_of::<T>(),
        align: align_of::<T>(),
    };
    const CODE: u32 = 1;
    const PACKED: bool = false;
    const STACK_APART: bool = true;
    type Walk = HoleWalk;

    fn nowhere() -> Self {
        Self {
            words: NonNull::from(&NOTHING).cast(),
            live: NonNull::from(&NOTHING).cast(),
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
        Self { words: slots.cast(), live: beside.cast(), objects: block.cast() }
    }

    unsafe fn format(self, used: usize, capacity: usize) {
        let slots = slots_for(capacity).unwrap_or(0);
        // SAFETY: the caller's block has more words than are used.
        let words = unsafe { self.words.add(used) };
        // SAFETY: the caller's block has this many; zero is a number.
        unsafe { words.write_bytes(0, slots - used) };
        // In the last word that is used the bits of places that are not are clear.
        let (first, behind) = (used.div_ceil(64), capacity.div_ceil(64));
        // SAFETY: the caller's block has a bit for each place, and more places than are used.
        let live = unsafe { self.live.add(first) };
        // SAFETY: as above.
        unsafe { live.write_bytes(0, behind - first) };
    }

    unsafe fn move_to(self, to: Self, used: usize, _len: usize) {
        // What follows goes first: nothing begins earlier than it did, so it makes room.
        // SAFETY: there is room for that many, by the caller's promise.
        unsafe { to.live.copy_from(self.live, used.div_ceil(64)) };
        // SAFETY: as above.
        unsafe { to.words.copy_from(self.words, used) };
        if to.objects != self.objects {
            // SAFETY: as above, and other objects are in another block. Places are copied whether
            // or not there is an object.
            unsafe { to.objects.copy_from_nonoverlapping(self.objects, used) };
        }
    }

    #[inline]
    fn word(self, slot: usize) -> u64 {
        // SAFETY: the slot is within the table, whose words are all written.
        unsafe { self.at(slot).read() }.wide()
    }

    #[inline]
    fn set_word(self, slot: usize, word: u64) {
        // SAFETY: the slot is within the table, which alone writes its words.
        unsafe { self.at(slot).write(R::narrow(word)) }
    }

    #[inline]
    fn put(self, slot: usize, bits: u64, _len: usize, value: T) {
        // SAFETY: the slot was dead, so there is no object, and the place is the table's own.
        unsafe { self.object_at(slot).write(value) };
        self.set_word(slot, bits);
        self.set_live_word(slot, self.live_word(slot) | 1 << (slot % 64));
    }

    #[inline]
    fn take(self, slot: usize, _len: usize, _mask: usize) -> T {
        self.set_live_word(slot, self.live_word(slot) & !(1 << (slot % 64)));
        // SAFETY: the slot was live, so there is an object (invariant 2), which is not used again.
        unsafe { self.object_at(slot).read() }
    }

    #[inline]
    fn place_of(self, slot: usize) -> usize {
        slot
    }

    fn set_place(self, _slot: usize, _place: usize) {}

    #[inline]
    fn object_at(self, place: usize) -> NonNull<T> {
        // SAFETY: callers pass places below the capacity (invariant 1).
        unsafe { self.objects.add(place) }
    }

    #[inline]
    fn bits_at(self, place: usize) -> u64 {
        self.word(place)
    }

    #[inline]
    fn next_place(self, place: usize, used: usize, _len: usize) -> Option<usize> {
        if place >= used {
            return None;
        }
        let mut base = place / 64 * 64;
        let mut word = self.live_word(place) & (u64::MAX << (place % 64));
        while word == 0 {
            base += 64;
            if base >= used {
                return None;
            }
            word = self.live_word(base);
        }
        Some(base + word.trailing_zeros() as usize)
    }

    #[inline]
    fn cheapest_place(self, place: usize, used: usize, len: usize) -> Option<usize> {
        self.next_place(place, used, len)
    }

    #[inline]
    fn after(place: usize) -> usize {
        place + 1
    }

    #[inline]
    fn walk(self, used: usize, len: usize) -> HoleWalk {
        let words = if len == 0 { 0 } else { used.div_ceil(64) };
        // SAFETY: the bitmap has a bit for each place that was used.
        unsafe { HoleWalk::new(self.live, words) }
    }

    fn check(self, slot: usize, live: bool, _len: usize) -> Result<(), &'static str> {
        let bit = self.live_word(slot) >> (slot % 64) & 1 != 0;
        if bit == live { Ok(()) } else { Err("the bitmap and the slot differ on its being live") }
    }
}
