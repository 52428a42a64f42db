//! Faults planted in the memory of our allocators, and a tool that must report each of them.
//!
//! The example `planted_faults` commits them one at a time, after printing the address. A tool that
//! misses one is blind, so its silence about everything else would prove nothing.

use std::path::Path;
use std::process::Command;

use crate::outcome::{Failure, Outcome};

/// The example and its package.
pub(crate) const EXAMPLE: &str = "planted_faults";
pub(crate) const PACKAGE: &str = "loligo-allocators";

/// A list with fewer faults than this is not complete.
const FAULTS_MIN: usize = 10;

/// A tool that watches a program.
pub(crate) struct Tool<'a> {
    /// Its name.
    pub(crate) name: &'static str,
    /// Returns the command that runs the example, built for the tool, under its eyes.
    pub(crate) watched: &'a dyn Fn() -> Command,
    /// What it says of a forbidden access; one of these.
    pub(crate) access: &'static [&'static str],
    /// What it says of a block of the system's that was lost.
    pub(crate) leak: &'static str,
}

/// Runs the example rightly and with every fault. `example` is where it was built.
///
/// # Errors
///
/// [`Failure::Found`] if a fault goes unnoticed, or if the tool reports a fault that is not there.
pub(crate) fn check(example: &Path, tool: &Tool<'_>) -> Outcome {
    let right = Run::of((tool.watched)())?;
    if !right.succeeded || tool.reports(&right.said) {
        let what = format!("{} reports a program without a fault:\n{}", tool.name, right.said);
        return Err(Failure::Found(what));
    }
    let list = Run::of({
        let mut plain = Command::new(example);
        plain.arg("list");
        plain
    })?;
    let faults: Vec<_> = list.said.lines().filter(|line| !line.is_empty()).collect();
    if faults.len() < FAULTS_MIN {
        return Err(Failure::Found(format!("`{EXAMPLE} list` lists too few:\n{}", list.said)));
    }
    for fault in &faults {
        let run = run(tool, fault)?;
        judge(tool.access, &run).map_err(|what| unnoticed(tool, fault, &what, &run))?;
    }
    let run = run(tool, "leak")?;
    if run.succeeded || !run.said.contains(tool.leak) {
        return Err(unnoticed(tool, "leak", "no lost block is reported", &run));
    }
    println!("{}: {} planted faults and a leak reported", tool.name, faults.len());
    Ok(())
}

fn run(tool: &Tool<'_>, fault: &str) -> Result<Run, Failure> {
    let mut command = (tool.watched)();
    command.arg(fault);
    Run::of(command)
}

fn unnoticed(tool: &Tool<'_>, fault: &str, what: &str, run: &Run) -> Failure {
    let name = tool.name;
    Failure::Found(format!("{name} does not see the planted fault `{fault}`: {what}\n{}", run.said))
}

/// Reports what is missing for the run to count as caught: an end that is a failure, and a report
/// of a forbidden access at the very address that the program printed.
fn judge(access: &[&str], run: &Run) -> Result<(), String> {
    if run.succeeded {
        return Err("the program ended well".into());
    }
    if !access.iter().any(|kind| run.said.contains(kind)) {
        return Err(format!("no report says {}", access.join(" or ")));
    }
    let told = run.said.lines().find_map(|line| line.strip_prefix("touches "));
    let Some(told) = told.and_then(address) else {
        return Err("the program printed no address".into());
    };
    let named = run.said.lines().filter(|line| !line.starts_with("touches "));
    let mut words = named.flat_map(str::split_whitespace).filter_map(address);
    if words.any(|word| word == told) {
        Ok(())
    } else {
        Err("the report names no such address".into())
    }
}

/// Reads a number as both the programs and the tools write addresses.
fn address(word: &str) -> Option<u64> {
    u64::from_str_radix(word.trim().strip_prefix("0x")?, 16).ok()
}

impl Tool<'_> {
    fn reports(&self, said: &str) -> bool {
        said.contains(self.leak) || self.access.iter().any(|kind| said.contains(kind))
    }
}

/// How a program ended and all that it and its tool said.
#[derive(Debug)]
struct Run {
    succeeded: bool,
    said: String,
}

impl Run {
    fn of(mut command: Command) -> Result<Self, Failure> {
        let output =
            command.output().map_err(|error| Failure::io("cannot run the example", &error))?;
        let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok(Self { succeeded: output.status.success(), said })
    }
}

/// Unit tests that neither tool can watch, since what they do on purpose is what the tools look
/// for. The parts they test are watched by the tests of what is on them, and by the planted faults.
pub(crate) const UNWATCHED: [(&str, &str); 8] = [
    ("canary::tests", "they write over guards and headers"),
    ("fill::tests", "they read freed blocks"),
    ("guard_page::tests", "they touch guards, and ask the kernel which pages are there"),
    ("quarantine::tests", "they write to freed blocks"),
    ("verify::tests", "they damage the backing"),
    ("sites::tests", "they leak call sites, which live as long as the program"),
    ("trace::tests", "they leave a sink in the middle of a panic, and free behind its back"),
    ("temp::tests", "they move a used one, and with it bytes that are marked"),
];

/// Leaves those tests out of a run, and says so.
pub(crate) fn leave_out(test: &mut Command, skipped: &[(&str, &str)]) {
    for (filter, reason) in skipped {
        println!("left out: {filter}: {reason}");
        test.args(["--skip", filter]);
    }
}

#[cfg(test)]
mod tests;
