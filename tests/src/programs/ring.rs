//! Programs on a ring, compared with a `VecDeque`.

use std::collections::VecDeque;

use loligo_allocators::Allocator;
use loligo_containers::{GrowError, Ring};

use super::model_op::{Beside, Differs, model_ops, run_beside, run_planted, same};

model_ops! {
    /// One operation on a ring. Elements are numbered as they come; places are taken modulo the
    /// length.
    RingOp of 32 by run_ring {
        /// Appends an element.
        0..=4 => PushBack,
        /// Puts an element before the first.
        5..=8 => PushFront,
        /// Appends one without growing: the first is removed if there is no room.
        9..=10 => PushOver,
        /// Takes the first.
        11..=12 => PopFront,
        /// Takes the last.
        13..=14 => PopBack,
        /// Appends several copies.
        15..=16 => PushSlice { count: u8 },
        /// Takes the given number of of the first.
        17..=18 => PopSlice { count: u8 },
        /// Puts as many as an iterator yields, which does not say how many they are.
        19..=19 => Extend { count: u8 },
        /// Drops all from a place on.
        20..=20 => Truncate { at: u16 },
        /// Drops all before a place.
        21..=21 => TruncateFront { at: u16 },
        /// Exchanges two.
        22..=22 => Swap { which: u16, at: u16 },
        /// Takes one out of the middle.
        23..=24 => Remove { at: u16 },
        /// Keeps those that no number divides.
        25..=25 => Retain { count: u8 },
        /// Makes all contiguous.
        26..=26 => MakeContiguous,
        /// Gives back what room there is.
        27..=27 => Shrink,
        /// Makes room.
        28..=28 => Reserve { count: u8 },
        /// Continues with a copy.
        29..=29 => Clone,
        /// Copies out from a place on.
        30..=30 => CopyOut { count: u8, at: u16 },
        /// Drops all.
        31..=31 => Clear,
    }
}

/// Runs a program on a ring and on a `VecDeque`, and returns how many operations were refused
/// memory.
///
/// # Errors
///
/// [`Differs`] as soon as the two do.
///
/// # Examples
///
/// ```
/// use loligo_tests::models::NaiveAllocator;
/// use loligo_tests::programs::{RingOp, run_ring};
///
/// let memory = NaiveAllocator::new("naive", 64 << 10);
/// let program = [RingOp::PushBack, RingOp::PushFront, RingOp::Remove { at: 1 }];
/// assert_eq!(run_ring(&program, &memory)?, 0);
/// # Ok::<(), loligo_tests::programs::Differs>(())
/// ```
pub fn run_ring(program: &[RingOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_beside(program, &mut Rings::new_in(memory))
}

/// As [`run_ring`], on a ring with a planted fault: it loses its first element where the same
/// operation is done twice in a row. For seeing a program fail.
///
/// # Errors
///
/// [`Differs`] where the fault is seen.
pub fn run_faulty_ring(program: &[RingOp], memory: &dyn Allocator) -> Result<u32, Differs> {
    run_planted(program, &mut Rings::new_in(memory))
}

pub(super) struct Rings<'a> {
    ring: Ring<'a, u32>,
    model: VecDeque<u32>,
    next: u32,
}

impl Beside for Rings<'_> {
    type Op = RingOp;

    fn lose(&mut self) {
        self.ring.pop_front();
    }

    fn step(&mut self, op: RingOp) -> Result<bool, String> {
        let served = match op {
            RingOp::PushBack
            | RingOp::PushFront
            | RingOp::PushOver
            | RingOp::PushSlice { .. }
            | RingOp::Extend { .. } => self.put(op)?,
            RingOp::PopFront
            | RingOp::PopBack
            | RingOp::PopSlice { .. }
            | RingOp::Remove { .. }
            | RingOp::CopyOut { .. } => self.take(op).map(|()| true)?,
            _ => self.arrange(op)?,
        };
        same("length", self.ring.len(), self.model.len())?;
        same("first", self.ring.front(), self.model.front())?;
        same("last", self.ring.back(), self.model.back())?;
        Ok(served)
    }

    fn compare(&self) -> Result<(), String> {
        same("elements", self.ring.iter().collect(), self.model.iter().collect::<Vec<_>>())?;
        let (front, back) = self.ring.as_slices();
        same("slices", [front, back].concat(), self.model.iter().copied().collect())?;
        let at = self.model.len() / 2;
        same("in the middle", self.ring.get(at), self.model.get(at))?;
        same("after the last", self.ring.get(self.model.len()), None)?;
        let room = self.ring.capacity() >= self.ring.len();
        same("there is room for all", room, true)
    }
}

