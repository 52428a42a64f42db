//! The advised strategies under the program itself.

use std::env;
use std::path::Path;
use std::process::Command;

use loligo_replay::strategies::{StrategyConfig, to_json};

use crate::check::{checkable, distinct};
use crate::output::Output;

/// Runs the program under the choices and prints what it took and what was promised.
///
/// `loligo check` does the work in a separate process: what is counted of a child begins with what
/// its parent has, and this one has the recording and what the judgement has left.
pub(super) fn check(
    command: &str,
    manifest: Option<&Path>,
    folder: &Path,
    trace: &Path,
    choices: &[StrategyConfig],
) -> Result<(), String> {
    let strategies = distinct(checkable(choices.to_vec()));
    let list = folder.join("checked-strategies.json");
    let program =
        env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut child = Command::new(program);
    child.args(["check", command, "--out"]).arg(folder.join("check"));
    child.arg("--json").arg(folder.join("check.json")).arg("--trace").arg(trace);
    if let Some(manifest) = manifest {
        child.arg("--crate").arg(manifest);
    }
    if !strategies.is_empty() {
        let output = Output::prepare_own(&list).map_err(|error| error.to_string())?;
        output.write(to_json(&strategies).as_bytes()).map_err(|error| error.to_string())?;
        child.arg("--strategies").arg(&list);
    }
    let status = child.status().map_err(|error| format!("cannot start `loligo check`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`loligo check` {status}; the advice above is unchecked"))
    }
}
