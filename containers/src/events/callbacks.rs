//! Calls that are queued, and made when it is asked for.
//!
//! After Niklas Frykholm, "Managing Coupling Part 2 -- Polling, Callbacks and Events" (2011): a low
//! system notifies a high one with a function and a few bytes for it, which are queued and called
//! later, all at one place of the frame. Changes:
//!
//! - The function is an index into a table: 16 bytes have room for 12 of data also where a pointer
//!   has 8, and a queue is plain data that may be sent and saved.
//! - The data have a type, which the compiler checks where a call is queued.
//! - What happens to calls that are queued while calls are made, and to the rest where one panics,
//!   is laid down.

use core::error::Error;
use core::fmt;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};

mod callback;
mod table;
#[cfg(test)]
mod tests;

pub use callback::{Callback, Callback16, Callback32};
pub use table::{CallbackId, CallbackTable};

/// A queue of calls, each a function's number and a few bytes of data.
///
/// ```text
/// Callback16  | function: u32 | 12 bytes of data |        queue  | call | call | call | .. | room for more
/// Callback32  | function: u32 | 28 bytes of data |
/// ```
///
/// The functions are in a [`CallbackTable`], made once. A low system is given a [`CallbackId`] and
/// data, queues the call when the time has come, and knows no more. The high one calls
/// [`run`](Self::run) where calls are welcome. Data that name an object hold its id, not a
/// reference, as the object may be gone by then.
///
/// Several threads have a queue each, which one [appends](Self::try_append) to its own.
///
/// # What is called when
///
/// - Calls are made in the order in which they were queued.
/// - A function may queue calls, through its [`Later`]. The next `run` makes them, after those that
///   were queued earlier: so no `run` is endless.
/// - A call is taken out of the queue before it is made. If it panics, it and those before it are
///   gone; those after it and those queued meanwhile stay, for the next `run`.
///
/// # Complexity
///
/// A call is queued in O(1) amortised, O(queue) where the block must move, and made by one indirect
/// call.
///
/// # Memory
///
/// Nothing while empty. Then one block of 16 or 32 bytes a call, with room for at most twice as
/// many as ever waited. The object itself is 24 bytes, 32 with `dyn Allocator`.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`. It has no lock: each thread fills a separate
/// queue, and one thread appends them to one.
///
/// # When not to use it
///
/// For what many may want to know, or what is handled in bulk: that is an
/// [`EventStream`](crate::EventStream). Where the answer can be asked for each frame, asking is
/// simpler.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{CallbackTable, Callbacks};
///
/// struct Game {
///     heard: Vec<u32>,
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut table: CallbackTable<Game> = CallbackTable::new(&MEMORY);
/// let finished = table.add(|game: &mut Game, sound: u32| game.heard.push(sound));
///
/// // The sound system queues, and the game runs what is queued.
/// let mut calls: Callbacks = Callbacks::new(&MEMORY);
/// calls.queue(finished, 7);
/// calls.queue(finished, 9);
/// let mut game = Game { heard: Vec::new() };
/// assert_eq!(calls.run(&table, &mut game), Ok(2));
/// assert_eq!(game.heard, [7, 9]);
/// ```
pub struct Callbacks<'a, C: Callback = Callback16, A: Allocator + ?Sized = dyn Allocator + 'a> {
    calls: Array<'a, C, A>,
}

impl<'a, C: Callback> Callbacks<'a, C> {
    /// Returns an empty queue, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty queue with room for `capacity` calls at least.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_with_capacity(
        capacity: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(capacity, memory)
    }
}

