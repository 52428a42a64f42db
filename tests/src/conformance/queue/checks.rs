//! The checks of a queue.

use crate::conformance::token::Token;
use crate::rule::{Rule, Violation, require};

use super::{Queue, QueueLimits};

/// What a check found.
type Found = Result<(), Violation>;

/// Elements of a check that needs some.
const SOME: u32 = 100;
/// Elements of a check that needs many.
const MANY: u32 = 20_000;

/// How many elements a check may put in that would like `count`.
fn room(count: u32, limits: &QueueLimits) -> u32 {
    limits.capacity.map_or(count, |most| count.min(most as u32))
}

fn push(queue: &mut dyn Queue, number: u32) -> Found {
    let len = queue.len();
    let refused = queue.push(Token::new(number)).err().map(|token| token.number());
    require(refused.is_none(), Rule::Served, || {
        format!("push of {number} is refused with {len} elements in the queue")
    })
}

fn pops(queue: &mut dyn Queue, number: Option<u32>) -> Found {
    let taken = queue.pop().map(|token| token.number());
    require(taken == number, Rule::Order, || format!("pop returns {taken:?}, not {number:?}"))
}

fn has_len(queue: &dyn Queue, len: u32) -> Found {
    require(queue.len() == len as usize, Rule::Model, || {
        format!("len is {} with {len} elements in the queue", queue.len())
    })
}

/// Checks that a walk shows the elements from `first` up to `end`, if the queue can be looked at.
fn shows(queue: &dyn Queue, first: u32, end: u32) -> Found {
    let mut shown = Vec::new();
    let can_be_seen = queue.visit(&mut |token| shown.push(token.number()));
    require(!can_be_seen || shown.iter().copied().eq(first..end), Rule::Order, || {
        format!("a walk shows {shown:?}, not {first} to {end}")
    })
}

/// A fresh queue is empty, and stays so.
pub(super) fn empty(queue: &mut dyn Queue, _limits: &QueueLimits) -> Found {
    has_len(queue, 0)?;
    pops(queue, None)?;
    pops(queue, None)?;
    shows(queue, 0, 0)?;
    queue.clear();
    has_len(queue, 0)
}

/// Elements come out in the order in which they went in.
pub(super) fn first_in_first_out(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    let count = room(SOME, limits);
    for _ in 0..3 {
        (0..count).try_for_each(|number| push(queue, number))?;
        (0..count).try_for_each(|number| pops(queue, Some(number)))?;
        pops(queue, None)?;
    }
    Ok(())
}

/// The length counts what is there.
pub(super) fn length(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    let count = room(SOME, limits);
    for number in 0..count {
        push(queue, number)?;
        has_len(queue, number + 1)?;
    }
    for number in (0..count).rev() {
        drop(queue.pop());
        has_len(queue, number)?;
    }
    Ok(())
}

/// Elements go in and out in turn, so that a ring goes round many times, at every length.
pub(super) fn turnover(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    let (mut first, mut next) = (0, 0);
    for len in (1..=room(16, limits)).chain([room(SOME, limits)]) {
        while next - first < len {
            push(queue, next)?;
            next += 1;
        }
        for _ in 0..3 * SOME {
            pops(queue, Some(first))?;
            first += 1;
            push(queue, next)?;
            next += 1;
        }
        has_len(queue, next - first)?;
    }
    Ok(())
}

/// A walk shows the elements from first to last, also where they are in two pieces.
pub(super) fn visit(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    let count = room(SOME, limits);
    (0..count).try_for_each(|number| push(queue, number))?;
    for turn in 0..2 * count {
        shows(queue, turn, turn + count)?;
        pops(queue, Some(turn))?;
        push(queue, turn + count)?;
    }
    Ok(())
}

/// Clearing drops all, and the queue is used again.
pub(super) fn clear(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    let count = room(SOME, limits);
    for skipped in 0..3.min(count) {
        (0..count).try_for_each(|number| push(queue, number))?;
        (0..skipped).try_for_each(|number| pops(queue, Some(number)))?;
        queue.clear();
        has_len(queue, 0)?;
        pops(queue, None)?;
    }
    Ok(())
}

/// Many elements are all there, however often the queue had to grow for them.
pub(super) fn growth(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    let count = room(MANY, limits);
    (0..count).try_for_each(|number| push(queue, number))?;
    has_len(queue, count)?;
    (0..count).try_for_each(|number| pops(queue, Some(number)))
}

/// A ring that grows while its elements are in two pieces keeps their order.
pub(super) fn growth_while_wrapped(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    for round in 3..12 {
        let count = room(1 << round, limits);
        // The first element moves on, to about two thirds of the places that there are now.
        for number in 0..count / 3 + 1 {
            push(queue, number)?;
            pops(queue, Some(number))?;
        }
        (0..count).try_for_each(|number| push(queue, number))?;
        (0..count).try_for_each(|number| pops(queue, Some(number)))?;
    }
    Ok(())
}

/// A bounded queue takes as many as it promises, hands the next one back, and takes one for each
/// that goes.
pub(super) fn full(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    let Some(most) = limits.capacity.map(|most| most as u32) else { return Ok(()) };
    (0..most).try_for_each(|number| push(queue, number))?;
    for turn in 0..2 * most + 2 {
        let back = queue.push(Token::new(u32::MAX)).err().map(|token| token.number());
        require(back == Some(u32::MAX), Rule::Bound, || {
            format!("with {most} elements, all it may have, a push hands back {back:?}")
        })?;
        has_len(queue, most)?;
        pops(queue, Some(turn))?;
        push(queue, turn + most)?;
    }
    Ok(())
}

/// Elements that were taken, refused, cleared away or left in a queue that goes are dropped once.
pub(super) fn drops(queue: &mut dyn Queue, limits: &QueueLimits) -> Found {
    for _ in 0..2 {
        for number in 0..room(SOME, limits) + 3 {
            drop(queue.push(Token::new(number)));
        }
        (0..5).for_each(|_| drop(queue.pop()));
        queue.clear();
    }
    for number in 0..room(SOME, limits) {
        drop(queue.push(Token::new(number)));
    }
    // The first ones go and others come, so that what is left is in two pieces.
    for number in 0..3 {
        drop(queue.pop());
        drop(queue.push(Token::new(number)));
    }
    Ok(())
}
