//! A table of 2 bits of index and 2 of generation, enumerated: every sequence of operations to a
//! depth.

use std::vec::Vec;

use crate::id::{Id, TableId};
use crate::policy::{Fifo, FreeList, GenerationEnd, Lifo, Refuse, Retire, Wrap};
use crate::table::shape::Shape;
use crate::table::tests::model::{Model, compare};
use crate::table::{Holes, Packed, Table};
use crate::test_backing::TestBacking;

type Tiny = Id<u8, u32, 2, 2>;

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert,
    Reserve,
    Remove(Tiny),
    Fill(Tiny),
    GiveUp(Tiny),
    InsertAt(Tiny),
}

fn apply<S: Shape, F: FreeList, E: GenerationEnd>(
    table: &mut Table<'_, S, u64, Tiny, F, E, TestBacking>,
    step: Step,
    value: u64,
) -> Option<u64> {
    match step {
        Step::Insert => table.insert(value).ok().map(Tiny::bits),
        Step::Reserve => table.reserve_id().ok().map(Tiny::bits),
        Step::Remove(id) => table.remove(id),
        Step::Fill(id) => table.fill(id, value).ok().map(|()| 1),
        Step::GiveUp(id) => table.give_up(id).then_some(1),
        Step::InsertAt(id) => table.insert_at(id, value).ok().map(|()| 1),
    }
}

fn say<F: FreeList, E: GenerationEnd>(
    model: &mut Model<Tiny, F, E>,
    step: Step,
    value: u64,
) -> Option<u64> {
    match step {
        Step::Insert => model.insert(value),
        Step::Reserve => model.reserve(),
        Step::Remove(id) => model.remove(id.bits()),
        Step::Fill(id) => model.fill(id.bits(), value).then_some(1),
        Step::GiveUp(id) => model.give_up(id.bits()).then_some(1),
        Step::InsertAt(id) => model.insert_at(id.bits(), value).then_some(1),
    }
}

/// Every sequence of steps that change something, to `depth`; at its end every step that changes
/// nothing is tried, too.
struct World<'a> {
    steps: &'a [Step],
    backing: TestBacking,
    sequences: u64,
}

impl World<'_> {
    fn explore<S: Shape, F: FreeList, E: GenerationEnd>(
        &mut self,
        path: &mut Vec<Step>,
        model: &Model<Tiny, F, E>,
        depth: usize,
    ) {
        self.sequences += 1;
        let mut table = Table::<S, u64, Tiny, F, E, _>::new_in(&self.backing).with_tag(0);
        for (value, &step) in path.iter().enumerate() {
            apply(&mut table, step, value as u64);
        }
        compare(&table, model);
        let mut next = Vec::new();
        for &step in self.steps {
            let mut after = model.clone();
            let value = path.len() as u64;
            if let Some(expected) = say(&mut after, step, value) {
                next.push((step, after, expected));
            } else {
                assert_eq!(apply(&mut table, step, value), None, "{step:?} after {path:?}");
            }
        }
        compare(&table, model);
        drop(table);
        if path.len() == depth {
            return;
        }
        for (step, after, expected) in next {
            let mut table = Table::<S, u64, Tiny, F, E, _>::new_in(&self.backing).with_tag(0);
            for (value, &step) in path.iter().enumerate() {
                apply(&mut table, step, value as u64);
            }
            let given = apply(&mut table, step, path.len() as u64);
            assert_eq!(given, Some(expected), "{step:?} after {path:?}");
            drop(table);
            path.push(step);
            self.explore::<S, F, E>(path, &after, depth);
            path.pop();
        }
    }
}

fn enumerate<S: Shape, F: FreeList, E: GenerationEnd>(steps: &[Step], depth: usize) -> u64 {
    let mut world = World { steps, backing: TestBacking::new(), sequences: 0 };
    world.explore::<S, F, E>(&mut Vec::new(), &Model::new(4, 0), depth);
    world.sequences
}

fn ids() -> impl Iterator<Item = Tiny> {
    (0..16).filter_map(Tiny::from_bits)
}

/// All but insertion at a given id, which multiplies the sequences by ten.
fn common_steps() -> Vec<Step> {
    let mut steps = std::vec![Step::Insert, Step::Reserve];
    for id in ids() {
        steps.extend([Step::Remove(id), Step::Fill(id), Step::GiveUp(id)]);
    }
    steps
}

fn all_steps() -> Vec<Step> {
    let mut steps = common_steps();
    steps.extend(ids().map(Step::InsertAt));
    steps
}

fn every_policy<S: Shape>(steps: &[Step], depth: usize) -> u64 {
    enumerate::<S, Lifo, Retire>(steps, depth)
        + enumerate::<S, Lifo, Wrap>(steps, depth)
        + enumerate::<S, Lifo, Refuse>(steps, depth)
        + enumerate::<S, Fifo, Retire>(steps, depth)
        + enumerate::<S, Fifo<1>, Wrap>(steps, depth)
        + enumerate::<S, Fifo<1>, Refuse>(steps, depth)
}

#[test]
fn every_sequence_of_seven_steps_without_insertion_at_an_id() {
    let sequences = every_policy::<Holes>(&common_steps(), 7);
    assert_eq!(every_policy::<Packed>(&common_steps(), 7), sequences, "the same world");
    std::println!("small world: id tables, 7 steps: {sequences} sequences for each arrangement");
    assert!(sequences > 10_000, "only {sequences} sequences");
}

#[test]
fn every_sequence_of_four_steps_of_all() {
    let sequences = every_policy::<Holes>(&all_steps(), 4);
    assert_eq!(every_policy::<Packed>(&all_steps(), 4), sequences, "the same world");
    std::println!(
        "small world: id tables, 4 steps of all: {sequences} sequences for each arrangement"
    );
    assert!(sequences > 10_000, "only {sequences} sequences");
}

/// One slot after the other through all of its lives.
#[test]
fn every_sequence_of_insertions_and_removals_to_the_end_of_a_slot() {
    let mut steps = std::vec![Step::Insert];
    steps.extend(ids().map(Step::Remove));
    let sequences = every_policy::<Holes>(&steps, 12);
    std::println!(
        "small world: id tables, 12 steps of insertions and removals: {sequences} sequences"
    );
    assert!(sequences > 10_000, "only {sequences} sequences");
}