impl<'a, C: Callback, A: Allocator + ?Sized> Callbacks<'a, C, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { calls: Array::new_in(memory) }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(capacity: usize, memory: &'a A) -> Result<Self, GrowError> {
        Ok(Self { calls: Array::try_with_capacity_in(capacity, memory)? })
    }

    /// Queues a call of `function` with `data`.
    ///
    /// Data that do not fit the callback's size do not compile.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(queue) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    #[inline]
    pub fn try_queue<T>(&mut self, function: CallbackId<T>, data: T) -> Result<(), GrowError>
    where
        T: NoUninit + AnyBitPattern,
    {
        self.calls.try_push(C::new(function, data))
    }

    /// Queues a call as [`try_queue`](Self::try_queue) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn queue<T>(&mut self, function: CallbackId<T>, data: T)
    where
        T: NoUninit + AnyBitPattern,
    {
        or_panic(self.try_queue(function, data));
    }

    /// Queues calls that were created earlier: kept with the objects that they concern, or read
    /// from bytes.
    ///
    /// # Complexity
    ///
    /// O(calls) amortised, O(queue) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    pub fn try_queue_all(&mut self, calls: &[C]) -> Result<(), GrowError> {
        self.calls.try_extend_from_slice(calls)
    }

    /// Moves all calls of another queue to the end of this one. The other keeps its block.
    ///
    /// # Complexity
    ///
    /// O(calls of the other), and O(queue) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; neither queue has changed.
    pub fn try_append<B>(&mut self, other: &mut Callbacks<'_, C, B>) -> Result<(), GrowError>
    where
        B: Allocator + ?Sized,
    {
        self.calls.try_extend_from_slice(&other.calls)?;
        other.clear();
        Ok(())
    }

    /// Moves calls as [`try_append`](Self::try_append) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn append<B: Allocator + ?Sized>(&mut self, other: &mut Callbacks<'_, C, B>) {
        or_panic(self.try_append(other));
    }

    /// Makes all calls that are in the queue now, in order, and returns how many that were.
    ///
    /// `context` is handed to each function.
    ///
    /// # Complexity
    ///
    /// O(calls), and O(calls queued meanwhile). Allocates nothing by itself.
    ///
    /// # Errors
    ///
    /// [`RunError`] at a call whose function is not in the table. That call is dropped, those
    /// before it were made, those after it stay: the next `run` continues there.
    ///
    /// # Panics
    ///
    /// If a function does; see above what is left then.
    pub fn run<X: ?Sized, B: Allocator + ?Sized>(
        &mut self,
        table: &CallbackTable<'_, X, C, B>,
        context: &mut X,
    ) -> Result<u32, RunError> {
        let queued = self.calls.len();
        let functions = table.functions();
        let mut running = Running { calls: &mut self.calls, done: 0 };
        // Where a call goes is read before the call in front of it is made: a processor that has
        // guessed wrong knows it a call earlier.
        let mut next = running.fetch(functions);
        while let Some((call, function)) = next.filter(|_| running.done < queued) {
            running.done += 1;
            next = running.fetch(functions);
            let Some(function) = function else {
                let functions = functions.len() as u32;
                return Err(RunError { function: call.function(), functions });
            };
            function(context, &mut Later { calls: running.calls }, &call);
        }
        Ok(queued as u32)
    }

    /// Drops all calls and keeps the block. O(1).
    pub fn clear(&mut self) {
        self.calls.clear();
    }

    /// Returns how many calls wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Returns `true` if no call waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the calls that wait, in order: plain data, whose bytes may be sent or saved.
    #[must_use]
    pub const fn as_slice(&self) -> &[C] {
        self.calls.as_slice()
    }
}

/// A queue whose calls are being made. When this is dropped, also by an unwinding function, those
/// that were made leave it.
///
/// # Invariants
///
/// 1. `done` is at most the queue's length: nothing shortens it meanwhile.
struct Running<'q, 'a, C: Callback, A: Allocator + ?Sized> {
    calls: &'q mut Array<'a, C, A>,
    done: usize,
}

impl<C: Callback, A: Allocator + ?Sized> Running<'_, '_, C, A> {
    /// Returns the next call, and its function if there is one.
    #[inline(always)]
    fn fetch<F: Copy>(&self, functions: &[F]) -> Option<(C, Option<F>)> {
        let call = *self.calls.get(self.done)?;
        Some((call, functions.get(call.function() as usize).copied()))
    }
}

impl<C: Callback, A: Allocator + ?Sized> Drop for Running<'_, '_, C, A> {
    fn drop(&mut self) {
        self.calls.copy_within(self.done.., 0);
        self.calls.truncate(self.calls.len() - self.done);
    }
}

/// The queue as a function sees it that is called from it: calls can be queued, and are made by the
/// next run.
pub struct Later<'q, C: Callback> {
    calls: &'q mut (dyn Queue<C> + 'q),
}

impl<C: Callback> Later<'_, C> {
    /// Queues a call for the next run, as [`Callbacks::try_queue`] does.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(queue) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_queue<T>(&mut self, function: CallbackId<T>, data: T) -> Result<(), GrowError>
    where
        T: NoUninit + AnyBitPattern,
    {
        self.calls.try_push(C::new(function, data))
    }

    /// Queues a call as [`try_queue`](Self::try_queue) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn queue<T>(&mut self, function: CallbackId<T>, data: T)
    where
        T: NoUninit + AnyBitPattern,
    {
        or_panic(self.try_queue(function, data));
    }
}

impl<C: Callback> fmt::Debug for Later<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later").finish_non_exhaustive()
    }
}

/// What a queue over any allocator is to a function, whose type does not name that allocator.
trait Queue<C> {
    fn try_push(&mut self, call: C) -> Result<(), GrowError>;
}

impl<C: Callback, A: Allocator + ?Sized> Queue<C> for Array<'_, C, A> {
    fn try_push(&mut self, call: C) -> Result<(), GrowError> {
        Array::try_push(self, call)
    }
}

/// A call names a function that is not in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunError {
    /// The number that the call names.
    pub function: u32,
    /// How many functions the table has.
    pub functions: u32,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, functions } = self;
        write!(f, "a call names the function {function} of a table that has {functions}")
    }
}

impl Error for RunError {}

impl<C: Callback, A: Allocator + ?Sized> fmt::Debug for Callbacks<'_, C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}
