//! Programs that the workspace's tests are built with, for checks that need them again.

use std::process::Command;

use crate::command;
use crate::outcome::Failure;
use crate::workspace;

/// Returns a program of `loligo-tests`, built as `cargo test --workspace` builds it: where that ran
/// before, nothing is compiled.
///
/// # Errors
///
/// [`Failure::Found`] if it does not compile.
pub(crate) fn program(name: &str) -> Result<Command, Failure> {
    let mut build = command::cargo(&workspace::root());
    command::build(build.args(["test", "--workspace", "--no-run"]), "the tests of the workspace")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(Command::new(workspace::target().join("debug").join(name)))
}
