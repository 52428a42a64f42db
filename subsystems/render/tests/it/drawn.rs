//! Cases that are drawn at random, from a seed that is printed.

use core::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

#[path = "../../../sjson/src/test_drawn.rs"]
mod test_drawn;

/// The default seed of the random drawings.
const SEED: u64 = 0x2009_1014;

/// The cases of each test, unless `PROPTEST_CASES` is set.
const CASES: u32 = 200;

/// Draws cases and runs each.
pub(crate) fn check<T: Debug>(
    drawn: &impl Strategy<Value = T>,
    run: impl Fn(T) -> Result<(), TestCaseError>,
) {
    test_drawn::check(test_drawn::seeded(SEED, CASES), drawn, run);
}
