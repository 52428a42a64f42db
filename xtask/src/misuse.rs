//! `cargo xtask misuse`: each misuse against each allocator, as a table.

use std::fs;
use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::test_programs;
use crate::workspace;

/// The path of the page.
pub(crate) const PAGE: &str = "docs/evidence/misuse.md";

/// The program that does each misuse.
const PROGRAM: &str = "loligo-tests-misuse";

const USAGE: &str = "\
Does each misuse (double, foreign and interior frees, wrong sizes, leaks, writes past and before a
block, use after free) to each of our allocators and wrappers and to the peers, each in a process of
its own, prints what became of it as a table, and writes the table to docs/evidence/misuse.md.

Usage: cargo xtask misuse [--ours] [--print]

Options:
  --ours   leaves the peers out and writes nothing; the build is shorter
  --print  writes nothing

jemalloc and snmalloc are among the peers where make and a C++ compiler are found.

Example:
  cargo xtask misuse --print

Exit status: 0 all well, 1 one of ours did not find what it promises to find, 2 it could not be run.
";

/// What the arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    ours: bool,
    print: bool,
    help: bool,
}

/// Runs the command, which is a program of the crate `loligo-tests`.
///
/// # Errors
///
/// [`Failure::Found`] if a promise is broken, [`Failure::Unable`] if it cannot be run.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    if request.ours || request.print {
        return check(request.ours);
    }
    let mut program = program()?;
    command::announce(
        "misusing each allocator, each time in a process: the table comes at the end",
    );
    let page = command::output(program.arg("--markdown"))?;
    let path = workspace::root().join(PAGE);
    fs::write(&path, &page)
        .map_err(|error| Failure::io(&format!("cannot write {PAGE}"), &error))?;
    print!("{page}");
    println!("\nwritten to {PAGE}");
    Ok(())
}

/// Runs the table and shows it, writing nothing.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn check(ours_only: bool) -> Outcome {
    if ours_only {
        return command::run(test_programs::program(PROGRAM)?.arg("--ours"));
    }
    command::run(&mut program()?)
}

/// Returns the program, built for release as peers are used.
fn program() -> Result<Command, Failure> {
    let root = workspace::root();
    let mut build = command::cargo(&root);
    let all = command::answers("make") && command::answers("c++");
    let features = if all { "peers-all" } else { "peers" };
    build.args(["build", "--release", "--package", "loligo-tests"]);
    build.args(["--bin", PROGRAM, "--features", features]);
    command::build(&mut build, "the table of misuse and the peers, for release")?;
    if !all {
        println!("without jemalloc and snmalloc, which need make and a C++ compiler");
    }
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    Ok(Command::new(workspace::target().join("release").join(name)))
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    for argument in arguments {
        match argument.as_str() {
            "--ours" => request.ours = true,
            "--print" => request.print = true,
            "--help" | "-h" => request.help = true,
            other => {
                return Err(Failure::Unable(format!(
                    "`{other}` is no option of misuse; see `cargo xtask misuse --help`"
                )));
            }
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::{Request, parse};

    #[test]
    fn arguments_are_understood_or_refused() {
        let parsed = parse(&["--ours".to_owned()]);
        assert_eq!(parsed.ok(), Some(Request { ours: true, ..Request::default() }));
        assert!(parse(&["--theirs".to_owned()]).is_err(), "an unknown option is refused");
    }
}
