//! `cargo xtask predictions`: what replays promise of programs, and what the programs then do.

mod page;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command;
use crate::debian;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

use page::Row;
use programs::{PROGRAMS, Program};

const USAGE: &str = "\
Records programs of many kinds, has a strategy advised for each, runs each under its own allocator, our heap,
the strategies and the peers that are installed, and compares what the replay of the recording promised with
what the program did.

Of programs that are not asked for, the page has the figures of the run before. Installs the programs from
Debian's packages where that may be done; leaves out, with a line, what is not there. Takes about a minute for
each program; nothing else should run meanwhile.

Usage: cargo xtask predictions [--write] [--again] [--candidates N] [PROGRAM...]

Options:
  --write         writes docs/evidence/predictions.md
  --again         runs the programs and replays again, with the recordings and strategies of the run before
  --candidates N  how many strategies are replayed for each program [default: 60]

Example:
  cargo xtask predictions git jq

Exit status: 0 all well, 1 a program ended otherwise under one of the allocators, 2 it could not be done.
";

/// More events than any of the programs has.
const EVENTS_MAX: &str = "20000000";

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    write: bool,
    again: bool,
    help: bool,
    candidates: u32,
    programs: Vec<String>,
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a program fails under an allocator, [`Failure::Unable`] if nothing can be
/// measured.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    let root = workspace::root();
    println!("building loligo with whole-program optimisation, which takes some minutes");
    let mut build = command::cargo(&root);
    build.args(["build", "--quiet", "--profile", "measured", "--package", "loligo-cli"]);
    command::run(&mut build)?;
    let folder = workspace::target().join("xtask/predictions");
    fs::create_dir_all(&folder).map_err(|error| Failure::io("cannot make a folder", &error))?;
    programs::write_inputs(&folder)?;
    for package in ["libmimalloc2.0", "libjemalloc2"] {
        if !programs::has_library(package) && !debian::installed(package) {
            println!("{package} cannot be installed; it is not compared");
        }
    }
    let is_asked = |one: &&Program| {
        request.programs.is_empty() || request.programs.iter().any(|name| name == one.name)
    };
    for program in PROGRAMS.iter().filter(is_asked) {
        if !program.is_there() {
            println!("skipped: {} is not there and cannot be installed", program.name);
            continue;
        }
        if request.again && trace(program, &folder).is_file() {
            println!("{}: run", program.name);
        } else {
            println!("{}: recorded, advised, run", program.name);
            advise(program, &folder, &root, request.candidates)?;
        }
        measure(program, &folder, &root)?;
    }
    let mut rows = Vec::new();
    for program in PROGRAMS.iter().filter(|program| figures(program, &folder).is_file()) {
        rows.push(row(program, &folder)?);
    }
    if rows.is_empty() {
        return Err(Failure::Unable("no program is there".into()));
    }
    let text = page::text(&rows);
    print!("{text}");
    if request.write {
        let path = root.join(page::PATH);
        fs::write(&path, text)
            .map_err(|error| Failure::io(&format!("cannot write {}", page::PATH), &error))?;
        println!("\nwritten to {}", page::PATH);
    }
    Ok(())
}

/// Where the recording of a program is kept.
fn trace(program: &Program, folder: &Path) -> PathBuf {
    folder.join(format!("{}.altrace.zst", program.name))
}

/// The file of the strategies that a program is run under.
const STRATEGIES: &str = "strategies.json";

/// Records a program, and has strategies advised for it.
fn advise(program: &Program, folder: &Path, root: &Path, candidates: u32) -> Outcome {
    let loligo = workspace::target().join("measured/loligo");
    let (words, trace) = (program.words(root), trace(program, folder));
    let mut record = Command::new(&loligo);
    // All of it: what is promised of a part is not promised of the program.
    record.args(["record", "--max-events", EVENTS_MAX, "-o"]).arg(&trace).arg("--");
    if program.is_story() {
        record.arg(built_story(folder, root)?).args(&words[1..]);
    } else {
        record.args(&words);
    }
    record.current_dir(folder).stdout(Stdio::null());
    command::run(&mut record)?;
    let out = folder.join(program.name);
    let mut advise = Command::new(&loligo);
    advise.arg("advise").arg(&trace).arg("--out").arg(&out).arg("--report").arg(&out);
    advise.args(["--candidates", &candidates.to_string(), "--finalists", "8"]);
    let said = command::output(advise.current_dir(folder))?;
    print!("{said}");
    Ok(())
}

