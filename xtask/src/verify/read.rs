//! Reading figures from what the commands say.

use std::collections::BTreeMap;

use super::figures::Row;
use crate::tree::Tree;
use crate::workspace;
use crate::{coverage, faults};

/// Counts tests by crate and kind.
pub(super) fn tests(said: &str) -> Vec<Row> {
    let mut counts: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    let mut at = None;
    for line in said.lines() {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix("Running unittests ") {
            at = binary(rest).map(|name| (name, 0));
        } else if let Some(rest) = line.strip_prefix("Running ") {
            at = binary(rest).map(|name| (name, 1));
        } else if let Some(name) = line.strip_prefix("Doc-tests ") {
            at = Some((name, 2));
        } else if let (Some(passed), Some((name, kind))) = (passed(line), at) {
            let entry = counts.entry(name).or_default();
            match kind {
                0 => entry.0 += passed,
                1 => entry.1 += passed,
                _ => entry.2 += passed,
            }
        }
    }
    let mut rows = Vec::new();
    let mut all = 0;
    for (name, (unit, integration, examples)) in counts {
        for (count, kind) in
            [(unit, "unit tests"), (integration, "integration tests"), (examples, "examples")]
        {
            all += count;
            if count > 0 {
                rows.push(row(&format!("{name}: {kind}"), count, ""));
            }
        }
    }
    if all > 0 {
        rows.push(row("all", all, "tests"));
    }
    rows
}

/// Reads `small world: NAME: N states, M operations`.
pub(super) fn worlds(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut states, mut operations) = (0, 0);
    for (name, what) in named(said, "small world: ") {
        states += number(what, " states").unwrap_or(0);
        operations += number(what, " operations").unwrap_or(0);
        rows.push((name.to_owned(), spaced_all(what), String::new()));
    }
    rows.sort();
    rows.dedup();
    if !rows.is_empty() {
        rows.push(row("all: states", states, ""));
        rows.push(row("all: operations", operations, ""));
    }
    rows
}

/// Reads `random programs: N programs`, of which there are as many as tests that draw them.
pub(super) fn programs(said: &str) -> Vec<Row> {
    let lines = said.lines().filter_map(|line| line.split_once("random programs: "));
    let counts: Vec<u64> = lines.filter_map(|(_, what)| number(what, " programs")).collect();
    if counts.is_empty() {
        return Vec::new();
    }
    vec![
        row("families and configurations", counts.len() as u64, ""),
        row("programs", counts.iter().sum(), ""),
    ]
}

/// Reads the lines of the models.
pub(super) fn loom(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut all, mut models, mut caught) = (0, 0, 0);
    for line in said.lines() {
        if line.contains(": the planted ") {
            caught += 1;
        }
        let Some((name, what)) = line.split_once(": ") else { continue };
        if let Some(count) = number(what, " interleavings")
            && !line.contains(": the planted ")
        {
            (all, models) = (all + count, models + 1);
            rows.push((name.to_owned(), spaced_all(what), String::new()));
        }
    }
    if models > 0 {
        rows.push(row("models", models, ""));
        rows.push(row("all", all, "interleavings"));
        rows.push(row("canaries: planted faults caught", caught, ""));
    }
    rows
}

/// Counts the verdicts of the tables.
pub(super) fn misuse(said: &str) -> Vec<Row> {
    let mut verdicts: BTreeMap<&str, u64> = BTreeMap::new();
    for line in said.lines().filter(|line| line.starts_with("| ")) {
        for cell in line.trim_matches('|').split('|').skip(1).map(str::trim) {
            let known = ["detected", "stopped", "by verify", "survived", "crashed", "hung"];
            if let Some(verdict) = known.iter().find(|known| **known == cell) {
                *verdicts.entry(verdict).or_default() += 1;
            }
        }
    }
    verdicts.into_iter().map(|(verdict, count)| row(verdict, count, "")).collect()
}

/// Reads the second table of surfaces: that of the code as it is.
pub(super) fn hostile(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let table = said.split("as they are:").nth(1).unwrap_or_default();
    for line in table.lines() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if let [name, inputs, crashes, hangs, peak, "MiB", _] = cells[..]
            && let Ok(inputs) = inputs.parse()
        {
            let what = format!(
                "{} inputs, {crashes} crashes, {hangs} hangs, {peak} MiB at the peak",
                spaced(inputs)
            );
            rows.push((name.to_owned(), what, String::new()));
        }
    }
    rows
}

/// Reads how many scopes of a trace Perfetto's schema and its trace processor find, or why they do not.
pub(super) fn perfetto(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for name in ["Perfetto's schema", "Perfetto's trace processor"] {
        let found = said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        if let Some(found) = found {
            rows.push((name.to_owned(), format!("{found}, as the run wrote"), String::new()));
        }
    }
    for line in said.lines().filter(|line| line.starts_with("skipped: ")) {
        rows.push(("skipped".to_owned(), line["skipped: ".len()..].to_owned(), String::new()));
    }
    rows
}

/// Reads `objects: WHAT: N things`.
pub(super) fn objects(said: &str) -> Vec<Row> {
    let found = named(said, "objects: ");
    let mut rows: Vec<Row> =
        found.map(|(name, what)| (name.to_owned(), what.to_owned(), String::new())).collect();
    rows.sort();
    rows
}

