//! The forms of an array of arrays over every kind of memory, and random programs of them.

use loligo_allocators::{
    Allocator, BuddyAllocator, FrameAllocator, Locked, ProxyAllocator, StaticHeap,
};
use loligo_containers::{ArrayOfArrays, FixedRows, GrowError, LinkedRows, RowError, RowId, Rows};
use loligo_tests::Region;
use loligo_tests::models::{FailingBacking, NaiveAllocator, Refusals};
use proptest::prelude::*;

use crate::buddy::BUDDY;
use crate::heap::{HEAP, HEAP_IN_REGION};
use crate::locked::LOCKED;
use crate::page::PAGE;
use crate::static_heap::STATIC_HEAP;
use crate::subject::Subject;

/// The allocators that serve blocks of any size.
const GENERAL: [Subject; 6] = [BUDDY, HEAP, HEAP_IN_REGION, LOCKED, PAGE, STATIC_HEAP];

/// What is done to a container of rows.
#[derive(Clone, Debug)]
enum Step {
    Add,
    Push(usize, u32),
    Pop(usize),
    Remove(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => Just(Step::Add),
        8 => (any::<usize>(), any::<u32>()).prop_map(|(row, element)| Step::Push(row, element)),
        4 => any::<usize>().prop_map(Step::Pop),
        1 => any::<usize>().prop_map(Step::Remove),
    ];
    proptest::collection::vec(step, 0..400)
}

type Model = Vec<(RowId<u32>, Vec<u32>)>;

/// Does one step to a form and to vectors; a refusal must leave both as they were.
fn step(rows: &mut impl Rows<u32>, model: &mut Model, step: &Step) -> Result<(), GrowError> {
    let count = model.len();
    match *step {
        Step::Add => model.push((rows.try_add_row()?, Vec::new())),
        _ if count == 0 => {}
        Step::Push(at, element) => {
            let (row, elements) = &mut model[at % count];
            match rows.try_push(*row, element) {
                Ok(()) => elements.push(element),
                Err(RowError::Grow(error)) => {
                    assert_eq!(rows.row_len(*row), Some(elements.len()), "a refusal adds nothing");
                    return Err(error);
                }
                Err(other) => panic!("{other}"),
            }
        }
        Step::Pop(at) => {
            let (row, elements) = &mut model[at % count];
            assert_eq!(rows.pop(*row), elements.pop(), "{row:?}");
        }
        Step::Remove(at) => {
            let (row, _) = model.swap_remove(at % count);
            assert!(rows.remove_row(row) && rows.row_len(row).is_none(), "{row:?}");
        }
    }
    Ok(())
}

/// Reads every row and compares; the linked form shows its last run first.
fn same(rows: &impl Rows<u32>, model: &Model) {
    assert_eq!(rows.row_count(), model.len(), "as many rows");
    for (row, elements) in model {
        let mut runs: Vec<Vec<u32>> = Vec::new();
        assert!(rows.visit_row(*row, |run| runs.push(run.to_vec())), "{row:?}");
        runs.reverse();
        assert_eq!(runs.concat(), *elements, "{row:?}");
    }
}

/// Runs a program, repeating once what is refused.
fn run(mut rows: impl Rows<u32>, program: &[Step]) {
    let mut model = Model::new();
    for what in program {
        if step(&mut rows, &mut model, what).is_err() {
            same(&rows, &model);
            // A form may be full for good; then the row keeps what it has.
            let _ = step(&mut rows, &mut model, what);
        }
    }
    same(&rows, &model);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn every_form_runs_random_programs(program in steps(), every in 2_u64..9) {
        let memory = NaiveAllocator::new("memory", 1 << 22);
        let failing = FailingBacking::new_in(&memory, Refusals::Every(every));
        run(ArrayOfArrays::new_in(&failing), &program);
        run(FixedRows::<u32, 6, _>::new_in(&failing), &program);
        run(LinkedRows::<u32, 4, _>::new_in(&failing), &program);
        prop_assert_eq!(memory.stats().live, 0);
    }
}