/// Runs a program, and what allocates as was recorded, under the strategies and all others.
fn measure(program: &Program, folder: &Path, root: &Path) -> Outcome {
    let out = folder.join(program.name);
    let mut check = Command::new(workspace::target().join("measured/loligo"));
    check.arg("check").arg(programs::line(&program.words(root))).current_dir(folder);
    check.arg("--trace").arg(trace(program, folder)).arg("--json").arg(out.join("check.json"));
    check.arg("--strategies").arg(out.join(STRATEGIES)).arg("--out").arg(out.join("check"));
    if program.is_story() {
        check.arg("--crate").arg(folder.join(programs::STORY_FOLDER));
    }
    let said = command::output(&mut check)?;
    print!("{said}");
    Ok(())
}

/// Where the figures of a program are kept.
fn figures(program: &Program, folder: &Path) -> PathBuf {
    folder.join(program.name).join("check.json")
}

/// Reads what was promised of a program and measured, in this run or in one before.
fn row(program: &Program, folder: &Path) -> Result<Row, Failure> {
    let path = figures(program, folder);
    let fail = |what: String| Failure::Unable(format!("{}: {what}", path.display()));
    let text = fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
    let checked: Value = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
    Row::of(program.name, program.what, &checked)
        .ok_or_else(|| fail("the figures lack something; remove the file".into()))
}

/// Builds the crate that is one of the programs, and returns the program.
fn built_story(folder: &Path, root: &Path) -> Result<PathBuf, Failure> {
    let story = folder.join(programs::STORY_FOLDER);
    // The versions of the workspace, so that nothing is fetched that it does not use.
    fs::copy(root.join("Cargo.lock"), story.join("Cargo.lock"))
        .map_err(|error| Failure::io("cannot copy Cargo.lock", &error))?;
    let target = folder.join("story-target");
    let mut build = command::cargo(&story);
    build.args(["build", "--quiet", "--release", "--offline", "--target-dir"]).arg(&target);
    command::run(&mut build)?;
    Ok(target.join("release/story"))
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request =
        Request { write: false, again: false, help: false, candidates: 60, programs: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--write" => request.write = true,
            "--again" => request.again = true,
            "--help" | "-h" => request.help = true,
            "--candidates" => {
                let number = rest.next().and_then(|number| number.parse().ok());
                request.candidates = number.filter(|&number| number > 0).ok_or_else(|| {
                    Failure::Unable("--candidates takes a number from 1 on".into())
                })?;
            }
            option if option.starts_with('-') => {
                return Err(Failure::Unable(format!(
                    "`{option}` is no option of predictions; see `cargo xtask predictions --help`"
                )));
            }
            name if PROGRAMS.iter().any(|program| program.name == name) => {
                request.programs.push(name.to_owned());
            }
            name => {
                let known: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
                return Err(Failure::Unable(format!(
                    "no program is called `{name}`; there are {}",
                    known.join(", ")
                )));
            }
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_and_refused() {
        let of = |words: &[&str]| parse(&words.iter().map(|&word| word.into()).collect::<Vec<_>>());
        let expected = Request {
            write: true,
            again: true,
            help: false,
            candidates: 9,
            programs: vec!["git".into(), "jq".into()],
        };
        assert_eq!(
            of(&["--write", "git", "--candidates", "9", "jq", "--again"]).ok(),
            Some(expected)
        );
        for (words, part) in [
            (&["--candidates", "0"][..], "a number from 1 on"),
            (&["--fast"], "`--fast` is no option"),
            (&["vi"], "no program is called `vi`; there are git, "),
        ] {
            let error = of(words).expect_err("it is wrong").to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
