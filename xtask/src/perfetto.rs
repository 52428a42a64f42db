//! `cargo xtask perfetto`: a trace of the courtyard, read by Perfetto's own code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::workspace;

const USAGE: &str = "\
Runs the courtyard with `--trace`, and has the scopes of the trace counted by Perfetto: by its schema, which is in
the package `perfetto` of PyPI, and by its trace processor, which that package downloads when it is used first. Both
counts must be those that `loligo run` prints. What cannot be had is skipped, with the reason.

Usage: cargo xtask perfetto
";

/// The package and its version: the schema that traces are read by.
const PACKAGE: &str = "perfetto==0.59.1";

/// How many frames are traced.
const FRAMES: &str = "100";

const COUNT: &str = include_str!("perfetto/count.py");

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a count differs, [`Failure::Unable`] if the game cannot be run.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [help] if help == "--help" || help == "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(Failure::Unable("perfetto has no options".into())),
    }
}

fn check() -> Outcome {
    let folder = workspace::target().join("xtask/perfetto");
    fs::create_dir_all(&folder).map_err(|error| Failure::io("cannot make a folder", &error))?;
    let python = match python(&folder) {
        Ok(python) => python,
        Err(reason) => {
            println!("skipped: {reason}");
            return Ok(());
        }
    };
    let trace = folder.join("yard.pftrace");
    let said = traced(&trace)?;
    let ours = counts_of_run(&said)
        .ok_or_else(|| Failure::Unable(format!("the run says nothing of its trace:\n{said}")))?;
    let script = folder.join("count.py");
    fs::write(&script, COUNT).map_err(|error| Failure::io("cannot write the script", &error))?;
    let said = command::output(Command::new(python).arg(&script).arg(&trace))?;
    judge(ours, &said)
}

/// Returns an interpreter that has the package, in an environment of the target folder; or why there
/// is none.
fn python(folder: &Path) -> Result<PathBuf, String> {
    let environment = folder.join("python");
    let python = environment.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" });
    let mut has = Command::new(&python);
    has.args(["-c", "import perfetto.protos.perfetto.trace.perfetto_trace_pb2"]);
    if quiet(&mut has) {
        return Ok(python);
    }
    if !quiet(Command::new("python3").args(["-m", "venv"]).arg(&environment)) {
        return Err("no python3 that makes environments (`apt-get install python3-venv`)".into());
    }
    command::announce("installing Perfetto's package from PyPI");
    let mut install = Command::new(&python);
    if !quiet(install.args(["-m", "pip", "install", "--quiet", PACKAGE])) || !quiet(&mut has) {
        return Err(format!("`pip install {PACKAGE}` did not go well: PyPI may not be reachable"));
    }
    Ok(python)
}

fn quiet(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs the courtyard and returns what the run prints.
fn traced(trace: &Path) -> Result<String, Failure> {
    let mut cargo = command::cargo(&workspace::root());
    cargo.args(["run", "--profile", "test", "--package", "loligo-cli", "--", "run"]);
    cargo.args(["samples/10-courtyard", "--backend", "text", "--frames", FRAMES, "--trace"]);
    command::output(command::quiet_unless_watched(&mut cargo).arg(trace))
}

/// Returns the scopes and the events of the line of a run that speaks of its trace.
fn counts_of_run(said: &str) -> Option<[u64; 2]> {
    let line = said.lines().find_map(|line| line.trim().strip_prefix("trace: "))?;
    let number =
        |unit: &str| line.split(", ").find_map(|part| part.strip_suffix(unit)?.parse().ok());
    Some([number(" scopes")?, number(" events")?])
}

/// Compares the counts of Perfetto with ours.
fn judge([scopes, events]: [u64; 2], said: &str) -> Outcome {
    let line = |name: &str| said.lines().find_map(|line| line.strip_prefix(name));
    let numbers = |line: &str| -> Vec<u64> {
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let first = |line: &str| numbers(line).first().copied();
    println!("ours: {scopes} scopes, {events} events");
    let by_schema = line("schema: ").map(numbers).unwrap_or_default();
    if by_schema != [scopes, events] {
        return Err(Failure::Found(format!(
            "Perfetto's schema finds {by_schema:?} scopes and events, and the run wrote {scopes} and \
             {events}"
        )));
    }
    println!("Perfetto's schema: {scopes} scopes, {events} events");
    match line("processor: ").and_then(first) {
        Some(found) if found == scopes => println!("Perfetto's trace processor: {found} scopes"),
        Some(found) => {
            return Err(Failure::Found(format!(
                "Perfetto's trace processor finds {found} scopes, and the run wrote {scopes}"
            )));
        }
        None => {
            let why = line("unreachable: ").unwrap_or("it said nothing");
            println!("skipped: Perfetto's trace processor cannot be had: {why}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{counts_of_run, judge, run};

    #[test]
    fn counts_are_read_and_compared() {
        let said = "frames\n  trace: 3400 scopes, 7000 events, 0 lost, in first.pftrace\n";
        let ours = counts_of_run(said).expect("it says so");
        assert_eq!(ours, [3400, 7000]);
        assert_eq!(counts_of_run("no trace"), None);
        judge(ours, "schema: 3400 7000\nunreachable: no net\n").expect("the schema is right");
        judge(ours, "schema: 3400 7000\nprocessor: 3400\n").expect("both are right");
        for wrong in [
            "",
            "schema: 3399 7000\nprocessor: 3400\n",
            "schema: 3400 6999\nprocessor: 3400\n",
            "schema: 3400 7000\nprocessor: 3401\n",
        ] {
            assert_eq!(judge(ours, wrong).expect_err("it differs").status(), 1, "{wrong}");
        }
    }

    #[test]
    fn it_has_no_options() {
        run(&["--help".to_owned()]).expect("it says how");
        assert_eq!(run(&["--fast".to_owned()]).expect_err("it is none").status(), 2);
    }
}
