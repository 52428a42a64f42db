//! Runs in processes of their own, so that a program that crashes or hangs can be made smaller too.

use core::fmt;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use crate::child::{Child, Ended};

use super::Case;

/// What a job's line on standard output begins with where the program fails.
const FAILS: &str = "the program fails: ";

/// A failing program, made small.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The program.
    pub case: Case,
    /// How it fails.
    pub why: String,
    /// How many operations it had.
    pub before: usize,
    /// How many runs were made.
    pub runs: u32,
}

impl fmt::Display for Shrunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.before, self.case.len());
        writeln!(f, "{}", self.why)?;
        writeln!(f, "{before} operations were made {after}, in {} runs:\n", self.runs)?;
        f.write_str(&self.case.as_test(&self.why))
    }
}

/// Does the job of this process, if it was started for one by [`shrink_in_children`], and ends it:
/// status 0 if the program runs well, 1 if it fails. To be called first in `main`, or in the test
/// that the child is.
///
/// # Panics
///
/// If the job is none that [`shrink_in_children`] gives.
pub fn work(child: &Child) {
    let Some(job) = child.job() else { return };
    let mut words = job.splitn(3, ' ');
    let mut next = || words.next().unwrap_or_default();
    let (what, name, path) = (next(), next(), next());
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let case = Case::of_job(what, name, &bytes).unwrap_or_else(|| panic!("no job: {job}"));
    match case.run() {
        Ok(()) => process::exit(0),
        Err(why) => {
            println!("{FAILS}{why}");
            process::exit(1);
        }
    }
}

/// Makes a failing program small, with each run in its own process, which does [`work`]: one that
/// crashes, hangs or fails otherwise stays one that does the same. `None` if the program does not
/// fail.
///
/// # Errors
///
/// The system's, if it gives no process or no file.
pub fn shrink_in_children(case: &Case, child: &Child) -> io::Result<Option<Shrunk>> {
    let file = Passed::new();
    let mut runs = 1;
    let first = fate(case, child, &file.0)?;
    let Some(kind) = first.kind() else { return Ok(None) };
    let mut why = first.to_string();
    let mut error = None;
    let small = case.shrink(&mut |case| {
        runs += 1;
        match fate(case, child, &file.0) {
            Ok(fate) if fate.kind().as_deref() == Some(&kind) => {
                why = fate.to_string();
                true
            }
            Ok(_) => false,
            Err(failed) => {
                error = Some(failed);
                false
            }
        }
    });
    error.map_or(Ok(Some(Shrunk { case: small, why, before: case.len(), runs })), Err)
}

/// The file that programs are passed in.
struct Passed(PathBuf);

impl Passed {
    fn new() -> Self {
        let name = format!("loligo-shrink-{}-{:?}", process::id(), std::thread::current().id());
        Self(env::temp_dir().join(name.replace(['(', ')'], "")))
    }
}

impl Drop for Passed {
    fn drop(&mut self) {
        // Where it was never written there is nothing to remove.
        let _ = fs::remove_file(&self.0);
    }
}

/// What became of a program.
enum Fate {
    Fine,
    Fails(String),
    Panics(String),
    Crashes(String),
    Hangs,
}

impl Fate {
    /// Returns what must stay the same when the program is made smaller; none if it runs well.
    fn kind(&self) -> Option<String> {
        Some(match self {
            Self::Fine => return None,
            // The rule that is broken; how it is broken may change.
            Self::Fails(why) => why.split([':', ',', ' ']).next().unwrap_or_default().to_owned(),
            Self::Panics(_) => "a panic".to_owned(),
            Self::Crashes(_) => "a crash".to_owned(),
            Self::Hangs => "a hang".to_owned(),
        })
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fine => f.write_str("it runs well"),
            Self::Fails(why) => f.write_str(why),
            Self::Panics(why) => write!(f, "it panics: {why}"),
            Self::Crashes(how) => write!(f, "it crashes: {how}"),
            Self::Hangs => f.write_str("it does not end"),
        }
    }
}

fn fate(case: &Case, child: &Child, file: &Path) -> io::Result<Fate> {
    let (what, name, bytes) = case.to_job();
    fs::write(file, bytes)?;
    Ok(read(&child.run(&format!("{what} {name} {}", file.display()))?))
}

fn read(ended: &Ended) -> Fate {
    /// The exit status of a panic.
    const PANIC: i32 = 101;
    let Some(status) = ended.status else { return Fate::Hangs };
    let said = ended.stdout.lines().find_map(|line| line.split_once(FAILS));
    match (said, status.code()) {
        (_, Some(0)) => Fate::Fine,
        (Some((_, why)), _) => Fate::Fails(why.to_owned()),
        (None, Some(PANIC)) => {
            let mut lines = ended.stderr.lines().skip_while(|line| !line.contains("panicked at"));
            Fate::Panics(lines.nth(1).unwrap_or("without words").to_owned())
        }
        (None, _) => Fate::Crashes(status.to_string()),
    }
}
