//! Protocol buffers, as far as traces need them: numbers, doubles, texts, and messages within
//! messages.

use std::io::{self, Write};

/// The field of a trace that is a packet.
const PACKET: u32 = 1;

/// Wire types.
const VARINT: u32 = 0;
const FIXED_64: u32 = 1;
const LENGTH: u32 = 2;

/// Bytes of the fields of one message, but for its last: six numbers at the most, or a few and a
/// short text.
const FIELDS_BYTES: usize = 64;

/// Fields of a message, as bytes.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    bytes: [u8; FIELDS_BYTES],
    len: usize,
}

impl Fields {
    pub(super) const fn new() -> Self {
        Self { bytes: [0; FIELDS_BYTES], len: 0 }
    }

    /// Appends a whole number.
    pub(super) fn number(&mut self, field: u32, value: u64) {
        self.varint(u64::from(field << 3 | VARINT));
        self.varint(value);
    }

    /// Appends a double.
    pub(super) fn double(&mut self, field: u32, value: f64) {
        self.varint(u64::from(field << 3 | FIXED_64));
        self.append(&value.to_le_bytes());
    }

    /// Appends a short text.
    pub(super) fn text(&mut self, field: u32, text: &'static str) {
        self.varint(u64::from(field << 3 | LENGTH));
        self.varint(text.len() as u64);
        self.append(text.as_bytes());
    }

    /// Appends a message.
    pub(super) fn message(&mut self, field: u32, message: &Self) {
        self.varint(u64::from(field << 3 | LENGTH));
        self.varint(message.len as u64);
        self.append(message.bytes());
    }

    /// Returns the bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Appends a number, 7 bits a byte, the lowest first.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.append(&[value as u8 | 0x80]);
            value >>= 7;
        }
        self.append(&[value as u8]);
    }

    /// Appends fields that are bytes already.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

/// Writes a packet. `levels` are the packet, the message in it and so on: its fields, and the
/// number of the one that holds the next; of the innermost the number of the text, whose pieces are
/// `text`, or 0 for none.
pub(super) fn write_packet(
    writer: &mut impl Write,
    levels: &[(u32, Fields)],
    text: &[&str],
) -> io::Result<()> {
    let text_bytes: u64 = text.iter().map(|piece| piece.len() as u64).sum();
    for index in 0..levels.len() {
        // The length of a message is before it, and is that of all within.
        let field = if index == 0 { PACKET } else { levels[index - 1].0 };
        writer.write_all(prefix(field, within(&levels[index..], text_bytes)).bytes())?;
        writer.write_all(levels[index].1.bytes())?;
    }
    let Some(&(field, _)) = levels.last().filter(|(field, _)| *field != 0) else {
        return Ok(());
    };
    writer.write_all(prefix(field, text_bytes).bytes())?;
    text.iter().try_for_each(|piece| writer.write_all(piece.as_bytes()))
}

/// Returns the bytes of the first of `levels`, with all that is within it.
fn within(levels: &[(u32, Fields)], text_bytes: u64) -> u64 {
    let innermost =
        |field| if field == 0 { 0 } else { prefix(field, text_bytes).len as u64 + text_bytes };
    let mut bytes = 0;
    for (index, (field, fields)) in levels.iter().enumerate().rev() {
        let rest = if index + 1 == levels.len() {
            innermost(*field)
        } else {
            prefix(*field, bytes).len as u64 + bytes
        };
        bytes = fields.len as u64 + rest;
    }
    bytes
}

/// Returns the bytes before a field of length `bytes`.
fn prefix(field: u32, bytes: u64) -> Fields {
    let mut prefix = Fields::new();
    prefix.varint(u64::from(field << 3 | LENGTH));
    prefix.varint(bytes);
    prefix
}
