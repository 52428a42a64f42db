//! Rule `figures-agree`: a figure that is stated on two pages is the same on both, and a record
//! that a page names is kept.

use crate::tidy::finding::Finding;
use crate::tree::Tree;

/// Where records of the scoreboard are kept.
const RECORDS: &str = "benches/record/";

/// Pages that state the counts of mutants: the text before and after `N of M` on each.
const MUTANTS: [(&str, &str, &str); 2] = [
    ("docs/evidence/mutants.md", "**", " mutants are caught"),
    ("docs/evidence/verification.md", "| mutants | ", " are caught"),
];

pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    rows(tree, findings);
    records(tree, findings);
    mutants(tree, findings);
}

/// Rows of tables about the same thing in the front page and in a crate's.
fn rows(tree: &Tree, findings: &mut Vec<Finding>) {
    let front = tree.text("README.md").unwrap_or_default();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with("/README.md")) {
        for (head, line, row) in table_rows(text) {
            let other = table_rows(front).find(|(other, _, front_row)| {
                *other == head && first_cell(front_row) == first_cell(row)
            });
            if let Some((_, at, other)) = other
                && plain(other) != plain(row)
            {
                let what = format!(
                    "this row is another in README.md:{at}: state what the newest record says in both"
                );
                findings.push(Finding::new("figures-agree", path, line, what));
            }
        }
    }
}

/// Returns each row of each table whose first cell is code: the table's head, the line from 1 on,
/// and the row.
fn table_rows(text: &str) -> impl Iterator<Item = (&str, usize, &str)> {
    let mut head = "";
    let mut before = "";
    (1..).zip(text.lines()).filter_map(move |(line, row)| {
        if row.starts_with("|---") {
            head = before;
        }
        before = row;
        row.starts_with("| `").then_some((head, line, row))
    })
}

fn first_cell(row: &str) -> &str {
    row.split('|').nth(1).unwrap_or_default().trim()
}

/// Returns a row without the targets of links, which differ from page to page.
fn plain(row: &str) -> String {
    let mut plain = String::new();
    for (at, part) in row.split("](").enumerate() {
        let rest = if at == 0 { part } else { part.split_once(')').map_or(part, |(_, rest)| rest) };
        plain.push_str(rest);
    }
    plain
}

/// Records that pages name in backquotes, as `2026-11-22-6990263`.
fn records(tree: &Tree, findings: &mut Vec<Finding>) {
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".md")) {
        for (line, row) in (1..).zip(text.lines()) {
            for name in row.split('`').skip(1).step_by(2).filter(|name| is_record(name)) {
                if !tree.has_file(&format!("{RECORDS}{name}.json")) {
                    let what =
                        format!("there is no record `{name}` in {RECORDS}: name one that is kept");
                    findings.push(Finding::new("figures-agree", path, line, what));
                }
            }
        }
    }
}

/// Returns `true` if a word is a day and a commit.
fn is_record(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let [year, month, day, commit] = parts[..] else { return false };
    let is_number =
        |part: &str, digits| part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
    is_number(year, 4)
        && is_number(month, 2)
        && is_number(day, 2)
        && commit.len() == 7
        && commit.bytes().all(|b| b.is_ascii_hexdigit())
}

/// How many mutants are caught, of how many.
fn mutants(tree: &Tree, findings: &mut Vec<Finding>) {
    let [first, second] = MUTANTS.map(|(path, before, behind)| {
        let lines = (1..).zip(tree.text(path).unwrap_or_default().lines());
        lines.into_iter().find_map(|(line, row)| {
            let rest = row.strip_prefix(before)?;
            Some((path, line, rest.split_once(behind)?.0))
        })
    });
    if let (Some((source, _, figures)), Some((path, line, others))) = (first, second)
        && figures != others
    {
        let what = format!("{source} says {figures}: run `cargo xtask verify mutants`");
        findings.push(Finding::new("figures-agree", path, line, what));
    }
}
