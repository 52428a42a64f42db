//! The suite for the `Allocator` of allocator-api2 0.3.

use allocator_api2_03::alloc::Allocator as Api2;

use crate::limits::Limits;

use super::allocator::some_allocator_outcomes;
use super::foreign::{Adapted, line};
use super::run::{Wanted, every};
use super::{Outcome, assert_all};

/// Holds an allocator of allocator-api2 0.3 to the contract of its trait; panics with all that was
/// found.
///
/// What the trait does not report (counters, walks, ownership, leaks) is not checked.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// ```
/// use allocator_api2_03::alloc::Global;
/// use loligo_tests::{Limits, conformance};
///
/// let limits = Limits { size_max: 1 << 20, align_max: 4096, ..Limits::growing() };
/// conformance::allocator_api2_03(&limits, |test| test(&Global));
/// ```
pub fn allocator_api2_03(limits: &Limits, make: impl FnMut(&mut dyn FnMut(&dyn Api2))) {
    assert_all(&allocator_api2_03_outcomes(limits, make));
}

/// As [`allocator_api2_03()`], but returns what each check came to.
pub fn allocator_api2_03_outcomes(
    limits: &Limits,
    make: impl FnMut(&mut dyn FnMut(&dyn Api2)),
) -> Vec<Outcome> {
    some_allocator_api2_03_outcomes(limits, &every, make)
}

/// As [`allocator_api2_03_outcomes`], but runs the wanted checks only.
pub fn some_allocator_api2_03_outcomes(
    limits: &Limits,
    wanted: Wanted<'_>,
    mut make: impl FnMut(&mut dyn FnMut(&dyn Api2)),
) -> Vec<Outcome> {
    some_allocator_outcomes(&limits.foreign(), wanted, |test| {
        make(&mut |allocator| test(&Adapted::new(Line(allocator))));
    })
}

line!();
