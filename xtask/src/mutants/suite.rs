//! All tests of the built programs: how long each takes, and which mutants it reaches.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use super::build::Program;
use super::copy::home;
use super::kept::Kept;
use super::measured::{Measured, Test};
use super::process::{self, End, Limit};
use crate::outcome::Failure;
use crate::workspace;

/// How many programs run at a time.
pub(super) const WORKERS: usize = 2;

/// What a test may take when no mutant is on: far more than any sitting's budget, beyond which it
/// is never asked. One that goes round four billion times, which is nothing where loops of nothing
/// are folded, held up a sitting for half an hour.
const ALONE: Limit = Limit { computing: 60, waiting: 3600 };

/// What a test counts at least, since the shell's clock does not see the quickest.
const START_SECONDS: f64 = 0.005;

/// The tests.
#[derive(Debug, Default)]
pub(super) struct Suite {
    programs: Vec<Program>,
    /// Those that pass.
    pub(super) tests: Vec<Test>,
    /// The tests that reach each mutant, by its number.
    pub(super) reaching: BTreeMap<u32, Vec<usize>>,
    /// Those that fail without a mutant, within the limits set here, and so cannot judge.
    pub(super) failing: Vec<String>,
    folder: PathBuf,
}

impl Suite {
    /// Runs every test of the programs once; the mutants are numbered up to `count`.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a program cannot be run.
    pub(super) fn measure(
        programs: Vec<Program>,
        folder: &Path,
        count: u32,
    ) -> Result<Self, Failure> {
        let mut suite = Self { programs, folder: folder.to_owned(), ..Self::default() };
        let kept = Kept::of(&suite.programs);
        if let Some(measured) = kept.load() {
            suite.take(measured);
            return Ok(suite);
        }
        let mut waiting = VecDeque::new();
        for program in 0..suite.programs.len() {
            let names = suite.names(program)?;
            waiting.extend(names.into_iter().map(|name| Test { program, name, seconds: 0.0 }));
        }
        let waiting = Mutex::new(waiting);
        let measured = Mutex::new(Vec::new());
        in_parallel(|worker| {
            loop {
                let next = locked(&waiting).pop_front();
                let Some(mut test) = next else {
                    return Ok(());
                };
                let reached = suite.measure_one(worker, &mut test, count)?;
                locked(&measured).push(Measured { test, reached });
            }
        })?;
        let mut measured = measured.into_inner().unwrap_or_default();
        measured
            .sort_by(|a, b| (a.test.program, &a.test.name).cmp(&(b.test.program, &b.test.name)));
        kept.save(&measured)?;
        suite.take(measured);
        Ok(suite)
    }

    /// Stores what was measured.
    fn take(&mut self, measured: Vec<Measured>) {
        for Measured { test, reached } in measured {
            let Some(reached) = reached else {
                self.failing.push(test.name);
                continue;
            };
            for number in reached {
                self.reaching.entry(number).or_default().push(self.tests.len());
            }
            self.tests.push(test);
        }
    }

    /// Returns the names of a program's tests.
    fn names(&self, program: usize) -> Result<Vec<String>, Failure> {
        let mut command = Command::new(&self.programs[program].path);
        command.args(["--list", "--format", "terse"]);
        let output = command
            .output()
            .map_err(|error| Failure::io("cannot list the tests of a program", &error))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().filter_map(|line| Some(line.strip_suffix(": test")?.to_owned())).collect())
    }

    /// Runs a test without a mutant, and returns the mutants it reaches unless it fails.
    fn measure_one(
        &self,
        worker: usize,
        test: &mut Test,
        count: u32,
    ) -> Result<Option<Vec<u32>>, Failure> {
        let map = home().join(format!("reached-{worker}"));
        let size = count as usize + 1;
        fs::write(&map, vec![0_u8; size])
            .map_err(|error| Failure::io("cannot write the map of mutants", &error))?;
        let times = home().join(format!("times-{worker}"));
        let path = &self.programs[test.program].path;
        let mut command = self.placed(process::timed(path, ALONE, &times), test.program);
        command.arg(&test.name).arg("--exact");
        command.env("LOLIGO_MUTANTS_REACHED", &map).env("LOLIGO_MUTANTS_COUNT", size.to_string());
        let end = process::run(&mut command, ALONE, &home().join(format!("output-{worker}")))?;
        // Not by the clock, because other processes run at the same time.
        let text = fs::read_to_string(&times).unwrap_or_default();
        test.seconds = process::computed(&text).unwrap_or(1.0) + START_SECONDS;
        if end != End::Passed {
            return Ok(None);
        }
        let bytes = fs::read(&map)
            .map_err(|error| Failure::io("cannot read the map of mutants", &error))?;
        let numbers = (0_u32..).zip(bytes).filter(|(_, byte)| *byte != 0);
        Ok(Some(numbers.map(|(number, _)| number).collect()))
    }

    /// Runs tests of one program with a mutant on.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the program cannot be run.
    pub(super) fn judge(
        &self,
        worker: usize,
        mutant: u32,
        tests: &[usize],
    ) -> Result<End, Failure> {
        let Some(first) = tests.first() else {
            return Ok(End::Passed);
        };
        let seconds: f64 = tests.iter().map(|test| self.tests[*test].seconds).sum();
        let limit = limit(seconds);
        let program = self.tests[*first].program;
        let path = &self.programs[program].path;
        let mut command = self.placed(process::limited(path, limit), program);
        for test in tests {
            command.arg(&self.tests[*test].name);
        }
        command.args(["--exact", "--test-threads", "1"]);
        command.env("LOLIGO_MUTANT", mutant.to_string());
        process::run(&mut command, limit, &home().join(format!("output-{worker}")))
    }

    /// Returns the crate of a test, which its module's path goes on.
    pub(super) fn crate_of(&self, test: usize) -> &str {
        let program = &self.programs[self.tests[test].program];
        if program.target == "it" { "it" } else { &program.folder }
    }

    /// Has a command run where and as Cargo would run that program.
    fn placed(&self, mut command: Command, program: usize) -> Command {
        let folder = self.folder.join(&self.programs[program].folder);
        command.current_dir(&folder).env("CARGO_MANIFEST_DIR", &folder);
        command.env("RUST_BACKTRACE", "0").env("TMPDIR", home().join("tmp"));
        // A mutant that is caught need not be caught by the smallest of inputs.
        command.env("PROPTEST_MAX_SHRINK_ITERS", "0");
        let shared = workspace::root().join("../shared");
        if std::env::var_os("LOLIGO_DATA").is_none() && shared.is_dir() {
            command.env("LOLIGO_DATA", shared);
        }
        command
    }
}

/// Returns what tests may take that took so long without a mutant.
fn limit(seconds: f64) -> Limit {
    // In whole seconds, of which none is too great for `as`.
    let scaled = |factor: f64| (factor * seconds).ceil() as u64;
    Limit { computing: 1 + scaled(4.0), waiting: 40 + scaled(40.0) }
}

/// Runs `work` in as many threads as there are workers, and returns the first failure.
///
/// # Errors
///
/// As `work`.
pub(super) fn in_parallel(
    work: impl Fn(usize) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> =
            (0..WORKERS).map(|worker| scope.spawn(move || work(worker))).collect();
        let mut outcome = Ok(());
        for thread in threads {
            let ended = thread.join().unwrap_or_else(|_| {
                Err(Failure::Unable("a thread of the command panicked".into()))
            });
            outcome = outcome.and(ended);
        }
        outcome
    })
}

/// Returns what a lock guards; a thread that panicked has been reported already.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
