//! Keys by the symbol that the layout gives them.

use core::fmt;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::key_code::KeyCode;

/// The first number of keys without a character: above all characters.
const NAMED: u32 = 0x0020_0000;

/// What a key means in the player's layout: a character, or a key with a name such as `Enter`.
///
/// Modifiers do not change it: a key has the same symbol when it is pressed and when it is
/// released, and letters are lower case. A key with a name is the one of [`KeyCode`] that bears
/// this name on a standard keyboard.
///
/// # Memory
///
/// Four bytes: 0 for no symbol, the character, or 2^21 and the number of the key.
///
/// # Examples
///
/// ```
/// use loligo_platform::{KeyCode, KeySymbol};
///
/// assert_eq!(KeySymbol::from_char('W'), KeySymbol::from_char('w'));
/// assert_eq!(KeySymbol::from_char('w').char(), Some('w'));
/// assert_eq!(KeySymbol::from_key(KeyCode::Enter).key(), Some(KeyCode::Enter));
/// assert_eq!(KeySymbol::NONE.char(), None);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, AnyBitPattern, NoUninit)]
#[repr(transparent)]
pub struct KeySymbol(u32);

impl KeySymbol {
    /// No symbol.
    pub const NONE: Self = Self(0);

    /// Returns the symbol of a character, lower case where that is one character.
    #[must_use]
    pub fn from_char(character: char) -> Self {
        let mut lower = character.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(lower), None) => Self(u32::from(lower)),
            _ => Self(u32::from(character)),
        }
    }

    /// Returns the symbol of a key with a name; none of [`KeyCode::Unidentified`].
    #[must_use]
    pub const fn from_key(key: KeyCode) -> Self {
        match key {
            KeyCode::Unidentified => Self::NONE,
            _ => Self(NAMED | key as u32),
        }
    }

    /// Returns the symbol with a number, if any has it.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        let symbol = Self(number);
        let is_known = number == 0 || symbol.char().is_some() || symbol.key().is_some();
        is_known.then_some(symbol)
    }

    /// Returns the number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Returns the character, if it is one.
    #[must_use]
    pub fn char(self) -> Option<char> {
        char::from_u32(self.0).filter(|character| *character != '\0')
    }

    /// Returns the key, if it is one with a name.
    #[must_use]
    pub fn key(self) -> Option<KeyCode> {
        let number = u16::try_from(self.0.checked_sub(NAMED)?).ok()?;
        KeyCode::from_number(number).filter(|key| *key != KeyCode::Unidentified)
    }
}

impl fmt::Debug for KeySymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.char(), self.key()) {
            (Some(character), _) => write!(f, "{character:?}"),
            (None, Some(key)) => write!(f, "'{key}'"),
            (None, None) => write!(f, "KeySymbol({:#x})", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KeySymbol, NAMED};
    use crate::key_code::KeyCode;

    #[test]
    fn numbers_lead_back_or_are_refused() {
        for character in ['a', 'ß', '/', '\u{10ffff}', 'İ'] {
            let symbol = KeySymbol::from_char(character);
            assert_eq!(symbol.char(), Some(character), "{symbol:?}");
            assert_eq!(KeySymbol::from_number(symbol.number()), Some(symbol), "{symbol:?}");
        }
        for key in &KeyCode::ALL[1..] {
            let symbol = KeySymbol::from_key(*key);
            assert_eq!((symbol.key(), symbol.char()), (Some(*key), None), "{symbol:?}");
            assert_eq!(KeySymbol::from_number(symbol.number()), Some(symbol), "{symbol:?}");
        }
        for number in [0xd800, 0x0011_0000, NAMED, NAMED + KeyCode::ALL.len() as u32, u32::MAX] {
            assert_eq!(KeySymbol::from_number(number), None, "{number:#x}");
        }
        assert_eq!(KeySymbol::from_key(KeyCode::Unidentified), KeySymbol::NONE);
    }
}
