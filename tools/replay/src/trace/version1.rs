//! Version 1 of the format: a magic and records of sixteen bytes.

use std::io::{self, Read, Write};

use super::checker::Checker;
use super::columns::Columns;
use super::{Event, MAGIC, RECORD_BYTES, Trace, TraceError, TraceErrorKind, fill, op_of, try_push};

/// How many bytes are read at once; a whole number of records.
const PIECE_BYTES: usize = 4096 * RECORD_BYTES;

/// Writes a trace of version 1, uncompressed.
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

/// Returns the event of a record.
///
/// # Errors
///
/// [`TraceErrorKind::UnknownOperation`].
pub(super) fn decode(record: &[u8; RECORD_BYTES]) -> Result<Event, TraceErrorKind> {
    let [op, align_log2, t0, t1, s0, s1, s2, s3, bytes @ ..] = *record;
    Ok(Event {
        op: op_of(op).ok_or(TraceErrorKind::UnknownOperation { op })?,
        align_log2,
        thread: u16::from_le_bytes([t0, t1]),
        slot: u32::from_le_bytes([s0, s1, s2, s3]),
        bytes: u64::from_le_bytes(bytes),
    })
}

/// Reads what follows the magic.
pub(super) fn read(name: String, shown: &str, mut input: impl Read) -> Result<Trace, TraceError> {
    let at = |record, fault| TraceError::new(shown, Some(place(record)), fault);
    let mut checker = Checker::default();
    let mut events = Vec::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let next = events.len();
        let got =
            fill(&mut input, &mut piece).map_err(|e| at(next, TraceErrorKind::Unreadable(e)))?;
        let (records, rest) = piece[..got].as_chunks::<RECORD_BYTES>();
        for record in records {
            let event = decode(record)
                .and_then(|event| checker.check(event))
                .map_err(|fault| at(events.len(), fault))?;
            try_push(&mut events, event).map_err(|error| at(events.len(), error.into()))?;
        }
        if !rest.is_empty() {
            let fault = TraceErrorKind::BrokenLength { left_over: rest.len() };
            return Err(at(events.len(), fault));
        }
        if got < piece.len() {
            return Ok(checker.finish(name, events, Columns::default()));
        }
    }
}

/// Returns number and offset of a record.
pub(super) fn place(record: usize) -> (u64, u64) {
    let record = record as u64;
    (record, MAGIC.len() as u64 + record * RECORD_BYTES as u64)
}
