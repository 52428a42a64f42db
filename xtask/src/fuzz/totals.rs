//! What all runs together have done: docs/evidence/fuzzing.md, which a run reads and adds to.

use std::fs;
use std::path::PathBuf;

use crate::outcome::{Failure, Outcome};
use crate::workspace;

use super::run::Run;

/// The targets that read what comes from elsewhere, or are beneath everything: an hour each.
const LONG: [&str; 7] =
    ["blob", "heap", "key_values", "render_sources", "resource_file", "sjson", "trace"];

/// The minutes of processor time that each other target is to have.
const GOAL: u64 = 10;

/// The minutes of those that are to have more.
const LONG_GOAL: u64 = 60;

/// What is above the table.
const HEAD: &str = "\
# Fuzzing so far

`cargo xtask fuzz --minutes N` takes the targets that are farthest from their goal, goes on from the inputs that were
found before, and adds to this table; `cargo xtask fuzz --keep` commits the smallest inputs that reach the same. Time is
that of one processor. How to read a target's name: [the guide](../guide/fuzzing.md).

| target | minutes | goal | executions | coverage | inputs |
|---|---|---|---|---|---|
";

/// What a target has done in all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    /// Its name.
    pub(super) target: String,
    /// The seconds of processor time.
    pub(super) seconds: u64,
    /// How often it was run.
    pub(super) executions: u64,
    /// The branches and comparisons reached in the last run.
    pub(super) coverage: u64,
    /// The inputs kept at the end of the last run.
    pub(super) inputs: u64,
}

/// What all targets have done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) all: Vec<Total>,
}

/// Returns the minutes that a target is to have.
pub(super) fn goal(target: &str) -> u64 {
    if LONG.contains(&target) { LONG_GOAL } else { GOAL }
}

impl Totals {
    /// Reads the page; a target that it does not have has done nothing.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if a line of the table is not one.
    pub(super) fn read(targets: &[String]) -> Result<Self, Failure> {
        // Before the first run there is no page.
        let text = fs::read_to_string(page()).unwrap_or_default();
        Self::parse(&text, targets)
    }

    /// Reads the table of a page.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if a line of the table is not one.
    pub(super) fn parse(text: &str, targets: &[String]) -> Result<Self, Failure> {
        let mut totals = Self::default();
        for target in targets {
            totals.all.push(Total { target: target.clone(), ..Total::default() });
        }
        for (number, line) in text.lines().enumerate() {
            let Some(cells) = line.strip_prefix("| `") else { continue };
            let Some(total) = Total::parse(cells) else {
                return Err(Failure::Found(format!(
                    "docs/evidence/fuzzing.md:{}: this is no line of a target: mend it, or take \
                     the page of an earlier commit",
                    number + 1
                )));
            };
            if let Some(known) = totals.all.iter_mut().find(|other| other.target == total.target) {
                *known = total;
            }
        }
        Ok(totals)
    }

    /// Returns the seconds that each target of `wanted` is to run, when `seconds` of processor time
    /// are shared: the targets farthest from their goals first, in pieces of `piece` seconds. Those
    /// that run longest come first, so that the processors end together.
    pub(super) fn share(&self, wanted: &[String], seconds: u64, piece: u64) -> Vec<(String, u64)> {
        let is_wanted = |total: &&Total| wanted.contains(&total.target);
        let mut shares: Vec<(&Total, u64)> =
            self.all.iter().filter(is_wanted).map(|total| (total, 0)).collect();
        for _ in 0..seconds.div_ceil(piece) {
            // In thousandths of the goal, which every minute changes.
            let part = |(total, planned): &&mut (&Total, u64)| {
                (total.seconds + *planned) * 1000 / (60 * goal(&total.target))
            };
            let Some((_, planned)) = shares.iter_mut().min_by_key(part) else { break };
            *planned += piece;
        }
        shares.retain(|(_, seconds)| *seconds > 0);
        let mut shares: Vec<(String, u64)> =
            shares.into_iter().map(|(total, seconds)| (total.target.clone(), seconds)).collect();
        shares.sort_by_key(|(_, seconds)| core::cmp::Reverse(*seconds));
        shares
    }

    /// Adds what a run has done.
    pub(super) fn add(&mut self, run: &Run) {
        if let Some(total) = self.all.iter_mut().find(|total| total.target == run.target) {
            total.seconds += run.seconds;
            total.executions += run.executions;
            total.coverage = run.coverage_after;
            total.inputs = run.inputs;
        }
    }

    /// Returns how often a target was run.
    pub(super) fn executions(&self, target: &str) -> u64 {
        let total = self.all.iter().find(|total| total.target == target);
        total.map_or(0, |total| total.executions)
    }

    /// Returns the page.
    pub(super) fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for total in &self.all {
            text.push_str(&format!(
                "| `{}` | {} | {} | {} | {} | {} |\n",
                total.target,
                minutes(total.seconds),
                goal(&total.target),
                total.executions,
                total.coverage,
                total.inputs
            ));
        }
        let seconds: u64 = self.all.iter().map(|total| total.seconds).sum();
        let executions: u64 = self.all.iter().map(|total| total.executions).sum();
        let reached =
            self.all.iter().filter(|total| total.seconds >= 60 * goal(&total.target)).count();
        text.push_str(&format!(
            "\n{} targets, {} minutes, {executions} executions; {reached} targets have reached their \
             goal.\n",
            self.all.len(),
            minutes(seconds)
        ));
        text
    }

    /// Writes the page.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if the disk does not allow it.
    pub(super) fn write(&self) -> Outcome {
        fs::write(page(), self.text())
            .map_err(|error| Failure::io("cannot write docs/evidence/fuzzing.md", &error))
    }
}

impl Total {
    /// Reads a line of the table, from the target's name on.
    fn parse(cells: &str) -> Option<Self> {
        let mut cells = cells.split('|').map(str::trim);
        let target = cells.next()?.strip_suffix('`')?.to_owned();
        let (whole, tenth) = cells.next()?.split_once('.')?;
        let minutes = (whole.parse::<u64>().ok()?, tenth.parse::<u64>().ok()?);
        let seconds = minutes.0.checked_mul(60)?.checked_add(minutes.1.checked_mul(6)?)?;
        cells.next()?;
        let mut number = || cells.next()?.parse().ok();
        Some(Self {
            target,
            seconds,
            executions: number()?,
            coverage: number()?,
            inputs: number()?,
        })
    }
}

/// Returns seconds as minutes with one decimal, rounded down: none is claimed that was not.
fn minutes(seconds: u64) -> String {
    format!("{}.{}", seconds / 60, seconds % 60 / 6)
}

fn page() -> PathBuf {
    workspace::root().join("docs/evidence/fuzzing.md")
}
