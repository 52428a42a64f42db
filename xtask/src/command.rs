//! Running other programs, mostly Cargo.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::outcome::{Failure, Outcome};

/// Returns Cargo, to be run in `folder`: the very one that runs this program.
pub(crate) fn cargo(folder: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = without_cargo_variables(program);
    command.current_dir(folder);
    command
}

/// Returns a command without the variables that Cargo set for this program.
pub(crate) fn without_cargo_variables(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    // The variables that Cargo sets describe this package and must not reach other programs.
    for (key, _) in std::env::vars_os() {
        if key.to_string_lossy().starts_with("CARGO_PKG_") || key == "CARGO_MANIFEST_DIR" {
            command.env_remove(key);
        }
    }
    command
}

/// Runs `command`, its output shown.
///
/// # Errors
///
/// [`Failure::Found`] if it ends with another status than 0, [`Failure::Unable`] if it cannot
/// start.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let shown = shown(command);
    println!("$ {shown}");
    let status =
        command.status().map_err(|error| Failure::io(&format!("cannot run `{shown}`"), &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::Found(format!("`{shown}` ended with {status}")))
    }
}

/// Runs a build that takes minutes where little of it is there: says `what` is built and that it
/// may take so long. Cargo shows each crate where its lines go to a terminal, and nothing elsewhere.
///
/// # Errors
///
/// As [`run`].
///
/// # Panics
///
/// If `command` has `--quiet`: Cargo hands it on to test programs, which refuse it when it comes twice;
/// see [`build_and_test`].
pub(crate) fn build(command: &mut Command, what: &str) -> Outcome {
    assert!(command.get_args().all(|argument| argument != "--quiet"), "it is added here");
    announce(&format!("building {what}: minutes the first time, seconds later"));
    run(quiet_unless_watched(command))
}

/// As [`build`], for tests, whose programs get `--quiet`: a line for each of a thousand is too much.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn build_and_test(command: &mut Command, what: &str) -> Outcome {
    announce(&format!("building and running {what}: minutes the first time, seconds later"));
    run(command)
}

/// Writes a line on what happens now, to standard error: for what else would be silent for more than
/// some seconds. Standard output may be a page.
pub(crate) fn announce(line: &str) {
    // Nobody may be there to read it.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Makes Cargo silent where its lines do not go to a terminal.
pub(crate) fn quiet_unless_watched(cargo: &mut Command) -> &mut Command {
    if !std::io::stderr().is_terminal() {
        cargo.env("CARGO_TERM_QUIET", "true");
    }
    cargo
}

/// Runs `command` and returns what it wrote to standard output; its errors are shown, and if it
/// fails all that it wrote.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    written(command.stderr(Stdio::inherit()))
}

/// As [`output`], and its errors are shown only if it fails: for what panics on purpose.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn quiet_output(command: &mut Command) -> Result<String, Failure> {
    written(command.stderr(Stdio::piped()))
}

fn written(command: &mut Command) -> Result<String, Failure> {
    let shown = shown(command);
    let output =
        command.output().map_err(|error| Failure::io(&format!("cannot run `{shown}`"), &error))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    print!("{said}");
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Err(Failure::Found(format!("`{shown}` ended with {}", output.status)))
}

/// Runs a command with both of its outputs shown and collected, in the order in which they come;
/// returns whether it succeeded.
///
/// # Errors
///
/// [`Failure::Unable`] if it cannot start or its output cannot be read.
pub(crate) fn tee(command: &mut Command, said: &mut String) -> Result<bool, Failure> {
    let io = |error| Failure::io("cannot run a command", &error);
    let (reader, writer) = std::io::pipe().map_err(io)?;
    command.stdout(writer.try_clone().map_err(io)?).stderr(writer);
    let mut child = command.spawn().map_err(io)?;
    // The command holds ends of the pipe that would else never be closed.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(io)? > 0 {
        // The reader may have gone.
        let _ = std::io::stdout().write_all(&line);
        said.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(child.wait().map_err(io)?.success())
}

/// Whether a program of this name can be started.
pub(crate) fn answers(program: &str) -> bool {
    let mut command = Command::new(program);
    let quiet = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Whether there is a nightly toolchain.
pub(crate) fn has_nightly() -> bool {
    let mut command = without_cargo_variables("rustup");
    command.args(["run", "nightly", "cargo", "--version"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns the command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line =
        program.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests;
