//! Version 2 of the format: a magic and units of thirty-two bytes.
//!
//! ```text
//!         0       1       2         4         8               16        20        22      24       32
//! event   | op    | align | thread  | slot    | bytes         | site    | object  | 0     | time   |
//! mark    | 5     | 0     | thread  | 0       | value         | 0       | 0       | 0     | time   |
//! site    | 6     | 0     | length  | number  | text, on into as many units as it takes, then zeros
//! object  | 7     | 0     | length  | number  | text
//! end     | 8     | 0     | 0       | 0       | events        | 0
//! note    | 128   | 0     | length  | 0       | name=value
//! stack   | 129   | 0     | 8       | number  | parent u32, site u32, then zeros
//! stacks  | 130   | 0     | length  | 0       | first event u64, then a stack u32 for each
//! other   | 131.. | any   | length  | any     | as many bytes, on into as many units as it takes
//! ```

use std::io::Read;

use super::checker::Checker;
use super::columns::{Columns, Ending, Mark};
use super::version1;
use super::{
    Details, Event, MAGIC_2, RECORD_BYTES, Trace, TraceError, TraceErrorKind, UNIT_BYTES, fill,
    op_of, try_push,
};

/// One unit.
pub(super) type Unit = [u8; UNIT_BYTES];

/// How many units are read at once.
const PIECE_UNITS: usize = 2048;

/// Where the text of a record begins.
const TEXT_AT: usize = 8;

/// Bytes of a frame in the table of stacks: its parent and its site.
const STACK_BYTES: usize = 8;

/// Bytes of the number of the first event in a record of events' stacks.
const FIRST_BYTES: usize = 8;

/// The first kind that a reader may pass over where it does not know it.
const SKIPPABLE: u8 = 128;

/// The kinds of records that are not events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Mark = 5,
    Site = 6,
    Object = 7,
    End = 8,
    Note = SKIPPABLE,
    // Readers that know nothing of stacks pass over these two.
    Stack = 129,
    EventStacks = 130,
}

/// Returns the unit of an event.
pub(super) fn encode(event: Event, details: Details) -> Unit {
    let mut unit = [0; UNIT_BYTES];
    unit[..RECORD_BYTES].copy_from_slice(&version1::encode(event));
    unit[16..20].copy_from_slice(&details.site.to_le_bytes());
    unit[20..22].copy_from_slice(&details.object.to_le_bytes());
    unit[24..32].copy_from_slice(&details.time_ns.to_le_bytes());
    unit
}

/// Returns the unit of a mark.
pub(super) fn encode_mark(thread: u16, value: u64, time_ns: u64) -> Unit {
    let mut unit = [0; UNIT_BYTES];
    unit[0] = Kind::Mark as u8;
    unit[2..4].copy_from_slice(&thread.to_le_bytes());
    unit[8..16].copy_from_slice(&value.to_le_bytes());
    unit[24..32].copy_from_slice(&time_ns.to_le_bytes());
    unit
}

/// Returns the last unit of a whole recording.
pub(super) fn encode_end(events: u64) -> Unit {
    let mut unit = [0; UNIT_BYTES];
    unit[0] = Kind::End as u8;
    unit[8..16].copy_from_slice(&events.to_le_bytes());
    unit
}

/// Returns what comes before a text of `length` bytes, at most 65 535.
pub(super) fn text_head(kind: Kind, number: u32, length: usize) -> [u8; TEXT_AT] {
    let [l0, l1, ..] = length.to_le_bytes();
    let [n0, n1, n2, n3] = number.to_le_bytes();
    [kind as u8, 0, l0, l1, n0, n1, n2, n3]
}

/// Returns the unit of a frame in the table of stacks.
pub(super) fn encode_stack(number: u32, parent: u32, site: u32) -> Unit {
    let mut unit = [0; UNIT_BYTES];
    unit[..TEXT_AT].copy_from_slice(&text_head(Kind::Stack, number, STACK_BYTES));
    unit[8..12].copy_from_slice(&parent.to_le_bytes());
    unit[12..16].copy_from_slice(&site.to_le_bytes());
    unit
}

/// Returns the record with the stacks of the events from `first` on, at most 16 000.
pub(super) fn encode_event_stacks(first: u64, stacks: &[u32]) -> Vec<u8> {
    let length = FIRST_BYTES + size_of_val(stacks);
    let mut record = text_head(Kind::EventStacks, 0, length).to_vec();
    record.extend_from_slice(&first.to_le_bytes());
    record.extend(stacks.iter().flat_map(|stack| stack.to_le_bytes()));
    record.resize(record.len().next_multiple_of(UNIT_BYTES), 0);
    record
}

