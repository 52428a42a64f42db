//! Recorded allocations: the formats, their checks, reading and writing.
//!
//! Version 1 is eight bytes `ALTRACE1` and records of sixteen bytes, little endian:
//!
//! ```text
//!  0         1            2        4                8                16
//!  +---------+------------+--------+----------------+----------------+
//!  | op  u8  | align  u8  | thread | slot       u32 | bytes      u64 |
//!  |         | (log2)     | u16    |                |                |
//!  +---------+------------+--------+----------------+----------------+
//! ```
//!
//! Version 2 begins with `ALTRACE2`; its events have sixteen bytes more (call site, allocator
//! object, time), and there are frame marks, names, stacks and notes between them.
//! `docs/reference/trace-format.md` describes both.
//!
//! Reading checks every record against all that came before it, so the holder of a [`Trace`] may
//! rely on it. What is kept grows by the records that are really there, never by what one claims.
//! The events are the same sixteen bytes for both versions; what version 2 adds is in separate
//! columns, which are there only where the file has them.

mod checker;
mod columns;
mod error;
mod limits;
mod stacks;
mod version1;
mod version2;
mod writer;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use checker::check_all;
use columns::Columns;
pub use columns::{Ending, Labels, Mark};
pub use error::{TraceError, TraceErrorKind};
pub use limits::Limits;
pub(crate) use limits::{Bounded, NoMemory, exceeded, try_push, try_resize};
pub use stacks::{STACK_FRAMES_MAX, Stacks};
pub use version1::{encode, write_trace};
pub use writer::{Details, TraceWriter};

/// The first eight bytes of a trace of version 1.
pub const MAGIC: [u8; 8] = *b"ALTRACE1";

/// The first eight bytes of a trace of version 2.
pub const MAGIC_2: [u8; 8] = *b"ALTRACE2";

/// Bytes of one record of version 1, and of an event in memory.
pub const RECORD_BYTES: usize = 16;

/// Bytes of one unit of version 2: an event is one, a name one or more.
pub const UNIT_BYTES: usize = 32;

/// The greatest alignment of a block, as a power of two.
pub const ALIGN_LOG2_MAX: u8 = 20;

/// The greatest size of a block.
pub const BLOCK_BYTES_MAX: u64 = 1 << 47;

/// The longest name or note.
pub const TEXT_BYTES_MAX: usize = u16::MAX as usize;

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// A new block, its contents undefined.
    Allocate = 1,
    /// The end of a block.
    Free = 2,
    /// A new size for a block, which may move.
    Reallocate = 3,
    /// A new block full of zeros.
    AllocateZeroed = 4,
}

/// One event of a trace: sixteen bytes of plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// What is done.
    pub op: Op,
    /// The alignment of the block as a power of two.
    pub align_log2: u8,
    /// The thread, in order of first allocation.
    pub thread: u16,
    /// The slot of the block: unique among live blocks, reused after its free.
    pub slot: u32,
    /// The size of the block; the new one for a reallocation, 0 for a free.
    pub bytes: u64,
}

const _: () = assert!(size_of::<Event>() == RECORD_BYTES, "an event is as small as its record");

/// A recorded run of a program, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The name of the file without `.altrace` and `.zst`.
    pub name: String,
    /// The events in the order in which they happened, over all threads.
    pub events: Vec<Event>,
    /// The greatest sum of the sizes of live blocks.
    pub peak_live_bytes: u64,
    /// The greatest number of live blocks.
    pub peak_live_blocks: u32,
    /// One more than the greatest slot.
    pub slots: u32,
    /// How many blocks are allocated.
    pub allocations: u64,
    /// The fields that only version 2 has.
    columns: Columns,
}

