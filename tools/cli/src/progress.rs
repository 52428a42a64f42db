//! The progress line, where somebody is there to see it.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};
use loligo_replay::measure::{Phase, Progress};

/// A line on standard error while it is a terminal, else nothing.
pub(crate) struct Line(ProgressBar);

impl Line {
    pub(crate) fn new() -> Self {
        if !stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::no_length();
        let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg:<44}");
        // The template is ours and valid; a plain bar would do as well.
        Self(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        let what = match progress.phase {
            Phase::Memory => "memory",
            Phase::Time => "time",
            Phase::Worst => "worst operation",
            Phase::Verify => "contents",
        };
        self.0.set_length(progress.of);
        self.0.set_position(progress.done);
        self.0.set_message(format!("{}: {what}, {}", progress.trace, progress.row));
    }

    /// Shows how far work is that has no rows.
    pub(crate) fn tell(&self, what: &str, done: usize, of: usize) {
        self.0.set_length(of as u64);
        self.0.set_position(done as u64);
        self.0.set_message(what.to_owned());
    }

    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
