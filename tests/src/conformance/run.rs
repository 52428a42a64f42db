//! What the suites for containers have in common: one check at a time, each on a new container.

use core::cell::Cell;
use core::fmt;
use core::panic::AssertUnwindSafe;
use std::panic::resume_unwind;

use crate::attempt::caught;
use crate::programs::{ModelOp, config, find_ops};
use crate::rule::{Rule, Violation};

use super::Outcome;
use super::token::{all_dropped_once, count_from_here};

/// How many programs a suite draws.
const CASES: u32 = 64;
/// The most operations of each.
const STEPS: usize = 200;

/// Which checks of a suite are wanted.
pub type Wanted<'w> = &'w dyn Fn(&str) -> bool;

/// Every check.
pub(crate) fn every(_check: &str) -> bool {
    true
}

/// Whether a check was passed a container, to distinguish that from one that never came.
#[derive(Default)]
pub(super) struct Passed(Cell<bool>);

impl Passed {
    /// Notes that a container came, and lets what `script` found unwind through its maker: a
    /// container that is damaged is dropped while a panic unwinds, and does not panic for what it
    /// finds as well.
    pub(super) fn on(&self, script: Result<(), Violation>) {
        self.0.set(true);
        if let Err(broken) = script {
            resume_unwind(Box::new(broken));
        }
    }
}

/// Runs one check: `make` makes the container and runs the script on it. With `drops` every key and
/// value must have been dropped when it is gone.
fn one(drops: bool, make: &mut dyn FnMut(&Passed)) -> Result<(), Violation> {
    let passed = Passed::default();
    count_from_here();
    caught(AssertUnwindSafe(|| make(&passed)))?;
    if !passed.0.get() {
        return Err(Violation::new(Rule::Served, "the maker passed nothing on"));
    }
    if drops { all_dropped_once() } else { Ok(()) }
}

/// Draws programs and runs each; `run` makes a container for it. Seeds are printed.
fn programs<O: ModelOp>(run: &mut dyn FnMut(&[O], &Passed)) -> Result<(), Violation> {
    let config = config(CASES, None);
    let seed = config.rng_seed;
    println!("seed {seed}; the variable PROPTEST_RNG_SEED sets another");
    let failure =
        find_ops(config, STEPS, |program: &[O]| one(true, &mut |passed| run(program, passed)));
    match failure {
        None => Ok(()),
        Some(failure) => Err(Violation::new(Rule::Model, format!("with seed {seed}: {failure}"))),
    }
}

/// Turns what differs from a model into a broken rule.
pub(super) fn as_model(result: Result<(), impl fmt::Display>) -> Result<(), Violation> {
    result.map_err(|differs| Violation::new(Rule::Model, differs.to_string()))
}

/// What a suite does with a fresh container.
pub(super) enum Job<'p, C, O> {
    /// One of its checks.
    Check(C),
    /// A program that was drawn.
    Program(&'p [O]),
}

/// Runs the wanted checks of a suite in their order, then programs, if they are wanted; `run` makes
/// a container for each. The check `drops` is one of all keys and values.
pub(super) fn outcomes<C: Copy, O: ModelOp>(
    wanted: Wanted<'_>,
    checks: &[(&'static str, C)],
    run: &mut dyn FnMut(Job<'_, C, O>, &Passed),
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for &(check, script) in checks {
        if wanted(check) {
            let result = one(check == "drops", &mut |passed| run(Job::Check(script), passed));
            outcomes.push(Outcome { check, result });
        }
    }
    if wanted("programs") {
        let result = programs(&mut |program: &[O], passed| run(Job::Program(program), passed));
        outcomes.push(Outcome { check: "programs", result });
    }
    outcomes
}
