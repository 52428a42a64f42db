//! What is written as a control: `ControlLeft+KeyS`, `-PadLeftX`.

use loligo_compiler::{CompileError, Property, nearest};
use std::format;
use std::string::String;
use std::vec::Vec;

use crate::control::Control;
use crate::control::names::names;
use crate::mapping::CHORD_MAX;

/// A control, what must be held with it, and whether its value is turned round.
#[derive(Debug)]
pub(super) struct Chord {
    pub(super) control: Control,
    pub(super) held: Vec<Control>,
    pub(super) is_negative: bool,
}

impl Chord {
    /// Reads the text of a value.
    pub(super) fn read(value: &Property) -> Result<Self, CompileError> {
        let text = value.string()?;
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut held = Vec::new();
        for piece in pieces(rest) {
            held.push(Control::from_name(piece).ok_or_else(|| unknown(piece, value))?);
        }
        let control = held.pop().unwrap_or(Control::NONE);
        if held.len() > CHORD_MAX {
            let reason = format!("\"{text}\" are {} controls", held.len() + 1);
            return Err(value.error(reason, format!("name {} at most", CHORD_MAX + 1)));
        }
        if let Some(analog) = held.iter().find(|control| !control.is_digital()) {
            let remedy = "hold keys or buttons, and name it last";
            return Err(value.error(format!("`{analog}` is never held: it has a value"), remedy));
        }
        let twice = (0..=held.len()).find_map(|at| {
            let control = held.get(at).unwrap_or(&control);
            held[..at].contains(control).then_some(control)
        });
        if let Some(twice) = twice {
            return Err(value.error(format!("`{twice}` is named twice"), "name it once"));
        }
        held.sort_unstable();
        Ok(Self { control, held, is_negative })
    }
}

/// Returns the names of a chord: a plus sign parts them, but one in quotation marks is a key.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(character) = text[at..].chars().next() {
        let length = character.len_utf8();
        if character == '+' {
            pieces.push(&text[start..at]);
            start = at + length;
        } else if character == '\'' && at == start {
            // The character after it is the key, whatever it is.
            let key = text[at + length..].chars().next().map_or(0, char::len_utf8);
            at += key;
        }
        at += length;
    }
    pieces.push(&text[start..]);
    pieces
}

fn unknown(name: &str, value: &Property) -> CompileError {
    let reason = format!("\"{name}\" is no control");
    let is_letter = name.chars().count() == 1;
    let remedy = match nearest(name, names()) {
        // Two letters make any short name of another.
        _ if is_letter => format!("\"'{name}'\" is the key that types it"),
        Some(near) => format!("is `{near}` meant?"),
        None => String::from("name a key, such as `KeyW`, `'w'` or `ArrowUp`, a button or an axis"),
    };
    value.error(reason, remedy)
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn plus_signs_part_names_and_are_keys() {
        for (text, parts) in [
            ("KeyS", &["KeyS"][..]),
            ("ControlLeft+KeyS", &["ControlLeft", "KeyS"]),
            ("ControlLeft+'+'", &["ControlLeft", "'+'"]),
            ("'+'+'''", &["'+'", "'''"]),
            ("'ß'+A", &["'ß'", "A"]),
            ("", &[""]),
            ("+", &["", ""]),
            ("'", &["'"]),
            ("a+'", &["a", "'"]),
        ] {
            assert_eq!(pieces(text), parts, "{text}");
        }
    }
}
