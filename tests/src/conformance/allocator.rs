//! The suite for [`Allocator`](loligo_allocators::Allocator).

mod blocks;
mod exhaust;
mod leak;
mod sizes;

use core::cell::Cell;

use loligo_allocators::Allocator;

use crate::attempt::{attempt_to_end, greatest_block};
use crate::limits::Limits;
use crate::oracle::Oracle;
use crate::rule::{Rule, Violation};

use super::run::{Wanted, every};
use super::{Outcome, assert_all};

/// A check: a script over a fresh allocator.
type Check = fn(&mut Oracle<'_>) -> Result<(), Violation>;

/// The checks by name, the simplest first.
const CHECKS: &[(&str, Check)] = &[
    ("name", blocks::name),
    ("sizes", sizes::sizes),
    ("alignments", sizes::alignments),
    ("alignments_together", sizes::alignments_together),
    ("zero_size", sizes::zero_size),
    ("huge", sizes::huge),
    ("contents", blocks::contents),
    ("orders_of_free", blocks::orders_of_free),
    ("zeroed", blocks::zeroed),
    ("sized_free", blocks::sized_free),
    ("churn", blocks::churn),
    ("resize_in_place", blocks::resize_in_place),
    ("reallocate", blocks::reallocate),
    ("reallocate_alignment", blocks::reallocate_alignment),
    ("exhaustion", exhaust::exhaustion),
    ("full_and_one_free", exhaust::full_and_one_free),
    ("refused_growth", exhaust::refused_growth),
];

/// Holds an allocator to the contract; panics with all that was found.
///
/// `make` is called once for each check: it makes a fresh allocator and passes it to the function
/// it is given.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// An allocator of one's own is tested in five lines:
///
/// ```
/// use loligo_tests::{Limits, conformance};
/// # use loligo_tests::models::NaiveAllocator as MyAllocator;
///
/// conformance::allocator(&Limits::region(64 << 10), |test| {
///     let mine = MyAllocator::new("mine", 64 << 10);
///     test(&mine);
/// });
/// ```
pub fn allocator(limits: &Limits, make: impl FnMut(&mut dyn FnMut(&dyn Allocator))) {
    assert_all(&allocator_outcomes(limits, make));
}

/// As [`allocator()`], but returns what each check came to.
///
/// Misuse that the allocator reports while this runs unwinds instead of aborting: a handler is
/// installed for the process.
pub fn allocator_outcomes(
    limits: &Limits,
    make: impl FnMut(&mut dyn FnMut(&dyn Allocator)),
) -> Vec<Outcome> {
    some_allocator_outcomes(limits, &every, make)
}

/// Returns the names of the checks in the order in which they run. `leak` comes after them, where
/// the limits say that leaks are reported.
pub fn allocator_checks() -> impl ExactSizeIterator<Item = &'static str> {
    CHECKS.iter().map(|&(check, _)| check)
}

/// As [`allocator_outcomes`], but runs the wanted checks only, by their
/// [names](allocator_checks).
pub fn some_allocator_outcomes(
    limits: &Limits,
    wanted: Wanted<'_>,
    mut make: impl FnMut(&mut dyn FnMut(&dyn Allocator)),
) -> Vec<Outcome> {
    let mut greatest = None;
    let mut outcomes: Vec<Outcome> = CHECKS
        .iter()
        .filter(|(check, _)| wanted(check))
        .map(|&(check, script)| {
            let greatest = *greatest.get_or_insert_with(|| greatest_block(&mut make, limits));
            let ran = Cell::new(false);
            let result = attempt_to_end(&mut make, limits, greatest, &mut |oracle| {
                ran.set(true);
                script(oracle)
            });
            let result = result.and_then(|()| {
                if ran.get() {
                    return Ok(());
                }
                Err(Violation::new(Rule::Served, "the maker passed no allocator on"))
            });
            Outcome { check, result }
        })
        .collect();
    if limits.reports_leaks && wanted("leak") {
        outcomes.push(Outcome { check: "leak", result: leak::leak(&mut make) });
    }
    outcomes
}
