//! The functions that calls name.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};
use crate::events::callbacks::Later;
use crate::events::callbacks::callback::{Callback, Callback16};

/// A function as the table holds it: one that reads the data of the call by itself.
type Function<X, C> = fn(&mut X, &mut Later<'_, C>, &C);

/// The functions that the calls of a [`Callbacks`](crate::Callbacks) name by their number.
///
/// A function is a `fn` or a closure that captures nothing: `X`, what it works on, is handed to it.
/// The numbers are those of the order in which functions are added, so a program that adds them in
/// one order everywhere can save its queues.
///
/// # Complexity
///
/// A function is added in O(1) amortised, O(functions) where the block must move, and found by its
/// number in O(1).
///
/// # Memory
///
/// 8 bytes a function (4 where addresses have 32 bits), in one block with room for at most twice as
/// many; nothing while empty.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`. The functions are `Send` and `Sync`, so several
/// threads can run queues with one table.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{CallbackTable, Callbacks};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut table: CallbackTable<Vec<&str>> = CallbackTable::new(&MEMORY);
/// let land = table.add(|log: &mut Vec<&str>, _height: f32| log.push("land"));
/// // This one queues another call, for the next run.
/// let jump = table.add_queueing(move_on);
///
/// fn move_on(
///     log: &mut Vec<&str>,
///     later: &mut loligo_containers::Later<'_, loligo_containers::Callback16>,
///     landing: u32,
/// ) {
///     log.push("jump");
///     later.queue(loligo_containers::CallbackId::from_number(landing), 2.5f32);
/// }
///
/// let mut calls: Callbacks = Callbacks::new(&MEMORY);
/// calls.queue(jump, land.number());
/// let mut log = Vec::new();
/// assert_eq!(calls.run(&table, &mut log), Ok(1));
/// assert_eq!(log, ["jump"]);
/// assert_eq!(calls.run(&table, &mut log), Ok(1));
/// assert_eq!(log, ["jump", "land"]);
/// ```
pub struct CallbackTable<
    'a,
    X: ?Sized,
    C: Callback = Callback16,
    A: Allocator + ?Sized = dyn Allocator + 'a,
> {
    functions: Array<'a, Function<X, C>, A>,
}

impl<'a, X: ?Sized, C: Callback> CallbackTable<'a, X, C> {
    /// Returns an empty table, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, X: ?Sized, C: Callback, A: Allocator + ?Sized> CallbackTable<'a, X, C, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { functions: Array::new_in(memory) }
    }

    /// Adds a function and returns its number.
    ///
    /// One that captures something does not compile; what is captured belongs into `X` or the data.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(functions) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_add<T, F>(&mut self, function: F) -> Result<CallbackId<T>, GrowError>
    where
        T: NoUninit + AnyBitPattern,
        F: Fn(&mut X, T) + Copy + Send + Sync + 'static,
    {
        let () = Stateless::<F>::CHECKED;
        let _ = function;
        self.try_add_erased(|context, _, call| {
            // SAFETY: a value of `F` was given when this was added.
            let function = unsafe { again::<F>() };
            function(context, call.data());
        })
    }

    /// Adds a function as [`try_add`](Self::try_add) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[must_use]
    pub fn add<T, F>(&mut self, function: F) -> CallbackId<T>
    where
        T: NoUninit + AnyBitPattern,
        F: Fn(&mut X, T) + Copy + Send + Sync + 'static,
    {
        or_panic(self.try_add(function))
    }

    /// Adds a function that queues calls itself, as [`try_add`](Self::try_add) adds one that does
    /// not.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_add_queueing<T, F>(&mut self, function: F) -> Result<CallbackId<T>, GrowError>
    where
        T: NoUninit + AnyBitPattern,
        F: Fn(&mut X, &mut Later<'_, C>, T) + Copy + Send + Sync + 'static,
    {
        let () = Stateless::<F>::CHECKED;
        let _ = function;
        self.try_add_erased(|context, later, call| {
            // SAFETY: a value of `F` was given when this was added.
            let function = unsafe { again::<F>() };
            function(context, later, call.data());
        })
    }

    /// Adds a function as [`try_add_queueing`](Self::try_add_queueing) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[must_use]
    pub fn add_queueing<T, F>(&mut self, function: F) -> CallbackId<T>
    where
        T: NoUninit + AnyBitPattern,
        F: Fn(&mut X, &mut Later<'_, C>, T) + Copy + Send + Sync + 'static,
    {
        or_panic(self.try_add_queueing(function))
    }

    /// Returns how many functions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Returns `true` if there are no functions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    fn try_add_erased<T>(&mut self, function: Function<X, C>) -> Result<CallbackId<T>, GrowError> {
        let number = self.functions.len() as u32;
        self.functions.try_push(function)?;
        Ok(CallbackId::from_number(number))
    }

    #[inline]
    pub(super) fn functions(&self) -> &[Function<X, C>] {
        &self.functions
    }
}

impl<X: ?Sized, C: Callback, A: Allocator + ?Sized> fmt::Debug for CallbackTable<'_, X, C, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackTable").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Refuses to compile functions that have something to carry.
struct Stateless<F>(PhantomData<F>);

impl<F> Stateless<F> {
    const CHECKED: () = assert!(size_of::<F>() == 0, "a callback's function captures nothing");
}

/// Returns a copy of a function that takes no memory.
///
/// # Safety
///
/// There was a value of `F`, and [`Stateless::CHECKED`] was used for it.
#[inline(always)]
unsafe fn again<F: Copy + Send + Sync + 'static>() -> F {
    let () = Stateless::<F>::CHECKED;
    // SAFETY: a value without bytes is read from any address that is aligned. `F` has values, as
    // there was one; it may be copied, on any thread, at any time, by its bounds.
    unsafe { NonNull::<F>::dangling().read() }
}

/// The number of a function in a [`CallbackTable`], which knows what data that takes.
///
/// A number of another table, or one that was made up, calls another function with data that are
/// garbage to it, or none: nothing that a program could not survive.
#[repr(transparent)]
pub struct CallbackId<T> {
    number: u32,
    data: PhantomData<fn(T)>,
}

impl<T> CallbackId<T> {
    /// Takes a number that is known: the place of a function in the order in which they are added.
    #[inline]
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self { number, data: PhantomData }
    }

    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }
}

impl<T> Clone for CallbackId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for CallbackId<T> {}

impl<T> PartialEq for CallbackId<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> Eq for CallbackId<T> {}

impl<T> fmt::Debug for CallbackId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallbackId({})", self.number)
    }
}
