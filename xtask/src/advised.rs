//! `cargo xtask advised`: the advised strategies, rebuilt from their written Rust, against the
//! heap.

mod page;

use core::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

/// The choices of an advice, each a file.
const CHOICES: [&str; 3] = ["speed", "memory", "latency"];

/// The program that measures, in addition to the strategies.
const PROGRAM: &str = include_str!("advised/program.rs.txt");

const USAGE: &str = "\
Advises a strategy for each recording, compiles the Rust that was written in a crate that depends on
loligo-allocators alone, and measures it against the heap on the part of the recording that the search
did not see, all rows of a recording in one run.

Usage: cargo xtask advised [--write] [--kept] [--candidates N] [FILE...]

Options:
  --write         writes the table and what was advised into docs/guide/choosing-an-allocator.md
  --kept          takes the strategies of the run before instead of searching again
  --candidates N  how many candidates are replayed for each recording [default: 300]

Without FILE: all recordings of the folder `traces` in LOLIGO_DATA, or in ../shared beside the checkout;
the bundled ones where there is none. The recordings are searched one after the other, which takes some
minutes each.

Example:
  cargo xtask advised --candidates 60 tools/replay/traces/lua.altrace.zst

Exit status: 0 all well, 1 a strategy lost a block or refused a request, 2 it could not be done.
";

/// What the arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    write: bool,
    kept: bool,
    help: bool,
    candidates: Option<u32>,
    files: Vec<PathBuf>,
}

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a strategy is unsound, [`Failure::Unable`] if it cannot be measured.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    if request.help {
        print!("{USAGE}");
        return Ok(());
    }
    let root = workspace::root();
    let folder = workspace::target().join("xtask/advised");
    let traces = if request.files.is_empty() { recordings(&root)? } else { request.files.clone() };
    let is_kept = |trace: &PathBuf| request.kept && kept(&folder, trace).is_file();
    if !traces.iter().all(is_kept) {
        let mut build = command::cargo(&root);
        build.args(["build", "--profile", "measured", "--package", "loligo-cli"]);
        command::build(&mut build, "the command, optimised as a whole")?;
    }
    let mut parts = Vec::new();
    for trace in &traces {
        parts.push((name_of(trace), advice(&request, trace, &folder)?));
    }
    write_crates(&root, &folder, &traces)?;
    let mut measure = command::cargo(&folder.join("bench"));
    measure.args(["run", "--release", "--"]).args(&traces);
    command::announce(
        "measuring the strategies, rebuilt from their Rust: the table comes at the end",
    );
    command::quiet_unless_watched(&mut measure);
    // The lock file is the workspace's, so nothing is fetched that it does not use.
    let table = command::output(&mut measure)?;
    print!("{table}");
    parts.push(("table".to_owned(), table.clone()));
    if request.write {
        page::write(&root, &parts)?;
        println!("\nwritten to {}", page::PATH);
    }
    if table.contains("LOST") {
        return Err(Failure::Found("a strategy lost a block or refused a request".into()));
    }
    Ok(())
}

/// Returns where the advice for a recording is kept.
fn kept(folder: &Path, trace: &Path) -> PathBuf {
    folder.join("advice").join(name_of(trace)).join("advice.txt")
}

/// Returns the advice for a recording as a part of the page; it is stored next to the strategies.
fn advice(request: &Request, trace: &Path, folder: &Path) -> Result<String, Failure> {
    let kept = kept(folder, trace);
    let out = kept.with_file_name("");
    let text = match fs::read_to_string(&kept) {
        Ok(text) if request.kept => text,
        _ => {
            let mut advise = Command::new(workspace::target().join("measured/loligo"));
            advise.arg("advise").arg(trace).arg("--out").arg(&out);
            advise.arg("--report").arg(&out);
            if let Some(candidates) = request.candidates {
                advise.args(["--candidates", &candidates.to_string()]);
            }
            command::announce(&format!("searching for {}: minutes", trace.display()));
            let text = command::output(&mut advise)?;
            write(&kept, &text)?;
            text
        }
    };
    print!("{text}");
    // The paths of the files are of no interest on a page.
    let out = out.display().to_string();
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let text = text.replace(&trace.display().to_string(), &name);
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains(&out)).collect();
    Ok(format!("```text\n{}\n```", lines.join("\n")))
}

