//! The values of all keys, in one buffer: those of a key are a run of slots in a row.
//!
//! A run that is full moves to the end of what is used, with twice as many slots. What runs leave
//! idle comes back when the end of the buffer is reached: they are then copied into another one,
//! one after another.

use core::ptr::{self, NonNull};
use core::slice;

use loligo_allocators::Allocator;

use super::Keyed;
use crate::arrays::buffer::Buffer;
use crate::error::GrowError;

/// The slots of a key, of which the first `len` hold values.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) len: u32,
    pub(super) slots: u32,
}

/// The slots of a key's first run: four where they take 16 bytes at most, as the move of a run
/// costs more than they do.
const fn first_slots<V>() -> u32 {
    match size_of::<V>() {
        0..=4 => 4,
        5..=8 => 2,
        _ => 1,
    }
}

/// The slots of a run that is to hold `len` values: as many as the first has, 4, 8, 16 and so on.
const fn slots_for<V>(len: u32) -> u32 {
    match len {
        _ if len <= first_slots::<V>() => first_slots::<V>(),
        2..=4 => 4,
        _ => match len.checked_next_power_of_two() {
            Some(slots) => slots,
            None => len,
        },
    }
}

/// The buffer.
///
/// # Invariants
///
/// 1. The runs of the map's keys are apart from each other and below `end`, which is at most the
///    buffer's capacity.
/// 2. `idle` of the slots below `end` are in no run.
/// 3. The slots that hold values are those that a key's run says, and no others.
pub(super) struct Values<'a, V, A: Allocator + ?Sized> {
    buffer: Buffer<'a, V, A>,
    pub(super) end: u32,
    pub(super) idle: u32,
}

impl<'a, V, A: Allocator + ?Sized> Values<'a, V, A> {
    pub(super) const fn new(memory: &'a A) -> Self {
        Self { buffer: Buffer::new(memory), end: 0, idle: 0 }
    }

