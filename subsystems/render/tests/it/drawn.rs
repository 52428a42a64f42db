//! Cases that are drawn at random, from a seed that is printed.

use core::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// The default seed of the random drawings.
const SEED: u64 = 0x2009_1014;

/// The cases of each test, unless `PROPTEST_CASES` is set.
const CASES: u32 = 200;

/// Draws cases and runs each.
pub(crate) fn check<T: Debug>(
    drawn: &impl Strategy<Value = T>,
    run: impl Fn(T) -> Result<(), TestCaseError>,
) {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    println!("seed {}; the variable PROPTEST_RNG_SEED sets another", config.rng_seed);
    match TestRunner::new(config).run(drawn, run) {
        Ok(()) => {}
        Err(TestError::Fail(reason, case)) => panic!("{reason}\nthe smallest case: {case:?}"),
        Err(TestError::Abort(reason)) => panic!("nothing could be drawn: {reason}"),
    }
}
