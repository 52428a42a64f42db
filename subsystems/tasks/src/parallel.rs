//! Loops over many items, on all threads.

use core::ops::Range;

use crate::error::{ScopeError, WaitError};
use crate::hub::Worker;
use crate::scope::Scope;
use crate::task::{Name, Task};

/// How many tasks a loop is split into at most, for each thread: enough that one which takes longer
/// is made up for.
pub const PIECES_A_THREAD: u32 = 5;

impl Worker<'_> {
    /// Runs `body` for all of `0..len`, in pieces of at least `grain` and at most 5 tasks a thread.
    /// With one thread alone it is one call.
    ///
    /// # Complexity
    ///
    /// O(1) tasks; a piece is run in place where the table is full.
    ///
    /// # Errors
    ///
    /// [`WaitError`] if `body` panics; the other pieces are run nevertheless.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::sync::atomic::{AtomicUsize, Ordering};
    /// use loligo_allocators::{HeapAllocator, PageAllocator};
    /// use loligo_tasks::{Settings, Tasks};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("tasks", &pages);
    /// let mut tasks = Tasks::try_new(&Settings::default(), &heap).unwrap();
    /// let seen = AtomicUsize::new(0);
    /// tasks.run(|main| {
    ///     let count = |range: core::ops::Range<usize>| {
    ///         seen.fetch_add(range.len(), Ordering::Relaxed);
    ///     };
    ///     main.parallel_for(&"count", 10_000, 64, count).unwrap();
    /// });
    /// assert_eq!(seen.into_inner(), 10_000);
    /// ```
    pub fn parallel_for(
        &self,
        name: Name,
        len: usize,
        grain: usize,
        body: impl Fn(Range<usize>) + Sync,
    ) -> Result<(), WaitError> {
        let piece = self.piece(len, grain);
        if piece >= len {
            return Task::new(name, |_| body(0..len)).run_in_place(self);
        }
        let body = &body;
        self.pieces(name, |scope| {
            let ranges = (0..len).step_by(piece).map(|from| from..len.min(from + piece));
            let tasks = ranges.map(|range| Task::new(name, move |_| body(range)));
            all(tasks.map(|task| self.add_or_run(scope, task)))
        })
    }

    /// Runs `body` for pieces of a slice, each with the index of its first item; as
    /// [`parallel_for`](Self::parallel_for).
    ///
    /// # Errors
    ///
    /// [`WaitError`] if `body` panics; the other pieces are run nevertheless.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{HeapAllocator, PageAllocator};
    /// use loligo_tasks::{Settings, Tasks};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("tasks", &pages);
    /// let mut tasks = Tasks::try_new(&Settings::default(), &heap).unwrap();
    /// let mut squares = [0; 1000];
    /// tasks.run(|main| {
    ///     let square = |first, piece: &mut [usize]| {
    ///         piece.iter_mut().enumerate().for_each(|(i, item)| *item = (first + i) * (first + i));
    ///     };
    ///     main.parallel_for_each_mut(&"square", &mut squares, 64, square).unwrap();
    /// });
    /// assert_eq!(squares[999], 998_001);
    /// ```
    pub fn parallel_for_each_mut<T: Send>(
        &self,
        name: Name,
        items: &mut [T],
        grain: usize,
        body: impl Fn(usize, &mut [T]) + Sync,
    ) -> Result<(), WaitError> {
        let (len, first) = (items.len(), items.as_ptr().addr());
        let piece = self.piece(len, grain);
        if piece >= len {
            return Task::new(name, |_| body(0, items)).run_in_place(self);
        }
        // The index is worked out from the address: with it, a task would capture 32 bytes.
        let indexed = move |items: &mut [T]| {
            let bytes = items.as_ptr().addr() - first;
            body(bytes / size_of::<T>().max(1), items);
        };
        let indexed = &indexed;
        self.pieces(name, |scope| {
            let pieces = items.chunks_mut(piece);
            let tasks = pieces.map(|piece| Task::new(name, move |_| indexed(piece)));
            all(tasks.map(|task| self.add_or_run(scope, task)))
        })
    }

    /// Runs `add` in a scope, or without where none can begin.
    fn pieces<'env>(
        &'env self,
        name: Name,
        add: impl for<'scope> FnOnce(Option<&'scope Scope<'scope, 'env>>) -> Result<(), WaitError>,
    ) -> Result<(), WaitError> {
        let mut add = Some(add);
        let result = self.scope(name, |scope| add.take().map_or(Ok(()), |add| add(Some(scope))));
        match result {
            Ok(result) => result,
            Err(ScopeError::Wait(error)) => Err(error),
            Err(ScopeError::Add(_)) => add.take().map_or(Ok(()), |add| add(None)),
        }
    }

    /// Adds a task to a scope; runs it in place if there is none, or no room.
    fn add_or_run<'scope>(
        &self,
        scope: Option<&'scope Scope<'scope, '_>>,
        mut task: Task<'scope>,
    ) -> Result<(), WaitError> {
        match scope {
            Some(scope) if scope.add_from(&mut task).is_ok() => Ok(()),
            _ => task.run_in_place(self),
        }
    }

    /// Returns how many items a piece has.
    fn piece(&self, len: usize, grain: usize) -> usize {
        let threads = self.threads();
        if threads <= 1 {
            return len;
        }
        let pieces = (threads * PIECES_A_THREAD) as usize;
        len.div_ceil(pieces).max(grain).max(1)
    }
}

/// Goes through all results and returns the first that is an error.
fn all(results: impl Iterator<Item = Result<(), WaitError>>) -> Result<(), WaitError> {
    let mut errors = results.filter_map(Result::err);
    let first = errors.next();
    errors.for_each(drop);
    first.map_or(Ok(()), Err)
}
