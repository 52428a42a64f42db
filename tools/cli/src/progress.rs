//! The progress line, where somebody is there to see it.

use core::cell::RefCell;
use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};
use loligo_replay::measure::{Phase, Progress};

use crate::print::say;

/// A bar on standard error while it is a terminal, else a line for each phase.
pub(crate) struct Line {
    bar: ProgressBar,
    /// The phase that was shown last, where it is no terminal.
    phase: RefCell<Option<String>>,
}

impl Line {
    pub(crate) fn new() -> Self {
        if !stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden(), phase: RefCell::default() };
        }
        let bar = ProgressBar::no_length();
        let style =
            ProgressStyle::with_template("{wide_bar} {percent:>3} %, {eta:>3} left  {msg:<44}");
        // The template is ours and valid; a plain bar would do as well.
        let bar = match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        Self { bar, phase: RefCell::default() }
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        let what = match progress.phase {
            Phase::Memory => "memory",
            Phase::Time => "time",
            Phase::Worst => "worst operation",
            Phase::Verify => "contents",
        };
        let phase = format!("{}: {what}", progress.trace);
        self.set(&phase, Some(progress.row), progress.done, progress.of);
    }

    /// Shows how far work is that has no rows.
    pub(crate) fn show_work(&self, what: &str, done: usize, of: usize) {
        self.set(what, None, done as u64, of as u64);
    }

    /// Shows how far work is, and on what.
    pub(crate) fn step(&self, what: &str, on: &str, done: usize, of: usize) {
        self.set(what, Some(on), done as u64, of as u64);
    }

    fn set(&self, phase: &str, on: Option<&str>, done: u64, of: u64) {
        if self.bar.is_hidden() {
            let mut shown = self.phase.borrow_mut();
            if shown.as_deref() != Some(phase) {
                say!("loligo: {phase} ..");
                *shown = Some(phase.to_owned());
            }
            return;
        }
        self.bar.set_length(of);
        self.bar.set_position(done);
        self.bar.set_message(match on {
            Some(on) => format!("{phase}, {on}"),
            None => phase.to_owned(),
        });
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
