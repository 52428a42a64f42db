//! A plain ring over a vector, with one thing wrong.

use core::mem;

use crate::conformance::{Queue, Token};

/// Something that a [`FaultyQueue`] does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueueFault {
    /// None: a queue as it should be.
    None,
    /// Counts one more than there are.
    CountsTooMany,
    /// Gives out the last element.
    LastOut,
    /// Counts no more than 64.
    CountsTo64,
    /// Exchanges two elements each 257th time that one is taken.
    SwapsInTurnover,
    /// Shows its two pieces in the wrong order.
    VisitsPiecesSwapped,
    /// Keeps the last element when it is cleared.
    ClearKeepsLast,
    /// Loses an element when it grows to 4096 and more.
    LosesOnGrowth,
    /// Forgets when it grows that its elements are in two pieces.
    GrowsUnwrapped,
    /// Takes one less than it may.
    TakesOneLess,
    /// Takes one more than it may.
    TakesOneMore,
    /// Drops what it refuses, and hands back another.
    DropsRefused,
    /// Forgets to drop what is there when it goes.
    ForgetsDrop,
    /// Forgets to drop what is cleared away.
    ForgetsOnClear,
    /// Loses the last element when it is emptied after 120 and more were in it.
    LosesAfterBurst,
}

impl QueueFault {
    /// Every fault that the suite must catch, with the check that catches it.
    pub const CAUGHT: [(Self, &'static str); 14] = [
        (Self::CountsTooMany, "empty"),
        (Self::LastOut, "first_in_first_out"),
        (Self::CountsTo64, "length"),
        (Self::SwapsInTurnover, "turnover"),
        (Self::VisitsPiecesSwapped, "visit"),
        (Self::ClearKeepsLast, "clear"),
        (Self::LosesOnGrowth, "growth"),
        (Self::GrowsUnwrapped, "growth_while_wrapped"),
        (Self::TakesOneLess, "full"),
        (Self::TakesOneMore, "full"),
        (Self::DropsRefused, "full"),
        (Self::ForgetsDrop, "drops"),
        (Self::ForgetsOnClear, "drops"),
        (Self::LosesAfterBurst, "programs"),
    ];
}

/// A ring over a vector, with one planted [`QueueFault`], which the suite must find.
#[derive(Debug)]
pub struct FaultyQueue {
    fault: QueueFault,
    capacity: Option<usize>,
    places: Vec<Option<Token>>,
    first: usize,
    len: usize,
    taken: u32,
    longest: usize,
}

impl FaultyQueue {
    /// Makes a queue with that fault, of at most `capacity` elements.
    #[must_use]
    pub fn new(fault: QueueFault, capacity: Option<usize>) -> Self {
        let places = (0..capacity.map_or(4, |capacity| capacity + 1)).map(|_| None).collect();
        Self { fault, capacity, places, first: 0, len: 0, taken: 0, longest: 0 }
    }

    fn has(&self, fault: QueueFault) -> bool {
        self.fault == fault
    }

    /// Doubles the places.
    fn grow(&mut self) {
        if !self.has(QueueFault::GrowsUnwrapped) {
            self.places.rotate_left(self.first);
            self.first = 0;
        }
        let places = 2 * self.places.len();
        self.places.resize_with(places, || None);
        if self.has(QueueFault::LosesOnGrowth) && places > 4096 {
            self.places[self.first] = None;
        }
    }
}

impl Queue for FaultyQueue {
    fn push(&mut self, token: Token) -> Result<(), Token> {
        let most = self.capacity.map(|capacity| match self.fault {
            QueueFault::TakesOneLess => capacity - 1,
            QueueFault::TakesOneMore => capacity + 1,
            _ => capacity,
        });
        if most.is_some_and(|most| self.len >= most) {
            let is_lost = self.has(QueueFault::DropsRefused);
            return Err(if is_lost { Token::new(0) } else { token });
        }
        if self.len == self.places.len() {
            self.grow();
        }
        let place = (self.first + self.len) % self.places.len();
        self.places[place] = Some(token);
        self.len += 1;
        self.longest = self.longest.max(self.len);
        Ok(())
    }

    fn pop(&mut self) -> Option<Token> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        self.taken += 1;
        if self.has(QueueFault::LastOut) {
            let place = (self.first + self.len) % self.places.len();
            return self.places[place].take();
        }
        let next = (self.first + 1) % self.places.len();
        if self.has(QueueFault::SwapsInTurnover) && self.taken.is_multiple_of(257) && self.len > 0 {
            self.places.swap(self.first, next);
        }
        let bursts = self.has(QueueFault::LosesAfterBurst) && self.longest >= 120;
        if bursts && self.len == 1 {
            self.longest = 0;
            self.places[next] = Some(Token::new(u32::MAX));
        }
        let token = self.places[self.first].take();
        self.first = next;
        token
    }

    fn len(&self) -> usize {
        match self.fault {
            QueueFault::CountsTooMany => self.len + 1,
            QueueFault::CountsTo64 => self.len.min(64),
            _ => self.len,
        }
    }

    fn visit(&self, each: &mut dyn FnMut(&Token)) -> bool {
        let end = self.places.len().min(self.first + self.len);
        let (front, back) =
            (&self.places[self.first..end], &self.places[..self.len - (end - self.first)]);
        let (front, back) =
            if self.has(QueueFault::VisitsPiecesSwapped) { (back, front) } else { (front, back) };
        front.iter().chain(back).flatten().for_each(each);
        true
    }

    fn clear(&mut self) {
        let kept = usize::from(self.has(QueueFault::ClearKeepsLast));
        while self.len > kept {
            let token = self.pop();
            if self.has(QueueFault::ForgetsOnClear) {
                mem::forget(token);
            }
        }
    }
}

impl Drop for FaultyQueue {
    fn drop(&mut self) {
        if self.has(QueueFault::ForgetsDrop) {
            mem::forget(mem::take(&mut self.places));
        }
    }
}
