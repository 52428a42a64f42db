//! The suite for queues: first in, first out, bounded or growing.

mod checks;

use crate::programs::run_any_queue;
use crate::rule::Violation;

use super::run::{Job, Wanted, as_model, every, outcomes};
use super::token::Token;
use super::{Outcome, assert_all};

/// A queue: what is put in first comes out first.
///
/// It is implemented for a queue of [`Token`]s, mostly on a wrapper of a line.
///
/// # Examples
///
/// ```
/// use std::collections::VecDeque;
///
/// use loligo_tests::conformance::{self, Queue, QueueLimits, Token};
///
/// #[derive(Default)]
/// struct Mine(VecDeque<Token>);
///
/// impl Queue for Mine {
///     fn push(&mut self, token: Token) -> Result<(), Token> {
///         self.0.push_back(token);
///         Ok(())
///     }
///     fn pop(&mut self) -> Option<Token> {
///         self.0.pop_front()
///     }
///     fn len(&self) -> usize {
///         self.0.len()
///     }
/// }
///
/// conformance::queue(&QueueLimits::growing(), |test| test(&mut Mine::default()));
/// ```
#[expect(clippy::len_without_is_empty, reason = "a suite asks for the length alone")]
pub trait Queue {
    /// Appends an element.
    ///
    /// # Errors
    ///
    /// Hands the element back where there is no room.
    fn push(&mut self, token: Token) -> Result<(), Token>;

    /// Takes the first element.
    fn pop(&mut self) -> Option<Token>;

    /// Returns how many elements there are.
    fn len(&self) -> usize;

    /// Shows the elements from first to last and returns `true`; `false` where they cannot be
    /// looked at.
    fn visit(&self, each: &mut dyn FnMut(&Token)) -> bool {
        let _ = each;
        false
    }

    /// Drops all elements: takes them one by one unless there is another way.
    fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

/// What a queue promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// How many elements it takes before it refuses; `None` if it grows as long as there is memory.
    pub capacity: Option<usize>,
}

impl QueueLimits {
    /// Returns the limits of a queue that grows.
    #[must_use]
    pub const fn growing() -> Self {
        Self { capacity: None }
    }

    /// Returns the limits of a queue of at most `capacity` elements.
    #[must_use]
    pub const fn bounded(capacity: usize) -> Self {
        Self { capacity: Some(capacity) }
    }
}

/// A check: a script over a fresh queue.
type Check = fn(&mut dyn Queue, &QueueLimits) -> Result<(), Violation>;

/// The checks by name, the simplest first; `programs` follow.
const SCRIPTS: &[(&str, Check)] = &[
    ("empty", checks::empty),
    ("first_in_first_out", checks::first_in_first_out),
    ("length", checks::length),
    ("turnover", checks::turnover),
    ("visit", checks::visit),
    ("clear", checks::clear),
    ("growth", checks::growth),
    ("growth_while_wrapped", checks::growth_while_wrapped),
    ("full", checks::full),
    ("drops", checks::drops),
];

/// Holds a queue to what all of them promise; panics with all that was found.
///
/// `make` is called once for each check, and for each program: it makes a fresh queue and passes it
/// to the function it is given. Programs are drawn by a seed, which is printed; one that fails is
/// made small.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// That of [`Queue`], or:
///
/// ```
/// use loligo_tests::conformance::{self, QueueLimits};
/// use loligo_tests::models::{FaultyQueue, QueueFault};
///
/// conformance::queue(&QueueLimits::bounded(8), |test| {
///     test(&mut FaultyQueue::new(QueueFault::None, Some(8)));
/// });
/// ```
pub fn queue(limits: &QueueLimits, make: impl FnMut(&mut dyn FnMut(&mut dyn Queue))) {
    assert_all(&queue_outcomes(limits, make));
}

/// As [`queue()`], but returns what each check came to.
pub fn queue_outcomes(
    limits: &QueueLimits,
    make: impl FnMut(&mut dyn FnMut(&mut dyn Queue)),
) -> Vec<Outcome> {
    some_queue_outcomes(limits, &every, make)
}

/// Runs the wanted checks.
pub(crate) fn some_queue_outcomes(
    limits: &QueueLimits,
    wanted: Wanted<'_>,
    mut make: impl FnMut(&mut dyn FnMut(&mut dyn Queue)),
) -> Vec<Outcome> {
    outcomes(wanted, SCRIPTS, &mut |job, passed| {
        make(&mut |queue| {
            passed.on(match job {
                Job::Check(check) => check(queue, limits),
                Job::Program(program) => as_model(run_any_queue(program, limits.capacity, queue)),
            });
        });
    })
}
