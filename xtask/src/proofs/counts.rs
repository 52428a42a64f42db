//! What a step counted, read from what it printed.
//!
//! Counts are of what is the same on every machine: tests, models, builds; not of inputs that a time
//! has room for.

use crate::verify::read::{number, passed};

/// Returns the counts of a step's output, such as `25251 interleavings, 25 models`; those of zero
/// are left out.
pub(super) fn read(said: &str) -> String {
    let counts = [
        (sum(said, |line| Some(u64::from(line.starts_with("$ ")))), "commands"),
        (sum(said, passed), "tests"),
        (sum(said, machine_tests), "tests of other machines"),
        (sum(said, valgrind_tests), "tests under Valgrind"),
        (sum(said, |line| model(line)?.1), "interleavings"),
        (sum(said, |line| model(line).map(|_| 1)), "models"),
        (sum(said, |line| Some(u64::from(line.contains(": the planted ")))), "faults of models"),
        (sum(said, |line| number(line, " planted faults and a leak reported")), "planted faults"),
        (sum(said, |line| number(line, " targets, ")), "fuzz targets"),
        (surfaces(said), "surfaces"),
    ];
    let shown = counts.iter().filter(|(count, _)| *count > 0);
    shown.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

fn sum(said: &str, count: impl Fn(&str) -> Option<u64>) -> u64 {
    said.lines().filter_map(count).sum()
}

/// Reads `NAME: N interleavings ..` of a model, not of a planted fault.
fn model(line: &str) -> Option<(&str, Option<u64>)> {
    let (name, rest) = line.split_once(": ")?;
    let is_model = name.contains("::") && rest.contains(" interleavings");
    let is_planted = line.contains(": the planted ");
    (is_model && !is_planted).then(|| (name, number(rest, " interleavings")))
}

fn machine_tests(line: &str) -> Option<u64> {
    number(line.strip_prefix("targets: ")?, " tests passed")
}

fn valgrind_tests(line: &str) -> Option<u64> {
    number(line.strip_prefix("$ valgrind ")?, " tests, ")
}

/// Counts the surfaces of hostile input that had neither a crash nor a hang.
fn surfaces(said: &str) -> u64 {
    let table = said.split("as they are:").nth(1).unwrap_or_default();
    let is_whole = |line: &&str| {
        matches!(line.split_whitespace().collect::<Vec<_>>()[..], [_, _, "0", "0", _, "MiB", _])
    };
    table.lines().filter(is_whole).count() as u64
}
