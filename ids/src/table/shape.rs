//! What the two arrangements of a table's memory have in common.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "a quotient by 64 times 8 is smaller than what was divided, and bytes and \
              alignment were checked to fit an `isize`"
)]

use core::ptr::NonNull;

use crate::id::{Repr, Sealed};

/// How a table is in memory: [`Holes`](crate::Holes) or [`Packed`](crate::Packed).
///
/// Sealed. Code that is generic over it works with either table.
pub trait Shape: Sealed + 'static {
    /// The pointers into a table's memory.
    #[doc(hidden)]
    type Parts<T, R: Repr>: Parts<T, R>;
}

/// What a place of each kind takes, from which the layout of a table follows.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// Bytes of a slot: what an id is compared with.
    pub slot: usize,
    /// Whether a bitmap marks the live places.
    pub bitmap: bool,
    /// Bytes for each object that are neither in the slots nor in the objects.
    pub beside: usize,
    /// Bytes for each place in the separate list of free slots.
    pub free: usize,
    /// Bytes of a place for an object.
    pub object: usize,
    /// Alignment of a place for an object.
    pub align: usize,
}

/// Where the arrays of a table begin, after the objects, which come first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets {
    /// The slots.
    pub(crate) slots: usize,
    /// The bitmap, or the ids of the objects.
    pub(crate) beside: usize,
    /// Where the list of free slots ends, which follows that. The end of the whole.
    pub(crate) bytes: usize,
}

/// Returns how many slots a table has for `capacity` objects: a power of two, so that a mask keeps
/// any index within, and at least two, so that a dead slot can hold an index that is not its own.
pub(crate) const fn slots_for(capacity: usize) -> Option<usize> {
    let least = if capacity < 2 { 2 } else { capacity };
    least.checked_next_power_of_two()
}

/// Returns where the arrays begin, or `None` if no memory is that large. None of them begins
/// earlier where the capacity is larger.
pub(crate) const fn offsets(measures: Measures, capacity: usize) -> Option<Offsets> {
    let Some(count) = slots_for(capacity) else { return None };
    let Some(objects) = capacity.checked_mul(measures.object) else { return None };
    let Some(slots) = objects.checked_next_multiple_of(8) else { return None };
    // Slots are of 4, 8 or 16 bytes and at least two, so what follows them is aligned to 8.
    let Some(slots_bytes) = count.checked_mul(measures.slot) else { return None };
    let Some(beside) = slots.checked_add(slots_bytes) else { return None };
    let each = if measures.bitmap {
        Some(capacity.div_ceil(64) * 8)
    } else {
        capacity.checked_mul(measures.beside)
    };
    let Some(each) = each else { return None };
    let Some(end) = beside.checked_add(each) else { return None };
    let Some(free) = capacity.checked_mul(measures.free) else { return None };
    let Some(bytes) = end.checked_add(free) else { return None };
    if bytes > (isize::MAX as usize) - align(measures) {
        return None;
    }
    Some(Offsets { slots, beside, bytes })
}

/// Returns the alignment of a table's memory.
pub(crate) const fn align(measures: Measures) -> usize {
    if measures.align > 8 { measures.align } else { 8 }
}

/// Returns how many `u64` a table of fixed capacity needs, wherever they begin.
pub(crate) const fn fixed_len(measures: Measures, capacity: usize) -> Option<usize> {
    match offsets(measures, capacity) {
        None => None,
        // There are machines on which a `u64` is aligned to four bytes.
        Some(offsets) => Some((offsets.bytes + align(measures) - align_of::<u64>()).div_ceil(8)),
    }
}

/// The pointers into a table's memory, and what differs between the two arrangements.
///
/// A *slot* is what the index of an id names, a *place* is where the object is: the same number in
/// a table with holes, another in a packed one.
///
/// These methods check nothing in release builds: the table that calls them keeps slots below the
/// number that [`slots_for`] gives, and places for objects below the capacity. Nothing outside of
/// this crate can get hold of a table's parts.
#[doc(hidden)]
pub trait Parts<T, R: Repr>: Copy {
    /// From which the layout follows, but for the list of free slots.
    const MEASURES: Measures;

    /// Whether a stack of the free slots needs separate room. Else it is at the end of the array
    /// that accompanies the objects (`beside`), which the entries of live objects do not reach.
    const STACK_APART: bool;

    /// Names the arrangement in a saved image.
    const CODE: u32;

    /// Whether objects are in places of their own, not in those that the index names.
    const PACKED: bool;

    /// Visits the live places in order.
    type Walk: ExactSizeIterator<Item = usize> + DoubleEndedIterator + Clone;

    /// Returns the parts of a table without memory: one slot, which equals no id and is never
    /// written.
    fn nowhere() -> Self;

    /// Returns where the block begins.
    fn block(self) -> NonNull<u8>;

    /// Returns the parts of a table in `block`.
    ///
    /// # Safety
    ///
    /// The block is as large as [`offsets`] says for `measures` and `capacity`, and aligned as
    /// [`align`] says. The measures are [`MEASURES`](Self::MEASURES) but for the list of free
    /// slots.
    unsafe fn within(block: NonNull<u8>, measures: Measures, capacity: usize) -> Self;

    /// Makes every slot from `used` on dead.
    ///
    /// # Safety
    ///
    /// These are the parts of a block for `capacity` objects.
    unsafe fn format(self, used: usize, capacity: usize);

    /// Moves the first `used` slots and `len` objects, and the data that accompanies them, to other
    /// parts.
    ///
    /// # Safety
    ///
    /// Both are parts of blocks with room for them, and these are not used again. Both are in two
    /// blocks that are apart, or in one, in which `to` is for no smaller capacity than these.
    unsafe fn move_to(self, to: Self, used: usize, len: usize);

    /// Returns the word of a slot: the id's bits where it is live.
    fn word(self, slot: usize) -> u64;

    /// Writes the word of a slot.
    fn set_word(self, slot: usize, word: u64);

    /// Makes a slot live, with `len` live ones before.
    fn put(self, slot: usize, bits: u64, len: usize, value: T);

    /// Takes the object of a live slot out, with `len` live ones before, and leaves the slot's word
    /// as it is. `mask` takes the slot from an id's bits.
    fn take(self, slot: usize, len: usize, mask: usize) -> T;

    /// Returns the place of a live slot.
    fn place_of(self, slot: usize) -> usize;

    /// Writes the place of a live slot, where the arrangement keeps it.
    fn set_place(self, slot: usize, place: usize);

    /// Returns the object at a place.
    fn object_at(self, place: usize) -> NonNull<T>;

    /// Returns the bits of the id of the object at a live place.
    fn bits_at(self, place: usize) -> u64;

    /// Returns the first live place from `place` on.
    fn next_place(self, place: usize, used: usize, len: usize) -> Option<usize>;

    /// Returns the live place from `place` on whose object is cheapest to remove.
    fn cheapest_place(self, place: usize, used: usize, len: usize) -> Option<usize>;

    /// Returns from where to look for the next cheapest place, after the object at `place` is
    /// removed.
    fn after(place: usize) -> usize;

    /// Visits the live places in order, while the table is not changed.
    fn walk(self, used: usize, len: usize) -> Self::Walk;

    /// Checks that the arrangement's data for a slot, other than its word, agrees with whether the
    /// slot is live.
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    fn check(self, slot: usize, live: bool, len: usize) -> Result<(), &'static str>;
}
