//! Recorded allocations: the format, its checks, reading and writing.
//!
//! A trace is eight bytes `ALTRACE1` and records of sixteen bytes, little endian:
//!
//! ```text
//!  0         1            2        4                8                16
//!  +---------+------------+--------+----------------+----------------+
//!  | op  u8  | align  u8  | thread | slot       u32 | bytes      u64 |
//!  |         | (log2)     | u16    |                |                |
//!  +---------+------------+--------+----------------+----------------+
//! ```
//!
//! Reading checks every record against all that came before it, so whoever holds a [`Trace`] may
//! rely on it. What is kept grows by the records that are really there, never by what one claims.

mod checker;
mod fault;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use checker::{Checker, check_all};
pub use fault::{Fault, TraceError};

/// The first eight bytes of a trace.
pub const MAGIC: [u8; 8] = *b"ALTRACE1";

/// Bytes of one record.
pub const RECORD_BYTES: usize = 16;

/// The greatest alignment of a block, as a power of two.
pub const ALIGN_LOG2_MAX: u8 = 20;

/// The greatest size of a block.
pub const BLOCK_BYTES_MAX: u64 = 1 << 47;

/// How many bytes are read at once; a whole number of records.
const PIECE_BYTES: usize = 4096 * RECORD_BYTES;

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

/// One record of a trace: sixteen bytes of plain data.
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
}

impl Trace {
    /// Opens a trace: compressed with zstd if the file's name ends in `.zst`, else as it is.
    ///
    /// # Complexity
    ///
    /// O(events) time; 16 bytes an event and 16 bytes a slot, the latter given back at the end.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the file cannot be read or is not a whole and valid trace.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let shown = path.display().to_string();
        let fail = |fault| TraceError::new(&shown, None, fault);
        let file = File::open(path).map_err(|error| fail(Fault::Unreadable(error)))?;
        let name = trace_name(path);
        if path.extension().is_some_and(|ending| ending == "zst") {
            return read_compressed(name, &shown, BufReader::new(file));
        }
        let about = file.metadata().map_err(|error| fail(Fault::Unreadable(error)))?;
        if about.is_dir() {
            return Err(fail(Fault::Unreadable(io::ErrorKind::IsADirectory.into())));
        }
        if !about.is_file() || about.len() == 0 {
            return read_pieces(name, &shown, file);
        }
        // SAFETY: the map is read once, front to back, and every record is copied out before it is
        // judged. Another program that writes to the file meanwhile can change what is read, and so
        // whether the trace is refused; one that cuts the file ends this process by a signal.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(|e| fail(Fault::Unreadable(e)))?;
        read_pieces(name, &shown, &map[..])
    }

    /// Reads an uncompressed trace in pieces; `name` names the trace and stands in errors.
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
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(name: &str, input: impl Read) -> Result<Self, TraceError> {
        read_pieces(name.to_owned(), name, input)
    }

    /// Reads a trace compressed with zstd, in pieces, checking as it comes.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn read_zst(name: &str, input: impl Read) -> Result<Self, TraceError> {
        read_compressed(name.to_owned(), name, BufReader::new(input))
    }

    /// Checks events made in memory.
    ///
    /// # Errors
    ///
    /// [`TraceError`] if the events are not a valid trace.
    pub fn from_events(name: &str, events: Vec<Event>) -> Result<Self, TraceError> {
        Ok(check_all(name, &events)?.finish(name.to_owned(), events))
    }

    /// Checks the trace anew: its fields are public, so it may not be as it was read.
    pub(crate) fn check(&self) -> Result<(), TraceError> {
        let checked = check_all(&self.name, &self.events)?;
        let (found, said) = (checked.slots.len(), self.slots as usize);
        assert_eq!(found, said, "`slots` of trace `{}` was changed", self.name);
        Ok(())
    }
}

/// Writes a trace, uncompressed.
///
/// # Errors
///
/// What `out` returns.
pub fn write_trace(mut out: impl Write, events: &[Event]) -> io::Result<()> {
    out.write_all(&MAGIC)?;
    for event in events {
        out.write_all(&encode(*event))?;
    }
    out.flush()
}

/// Returns the record of an event.
#[must_use]
pub fn encode(event: Event) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    record[0] = event.op as u8;
    record[1] = event.align_log2;
    record[2..4].copy_from_slice(&event.thread.to_le_bytes());
    record[4..8].copy_from_slice(&event.slot.to_le_bytes());
    record[8..16].copy_from_slice(&event.bytes.to_le_bytes());
    record
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
) -> Result<Trace, TraceError> {
    let decoder = zstd::stream::read::Decoder::with_buffer(input)
        .map_err(|error| TraceError::new(shown, None, Fault::Compressed(error)))?;
    read_pieces(name, shown, decoder).map_err(|mut error| {
        if let Fault::Unreadable(cause) = error.fault {
            error.fault = Fault::Compressed(cause);
        }
        error
    })
}

fn read_pieces(name: String, shown: &str, mut input: impl Read) -> Result<Trace, TraceError> {
    let at = |record, fault| TraceError::new(shown, record, fault);
    let mut magic = [0; MAGIC.len()];
    let got = fill(&mut input, &mut magic).map_err(|e| at(None, Fault::Unreadable(e)))?;
    if got < magic.len() || magic != MAGIC {
        return Err(at(None, Fault::BadMagic));
    }
    let mut checker = Checker::default();
    let mut events = Vec::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let next = events.len() as u64;
        let got = fill(&mut input, &mut piece).map_err(|e| at(Some(next), Fault::Unreadable(e)))?;
        let (records, rest) = piece[..got].as_chunks::<RECORD_BYTES>();
        for record in records {
            let event = decode(record)
                .and_then(|event| checker.check(event))
                .map_err(|fault| at(Some(events.len() as u64), fault))?;
            events.push(event);
        }
        if !rest.is_empty() {
            let fault = Fault::BrokenLength { left_over: rest.len() };
            return Err(at(Some(events.len() as u64), fault));
        }
        if got < piece.len() {
            return Ok(checker.finish(name, events));
        }
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

fn decode(record: &[u8; RECORD_BYTES]) -> Result<Event, Fault> {
    let op = match record[0] {
        1 => Op::Allocate,
        2 => Op::Free,
        3 => Op::Reallocate,
        4 => Op::AllocateZeroed,
        op => return Err(Fault::UnknownOperation { op }),
    };
    let [_, align_log2, t0, t1, s0, s1, s2, s3, bytes @ ..] = *record;
    Ok(Event {
        op,
        align_log2,
        thread: u16::from_le_bytes([t0, t1]),
        slot: u32::from_le_bytes([s0, s1, s2, s3]),
        bytes: u64::from_le_bytes(bytes),
    })
}

#[cfg(test)]
mod tests;
