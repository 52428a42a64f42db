//! What scripts ask of texts.

use core::fmt::{self, Write};

use loligo_ids::IdString64;
use loligo_interface::SubsystemFunction;
use loligo_script::{ArgumentError, Call, FieldValue, Kind, RESULT_TEXT_BYTES_MAX};

use super::TextSubsystem;
use crate::value::TextValue;

const TEXT: &[Kind] = &[Kind::Text];
const BOOL: &[Kind] = &[Kind::Bool];

pub(super) const FUNCTIONS: [SubsystemFunction; 4] = [
    of(
        "Text.get",
        &[Kind::Text, Kind::Fields],
        TEXT,
        "the text of a name in the player's language, with values in the place of its placeholders: \
         `Text.get(\"menu.coins\", { count = 3 })`; `?name?` if there is none",
    ),
    of("Text.has", TEXT, BOOL, "whether there is a text of a name"),
    of(
        "Text.language",
        TEXT,
        TEXT,
        "the language of the texts of a resource, such as `en`; empty if it is not loaded",
    ),
    of(
        "Text.missing",
        &[],
        TEXT,
        "the names of texts that were asked for and are not there, a line each",
    ),
];

const fn of(
    name: &'static str,
    arguments: &'static [Kind],
    results: &'static [Kind],
    help: &'static str,
) -> SubsystemFunction {
    SubsystemFunction { name, arguments, results, help }
}

pub(super) fn call(
    text: &mut TextSubsystem<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    match function {
        0 => get(text, call),
        1 => {
            let has = text.has(call.text(0)?);
            call.return_bool(has);
            Ok(())
        }
        2 => {
            let resource = IdString64::new(call.text(0)?);
            call.return_text(text.language(resource).unwrap_or_default())
        }
        3 => {
            let mut lines = Line::new();
            for (number, name) in text.missing().enumerate() {
                let line = if number == 0 { "" } else { "\n" };
                // What there is no room for is left out.
                if lines.write_str(line).and_then(|()| lines.write_str(name)).is_err() {
                    break;
                }
            }
            call.return_text(lines.as_str())
        }
        _ => Err(call.refuse(format_args!("the subsystem has no such function"))),
    }
}

fn get(text: &mut TextSubsystem<'_>, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    // A text is borrowed from the call, which says what is wrong with it.
    call.text(0)?;
    let name = core::str::from_utf8(call.bytes(0)).unwrap_or_default();
    let value = |name: &str| match call.field(1, name)? {
        FieldValue::Text(bytes) => Some(TextValue::Text(core::str::from_utf8(bytes).ok()?)),
        FieldValue::Number(number) if call.is_plain(number) => Some(TextValue::Number(number)),
        FieldValue::Bool(true) => Some(TextValue::Text("true")),
        FieldValue::Bool(false) => Some(TextValue::Text("false")),
        _ => None,
    };
    let mut line = Line::new();
    if text.write(name, &value, &mut line).is_err() {
        return Err(call.refuse(format_args!(
            "the text has more than {RESULT_TEXT_BYTES_MAX} bytes with its values; shorten it"
        )));
    }
    call.return_text(line.as_str())
}

/// Text of as many bytes as a call returns.
struct Line {
    bytes: [u8; RESULT_TEXT_BYTES_MAX],
    len: usize,
}

impl Line {
    const fn new() -> Self {
        Self { bytes: [0; RESULT_TEXT_BYTES_MAX], len: 0 }
    }

    fn as_str(&self) -> &str {
        // Texts alone were copied, each whole.
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}
