//! The table of conformance: each check of each implementation in its own process.
//!
//! `--ours` leaves the peers out; `--markdown` prints the page that is kept in the documentation.
#![forbid(unsafe_code)]

use std::io;
use std::process::ExitCode;

use loligo_tests::conformance::Verdict;
use loligo_tests::conformance::table::{self, Family, Finding, Line, Reproduced, Whose};

fn main() -> ExitCode {
    table::work();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ours_only = arguments.iter().any(|argument| argument == "--ours");
    let markdown = arguments.iter().any(|argument| argument == "--markdown");
    match show(ours_only, markdown) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("a process cannot be started: {error}");
            ExitCode::from(2)
        }
    }
}

fn show(ours_only: bool, markdown: bool) -> io::Result<ExitCode> {
    let lines = table::run(ours_only)?;
    let reproduced = if ours_only { Vec::new() } else { table::reproduce_all()? };
    if markdown {
        print!("{}", page(&lines));
    } else {
        for family in Family::ALL {
            println!("{}", table::table(&lines, family));
        }
    }
    Ok(judged(&lines, &reproduced))
}

/// The page: what is between the braces is put in.
fn page(lines: &[Line]) -> String {
    let mut page = PAGE.to_owned();
    for family in Family::ALL {
        let place = format!("{{{}}}", family.word());
        page = page.replace(&place, &table::table(lines, family));
    }
    let findings: Vec<String> = Finding::ALL.iter().map(section).collect();
    page.replace("{findings}\n", &findings.join("\n"))
}

/// What the page says of a finding.
fn section(finding: &Finding) -> String {
    let kind = if finding.is_limit { "a limit" } else { "a fault" };
    let subjects = finding.subjects.join(", ");
    // The first lines say to the reader of the repository what the page says.
    let source = finding.source.lines().skip_while(|line| line.starts_with("//!"));
    let source: Vec<&str> = source.skip_while(|line| line.is_empty()).collect();
    let source =
        source.join("\n").replace("pub(super) fn", "fn").replace("pub(crate) struct", "struct");
    format!(
        "### {}. {subjects}: {kind}\n\n{}\n\n```rust\n{}\n```\n\nIt {}.\n",
        finding.number(),
        finding.about,
        source,
        finding.ends,
    )
}

/// Reports what must not be, which the exit status shows too, and what has changed.
fn judged(lines: &[Line], reproduced: &[(&Finding, Reproduced)]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for line in lines {
        match line.whose {
            Whose::Planted if line.not_passed().next().is_none() => {
                eprintln!(
                    "{}: the planted fault was not found, so nothing here proves anything",
                    line.name
                );
                code = ExitCode::from(1);
            }
            Whose::Ours => {
                for (check, verdict) in line.not_passed() {
                    eprintln!("{}: {check}: {}", line.name, told(verdict));
                    code = ExitCode::from(1);
                }
            }
            Whose::Peer => {
                for (check, verdict) in line.unexplained() {
                    eprintln!("changed: {}: {check}: {}", line.name, told(verdict));
                }
            }
            Whose::Planted => {}
        }
    }
    for (finding, reproduced) in reproduced {
        if let Reproduced::Otherwise(what) = reproduced {
            eprintln!("changed: the reproducer {} ends otherwise: {what}", finding.reproducer);
        }
    }
    code
}

fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Failed(reason) => format!("{verdict}: {reason}"),
        _ => verdict.to_string(),
    }
}

const PAGE: &str = include_str!("conformance.md");
