//! A search in a sorted list for keys that are mostly asked for in its order.

use core::cell::Cell;
use core::cmp::Ordering;

/// Finds items of a sorted list: in O(1) if it is the one after the last found, else in O(log n).
///
/// Lists of a compile are in one order, so walking over one of them while asking another compares
/// each item once, where searching compared it with as many as the logarithm says: paths, whose
/// first letters are all the same.
pub(crate) struct Walk<'w, T> {
    sorted: &'w [T],
    next: Cell<usize>,
}

impl<'w, T> Walk<'w, T> {
    /// Begins before the first item.
    pub(crate) const fn new(sorted: &'w [T]) -> Self {
        Self { sorted, next: Cell::new(0) }
    }

    /// Returns the place of the item for which `order` says that it is equal.
    pub(crate) fn place(&self, order: impl Fn(&T) -> Ordering) -> Option<usize> {
        self.find(order)?;
        // It is the one before the next.
        self.next.get().checked_sub(1)
    }

    /// Returns the item for which `order` says that it is equal.
    pub(crate) fn find(&self, order: impl Fn(&T) -> Ordering) -> Option<&'w T> {
        let next = self.next.get();
        let at = match self.sorted.get(next) {
            Some(item) if order(item).is_eq() => Ok(next),
            _ => self.sorted.binary_search_by(&order),
        };
        self.next.set(at.map_or_else(|at| at, |at| at + 1));
        self.sorted.get(at.ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::Walk;

    #[test]
    fn a_walk_finds_what_a_search_finds() {
        let sorted: Vec<u32> = (0..50).map(|number| number * 3).collect();
        let walk = Walk::new(&sorted);
        // In order, with gaps, backwards, and again what was found.
        let asked = (0..160).chain((0..160).rev()).chain([6, 6, 9, 9, 200, 0, 147, 147]);
        for number in asked {
            let wanted = sorted.iter().find(|item| **item == number);
            assert_eq!(walk.find(|item| item.cmp(&number)), wanted, "{number}");
        }
        assert_eq!(Walk::<u32>::new(&[]).find(|item| item.cmp(&1)), None);
    }
}
