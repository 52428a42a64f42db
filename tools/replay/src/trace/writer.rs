//! Writing version 2 of the format, record by record.

use std::io::{self, Write};

use super::version2::{self, Kind};
use super::{Ending, Event, MAGIC_2, TEXT_BYTES_MAX, Trace, UNIT_BYTES};

/// What version 2 records about an event in addition to the event itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The call site, as [`TraceWriter::site`] returned it, or 0.
    pub site: u32,
    /// The allocator object, as [`TraceWriter::object`] returned it, or 0.
    pub object: u16,
    /// Nanoseconds since the recording began, or 0.
    pub time_ns: u64,
    /// The call stack, as [`TraceWriter::stack`] returned it, or 0.
    pub stack: u32,
}

/// How many events have their stacks in one record.
const STACKS_EACH: usize = 4096;

/// Writes a trace of version 2 as it comes. Each call writes whole records, so that whatever
/// reached the file can be read, also when nothing follows. The stacks of events are written 4096 at
/// a time; a recording that is cut lacks those of the last events.
///
/// The events are not checked; [`Trace::read`] does that.
///
/// # Complexity
///
/// O(1) an event, one write of 32 bytes: give it a `BufWriter`.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    out: W,
    sites: u32,
    objects: u16,
    events: u64,
    stacks: u32,
    /// The stacks of the last events, which are not written yet.
    pending: Vec<u32>,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace.
    ///
    /// # Errors
    ///
    /// What `out` returns, as in all that follows.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&MAGIC_2)?;
        Ok(Self { out, sites: 0, objects: 0, events: 0, stacks: 0, pending: Vec::new() })
    }

    /// Names the next call site and returns its number. Of a name that is too long the end is
    /// kept, which says more than the beginning of a path.
    ///
    /// # Errors
    ///
    /// What `out` returns; [`io::ErrorKind::InvalidInput`] after 2^32 - 1 sites.
    pub fn site(&mut self, name: &str) -> io::Result<u32> {
        self.sites = self.sites.checked_add(1).ok_or(io::ErrorKind::InvalidInput)?;
        self.text(Kind::Site, self.sites, name)?;
        Ok(self.sites)
    }

    /// Names the next allocator object and returns its number.
    ///
    /// # Errors
    ///
    /// What `out` returns; [`io::ErrorKind::InvalidInput`] after 2^16 - 1 objects.
    pub fn object(&mut self, name: &str) -> io::Result<u16> {
        self.objects = self.objects.checked_add(1).ok_or(io::ErrorKind::InvalidInput)?;
        self.text(Kind::Object, self.objects.into(), name)?;
        Ok(self.objects)
    }

    /// Adds a frame to the table of stacks and returns the number of the stack that ends in it.
    /// `parent` is the stack of the caller, 0 of the outermost frame; `site` is the call site. Each
    /// pair is worth one entry: keep what this returns.
    ///
    /// # Errors
    ///
    /// What `out` returns; [`io::ErrorKind::InvalidInput`] after 2^32 - 1 stacks.
    pub fn stack(&mut self, parent: u32, site: u32) -> io::Result<u32> {
        self.stacks = self.stacks.checked_add(1).ok_or(io::ErrorKind::InvalidInput)?;
        self.out.write_all(&version2::encode_stack(self.stacks, parent, site))?;
        Ok(self.stacks)
    }

    /// Writes a note for readers of the trace. An equals sign in `name` ends it there.
    ///
    /// # Errors
    ///
    /// What `out` returns.
    pub fn note(&mut self, name: &str, value: &str) -> io::Result<()> {
        let room = TEXT_BYTES_MAX.saturating_sub(name.len() + 1);
        self.text(Kind::Note, 0, &format!("{name}={}", beginning(value, room)))
    }

    /// Writes an event.
    ///
    /// # Errors
    ///
    /// What `out` returns.
    pub fn event(&mut self, event: Event, details: Details) -> io::Result<()> {
        self.events += 1;
        self.out.write_all(&version2::encode(event, details))?;
        if details.stack != 0 || !self.pending.is_empty() {
            self.pending.push(details.stack);
            if self.pending.len() == STACKS_EACH {
                return self.flush_stacks();
            }
        }
        Ok(())
    }

    /// Writes a frame mark.
    ///
    /// # Errors
    ///
    /// What `out` returns.
    pub fn mark(&mut self, thread: u16, value: u64, time_ns: u64) -> io::Result<()> {
        self.out.write_all(&version2::encode_mark(thread, value, time_ns))
    }

    /// Writes that the recording is whole, and returns what was written to.
    ///
    /// # Errors
    ///
    /// What `out` returns.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush_stacks()?;
        self.out.write_all(&version2::encode_end(self.events))?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes the stacks of the events since the last such record.
    fn flush_stacks(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let first = self.events - self.pending.len() as u64;
        let record = version2::encode_event_stacks(first, &self.pending);
        self.pending.clear();
        self.out.write_all(&record)
    }

    fn text(&mut self, kind: Kind, number: u32, text: &str) -> io::Result<()> {
        let text = end(text, TEXT_BYTES_MAX);
        let mut record = version2::text_head(kind, number, text.len()).to_vec();
        record.extend_from_slice(text.as_bytes());
        record.resize(record.len().next_multiple_of(UNIT_BYTES), 0);
        self.out.write_all(&record)
    }
}

impl Trace {
    /// Writes the trace in version 2, with all that it knows, uncompressed. One that ended early is
    /// written as one that does.
    ///
    /// # Errors
    ///
    /// What `out` returns.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut writer = TraceWriter::new(out)?;
        for (name, value) in self.notes() {
            writer.note(name, value)?;
        }
        for name in self.columns.sites.names() {
            writer.site(name)?;
        }
        for name in self.columns.objects.names() {
            writer.object(name)?;
        }
        let stacks = &self.columns.stacks;
        for (parent, site) in (1..=stacks.count()).filter_map(|n| stacks.parent_and_site(n as u32))
        {
            writer.stack(parent, site)?;
        }
        let mut marks = self.marks().iter().peekable();
        for (index, event) in self.events.iter().enumerate() {
            while let Some(mark) = marks.next_if(|mark| mark.event <= index as u64) {
                writer.mark(mark.thread, mark.value, mark.time_ns)?;
            }
            writer.event(*event, self.details(index))?;
        }
        for mark in marks {
            writer.mark(mark.thread, mark.value, mark.time_ns)?;
        }
        match self.ending() {
            Ending::Whole => writer.finish().map(drop),
            Ending::Cut { .. } => {
                writer.flush_stacks()?;
                writer.out.flush()
            }
        }
    }

    /// Returns what version 2 records about an event, by its index.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn details(&self, event: usize) -> Details {
        Details {
            site: self.columns.sites.of(event),
            // Objects were read from numbers of sixteen bits.
            object: self.columns.objects.of(event) as u16,
            time_ns: self.columns.times.get(event).copied().unwrap_or(0),
            stack: self.columns.stacks.of(event),
        }
    }
}

/// Returns the most of the beginning of a text that has at most `bytes` bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Returns the most of the end of a text that has at most `bytes` bytes.
fn end(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}
