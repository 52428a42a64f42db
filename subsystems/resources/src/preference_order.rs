//! The properties that a program prefers, as people write them: `withkittens, noblood, fr`.

use core::error::Error;
use core::fmt;

use loligo_ids::IdString64;

use crate::preference::PREFERENCES_MAX;

/// The most bytes of all names of an order, with a separator between two.
const TEXT_BYTES_MAX: usize = 512;

/// Preferred properties in order, the strongest first, with their names: for command lines,
/// settings and scripts. [`Resources`](crate::Resources) needs the hashes alone.
///
/// # Memory
///
/// 1032 bytes, without an allocation.
///
/// # Examples
///
/// ```
/// use loligo_ids::id64;
/// use loligo_resources::PreferenceOrder;
///
/// let order = PreferenceOrder::parse("withkittens, noblood fr")?;
/// assert_eq!(order.hashes(), [id64!("withkittens"), id64!("noblood"), id64!("fr")]);
/// assert_eq!(order.as_str(), "withkittens noblood fr");
/// let error = PreferenceOrder::parse("fr Fr, fr").expect_err("the first again");
/// assert_eq!(error.to_string(), "the property comes twice; remove one");
/// # Ok::<(), loligo_resources::PreferenceError>(())
/// ```
#[derive(Clone, Copy)]
pub struct PreferenceOrder {
    hashes: [IdString64; PREFERENCES_MAX],
    count: usize,
    text: [u8; TEXT_BYTES_MAX],
    bytes: usize,
}

impl PreferenceOrder {
    /// No preferences.
    pub const EMPTY: Self = Self {
        hashes: [IdString64::from_hash(0); PREFERENCES_MAX],
        count: 0,
        text: [0; TEXT_BYTES_MAX],
        bytes: 0,
    };

    /// Reads names with commas or spaces between them. An empty text is an order without any.
    ///
    /// # Errors
    ///
    /// [`PreferenceError`], as [`try_add`](Self::try_add).
    pub fn parse(names: &str) -> Result<Self, PreferenceError> {
        let mut order = Self::EMPTY;
        let names = names.split(|between: char| between == ',' || between.is_whitespace());
        names.filter(|name| !name.is_empty()).try_for_each(|name| order.try_add(name))?;
        Ok(order)
    }

    /// Appends a property, which is preferred less than those before it.
    ///
    /// # Errors
    ///
    /// [`PreferenceError`] if no file name can have that property, it is there already, or there
    /// are too many; nothing has changed.
    pub fn try_add(&mut self, name: &str) -> Result<(), PreferenceError> {
        let is_separator = |c: char| matches!(c, '.' | '/' | ',') || c.is_whitespace();
        if name.is_empty() || name.contains(|c: char| is_separator(c) || c.is_control()) {
            return Err(PreferenceError::Name);
        }
        let hash = IdString64::new(name);
        if self.hashes().contains(&hash) {
            return Err(PreferenceError::Twice);
        }
        let start = self.bytes + usize::from(self.count > 0);
        let end = start + name.len();
        if self.count == PREFERENCES_MAX || end > TEXT_BYTES_MAX {
            return Err(PreferenceError::TooMany);
        }
        self.text[self.bytes..start].fill(b' ');
        self.text[start..end].copy_from_slice(name.as_bytes());
        self.hashes[self.count] = hash;
        self.count += 1;
        self.bytes = end;
        Ok(())
    }

    /// Returns the hashes of the names.
    #[must_use]
    pub fn hashes(&self) -> &[IdString64] {
        &self.hashes[..self.count]
    }

    /// Returns the names with a space between two.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Text alone was copied.
        core::str::from_utf8(&self.text[..self.bytes]).unwrap_or_default()
    }
}

impl Default for PreferenceOrder {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl PartialEq for PreferenceOrder {
    fn eq(&self, other: &Self) -> bool {
        self.hashes() == other.hashes()
    }
}

impl Eq for PreferenceOrder {}

impl fmt::Debug for PreferenceOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreferenceOrder").field(&self.as_str()).finish()
    }
}

/// Why properties cannot be preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PreferenceError {
    /// No file name can have the property.
    Name,
    /// It is in the order already.
    Twice,
    /// There is no room for one more.
    TooMany,
}

impl fmt::Display for PreferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => {
                "no file name can have the property; write it as in the name, without dots: \
                 `fr` for `menu.fr.texture`"
            }
            Self::Twice => "the property comes twice; remove one",
            Self::TooMany => "more than 64 properties, or 512 bytes, are preferred; prefer fewer",
        })
    }
}

impl Error for PreferenceError {}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::{String, ToString as _};

    use super::{PREFERENCES_MAX, PreferenceError, PreferenceOrder};

    #[test]
    fn names_are_read_with_any_separator_and_bad_ones_are_refused() {
        let order = PreferenceOrder::parse("  fr,pt-br\n,, noblood ").expect("three names");
        assert_eq!(order.as_str(), "fr pt-br noblood");
        assert_eq!(PreferenceOrder::parse(" , ").expect("none"), PreferenceOrder::EMPTY);
        for (names, error) in [
            ("fr.de", PreferenceError::Name),
            ("a/b", PreferenceError::Name),
            ("a\u{7}", PreferenceError::Name),
            ("fr de fr", PreferenceError::Twice),
        ] {
            assert_eq!(PreferenceOrder::parse(names), Err(error), "{names:?}");
        }
        let mut order = PreferenceOrder::EMPTY;
        assert_eq!(order.try_add(""), Err(PreferenceError::Name));
    }

    #[test]
    fn an_order_has_room_for_as_many_as_it_says() {
        let many: String = (0..PREFERENCES_MAX).map(|number| format!("p{number} ")).collect();
        let mut order = PreferenceOrder::parse(&many).expect("as many as there may be");
        let before = order.as_str().to_string();
        assert_eq!(order.try_add("more"), Err(PreferenceError::TooMany));
        assert_eq!((order.hashes().len(), order.as_str()), (PREFERENCES_MAX, &*before));

        let long = "x".repeat(511);
        let mut order = PreferenceOrder::parse(&long).expect("it fits");
        assert_eq!(order.try_add("y"), Err(PreferenceError::TooMany), "with its separator");
        assert_eq!(order.as_str(), long, "as it was");
        assert!(PreferenceOrder::parse(&"é".repeat(256)).is_ok(), "512 bytes");
    }
}
