//! A peer's tests, run.

use std::path::PathBuf;
use std::process::{Command, Output};

use super::list::List;
use super::project::{Alone, EXAMPLES, Project, name};
use super::results::Results;
use crate::command;
use crate::outcome::{Failure, Outcome};

/// The variable that plants a fault in the adapters.
const FAULT: &str = "LOLIGO_FOREIGN_FAULT";

/// The tests of a peer, and what is known of them.
pub(super) struct Suite {
    pub(super) project: Project,
    pub(super) list: List,
    /// Where all suites are built.
    pub(super) target: PathBuf,
}

impl Suite {
    /// Runs every test.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if a program cannot be compiled or does not come to its end.
    pub(super) fn run(&self) -> Result<Results, Failure> {
        let mut results = Results::default();
        for program in &self.project.programs {
            self.add(&mut self.program(program), program, &mut results)?;
        }
        if self.project.has_examples {
            self.add(&mut self.examples(EXAMPLES), EXAMPLES, &mut results)?;
        }
        self.compile_alone(&mut results)?;
        Ok(results)
    }

    /// Runs the tests over an adapter with a fault, which one that passed must notice.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if none does.
    pub(super) fn plant(&self, sound: &Results) -> Outcome {
        let mut results = Results::default();
        for program in &self.project.programs {
            // A program that does not come to its end has noticed it, too.
            if self.add(self.program(program).env(FAULT, "1"), program, &mut results).is_err() {
                return Ok(());
            }
        }
        if self.project.has_examples && results.failed.is_disjoint(&sound.passed) {
            self.add(self.examples(EXAMPLES).env(FAULT, "1"), EXAMPLES, &mut results)?;
        }
        if results.failed.is_disjoint(&sound.passed) {
            let folder = self.project.folder.display();
            return Err(Failure::Found(format!("no test of {folder} notices the planted fault")));
        }
        Ok(())
    }

    /// Compiles what the list says cannot be.
    fn compile_alone(&self, results: &mut Results) -> Outcome {
        for (test, alone) in &self.project.alone {
            let Alone::Program(target) = alone else { continue };
            let output = output(self.cargo().args(["check", "--test", target]))?;
            let errors = String::from_utf8_lossy(&output.stderr);
            let is_unbuilt = errors.contains("error: could not compile");
            if !output.status.success() && !is_unbuilt {
                return Err(Failure::Found(format!("`{test}` is not judged:\n{errors}")));
            }
            let to = if is_unbuilt { &mut results.unbuilt } else { &mut results.built };
            to.insert(test.clone());
        }
        if self.project.alone.iter().any(|(_, alone)| *alone == Alone::Example) {
            let mut of_examples = Results::default();
            self.add(&mut self.examples("alone"), EXAMPLES, &mut of_examples)?;
            results.unbuilt.extend(of_examples.failed);
            results.built.extend(of_examples.passed);
        }
        Ok(())
    }

    /// Runs a program, and adds what became of its tests.
    fn add(&self, cargo: &mut Command, program: &str, results: &mut Results) -> Outcome {
        let output = output(cargo)?;
        let said = String::from_utf8_lossy(&output.stdout);
        results.add(&said, &|test| test_name(program, test)).map_err(|what| {
            let errors = String::from_utf8_lossy(&output.stderr);
            let shown = command::shown(cargo);
            Failure::Found(format!("{what}: `{shown}`\n{said}\n{errors}"))
        })
    }

    fn program(&self, program: &str) -> Command {
        let mut cargo = self.cargo();
        cargo.args(["test", "--test", program]);
        cargo
    }

    fn examples(&self, package: &str) -> Command {
        let mut cargo = self.cargo();
        cargo.args(["test", "--doc", "-p", package]);
        cargo
    }

    fn cargo(&self) -> Command {
        let mut cargo = command::cargo(&self.project.folder);
        cargo.env("CARGO_TARGET_DIR", &self.target).env("CARGO_TERM_COLOR", "never");
        cargo.env("CARGO_NET_OFFLINE", "true");
        // No one debugs these programs, and without this information they are built sooner.
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
        // Their warnings are their authors'.
        cargo.env("RUSTFLAGS", "--cap-lints=allow").env("RUSTDOCFLAGS", "--cap-lints=allow");
        cargo.env("RUST_BACKTRACE", "0").env_remove(FAULT);
        cargo
    }
}

/// Returns the name of a test in the lists: rustdoc gives the file and the line of an example, too.
fn test_name(program: &str, test: &str) -> String {
    let test = test.strip_prefix("docs/src/lib.rs - ").unwrap_or(test);
    let test = test.strip_prefix("alone/src/lib.rs - ").unwrap_or(test);
    let test = test.strip_prefix("src/lib.rs - ").unwrap_or(test);
    let test = test.split(" (line ").next().unwrap_or(test);
    name(program, test)
}

fn output(cargo: &mut Command) -> Result<Output, Failure> {
    cargo.output().map_err(|error| Failure::io("cannot run cargo", &error))
}
