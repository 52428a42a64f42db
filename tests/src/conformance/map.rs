//! The suite for maps from keys to values, hashed and sorted.

mod checks;

use crate::programs::run_any_map;
use crate::rule::Violation;

use super::run::{Job, Wanted, as_model, every, outcomes};
use super::token::{MapKey, Token};
use super::{Outcome, assert_all};

/// A map that holds one value for each key.
///
/// It is implemented for a map from [`MapKey`] to [`Token`], mostly on a wrapper of a line; one
/// whose keys can only be numbers takes [`MapKey::number`].
///
/// # Examples
///
/// ```
/// use std::collections::HashMap;
///
/// use loligo_tests::conformance::{self, Map, MapKey, MapLimits, Token};
///
/// #[derive(Default)]
/// struct Mine(HashMap<MapKey, Token>);
///
/// impl Map for Mine {
///     fn insert(&mut self, key: MapKey, value: Token) -> Option<Token> {
///         self.0.insert(key, value)
///     }
///     fn remove(&mut self, key: &MapKey) -> Option<Token> {
///         self.0.remove(key)
///     }
///     fn get(&self, key: &MapKey) -> Option<&Token> {
///         self.0.get(key)
///     }
///     fn get_mut(&mut self, key: &MapKey) -> Option<&mut Token> {
///         self.0.get_mut(key)
///     }
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///     fn visit(&self, each: &mut dyn FnMut(u32, &Token)) {
///         self.0.iter().for_each(|(key, value)| each(key.number(), value));
///     }
///     fn clear(&mut self) {
///         self.0.clear();
///     }
/// }
///
/// conformance::map(&MapLimits::hashed(), |test| test(&mut Mine::default()));
/// ```
#[expect(clippy::len_without_is_empty, reason = "a suite asks for the length alone")]
pub trait Map {
    /// Puts a value in, and returns the one that was there under that key.
    fn insert(&mut self, key: MapKey, value: Token) -> Option<Token>;

    /// Takes the value out that is there under that key.
    fn remove(&mut self, key: &MapKey) -> Option<Token>;

    /// Returns the value that is there under that key.
    fn get(&self, key: &MapKey) -> Option<&Token>;

    /// Returns the value that is there under that key, to be changed.
    fn get_mut(&mut self, key: &MapKey) -> Option<&mut Token>;

    /// Returns how many entries there are.
    fn len(&self) -> usize;

    /// Shows each entry once: the number of its key, and the value.
    fn visit(&self, each: &mut dyn FnMut(u32, &Token));

    /// Removes all entries.
    fn clear(&mut self);
}

/// What a map promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapLimits {
    /// Whether entries are visited in ascending order of their keys.
    pub sorted: bool,
}

impl MapLimits {
    /// Returns the limits of a map that promises no order.
    #[must_use]
    pub const fn hashed() -> Self {
        Self { sorted: false }
    }

    /// Returns the limits of a map in the order of its keys.
    #[must_use]
    pub const fn sorted() -> Self {
        Self { sorted: true }
    }
}

/// A check: a script over a fresh map.
type Check = fn(&mut dyn Map, &MapLimits) -> Result<(), Violation>;

/// The checks by name, the simplest first; `programs` follow.
const SCRIPTS: &[(&str, Check)] = &[
    ("empty", checks::empty),
    ("insert_and_get", checks::insert_and_get),
    ("absent_keys", checks::absent_keys),
    ("replace", checks::replace),
    ("remove", checks::remove),
    ("equal_hashes", checks::equal_hashes),
    ("visit", checks::visit),
    ("order", checks::order),
    ("change", checks::change),
    ("clear", checks::clear),
    ("growth", checks::growth),
    ("churn", checks::churn),
    ("drops", checks::drops),
];

/// Holds a map to what all of them promise; panics with all that was found.
///
/// `make` is called once for each check, and for each program: it makes a fresh map and passes it
/// to the function it is given. Programs are drawn by a seed, which is printed; one that fails is
/// made small.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// That of [`Map`], or:
///
/// ```
/// use loligo_tests::conformance::{self, MapLimits};
/// use loligo_tests::models::{FaultyMap, MapFault};
///
/// conformance::map(&MapLimits::sorted(), |test| test(&mut FaultyMap::new(MapFault::None)));
/// ```
pub fn map(limits: &MapLimits, make: impl FnMut(&mut dyn FnMut(&mut dyn Map))) {
    assert_all(&map_outcomes(limits, make));
}

/// As [`map()`], but returns what each check came to.
pub fn map_outcomes(
    limits: &MapLimits,
    make: impl FnMut(&mut dyn FnMut(&mut dyn Map)),
) -> Vec<Outcome> {
    some_map_outcomes(limits, &every, make)
}

/// Runs the wanted checks.
pub(crate) fn some_map_outcomes(
    limits: &MapLimits,
    wanted: Wanted<'_>,
    mut make: impl FnMut(&mut dyn FnMut(&mut dyn Map)),
) -> Vec<Outcome> {
    outcomes(wanted, SCRIPTS, &mut |job, passed| {
        make(&mut |map| {
            passed.on(match job {
                Job::Check(check) => check(map, limits),
                Job::Program(program) => as_model(run_any_map(program, limits.sorted, map)),
            });
        });
    })
}
