//! Programs on an array, compared with a vector.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on an array. Elements are numbered as they come; places are taken modulo the
    /// length.
    ArrayOp of 32 by run_array {
        /// Appends an element.
        0..=3 => Push,
        /// Takes the last.
        4..=5 => Pop,
        /// Puts one before another.
        6..=8 => Insert { at: u16 },
        /// Takes one out.
        9..=10 => Remove { at: u16 },
        /// Takes one out and puts the last one there.
        11..=12 => SwapRemove { at: u16 },
        /// Appends several.
        13..=14 => ExtendSlice { count: u8 },
        /// Appends as many as an iterator yields, which does not say how many they are.
        15..=15 => Extend { count: u8 },
        /// Appends a copy of a part of itself.
        16..=17 => ExtendWithin { which: u16, at: u16 },
        /// Makes it so long.
        18..=18 => Resize { at: u16 },
        /// Drops all from a place on.
        19..=19 => Truncate { at: u16 },
        /// Keeps those that no number divides.
        20..=21 => Retain { count: u8 },
        /// Keeps the first of neighbours that are alike but for so much.
        22..=22 => Dedup { count: u8 },
        /// Takes a part out and looks at the first few of it.
        23..=24 => Drain { count: u8, which: u16, at: u16 },
        /// Takes off all from a place on, and puts it before the rest.
        25..=26 => SplitAndAppend { at: u16 },
        /// Makes room.
        27..=27 => Reserve { count: u8 },
        /// Gives back what room there is.
        28..=28 => Shrink,
        /// Continues with a copy.
        29..=29 => Clone,
        /// Appends zeros.
        30..=30 => ExtendZeroed { count: u8 },
        /// Drops all.
        31..=31 => Clear,
    }
}

/// Runs a program on an array and on a vector, and returns how many operations were refused memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do.
pub fn run_array(program: &[ArrayOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Both::new_in(memory))
}

pub(super) struct Both<'a> {
    array: Array<'a, u32>,
    model: Vec<u32>,
    next: u32,
}

impl<'a> Both<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { array: Array::new_in(memory), model: Vec::new(), next: 0 }
    }
}

impl Beside for Both<'_> {
    type Op = ArrayOp;

    fn lose(&mut self) {
        self.array.pop();
    }

    fn step(&mut self, op: ArrayOp) -> Result<bool, String> {
        use ArrayOp as Op;
        let served = match op {
            Op::Pop | Op::Remove { .. } | Op::SwapRemove { .. } | Op::Drain { .. } => {
                self.take(op).map(|()| true)?
            }
            Op::Truncate { .. } | Op::Retain { .. } | Op::Dedup { .. } | Op::Clear => {
                self.thin(op);
                true
            }
            Op::Reserve { .. } | Op::Shrink | Op::Clone | Op::SplitAndAppend { .. } => {
                self.arrange(op).is_ok()
            }
            _ => self.put(op).is_ok(),
        };
        same("length", self.array.len(), self.model.len())?;
        same("last", self.array.last(), self.model.last())?;
        Ok(served)
    }

    fn compare(&self) -> Result<(), String> {
        same("elements", self.array.as_slice(), &self.model[..])?;
        same("there is room for all", self.array.capacity() >= self.array.len(), true)
    }
}

impl Both<'_> {
    fn put(&mut self, op: ArrayOp) -> Result<(), GrowError> {
        use ArrayOp as Op;
        let first = self.next;
        self.next = self.next.wrapping_add(256);
        let numbers = |count: u8| first..first.wrapping_add(count.into());
        let len = self.model.len();
        match op {
            Op::Insert { at } => {
                let at = usize::from(at) % (len + 1);
                self.array.try_insert(at, first)?;
                self.model.insert(at, first);
            }
            Op::ExtendSlice { count } => {
                let many: Vec<u32> = numbers(count).collect();
                self.array.try_extend_from_slice(&many)?;
                self.model.extend(many);
            }
            Op::Extend { count } => {
                self.array.try_extend(numbers(count).filter(|_| true))?;
                self.model.extend(numbers(count));
            }
            Op::ExtendWithin { which, at } => {
                let from = usize::from(which) % (len + 1);
                // Fewer than 300, as it would double otherwise.
                let to = from + (usize::from(at) % 300).min(len - from);
                self.array.try_extend_from_within(from..to)?;
                self.model.extend_from_within(from..to);
            }
            Op::Resize { at } => {
                let to = usize::from(at) % 600;
                self.array.try_resize(to, first)?;
                self.model.resize(to, first);
            }
            Op::ExtendZeroed { count } => {
                self.array.try_extend_zeroed(count.into())?;
                self.model.resize(len + usize::from(count), 0);
            }
            _ => {
                self.array.try_push(first)?;
                self.model.push(first);
            }
        }
        Ok(())
    }

    fn take(&mut self, op: ArrayOp) -> Result<(), String> {
        use ArrayOp as Op;
        let len = self.model.len();
        match op {
            Op::Pop => return same("taken", self.array.pop(), self.model.pop()),
            _ if len == 0 => {}
            Op::Remove { at } => {
                let at = usize::from(at) % len;
                return same("taken", self.array.remove(at), self.model.remove(at));
            }
            Op::SwapRemove { at } => {
                let at = usize::from(at) % len;
                return same("taken", self.array.swap_remove(at), self.model.swap_remove(at));
            }
            Op::Drain { count, which, at } => {
                let from = usize::from(which) % (len + 1);
                let to = from + usize::from(at) % (len - from + 1);
                let taken: Vec<u32> = self.array.drain(from..to).take(count.into()).collect();
                let expected: Vec<u32> = self.model.drain(from..to).take(count.into()).collect();
                return same("taken", taken, expected);
            }
            _ => {}
        }
        Ok(())
    }

    fn thin(&mut self, op: ArrayOp) {
        match op {
            ArrayOp::Truncate { at } => {
                let to = usize::from(at) % (self.model.len() + 2);
                self.array.truncate(to);
                self.model.truncate(to);
            }
            ArrayOp::Retain { count } => {
                let keep = |element: u32| !element.is_multiple_of(u32::from(count) % 7 + 2);
                self.array.retain(|element| keep(*element));
                self.model.retain(|element| keep(*element));
            }
            ArrayOp::Dedup { count } => {
                let key = |element: u32| element / (u32::from(count) + 1);
                self.array.dedup_by_key(|element| key(*element));
                self.model.dedup_by_key(|element| key(*element));
            }
            _ => {
                self.array.clear();
                self.model.clear();
            }
        }
    }

    fn arrange(&mut self, op: ArrayOp) -> Result<(), GrowError> {
        match op {
            ArrayOp::Reserve { count } => self.array.try_reserve(count.into()),
            ArrayOp::Shrink => self.array.try_shrink_to_fit(),
            ArrayOp::SplitAndAppend { at } => {
                let at = usize::from(at) % (self.model.len() + 1);
                let mut end = self.array.try_split_off(at)?;
                if let Err(error) = end.try_append(&mut self.array) {
                    // What was taken off still fits where it was.
                    self.array.append(&mut end);
                    return Err(error);
                }
                self.array = end;
                self.model.rotate_left(at);
                Ok(())
            }
            _ => self.array.try_clone_in(self.array.memory()).map(|copy| self.array = copy),
        }
    }
}
