//! All mutants of tier 0, and the numbers of those that are spliced in.

use std::collections::BTreeMap;

use super::copy::{CANARY_PATH, canary};
use super::find::find;
use super::site::{Found, Mutant};
use super::sources;
use super::splice::{Spliced, splice};
use crate::outcome::Failure;
use crate::tree::Tree;

/// A file and what was found in it.
#[derive(Debug)]
pub(super) struct Mutated {
    /// Its path from the root.
    pub(super) path: String,
    /// Its text.
    pub(super) text: String,
    /// Its mutants.
    pub(super) found: Found,
}

/// The files of tier 0.
#[derive(Debug)]
pub(super) struct World {
    /// In the order of the crates; the planted functions are the last.
    pub(super) files: Vec<Mutated>,
}

/// A mutant by its file and its place there.
pub(super) type Id = (usize, usize);

impl World {
    /// Reads all sources.
    ///
    /// # Errors
    ///
    /// As [`sources::read`].
    pub(super) fn read(tree: &Tree) -> Result<Self, Failure> {
        let mut files = Vec::new();
        for source in sources::read(tree)? {
            let found = find(&source.path, &source.text, &source.file);
            files.push(Mutated { path: source.path, text: source.text, found });
        }
        let text = canary().to_owned();
        let file = syn::parse_file(&text)
            .map_err(|error| Failure::Unable(format!("the canary is not Rust: {error}")))?;
        let found = find(CANARY_PATH, &text, &file);
        files.push(Mutated { path: CANARY_PATH.to_owned(), text, found });
        Ok(Self { files })
    }

    /// Returns `true` if a file holds no function, as that which declares a group of modules.
    pub(super) fn is_map(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path && file.found.functions.is_empty())
    }

    /// Returns a mutant.
    pub(super) fn mutant(&self, (file, index): Id) -> &Mutant {
        &self.files[file].found.mutants[index]
    }

    /// Returns all mutants but the planted ones and those of marks, which no test can detect.
    pub(super) fn ids(&self) -> impl Iterator<Item = Id> {
        self.all().filter(|id| !self.mutant(*id).is_mark)
    }

    /// Returns how many mutants change only the marks for memory checkers.
    pub(super) fn marks(&self) -> usize {
        self.all().filter(|id| self.mutant(*id).is_mark).count()
    }

    /// Returns the planted mutants.
    pub(super) fn planted(&self) -> impl Iterator<Item = Id> {
        self.in_file(self.files.len() - 1)
    }

    /// Returns a number for each of some mutants, from 1: its place among all, so that it does not
    /// depend on which they are, and a program that was built with them need not be built again.
    pub(super) fn numbers(&self, chosen: &[Id]) -> BTreeMap<Id, u32> {
        let mut before = Vec::new();
        let mut count = 1;
        for file in &self.files {
            before.push(count);
            count += file.found.mutants.len();
        }
        let number = |id: &Id| u32::try_from(before[id.0] + id.1).unwrap_or(u32::MAX - 1);
        chosen.iter().map(|id| (*id, number(id))).collect()
    }

    /// Returns the mutants of [`ids`](Self::ids).
    pub(super) fn mutants(&self) -> impl Iterator<Item = &Mutant> {
        self.ids().map(|id| self.mutant(id))
    }

    fn all(&self) -> impl Iterator<Item = Id> {
        let count = self.files.len() - 1;
        (0..count).flat_map(|file| self.in_file(file))
    }

    fn in_file(&self, file: usize) -> impl Iterator<Item = Id> + use<> {
        (0..self.files[file].found.mutants.len()).map(move |index| (file, index))
    }

    /// Splices into a file those of its mutants that are among `numbers`.
    pub(super) fn splice(&self, file: usize, numbers: &BTreeMap<Id, u32>) -> Spliced {
        let mutated = &self.files[file];
        let inside = numbers.range((file, 0)..(file + 1, 0));
        let numbers = inside.map(|((_, index), number)| (*index, *number)).collect();
        splice(&mutated.text, &mutated.found, &numbers)
    }
}
