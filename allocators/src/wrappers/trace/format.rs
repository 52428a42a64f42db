//! The records of an allocation trace of version 2, written without allocating, since their writers
//! serve memory themselves. `docs/reference/trace-format.md` of the project describes the format.
//!
//! ```text
//! event   | op | log2 of the alignment | thread | slot | bytes | site | object | 0 | time |
//! mark    | 5  | 0 | thread | 0 | value | 0 | time |
//! site    | 6  | 0 | length | number | text, padded to whole units of 32 bytes |
//! object  | 7  | 0 | length | number | text |
//! end     | 8  | 0 | events | 0 |
//! ```

use core::fmt::{self, Write as _};

use crate::bookkeeping::char_boundary;

/// The first bytes of a trace.
pub(crate) const MAGIC: [u8; 8] = *b"ALTRACE2";

/// Bytes of a unit: an event, a mark and the end are one unit, a name one or more.
pub(crate) const UNIT_BYTES: usize = 32;

/// The largest alignment of the format, as a base-2 logarithm.
pub(crate) const ALIGN_LOG2_MAX: u8 = 20;

/// The longest record of a name.
pub(crate) const NAME_BYTES_MAX: usize = 1024;

/// Where the text of a name begins.
const TEXT_AT: usize = 8;

/// The operation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Op {
    Allocate = 1,
    Free = 2,
    Reallocate = 3,
    AllocateZeroed = 4,
}

/// The kind of thing that a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Named {
    Site = 6,
    Object = 7,
}

/// An event of the format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) op: Op,
    pub(crate) align_log2: u8,
    pub(crate) thread: u16,
    pub(crate) slot: u32,
    /// The requested size; at least 1 is written, and 0 for a free.
    pub(crate) bytes: u64,
    pub(crate) site: u32,
    pub(crate) object: u16,
    pub(crate) time_ns: u64,
}

impl Event {
    #[inline]
    pub(crate) fn encode(self) -> [u8; UNIT_BYTES] {
        let bytes = if self.op == Op::Free { 0 } else { self.bytes.max(1) };
        let mut unit = [0; UNIT_BYTES];
        unit[0] = self.op as u8;
        unit[1] = self.align_log2.min(ALIGN_LOG2_MAX);
        unit[2..4].copy_from_slice(&self.thread.to_le_bytes());
        unit[4..8].copy_from_slice(&self.slot.to_le_bytes());
        unit[8..16].copy_from_slice(&bytes.to_le_bytes());
        unit[16..20].copy_from_slice(&self.site.to_le_bytes());
        unit[20..22].copy_from_slice(&self.object.to_le_bytes());
        unit[24..32].copy_from_slice(&self.time_ns.to_le_bytes());
        unit
    }
}

/// Returns the unit of a frame mark.
pub(crate) fn mark(thread: u16, value: u64, time_ns: u64) -> [u8; UNIT_BYTES] {
    let mut unit = [0; UNIT_BYTES];
    unit[0] = 5;
    unit[2..4].copy_from_slice(&thread.to_le_bytes());
    unit[8..16].copy_from_slice(&value.to_le_bytes());
    unit[24..32].copy_from_slice(&time_ns.to_le_bytes());
    unit
}

/// Returns the last unit of a whole trace.
pub(crate) fn end(events: u64) -> [u8; UNIT_BYTES] {
    let mut unit = [0; UNIT_BYTES];
    unit[0] = 8;
    unit[8..16].copy_from_slice(&events.to_le_bytes());
    unit
}

/// The record of a name. Text that is too long for it is cut.
pub(crate) struct Name {
    bytes: [u8; NAME_BYTES_MAX],
    used: usize,
}

impl Name {
    /// Creates the record of the name that `text` displays. If the first part is too long, its end
    /// is kept: the end of a path is more specific than its beginning.
    pub(crate) fn new(named: Named, number: u32, first: &str, then: fmt::Arguments<'_>) -> Self {
        const THEN_BYTES: usize = 32;
        let room = NAME_BYTES_MAX - TEXT_AT - THEN_BYTES;
        let first = &first[char_boundary::ceil(first, first.len().saturating_sub(room))..];
        let mut name = Self { bytes: [0; NAME_BYTES_MAX], used: TEXT_AT };
        name.bytes[0] = named as u8;
        name.bytes[4..8].copy_from_slice(&number.to_le_bytes());
        // Writing stops where the room ends, without an error.
        let _ = name.write_str(first);
        let _ = name.write_fmt(then);
        let length = (name.used - TEXT_AT) as u16;
        name.bytes[2..4].copy_from_slice(&length.to_le_bytes());
        name
    }

    /// Returns the record, in whole units.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.used.next_multiple_of(UNIT_BYTES)]
    }
}

impl fmt::Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let text = &text[..char_boundary::floor(text, NAME_BYTES_MAX - self.used)];
        self.bytes[self.used..self.used + text.len()].copy_from_slice(text.as_bytes());
        self.used += text.len();
        Ok(())
    }
}
