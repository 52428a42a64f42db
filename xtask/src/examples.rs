//! The examples of tier 0, which all run, in the profile that the tests were built in.

use crate::command;
use crate::outcome::Outcome;
use crate::tree::Tree;
use crate::workspace::{self, Workspace};

/// Runs every example of tier 0.
///
/// # Errors
///
/// [`Failure::Found`](crate::outcome::Failure::Found) if one fails.
pub(crate) fn check(tree: &Tree, workspace: &Workspace) -> Outcome {
    for member in workspace.tier_zero() {
        let folder = format!("{}/examples/", member.folder);
        for (path, _) in tree.sources() {
            let inner = path.strip_prefix(&folder).map(|file| file.trim_end_matches(".rs"));
            let Some(name) = inner.map(|name| name.trim_end_matches("/main")) else {
                continue;
            };
            if !name.contains('/') {
                let package = member.name.as_str();
                let features = member.features_of_example(name).join(",");
                let example = ["-p", package, "--example", name, "--features", &features];
                let arguments = [&["run", "--quiet", "--profile", "test"][..], &example].concat();
                command::run(command::cargo(&workspace::root()).args(arguments))?;
            }
        }
    }
    Ok(())
}
