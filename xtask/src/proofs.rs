//! The file of proofs: what slow steps of the continuous integration found, and of what.
//!
//! A slow step that passed leaves a line in [`PATH`]: a hash of all it depends on, and what it
//! counted. As long as nothing it depends on changes, the step need not run again. Each time some
//! of those that need not run do so all the same, drawn by the commit, and must count the same.

mod counts;
mod draw;
mod inputs;
mod line;
mod proof;
mod shared;

use core::time::Duration;
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Instant;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace::{self, Workspace};

use line::Line;
use proof::Proof;

/// Where the lines are kept.
const PATH: &str = "docs/evidence/checks.tsv";

/// The argument by which a step runs within its own process, its output read by another.
pub(crate) const WITHIN: &str = "--within";

/// What is to be done about a step.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It leaves no line: run it as it is.
    Plain,
    /// Nothing it depends on has changed, and it was not drawn.
    Proven(String),
    /// To be run; the second is why.
    Due(Box<Due>, &'static str),
}

/// A step that is to be run.
#[derive(Debug)]
pub(crate) struct Due {
    proof: &'static Proof,
    hash: u64,
    /// The files that it depends on.
    inputs: Vec<String>,
    /// What it counted before, of the same hash.
    before: Option<Line>,
    /// How long it took when it passed last, of whatever files.
    seconds: Option<u64>,
}

/// The proofs as a run begins.
#[derive(Debug)]
pub(crate) struct Proofs {
    lines: BTreeMap<String, Line>,
    hashes: BTreeMap<&'static str, u64>,
    inputs: BTreeMap<&'static str, Vec<String>>,
    drawn: Vec<&'static str>,
}

impl Proofs {
    /// Reads the lines, hashes what each step depends on, and draws by `commit`.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] for a line that cannot be read.
    pub(crate) fn read(tree: &Tree, workspace: &Workspace) -> Result<Self, Failure> {
        let lines = line::read(PATH, tree.text(PATH).unwrap_or_default())?;
        let hash = |proof: &'static Proof| (proof.step, inputs::hash(proof, tree, workspace));
        let hashes = proof::PROOFS.iter().map(hash).collect();
        let inputs = proof::PROOFS.iter().map(|proof| {
            let files = inputs::files(proof, tree, workspace);
            (proof.step, files.into_iter().map(str::to_owned).collect())
        });
        let mut proofs = Self { lines, hashes, inputs: inputs.collect(), drawn: Vec::new() };
        let unchanged = proof::PROOFS.iter().filter_map(|proof| {
            let line = proofs.unchanged(proof.step)?;
            Some((proof.step, line.seconds))
        });
        proofs.drawn = draw::draw(&commit(), unchanged.collect());
        Ok(proofs)
    }

    /// Returns the line of a step if nothing that the step depends on has changed since.
    fn unchanged(&self, step: &str) -> Option<&Line> {
        let line = self.lines.get(step)?;
        (self.hashes.get(step) == Some(&line.hash)).then_some(line)
    }

    /// Decides about a step; with `is_asked` it is run whatever the lines say.
    pub(crate) fn verdict(&self, step: &str, is_asked: bool) -> Verdict {
        let Some(proof) = proof::PROOFS.iter().find(|proof| proof.step == step) else {
            return Verdict::Plain;
        };
        let before = self.unchanged(step);
        let why = match before {
            None => "what it depends on has changed since it was proven last",
            Some(_) if is_asked => "it was asked for",
            Some(_) if self.drawn.contains(&proof.step) => "drawn by the commit, though unchanged",
            Some(line) => return Verdict::Proven(line.shown()),
        };
        let hash = self.hashes.get(step).copied().unwrap_or_default();
        let inputs = self.inputs.get(step).cloned().unwrap_or_default();
        let seconds = self.lines.get(step).map(|line| line.seconds);
        Verdict::Due(Box::new(Due { proof, hash, inputs, before: before.cloned(), seconds }), why)
    }
}

impl Due {
    /// Returns how long it took when it passed last, in seconds.
    pub(crate) fn seconds(&self) -> Option<u64> {
        self.seconds
    }

    /// Runs the step in its own process, compares what it counts with what it counted before,
    /// and keeps that where it may be kept.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if the step fails or counts something else than before.
    pub(crate) fn run(&self) -> Outcome {
        let step = self.proof.step;
        let program = std::env::current_exe()
            .map_err(|error| Failure::io("cannot find this program", &error))?;
        let mut command = Command::new(program);
        command.args(["ci", WITHIN, step]).current_dir(workspace::root());
        let begin = Instant::now();
        let mut said = String::new();
        if !command::tee(&mut command, &mut said)? {
            return Err(Failure::Found(format!("the step `{step}` failed; see above")));
        }
        let counts = counts::read(&said);
        if let Some(before) = &self.before {
            compare(step, &before.counts, &counts)?;
        }
        if said.lines().any(|line| line.starts_with("skipped: ")) {
            println!("not kept in {PATH}: a part was skipped");
            return Ok(());
        }
        if self.before.is_some() {
            return Ok(());
        }
        self.keep(counts, begin.elapsed())
    }

    /// Writes the line, if every file that the step depends on is as it is committed.
    fn keep(&self, counts: String, time: Duration) -> Outcome {
        if counts.is_empty() {
            let what =
                format!("the step `{}` counted nothing, so it proves nothing", self.proof.step);
            return Err(Failure::Found(what));
        }
        if let Some(file) = changed(&self.inputs)? {
            println!("not kept in {PATH}: {file} is not as it is committed");
            return Ok(());
        }
        let path = workspace::root().join(PATH);
        // The file does not exist before the first run. Read again, since steps before this one
        // wrote lines.
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = line::read(PATH, &text)?;
        let seconds = time.as_secs().max(1);
        let kept = Line { hash: self.hash, counts, seconds, commit: commit() };
        lines.insert(self.proof.step.to_owned(), kept);
        std::fs::write(&path, line::text(&lines))
            .map_err(|error| Failure::io(&format!("cannot write {PATH}"), &error))
    }
}

fn compare(step: &str, before: &str, now: &str) -> Outcome {
    if before == now {
        return Ok(());
    }
    Err(Failure::Found(format!(
        "{PATH} says that the step `{step}` counted {before}; of the same files it counted {now}; find \
         what the step depends on besides them, or delete the line and run `cargo xtask ci {step}`"
    )))
}

/// Returns the commit that is checked out, in twelve digits.
fn commit() -> String {
    git(&["rev-parse", "--short=12", "HEAD"])
        .map_or_else(String::new, |said| said.trim().to_owned())
}

/// Returns the first of some files that is not as it is committed.
fn changed(files: &[String]) -> Result<Option<String>, Failure> {
    let said = git(&["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"])
        .ok_or_else(|| Failure::Found("`git status` failed".into()))?;
    Ok(among(&said, files))
}

/// Returns the first of some files that git's status names: two letters, a space, the path, a zero.
fn among(status: &str, files: &[String]) -> Option<String> {
    let mut paths = status.split('\0').filter_map(|entry| entry.get(3..));
    paths.find(|path| files.iter().any(|file| file == path)).map(str::to_owned)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).current_dir(workspace::root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests;
