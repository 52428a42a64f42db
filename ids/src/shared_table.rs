//! Ids for several threads: handed out, checked and freed without a lock.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011), whose tables
//! belong to one system, and his "Managing Coupling" (2011), which notes that whatever both sides
//! touch is a threading problem. Changes: the ids alone are shared. The objects stay the caller's,
//! in arrays by index, and no index is used again before a moment in which no thread holds one.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "a cursor is below three times the slots, of which there are memory for two \
              words each; `collect` takes whole rounds off"
)]

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::error::{InsertError, TableDamage};
use crate::id::TableId;
use crate::policy::{End, GenerationEnd, Retire};
use crate::sync::{AtomicUsize, AtomicWord, Ordering, SharedRepr};
use crate::tag;

#[cfg(test)]
mod tests;

/// The atomic integer that holds an id of type `I`.
type Atomic<I> = <<I as TableId>::Repr as SharedRepr>::Atomic;

/// A table of ids without objects, for several threads.
///
/// `I` is the [`Id`](crate::Id)'s type. An id of 64 bits needs a machine that has atomics of that
/// size; others take a [`SmallId`](crate::SmallId).
///
/// [`create`](Self::create) hands out an id, whose index leads to a place in the caller's arrays;
/// [`remove`](Self::remove) ends it. The index of a removed id is not handed out again before
/// [`collect`](Self::collect), which borrows the table mutably, so that at that moment no thread is
/// about to use an index that it looked up: the end of a frame, for instance. Slots go round in a
/// queue, so a slot lives its lives as slowly as can be.
///
/// # Complexity
///
/// O(1), no operation waits for another thread that is stopped. `create` tries again when another
/// thread was quicker.
///
/// # Memory
///
/// Two integers of the id's size a slot, in one block that is taken when the table is made.
///
/// ```text
/// words  | id | dead | id | ..                         what an id is compared with
/// queue  | taken ..  | ready: 7 2 5 .. | returned: 3 .. |  a ring of indices
///                    ^ taken           ^ collected      ^ returned
/// ```
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`. An id that a thread was given by another (which
/// orders both) is known to it. A thread that is given nothing may find an id alive that has just
/// been removed, for as long as it could as well have asked before.
///
/// # When not to use it
///
/// Where one thread makes and removes objects, a [`HoleTable`](crate::HoleTable) holds the objects,
/// too.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{Id, SharedTable};
///
/// struct Shot;
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// type Shots<'a> = SharedTable<'a, Id<Shot>>;
/// let mut shots = Shots::new_in(100, &MEMORY)?;
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| {
///             let id = shots.create().expect("there are a hundred");
///             assert!(shots.index_of(id).is_some_and(|index| index < 100));
///             assert!(shots.remove(id));
///         });
///     }
/// });
/// assert_eq!(shots.collect(), 2);
/// # Ok::<(), loligo_ids::InsertError>(())
/// ```
///
/// # Invariants
///
/// 1. `words` leads to a block of `2 * slots` atomics from `memory`, the words and the queue;
///    `slots` is at most what the index can name.
/// 2. A live word is an id's bits, with the table's tag; any other has an index that is not its
///    own, the generation that lived last, and no tag.
/// 3. `taken <= collected <= returned <= taken + slots`, and the queue holds, at these positions
///    modulo `slots`, from `taken` to `returned` the indices of slots that are neither live nor
///    retired, each once.
/// 4. `collected` changes only through `&mut self`.
pub struct SharedTable<
    'a,
    I: TableId<Repr: SharedRepr>,
    E: GenerationEnd = Retire,
    A: Allocator + ?Sized = dyn Allocator + Sync + 'a,
> {
    words: NonNull<Atomic<I>>,
    slots: usize,
    taken: AtomicUsize,
    collected: usize,
    returned: AtomicUsize,
    retired: AtomicUsize,
    /// The table's tag, where it is in an id.
    tag: u64,
    memory: &'a A,
    kind: PhantomData<(I, E)>,
}

// SAFETY: the block is the table's own, and all that is in it is atomic; the allocator is reached
// by a shared reference.
unsafe impl<I: TableId<Repr: SharedRepr>, E: GenerationEnd, A: Allocator + Sync + ?Sized> Send
    for SharedTable<'_, I, E, A>
{
}

// SAFETY: as above; through a shared reference the block is only changed atomically, and the
// allocator is not called.
unsafe impl<I: TableId<Repr: SharedRepr>, E: GenerationEnd, A: Allocator + Sync + ?Sized> Sync
    for SharedTable<'_, I, E, A>
{
}

