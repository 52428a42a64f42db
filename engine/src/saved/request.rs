//! What a game asks of the program that runs it: to be saved under a name, or loaded.

use core::fmt;

/// The most bytes of the name of a saved game.
pub(crate) const NAME_MAX: usize = 32;

/// The name of a saved game: a part of the name of a file, so made of few characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SaveName {
    bytes: [u8; NAME_MAX],
    len: u8,
}

/// Why a name is refused.
#[cfg(feature = "script")]
pub(crate) const NAMES: &str =
    "the name of a saved game is made of a to z, 0 to 9, - and _, from 1 to 32 of them";

impl SaveName {
    /// Returns a name, if it is one.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        if name.is_empty() || name.len() > NAME_MAX || !name.bytes().all(is_plain) {
            return None;
        }
        let mut bytes = [0; NAME_MAX];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        Some(Self { bytes, len: name.len() as u8 })
    }

    /// Returns it as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // It was made of text.
        core::str::from_utf8(&self.bytes[..self.len.into()]).unwrap_or_default()
    }
}

impl fmt::Debug for SaveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

/// What a game asks for, to be done between two frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveRequest {
    /// Save it: [`Engine::save`](crate::Engine::save).
    Save(SaveName),
    /// Load another: [`Engine::load`](crate::Engine::load).
    Load(SaveName),
}
