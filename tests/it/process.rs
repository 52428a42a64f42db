//! Programs of these tests, run to their end.

use std::process::{Command, Output};

use loligo_tests::Ended;

/// Runs a program that ends by itself.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Ended {
    let output = Command::new(program).args(arguments).env_remove("RUST_BACKTRACE").output();
    let Output { status, stdout, stderr } = output.expect("a process can be started");
    Ended {
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        status: Some(status),
    }
}
