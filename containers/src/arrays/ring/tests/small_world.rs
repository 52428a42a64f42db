//! Rings of up to four slots: every state, and every operation in each, with memory and without.
//!
//! A state is the number of slots, the slot of the first element and the number of elements. Each
//! is looked at twice: with counters that begin at zero, and with such that wrap around.

use core::panic::AssertUnwindSafe;
use std::collections::{BTreeSet, VecDeque};
use std::panic::catch_unwind;
use std::vec::Vec;
use std::{format, println};

use loligo_allocators::Refusals;

use super::{Ring, assert_whole};
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, with_memory};

/// So large that rings of one, two and four of them are made.
type Element = [u64; 160];

type Rings<'a> = Ring<'a, Element, Memory<'a>>;

/// Slots, the first element's slot, elements.
type State = (u32, u32, u32);

/// The most slots.
const SLOTS: u32 = 4;

#[derive(Clone, Copy, Debug)]
enum Op {
    PushBack,
    PushFront,
    PushOver,
    PopFront,
    PopBack,
    PushSlice(usize),
    Extend(usize),
    PopSlice(usize),
    CopyOut(usize, usize),
    Truncate(usize),
    TruncateFront(usize),
    Swap(usize, usize),
    Remove(usize),
    /// Keeps those whose bit is set.
    Retain(u32),
    MakeContiguous,
    Reserve(usize),
    Shrink,
    Clone,
    Clear,
}

/// Every operation with every argument that makes a difference.
fn operations(len: usize) -> Vec<Op> {
    let mut all = std::vec![
        Op::PushBack,
        Op::PushFront,
        Op::PushOver,
        Op::PopFront,
        Op::PopBack,
        Op::MakeContiguous,
        Op::Shrink,
        Op::Clone,
        Op::Clear,
    ];
    for n in 0..=5 {
        all.extend([Op::PushSlice(n), Op::Extend(n), Op::PopSlice(n), Op::Reserve(n)]);
        all.extend([Op::Truncate(n), Op::TruncateFront(n), Op::Remove(n)]);
        all.extend((0..=5).map(|at| Op::CopyOut(at, n)));
    }
    all.extend((0..1 << len).map(Op::Retain));
    all.extend((0..len).flat_map(|a| (0..len).map(move |b| Op::Swap(a, b))));
    all
}

/// An element that is identified by its number.
fn element(number: u64) -> Element {
    let mut element = [!number; 160];
    element[0] = number;
    element
}

fn many(count: usize) -> Vec<Element> {
    (100..).take(count).map(element).collect()
}

/// Does an operation on both and compares what each returns. A refusal is returned, with the model
/// unchanged.
fn apply(ring: &mut Rings<'_>, model: &mut VecDeque<Element>, op: Op) -> Result<(), GrowError> {
    match op {
        Op::PushBack => ring.try_push_back(element(100)).map(|()| model.push_back(element(100))),
        Op::PushFront => ring.try_push_front(element(100)).map(|()| model.push_front(element(100))),
        Op::PushOver => {
            model.push_back(element(100));
            let expected = if model.len() > ring.capacity() { model.pop_front() } else { None };
            assert_eq!(ring.push_over(element(100)), expected, "pushed out");
            Ok(())
        }
        Op::PushSlice(n) => ring.try_push_back_slice(&many(n)).map(|()| model.extend(many(n))),
        // What came before the refusal stays.
        Op::Extend(n) => {
            let before = ring.len();
            let outcome = ring.try_extend(many(n).into_iter().filter(|_| true));
            model.extend(many(n).into_iter().take(if outcome.is_ok() {
                n
            } else {
                ring.len() - before
            }));
            outcome
        }
        Op::Reserve(n) => ring.try_reserve(n),
        Op::Shrink => ring.try_shrink_to_fit(),
        Op::Clone => ring.try_clone_in(ring.memory()).map(|copy| {
            assert_whole(&copy);
            assert!(copy.iter().eq(model.iter()), "the copy has the same elements");
        }),
        _ => {
            apply_in_place(ring, model, op);
            Ok(())
        }
    }
}

fn apply_in_place(ring: &mut Rings<'_>, model: &mut VecDeque<Element>, op: Op) {
    match op {
        Op::PopFront => assert_eq!(ring.pop_front(), model.pop_front(), "taken"),
        Op::PopBack => assert_eq!(ring.pop_back(), model.pop_back(), "taken"),
        Op::PopSlice(n) => {
            let mut out = std::vec![element(7); n];
            let count = ring.pop_front_slice(&mut out);
            let expected: Vec<Element> = model.drain(..n.min(model.len())).collect();
            assert_eq!(&out[..count], &expected[..], "taken");
        }
        Op::CopyOut(at, n) => {
            let mut out = std::vec![element(7); n];
            let count = ring.copy_to_slice(at, &mut out);
            let expected: Vec<Element> = model.iter().skip(at).take(n).copied().collect();
            assert_eq!(&out[..count], &expected[..], "copied");
            assert!(out[count..].iter().all(|rest| *rest == element(7)), "written beyond");
        }
        Op::Truncate(n) => {
            ring.truncate(n);
            model.truncate(n);
        }
        Op::TruncateFront(n) => {
            ring.truncate_front(n);
            model.drain(..n.min(model.len()));
        }
        Op::Swap(a, b) => {
            ring.swap(a, b);
            model.swap(a, b);
        }
        Op::Remove(at) => assert_eq!(ring.remove(at), model.remove(at), "taken"),
        Op::Retain(bits) => {
            ring.retain(|element| bits >> element[0] & 1 == 1);
            model.retain(|element| bits >> element[0] & 1 == 1);
        }
        Op::MakeContiguous => {
            assert_eq!(&*ring.make_contiguous(), &*model.make_contiguous(), "together");
            assert!(ring.as_slices().1.is_empty(), "all is in the first slice");
        }
        _ => {
            ring.clear();
            model.clear();
        }
    }
}

