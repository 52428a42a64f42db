//! The recorder's table of stacks, on its way to that of the trace.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use super::raw::{self, Record};
use super::sites::Sites;
use crate::trace::TraceWriter;

/// The stacks of a recording, entered into the trace when they are first met.
///
/// The table is in memory that the program can write to, so nothing in it is relied on: a parent
/// may be any number, and stacks may be long or go in circles.
pub(super) struct Stacks {
    /// The two words of each frame of the recorder's table.
    frames: Vec<[u64; 2]>,
    /// The trace's stack of each of the recorder's that was met, and its number of frames.
    known: HashMap<u32, (u32, usize)>,
    /// The trace's stacks by parent and site.
    by_frame: HashMap<(u32, u32), u32>,
}

impl Stacks {
    /// Reads the table.
    pub(super) fn read(mut input: impl Read) -> io::Result<Self> {
        let mut frames = Vec::with_capacity(raw::STACK_SLOTS);
        let mut bytes = [0; raw::STACK_SLOT_BYTES];
        for _ in 0..raw::STACK_SLOTS {
            input.read_exact(&mut bytes)?;
            let (words, _) = bytes.as_chunks();
            frames.push([words[0], words[1]].map(u64::from_le_bytes));
        }
        Ok(Self { frames, known: HashMap::new(), by_frame: HashMap::new() })
    }

    /// Returns the stack of an event in the trace: its site, and the site's callers.
    pub(super) fn of<W: Write>(
        &mut self,
        record: &Record,
        site: u32,
        sites: &mut Sites,
        writer: &mut TraceWriter<W>,
    ) -> io::Result<u32> {
        let mut callers = record.stack;
        if let Some((parent, address)) = self.frame(callers)
            && address == record.above
            && sites.is_above(record.site, record.above)
        {
            // The call came from C++'s `new`, and its caller is the site already.
            callers = parent;
        }
        let outer = self.callers(callers, sites, writer)?;
        self.enter(outer, site, writer)
    }

    /// Returns the trace's stack of one of the recorder's.
    fn callers<W: Write>(
        &mut self,
        stack: u32,
        sites: &mut Sites,
        writer: &mut TraceWriter<W>,
    ) -> io::Result<u32> {
        let mut new = Vec::new();
        let mut at = stack;
        let (mut outer, mut depth) = (0, 0);
        while let Some((parent, address)) = self.frame(at) {
            if let Some(&known) = self.known.get(&at) {
                (outer, depth) = known;
                break;
            }
            if new.len() == raw::DEPTH_MAX {
                // Longer than any that the recorder writes.
                break;
            }
            new.push((at, address));
            at = parent;
        }
        for (number, address) in new.into_iter().rev() {
            if depth >= raw::DEPTH_MAX {
                (outer, depth) = (0, 0);
            }
            (outer, depth) = match sites.frame(address, writer)? {
                Some(site) => (self.enter(outer, site, writer)?, depth + 1),
                // It is no return address, so what is outside of it is nothing either.
                None => (0, 0),
            };
            self.known.insert(number, (outer, depth));
        }
        Ok(outer)
    }

    /// Returns parent and address of a frame in the recorder's table.
    fn frame(&self, stack: u32) -> Option<(u32, u64)> {
        let [first, second] = *self.frames.get((stack as usize).checked_sub(1)?)?;
        let is_whole = second & raw::STACK_IS_WHOLE != 0;
        is_whole.then_some((second as u32, first & raw::STACK_ADDRESS))
    }

    fn enter<W: Write>(
        &mut self,
        parent: u32,
        site: u32,
        writer: &mut TraceWriter<W>,
    ) -> io::Result<u32> {
        if let Some(&stack) = self.by_frame.get(&(parent, site)) {
            return Ok(stack);
        }
        let stack = writer.stack(parent, site)?;
        self.by_frame.insert((parent, site), stack);
        Ok(stack)
    }
}

#[cfg(test)]
mod tests;
