//! `cargo xtask conformance`: every suite over our implementations and over other crates', as a
//! table.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::test_programs;
use crate::workspace;

/// The path of the page.
const PAGE: &str = "docs/evidence/conformance.md";

/// The program that runs the suites.
const PROGRAM: &str = "loligo-tests-conformance";

const USAGE: &str = "\
Runs the conformance suites over our allocators, id tables, maps, queues and streams and over those of
other crates, each check in a process of its own with a time limit, and prints what each passes, fails,
crashes or hangs on. What was found in the others is reproduced, too. Each table has a row that is wrong
on purpose and must fail.

Usage: cargo xtask conformance [--write | --check | --ours]

Options:
  --write  writes the tables, with what was found and how to see it, to docs/evidence/conformance.md
  --check  reports where docs/evidence/conformance.md differs and writes nothing
  --ours   leaves the others out; the build is shorter

jemalloc and snmalloc are among the others where make and a C++ compiler are found.

Example:
  cargo xtask conformance

Exit status: 0 all well, 1 one of ours did not pass or a planted fault did, 2 it could not be run.
";

/// What is said before the table is made, which is shown only as a whole.
const RUNNING: &str = "running all suites, each in a process: the table comes at the end";

/// What the arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    write: bool,
    check: bool,
    ours: bool,
    help: bool,
}

/// Runs the command, which is a program of the crate `loligo-tests`.
///
/// # Errors
///
/// [`Failure::Found`] if one of ours fails or a planted fault passes, [`Failure::Unable`] if it
/// cannot be run.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    if request.ours {
        return check();
    }
    if request.check {
        return compare();
    }
    let mut program = program(others())?;
    if !request.write {
        return command::run(&mut program);
    }
    command::announce(RUNNING);
    let page = command::output(program.arg("--markdown"))?;
    let path = workspace::root().join(PAGE);
    fs::write(&path, &page)
        .map_err(|error| Failure::io(&format!("cannot write {PAGE}"), &error))?;
    print!("{page}");
    println!("\nwritten to {PAGE}");
    Ok(())
}

/// Runs ours alone: a step of the continuous integration. What the others pass changes with them,
/// not with us, and jemalloc and snmalloc take minutes to build.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn check() -> Outcome {
    command::run(test_programs::program(PROGRAM)?.arg("--ours"))
}

/// Runs everything, writes nothing, and reports where the page differs. It fails for ours and for a
/// planted fault, not for what has changed in the others.
fn compare() -> Outcome {
    let mut program = program(others())?;
    command::announce(RUNNING);
    let page = command::output(program.arg("--markdown"))?;
    let path = workspace::root().join(PAGE);
    let written = fs::read_to_string(&path)
        .map_err(|error| Failure::io(&format!("cannot read {PAGE}"), &error))?;
    let changes = changes(&written, &page);
    for change in &changes {
        println!("{change}");
    }
    match changes.len() {
        0 => println!("all is as {PAGE} says"),
        _ => println!("{PAGE} differs: `cargo xtask conformance --write` makes it again"),
    }
    Ok(())
}

/// Returns the lines that one page has and the other has not, however wide their columns are.
fn changes(written: &str, now: &str) -> Vec<String> {
    let lines = |page: &str| -> BTreeSet<String> {
        // The widths of columns depend on the longest row, which may be one of a peer that is
        // absent.
        let is_rule = |line: &&str| !line.starts_with("|-");
        page.lines()
            .filter(is_rule)
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    };
    let (written, now) = (lines(written), lines(now));
    let gone = written.difference(&now).map(|line| format!("written: {line}"));
    gone.chain(now.difference(&written).map(|line| format!("now:     {line}"))).collect()
}

/// Returns the feature with as many of the others as can be built here.
fn others() -> &'static str {
    if command::answers("make") && command::answers("c++") {
        return "peers-all";
    }
    println!("without jemalloc and snmalloc, which need make and a C++ compiler");
    "peers"
}

/// Returns the program, built for release as peers are used.
fn program(features: &str) -> Result<Command, Failure> {
    let root = workspace::root();
    let mut build = command::cargo(&root);
    build.args(["build", "--release", "--package", "loligo-tests"]);
    build.args(["--bin", PROGRAM, "--features", features]);
    command::build(&mut build, "the suites and the peers, for release")?;
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    Ok(Command::new(workspace::target().join("release").join(name)))
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    for argument in arguments {
        match argument.as_str() {
            "--write" => request.write = true,
            "--check" => request.check = true,
            "--ours" => request.ours = true,
            "--help" | "-h" => request.help = true,
            other => {
                return Err(Failure::Unable(format!(
                    "`{other}` is no option of conformance; see `cargo xtask conformance --help`"
                )));
            }
        }
    }
    if [request.write, request.check, request.ours].iter().filter(|&&asked| asked).count() > 1 {
        let what = "of `--write`, `--check` and `--ours` only one can be asked for";
        return Err(Failure::Unable(what.to_owned()));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::{Request, changes, parse};

    #[test]
    fn arguments_are_understood_or_refused() {
        let parsed = parse(&["--write".to_owned()]);
        assert_eq!(parsed.ok(), Some(Request { write: true, ..Request::default() }));
        assert!(parse(&["--theirs".to_owned()]).is_err(), "an unknown option is refused");
        let both = ["--write".to_owned(), "--ours".to_owned()];
        assert!(parse(&both).is_err(), "a page without the others is not written");
    }

    #[test]
    fn changes_are_told_and_widths_are_none() {
        let written = "| a   | 1 of 2 |\n|-----|--------|\n| b   | 2 of 2 |\n";
        assert!(
            changes(written, "| a | 1 of 2 |\n|---|---|\n| b | 2 of 2 |\n").is_empty(),
            "widths"
        );
        let found = changes(written, "| a | 2 of 2 |\n| b | 2 of 2 |\n");
        assert_eq!(found, ["written: | a | 1 of 2 |", "now:     | a | 2 of 2 |"]);
    }
}