impl Trace {
    /// Opens a trace of either version: compressed with zstd if the file's name ends in `.zst`,
    /// else as it is.
    ///
    /// # Complexity
    ///
    /// O(events) time; 16 bytes an event and 16 bytes a slot, the latter given back at the end. Of
    /// version 2, 4 bytes an event each for call sites and allocator objects and 8 for times, where
    /// the file has them.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the file cannot be read or is not a valid trace. One of version 2 that
    /// ends early is valid, see [`ending`](Self::ending).
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::open_within(path, Limits::default())
    }

    /// Opens a trace as [`open`](Self::open) does, with limits of your own.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn open_within(path: &Path, limits: Limits) -> Result<Self, TraceError> {
        let shown = path.display().to_string();
        let fail = |fault| TraceError::new(&shown, None, fault);
        let file = File::open(path).map_err(|error| fail(TraceErrorKind::Unreadable(error)))?;
        let name = trace_name(path);
        if path.extension().is_some_and(|ending| ending == "zst") {
            return read_compressed(name, &shown, BufReader::new(file), limits);
        }
        let about = file.metadata().map_err(|error| fail(TraceErrorKind::Unreadable(error)))?;
        if about.is_dir() {
            return Err(fail(TraceErrorKind::Unreadable(io::ErrorKind::IsADirectory.into())));
        }
        if !about.is_file() || about.len() == 0 {
            // A pipe has no length that bounds what comes out of it.
            return read_bounded(name, &shown, file, limits);
        }
        // SAFETY: the map is read once, front to back, and every record is copied out before it is
        // judged. Another program that writes to the file meanwhile can change what is read, and so
        // whether the trace is refused; one that cuts the file ends this process by a signal.
        let map = unsafe { memmap2::Mmap::map(&file) }
            .map_err(|e| fail(TraceErrorKind::Unreadable(e)))?;
        read_any(name, &shown, &map[..])
    }

    /// Reads an uncompressed trace in pieces; `name` names the trace and is in errors.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_replay::trace::{Event, Op, Trace, write_trace};
    ///
    /// let event = Event { op: Op::Allocate, align_log2: 4, thread: 0, slot: 0, bytes: 100 };
    /// let mut file = Vec::new();
    /// write_trace(&mut file, &[event])?;
    /// let trace = Trace::read("one", &file[..])?;
    /// assert_eq!(trace.peak_live_bytes, 100);
    /// assert!(trace.sites().is_none(), "version 1 has no call sites");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(name: &str, input: impl Read) -> Result<Self, TraceError> {
        read_any(name.to_owned(), name, input)
    }

    /// Reads a trace compressed with zstd, in pieces, checking as it comes, within the usual
    /// limits.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn read_zst(name: &str, input: impl Read) -> Result<Self, TraceError> {
        Self::read_zst_within(name, input, Limits::default())
    }

    /// Reads a trace as [`read_zst`](Self::read_zst) does, with limits of your own.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn read_zst_within(
        name: &str,
        input: impl Read,
        limits: Limits,
    ) -> Result<Self, TraceError> {
        read_compressed(name.to_owned(), name, BufReader::new(input), limits)
    }

    /// Checks events made in memory.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the events are not a valid trace.
    pub fn from_events(name: &str, events: Vec<Event>) -> Result<Self, TraceError> {
        let checker = check_all(name, &events)?;
        Ok(checker.finish(name.to_owned(), events, Columns::default()))
    }

    /// Returns the trace of the first events, with all their columns.
    ///
    /// # Complexity
    ///
    /// O(events) time and memory.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the trace's public fields were changed so that it is no longer a valid
    /// one.
    pub fn first(&self, events: usize) -> Result<Self, TraceError> {
        let events = events.min(self.events.len());
        let checker = check_all(&self.name, &self.events[..events])?;
        let columns = self.columns.first(events);
        Ok(checker.finish(self.name.clone(), self.events[..events].to_vec(), columns))
    }

    /// Returns the call site of each event, and the names of the sites. `None` where none is
    /// recorded, as in version 1.
    ///
    /// # Complexity
    ///
    /// O(1), as all below.
    #[must_use]
    pub fn sites(&self) -> Option<&Labels> {
        (!self.columns.sites.is_empty()).then_some(&self.columns.sites)
    }

    /// Returns which allocator object each event belongs to. `None` where none is recorded.
    #[must_use]
    pub fn objects(&self) -> Option<&Labels> {
        (!self.columns.objects.is_empty()).then_some(&self.columns.objects)
    }

    /// Returns the time of each event, in nanoseconds since the recording began. `None` where no
    /// times are recorded. Events of different threads may be a little out of the order of their
    /// times, as the clock is not read at the very moment that decides the order.
    #[must_use]
    pub fn times(&self) -> Option<&[u64]> {
        (!self.columns.times.is_empty()).then_some(&self.columns.times)
    }

    /// Returns the call stack of each event. `None` where none is recorded, as without
    /// `loligo record --stacks`.
    #[must_use]
    pub fn stacks(&self) -> Option<&Stacks> {
        (!self.columns.stacks.is_empty()).then_some(&self.columns.stacks)
    }

    /// Returns the frame marks that the program set, in order.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.columns.marks
    }

    /// Returns the notes of the recorder, as name and value, such as `program` and its command
    /// line.
    pub fn notes(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.columns.notes.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns why the recorder stopped before the program ended, in its words.
    #[must_use]
    pub fn stopped(&self) -> Option<&str> {
        self.notes().find(|(name, _)| *name == "stopped").map(|(_, why)| why)
    }

    /// Returns how the recording ended: as it should, or cut, because the program was killed or the
    /// file was cut. Version 1 does not record this and returns [`Ending::Whole`].
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.columns.ending
    }

    /// Checks the trace again: its fields are public, so it may not be as it was read.
    pub(crate) fn check(&self) -> Result<(), TraceError> {
        let checked = check_all(&self.name, &self.events)?;
        let (found, said) = (checked.slots.len(), self.slots as usize);
        assert_eq!(found, said, "`slots` of trace `{}` was changed", self.name);
        Ok(())
    }
}

