//! `cargo xtask tidy`: the rules of the house that no lint can hold.
//!
//! Each rule is a function from the files to findings, in a separate module, and bears the short
//! name under which reviews cite it.

mod architecture;
mod arrows;
mod bans;
mod circles;
mod code;
mod dead_files;
mod examples_run;
mod features_add;
mod figures_agree;
mod files;
mod finding;
mod groups;
mod licences;
mod pages_current;
mod said_once;
mod sections_stated;
mod source_named;
mod unsafe_code;
mod voice;

use crate::outcome::{Failure, Outcome};
use crate::tree::Tree;
use crate::workspace::{self, Workspace};

use finding::{Finding, Weight};

const USAGE: &str = "\
Checks the rules of the house that no lint can hold.

Usage: cargo xtask tidy [--voice]

Options:
  --voice  prints how often the words are used that docs/style.md avoids, and lowers the counts that are kept

Each finding is a line `file:line: rule: what to do`. Warnings do not fail the check.

Rules: said-once, virtual-root, folder-is-crate, arrows-down, no-sibling-talk, no-dev-back-edge,
no-circles, few-dependencies, one-structure-per-file, file-size, map-first, source-named,
sections-stated, unsafe-in-the-cellar, features-add, tidy-bans, dead-file, examples-run,
architecture, licences, pages-current, figures-agree, voice. docs/style.md has a line on each.

Example:
  cargo xtask tidy
";

/// Runs the command.
///
/// # Errors
///
/// [`Failure::Found`] if a rule is broken.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [voice] if voice == "--voice" => lower_counts(),
        [help] if help == "--help" || help == "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        [other, ..] => Err(Failure::Unable(format!(
            "tidy takes no argument `{other}`; see `cargo xtask tidy --help`"
        ))),
    }
}

/// Prints how often the counted words are used, and keeps what is lower than before.
fn lower_counts() -> Outcome {
    let root = workspace::root();
    let tree = Tree::read(&root)?;
    for (name, count) in voice::counts(&tree) {
        println!("{name:<12}{count:>6}");
    }
    std::fs::write(root.join(voice::COUNTS), voice::lowered(&tree))
        .map_err(|error| Failure::io(&format!("cannot write {}", voice::COUNTS), &error))
}

/// Checks all rules over the files of the workspace and prints what they find.
pub(crate) fn check() -> Outcome {
    let root = workspace::root();
    let tree = Tree::read(&root)?;
    let workspace = Workspace::read(&tree)?;
    let mut findings = rules(&tree, &workspace);
    let packages = licences::packages(&root)?;
    findings.extend(licences::check(&tree, &packages));
    pages_current::check(&tree, &mut findings);
    circles::check_exempt(&tree, &workspace, &mut findings);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    let broken = findings.iter().filter(|finding| finding.weight == Weight::Broken).count();
    println!(
        "tidy: {} files and {} packages looked at, {broken} broken rules, {} warnings",
        tree.sizes().count(),
        packages.len(),
        findings.len() - broken
    );
    if broken == 0 {
        Ok(())
    } else {
        Err(Failure::Found(format!("tidy found {broken} broken rules")))
    }
}

/// Returns what every rule finds that needs nothing but the files.
fn rules(tree: &Tree, workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    said_once::check(tree, workspace, &mut findings);
    arrows::check(tree, workspace, &mut findings);
    circles::check(tree, workspace, &mut findings);
    features_add::check(tree, workspace, &mut findings);
    files::check(tree, workspace, &mut findings);
    dead_files::check(tree, workspace, &mut findings);
    source_named::check(tree, workspace, &mut findings);
    sections_stated::check(tree, &mut findings);
    unsafe_code::check(tree, workspace, &mut findings);
    bans::check(tree, &mut findings);
    examples_run::check(tree, workspace, &mut findings);
    architecture::check(tree, workspace, &mut findings);
    figures_agree::check(tree, &mut findings);
    voice::check(tree, &mut findings);
    findings
}

#[cfg(test)]
mod tests;
