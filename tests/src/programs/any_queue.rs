//! Programs on anybody's queue, compared with the standard library's deque.

use std::collections::VecDeque;

use crate::conformance::{Queue, Token};

use super::model_op::{Beside, Differs, model_ops, run_beside, same};

model_ops! {
    /// One operation on anybody's queue. Elements are numbered as they come.
    AnyQueueOp of 64 by run_any_queue {
        /// Appends an element.
        0..=17 => Push,
        /// Takes the first.
        18..=35 => Pop,
        /// Appends several.
        36..=43 => PushMany { count: u8 },
        /// Takes the given number of of the first.
        44..=51 => PopMany { count: u8 },
        /// Compares all.
        52..=62 => Check,
        /// Drops all.
        63..=63 => Clear,
    }
}

/// Runs a program on a queue and on a deque, so that what
/// [`conformance::queue`](crate::conformance::queue()) found can be run again. `capacity` is how
/// many elements it takes, if it does not grow.
///
/// # Errors
///
/// [`Differs`] as soon as the two do.
pub fn run_any_queue(
    program: &[AnyQueueOp],
    capacity: Option<usize>,
    queue: &mut dyn Queue,
) -> Result<(), Differs> {
    run_beside(program, &mut Both { queue, capacity, model: VecDeque::new(), next: 0 }).map(drop)
}

struct Both<'a> {
    queue: &'a mut dyn Queue,
    capacity: Option<usize>,
    model: VecDeque<u32>,
    next: u32,
}

impl Beside for Both<'_> {
    type Op = AnyQueueOp;

    fn step(&mut self, op: AnyQueueOp) -> Result<bool, String> {
        match op {
            AnyQueueOp::Push => self.push()?,
            AnyQueueOp::Pop => self.pop()?,
            AnyQueueOp::PushMany { count } => {
                for _ in 0..count {
                    self.push()?;
                }
            }
            AnyQueueOp::PopMany { count } => {
                for _ in 0..count {
                    self.pop()?;
                }
            }
            AnyQueueOp::Check => self.compare()?,
            AnyQueueOp::Clear => {
                self.queue.clear();
                self.model.clear();
            }
        }
        same("length", self.queue.len(), self.model.len())?;
        Ok(true)
    }

    fn compare(&self) -> Result<(), String> {
        same("length", self.queue.len(), self.model.len())?;
        let mut visited = Vec::new();
        if self.queue.visit(&mut |token| visited.push(token.number())) {
            same("elements visited", visited, self.model.iter().copied().collect())?;
        }
        Ok(())
    }
}

impl Both<'_> {
    fn push(&mut self) -> Result<(), String> {
        let number = self.next;
        self.next += 1;
        let is_full = self.capacity.is_some_and(|capacity| self.model.len() >= capacity);
        let refused = self.queue.push(Token::new(number)).err().map(|token| token.number());
        same("element handed back", refused, is_full.then_some(number))?;
        if !is_full {
            self.model.push_back(number);
        }
        Ok(())
    }

    fn pop(&mut self) -> Result<(), String> {
        let taken = self.queue.pop().map(|token| token.number());
        same("element taken", taken, self.model.pop_front())
    }
}
