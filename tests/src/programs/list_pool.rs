//! Programs on a pool of lists, compared with vectors.

use loligo_allocators::Allocator;
use loligo_containers::{List, ListError, ListPool};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};
use super::named::Named;

model_ops! {
    /// One operation on a pool of lists. Items are numbered as they come; `which` is taken modulo
    /// the number of lists that there are and of some that there were.
    ListPoolOp of 32 by run_list_pool {
        /// Makes a list.
        0..=3 => Create,
        /// Drops a list.
        4..=5 => Destroy { which: u16 },
        /// Appends an item.
        6..=10 => Push { which: u16 },
        /// Takes the last.
        11..=12 => Pop { which: u16 },
        /// Puts one before another.
        13..=14 => Insert { which: u16, at: u16 },
        /// Takes one out.
        15..=16 => Remove { which: u16, at: u16 },
        /// Takes one out and puts the last one there.
        17..=18 => SwapRemove { which: u16, at: u16 },
        /// Appends the given number of of a slice.
        19..=20 => ExtendSlice { count: u8, which: u16 },
        /// Appends the given number of of an iterator, which does not say how many they are.
        21..=21 => Extend { count: u8, which: u16 },
        /// Replaces all by several.
        22..=23 => Replace { count: u8, which: u16 },
        /// Drops all from a place on.
        24..=24 => Truncate { which: u16, at: u16 },
        /// Keeps those that no number divides.
        25..=25 => Retain { count: u8, which: u16 },
        /// Drops all items of a list.
        26..=26 => ClearList { which: u16 },
        /// Moves at most `count` nodes to where they belong.
        27..=29 => Settle { count: u8 },
        /// Makes room.
        30..=30 => Reserve { count: u8, at: u16 },
        /// Drops all lists.
        31..=31 => Clear,
    }
}

/// Runs a program on a pool of lists and on vectors, and returns how many operations were refused
/// memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or the pool finds itself damaged.
pub fn run_list_pool(program: &[ListPoolOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

pub(super) struct Both<'a> {
    pool: ListPool<'a, u32>,
    model: Named<List<u32>>,
    next: u32,
}

impl Beside for Both<'_> {
    type Op = ListPoolOp;

    fn lose(&mut self) {
        if let Some((list, _)) = self.model.all().next() {
            self.pool.pop(list);
        }
    }

    fn step(&mut self, op: ListPoolOp) -> Result<bool, String> {
        use ListPoolOp as Op;
        match op {
            Op::Create => Ok(self.pool.try_create().map(|list| self.model.add(list, &[])).is_ok()),
            Op::Settle { count } => {
                let moved = self.pool.settle(count.into());
                same("settles within its budget", moved <= count.into(), true)?;
                Ok(true)
            }
            Op::Reserve { count, at } => {
                let lists = self.pool.try_reserve_lists(count.into());
                Ok(lists.is_ok() && self.pool.try_reserve_nodes(usize::from(at) % 300).is_ok())
            }
            Op::Clear => {
                self.pool.clear();
                self.model.clear();
                Ok(true)
            }
            Op::Destroy { which } => {
                let Some((list, _)) = self.model.pick(which) else { return Ok(true) };
                same("destroyed", self.pool.destroy(list), self.model.remove(list))?;
                Ok(true)
            }
            Op::Push { which }
            | Op::Insert { which, .. }
            | Op::ExtendSlice { which, .. }
            | Op::Extend { which, .. }
            | Op::Replace { which, .. } => self.put(op, which),
            Op::Pop { which }
            | Op::Remove { which, .. }
            | Op::SwapRemove { which, .. }
            | Op::Truncate { which, .. }
            | Op::Retain { which, .. }
            | Op::ClearList { which } => self.take(op, which).map(|()| true),
        }
    }

    fn compare(&self) -> Result<(), String> {
        self.pool.validate().map_err(|damage| damage.to_string())?;
        same("lists", self.pool.lists_len(), self.model.len())?;
        let mut items = 0;
        for (list, expected) in self.model.all() {
            same("it is there", self.pool.contains(list), expected.is_some())?;
            let expected = expected.unwrap_or_default();
            same("items", &self.pool.iter(list).copied().collect::<Vec<_>>()[..], expected)?;
            same("length", self.pool.len(list), expected.len())?;
            let at = expected.len() / 2;
            same("in the middle", self.pool.get(list, at), expected.get(at))?;
            items += expected.len();
        }
        same("all items", self.pool.iter_all().count(), items)
    }
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { pool: ListPool::new_in(memory), model: Named::default(), next: 0 }
    }
}

impl Both<'_> {
    fn put(&mut self, op: ListPoolOp, which: u16) -> Result<bool, String> {
        use ListPoolOp as Op;
        let first = self.next;
        self.next = self.next.wrapping_add(256);
        let count = match op {
            Op::ExtendSlice { count, .. } | Op::Extend { count, .. } => count,
            // The old and the new contents are there together, so few are replaced by many.
            Op::Replace { count, .. } => count,
            _ => 1,
        };
        let many: Vec<u32> = (first..first.wrapping_add(count.into())).collect();
        let Some((list, items)) = self.model.pick(which) else { return Ok(true) };
        let len = items.as_ref().map_or(0, |items| items.len());
        let (outcome, place) = match op {
            Op::Insert { at, .. } => {
                let at = usize::from(at) % (len + 1);
                (self.pool.try_insert(list, at, first), at..at)
            }
            Op::ExtendSlice { .. } => (self.pool.try_extend_from_slice(list, &many), len..len),
            Op::Extend { .. } => {
                let items = many.iter().copied().filter(|_| true);
                (self.pool.try_extend(list, items), len..len)
            }
            Op::Replace { .. } => (self.pool.try_replace(list, &many), 0..len),
            _ => (self.pool.try_push(list, first), len..len),
        };
        same("the list is there", outcome != Err(ListError::Gone), items.is_some())?;
        if let (Ok(()), Some(items)) = (outcome, items) {
            items.splice(place, many);
        }
        Ok(!matches!(outcome, Err(ListError::Grow(_))))
    }

    fn take(&mut self, op: ListPoolOp, which: u16) -> Result<(), String> {
        use ListPoolOp as Op;
        let Some((list, items)) = self.model.pick(which) else { return Ok(()) };
        let mut gone = Vec::new();
        let items = items.unwrap_or(&mut gone);
        let len = items.len();
        match op {
            Op::Pop { .. } => same("taken", self.pool.pop(list), items.pop())?,
            Op::Remove { at, .. } => {
                let at = usize::from(at) % (len + 1);
                let expected = (at < len).then(|| items.remove(at));
                same("taken", self.pool.remove(list, at), expected)?;
            }
            Op::SwapRemove { at, .. } => {
                let at = usize::from(at) % (len + 1);
                let expected = (at < len).then(|| items.swap_remove(at));
                same("taken", self.pool.swap_remove(list, at), expected)?;
            }
            Op::Truncate { at, .. } => {
                let to = usize::from(at) % (len + 2);
                self.pool.truncate(list, to);
                items.truncate(to);
            }
            Op::Retain { count, .. } => {
                let keep = |item: u32| !item.is_multiple_of(u32::from(count) % 7 + 2);
                self.pool.retain(list, |item| keep(*item));
                items.retain(|item| keep(*item));
            }
            _ => {
                self.pool.clear_list(list);
                items.clear();
            }
        }
        same("length", self.pool.len(list), items.len())
    }
}
