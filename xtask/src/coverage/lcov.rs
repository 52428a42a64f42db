//! Reading the format in which llvm-cov writes its counts, that of lcov.

use std::collections::BTreeMap;

/// What was counted of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    lines: BTreeMap<usize, bool>,
    branches: BTreeMap<(usize, String), bool>,
}

impl Lines {
    /// Leaves out the lines from `end` on.
    pub(super) fn cut(&mut self, end: usize) {
        self.lines.retain(|&line, _| line < end);
        self.branches.retain(|&(line, _), _| line < end);
    }

    /// Returns how many lines are reached, and how many there are.
    pub(super) fn lines(&self) -> (usize, usize) {
        (self.lines.values().filter(|&&reached| reached).count(), self.lines.len())
    }

    /// Returns how many branches are taken, and how many there are.
    pub(super) fn branches(&self) -> (usize, usize) {
        (self.branches.values().filter(|&&taken| taken).count(), self.branches.len())
    }

    /// Returns the lines that are not reached.
    pub(super) fn missed(&self) -> impl Iterator<Item = usize> {
        self.lines.iter().filter(|(_, reached)| !**reached).map(|(&line, _)| line)
    }
}

/// Reads the counts of every file. A line that occurs twice was reached if it was once.
pub(super) fn read(text: &str) -> BTreeMap<String, Lines> {
    let mut files: BTreeMap<String, Lines> = BTreeMap::new();
    let mut at = None;
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            at = Some(path.to_owned());
            continue;
        }
        let Some(path) = &at else { continue };
        if let Some((number, count)) =
            line.strip_prefix("DA:").and_then(|rest| rest.split_once(','))
            && let Ok(number) = number.parse()
        {
            let file = files.entry(path.clone()).or_default();
            *file.lines.entry(number).or_default() |= count != "0";
        }
        if let Some((branch, count)) =
            line.strip_prefix("BRDA:").and_then(|rest| rest.rsplit_once(','))
            && let Some((number, which)) = branch.split_once(',')
            && let Ok(number) = number.parse()
        {
            let file = files.entry(path.clone()).or_default();
            let taken = file.branches.entry((number, which.to_owned())).or_default();
            *taken |= count != "0" && count != "-";
        }
    }
    files
}
