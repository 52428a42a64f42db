//! Programs drawn at random by proptest, with the failing ones made small and kept.

use core::cell::RefCell;
use core::fmt;

use loligo_allocators::Allocator;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::test_runner::{
    Config, FileFailurePersistence, RngSeed, TestCaseError, TestError, TestRunner,
};

use crate::attempt::{Maker, attempt, attempt_to_end, greatest_block};
use crate::limits::Limits;
use crate::oracle::Oracle;
use crate::rule::Violation;
use crate::shrink::{allocator_test, shrink};

use super::{AllocatorOp, Space, run};

/// How many programs are drawn, how long, from which space, and where failing ones are kept.
///
/// # Examples
///
/// ```
/// use loligo_tests::{Limits, programs::Plan};
/// # use loligo_tests::models::NaiveAllocator as MyAllocator;
///
/// let plan = Plan { cases: 8, ..Plan::new(Limits::region(64 << 10)) };
/// plan.check(|test| test(&MyAllocator::new("mine", 64 << 10)));
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the allocator can serve.
    pub limits: Limits,
    /// What is drawn.
    pub space: Space,
    /// How many programs; the environment variable `PROPTEST_CASES` overrides it.
    pub cases: u32,
    /// The most operations of a program.
    pub steps: usize,
    /// The file, from the package's folder, that keeps the seeds of failing programs, to be run
    /// first the next time.
    pub regressions: Option<&'static str>,
}

/// A failing program, as small as it could be made.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The operations.
    pub program: Vec<AllocatorOp>,
    /// What breaks.
    pub broken: Violation,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let test = allocator_test("NAME", &self.program, &self.broken.to_string());
        let hint = "Put the allocator's name into it, or call `programs::run_to_end` with one of your own.";
        write!(
            f,
            "{}\nThe smallest program that does it, as a test:\n\n{test}\n{hint}",
            self.broken
        )
    }
}

/// The seed of random programs unless another is given.
const SEED: u64 = 0x10_1160;

impl Plan {
    /// Returns a plan of 64 programs of up to 200 operations that reach just past `limits`.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, space: Space::past(&limits), cases: 64, steps: 200, regressions: None }
    }

    /// Returns the strategy that programs are drawn by.
    pub fn strategy(&self) -> impl Strategy<Value = Vec<AllocatorOp>> + use<> {
        let space = self.space;
        let op = (Just(space), any::<(u8, u16, u8, u16, u8)>()).prop_map(
            |(space, (kind, slot, bits, low, align))| space.op(kind, slot, bits, low, align),
        );
        vec(op, 1..=self.steps)
    }

    /// Runs the programs, each on a new allocator, as
    /// [`conformance::allocator`](crate::conformance::allocator()) makes them.
    ///
    /// # Panics
    ///
    /// If one fails; the message is the smallest program that does, as Rust.
    pub fn check(&self, make: impl FnMut(&mut dyn FnMut(&dyn Allocator))) {
        if let Some(failure) = self.find(make) {
            panic!("{failure}");
        }
    }

    /// Runs the programs and returns the first that fails, made small.
    ///
    /// # Panics
    ///
    /// If proptest gives up without a failure.
    pub fn find(&self, mut make: impl FnMut(&mut dyn FnMut(&dyn Allocator))) -> Option<Failure> {
        let greatest = greatest_block(&mut make, &self.limits);
        let make = RefCell::new(&mut make);
        let last = RefCell::new(None);
        let config = config(self.cases, self.regressions);
        println!("seed {}; the variable PROPTEST_RNG_SEED sets another", config.rng_seed);
        let mut runner = TestRunner::new(config);
        let result = runner.run(&self.strategy(), |program| {
            let mut make = make.borrow_mut();
            outcome(&program, &self.limits, greatest, &mut **make).map_err(|broken| {
                let shown = broken.to_string();
                last.replace(Some(broken));
                TestCaseError::fail(shown)
            })
        });
        match result {
            Ok(()) => None,
            Err(TestError::Fail(_, program)) => {
                let first: Violation = last.take().expect("a failure was noted when it happened");
                let mut make = make.borrow_mut();
                let mut fails = |program: &[AllocatorOp]| {
                    let found = outcome(program, &self.limits, greatest, &mut **make).err();
                    found.filter(|broken| broken.rule == first.rule)
                };
                let program = shrink(program, &mut |program| fails(program).is_some());
                // What an allocator does can depend on what its memory held before, so a program
                // need not fail twice; one failure is enough.
                let broken = fails(&program).unwrap_or(first);
                Some(Failure { program, broken })
            }
            Err(TestError::Abort(reason)) => panic!("no programs could be drawn: {reason}"),
        }
    }
}

/// Returns the settings with which proptest runs `cases` cases, unless `PROPTEST_CASES` says
/// otherwise.
pub(crate) fn config(cases: u32, regressions: Option<&'static str>) -> Config {
    let default = Config::default();
    let told = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if told { default.cases } else { cases };
    // Read by `cargo xtask verify`.
    println!("random programs: {cases} programs");
    Config {
        cases,
        // `shrink` does it for all families alike.
        max_shrink_iters: 0,
        // The same programs in every run, so that no run fails for what another one did not try.
        rng_seed: match default.rng_seed {
            RngSeed::Random => RngSeed::Fixed(SEED),
            told => told,
        },
        failure_persistence: regressions
            .map(|path| Box::new(FileFailurePersistence::Direct(path)) as Box<_>),
        ..default
    }
}

/// Runs a program on a new allocator, which `make` makes, and then frees everything. The greatest
/// block that it could serve before must be served after.
///
/// # Errors
///
/// [`Violation`] if a rule is broken; a panic of the allocator is one.
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::{AllocatorOp::*, run_to_end};
/// use loligo_tests::{Limits, models::NaiveAllocator};
///
/// let program = [Allocate { slot: 0, size: 100, align: 8 }, Check];
/// run_to_end(&program, &Limits::region(64 << 10), |test| test(&NaiveAllocator::new("naive", 64 << 10)))?;
/// # Ok::<(), loligo_tests::Violation>(())
/// ```
pub fn run_to_end(
    program: &[AllocatorOp],
    limits: &Limits,
    mut make: impl FnMut(&mut dyn FnMut(&dyn Allocator)),
) -> Result<(), Violation> {
    attempt(&mut make, &mut |allocator| {
        let mut oracle = Oracle::new(allocator, *limits)?;
        if limits.reclaims {
            // Asked of this very allocator: in another one's region, at another address, other
            // blocks are aligned.
            let greatest = oracle.greatest_block()?;
            oracle = oracle.expecting(greatest);
        }
        run(program, &mut oracle)?;
        oracle.finish()
    })
}

/// Runs one program on a fresh allocator, to the end with everything freed.
pub(crate) fn outcome(
    program: &[AllocatorOp],
    limits: &Limits,
    greatest: usize,
    make: &mut Maker<'_>,
) -> Result<(), Violation> {
    attempt_to_end(make, limits, greatest, &mut |oracle| run(program, oracle))
}
