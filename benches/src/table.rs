//! The table that people read: a line a row, aligned.

use core::fmt::Write;

use crate::outcome::Outcome;

/// The widths of the table's columns.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    name_width: usize,
}

/// The heads of the columns after the row's name.
const HEADS: [&str; 8] = ["ours", "best peer", "", "ratio", "spread", "target", "goal", "reached"];

/// Their widths; the first and second hold a number and its unit.
const WIDTHS: [usize; 8] = [24, 10, 23, 8, 8, 8, 8, 10];

impl Table {
    /// Makes a table for rows of these names.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        Self { name_width: names.map(str::len).max().unwrap_or(0).max(3) }
    }

    /// Returns the line of heads.
    #[must_use]
    pub fn head(&self) -> String {
        self.line("row", &HEADS.map(str::to_owned))
    }

    /// Returns a row's line, and a second one where there is a note.
    #[must_use]
    pub fn row(&self, outcome: &Outcome) -> String {
        let ours = outcome
            .ours
            .map_or_else(|| "-".to_owned(), |ours| format!("{} {}", figure(ours), outcome.unit));
        let optional = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), figure);
        let cells = [
            ours,
            optional(outcome.best_peer),
            outcome.peer.clone().unwrap_or_else(|| "-".to_owned()),
            optional(outcome.ratio),
            optional(outcome.spread),
            figure(outcome.target),
            figure(outcome.goal),
            outcome.verdict.words().to_owned(),
        ];
        let mut line = self.line(&outcome.row, &cells);
        if let Some(note) = &outcome.note {
            let width = self.name_width;
            // Writing to a string does not fail.
            let _ = write!(line, "\n{:width$}   {note}", "");
        }
        line
    }

    fn line(&self, name: &str, cells: &[String; 8]) -> String {
        let mut line = format!("{name:width$}", width = self.name_width);
        for (index, (cell, width)) in cells.iter().zip(WIDTHS).enumerate() {
            // Words are aligned to the left, numbers to the right.
            let _ = match index {
                0 | 2 | 7 => write!(line, "  {cell:width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// Returns a number with about four digits that say something.
fn figure(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 0.1 || size == 0.0 => 3,
        size if size >= 0.01 => 4,
        _ => 5,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests;
