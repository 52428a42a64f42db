//! What few objects have: parameters, weights of targets.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

/// A number for each row, and values without gaps. Neutral is what `default` returns.
///
/// ```text
/// numbers   | 0 | 2 | 0 | 1 | ..        by row: the place among the values, 0 for none
/// values    | neutral | 1 | 2 | ..      nothing before the first
/// owners    | none | 3 | 1 | ..         the row of each
/// ```
///
/// # Invariants
///
/// 1. A row's number that is not 0 is the place of a value whose owner is the row, and each value
///    but the first has such a row.
/// 2. The first value is the neutral one.
pub(super) struct Rare<'a, T, A: Allocator + ?Sized> {
    numbers: Array<'a, u32, A>,
    values: Array<'a, T, A>,
    owners: Array<'a, u32, A>,
}

impl<'a, T: Copy + PartialEq + Default, A: Allocator + ?Sized> Rare<'a, T, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self {
            numbers: Array::new_in(memory),
            values: Array::new_in(memory),
            owners: Array::new_in(memory),
        }
    }

    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    pub(super) fn try_reserve_rows(&mut self, more: usize) -> Result<(), GrowError> {
        self.numbers.try_reserve(more)
    }

    pub(super) fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        if more == 0 {
            return Ok(());
        }
        // One more for the neutral one.
        self.values.try_reserve(more + 1)?;
        self.owners.try_reserve(more + 1)
    }

    /// Appends a row, for which there is room.
    pub(super) fn push(&mut self) {
        self.numbers.push(0);
    }

    /// Sets the value of a row, for which there is room; a neutral one is none.
    pub(super) fn set(&mut self, row: usize, value: &T) {
        if *value == T::default() {
            self.remove(row);
        } else if let Some(at) = self.place(row) {
            self.values[at] = *value;
        } else {
            if self.values.is_empty() {
                self.values.push(T::default());
                self.owners.push(u32::MAX);
            }
            self.numbers[row] = self.values.len() as u32;
            self.values.push(*value);
            self.owners.push(row as u32);
        }
    }

    pub(super) fn get(&self, row: usize) -> T {
        self.place(row).map_or_else(T::default, |at| self.values[at])
    }

    /// Returns a row's value, if it has one.
    pub(super) fn find(&self, row: usize) -> Option<&T> {
        Some(&self.values[self.place(row)?])
    }

    /// Returns the values, each with its row.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let owners = self.owners.iter().map(|row| *row as usize);
        owners.zip(self.values.iter_mut()).skip(1)
    }

    /// Removes a row: the last one takes its place.
    pub(super) fn swap_remove(&mut self, row: usize) {
        self.remove(row);
        self.numbers.swap_remove(row);
        if row < self.numbers.len()
            && let Some(at) = self.place(row)
        {
            self.owners[at] = row as u32;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.numbers.capacity() + self.owners.capacity()) * 4
            + self.values.capacity() * size_of::<T>()
    }

    pub(super) fn validate(&self, rows: usize) -> Result<(), &'static str> {
        if self.numbers.len() != rows || self.owners.len() != self.values.len() {
            return Err("the columns of what few objects have differ in length");
        }
        let is_own = |(at, row): (usize, &u32)| {
            self.numbers.get(*row as usize).is_some_and(|number| *number as usize == at)
        };
        let used = self.numbers.iter().filter(|number| **number != 0).count();
        let is_neutral = self.values.first().is_none_or(|first| *first == T::default());
        let are_all = used + 1 == self.values.len().max(1) && is_neutral;
        match are_all && self.owners.iter().enumerate().skip(1).all(is_own) {
            true => Ok(()),
            false => Err("a value that few objects have is not that of its object"),
        }
    }

    fn place(&self, row: usize) -> Option<usize> {
        Some(self.numbers[row] as usize).filter(|at| *at != 0)
    }

    fn remove(&mut self, row: usize) {
        let Some(at) = self.place(row) else { return };
        self.numbers[row] = 0;
        self.values.swap_remove(at);
        self.owners.swap_remove(at);
        if let Some(owner) = self.owners.get(at) {
            self.numbers[*owner as usize] = at as u32;
        }
    }
}
