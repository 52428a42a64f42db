//! Closures and destructors that panic leave the table whole, and nothing leaks.

use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};
use std::vec::Vec;

use crate::id::Id;
use crate::policy::{Fifo, Retire};
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::TestBacking;

/// Counts the living, and panics in the destructor of one.
struct Fuse<'a> {
    living: &'a Cell<usize>,
    number: usize,
    /// The number whose destructor panics, once.
    bad: &'a Cell<usize>,
}

impl Drop for Fuse<'_> {
    fn drop(&mut self) {
        self.living.set(self.living.get() - 1);
        if self.bad.get() == self.number {
            self.bad.set(usize::MAX);
            blow();
        }
    }
}

/// Panics without a message on the terminal.
fn blow() {
    resume_unwind(std::boxed::Box::new("planned"));
}

type Fuses<'a, S> = Table<'a, S, Fuse<'a>, Id<u8>, Fifo<1>, Retire, TestBacking>;

const COUNT: usize = 9;

/// Runs `work` on a table in which the destructor of `bad` panics, and checks what is left: the
/// table is whole, and as many objects live as it says.
fn survives<S: Shape>(bad: usize, panics: bool, work: fn(&mut Fuses<'_, S>)) {
    let backing = TestBacking::new();
    let (living, number) = (Cell::new(0), Cell::new(usize::MAX));
    let make = |n| {
        living.set(living.get() + 1);
        Fuse { living: &living, number: n, bad: &number }
    };
    let mut table: Fuses<'_, S> = Table::new_in(&backing);
    let ids: Vec<_> = (0..COUNT + 2)
        .map(|n| table.insert(make(n)).unwrap_or_else(|error| panic!("{error}")))
        .collect();
    // Two holes.
    table.remove_batch([ids[COUNT], ids[2]]);
    number.set(bad);
    let result = catch_unwind(AssertUnwindSafe(|| work(&mut table)));
    assert_eq!(result.is_err(), panics, "whether it panicked at {bad}");
    table.validate().expect("the table is whole");
    assert_eq!(table.len(), living.get(), "what lives is in the table");
    assert_eq!(table.iter().count(), living.get(), "and can be seen");
    number.set(usize::MAX);
    table.insert(make(77)).unwrap_or_else(|error| panic!("{error}"));
    drop(table);
    assert_eq!(living.get(), 0, "nothing leaks");
}

fn every_operation<S: Shape>() {
    for bad in [0, 1, 5, COUNT - 1, COUNT + 1] {
        survives::<S>(bad, true, |table| table.clear());
        survives::<S>(bad, true, |table| table.retain(|_, _| false));
        survives::<S>(bad, true, |table| drop(table.drain()));
        survives::<S>(bad, true, |table| table.drain().for_each(drop));
        survives::<S>(bad, true, |table| {
            let ids: Vec<_> = table.ids().collect();
            table.remove_batch(ids);
        });
    }
    let none = usize::MAX;
    survives::<S>(none, true, |table| {
        let mut asked = 0;
        table.retain(|_, _| {
            asked += 1;
            if asked == 4 {
                blow();
            }
            asked % 2 == 0
        });
    });
    survives::<S>(none, true, |table| {
        let mut given = 0;
        let values = core::iter::from_fn(|| {
            given += 1;
            if given == 2 {
                blow();
            }
            None
        });
        let _ = table.insert_batch(values, |_| ());
        blow();
    });
    survives::<S>(none, true, |table| {
        let _ = table.insert_with(|_| {
            blow();
            unreachable!("it panicked")
        });
    });
    survives::<S>(none, false, |table| core::mem::forget(table.drain()));
    survives::<S>(none, false, |table| {
        let mut drain = table.drain();
        drain.next();
        core::mem::forget(drain);
    });
}

#[test]
fn a_panic_leaves_the_table_whole() {
    every_operation::<Holes>();
    every_operation::<Packed>();
}

/// A destructor that panics while the table is dropped: the others run, and the memory is given
/// back.
fn dropped<S: Shape>() {
    for bad in 0..COUNT {
        let backing = TestBacking::new();
        let (living, number) = (Cell::new(0), Cell::new(bad));
        let mut table: Fuses<'_, S> = Table::new_in(&backing);
        for n in 0..COUNT {
            living.set(living.get() + 1);
            let made = table.insert(Fuse { living: &living, number: n, bad: &number });
            assert!(made.is_ok(), "there is room");
        }
        let result = catch_unwind(AssertUnwindSafe(|| drop(table)));
        assert!(result.is_err(), "the destructor of {bad} panics");
        assert_eq!(living.get(), 0, "all the others ran");
    }
}

/// The same for a table taken apart, of which some objects were taken.
fn taken_apart<S: Shape>() {
    for (bad, taken) in [(0, 0), (3, 2), (COUNT - 1, 4), (COUNT - 1, COUNT - 2)] {
        let backing = TestBacking::new();
        let (living, number) = (Cell::new(0), Cell::new(usize::MAX));
        let mut table: Fuses<'_, S> = Table::new_in(&backing);
        for n in 0..COUNT {
            living.set(living.get() + 1);
            let made = table.insert(Fuse { living: &living, number: n, bad: &number });
            assert!(made.is_ok(), "there is room");
        }
        let mut all = table.into_iter();
        all.by_ref().take(taken).for_each(drop);
        assert_eq!((living.get(), all.len()), (COUNT - taken, COUNT - taken), "the rest lives");
        number.set(bad);
        let result = catch_unwind(AssertUnwindSafe(|| drop(all)));
        assert!(result.is_err(), "the destructor of {bad} panics");
        assert_eq!(living.get(), 0, "all the others ran");
    }
}

#[test]
fn a_panic_while_dropping_gives_everything_back() {
    dropped::<Holes>();
    dropped::<Packed>();
    taken_apart::<Holes>();
    taken_apart::<Packed>();
}