/// Reads what follows the magic.
pub(super) fn read(name: String, shown: &str, input: impl Read) -> Result<Trace, TraceError> {
    let mut reader = Reader {
        units: Units {
            input,
            piece: vec![[0; UNIT_BYTES]; PIECE_UNITS],
            at: 0,
            filled: 0,
            taken: 0,
        },
        checker: Checker::default(),
        events: Vec::new(),
        columns: Columns::default(),
        text: Vec::new(),
    };
    let mut record = 0;
    loop {
        let byte = MAGIC_2.len() as u64 + reader.units.taken * UNIT_BYTES as u64;
        match reader.record() {
            Ok(true) => record += 1,
            Ok(false) => {
                reader.columns.stacks.trim();
                return Ok(reader.checker.finish(name, reader.events, reader.columns));
            }
            Err(fault) => return Err(TraceError::new(shown, Some((record, byte)), fault)),
        }
    }
}

struct Reader<R> {
    units: Units<R>,
    checker: Checker,
    events: Vec<Event>,
    columns: Columns,
    /// The text of the record that is read, kept for its memory.
    text: Vec<u8>,
}

impl<R: Read> Reader<R> {
    /// Reads one record; returns whether another may follow.
    fn record(&mut self) -> Result<bool, TraceErrorKind> {
        let unit = match self.units.next()? {
            Next::Unit(unit) => unit,
            Next::End { left_over } => {
                self.columns.ending = Ending::Cut { left_over };
                return Ok(false);
            }
        };
        if op_of(unit[0]).is_some() {
            return self.event(&unit).map(|()| true);
        }
        match unit[0] {
            kind if kind == Kind::Mark as u8 => self.mark(&unit).map(|()| true),
            kind if kind == Kind::Site as u8 || kind == Kind::Object as u8 => self.name(&unit),
            kind if kind == Kind::Note as u8 => self.note(&unit),
            kind if kind == Kind::Stack as u8 => self.stack(&unit),
            kind if kind == Kind::EventStacks as u8 => self.event_stacks(&unit),
            kind if kind == Kind::End as u8 => self.end(&unit).map(|()| false),
            kind if kind >= SKIPPABLE => self.take_text(&unit).map(|text| text.is_some()),
            kind => Err(TraceErrorKind::UnknownKind { kind }),
        }
    }

    fn event(&mut self, unit: &Unit) -> Result<(), TraceErrorKind> {
        let (record, details) = unit.split_at(RECORD_BYTES);
        let record = record.try_into().expect("a unit is longer than an event of version 1");
        let event = self.checker.check(version1::decode(record)?)?;
        let [s0, s1, s2, s3, o0, o1, r0, r1, time @ ..] = details else {
            unreachable!("what follows the event is sixteen bytes long")
        };
        let site = u32::from_le_bytes([*s0, *s1, *s2, *s3]);
        let object = u16::from_le_bytes([*o0, *o1]);
        check_zero(&[*r0, *r1])?;
        let (sites, objects) = (self.columns.sites.count(), self.columns.objects.count());
        if site as usize > sites {
            return Err(TraceErrorKind::SiteUnnamed { site, sites });
        }
        if usize::from(object) > objects {
            return Err(TraceErrorKind::ObjectUnnamed { object, objects });
        }
        let time = u64_of(time);
        self.columns.push(self.events.len(), site, object.into(), time)?;
        try_push(&mut self.events, event)?;
        Ok(())
    }

    fn mark(&mut self, unit: &Unit) -> Result<(), TraceErrorKind> {
        check_zero(&unit[1..2])?;
        check_zero(&unit[4..8])?;
        check_zero(&unit[16..24])?;
        let mark = Mark {
            event: self.events.len() as u64,
            value: u64_of(&unit[8..16]),
            time_ns: u64_of(&unit[24..32]),
            thread: u16::from_le_bytes([unit[2], unit[3]]),
        };
        Ok(try_push(&mut self.columns.marks, mark)?)
    }

    fn name(&mut self, unit: &Unit) -> Result<bool, TraceErrorKind> {
        check_zero(&unit[1..2])?;
        let Some(text) = self.take_text(unit)? else { return Ok(false) };
        let number = u32::from_le_bytes([unit[4], unit[5], unit[6], unit[7]]);
        let of_sites = unit[0] == Kind::Site as u8;
        let labels = if of_sites { &mut self.columns.sites } else { &mut self.columns.objects };
        let most = if of_sites { u32::MAX } else { u16::MAX.into() };
        if number as usize != labels.names.len() + 1 || number > most {
            return Err(TraceErrorKind::NameOutOfOrder { number, names: labels.names.len() });
        }
        try_push(&mut labels.names, text.into())?;
        Ok(true)
    }

