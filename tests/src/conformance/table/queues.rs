//! The queues of the table.

use std::collections::VecDeque;

use crossbeam_queue::{ArrayQueue, SegQueue};
use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_containers::Ring;

use crate::conformance::queue::some_queue_outcomes;
use crate::conformance::{Queue, QueueLimits, Token};
use crate::models::{FaultyQueue, QueueFault};

use super::{Family, Subject, Whose};

/// Places of the bounded queues.
const PLACES: usize = 13;

impl Queue for Ring<'_, Token> {
    fn push(&mut self, token: Token) -> Result<(), Token> {
        self.push_back(token);
        Ok(())
    }

    fn pop(&mut self) -> Option<Token> {
        self.pop_front()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn visit(&self, each: &mut dyn FnMut(&Token)) -> bool {
        self.iter().for_each(each);
        true
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl Queue for VecDeque<Token> {
    fn push(&mut self, token: Token) -> Result<(), Token> {
        self.push_back(token);
        Ok(())
    }

    fn pop(&mut self) -> Option<Token> {
        self.pop_front()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn visit(&self, each: &mut dyn FnMut(&Token)) -> bool {
        self.iter().for_each(each);
        true
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl Queue for SegQueue<Token> {
    fn push(&mut self, token: Token) -> Result<(), Token> {
        Self::push(self, token);
        Ok(())
    }

    fn pop(&mut self) -> Option<Token> {
        Self::pop(self)
    }

    fn len(&self) -> usize {
        Self::len(self)
    }
}

impl Queue for ArrayQueue<Token> {
    fn push(&mut self, token: Token) -> Result<(), Token> {
        Self::push(self, token)
    }

    fn pop(&mut self) -> Option<Token> {
        Self::pop(self)
    }

    fn len(&self) -> usize {
        Self::len(self)
    }
}

/// Returns the queues: ours, those of std and crossbeam, driven by one thread, and one with a
/// planted fault.
pub(super) fn subjects() -> Vec<Subject> {
    let crossbeam = Some(("crossbeam-queue", "0"));
    let (growing, bounded) = (QueueLimits::growing(), QueueLimits::bounded(PLACES));
    vec![
        Subject::new(Family::Queues, "Ring", Whose::Ours, None, move |wanted| {
            some_queue_outcomes(&growing, wanted, |test| {
                let pages = PageAllocator::new("pages");
                let heap = HeapAllocator::new_in("heap", &pages);
                let mut ring: Ring<'_, Token> = Ring::new_in(&heap);
                test(&mut ring);
            })
        }),
        Subject::new(
            Family::Queues,
            "std::collections::VecDeque",
            Whose::Peer,
            None,
            move |wanted| some_queue_outcomes(&growing, wanted, |test| test(&mut VecDeque::new())),
        ),
        Subject::new(
            Family::Queues,
            "crossbeam_queue::SegQueue",
            Whose::Peer,
            crossbeam,
            move |wanted| some_queue_outcomes(&growing, wanted, |test| test(&mut SegQueue::new())),
        ),
        Subject::new(
            Family::Queues,
            "crossbeam_queue::ArrayQueue",
            Whose::Peer,
            crossbeam,
            move |wanted| {
                some_queue_outcomes(&bounded, wanted, |test| test(&mut ArrayQueue::new(PLACES)))
            },
        ),
        Subject::new(Family::Queues, "places", Whose::Planted, None, move |wanted| {
            some_queue_outcomes(&growing, wanted, |test| {
                test(&mut FaultyQueue::new(QueueFault::GrowsUnwrapped, None));
            })
        }),
    ]
}