/// Reads what a tool that watches tests says: planted faults that it reported, and tests that it
/// passed.
pub(super) fn watched(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in said.lines() {
        if let Some((_, what)) = line.split_once("Sanitizer: ").or(line.split_once("Valgrind: "))
            && let Some(count) = number(what, " planted fault")
        {
            rows.push(row("canaries: planted faults reported", count, ""));
        }
    }
    let tests: u64 = said.lines().filter_map(passed).sum();
    if tests > 0 {
        rows.push(row("tests without a report", tests, ""));
    }
    rows
}

/// Reads how many tests of each package passed on each machine.
pub(super) fn targets(said: &str) -> Vec<Row> {
    let read = |line: &str| {
        let (target, rest) = line.strip_prefix("targets: ")?.split_once(": ")?;
        let (package, rest) = rest.split_once(": ")?;
        let tests = number(rest, " tests passed")?;
        Some(row(&format!("{target}: {package}"), tests, "tests"))
    };
    said.lines().filter_map(read).collect()
}

/// Reads what each suite of others amounts to.
pub(super) fn guests(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut all = 0;
    for line in said.lines().filter_map(|line| line.strip_prefix("guests: ")) {
        if let Some(count) = number(line, " planted fault") {
            rows.push(row("canaries: planted faults reported", count, ""));
        } else if let Some((name, what)) = line.split_once(": ")
            && let Some(tests) = number(what, " tests")
        {
            all += tests;
            rows.push((name.to_owned(), spaced_all(what), String::new()));
        }
    }
    if all > 0 {
        rows.push(row("all", all, "tests"));
    }
    rows
}

/// Reads what the tests of each peer amount to.
pub(super) fn foreign(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut all = 0;
    for line in said.lines().filter_map(|line| line.strip_prefix("foreign: ")) {
        if let Some(count) = number(line, " planted fault") {
            rows.push(row("canaries: planted faults noticed", count, ""));
        } else if let Some((name, what)) = line.split_once(": ")
            && let Some(tests) = number(what, " tests passed")
        {
            all += tests;
            rows.push((name.to_owned(), what.to_owned(), String::new()));
        }
    }
    if all > 0 {
        rows.push(row("all", all, "tests passed"));
    }
    rows
}

/// Reads the table of the targets.
pub(super) fn fuzz(said: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut is_table = false;
    let mut all = 0;
    for line in said.lines() {
        if line.contains("the planted fault is found after ") {
            rows.push(row("canaries: planted faults found", 1, ""));
        }
        if line.starts_with("target ") && line.contains("executions") {
            is_table = true;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [target, executions, before, after, inputs, ..] = words[..] else { continue };
        let numbers = [executions, before, after, inputs].map(str::parse::<u64>);
        if let (true, [Ok(executions), Ok(before), Ok(after), Ok(inputs)]) = (is_table, numbers) {
            all += executions;
            let value = format!(
                "{} executions, coverage {} to {}, {} inputs",
                spaced(executions),
                spaced(before),
                spaced(after),
                spaced(inputs)
            );
            rows.push((target.to_owned(), value, String::new()));
        }
    }
    if all > 0 {
        rows.push(row("all", all, "executions"));
    }
    rows
}

/// Reads the verdicts that are kept.
pub(super) fn planted(_: &str) -> Vec<Row> {
    let counts = Tree::read(&workspace::root()).and_then(|tree| faults::caught(&tree));
    let Ok((all, caught)) = counts else { return Vec::new() };
    vec![
        row("planted faults", all as u64, ""),
        row("caught by two kinds of nets and more", caught as u64, ""),
    ]
}

/// Reads what was measured and kept.
pub(super) fn coverage(_: &str) -> Vec<Row> {
    let Ok(tree) = Tree::read(&workspace::root()) else { return Vec::new() };
    let text = tree.text(coverage::KEPT).unwrap_or_default();
    coverage::figures(text).into_iter().map(|(name, value)| (name, value, String::new())).collect()
}

/// Asks for the summary of the verdicts on mutants that are kept, whose lines are the figures.
pub(super) fn mutants(_: &str) -> Vec<Row> {
    let asked = ["cargo", "xtask", "mutants", "--summary"].map(str::to_owned);
    let output = super::asked::command(&asked).and_then(|mut command| command.output().ok());
    let Some(output) = output.filter(|output| output.status.success()) else {
        return Vec::new();
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = said.lines().filter_map(|line| line.split_once(": "));
    lines
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned(), String::new()))
        .collect()
}

/// Returns a count as a figure.
fn row(name: &str, count: u64, unit: &str) -> Row {
    (name.to_owned(), spaced(count), unit.to_owned())
}

/// Writes a number in groups of three digits.
pub(super) fn spaced(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Writes all numbers of a text in groups.
fn spaced_all(text: &str) -> String {
    let words = text.split(' ').map(|word| word.parse().map_or_else(|_| word.to_owned(), spaced));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the number that is before `unit`.
pub(crate) fn number(text: &str, unit: &str) -> Option<u64> {
    let (before, _) = text.split_once(unit)?;
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Returns the text after `mark`, as a name and the rest, of each line that has it.
fn named<'s>(said: &'s str, mark: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
    let lines = said.lines().filter_map(move |line| line.split_once(mark));
    lines.filter_map(|(_, rest)| rest.rsplit_once(": "))
}

/// Returns how many tests passed, of a line that says it.
pub(crate) fn passed(line: &str) -> Option<u64> {
    line.contains("test result: ok").then(|| number(line, " passed"))?
}

/// Returns the name of the crate in `src/lib.rs (target/debug/deps/NAME-HASH)`.
fn binary(rest: &str) -> Option<&str> {
    let (_, path) = rest.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let (name, _) = path.rsplit(['/', '\\']).next()?.rsplit_once('-')?;
    Some(name)
}
