//! The figures that are kept: what each step printed, by which command, on which day, of which
//! commit.

use core::time::Duration;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::seconds;
use crate::workspace;

/// Where they are kept.
pub(crate) const PATH: &str = "tests/verification.tsv";

const HEAD: &str =
    "# Written by `cargo xtask verify`. Step, figure, value, unit, command, day, commit.\n";

/// The figure that each step has.
pub(super) const TIME: &str = "time";

/// A figure: its name, its value, its unit.
pub(super) type Row = (String, String, String);

/// What gave the figures of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) command: String,
    pub(super) day: String,
    pub(super) commit: String,
    seconds: u64,
}

impl Run {
    /// Describes a run that just ended.
    pub(super) fn now(command: String, time: Duration) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let day = day(since.as_secs() / 86_400);
        Self { command, day, commit: commit(), seconds: seconds(time) }
    }
}

/// A figure and what gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Figure {
    pub(super) step: String,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) unit: String,
    pub(super) command: String,
    pub(super) day: String,
    pub(super) commit: String,
}

/// All figures, those of a step together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    all: Vec<Figure>,
}

impl Figures {
    /// Reads what is kept. A line that cannot be read is left out.
    pub(super) fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let figures = lines.filter_map(|line| {
            let parts: Vec<String> = line.split('\t').map(str::to_owned).collect();
            let [step, name, value, unit, command, day, commit] = parts.try_into().ok()?;
            Some(Figure { step, name, value, unit, command, day, commit })
        });
        Self { all: figures.collect() }
    }

    /// Returns the figures of a step.
    pub(super) fn of(&self, step: &str) -> impl Iterator<Item = &Figure> {
        self.all.iter().filter(move |figure| figure.step == step)
    }

    /// Puts the figures of a step in the place of those of before.
    pub(super) fn keep(&mut self, step: &str, run: &Run, rows: Vec<Row>) {
        self.all.retain(|figure| figure.step != step);
        let time = (TIME.to_owned(), run.seconds.to_string(), "s".to_owned());
        let figures = rows.into_iter().chain([time]).map(|(name, value, unit)| Figure {
            step: step.to_owned(),
            name: name.replace('\t', " "),
            value,
            unit,
            command: run.command.clone(),
            day: run.day.clone(),
            commit: run.commit.clone(),
        });
        self.all.extend(figures);
    }

    /// Returns the text of the file.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(HEAD);
        for Figure { step, name, value, unit, command, day, commit } in &self.all {
            let line = [step, name, value, unit, command, day, commit].map(String::as_str);
            text.push_str(&line.join("\t"));
            text.push('\n');
        }
        text
    }
}

/// Returns the commit that was looked at, with a `+` where files differ from it.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(workspace::root()).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(head) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".into() };
    // What the figures themselves are written to does not count.
    let others = [".", ":!tests/*.tsv", ":!docs"];
    let changed = git(&[&["status", "--porcelain", "--"][..], &others].concat());
    let is_clean = changed.is_none_or(|changed| changed.is_empty());
    if is_clean { head } else { head + "+" }
}

/// Returns the day that is `days` days after the first of January 1970, as `2026-11-22`.
///
/// After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013): years begin in
/// March, so that the day that some have more is their last.
pub(super) fn day(days: u64) -> String {
    let days = days + 719_468;
    let (era, in_era) = (days / 146_097, days % 146_097);
    let year = (in_era - in_era / 1_460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * in_year + 2) / 153;
    let day = in_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