/// Returns the file's name without `.zst` and `.altrace`.
#[must_use]
pub fn trace_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    name.strip_suffix(".altrace").unwrap_or(name).to_owned()
}

fn read_compressed(
    name: String,
    shown: &str,
    input: BufReader<impl Read>,
    limits: Limits,
) -> Result<Trace, TraceError> {
    let decoder = zstd::stream::read::Decoder::with_buffer(input)
        .map_err(|error| TraceError::new(shown, None, TraceErrorKind::Compressed(error)))?;
    read_bounded(name, shown, decoder, limits).map_err(|mut error| {
        if let TraceErrorKind::Unreadable(cause) = error.kind {
            error.kind = TraceErrorKind::Compressed(cause);
        }
        error
    })
}

/// Reads a trace whose length is not known before.
fn read_bounded(
    name: String,
    shown: &str,
    input: impl Read,
    limits: Limits,
) -> Result<Trace, TraceError> {
    read_any(name, shown, Bounded::new(input, limits)).map_err(|mut error| {
        if let TraceErrorKind::Unreadable(cause) = &error.kind
            && let Some(bytes_max) = exceeded(cause)
        {
            error.kind = TraceErrorKind::UnpacksTooFar { bytes_max };
        }
        error
    })
}

/// Reads a trace of the version that its first bytes name.
fn read_any(name: String, shown: &str, mut input: impl Read) -> Result<Trace, TraceError> {
    let at = |fault| TraceError::new(shown, None, fault);
    let mut magic = [0; MAGIC.len()];
    let got =
        fill(&mut input, &mut magic).map_err(|error| at(TraceErrorKind::Unreadable(error)))?;
    match &magic[..got] {
        first if first == MAGIC => version1::read(name, shown, input),
        first if first == MAGIC_2 => version2::read(name, shown, input),
        _ => Err(at(TraceErrorKind::BadMagic)),
    }
}

/// Reads until the buffer is full or the input ends; returns how many bytes were read.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the operation of a number.
fn op_of(number: u8) -> Option<Op> {
    match number {
        1 => Some(Op::Allocate),
        2 => Some(Op::Free),
        3 => Some(Op::Reallocate),
        4 => Some(Op::AllocateZeroed),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