    /// Returns the allocator that the memory is from.
    pub(super) const fn memory(&self) -> &'a A {
        self.buffer.memory()
    }

    /// Returns how many slots are left after `end`.
    fn left(&self) -> u32 {
        self.buffer.capacity() - self.end
    }

    /// Returns how many first runs there is room for.
    pub(super) fn runs_left(&self) -> u32 {
        self.left() / first_slots::<V>()
    }

    /// Makes sure that there is room for `more` first runs. The runs may move.
    #[inline]
    pub(super) fn try_reserve_runs<K>(
        &mut self,
        more: usize,
        keys: &mut [Keyed<K>],
    ) -> Result<(), GrowError> {
        self.try_reserve(more.saturating_mul(first_slots::<V>() as usize), keys)
    }

    /// Makes sure that `more` slots are left. The runs may move.
    #[inline]
    fn try_reserve<K>(&mut self, more: usize, keys: &mut [Keyed<K>]) -> Result<(), GrowError> {
        if more as u64 <= u64::from(self.left()) { Ok(()) } else { self.make_room(more, keys) }
    }

    /// Makes room for one more value of a key: in its run, after its run where that is the last
    /// one, or by a move to the end.
    #[inline]
    pub(super) fn try_reserve_in<K>(
        &mut self,
        key: usize,
        keys: &mut [Keyed<K>],
    ) -> Result<(), GrowError> {
        let Run { len, slots, .. } = keys[key].run;
        if len < slots { Ok(()) } else { self.widen(key, keys) }
    }

    #[inline(never)]
    fn widen<K>(&mut self, key: usize, keys: &mut [Keyed<K>]) -> Result<(), GrowError> {
        let wanted = slots_for::<V>(keys[key].run.len.saturating_add(1));
        self.try_reserve(wanted as usize, keys)?;
        let run = &mut keys[key].run;
        if run.start + run.slots == self.end {
            self.end += wanted - run.slots;
        } else {
            // SAFETY: the run is below `end` and the slots from there on are free and as many as
            // wanted, so they are apart; from now on they hold the values (invariant 3).
            unsafe {
                self.slot(self.end).copy_from_nonoverlapping(self.slot(run.start), run.len as usize)
            };
            self.idle += run.slots;
            run.start = self.end;
            self.end += wanted;
        }
        run.slots = wanted;
        Ok(())
    }

    /// Makes room by a larger buffer, or where much is idle by one in which it is not.
    #[cold]
    #[inline(never)]
    fn make_room<K>(&mut self, more: usize, keys: &mut [Keyed<K>]) -> Result<(), GrowError> {
        if self.idle <= self.end / 4 || size_of::<V>() == 0 {
            return self.buffer.grow(self.end, more);
        }
        let sum = |slots: u64, keyed: &Keyed<K>| slots + u64::from(slots_for::<V>(keyed.run.len));
        let needed = keys.iter().fold(0, sum).saturating_add(more as u64);
        let usual = needed.saturating_mul(2).max(self.buffer.capacity().into());
        let mut buffer = Buffer::new(self.memory());
        buffer
            .grow_exact(0, usize::try_from(usual).unwrap_or(usize::MAX))
            .or_else(|_| buffer.grow_exact(0, usize::try_from(needed).unwrap_or(usize::MAX)))?;
        let to: NonNull<V> = buffer.start();
        let mut end = 0;
        for Keyed { run, .. } in keys {
            // SAFETY: both buffers hold the run: the fresh one has room for all, one after another.
            let place = unsafe { to.add(end as usize) };
            // SAFETY: as above; the values move, and those in the old buffer are not used again.
            unsafe { place.copy_from_nonoverlapping(self.slot(run.start), run.len as usize) };
            (run.start, run.slots) = (end, slots_for::<V>(run.len));
            end += run.slots;
        }
        (self.buffer, self.end, self.idle) = (buffer, end, 0);
        Ok(())
    }

    /// Hands out a run for a first value; there is room for it.
    #[inline]
    pub(super) fn begin_run(&mut self, value: V) -> Run {
        assert!(self.runs_left() > 0, "a run was reserved");
        let run = Run { start: self.end, len: 1, slots: first_slots::<V>() };
        // SAFETY: the slot is below the capacity, and in no run.
        unsafe { self.slot(self.end).write(value) };
        self.end += run.slots;
        run
    }

    /// Adds a value to a run that has room.
    #[inline]
    pub(super) fn push(&mut self, run: &mut Run, value: V) {
        assert!(run.len < run.slots, "a slot was reserved");
        // SAFETY: the slot is the run's and holds no value.
        unsafe { self.slot(run.start + run.len).write(value) };
        run.len += 1;
    }

    /// Returns the values of a run.
    #[inline]
    pub(super) fn of(&self, run: &Run) -> &[V] {
        // SAFETY: the first `len` slots of a run are values, by invariant 3.
        unsafe { slice::from_raw_parts(self.slot(run.start).as_ptr(), run.len as usize) }
    }

    /// Returns the values of a run, to be changed.
    #[inline]
    pub(super) fn of_mut(&mut self, run: &Run) -> &mut [V] {
        // SAFETY: as in `of`; the borrow of `self` is exclusive.
        unsafe { slice::from_raw_parts_mut(self.slot(run.start).as_ptr(), run.len as usize) }
    }

    /// Where the slots begin.
    pub(super) const fn start(&self) -> NonNull<V> {
        self.buffer.start()
    }

    /// Takes a value out of a run; those after it move down. `None` if there is none.
    #[inline]
    pub(super) fn remove(&mut self, run: &mut Run, at: usize) -> Option<V> {
        if at >= run.len as usize {
            return None;
        }
        let slot = self.slot(run.start + at as u32);
        // SAFETY: the slot holds a value, which is not used there again.
        let value = unsafe { slot.read() };
        let after = run.len as usize - at - 1;
        // SAFETY: the slots after it are the run's too.
        let next = unsafe { slot.add(1) };
        // SAFETY: as above; they move down by one, over the slot that was read.
        unsafe { slot.copy_from(next, after) };
        run.len -= 1;
        Some(value)
    }

    /// Keeps the values of a run that `keep` says yes to, asked in their order. If it or a
    /// destructor panics, those not yet asked about stay.
    pub(super) fn retain(&mut self, run: &mut Run, mut keep: impl FnMut(&mut V) -> bool) {
        let mut sifting = Sifting { first: self.slot(run.start), read: 0, kept: 0, run };
        while sifting.read < sifting.run.len as usize {
            // SAFETY: the slot is the run's, and its value was not moved yet.
            let slot = unsafe { sifting.first.add(sifting.read) };
            // SAFETY: as above, and nothing else refers to it.
            let is_kept = keep(unsafe { &mut *slot.as_ptr() });
            sifting.read += 1;
            if is_kept {
                // SAFETY: as above.
                let to = unsafe { sifting.first.add(sifting.kept) };
                // SAFETY: the place holds nothing, or this value itself.
                unsafe { to.copy_from(slot, 1) };
                sifting.kept += 1;
            } else {
                // SAFETY: the value was counted as read and not as kept: it is not used again.
                unsafe { slot.drop_in_place() };
            }
        }
    }

    /// Drops the values of a run that is no key's any more, and leaves its slots idle.
    #[inline]
    pub(super) fn end_run(&mut self, run: Run) {
        let Run { start, len, slots } = run;
        self.idle += slots;
        let values = ptr::slice_from_raw_parts_mut(self.slot(start).as_ptr(), len as usize);
        // SAFETY: the values are the run's, which is not used again.
        unsafe { ptr::drop_in_place(values) };
    }

    /// Begins again, when no key has a run.
    pub(super) const fn reset(&mut self) {
        (self.end, self.idle) = (0, 0);
    }

    #[inline]
    fn slot(&self, number: u32) -> NonNull<V> {
        // SAFETY: callers pass numbers of at most `end`, which is at most the capacity.
        unsafe { self.buffer.start().add(number as usize) }
    }
}

/// A run of which some values were taken out: what was not read yet moves down at the end.
struct Sifting<'r, V> {
    first: NonNull<V>,
    read: usize,
    kept: usize,
    run: &'r mut Run,
}

impl<V> Drop for Sifting<'_, V> {
    fn drop(&mut self) {
        let left = self.run.len as usize - self.read;
        // SAFETY: the place is in the run, or its end.
        let from = unsafe { self.first.add(self.read) };
        // SAFETY: as above.
        let to = unsafe { self.first.add(self.kept) };
        // SAFETY: the values that were not read are those of the run; the places that they move to
        // hold none.
        unsafe { to.copy_from(from, left) };
        self.run.len = (self.kept + left) as u32;
    }
}
