//! An array that waits until it is known whether it fits on one line.

use core::fmt;

use crate::options::Dialect;
use crate::writer::{Line, Writer};

/// The bytes of the longest array that may be on one line.
const BYTES: usize = 200;

/// The items of an array that is on its way.
#[derive(Clone, Copy)]
pub(super) struct Flat {
    state: State,
    bytes: u8,
    count: u8,
    /// Where the bytes of each item end.
    ends: [u8; BYTES / 2],
    text: [u8; BYTES],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No array waits.
    Idle,
    /// One does.
    Waiting,
    /// One does, and an item of it has begun.
    InItem,
}

impl Flat {
    pub(super) const fn new() -> Self {
        Self { state: State::Idle, bytes: 0, count: 0, ends: [0; BYTES / 2], text: [0; BYTES] }
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.state != State::Idle
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn begin(&mut self) {
        self.state = State::Waiting;
        self.bytes = 0;
        self.count = 0;
    }

    pub(super) fn begin_item(&mut self) {
        self.state = State::InItem;
    }

    pub(super) fn end_item(&mut self) {
        if self.state == State::InItem {
            // There is room, as every item but the last has a byte at least.
            self.ends[usize::from(self.count)] = self.bytes;
            self.count += 1;
            self.state = State::Waiting;
        }
    }

    /// Appends a piece of an item, or returns false where there is no room.
    fn push(&mut self, piece: &str, between: usize, bytes_max: usize) -> bool {
        let start = usize::from(self.bytes);
        let end = start + piece.len();
        let has_room = end + usize::from(self.count) * between <= bytes_max.min(BYTES);
        if !has_room || usize::from(self.count) + 1 >= self.ends.len() {
            return false;
        }
        self.text[start..end].copy_from_slice(piece.as_bytes());
        self.bytes = end as u8;
        true
    }

    /// Returns an item; the index after the last is the item that has been begun.
    fn item(&self, index: u8) -> &str {
        let end_of = |index: u8| usize::from(self.ends[usize::from(index)]);
        let start = index.checked_sub(1).map_or(0, end_of);
        let end = if index < self.count { end_of(index) } else { usize::from(self.bytes) };
        // What was put in is text, and each item is whole but the last, whose pieces are.
        core::str::from_utf8(&self.text[start..end]).unwrap_or_default()
    }
}

impl Writer<'_> {
    /// Writes a piece of a scalar.
    pub(super) fn put(&mut self, piece: &str) -> fmt::Result {
        if self.flat.state == State::InItem {
            let is_json = self.style.dialect == Dialect::Json;
            let (between, around) = if is_json { (2, 2) } else { (1, 4) };
            let room = u32::from(self.style.width).saturating_sub(self.column + around);
            if self.flat.push(piece, between, room as usize) {
                return Ok(());
            }
            self.spread_flat()?;
        }
        self.out(piece)
    }

    /// Writes the array that waits, and ends, on one line.
    pub(super) fn write_flat(&mut self) -> fmt::Result {
        let flat = self.flat;
        self.flat.state = State::Idle;
        let is_sjson = self.style.dialect == Dialect::Sjson;
        self.out("[")?;
        for index in 0..flat.count {
            match (is_sjson, index) {
                (true, _) => self.out(" ")?,
                (false, 0) => {}
                (false, _) => self.out(", ")?,
            }
            self.out(flat.item(index))?;
        }
        self.out(if is_sjson && flat.count > 0 { " ]" } else { "]" })
    }

    /// Gives up waiting: the array that waits, if any does, has a line for each item. An item that
    /// was begun is written as far as it goes.
    pub(super) fn spread_flat(&mut self) -> fmt::Result {
        if !self.flat.is_waiting() {
            return Ok(());
        }
        let flat = self.flat;
        self.flat.state = State::Idle;
        self.out("[")?;
        self.line = Line::Text;
        self.has_inside = false;
        self.has_item = false;
        for index in 0..flat.count {
            self.before_item()?;
            self.out(flat.item(index))?;
        }
        if flat.state == State::InItem {
            self.before_item()?;
            self.out(flat.item(flat.count))?;
        }
        Ok(())
    }
}
