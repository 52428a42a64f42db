//! Merging sorted entries into a map, from the end and in place.

use core::cmp::Ordering;

use loligo_allocators::Allocator;

use super::pending::Pending;
use crate::arrays::array::Array;

/// A map while entries are merged into it.
///
/// ```text
/// keys    | not looked at | gap | merged |       the same for the values
/// 0                       len   out      end
/// pending | not merged |
/// ```
///
/// Dropped, at the end or by a panic, it closes the gap: what was not merged waits on.
///
/// # Invariants
///
/// 1. The arrays count those not looked at, equally many. Those from `out` to `end`, which is at
///    most the capacity of both, are alive, too.
/// 2. `out - len` is at least the number of entries not merged.
pub(super) struct Merge<'m, 'a, K, V, A: Allocator + ?Sized> {
    keys: &'m mut Array<'a, K, A>,
    values: &'m mut Array<'a, V, A>,
    pending: &'m mut Array<'a, Pending<K, V>, A>,
    out: usize,
    end: usize,
}

impl<'m, 'a, K: Ord, V, A: Allocator + ?Sized> Merge<'m, 'a, K, V, A> {
    /// Begins to merge `pending`, which are sorted and have no key twice.
    ///
    /// # Safety
    ///
    /// There are as many keys as values, and after both there is room for all of `pending`.
    pub(super) unsafe fn new(
        keys: &'m mut Array<'a, K, A>,
        values: &'m mut Array<'a, V, A>,
        pending: &'m mut Array<'a, Pending<K, V>, A>,
    ) -> Self {
        let end = keys.len() + pending.len();
        debug_assert!(keys.len() == values.len(), "{} keys, {} values", keys.len(), values.len());
        debug_assert!(end <= keys.capacity().min(values.capacity()), "no room for {end} entries");
        Self { keys, values, pending, out: end, end }
    }

    /// Merges all entries.
    pub(super) fn run(mut self) {
        while let Some(next) = self.pending.last() {
            let (above, found) = place(self.keys, &next.key);
            self.move_up(above);
            self.put(found);
        }
    }

    /// Moves the keys from `above` on, and their values, up to those merged.
    fn move_up(&mut self, above: usize) {
        let count = self.keys.len() - above;
        if count == 0 {
            return;
        }
        self.out -= count;
        // SAFETY: that many entries are alive from `above` on, and they end at `len`, which is at
        // most `out` before this; after `len` there is the gap (invariants 1 and 2).
        unsafe { move_within(self.keys, above, self.out, count) };
        // SAFETY: as above, as there are as many values.
        unsafe { move_within(self.values, above, self.out, count) };
    }

    /// Puts the last entry that waits before those merged: in the place of the last one not looked
    /// at, if that has its key.
    fn put(&mut self, found: bool) {
        let Some(Pending { key, value, .. }) = self.pending.pop() else { return };
        self.out -= 1;
        if !found {
            // SAFETY: `out` was above `len`, as an entry was not merged (invariant 2).
            unsafe { write(self.keys, self.out, key) };
            // SAFETY: as above.
            unsafe { write(self.values, self.out, value) };
            return;
        }
        let (old_key, old_value) = (self.keys.pop(), self.values.pop());
        if let Some(old_key) = old_key {
            // SAFETY: as above: `out` is at least what `len` was.
            unsafe { write(self.keys, self.out, old_key) };
        }
        // SAFETY: as above.
        unsafe { write(self.values, self.out, value) };
        // The state is whole when their destructors run.
        drop(old_value);
        drop(key);
    }
}

impl<K, V, A: Allocator + ?Sized> Drop for Merge<'_, '_, K, V, A> {
    fn drop(&mut self) {
        let (len, count) = (self.keys.len(), self.end - self.out);
        // SAFETY: that many are alive from `out` on, which is at least `len`; between them is the
        // gap (invariant 1).
        unsafe { move_within(self.keys, self.out, len, count) };
        // SAFETY: as above.
        unsafe { move_within(self.values, self.out, len, count) };
        // SAFETY: they follow the first `len` now, within the capacity.
        unsafe { self.keys.set_len(len + count) };
        // SAFETY: as above.
        unsafe { self.values.set_len(len + count) };
    }
}

/// Moves elements within an array's block. Those moved up from its end are counted no more, those
/// moved down not yet.
///
/// # Safety
///
/// The given number of elements is alive at `from`, the places from `to` on are within the capacity, and none
/// lives there but those.
unsafe fn move_within<T, A: Allocator + ?Sized>(
    array: &mut Array<'_, T, A>,
    from: usize,
    to: usize,
    count: usize,
) {
    if from < array.len() {
        // SAFETY: fewer than before; the others are in the caller's care.
        unsafe { array.set_len(from) };
    }
    // SAFETY: within the block, as promised.
    let source = unsafe { array.start().add(from) };
    // SAFETY: within the block, as promised.
    let place = unsafe { array.start().add(to) };
    // SAFETY: as promised.
    unsafe { source.copy_to(place, count) };
}

/// Writes an element after those that an array counts.
///
/// # Safety
///
/// The place is within the capacity, and no element lives there.
unsafe fn write<T, A: Allocator + ?Sized>(array: &mut Array<'_, T, A>, index: usize, element: T) {
    // SAFETY: within the block, as promised.
    let place = unsafe { array.start().add(index) };
    // SAFETY: as promised.
    unsafe { place.write(element) };
}

/// Returns how many of the keys are less than `key` or equal to it, and whether the last of those
/// is equal. It looks from the end in steps that double, so that it quickly finds the places of
/// many entries that are close together.
fn place<K: Ord>(keys: &[K], key: &K) -> (usize, bool) {
    let mut above = keys.len();
    let mut step = 1;
    let below = loop {
        let Some(probe) = above.checked_sub(step) else { break 0 };
        match keys[probe].cmp(key) {
            Ordering::Equal => return (probe + 1, true),
            Ordering::Less => break probe + 1,
            Ordering::Greater => above = probe,
        }
        step *= 2;
    };
    match keys[below..above].binary_search(key) {
        Ok(index) => (below + index + 1, true),
        Err(index) => (below + index, false),
    }
}
