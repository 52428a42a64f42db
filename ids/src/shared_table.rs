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

mod check;
mod lane;
mod memory;

use core::marker::PhantomData;
use core::ptr::NonNull;

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::{TableId, tag_of};
use crate::policy::{End, GenerationEnd, Retire};
use crate::sync::{self, AtomicUsize, AtomicWord, Ordering, SharedRepr};
use crate::tag;
use lane::{Lane, Lanes, Share};

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
/// about to use an index that it looked up: the end of a frame, for instance. Slots go round in
/// queues, which take turns, so a slot lives its lives slowly.
///
/// The slots are in up to eight lanes, each with a queue. As long as threads do not meet, all take
/// from the same lane, and indices come in an order that is the same in every run; from then on
/// each begins with a lane by where its stack is, and as long as there are slots in it, what it
/// changes is in no other thread's cache line.
///
/// # Complexity
///
/// O(1), no operation waits for another thread that is stopped. `create` tries again when another
/// thread was quicker, and goes through the other lanes when its own is used up.
///
/// # Memory
///
/// Two integers of the id's size a slot and 128 bytes a lane, in one block that is taken when the
/// table is made. A lane has 64 slots or more.
///
/// ```text
/// lanes  | cursors | cursors | ..
/// words  | id | dead | id | ..                         what an id is compared with
/// queues | taken ..  | ready: 7 2 5 .. | returned: 3 .. |  for each lane a ring of indices
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
/// 1. `lanes` leads to a block from `memory` of as many lanes as `shape` says, and `words` to the
///    `2 * slots` atomics in it, the words and the queues; `slots` is at most what the index can
///    name.
/// 2. A live word is an id's bits, with the table's tag; any other has an index that is not its
///    own, the generation that lived last, and no tag.
/// 3. In each lane `taken <= collected <= returned <= taken + slots`, and its queue holds, at these
///    positions modulo its slots, from `taken` to `returned` the indices of those of its slots that
///    are neither live nor retired, each once.
/// 4. `collected`, `shape` and `turn` change only through `&mut self`.
pub struct SharedTable<
    'a,
    I: TableId<Repr: SharedRepr>,
    E: GenerationEnd = Retire,
    A: Allocator + ?Sized = dyn Allocator + Sync + 'a,
