//! Values from a text.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::error::{ReadError, Why};
use crate::event::Event;
use crate::number::Number;
use crate::parser::Parser;
use crate::string::Text;
use crate::value::ValueBuilder;

static TOO_LARGE: Why =
    Why::new("a number that 64 bits of float can hold", "write a smaller one, or a string");

/// Reads a document into a builder.
pub(super) fn read<A: Allocator + ?Sized>(
    parser: &mut Parser<'_>,
    builder: &mut ValueBuilder<'_, A>,
) -> Result<(), ReadError> {
    while let Some(event) = parser.next_event()? {
        match event {
            Event::Number(text) => match number(text) {
                Some(Parsed::I64(number)) => builder.try_i64(number)?,
                Some(Parsed::U64(number)) => builder.try_u64(number)?,
                Some(Parsed::F64(number)) => builder.try_f64(number)?,
                None => return Err(parser.error_here(&TOO_LARGE).into()),
            },
            Event::Null => builder.try_null()?,
            Event::Bool(value) => builder.try_bool(value)?,
            Event::String(string) => builder.try_string_with(|text| append(text, string))?,
            Event::Key(key) => builder.try_key_with(|text| append(text, key))?,
            Event::Start(nest) => builder.try_start(nest)?,
            Event::End(nest) => builder.try_end(nest)?,
        };
    }
    Ok(())
}

/// A number as a value holds it.
enum Parsed {
    I64(i64),
    U64(u64),
    F64(f64),
}

/// Returns what a number is worth; `None` where it is too large.
#[inline]
fn number(text: Number<'_>) -> Option<Parsed> {
    // Zero keeps its sign.
    if text.is_integer() && text.as_str() != "-0" {
        if let Some(number) = text.i64() {
            return Some(Parsed::I64(number));
        }
        if let Some(number) = text.u64() {
            return Some(Parsed::U64(number));
        }
    }
    text.f64().map(Parsed::F64)
}

fn append<A: Allocator + ?Sized>(
    text: &mut Array<'_, u8, A>,
    string: Text<'_>,
) -> Result<(), GrowError> {
    string.unescape(|piece| text.try_extend_from_slice(piece.as_bytes()))
}