/// Returns the recordings at hand.
fn recordings(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let data = std::env::var_os("LOLIGO_DATA").map(PathBuf::from);
    let shared = data.unwrap_or_else(|| root.join("../shared")).join("traces");
    let folder = if shared.is_dir() { shared } else { root.join("tools/replay/traces") };
    let entries = fs::read_dir(&folder)
        .map_err(|error| Failure::io(&format!("cannot list {}", folder.display()), &error))?;
    let mut traces: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().contains(".altrace"))
        .collect();
    traces.sort();
    if traces.is_empty() {
        return Err(Failure::Unable(format!("{} has no recording", folder.display())));
    }
    Ok(traces)
}

/// Returns a recording's name as that of a module.
fn name_of(trace: &Path) -> String {
    let name = trace.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.split(".altrace").next().unwrap_or_default();
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Writes two crates: the strategies over loligo-allocators alone, and the program that measures
/// them.
fn write_crates(root: &Path, folder: &Path, traces: &[PathBuf]) -> Outcome {
    let allocators = root.join("allocators");
    let replay = root.join("tools/replay");
    let head = "version = \"0.0.0\"\nedition = \"2024\"\npublish = false\n";
    let mut modules = String::from("//! Strategies as they were written.\n");
    let mut rows = String::new();
    for trace in traces {
        let name = name_of(trace);
        for choice in CHOICES {
            let module = format!("{name}_{choice}");
            let from = folder.join("advice").join(&name).join(format!("{choice}.rs"));
            let code = fs::read_to_string(&from)
                .map_err(|error| Failure::io(&format!("cannot read {}", from.display()), &error))?;
            write(&folder.join(format!("strategies/src/{module}.rs")), &code)?;
            let _ = writeln!(modules, "pub mod {module};");
            let _ = writeln!(
                rows,
                "        ({name:?}, {choice:?}, || row({choice:?}, || \
                 strategies::{module}::leaked(&PAGES))),"
            );
        }
    }
    write(&folder.join("strategies/src/lib.rs"), &modules)?;
    write(
        &folder.join("strategies/Cargo.toml"),
        &format!(
            "[package]\nname = \"strategies\"\n{head}\n[dependencies]\nloligo-allocators = {{ path = \
             {allocators:?} }}\n"
        ),
    )?;
    write(&folder.join("bench/src/main.rs"), &PROGRAM.replace("@ROWS@", &rows))?;
    write(
        &folder.join("bench/Cargo.toml"),
        &format!(
            "[package]\nname = \"bench\"\n{head}\n[workspace]\n\n[dependencies]\nstrategies = {{ path = \
             \"../strategies\" }}\nloligo-allocators = {{ path = {allocators:?} }}\nloligo-replay = {{ \
             path = {replay:?} }}\n\n[profile.release]\ncodegen-units = 1\nlto = \"thin\"\n"
        ),
    )?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))
        .map_err(|error| Failure::io("cannot read Cargo.lock", &error))?;
    write(&folder.join("bench/Cargo.lock"), &lock)
}

fn write(path: &Path, text: &str) -> Outcome {
    let shown = path.display();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::io(&format!("cannot make the folder of {shown}"), &error))?;
    }
    // What did not change is left alone, so that it is not compiled again.
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| Failure::io(&format!("cannot write {shown}"), &error))
}

fn parse(arguments: &[String]) -> Result<Request, Failure> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--write" => request.write = true,
            "--kept" => request.kept = true,
            "--help" | "-h" => request.help = true,
            "--candidates" => {
                let number = rest.next().and_then(|number| number.parse().ok());
                request.candidates = Some(number.ok_or_else(|| {
                    Failure::Unable("--candidates takes a number, for instance 300".into())
                })?);
            }
            other if other.starts_with('-') => {
                return Err(Failure::Unable(format!(
                    "`{other}` is no option of advised; see `cargo xtask advised --help`"
                )));
            }
            // The program runs in another folder.
            file => request.files.push(
                std::path::absolute(file)
                    .map_err(|error| Failure::io(&format!("cannot find {file}"), &error))?,
            ),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_understood_or_refused() {
        let arguments = ["--write", "--candidates", "7", "/a.altrace"].map(str::to_owned);
        let wanted = Request {
            write: true,
            candidates: Some(7),
            files: vec!["/a.altrace".into()],
            ..Request::default()
        };
        assert_eq!(parse(&arguments).ok(), Some(wanted));
        assert!(parse(&["--candidates".to_owned()]).is_err(), "a number is missing");
        assert!(parse(&["--fast".to_owned()]).is_err(), "an unknown option is refused");
    }

    #[test]
    fn a_recordings_name_is_that_of_a_module() {
        assert_eq!(name_of(Path::new("/x/git-log.altrace.zst")), "git_log");
        assert_eq!(name_of(Path::new("lua.altrace")), "lua");
    }
}