> {
    lanes: NonNull<Lane>,
    words: NonNull<Atomic<I>>,
    shape: Lanes,
    /// The lane that is first in turn.
    turn: usize,
    /// Not 0 once two threads have met at a lane.
    meetings: AtomicUsize,
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
        Self::with_lanes(Lanes::new(slots), memory)
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
        // Slot 0 is handed out first, since threads that meet take from lane 0 until then, and a slot
        // that had an id keeps a generation. Relaxed: `self` comes after whatever was done through
        // `&self`.
        let is_fresh = self.shape.slots() == 0
            || self.word(0).load(Ordering::Relaxed) & I::GENERATION_MASK == 0;
        assert!(is_fresh, "the table gave out ids before it got tag {tag}");
        self.tag = tag::given::<I>(tag);
        self
    }

    /// Returns the table's tag; 0 where its ids have no bits for one. It takes one when it is made,
    /// of those that [`Table::tag`](crate::Table::tag) counts.
    #[must_use]
    pub fn tag(&self) -> u64 {
        tag_of::<I>(self.own_tag())
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
        let first = self.first_lane();
        if first < self.shape.count()
            && let Ok(id) = self.create_in(first)
        {
            return Ok(id);
        }
        self.create_elsewhere(first)
    }

    /// Hands out an id of a lane that is not the first; the error is that of the first which has a
    /// slot that has lived all its lives, or else of all.
    #[cold]
    fn create_elsewhere(&self, first: usize) -> Result<I, InsertError> {
        let mut spent = None;
        let all = first..self.shape.count();
        for number in all.chain(0..first) {
            match self.create_in(number) {
                Ok(id) => return Ok(id),
                Err(error) => spent = spent.or(error),
            }
        }
        Err(spent.unwrap_or_else(|| self.none_ready()))
    }

    /// Hands out an id of a lane. The error is none where no slot is ready.
    #[inline]
    fn create_in(&self, number: usize) -> Result<I, Option<InsertError>> {
        let (lane, share) = (self.lane(number), self.shape.share(number));
        // Relaxed: a thread that takes a position reads what was written there before the last
        // `collect`, which by its `&mut self` came before every use of this `&self`.
        let mut at = lane.taken.load(Ordering::Relaxed);
        loop {
            if at == lane.collected {
                return Err(None);
            }
            // While `taken` is `at`, no thread writes this entry; if it no longer is, the exchange
            // below fails and what was read is not used. Acquire pairs with the Release in
            // `remove`: a thread that reads what was written there for the next round finds `taken`
            // beyond `at`.
            let slot = self.entry(share, at).load(Ordering::Acquire) as usize;
            // Relaxed: the slot's word was last written by a removal before the last `collect`.
            let mut last = self.word(slot).load(Ordering::Relaxed) & I::GENERATION_MASK;
            if last == I::GENERATION_MASK {
                if E::END == End::Refuse && lane.taken.load(Ordering::Relaxed) == at {
                    let (index, generations) = (slot as u64, I::GENERATIONS);
                    return Err(Some(InsertError::Spent { index, generations }));
                }
                last = 0;
            }
            // The exchange alone decides who owns the position. Release orders the read of the
            // entry before it, and Acquire passes that on from one position to the next: so the
            // read happens before any thread writes the entry for the next round (see `remove`).
            // Relaxed on failure: `at` is read again.
            let next = lane.taken.compare_exchange(at, at + 1, Ordering::AcqRel, Ordering::Relaxed);
            let Err(other) = next else {
                let bits = self.own_tag() | (last + I::GENERATION_ONE) | slot as u64;
                // Release pairs with the Acquire in `contains` and in `remove`.
                self.word(slot).store(bits, Ordering::Release);
                // SAFETY: the bits have a generation.
                return Ok(unsafe { I::unchecked(bits) });
            };
            at = other;
            // Relaxed: it only decides where threads begin. It is written once.
            if self.meetings.load(Ordering::Relaxed) == 0 {
                self.meetings.store(1, Ordering::Relaxed);
            }
        }
    }

    /// Returns the lane that this thread begins with.
    #[inline]
    fn first_lane(&self) -> usize {
        // Relaxed: any lane will do.
        if self.meetings.load(Ordering::Relaxed) == 0 {
            return self.turn;
        }
        let mut lane = self.turn + self.shape.spread(sync::thread_place());
        if lane >= self.shape.count() {
            lane -= self.shape.count();
        }
        lane
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
        let number = self.shape.lane_of(slot);
        let at = self.lane(number).returned.fetch_add(1, Ordering::AcqRel);
        // Release pairs with the Acquire in `create_in`; else it is read after `collect`, whose
        // `&mut self` orders both.
        self.entry(self.shape.share(number), at).store(slot as u64, Ordering::Release);
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
    /// O(lanes), of which there are at most eight.
    pub fn collect(&mut self) -> usize {
        let mut count = 0;
        for number in 0..self.shape.count() {
            let slots = self.shape.share(number).slots;
            // SAFETY: the lane is one of the table's.
            let mut lane = unsafe { self.lanes.add(number) };
            // SAFETY: the table is borrowed mutably, and so are its lanes.
            count += unsafe { lane.as_mut() }.collect(slots);
        }
        if count > 0 {
            // The lanes take turns, so that their slots live alike.
            self.turn = if self.turn + 1 < self.shape.count() { self.turn + 1 } else { 0 };
        }
        count
    }

    /// Returns how many ids are alive, as far as this thread can see.
    #[must_use]
    pub fn len(&self) -> usize {
        // Relaxed: a momentary view.
        let retired = self.retired.load(Ordering::Relaxed);
        let queued: usize = self.all_lanes().map(Lane::queued).sum();
        self.shape.slots().saturating_sub(queued + retired)
    }

    /// Returns `true` if no ids are alive, as far as this thread can see.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many slots there are.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shape.slots()
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
        (index < self.shape.slots() as u64).then_some(index as usize)
    }

    #[inline]
    fn word(&self, slot: usize) -> &Atomic<I> {
        debug_assert!(slot < self.shape.slots(), "slot {slot} is within the table");
        // SAFETY: callers pass slots of the table (invariants 1 and 3).
        let word = unsafe { self.words.add(slot) };
        // SAFETY: the atomic was written when the table was made, and is only used as one.
        unsafe { word.as_ref() }
    }

    #[inline]
    fn lane(&self, number: usize) -> &Lane {
        debug_assert!(number < self.shape.count(), "lane {number} is within the table");
        // SAFETY: callers pass lanes of the table.
        let lane = unsafe { self.lanes.add(number) };
        // SAFETY: the lane was written when the table was made, and changes by atomics or by
        // `&mut self`.
        unsafe { lane.as_ref() }
    }

    fn all_lanes(&self) -> impl Iterator<Item = &Lane> {
        (0..self.shape.count()).map(|number| self.lane(number))
    }

    /// Returns the entry of a position in a lane's queue.
    #[inline]
    fn entry(&self, share: Share, at: usize) -> &Atomic<I> {
        let at = share.entry(at);
        debug_assert!(at < self.shape.slots(), "entry {at} is within the queues");
        // SAFETY: the queues are the second half of the words, and the entry is below `slots`.
        let entry = unsafe { self.words.add(self.shape.slots() + at) };
        // SAFETY: as in `word`.
        unsafe { entry.as_ref() }
    }

    #[cold]
    fn none_ready(&self) -> InsertError {
        // Relaxed: counts for a message.
        let held_back: usize = self.all_lanes().map(Lane::held_back).sum();
        let retired = self.retired.load(Ordering::Relaxed);
        full(self.shape.slots() as u64, held_back as u64, retired as u64)
    }
}

#[cold]
fn full(limit: u64, held_back: u64, retired: u64) -> InsertError {
    let live = limit.saturating_sub(held_back + retired);
    InsertError::Full { limit, live, reserved: 0, retired, held_back }
}