impl<'a, I: TableId<Repr: SharedRepr>, E: GenerationEnd> SharedTable<'a, I, E> {
    /// Returns a table of `slots` slots, all of them free.
    ///
    /// `memory` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
    ///
    /// # Complexity
    ///
    /// O(slots).
    ///
    /// # Errors
    ///
    /// [`InsertError::Full`] if the index of an id cannot name that many, [`InsertError::Memory`]
    /// if `memory` refuses.
    pub fn new(slots: usize, memory: &'a (dyn Allocator + Sync + 'a)) -> Result<Self, InsertError> {
        Self::new_in(slots, memory)
    }
}

impl<'a, I: TableId<Repr: SharedRepr>, E: GenerationEnd, A: Allocator + ?Sized>
    SharedTable<'a, I, E, A>
{
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn new_in(slots: usize, memory: &'a A) -> Result<Self, InsertError> {
        if slots as u64 > I::SLOTS {
            let limit = I::SLOTS;
            return Err(InsertError::Full {
                limit,
                live: 0,
                reserved: 0,
                retired: 0,
                held_back: 0,
            });
        }
        let words = if slots == 0 {
            NonNull::dangling()
        } else {
            let refused = |bytes| InsertError::Memory { slots: slots as u64, bytes };
            let layout = Self::layout(slots).ok_or(refused(u64::MAX))?;
            let block = memory.allocate(layout).map_err(|_| refused(layout.size() as u64))?;
            block.cast::<Atomic<I>>()
        };
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
            words,
            slots,
            taken: AtomicUsize::new(0),
            collected: slots,
            returned: AtomicUsize::new(slots),
            retired: AtomicUsize::new(0),
            tag: tag::next::<I>(),
            memory,
            kind: PhantomData,
        })
    }

    /// Sets the tag of the table, in place of the one that it took by itself: for ids that are to
    /// be the same in every run, as [`Table::with_tag`](crate::Table::with_tag).
    ///
    /// # Panics
    ///
    /// If the tag does not fit into the bits that index and generation leave in an id, or if the
    /// table has already issued ids.
    #[must_use]
    pub fn with_tag(mut self, tag: u64) -> Self {
        // Slot 0 is handed out first, and a slot that had an id keeps a generation. Relaxed: `self`
        // comes after whatever was done through `&self`.
        let is_fresh =
            self.slots == 0 || self.word(0).load(Ordering::Relaxed) & I::GENERATION_MASK == 0;
        assert!(is_fresh, "the table gave out ids before it got tag {tag}");
        self.tag = tag::given::<I>(tag);
        self
    }

    /// Returns the table's tag; 0 where its ids have no bits for one. It takes one when it is made,
    /// of those that [`Table::tag`](crate::Table::tag) counts.
    #[must_use]
    pub fn tag(&self) -> u64 {
        tag::of::<I>(self.own_tag())
    }

    /// Hands out an id.
    ///
    /// # Errors
    ///
    /// [`InsertError::Full`] if no slot is ready; those removed since the last
    /// [`collect`](Self::collect) are counted as held back. [`InsertError::Spent`] with
    /// [`Refuse`](crate::Refuse), if the slot has lived all its lives.
    #[inline]
    pub fn create(&self) -> Result<I, InsertError> {
        // Relaxed: a thread that takes a position reads what was written there before the last
        // `collect`, which by its `&mut self` came before every use of this `&self`.
        let mut at = self.taken.load(Ordering::Relaxed);
        loop {
            if at == self.collected {
                return Err(self.none_ready());
            }
            // While `taken` is `at`, no thread writes this entry; if it no longer is, the exchange
            // below fails and what was read is not used. Acquire pairs with the Release in
            // `remove`: a thread that reads what was written there for the next round finds `taken`
            // beyond `at`.
            let slot = self.entry(at).load(Ordering::Acquire) as usize;
            // Relaxed: the slot's word was last written by a removal before the last `collect`.
            let mut last = self.word(slot).load(Ordering::Relaxed) & I::GENERATION_MASK;
            if last == I::GENERATION_MASK {
                if E::END == End::Refuse && self.taken.load(Ordering::Relaxed) == at {
                    let (index, generations) = (slot as u64, I::GENERATIONS);
                    return Err(InsertError::Spent { index, generations });
                }
                last = 0;
            }
            // The exchange alone decides who owns the position. Release orders the read of the
            // entry before it, and Acquire passes that on from one position to the next: so the
            // read happens before any thread writes the entry for the next round (see `remove`).
            // Relaxed on failure: `at` is read again.
            let next = self.taken.compare_exchange(at, at + 1, Ordering::AcqRel, Ordering::Relaxed);
            let Err(other) = next else {
                let bits = self.own_tag() | (last + I::GENERATION_ONE) | slot as u64;
                // Release pairs with the Acquire in `contains` and in `remove`.
                self.word(slot).store(bits, Ordering::Release);
                // SAFETY: the bits have a generation.
                return Ok(unsafe { I::unchecked(bits) });
            };
            at = other;
        }
    }

    /// Ends an id. Returns whether it was alive: of several threads that remove one id, exactly one
    /// gets `true`.
    ///
    /// Its index is handed out again after [`collect`](Self::collect).
    #[inline]
    pub fn remove(&self, id: I) -> bool {
        let bits = id.bits();
        let Some(slot) = self.slot(bits) else { return false };
        let generation = bits & I::GENERATION_MASK;
        let dead = generation | (slot ^ 1) as u64;
        // Acquire pairs with the Release in `create`; Release with the Acquire in `contains`, so
        // that a thread that sees the id dead sees what was done before. Relaxed on failure:
        // nothing is read then.
        let ended =
            self.word(slot).compare_exchange(bits, dead, Ordering::AcqRel, Ordering::Relaxed);
        if ended.is_err() {
            return false;
        }
        if E::END == End::Retire && generation == I::GENERATION_MASK {
            // Relaxed: a count.
            self.retired.fetch_add(1, Ordering::Relaxed);
            return true;
        }
        // Each position is given to one thread. It is free, since the slot itself is not in the
        // queue (invariant 3): an id from the position a round earlier, or from a later one, was
        // removed before. That removal may be another thread's, so Acquire and Release pass on,
        // from each removal to the next, that the entry was read; else it could be overwritten
        // before a slow processor reads it.
        let at = self.returned.fetch_add(1, Ordering::AcqRel);
        // Release pairs with the Acquire in `create`; else it is read after `collect`, whose `&mut
        // self` orders both.
        self.entry(at).store(slot as u64, Ordering::Release);
        true
    }

    /// Returns `true` if the id is alive.
    #[inline]
    #[must_use]
    pub fn contains(&self, id: I) -> bool {
        let bits = id.bits();
        let live = |slot| {
            // Acquire pairs with the Release in `create` and in `remove`.
            self.word(slot).load(Ordering::Acquire) == bits
        };
        self.slot(bits).is_some_and(live)
    }

    /// Returns the id's index if it is alive: below [`capacity`](Self::capacity), for the caller's
    /// arrays. Until the next [`collect`](Self::collect) no other id has it, even if this one is
    /// removed.
    #[inline]
    #[must_use]
    pub fn index_of(&self, id: I) -> Option<usize> {
        self.contains(id).then(|| (id.bits() & I::INDEX_MASK) as usize)
    }

    /// Makes the slots of removed ids ready to be used again, and returns how many.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn collect(&mut self) -> usize {
        // Relaxed: `&mut self` comes after whatever was done through `&self`.
        let returned = self.returned.load(Ordering::Relaxed);
        let taken = self.taken.load(Ordering::Relaxed);
        let count = returned - self.collected;
        // Both continue from within the first round, so that they never overflow.
        let rounds = taken.checked_div(self.slots).unwrap_or(0) * self.slots;
        self.taken.store(taken - rounds, Ordering::Relaxed);
        self.returned.store(returned - rounds, Ordering::Relaxed);
        self.collected = returned - rounds;
        count
    }

    /// Returns how many ids are alive, as far as this thread can see.
    #[must_use]
    pub fn len(&self) -> usize {
        // Relaxed: a momentary view, read in this order so that the difference is not negative
        // except briefly.
        let returned = self.returned.load(Ordering::Relaxed);
        let retired = self.retired.load(Ordering::Relaxed);
        let queued = returned.saturating_sub(self.taken.load(Ordering::Relaxed));
        self.slots.saturating_sub(queued + retired)
    }

    /// Returns `true` if no ids are alive, as far as this thread can see.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many slots there are.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots
    }

    /// Checks the table's own structure, in release builds too.
    ///
    /// # Complexity
    ///
    /// O(slots^2): for tests.
    ///
    /// # Errors
    ///
    /// [`TableDamage`] names the first fault found.
    pub fn validate(&mut self) -> Result<(), TableDamage> {
        let wrong = |what, index| Err(TableDamage { what, index });
        // Relaxed, here and below: `&mut self` comes after whatever was done through `&self`.
        let taken = self.taken.load(Ordering::Relaxed);
        let returned = self.returned.load(Ordering::Relaxed);
        if taken > self.collected || self.collected > returned || returned - taken > self.slots {
            return wrong("the queue's ends are out of order", taken as u64);
        }
        let mut live = 0;
        for slot in 0..self.slots {
            let word = self.word(slot).load(Ordering::Relaxed);
            let is_live = word & I::INDEX_MASK == slot as u64;
            if word & !(I::INDEX_MASK | I::GENERATION_MASK) != if is_live { self.tag } else { 0 } {
                return wrong("a slot has a tag that is not its own", slot as u64);
            }
            live += usize::from(is_live);
        }
        let retired = self.retired.load(Ordering::Relaxed);
        if live + retired + (returned - taken) != self.slots {
            return wrong("live, retired and queued slots are not all", live as u64);
        }
        for at in taken..returned {
            let slot = self.entry(at).load(Ordering::Relaxed);
            let Some(found) = self.slot(slot).filter(|_| slot <= I::INDEX_MASK) else {
                return wrong("the queue holds what is no slot", slot);
            };
            if self.word(found).load(Ordering::Relaxed) & I::INDEX_MASK == slot {
                return wrong("a slot is queued that is live", slot);
            }
            let queued_again = |other: usize| self.entry(other).load(Ordering::Relaxed) == slot;
            if (at + 1..returned).any(queued_again) {
                return wrong("a slot is queued twice", slot);
            }
        }
        Ok(())
    }

    /// Returns the tag where an id has it. The compiler knows that there is none where no bits are
    /// left for it.
    #[inline]
    fn own_tag(&self) -> u64 {
        if I::TAG_BITS == 0 { 0 } else { self.tag }
    }

    /// Returns the slot that bits name, if there is one.
    #[inline]
    fn slot(&self, bits: u64) -> Option<usize> {
        let index = bits & I::INDEX_MASK;
        (index < self.slots as u64).then_some(index as usize)
    }

    #[inline]
    fn word(&self, slot: usize) -> &Atomic<I> {
        debug_assert!(slot < self.slots, "slot {slot} is within the table");
        // SAFETY: callers pass slots of the table (invariants 1 and 3).
        let word = unsafe { self.words.add(slot) };
        // SAFETY: the atomic was written when the table was made, and is only used as one.
        unsafe { word.as_ref() }
    }

    #[inline]
    fn entry(&self, at: usize) -> &Atomic<I> {
        // `at` modulo `slots`, without a division: `collect` leaves `taken` below `slots`, so no
        // position reaches `3 * slots` before the next (invariant 3). Twice `slots` atomics fit
        // into memory.
        let rounds = usize::from(at >= self.slots) + usize::from(at >= 2 * self.slots);
        let at = at - rounds * self.slots;
        debug_assert!(at < self.slots, "entry {at} is within the queue");
        // SAFETY: the queue is the second half of the block, and the entry is below `slots`.
        let entry = unsafe { self.words.add(self.slots + at) };
        // SAFETY: as in `word`.
        unsafe { entry.as_ref() }
    }

    fn layout(slots: usize) -> Option<Layout> {
        Layout::array::<Atomic<I>>(slots.checked_mul(2)?).ok()
    }

    #[cold]
    fn none_ready(&self) -> InsertError {
        // Relaxed: counts for a message.
        let held_back = self.returned.load(Ordering::Relaxed).saturating_sub(self.collected);
        let retired = self.retired.load(Ordering::Relaxed);
        full(self.slots as u64, held_back as u64, retired as u64)
    }
}

#[cold]
fn full(limit: u64, held_back: u64, retired: u64) -> InsertError {
    let live = limit.saturating_sub(held_back + retired);
    InsertError::Full { limit, live, reserved: 0, retired, held_back }
}

impl<I: TableId<Repr: SharedRepr>, E: GenerationEnd, A: Allocator + ?Sized> Drop
    for SharedTable<'_, I, E, A>
{
    fn drop(&mut self) {
        if self.slots == 0 {
            return;
        }
        if core::mem::needs_drop::<Atomic<I>>() {
            for at in 0..2 * self.slots {
                // SAFETY: the block holds this many (invariant 1).
                let atomic = unsafe { self.words.add(at) };
                // SAFETY: it was written when the table was made, and is not used again.
                unsafe { atomic.drop_in_place() };
            }
        }
        let Some(layout) = Self::layout(self.slots) else {
            unreachable!("the block was taken with a layout");
        };
        // SAFETY: the block came from this allocator with this layout, and is not used any more.
        unsafe { self.memory.deallocate_sized(self.words.cast(), layout) };
    }
}
