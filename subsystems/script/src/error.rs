//! What keeps a script from going on.

use core::error::Error;
use core::fmt;

use loligo_containers::{Array, GrowError};

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScriptErrorKind {
    /// A script failed: it is not valid Lua, or it raised an error, or Lua or a bound function did;
    /// or the host has no such module.
    Run,
    /// A script ran longer than it may, and was stopped. What it did so far is done.
    Stopped,
    /// There is no memory. What the script did so far is done.
    Memory,
    /// A binding is not right: its name, or too many arguments.
    Binding,
}

/// A script failed, or could not be made. The engine goes on; the script can be called again.
///
/// It is printed as Lua has it: `file:line: reason`, and the stack of calls below.
pub struct ScriptError<'m> {
    kind: ScriptErrorKind,
    text: Option<Array<'m, u8>>,
    /// The text to use if there is no memory for one.
    words: &'static str,
}

impl<'m> ScriptError<'m> {
    pub(crate) const fn words(kind: ScriptErrorKind, words: &'static str) -> Self {
        Self { kind, text: None, words }
    }

    pub(crate) const fn memory() -> Self {
        Self::words(
            ScriptErrorKind::Memory,
            "there is no memory left for scripts; collect, make less garbage, or raise the budget",
        )
    }

    pub(crate) const fn with_text(kind: ScriptErrorKind, text: Array<'m, u8>) -> Self {
        Self { kind, text: Some(text), words: "" }
    }

    /// Makes it the error of a script that was stopped.
    pub(crate) const fn stopped(mut self) -> Self {
        self.kind = ScriptErrorKind::Stopped;
        self
    }

    /// Adds a text to the first line; where there is no memory for it, it stays as it is.
    pub(crate) fn with_place(mut self, place: &[u8]) -> Self {
        let end = self.message().len();
        if let Some(text) = &mut self.text {
            // What is added is turned to before the stack of calls.
            if text.try_extend_from_slice(place).is_ok() {
                text[end..].rotate_right(place.len());
            }
        }
        self
    }

    /// Returns what kind of thing happened.
    #[must_use]
    pub const fn kind(&self) -> ScriptErrorKind {
        self.kind
    }

    /// Returns the whole text: place, reason, and the stack of calls.
    #[must_use]
    pub fn text(&self) -> &str {
        let Some(text) = &self.text else {
            return self.words;
        };
        match str::from_utf8(text) {
            Ok(text) => text,
            // What was cut from a script's own bytes may be no text to its end.
            Err(error) => str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
        }
    }

    /// Returns the first line: place and reason.
    #[must_use]
    pub fn message(&self) -> &str {
        self.text().split("\nstack traceback:").next().unwrap_or_default()
    }

    /// Returns the stack of calls, a line for each; empty if there is none.
    #[must_use]
    pub fn stack(&self) -> &str {
        self.text().split_once("stack traceback:\n").map_or("", |(_, stack)| stack)
    }

    /// Returns file, line from 1 on, and reason, if the message names a place.
    #[must_use]
    pub fn place(&self) -> Option<(&str, u32, &str)> {
        let message = self.message();
        let mut from = 0;
        while let Some(colon) = message[from..].find(':') {
            let file = &message[..from + colon];
            let rest = &message[from + colon + 1..];
            if let Some((line, reason)) = rest.split_once(':')
                && let Ok(line) = line.parse()
            {
                return Some((file, line, reason.trim_start()));
            }
            from += colon + 1;
        }
        None
    }
}

impl From<GrowError> for ScriptError<'_> {
    fn from(_: GrowError) -> Self {
        Self::memory()
    }
}

impl fmt::Display for ScriptError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for ScriptError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptError").field("kind", &self.kind).field("text", &self.text()).finish()
    }
}

impl Error for ScriptError<'_> {}
