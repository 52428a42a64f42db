//! Names for return addresses.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use super::libraries::{Library, Place};
use crate::trace::TraceWriter;

/// The call sites of a recording, named when they are first met.
pub(super) struct Sites {
    ranges: Vec<Range>,
    /// By path; `None` for what is not a file or cannot be read.
    libraries: HashMap<String, Option<Library>>,
    known: HashMap<(u64, u64), u32>,
    /// Frames of stacks; `None` for what is no return address.
    frames: HashMap<u64, Option<u32>>,
    by_name: HashMap<String, u32>,
    /// The sites of events, without those that only frames have.
    of_events: HashSet<u32>,
    /// The name of the program's file, and the sites in it.
    program: Option<String>,
    of_program: HashSet<u32>,
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
    /// `program` is the path of the program's own file.
    pub(super) fn new(maps: &str, program: Option<&str>) -> Self {
        let ranges = maps.lines().rev().filter_map(range).collect();
        Self {
            ranges,
            libraries: HashMap::new(),
            known: HashMap::new(),
            frames: HashMap::new(),
            by_name: HashMap::new(),
            of_events: HashSet::new(),
            program: program.and_then(|path| path.rsplit('/').next()).map(str::to_owned),
            of_program: HashSet::new(),
        }
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
        let number = self.number(name, writer)?;
        self.known.insert((site, by), number);
        self.of_events.insert(number);
        Ok(number)
    }

    /// Returns `true` if the site of a call that [`of`](Self::of) has named is that above it: the
    /// call itself came from C++'s `new`.
    pub(super) fn is_above(&self, site: u64, above: u64) -> bool {
        above != 0
            && !self.known.contains_key(&(site, 0))
            && self.known.contains_key(&(site, above))
    }

    /// Returns the number of the site of a frame, `None` if there is no call before the address, so
    /// that it cannot be a return address.
    pub(super) fn frame<W: Write>(
        &mut self,
        address: u64,
        writer: &mut TraceWriter<W>,
    ) -> io::Result<Option<u32>> {
        if let Some(&number) = self.frames.get(&address) {
            return Ok(number);
        }
        let number = match self.place(address) {
            Some(place) if place.is_after_call || !place.is_in_file => {
                Some(self.number(place.name, writer)?)
            }
            _ => None,
        };
        self.frames.insert(address, number);
        Ok(number)
    }

    fn number<W: Write>(&mut self, name: String, writer: &mut TraceWriter<W>) -> io::Result<u32> {
        if let Some(&number) = self.by_name.get(&name) {
            return Ok(number);
        }
        let number = writer.site(&name)?;
        let of_program = self.program.as_ref().and_then(|program| name.strip_prefix(&**program));
        if of_program.is_some_and(|rest| rest.starts_with(['!', '+'])) {
            self.of_program.insert(number);
        }
        self.by_name.insert(name, number);
        Ok(number)
    }

    /// Returns `true` if a site is in the program's own file.
    pub(super) fn is_of_program(&self, number: u32) -> bool {
        self.of_program.contains(&number)
    }

    /// Returns how many sites events have.
    pub(super) fn count(&self) -> usize {
        self.of_events.len()
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
                is_in_file: false,
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