/// Fills, thins out, compacts, copies: what a level does with tags.
fn use_rows(memory: &dyn Allocator) {
    let mut tags: ArrayOfArrays<'_, u32> = ArrayOfArrays::new_in(memory);
    let rows: Vec<_> = (0..600_u32).map(|_| tags.add_row()).collect();
    for number in 0..4000_u32 {
        tags.push(rows[number as usize * 7919 % rows.len()], number);
    }
    for row in rows.iter().step_by(3) {
        assert!(tags.remove_row(*row), "{row:?}");
    }
    tags.validate().expect("the container is whole");
    let before: Vec<_> = tags.iter().map(|(row, elements)| (row, elements.to_vec())).collect();
    let bytes = tags.bytes();
    tags.compact();
    tags.validate().expect("the container is whole");
    assert!(tags.bytes() < bytes, "{} of {bytes} bytes", tags.bytes());
    let copy = tags.try_clone_in(memory).expect("room for a copy");
    for all in [&tags, &copy] {
        assert!(before.iter().all(|(row, elements)| all.row(*row) == Some(elements)), "ids stay");
    }
    let mut linked: LinkedRows<'_, u32, 3> = LinkedRows::new_in(memory);
    let mut fixed: FixedRows<'_, u32, 7> = FixedRows::new_in(memory);
    let rows = (linked.add_row(), fixed.add_row());
    for number in 0..7 {
        linked.push(rows.0, number);
        fixed.try_push(rows.1, number).expect("room for seven");
    }
    let lens = (linked.row_len(rows.0), fixed.row(rows.1).map(<[_]>::len));
    assert_eq!(lens, (Some(7), Some(7)), "both have seven");
    assert!(memory.stats().live >= 6, "all of it lives in the allocator");
}

#[test]
fn work_on_every_general_allocator() {
    for subject in GENERAL {
        (subject.make)(&mut |allocator| {
            use_rows(allocator);
            assert_eq!(allocator.stats().live, 0, "{}", subject.name);
        });
    }
    let mut region = Region::new(4 << 20, 64);
    let frame = FrameAllocator::from_region("frame", region.memory());
    use_rows(&frame);
}

#[test]
fn a_region_that_is_too_small_says_so_and_loses_nothing() {
    let mut region = Region::new(16 << 10, 64);
    let buddy = BuddyAllocator::from_region("buddy", 64, region.memory()).expect("a region");
    let proxy = ProxyAllocator::new_in("tags", &buddy);
    let mut tags = ArrayOfArrays::new_in(&proxy);
    let mut rows = Vec::new();
    let refused = loop {
        match tags.try_add_row_from(&[rows.len() as u32; 9]) {
            Ok(row) => rows.push(row),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, GrowError::Memory { .. }), "{refused}");
    assert!(rows.len() > 60, "{} rows", rows.len());
    tags.validate().expect("the container is whole");
    assert!((0..).zip(&rows).all(|(number, row)| tags[*row] == [number; 9]));
    // What is given back serves again, though the buffer cannot grow.
    let (gone, kept) = rows.split_at(rows.len() / 2);
    gone.iter().for_each(|row| assert!(tags.remove_row(*row)));
    for number in 0..gone.len() as u32 {
        tags.try_add_row_from(&[number; 5]).expect("the room of the rows that went");
    }
    assert!(kept.iter().all(|row| tags.contains(*row)));
    drop(tags);
    assert_eq!(proxy.stats().live, 0);
}

#[test]
fn rows_may_be_filled_by_one_thread_and_read_by_others() {
    static MEMORY: StaticHeap<{ 256 << 10 }> = StaticHeap::new("threads");
    let memory: &Locked<_> = &Locked::new(NaiveAllocator::new("memory", 1 << 20));
    let mut tags: ArrayOfArrays<'_, u32, _> = ArrayOfArrays::new_in(memory);
    let rows: Vec<_> = (0..100).map(|number| tags.add_row_from(&[number; 3])).collect();
    let tags = std::thread::spawn({
        let mut moved: ArrayOfArrays<'static, u32, StaticHeap<{ 256 << 10 }>> =
            tags.try_clone_in(&MEMORY).expect("room");
        let row = rows[5];
        move || {
            moved.push(row, 7);
            moved
        }
    })
    .join()
    .expect("the thread has not panicked");
    std::thread::scope(|scope| {
        let sums = [0, 1].map(|_| {
            let tags = &tags;
            scope.spawn(move || tags.iter().flat_map(|(_, elements)| elements).sum::<u32>())
        });
        for sum in sums {
            assert_eq!(sum.join().expect("no panic"), 3 * 99 * 50 + 7);
        }
    });
}
