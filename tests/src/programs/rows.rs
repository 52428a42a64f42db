//! Programs on an array of arrays, compared with vectors.

use loligo_allocators::Allocator;
use loligo_containers::{ArrayOfArrays, RowError, RowId};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};
use super::named::Named;

model_ops! {
    /// One operation on an array of arrays. Elements are numbered as they come; `which` is taken
    /// modulo the number of rows that there are and of some that there were.
    RowOp of 32 by run_rows {
        /// Adds an empty row.
        0..=3 => Add,
        /// Adds a row of the given number of elements.
        4..=5 => AddFrom { count: u8 },
        /// Removes a row.
        6..=8 => RemoveRow { which: u16 },
        /// Appends an element.
        9..=13 => Push { which: u16 },
        /// Takes the last.
        14..=15 => Pop { which: u16 },
        /// Puts one before another.
        16..=17 => Insert { which: u16, at: u16 },
        /// Takes one out.
        18..=19 => Remove { which: u16, at: u16 },
        /// Takes one out and puts the last one there.
        20..=21 => SwapRemove { which: u16, at: u16 },
        /// Appends several.
        22..=24 => Extend { count: u8, which: u16 },
        /// Makes room for several.
        25..=25 => Reserve { count: u8, which: u16 },
        /// Removes all from a place on.
        26..=27 => Truncate { which: u16, at: u16 },
        /// Moves all rows together.
        28..=29 => Compact,
        /// Continues with a copy.
        30..=30 => Clone,
        /// Removes all rows.
        31..=31 => Clear,
    }
}

/// Runs a program on an array of arrays and on vectors, and returns how many operations were
/// refused memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do, or the array finds itself damaged.
pub fn run_rows(program: &[RowOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

pub(super) struct Both<'a> {
    array: ArrayOfArrays<'a, u32>,
    model: Named<RowId<u32>>,
    next: u32,
}

impl Beside for Both<'_> {
    type Op = RowOp;

    fn lose(&mut self) {
        if let Some((row, _)) = self.model.all().next() {
            self.array.pop(row);
        }
    }

    fn step(&mut self, op: RowOp) -> Result<bool, String> {
        match op {
            RowOp::Add => Ok(self.array.try_add_row().map(|row| self.model.add(row, &[])).is_ok()),
            RowOp::AddFrom { count } => {
                let many = self.numbers(count);
                let added = self.array.try_add_row_from(&many);
                Ok(added.map(|row| self.model.add(row, &many)).is_ok())
            }
            RowOp::Compact => Ok(self.array.try_compact().is_ok()),
            RowOp::Clone => {
                let copy = self.array.try_clone_in(self.array.memory());
                Ok(copy.map(|copy| self.array = copy).is_ok())
            }
            RowOp::Clear => {
                self.array.clear();
                self.model.clear();
                Ok(true)
            }
            RowOp::RemoveRow { which } => {
                let Some((row, _)) = self.model.pick(which) else { return Ok(true) };
                same("removed", self.array.remove_row(row), self.model.remove(row))?;
                Ok(true)
            }
            RowOp::Pop { which }
            | RowOp::Remove { which, .. }
            | RowOp::SwapRemove { which, .. }
            | RowOp::Truncate { which, .. } => self.take(op, which).map(|()| true),
            RowOp::Push { which }
            | RowOp::Insert { which, .. }
            | RowOp::Extend { which, .. }
            | RowOp::Reserve { which, .. } => self.put(op, which),
        }
    }

    fn compare(&self) -> Result<(), String> {
        self.array.validate().map_err(|damage| damage.to_string())?;
        same("rows", self.array.len(), self.model.len())?;
        for (row, elements) in self.model.all() {
            same("elements", self.array.row(row), elements)?;
            same("it is there", self.array.contains(row), elements.is_some())?;
        }
        same("visited", self.array.iter().count(), self.model.len())
    }
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { array: ArrayOfArrays::new_in(memory), model: Named::default(), next: 0 }
    }
}

impl Both<'_> {
    fn numbers(&mut self, count: u8) -> Vec<u32> {
        let first = self.next;
        self.next = self.next.wrapping_add(256);
        (first..first.wrapping_add(count.into())).collect()
    }

    fn put(&mut self, op: RowOp, which: u16) -> Result<bool, String> {
        let many = self.numbers(if let RowOp::Extend { count, .. } = op { count } else { 1 });
        let Some((row, elements)) = self.model.pick(which) else { return Ok(true) };
        let len = elements.as_ref().map_or(0, |elements| elements.len());
        let (outcome, at) = match op {
            RowOp::Insert { at, .. } => {
                let at = usize::from(at) % (len + 1);
                (self.array.try_insert(row, at, many[0]), at)
            }
            RowOp::Extend { .. } => (self.array.try_extend_from_slice(row, &many), len),
            RowOp::Reserve { count, .. } => {
                let outcome = self.array.try_reserve(row, count.into());
                return Self::served(outcome, elements.is_some());
            }
            _ => (self.array.try_push(row, many[0]), len),
        };
        let is_there = elements.is_some();
        if let (Ok(()), Some(elements)) = (outcome, elements) {
            elements.splice(at..at, many);
        }
        Self::served(outcome, is_there)
    }

    /// A row that is gone is refused as such, one that is there for lack of memory at most.
    fn served(outcome: Result<(), RowError>, is_there: bool) -> Result<bool, String> {
        match outcome {
            Err(RowError::Unknown { .. }) => {
                same("the row is there", false, is_there).map(|()| true)
            }
            _ => same("the row is there", true, is_there).map(|()| outcome.is_ok()),
        }
    }

    fn take(&mut self, op: RowOp, which: u16) -> Result<(), String> {
        let Some((row, elements)) = self.model.pick(which) else { return Ok(()) };
        let mut gone = Vec::new();
        let is_there = elements.is_some();
        let elements = elements.unwrap_or(&mut gone);
        let len = elements.len();
        match op {
            RowOp::Pop { .. } => same("taken", self.array.pop(row), elements.pop()),
            RowOp::Remove { at, .. } => {
                let at = usize::from(at) % (len + 1);
                let expected = (at < len).then(|| elements.remove(at));
                same("taken", self.array.remove(row, at), expected)
            }
            RowOp::SwapRemove { at, .. } => {
                let at = usize::from(at) % (len + 1);
                let expected = (at < len).then(|| elements.swap_remove(at));
                same("taken", self.array.swap_remove(row, at), expected)
            }
            RowOp::Truncate { at, .. } => {
                let to = usize::from(at) % (len + 2);
                elements.truncate(to);
                same("the row is there", self.array.truncate(row, to), is_there)
            }
            _ => Ok(()),
        }
    }
}
