//! The figures by file, as they are printed and kept.

use super::COUNTED;
use super::lcov::Lines;

const HEAD: &str = "\
# Written by `cargo xtask coverage --write`. File, lines reached, lines, branches taken, branches.\n";

/// The worst files that are named with the figures.
const WORST: usize = 10;

/// Files with fewer lines are not named as the worst.
const LINES_MIN: usize = 20;

/// What was reached of a file, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    file: String,
    lines: (usize, usize),
    branches: (usize, usize),
}

impl Row {
    fn add(&mut self, other: &Self) {
        let add = |to: &mut (usize, usize), from: (usize, usize)| {
            *to = (to.0 + from.0, to.1 + from.1);
        };
        add(&mut self.lines, other.lines);
        add(&mut self.branches, other.branches);
    }
}

/// A row for each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub(super) fn of(files: &[(String, Lines)]) -> Self {
        let rows = files.iter().map(|(file, lines)| Row {
            file: file.clone(),
            lines: lines.lines(),
            branches: lines.branches(),
        });
        Self { rows: rows.filter(|row| row.lines.1 > 0).collect() }
    }

    /// Reads what is kept.
    pub(super) fn read(text: &str) -> Self {
        let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            let [file, numbers @ ..] = &parts[..] else { return None };
            let numbers: Vec<usize> = numbers.iter().filter_map(|n| n.parse().ok()).collect();
            let [reached, lines, taken, branches] = numbers[..] else { return None };
            let file = (*file).to_owned();
            Some(Row { file, lines: (reached, lines), branches: (taken, branches) })
        });
        Self { rows: rows.collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the text of the file that is kept.
    pub(super) fn text(&self) -> String {
        let mut text = String::from(HEAD);
        for Row { file, lines, branches } in &self.rows {
            let (reached, all) = lines;
            let (taken, branches) = branches;
            text.push_str(&format!("{file}\t{reached}\t{all}\t{taken}\t{branches}\n"));
        }
        text
    }

    /// Returns the files as a table, the worst first, and the sums.
    pub(super) fn shown(&self) -> String {
        let mut text = format!("{:<56}{:>16}{:>18}\n", "file", "lines", "branches");
        for row in self.worst() {
            let Row { file, lines, branches } = row;
            text.push_str(&format!("{file:<56}{:>16}{:>18}\n", share(*lines), share(*branches)));
        }
        for (name, value) in self.sums() {
            text.push_str(&format!("{name}: {value}\n"));
        }
        text
    }

    fn worst(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| {
            let missed = |row: &Row| row.lines.1 - row.lines.0;
            missed(b).cmp(&missed(a)).then_with(|| a.file.cmp(&b.file))
        });
        rows
    }

    fn sums(&self) -> Vec<(String, String)> {
        let mut sums = Vec::new();
        for folder in COUNTED.iter().map(Some).chain([None]) {
            let mut sum = Row::default();
            let is_in = |row: &&Row| folder.is_none_or(|folder| row.file.starts_with(folder));
            self.rows.iter().filter(is_in).for_each(|row| sum.add(row));
            let name = folder.map_or("tier 0", |folder| folder.trim_end_matches("/src/"));
            sums.push((format!("{name}: lines"), share_of(sum.lines)));
            if sum.branches.1 > 0 {
                sums.push((format!("{name}: branches"), share_of(sum.branches)));
            }
        }
        sums
    }
}

/// Returns the sums of what is kept, and the files of which the largest share is not reached.
pub(crate) fn figures(text: &str) -> Vec<(String, String)> {
    let table = Table::read(text);
    if table.is_empty() {
        return Vec::new();
    }
    let mut figures = table.sums();
    let mut rows: Vec<&Row> = table.rows.iter().filter(|row| row.lines.1 >= LINES_MIN).collect();
    let tenths = |row: &Row| 1000 * row.lines.0 / row.lines.1;
    rows.sort_by(|a, b| tenths(a).cmp(&tenths(b)).then_with(|| a.file.cmp(&b.file)));
    for row in rows.into_iter().take(WORST) {
        figures.push((format!("least: {}", row.file), share_of(row.lines)));
    }
    figures
}

/// Returns a share as per cent, rounded down, so that all is all.
fn share((part, all): (usize, usize)) -> String {
    if all == 0 {
        return "-".into();
    }
    let tenths = 1000 * part / all;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn share_of((part, all): (usize, usize)) -> String {
    format!("{} ({part} of {all})", share((part, all)))
}
