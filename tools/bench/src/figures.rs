//! What children answer, and how figures are written.

use core::fmt::Write as _;
use std::fs;

use loligo_replay::suites::Timing;
use serde::{Deserialize, Serialize};

/// The figures of a process that ran a suite once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) operations: u64,
    pub(crate) seconds: f64,
    /// The most memory of the process that was resident at once; 0 where the system does not say.
    pub(crate) peak_kib: u64,
}

impl Run {
    /// Returns the figures of this process.
    pub(crate) fn of_process(timing: Timing) -> Self {
        let seconds = timing.elapsed.as_secs_f64();
        Self { operations: timing.operations, seconds, peak_kib: status_kib("VmHWM:").unwrap_or(0) }
    }

    /// Returns millions of operations a second.
    pub(crate) fn rate_millions(&self) -> f64 {
        self.operations as f64 / self.seconds.max(1e-9) / 1e6
    }
}

/// How many bytes a row served of its budget before it refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fill {
    /// Of small blocks, with nothing allocated before.
    pub(crate) first: u64,
    /// Of larger blocks, when all small ones were freed.
    pub(crate) other_class: u64,
    /// Of middling blocks, when all but one in fifty were freed; what stayed is counted as well.
    pub(crate) among_few: u64,
}

/// Returns a field of this process's status.
pub(crate) fn status_kib(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the middle value; of an even count, the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    loligo_replay::results::Spread::of(values).map(|spread| spread.median)
}

/// Returns a figure with this number of decimals, or `-` for none.
pub(crate) fn decimal(value: Option<f64>, decimals: usize) -> String {
    let mut text = String::new();
    match value.filter(|value| value.is_finite()) {
        // Writing to a string cannot fail.
        Some(value) => {
            let _ = write!(text, "{value:.decimals$}");
        }
        None => text.push('-'),
    }
    text
}
