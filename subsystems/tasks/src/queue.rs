//! The queue of tasks that could start: a list for each priority, and a bit for each list that is
//! not empty.

use crate::slot::{List, Slot};
use crate::task::PRIORITY_MAX;

const LEVELS: usize = PRIORITY_MAX as usize + 1;

/// Tasks that could start, the greatest priority first and of one priority the oldest.
///
/// # Complexity
///
/// All operations: O(1).
///
/// # Memory
///
/// 520 bytes; the lists go through the tasks.
///
/// # Invariants
///
/// 1. Bit `p` of `levels` is set if and only if list `p` is not empty.
pub(crate) struct Queue {
    levels: u64,
    lists: [List; LEVELS],
}

impl Queue {
    pub(crate) const fn new() -> Self {
        Self { levels: 0, lists: [List::EMPTY; LEVELS] }
    }

    /// Returns the greatest priority in it and 1; 0 if it is empty.
    #[inline]
    pub(crate) const fn height(&self) -> u32 {
        u64::BITS - self.levels.leading_zeros()
    }

    #[inline]
    pub(crate) fn push(&mut self, slots: &[Slot], index: u32) {
        let level = slots[index as usize].priority.get();
        self.levels |= 1 << level;
        self.lists[usize::from(level)].push(slots, index);
    }

    #[inline]
    pub(crate) fn pop(&mut self, slots: &[Slot]) -> Option<u32> {
        let level = self.height().checked_sub(1)?;
        let list = &mut self.lists[level as usize];
        let index = list.pop(slots);
        if list.head == crate::slot::NONE {
            self.levels &= !(1 << level);
        }
        index
    }

    /// Calls `visit` with each task and the priority of its list; `false` if invariant 1 is broken.
    pub(crate) fn walk(&self, slots: &[Slot], mut visit: impl FnMut(u32, usize)) -> bool {
        for (level, list) in self.lists.iter().enumerate() {
            if (self.levels >> level & 1 == 1) != (list.head != crate::slot::NONE) {
                return false;
            }
            list.iter(slots).for_each(|index| visit(index, level));
        }
        true
    }
}
