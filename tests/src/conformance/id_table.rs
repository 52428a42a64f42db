//! The suite for tables that give their objects ids.

mod checks;

use core::fmt;

use crate::programs::run_any_table;
use crate::rule::Violation;

use super::run::{Job, Wanted, as_model, every, outcomes};
use super::token::Token;
use super::{Outcome, assert_all};

/// A table that gives its objects ids: a slot map, an arena with generations, a slab.
///
/// It is implemented for a table of [`Token`]s, mostly on a wrapper of a line.
///
/// # Examples
///
/// ```
/// use loligo_tests::conformance::{IdTable, Token};
///
/// /// The simplest of all tables: it never uses a slot again.
/// #[derive(Default)]
/// struct Rows(Vec<Option<Token>>);
///
/// impl IdTable for Rows {
///     type Id = usize;
///
///     fn insert(&mut self, token: Token) -> Option<usize> {
///         self.0.push(Some(token));
///         Some(self.0.len() - 1)
///     }
///     fn remove(&mut self, id: usize) -> Option<Token> {
///         self.0[id].take()
///     }
///     fn get(&self, id: usize) -> Option<&Token> {
///         self.0[id].as_ref()
///     }
///     fn get_mut(&mut self, id: usize) -> Option<&mut Token> {
///         self.0[id].as_mut()
///     }
///     fn len(&self) -> usize {
///         self.0.iter().flatten().count()
///     }
///     fn visit(&self, each: &mut dyn FnMut(usize, &Token)) {
///         for (id, row) in self.0.iter().enumerate() {
///             row.iter().for_each(|token| each(id, token));
///         }
///     }
///     fn clear(&mut self) {
///         self.0.iter_mut().for_each(|row| *row = None);
///     }
/// }
///
/// use loligo_tests::conformance::{TableLimits, id_table};
///
/// id_table(&TableLimits::growing(), |test| test(&mut Rows::default()));
/// ```
#[expect(clippy::len_without_is_empty, reason = "a suite asks for the length alone")]
pub trait IdTable {
    /// What names an object.
    type Id: Copy + Eq + fmt::Debug;

    /// Puts an object in and returns its id, or `None` where there is no room.
    fn insert(&mut self, token: Token) -> Option<Self::Id>;

    /// Takes the object out that the id names.
    fn remove(&mut self, id: Self::Id) -> Option<Token>;

    /// Returns the object that the id names.
    fn get(&self, id: Self::Id) -> Option<&Token>;

    /// Returns the object that the id names, to be changed.
    fn get_mut(&mut self, id: Self::Id) -> Option<&mut Token>;

    /// Returns `true` if the id names an object.
    fn contains(&self, id: Self::Id) -> bool {
        self.get(id).is_some()
    }

    /// Returns how many objects there are.
    fn len(&self) -> usize;

    /// Shows each object with its id, once.
    fn visit(&self, each: &mut dyn FnMut(Self::Id, &Token));

    /// Removes all objects.
    fn clear(&mut self);
}

/// What a table promises.
///
/// # Examples
///
/// ```
/// use loligo_tests::conformance::TableLimits;
///
/// // A table of 100 slots whose ids have 8 bits of generation.
/// let limits = TableLimits { objects_max: Some(100), lives: 250, ..TableLimits::growing() };
/// assert!(limits.generations);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLimits {
    /// How many objects it takes before it refuses; `None` if it grows as long as there is memory.
    pub objects_max: Option<usize>,
    /// Whether ids have generations: an id stays refused when its slot is used again.
    pub generations: bool,
    /// How often a slot is used again without an id coming twice.
    pub lives: u32,
}

impl TableLimits {
    /// Returns the limits of a table that grows, with generations that last for 70 000 lives of a
    /// slot, more than 16 bits can distinguish.
    #[must_use]
    pub const fn growing() -> Self {
        Self { objects_max: None, generations: true, lives: 70_000 }
    }
}

/// A check: a script over a fresh table.
type Check<I> = fn(&mut dyn IdTable<Id = I>, &TableLimits) -> Result<(), Violation>;

/// The checks by name, the simplest first; `programs` follow.
fn scripts<I: Copy + Eq + fmt::Debug>() -> [(&'static str, Check<I>); 13] {
    [
        ("empty", checks::empty),
        ("insert_and_get", checks::insert_and_get),
        ("unique_ids", checks::unique_ids),
        ("remove", checks::remove),
        ("stale_ids", checks::stale_ids),
        ("reuse", checks::reuse),
        ("many_lives", checks::many_lives),
        ("visit", checks::visit),
        ("change", checks::change),
        ("clear", checks::clear),
        ("growth", checks::growth),
        ("full", checks::full),
        ("drops", checks::drops),
    ]
}

/// Holds an id table to what all of them promise; panics with all that was found.
///
/// `make` is called once for each check, and for each program: it makes a fresh table and passes it
/// to the function it is given. Programs are drawn by a seed, which is printed; one that fails is
/// made small.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// ```
/// use loligo_tests::conformance::{self, TableLimits};
/// use loligo_tests::models::{FaultyTable, TableFault};
///
/// conformance::id_table(&TableLimits::growing(), |test| {
///     test(&mut FaultyTable::new(TableFault::None, None));
/// });
/// ```
pub fn id_table<I: Copy + Eq + fmt::Debug>(
    limits: &TableLimits,
    make: impl FnMut(&mut dyn FnMut(&mut dyn IdTable<Id = I>)),
) {
    assert_all(&id_table_outcomes(limits, make));
}

/// As [`id_table()`], but returns what each check came to.
pub fn id_table_outcomes<I: Copy + Eq + fmt::Debug>(
    limits: &TableLimits,
    make: impl FnMut(&mut dyn FnMut(&mut dyn IdTable<Id = I>)),
) -> Vec<Outcome> {
    some_id_table_outcomes(limits, &every, make)
}

/// Runs the wanted checks.
pub(crate) fn some_id_table_outcomes<I: Copy + Eq + fmt::Debug>(
    limits: &TableLimits,
    wanted: Wanted<'_>,
    mut make: impl FnMut(&mut dyn FnMut(&mut dyn IdTable<Id = I>)),
) -> Vec<Outcome> {
    outcomes(wanted, &scripts(), &mut |job, passed| {
        make(&mut |table| {
            passed.on(match job {
                Job::Check(check) => check(table, limits),
                Job::Program(program) => {
                    as_model(run_any_table(program, limits.generations, table))
                }
            });
        });
    })
}
