//! Names for return addresses.

use std::collections::HashMap;
use std::io::{self, Write};

use super::libraries::{Library, Place};
use crate::trace::TraceWriter;

/// The call sites of a recording, named when they are first met.
pub(super) struct Sites {
    ranges: Vec<Range>,
    /// By path; `None` for what is not a file or cannot be read.
    libraries: HashMap<String, Option<Library>>,
    known: HashMap<(u64, u64), u32>,
    by_name: HashMap<String, u32>,
}

/// A part of a file with code, and where it was in the process.
struct Range {
    start: u64,
    end: u64,
    offset: u64,
    path: String,
}

impl Sites {
    /// Takes the maps that the recorder has copied, the older ones first. Of places that were of
    /// several libraries in turn the last counts.
    pub(super) fn new(maps: &str) -> Self {
        let ranges = maps.lines().rev().filter_map(range).collect();
        Self { ranges, libraries: HashMap::new(), known: HashMap::new(), by_name: HashMap::new() }
    }

    /// Returns the number of the site that a call came from, naming it first where it is new.
    /// `above` is where the call before it may have come from, if the first is but C++'s `new`.
    pub(super) fn of<W: Write>(
        &mut self,
        site: u64,
        above: u64,
        writer: &mut TraceWriter<W>,
    ) -> io::Result<u32> {
        // Most sites need no more than themselves, and then all that is above is the same to them.
        if let Some(&number) = self.known.get(&(site, 0)) {
            return Ok(number);
        }
        if let Some(&number) = self.known.get(&(site, above)) {
            return Ok(number);
        }
        let (name, by) = self.name(site, above);
        let number = match self.by_name.get(&name) {
            Some(&number) => number,
            None => {
                let number = writer.site(&name)?;
                self.by_name.insert(name, number);
                number
            }
        };
        self.known.insert((site, by), number);
        Ok(number)
    }

    /// Returns how many sites have names.
    pub(super) fn count(&self) -> usize {
        self.by_name.len()
    }

    /// Returns a name, and the word above it that the name depends on: 0 for none.
    fn name(&mut self, site: u64, above: u64) -> (String, u64) {
        match self.place(site) {
            Some(place) if place.is_wrapper => match self.place(above) {
                Some(caller) if caller.is_after_call => (caller.name, above),
                _ => (place.name, above),
            },
            Some(place) => (place.name, 0),
            None => (format!("{site:#x}"), 0),
        }
    }

    fn place(&mut self, address: u64) -> Option<Place> {
        let range = self.ranges.iter().find(|range| (range.start..range.end).contains(&address))?;
        let path = &range.path;
        let offset = address - range.start + range.offset;
        if !self.libraries.contains_key(path) {
            self.libraries.insert(path.clone(), Library::open(path));
        }
        match self.libraries.get(path).and_then(Option::as_ref) {
            Some(library) => Some(library.place(offset)),
            None => Some(Place {
                name: format!("{path}+{offset:#x}"),
                is_wrapper: false,
                is_after_call: false,
            }),
        }
    }
}

/// Reads a line like `start-end r-xp offset device inode path`; `None` for other lines.
fn range(line: &str) -> Option<Range> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let offset = words.nth(1)?;
    let hex = |word| u64::from_str_radix(word, 16).ok();
    // A path may have blanks in it.
    let path = line.find('/').map(|at| &line[at..]).or_else(|| words.nth(2));
    let path = path.unwrap_or("code made at run time").to_owned();
    Some(Range { start: hex(start)?, end: hex(end)?, offset: hex(offset)?, path })
}

#[cfg(test)]
mod tests;
