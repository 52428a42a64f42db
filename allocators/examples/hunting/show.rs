//! Runs a case in a separate process, and shows its output.

use core::fmt;
use std::env;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use crate::cases::{Case, End};

/// The beginning of the line without the wrapper.
pub(crate) const ALONE: &str = "without it: ";
/// Printed before the output with the wrapper.
pub(crate) const HUNTED: &str = "with it:";

/// The result of a case.
pub(crate) struct Seen {
    case: &'static Case,
    alone: String,
    reported: Vec<String>,
    end: Option<End>,
}

/// Runs a case by starting this program with its name.
pub(crate) fn in_a_process(case: &'static Case) -> io::Result<Seen> {
    let mut command = Command::new(env::current_exe()?);
    // The stack of a panic is no part of a report; the guard's is shown in any case.
    let output = command.arg(case.name).env("RUST_BACKTRACE", "0").output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let (alone, hunted) = stdout.split_once(HUNTED).unwrap_or((&stdout, ""));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let hunted = hunted.lines().filter(|line| !line.trim().is_empty());
    Ok(Seen {
        case,
        alone: short(alone.trim().trim_start_matches(ALONE)),
        reported: hunted.map(short).chain(told(&stderr)).collect(),
        end: end_of(output.status),
    })
}

fn end_of(status: ExitStatus) -> Option<End> {
    match (status.code(), status.signal()) {
        (Some(0), _) => Some(End::Lives),
        (Some(101), _) => Some(End::Panics),
        (_, Some(number::ABORT)) => Some(End::Aborts),
        (_, Some(number::FAULT | number::BUS)) => Some(End::Faults),
        _ => None,
    }
}

/// The numbers of signals, as Linux has them on x86 and ARM.
mod number {
    pub(super) const ABORT: i32 = 6;
    pub(super) const BUS: i32 = 7;
    pub(super) const FAULT: i32 = 11;
}

/// Returns the reports on standard error; of a stack, the frames in this program's cases.
fn told(stderr: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut function = None;
    for line in stderr.lines() {
        let text = line.trim();
        let framed = text.split_once(": ").filter(|(number, _)| number.parse::<u32>().is_ok());
        if let Some((_, name)) = framed {
            function = Some(name);
        } else if let (Some(place), Some(name)) = (text.strip_prefix("at "), function) {
            // The names of functions come with their modules or without.
            let name = name.rsplit("::").next().unwrap_or(name);
            if let Some(at) = place.find("hunting/hidden.rs") {
                lines.push(format!("  {name} at {}", &place[at..]));
            }
        } else if !text.is_empty() && !text.starts_with("thread '") && !text.starts_with("note:") {
            lines.push(short(line));
        }
    }
    lines
}

/// Replaces addresses, which differ between runs, by `0x..`.
fn short(text: &str) -> String {
    let mut parts = text.split("0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
        let (digits, rest) = part.split_at(end);
        let shown = if digits.len() > 8 { ".." } else { digits };
        out.extend(["0x", shown, rest]);
    }
    out
}

impl Seen {
    /// Returns `true` if the wrapper found the bug and printed the expected report.
    pub(crate) fn is_caught(&self) -> bool {
        let all = self.reported.join("\n");
        self.end == Some(self.case.end) && self.case.expected.iter().all(|part| all.contains(part))
    }

    /// Returns the printed lines, without the wrapper first.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        [self.alone.as_str()].into_iter().chain(self.reported.iter().map(String::as_str))
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, alone, reported, end } = self;
        writeln!(f, "{}", case.name)?;
        writeln!(f, "  symptom     {}", case.symptom)?;
        writeln!(f, "  without it  {alone}")?;
        writeln!(f, "  wrapper     {}", case.wrapper)?;
        let mut label = "reported";
        for line in reported {
            writeln!(f, "  {label:<11} {line}")?;
            label = "";
        }
        let end = match end {
            Some(End::Lives) => "the program goes on",
            Some(End::Panics) => "a panic",
            Some(End::Aborts) => "the program is aborted",
            Some(End::Faults) => "the program faults at the instruction",
            None => "in a way that was not planned",
        };
        writeln!(f, "  it ends     {end}{}", if self.is_caught() { "" } else { ": NOT CAUGHT" })
    }
}
