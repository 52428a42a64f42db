//! Judges mutants: those of a function one after another, as what catches one catches its
//! neighbours.

use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Instant;

use super::process::End;
use super::suite::{Suite, in_parallel, locked};
use super::verdicts::Verdict;
use super::world::{Id, World};
use crate::outcome::Failure;

/// The budget where none is asked for, in seconds.
pub(super) const BUDGET_SECONDS: u32 = 5;

/// How many tests are run at once at first, and at most.
const FIRST: usize = 4;
const AT_ONCE_MAX: usize = 200;

/// How many of the tests that caught neighbours are tried first.
const KILLERS: usize = 3;

/// The longest test that is tried first for having caught a neighbour, in seconds.
const KILLER_SECONDS: f64 = 0.3;

/// The longest test that is run at all, in seconds: a mutant that nothing quicker reaches is
/// missed, as one over the budget is. Some go round for a minute in programs whose functions are
/// not inlined, and four times that where a mutant hangs them.
const TEST_SECONDS_MAX: f64 = 10.0;

/// The work: mutants with their numbers, and until when.
pub(super) struct Sitting<'a> {
    pub(super) world: &'a World,
    pub(super) suite: &'a Suite,
    pub(super) until: Option<Instant>,
    /// The time that the tests of one mutant may take in all, in seconds without a mutant.
    pub(super) budget: f64,
}

impl Sitting<'_> {
    /// Judges mutants and calls `tell` with each verdict.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a program cannot be run.
    pub(super) fn judge(
        &self,
        mutants: &[(Id, u32)],
        tell: impl Fn(Id, Verdict) -> Result<(), Failure> + Sync,
    ) -> Result<(), Failure> {
        let mut groups = VecDeque::<Vec<(Id, u32)>>::new();
        let owner = |id: Id| (id.0, self.world.mutant(id).owner);
        for mutant in mutants {
            match groups.back_mut() {
                Some(group) if owner(group[0].0) == owner(mutant.0) => group.push(*mutant),
                _ => groups.push_back(vec![*mutant]),
            }
        }
        let groups = Mutex::new(groups);
        in_parallel(|worker| {
            let mut killers = Vec::new();
            let mut file = usize::MAX;
            loop {
                let next = locked(&groups).pop_front();
                let Some(group) = next else {
                    return Ok(());
                };
                if group[0].0.0 != file {
                    killers.clear();
                    file = group[0].0.0;
                }
                for (id, number) in group {
                    if self.until.is_some_and(|until| Instant::now() >= until) {
                        return Ok(());
                    }
                    let verdict = self.one(worker, id, number, &mut killers)?;
                    tell(id, verdict)?;
                }
            }
        })
    }

    /// Judges a mutant; the tests that catch it go to the front of `killers`.
    fn one(
        &self,
        worker: usize,
        id: Id,
        number: u32,
        killers: &mut Vec<usize>,
    ) -> Result<Verdict, Failure> {
        let Some(reaching) = self.suite.reaching.get(&number) else {
            return Ok(Verdict::Unreached);
        };
        for tests in self.batches(id, reaching, killers) {
            let end = self.suite.judge(worker, number, &tests)?;
            let (verdict, said) = match end {
                End::Passed => continue,
                End::Failed(said) => (Verdict::Caught, said),
                End::TimedOut(said) => (Verdict::Timeout, said),
            };
            if let Some(test) = self.culprit(&tests, &said) {
                killers.retain(|known| *known != test);
                killers.insert(0, test);
                killers.truncate(4 * KILLERS);
            }
            return Ok(verdict);
        }
        Ok(Verdict::Missed)
    }

    /// Returns the tests to run, a process each: those that caught neighbours, those of the file's
    /// own module, then the quickest, in growing batches, as long as the budget lasts.
    fn batches(&self, id: Id, reaching: &[usize], killers: &[usize]) -> Vec<Vec<usize>> {
        let tests = &self.suite.tests;
        let is_near =
            |test: &usize| reaching.contains(test) && tests[*test].seconds <= KILLER_SECONDS;
        let near: Vec<usize> = killers.iter().copied().filter(is_near).take(KILLERS).collect();
        let module = module_of(&self.world.mutant(id).file, |path| self.world.is_map(path));
        let rank = |test: &usize| {
            let is_own = self.suite.crate_of(*test) == module.0
                && tests[*test].name.starts_with(module.1.as_str());
            // Own tests count as ten times as quick as they are, and so do slow ones that caught a
            // neighbour.
            let seconds = tests[*test].seconds;
            if is_own || killers.contains(test) { seconds / 10.0 } else { seconds }
        };
        let is_quick = |test: &usize| tests[*test].seconds <= TEST_SECONDS_MAX;
        let mut others: Vec<usize> = reaching
            .iter()
            .copied()
            .filter(|test| is_quick(test) && !near.contains(test))
            .collect();
        others.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        let mut left = self.budget;
        let mut batches = Vec::new();
        for test in &near {
            left -= tests[*test].seconds;
            batches.push(vec![*test]);
        }
        let (mut at, mut size) = (0, FIRST);
        while at < others.len() && left > 0.0 {
            let mut by_program = std::collections::BTreeMap::<usize, Vec<usize>>::new();
            let end = others.len().min(at + size);
            for test in &others[at..end] {
                // One test may be longer than the whole budget, and the last one counts whole.
                if left > 0.0 {
                    left -= tests[*test].seconds;
                    by_program.entry(tests[*test].program).or_default().push(*test);
                }
            }
            batches.extend(by_program.into_values());
            at = end;
            size = (size * 3).min(AT_ONCE_MAX);
        }
        batches
    }

    /// Returns the test that failed, or that ran when the process ended.
    fn culprit(&self, tests: &[usize], said: &str) -> Option<usize> {
        let name = |test: &usize| self.suite.tests[*test].name.as_str();
        let failed = |test: &&usize| said.contains(&format!("test {} ... FAILED", name(test)));
        let begun = |test: &&usize| said.contains(&format!("test {} ...", name(test)));
        tests.iter().find(failed).or_else(|| tests.iter().rev().find(begun)).copied()
    }
}

/// Returns the crate of a file and the module that it or its first folder is; below a map, that
/// with its group.
pub(super) fn module_of(file: &str, is_map: impl Fn(&str) -> bool) -> (&str, String) {
    let (folder, rest) = file.split_once("/src/").unwrap_or((file, ""));
    let mut parts = rest.trim_end_matches(".rs").split('/');
    let mut module = parts.next().unwrap_or_default().to_owned();
    if is_map(&format!("{folder}/src/{module}.rs"))
        && let Some(inner) = parts.next()
    {
        module = format!("{module}::{inner}");
    }
    (folder, format!("{module}::"))
}

/// Returns the end of a sitting of `minutes` minutes.
pub(super) fn end_of(minutes: u64) -> Instant {
    Instant::now() + Duration::from_secs(60 * minutes)
}