/// Returns `true` if an operation must be refused where there is no memory; `None` where it may or
/// may not be.
fn needs_memory(op: Op, (slots, _, len): State) -> Option<bool> {
    let beyond = |more: usize| Some(len as usize + more > slots as usize);
    match op {
        Op::PushBack | Op::PushFront => beyond(1),
        Op::PushSlice(n) | Op::Extend(n) | Op::Reserve(n) => beyond(n),
        Op::Clone => Some(len > 0),
        Op::Shrink => None,
        _ => Some(false),
    }
}

/// Makes a ring in a state, its elements counting from 0.
fn ring_in<'a>((slots, first, len): State, wraps: bool, memory: &'a Memory<'a>) -> Rings<'a> {
    let mut ring = Ring::try_with_capacity_in(slots as usize, memory).expect("there is memory");
    assert_eq!(ring.limit, slots, "the allocator grants no more than was asked");
    let start = if wraps { first.wrapping_sub(slots) } else { first };
    (ring.head, ring.tail) = (start, start);
    (0..len).for_each(|number| ring.push_back(element(number.into())));
    ring
}

/// What one operation in one state comes to: the state after it.
fn one(state: State, wraps: bool, op: Op, refuses: bool, fault: fn(&mut Rings<'_>, Op)) -> State {
    let mut after = state;
    with_memory(|memory| {
        let mut ring = ring_in(state, wraps, memory);
        let mut model: VecDeque<Element> = (0..state.2).map(|n| element(n.into())).collect();
        let old = model.clone();
        memory.refuse(if refuses { Refusals::From(0) } else { Refusals::None });
        let outcome = apply(&mut ring, &mut model, op);
        memory.refuse(Refusals::None);
        fault(&mut ring, op);
        let what = || format!("{op:?} in {state:?}, wraps {wraps}, refuses {refuses}: {outcome:?}");
        assert_whole(&ring);
        assert!(ring.iter().eq(&model), "{}: the elements differ", what());
        assert!(ring.iter().rev().eq(model.iter().rev()), "{}: backwards they differ", what());
        match needs_memory(op, state) {
            Some(needs) => assert_eq!(outcome.is_err(), needs && refuses, "{}", what()),
            None => assert!(refuses || outcome.is_ok(), "{}", what()),
        }
        if outcome.is_err() && !matches!(op, Op::Extend(_)) {
            assert!(model == old && ring.limit == state.0, "{}: a refusal changed it", what());
        }
        let first = if ring.limit == 0 { 0 } else { ring.head % ring.limit };
        after = (ring.limit, first, ring.len() as u32);
    });
    after
}

/// Goes from the empty ring to every state that operations lead to. Returns the states and the
/// operations done.
fn explore(fault: fn(&mut Rings<'_>, Op)) -> (BTreeSet<State>, u64) {
    let mut known = BTreeSet::from([(0, 0, 0)]);
    let mut next = std::vec![(0, 0, 0)];
    let mut done = 0;
    while let Some(state) = next.pop() {
        for op in operations(state.2 as usize) {
            for (wraps, refuses) in [(false, false), (false, true), (true, false), (true, true)] {
                let after = one(state, wraps, op, refuses, fault);
                done += 1;
                if after.0 <= SLOTS && known.insert(after) {
                    next.push(after);
                }
            }
        }
    }
    (known, done)
}

#[test]
fn every_operation_in_every_ring_of_up_to_four_slots() {
    let (known, done) = explore(|_, _| {});
    println!("small world: ring of up to {SLOTS} slots: {} states, {done} operations", known.len());
    let all = [0_u32, 1, 2, 4].into_iter().flat_map(|slots| {
        (0..slots.max(1)).flat_map(move |first| (0..=slots).map(move |len| (slots, first, len)))
    });
    assert_eq!(known, all.collect(), "every state is reached, and no other");
    assert_eq!(known.len(), 29);
}

#[test]
fn a_planted_fault_is_found_in_the_small_world() {
    // A removal that forgets to move the elements before the gap where they wrap around.
    let fault = |ring: &mut Rings<'_>, op: Op| {
        if matches!(op, Op::Remove(_)) && ring.len() > 1 && !ring.as_slices().1.is_empty() {
            ring.swap(0, 1);
        }
    };
    assert!(catch_unwind(AssertUnwindSafe(|| explore(fault))).is_err(), "it is not found");
}
