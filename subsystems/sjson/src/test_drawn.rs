//! Cases that are drawn at random, from a seed that is printed. The tests of other subsystems
//! include this file.

use core::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// Returns a configuration with `cases` cases, unless `PROPTEST_CASES` sets another number, and
/// prints the seed: the same in every run, so that no run fails for a case that another did not
/// try.
pub(crate) fn seeded(seed: u64, cases: u32) -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(seed);
    }
    std::println!("seed {}; the variable PROPTEST_RNG_SEED sets another", config.rng_seed);
    config
}

/// Draws cases and runs each.
pub(crate) fn check<T: Debug>(
    config: Config,
    drawn: &impl Strategy<Value = T>,
    run: impl Fn(T) -> Result<(), TestCaseError>,
) {
    match TestRunner::new(config).run(drawn, run) {
        Ok(()) => {}
        Err(TestError::Fail(reason, case)) => panic!("{reason}\nthe smallest case: {case:?}"),
        Err(TestError::Abort(reason)) => panic!("nothing could be drawn: {reason}"),
    }
}