    fn note(&mut self, unit: &Unit) -> Result<bool, TraceErrorKind> {
        check_zero(&unit[1..2])?;
        check_zero(&unit[4..8])?;
        let Some(text) = self.take_text(unit)? else { return Ok(false) };
        let Some((name, value)) = text.split_once('=') else {
            return Err(TraceErrorKind::NoteNameless);
        };
        try_push(&mut self.columns.notes, (name.to_owned(), value.to_owned()))?;
        Ok(true)
    }

    fn stack(&mut self, unit: &Unit) -> Result<bool, TraceErrorKind> {
        check_zero(&unit[1..2])?;
        let length = u16::from_le_bytes([unit[2], unit[3]]);
        if usize::from(length) != STACK_BYTES {
            return Err(TraceErrorKind::StackLength { length });
        }
        check_zero(&unit[TEXT_AT + STACK_BYTES..])?;
        let word = |at| u32::from_le_bytes([unit[at], unit[at + 1], unit[at + 2], unit[at + 3]]);
        let sites = self.columns.sites.count();
        self.columns.stacks.push(word(4), (word(8), word(12)), sites)?;
        Ok(true)
    }

    fn event_stacks(&mut self, unit: &Unit) -> Result<bool, TraceErrorKind> {
        check_zero(&unit[1..2])?;
        check_zero(&unit[4..8])?;
        let length = u16::from_le_bytes([unit[2], unit[3]]);
        if self.take_text(unit)?.is_none() {
            return Ok(false);
        }
        let (bytes, padding) = self.text.split_at(length.into());
        let (first, stacks) = bytes.split_at_checked(FIRST_BYTES).unwrap_or_default();
        let (stacks, []) = stacks.as_chunks::<4>() else {
            return Err(TraceErrorKind::StackLength { length });
        };
        if stacks.is_empty() {
            return Err(TraceErrorKind::StackLength { length });
        }
        check_zero(padding)?;
        self.columns.stacks.push_events(u64_of(first), stacks, self.events.len())?;
        Ok(true)
    }

    fn end(&mut self, unit: &Unit) -> Result<(), TraceErrorKind> {
        check_zero(&unit[1..8])?;
        check_zero(&unit[16..])?;
        let (said, found) = (u64_of(&unit[8..16]), self.events.len() as u64);
        if said != found {
            return Err(TraceErrorKind::WrongCount { said, found });
        }
        match self.units.next()? {
            Next::End { left_over: 0 } => Ok(()),
            _ => Err(TraceErrorKind::AfterEnd),
        }
    }

    /// Reads on to the end of a text, and returns a copy; `None` where the file ends first.
    fn take_text(&mut self, unit: &Unit) -> Result<Option<String>, TraceErrorKind> {
        let length = usize::from(u16::from_le_bytes([unit[2], unit[3]]));
        self.text.clear();
        self.text.extend_from_slice(&unit[TEXT_AT..]);
        while self.text.len() < length {
            match self.units.next()? {
                Next::Unit(more) => self.text.extend_from_slice(&more),
                Next::End { left_over } => {
                    let left_over = TEXT_AT + self.text.len() + left_over;
                    self.columns.ending = Ending::Cut { left_over };
                    return Ok(None);
                }
            }
        }
        let (text, padding) = self.text.split_at(length);
        if unit[0] > Kind::Note as u8 {
            // What is passed over is not judged.
            return Ok(Some(String::new()));
        }
        check_zero(padding)?;
        let text = str::from_utf8(text).map_err(|_| TraceErrorKind::NoText)?;
        Ok(Some(text.to_owned()))
    }
}

/// The units of a file, read in pieces.
struct Units<R> {
    input: R,
    piece: Vec<Unit>,
    /// The next unit of the piece.
    at: usize,
    /// How many bytes of the piece are filled.
    filled: usize,
    /// How many units were given out.
    taken: u64,
}

enum Next {
    Unit(Unit),
    /// No whole unit follows, only `left_over` bytes.
    End {
        left_over: usize,
    },
}

impl<R: Read> Units<R> {
    fn next(&mut self) -> Result<Next, TraceErrorKind> {
        if self.at == self.piece.len() || self.filled == 0 {
            self.filled = fill(&mut self.input, self.piece.as_flattened_mut())
                .map_err(TraceErrorKind::Unreadable)?;
            self.at = 0;
        }
        let start = self.at * UNIT_BYTES;
        if start + UNIT_BYTES > self.filled {
            return Ok(Next::End { left_over: self.filled.saturating_sub(start) });
        }
        self.at += 1;
        self.taken += 1;
        Ok(Next::Unit(self.piece[self.at - 1]))
    }
}

fn check_zero(bytes: &[u8]) -> Result<(), TraceErrorKind> {
    match bytes.iter().find(|&&byte| byte != 0) {
        Some(&byte) => Err(TraceErrorKind::NotZero { byte }),
        None => Ok(()),
    }
}

/// Returns the number in eight bytes.
fn u64_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests;
