//! The advised strategies under the program itself, and what the replay had promised of them.

use core::fmt::Write as _;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use loligo_replay::check::{Checked, Figure, Promise, promise};
use loligo_replay::strategies::{StrategyConfig, heap_alone, to_json};
use loligo_replay::trace::Trace;

use crate::check::checkable;
use crate::output::Output;
use crate::print::print;
use crate::progress::Line;

/// Runs the program under the choices and prints what it took and what was promised.
///
/// `loligo check` does the work in a separate process: what is counted of a child begins with what
/// its parent has, and this one has the recording.
pub(super) fn check(
    command: &str,
    manifest: Option<&Path>,
    folder: &Path,
    trace: &Trace,
    choices: &[StrategyConfig],
) -> Result<(), String> {
    let strategies = worth_checking(choices);
    let list = folder.join("checked-strategies.json");
    let figures = folder.join("check.json");
    let program =
        env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut child = Command::new(program);
    child.args(["check", command, "--out"]).arg(folder.join("check"));
    child.arg("--json").arg(&figures);
    if let Some(manifest) = manifest {
        child.arg("--crate").arg(manifest);
    }
    if !strategies.is_empty() {
        let output = Output::prepare_own(&list).map_err(|error| error.to_string())?;
        output.write(to_json(&strategies).as_bytes()).map_err(|error| error.to_string())?;
        child.arg("--strategies").arg(&list);
    }
    let status = child.status().map_err(|error| format!("cannot start `loligo check`: {error}"))?;
    if !status.success() {
        return Err(format!("`loligo check` {status}; the advice above is unchecked"));
    }
    let text = fs::read_to_string(&figures)
        .map_err(|error| format!("{}: cannot read: {error}", figures.display()))?;
    let checked: Checked = serde_json::from_str(&text)
        .map_err(|error| format!("{}: not what was written: {error}", figures.display()))?;
    let Some(own) = checked.ran.first() else { return Ok(()) };
    let line = Line::new();
    let promised =
        promise(trace, &strategies, own, manifest.is_none(), &mut |progress| line.show(progress));
    line.end();
    let promised = promised.map_err(|error| error.to_string())?;
    let output =
        Output::prepare_own(&folder.join("promised.json")).map_err(|error| error.to_string())?;
    let document = serde_json::to_vec_pretty(&promised).map_err(|error| error.to_string())?;
    output.write(&document).map_err(|error| error.to_string())?;
    print(&describe(&checked, &promised))
}

/// Returns what is not the heap alone, each tree once.
fn worth_checking(choices: &[StrategyConfig]) -> Vec<StrategyConfig> {
    let heap = heap_alone();
    let mut kept: Vec<StrategyConfig> = Vec::new();
    for one in checkable(choices.to_vec()) {
        if one.tree != heap.tree && kept.iter().all(|other| other.tree != one.tree) {
            kept.push(one);
        }
    }
    kept
}

/// Shows promises next to what was measured.
fn describe(checked: &Checked, promised: &[Promise]) -> String {
    let mut text =
        String::from("\nWhat the replay promised of the whole program, and what it did:\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "  {:<14} {:>12} {:>22}  {:>12} {:>22}",
        "allocator", "cpu promised", "measured", "peak promised", "measured"
    );
    for promise in promised {
        let Some(ran) = checked.ran.iter().find(|ran| ran.name == promise.name) else { continue };
        let measured =
            |figure: Figure| format!("{:.3} ({:.3}..{:.3})", figure.ratio, figure.from, figure.to);
        let _ = writeln!(
            text,
            "  {:<14} {:>12.3} {:>22}  {:>13.3} {:>22}",
            ran.name,
            promise.cpu,
            measured(ran.cpu),
            promise.peak,
            measured(ran.peak)
        );
    }
    text
}
