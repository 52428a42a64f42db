//! Leaves out what does not compile: every error is laid to a mutant, which is dropped, until none
//! is left.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use super::build::{self, Error, Program, Said};
use super::copy::Copy;
use super::site::Found;
use super::sources::CRATES;
use super::splice::Spliced;
use super::world::{Id, World};
use crate::outcome::Failure;

/// How often the compiler is asked before something must be wrong.
const ROUNDS_MAX: usize = 60;

/// Errors whose place is a value that does not live long enough: what is inside of it is to blame.
const OF_LIFETIME: [&str; 4] = ["E0716", "E0597", "E0515", "E0493"];

/// The mutants in the copy, and those found to be no programs.
#[derive(Debug)]
pub(super) struct Spliceable<'a> {
    world: &'a World,
    copy: &'a Copy,
    /// The number of each mutant that is spliced in.
    pub(super) numbers: BTreeMap<Id, u32>,
    spliced: Vec<Spliced>,
    /// What was dropped.
    pub(super) unviable: Vec<Id>,
}

impl<'a> Spliceable<'a> {
    /// Writes the sources with these mutants in them.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if a file cannot be written.
    pub(super) fn new(world: &'a World, copy: &'a Copy, chosen: &[Id]) -> Result<Self, Failure> {
        let numbers = world.numbers(chosen);
        let mut new = Self { world, copy, numbers, spliced: Vec::new(), unviable: Vec::new() };
        for file in 0..world.files.len() {
            new.spliced.push(Spliced::default());
            new.write(file)?;
        }
        Ok(new)
    }

    fn write(&mut self, file: usize) -> Result<(), Failure> {
        let spliced = self.world.splice(file, &self.numbers);
        self.copy.write(&self.world.files[file].path, &spliced.text)?;
        self.spliced[file] = spliced;
        Ok(())
    }

    /// Drops what does not compile, and returns the test programs: all, or the unit tests of the
    /// crates that are mutated.
    ///
    /// # Errors
    ///
    /// [`Failure::Unable`] if there are errors that no mutant is to blame for.
    pub(super) fn build(&mut self, unit: bool) -> Result<Vec<Program>, Failure> {
        let world = self.world;
        let path = |id: &Id| world.files[id.0].path.as_str();
        let mutated: BTreeSet<&str> = self.numbers.keys().map(path).collect();
        let is_mutated = |name: &&str| mutated.iter().any(|path| path.starts_with(*name));
        let names: BTreeSet<&str> = CRATES.into_iter().filter(is_mutated).collect();
        for name in CRATES.into_iter().filter(is_mutated) {
            self.until_done(name, |copy| build::check(&copy.folder, name))?;
        }
        let names = unit.then_some(&names);
        let said = self.until_done("tests", |copy| build::tests(&copy.folder, names))?;
        let mut programs = said.programs;
        // Cargo lists them in any order, and what they reach is kept in this one.
        programs.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(programs)
    }

    fn until_done(
        &mut self,
        what: &str,
        ask: impl Fn(&Copy) -> Result<Said, Failure>,
    ) -> Result<Said, Failure> {
        for _ in 0..ROUNDS_MAX {
            let begin = std::time::Instant::now();
            let said = ask(self.copy)?;
            let seconds = begin.elapsed().as_secs();
            if said.is_done {
                println!("  {what}: compiled, {seconds} s");
                return Ok(said);
            }
            let blamed = self.blamed(&said.errors);
            if blamed.is_empty() {
                let shown: Vec<&str> =
                    said.errors.iter().take(5).map(|error| error.shown.as_str()).collect();
                let shown = shown.join("\n");
                let folder = self.copy.folder.display();
                return Err(Failure::Unable(format!(
                    "the copy with the mutants in {folder} does not compile, and no mutant is to \
                     blame:\n{shown}"
                )));
            }
            println!("  {what}: {} mutants are no programs, {seconds} s", blamed.len());
            let files: BTreeSet<usize> = blamed.iter().map(|(file, _)| *file).collect();
            for id in blamed {
                self.numbers.remove(&id);
                self.unviable.push(id);
            }
            for file in files {
                self.write(file)?;
            }
        }
        Err(Failure::Unable(format!("{what}: no end of mutants that are no programs")))
    }

    /// Returns the mutants that errors are laid to.
    fn blamed(&self, errors: &[Error]) -> BTreeSet<Id> {
        let mut blamed = BTreeSet::new();
        for error in errors {
            for (path, span) in &error.spans {
                let file = self.world.files.iter().position(|file| file.path == *path);
                let Some(file) = file else {
                    continue;
                };
                let found = &self.world.files[file].found;
                let mutants = blame(error, span, &self.spliced[file], found);
                if !mutants.is_empty() {
                    blamed.extend(mutants.into_iter().map(|mutant| (file, mutant)));
                    break;
                }
            }
        }
        blamed.retain(|id| self.numbers.contains_key(id));
        blamed
    }
}

/// Returns the mutants of a file that an error at `span` is laid to.
pub(super) fn blame(
    error: &Error,
    span: &Range<usize>,
    spliced: &Spliced,
    found: &Found,
) -> Vec<usize> {
    let holds = |range: &Range<usize>| range.start <= span.start && span.end <= range.end;
    let smallest = |range: &Range<usize>| range.len();
    if let Some(variable) = unset(error) {
        let deleted = in_function(spliced, span, found, |mutation| {
            mutation.strip_prefix("delete ").is_some_and(|rest| rest.starts_with(variable))
        });
        if !deleted.is_empty() {
            return deleted;
        }
    }
    let alone = spliced.alone.iter().filter(|(range, _)| holds(range));
    if let Some((_, mutant)) = alone.min_by_key(|(range, _)| smallest(range)) {
        return vec![*mutant];
    }
    let inside = || {
        let inner = |range: &Range<usize>| span.start <= range.start && range.end <= span.end;
        let places = spliced.places.iter().filter(move |(range, _)| inner(range));
        places.flat_map(|(_, mutants)| mutants.clone()).collect::<Vec<_>>()
    };
    if OF_LIFETIME.contains(&error.code.as_str()) && !inside().is_empty() {
        return inside();
    }
    let around = spliced.places.iter().filter(|(range, _)| holds(range));
    if let Some((_, mutants)) = around.min_by_key(|(range, _)| smallest(range)) {
        return mutants.clone();
    }
    if !inside().is_empty() {
        return inside();
    }
    let deleted = in_function(spliced, span, found, |mutation| mutation.starts_with("delete "));
    if deleted.is_empty() { in_function(spliced, span, found, |_| true) } else { deleted }
}

/// Returns the variable that an error says has no value.
fn unset(error: &Error) -> Option<&str> {
    if error.code != "E0381" {
        return None;
    }
    error.message.split('`').nth(1)
}

/// Returns the mutants that are spliced into the function around `span` and are called as asked.
fn in_function(
    spliced: &Spliced,
    span: &Range<usize>,
    found: &Found,
    is_asked: impl Fn(&str) -> bool,
) -> Vec<usize> {
    let around = |range: &&Range<usize>| range.start <= span.start && span.start < range.end;
    let functions = spliced.functions.iter().enumerate();
    let function = functions.filter(|(_, range)| around(range)).min_by_key(|(_, it)| it.len());
    let Some((function, _)) = function else {
        return Vec::new();
    };
    let alive = spliced.places.iter().flat_map(|(_, mutants)| mutants.iter().copied());
    let here = |mutant: &usize| {
        let mutant = &found.mutants[*mutant];
        mutant.owner == function && is_asked(&mutant.mutation)
    };
    alive.filter(here).collect()
}