impl<'a> Rings<'a> {
    pub(super) fn new_in(memory: &'a dyn Allocator) -> Self {
        Self { ring: Ring::new_in(memory), model: VecDeque::new(), next: 0 }
    }
}

impl Rings<'_> {
    fn put(&mut self, op: RingOp) -> Result<bool, String> {
        let first = self.next;
        self.next = self.next.wrapping_add(256);
        let numbers = |count: u8| first..first.wrapping_add(count.into());
        let outcome = match op {
            RingOp::PushFront => {
                return Ok(kept(self.ring.try_push_front(first), || self.model.push_front(first)));
            }
            RingOp::PushOver => {
                let is_full = self.ring.len() == self.ring.capacity();
                let pushed_out = self.ring.push_over(first);
                self.model.push_back(first);
                let expected = if is_full { self.model.pop_front() } else { None };
                // A ring without room gives the element itself back.
                same("pushed out", pushed_out, expected)?;
                return Ok(true);
            }
            RingOp::PushSlice { count } => {
                let many: Vec<u32> = numbers(count).collect();
                (self.ring.try_push_back_slice(&many), count)
            }
            RingOp::Extend { count } => {
                (self.ring.try_extend(numbers(count).filter(|_| true)), count)
            }
            _ => (self.ring.try_push_back(first), 1),
        };
        Ok(kept(outcome.0, || self.model.extend(numbers(outcome.1))))
    }

    fn take(&mut self, op: RingOp) -> Result<(), String> {
        let len = self.model.len();
        match op {
            RingOp::PopFront => same("taken", self.ring.pop_front(), self.model.pop_front()),
            RingOp::PopBack => same("taken", self.ring.pop_back(), self.model.pop_back()),
            RingOp::Remove { at } => {
                // One place beyond the last is asked for too.
                let at = usize::from(at) % (len + 1);
                same("taken", self.ring.remove(at), self.model.remove(at))
            }
            RingOp::CopyOut { count, at } => {
                let at = usize::from(at) % (len + 2);
                let mut out = vec![0; count.into()];
                let count = self.ring.copy_to_slice(at, &mut out);
                let expected: Vec<u32> =
                    self.model.iter().skip(at).copied().take(out.len()).collect();
                same("copied", &out[..count], &expected[..])
            }
            RingOp::PopSlice { count } => {
                let mut out = vec![0; count.into()];
                let count = self.ring.pop_front_slice(&mut out);
                let expected: Vec<u32> = self.model.drain(..len.min(out.len())).collect();
                same("taken", &out[..count], &expected[..])
            }
            _ => Ok(()),
        }
    }

    fn arrange(&mut self, op: RingOp) -> Result<bool, String> {
        let len = self.model.len();
        let place = |at: u16| usize::from(at) % (len + 2);
        let outcome = match op {
            RingOp::Truncate { at } => {
                self.ring.truncate(place(at));
                self.model.truncate(place(at));
                Ok(())
            }
            RingOp::TruncateFront { at } => {
                self.ring.truncate_front(place(at));
                self.model.drain(..place(at).min(len));
                Ok(())
            }
            RingOp::Swap { which, at } if len > 0 => {
                let (a, b) = (usize::from(which) % len, usize::from(at) % len);
                self.ring.swap(a, b);
                self.model.swap(a, b);
                Ok(())
            }
            RingOp::Retain { count } => {
                let keep = |element: u32| !element.is_multiple_of(u32::from(count) % 7 + 2);
                self.ring.retain(|element| keep(*element));
                self.model.retain(|element| keep(*element));
                Ok(())
            }
            RingOp::MakeContiguous => {
                same("together", &*self.ring.make_contiguous(), &*self.model.make_contiguous())?;
                Ok(())
            }
            RingOp::Shrink => self.ring.try_shrink_to_fit(),
            RingOp::Reserve { count } => {
                let outcome = self.ring.try_reserve(count.into());
                let room = self.ring.capacity() - len >= usize::from(count);
                same("room was made", room || outcome.is_err(), true)?;
                outcome
            }
            RingOp::Clone => {
                self.ring.try_clone_in(self.ring.memory()).map(|copy| self.ring = copy)
            }
            RingOp::Clear => {
                self.ring.clear();
                self.model.clear();
                Ok(())
            }
            _ => Ok(()),
        };
        Ok(outcome.is_ok())
    }
}

/// Does on the model what was served, and returns whether it was.
fn kept(outcome: Result<(), GrowError>, model: impl FnOnce()) -> bool {
    outcome.map(|()| model()).is_ok()
}
