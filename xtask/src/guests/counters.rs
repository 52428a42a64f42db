//! What test programs print, and the counters that they append when they end.

use core::fmt;

use crate::verify::read::passed;

/// The counters of a program that ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counters {
    /// The name of its file, which has a hash that no other has.
    pub(super) program: String,
    pub(super) allocations: u64,
}

/// Reads the lines that programs append: a path, allocations and bytes, separated by tabs. A line
/// of another form is left out.
pub(super) fn read(text: &str) -> Vec<Counters> {
    let read = |line: &str| {
        let mut fields = line.rsplitn(3, '\t');
        let (_bytes, allocations, path) = (fields.next()?, fields.next()?, fields.next()?);
        let program = file_name(path).to_owned();
        Some(Counters { program, allocations: allocations.parse().ok()? })
    };
    text.lines().filter_map(read).collect()
}

/// What a suite amounts to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) tests: u64,
    /// Programs of tests.
    pub(super) programs: u64,
    /// Examples of the documentation that ran, each a program. Those that are only compiled do not
    /// count.
    pub(super) examples: u64,
    /// Allocations that the heap served, in all programs.
    pub(super) allocations: u64,
}

impl Figures {
    /// Reads what `cargo test` wrote to standard output, where the results are, and to standard
    /// error, where it names the programs; and compares the programs with the counters.
    ///
    /// # Errors
    ///
    /// If no test ran, if results are missing or if a program did not run over the heap.
    pub(super) fn of(said: &str, errors: &str, counters: &[Counters]) -> Result<Self, String> {
        let results: Vec<u64> = said.lines().filter_map(passed).collect();
        let headings: Vec<Heading<'_>> = errors.lines().filter_map(Heading::read).collect();
        if results.len() != headings.len() {
            let (results, headings) = (results.len(), headings.len());
            return Err(format!("{headings} programs were started, and {results} passed"));
        }
        let allocations = counters.iter().map(|of| of.allocations).sum();
        let mut figures = Self { tests: 0, programs: 0, examples: 0, allocations };
        for (heading, result) in headings.iter().zip(results) {
            match heading {
                Heading::Program(name) => {
                    let of = counters.iter().find(|of| of.program == *name);
                    if of.is_none_or(|of| of.allocations == 0) {
                        return Err(format!("`{name}` did not run over the heap"));
                    }
                    figures.programs += 1;
                    figures.tests += result;
                }
                Heading::Examples => figures.examples += result,
            }
        }
        let compiled = said.lines().filter(|line| is_compiled_only(line)).count();
        figures.examples = figures.examples.saturating_sub(compiled as u64);
        let is_test = |of: &&Counters| headings.contains(&Heading::Program(&of.program));
        let others = counters.iter().filter(|of| !is_test(of)).count() as u64;
        if others < figures.examples {
            let examples = figures.examples;
            return Err(format!("{examples} examples passed, and {others} ran over the heap"));
        }
        if figures.tests == 0 {
            return Err("no test ran".into());
        }
        Ok(figures)
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tests, programs, examples, allocations } = self;
        write!(f, "{tests} tests in {programs} programs, {examples} examples; ")?;
        write!(f, "{allocations} allocations")
    }
}

/// What Cargo says before it starts a program of tests, or the examples.
#[derive(Debug, PartialEq, Eq)]
enum Heading<'s> {
    /// A program, by the name of its file.
    Program(&'s str),
    Examples,
}

impl<'s> Heading<'s> {
    fn read(line: &'s str) -> Option<Self> {
        let line = line.trim();
        if line.starts_with("Doc-tests ") {
            return Some(Self::Examples);
        }
        let (_, path) = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once('(')?;
        Some(Self::Program(file_name(path)))
    }
}

/// Returns `true` for the result of an example that is compiled and not run.
fn is_compiled_only(line: &str) -> bool {
    [" - compile ... ok", " - compile fail ... ok"].iter().any(|end| line.ends_with(end))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
