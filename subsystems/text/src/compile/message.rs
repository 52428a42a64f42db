//! A form of a text, cut at its placeholders.

use std::borrow::ToOwned as _;
use std::format;
use std::string::String;
use std::vec::Vec;

/// A piece of a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// It is shown as it is.
    Text(String),
    /// A value of that name is in its place.
    Placeholder(String),
}

/// A form of a text: what is shown, and names of values between.
///
/// # Examples
///
/// ```
/// use loligo_text::compile::{Message, Piece};
///
/// let message = Message::parse("{{{name}}}").expect("it is right");
/// let name = Piece::Placeholder("name".into());
/// assert_eq!(message.pieces, [Piece::Text("{".into()), name, Piece::Text("}".into())]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Message {
    /// The pieces in order: no two texts follow each other, and none is empty.
    pub pieces: Vec<Piece>,
}

impl Message {
    /// Reads a text of a source.
    ///
    /// # Errors
    ///
    /// The reason and the remedy, if a brace is alone or a name is not one.
    pub fn parse(source: &str) -> Result<Self, (String, &'static str)> {
        let (mut pieces, mut shown) = (Vec::new(), String::new());
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            shown.push_str(before);
            if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
                shown.push_str(&from[..1]);
                rest = after;
                continue;
            }
            let Some(inner) = from.strip_prefix('{') else {
                let reason = format!("there is a `}}` without a `{{` in `{source}`");
                return Err((reason, "write `}}` for a brace that is shown"));
            };
            let Some((name, after)) = inner.split_once('}') else {
                let reason = format!("there is a `{{` without a `}}` in `{source}`");
                return Err((reason, "write `{{` for a brace that is shown"));
            };
            if !is_name(name) {
                let reason = format!("`{{{name}}}` is no placeholder");
                return Err((reason, NAMES));
            }
            if !shown.is_empty() {
                pieces.push(Piece::Text(core::mem::take(&mut shown)));
            }
            pieces.push(Piece::Placeholder(name.to_owned()));
            rest = after;
        }
        shown.push_str(rest);
        if !shown.is_empty() {
            pieces.push(Piece::Text(shown));
        }
        Ok(Self { pieces })
    }

    /// Returns the names of its placeholders, in order, each as often as it comes.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Placeholder(name) => Some(&**name),
            Piece::Text(_) => None,
        })
    }
}

/// What a name may be.
pub(super) const NAMES: &str = "name it by at most 32 letters, digits and `_`: `{name}`; or write `{{` for a brace that is shown";

/// Returns whether a placeholder can be called so.
pub(super) fn is_name(name: &str) -> bool {
    let is_right = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=32).contains(&name.len()) && name.bytes().all(is_right)
}
