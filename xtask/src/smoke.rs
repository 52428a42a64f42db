//! A smoke run of the command that a newcomer types first, on the smallest bundled trace.

use std::fs;
use std::path::Path;

use crate::command;
use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace;

/// Replays the smallest recorded trace of the repository in one round and looks at what is written.
pub(crate) fn check(tree: &Tree) -> Outcome {
    let traces = tree.sizes().filter(|(path, _)| path.ends_with(".altrace.zst"));
    let Some((trace, _)) = traces.min_by_key(|(_, bytes)| *bytes) else {
        return Err(Failure::Found(
            "no recorded trace (*.altrace.zst) is in the repository".into(),
        ));
    };
    let folder = workspace::target().join("xtask/smoke");
    // What an earlier run left must not pass for what this one wrote.
    let _ = fs::remove_dir_all(&folder);
    let (json, report) = (folder.join("replay.json"), folder.join("report"));
    fs::create_dir_all(&folder).map_err(|error| Failure::io("cannot make a folder", &error))?;
    let mut cargo = command::cargo(&workspace::root());
    // As the tests were built, by which most of it is there.
    cargo.args(["run", "--profile", "test", "--", "replay", trace, "--rounds", "1"]);
    cargo.arg("--json").arg(&json).arg("--report").arg(&report);
    command::build(&mut cargo, "and running the command")?;
    let name = trace.rsplit('/').next().unwrap_or_default().trim_end_matches(".altrace.zst");
    holds(&json, &["\"traces\"", &format!("\"{name}\""), "\"heap\"", "\"system\""])?;
    let pages = fs::read_dir(&report)
        .map_err(|error| Failure::Found(format!("replay wrote no report: {error}")))?;
    let mut pages = pages.filter_map(|entry| Some(entry.ok()?.path()));
    let Some(page) = pages.find(|path| path.extension().is_some_and(|end| end == "html")) else {
        return Err(Failure::Found("the report has no HTML page".into()));
    };
    holds(&page, &["<html", "</html>", name])
}

/// Asserts that a file is there and has each of `words`.
fn holds(path: &Path, words: &[&str]) -> Outcome {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Found(format!("replay wrote no {}: {error}", path.display())))?;
    match words.iter().find(|word| !text.contains(**word)) {
        None => Ok(()),
        Some(word) => {
            Err(Failure::Found(format!("{} should hold `{word}` and does not", path.display())))
        }
    }
}

#[cfg(test)]
mod tests;
