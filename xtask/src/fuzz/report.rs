//! The table of all targets.

use crate::outcome::{Failure, Outcome};

use super::run::Run;

/// The runs, printed as they end.
#[derive(Debug, Default)]
pub(super) struct Report {
    runs: Vec<Run>,
}

impl Report {
    /// Prints a run and keeps it.
    pub(super) fn add(&mut self, run: Run) {
        if self.runs.is_empty() {
            println!(
                "{:<16}{:>12}{:>10}{:>10}{:>9}  finding",
                "target", "executions", "coverage", "after", "inputs"
            );
        }
        println!("{}", line(&run));
        if let Some(finding) = &run.finding
            && let Some(input) = &finding.input
        {
            let target = &run.target;
            println!(
                "  again: target/xtask/fuzz/x86_64-unknown-linux-gnu/release/{target} {}",
                input.display()
            );
            println!("  a test of a program: cargo xtask shrink {target} {}", input.display());
        }
        self.runs.push(run);
    }

    /// Reports how many findings there are.
    ///
    /// # Errors
    ///
    /// [`Failure::Found`] if there is one.
    pub(super) fn finish(&self) -> Outcome {
        let executions: u64 = self.runs.iter().map(|run| run.executions).sum();
        let failed: Vec<&str> = self
            .runs
            .iter()
            .filter(|run| run.finding.is_some())
            .map(|run| run.target.as_str())
            .collect();
        println!("{} targets, {executions} executions, {} findings", self.runs.len(), failed.len());
        if failed.is_empty() {
            return Ok(());
        }
        Err(Failure::Found(format!("fuzz: {} failed", failed.join(", "))))
    }
}

/// Returns a run as a line of the table.
pub(super) fn line(run: &Run) -> String {
    let finding = run.finding.as_ref().map_or("none", |finding| finding.what.as_str());
    format!(
        "{:<16}{:>12}{:>10}{:>10}{:>9}  {finding}",
        run.target, run.executions, run.coverage_before, run.coverage_after, run.inputs
    )
}
