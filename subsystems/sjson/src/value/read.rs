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
            Event::Number(first) => {
                let mut next = Some(first);
                while let Some(text) = next {
                    match number(text) {
                        Some(Parsed::I64(number)) => builder.try_i64(number)?,
                        Some(Parsed::U64(number)) => builder.try_u64(number)?,
                        Some(Parsed::F64(number)) => builder.try_f64(number)?,
                        None => return Err(parser.error_here(&TOO_LARGE).into()),
                    };
                    next = parser.further_number()?;
                }
                true
            }
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
fn number(number: Number<'_>) -> Option<Parsed> {
    let decimal = number.decimal();
    match decimal.i64() {
        // Zero keeps its sign.
        Some(0) if decimal.is_negative() => Some(Parsed::F64(-0.0)),
        Some(integer) => Some(Parsed::I64(integer)),
        None => match decimal.f64() {
            Some(float) => Some(Parsed::F64(float)),
            None => long(number.as_str()),
        },
    }
}

/// Returns what a number of many digits or with an exponent is worth.
#[inline(never)]
fn long(text: &str) -> Option<Parsed> {
    if let Ok(number) = text.parse() {
        return Some(Parsed::I64(number));
    }
    if let Ok(number) = text.parse() {
        return Some(Parsed::U64(number));
    }
    let float = text.parse().ok().filter(|float: &f64| float.is_finite());
    float.map(Parsed::F64)
}

/// Appends a string; one without escapes is passed on as it is, not in memory as a [`Text`] would.
#[inline]
fn append<A: Allocator + ?Sized>(
    text: &mut Array<'_, u8, A>,
    string: Text<'_>,
) -> Result<(), GrowError> {
    match string.plain() {
        Some(plain) => text.try_extend_from_slice(plain.as_bytes()),
        None => string.unescape(|piece| text.try_extend_from_slice(piece.as_bytes())),
    }
}
