//! What the tests of some programs reach, kept until one of them is built again.

use core::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::build::Program;
use super::copy::home;
use super::measured::{Measured, Test};
use crate::outcome::Failure;

/// The place of what was measured, and the programs that it is true of.
pub(super) struct Kept {
    path: PathBuf,
    programs: String,
}

impl Kept {
    pub(super) fn of(programs: &[Program]) -> Self {
        let mut text = String::new();
        for program in programs {
            let data = fs::metadata(&program.path);
            let changed = data.and_then(|data| Ok((data.len(), data.modified()?)));
            let _ = writeln!(text, "program\t{}\t{changed:?}", program.path.display());
        }
        Self { path: home().join("reached.tsv"), programs: text }
    }

    /// Returns what was measured with these very programs.
    pub(super) fn load(&self) -> Option<Vec<Measured>> {
        let text = fs::read_to_string(&self.path).ok()?;
        text.strip_prefix(&self.programs)?.lines().map(read).collect()
    }

    /// Keeps what was measured.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if it cannot be written.
    pub(super) fn save(&self, measured: &[Measured]) -> Result<(), Failure> {
        let mut text = self.programs.clone();
        measured.iter().for_each(|measured| line(measured, &mut text));
        fs::write(&self.path, text)
            .map_err(|error| Failure::io("cannot write what the tests reach", &error))
    }
}

/// Writes a line: the program's place, the test's name, its seconds, and what it reaches.
pub(super) fn line(measured: &Measured, text: &mut String) {
    let Test { program, name, seconds } = &measured.test;
    let _ = write!(text, "{program}\t{name}\t{seconds}\t");
    match &measured.reached {
        None => text.push('-'),
        Some(reached) => {
            let numbers: Vec<String> = reached.iter().map(u32::to_string).collect();
            text.push_str(&numbers.join(" "));
        }
    }
    text.push('\n');
}

/// Reads such a line.
pub(super) fn read(line: &str) -> Option<Measured> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [program, name, seconds, reached] = parts.as_slice() else {
        return None;
    };
    let test = Test {
        program: program.parse().ok()?,
        name: (*name).to_owned(),
        seconds: seconds.parse().ok()?,
    };
    let reached = if *reached == "-" {
        None
    } else {
        let numbers = reached.split_whitespace().map(|number| number.parse::<u32>().ok());
        Some(numbers.collect::<Option<Vec<_>>>()?)
    };
    Some(Measured { test, reached })
}
