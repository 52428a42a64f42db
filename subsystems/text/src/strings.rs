//! The texts of a resource: found by key, written with values in them.
//!
//! After Niklas Frykholm, "Strings Redux" (2011): UTF-8 everywhere, and texts that are fetched by a
//! hash of 64 bits. Changes: placeholders have names, and a text has forms for numbers, which each
//! language chooses by its rule.

use core::fmt::{self, Write};

use loligo_containers::Blob;
use loligo_ids::IdString64;
use loligo_resources::DataError;

use crate::plural::{Operands, PluralCategory, PluralRule};
use crate::value::TextValue;

mod image;
mod verify;

pub use image::{StringsFormImage, StringsImage, StringsPieceImage, StringsTextImage};

/// The type of texts.
pub const STRINGS_TYPE: &str = "strings";

/// The version of texts that is compiled and read here.
pub const STRINGS_VERSION: u32 = 1;

/// The most bytes of a form of a text in its source.
pub const TEXT_BYTES_MAX: usize = 2048;

/// Texts that were opened: a view of bytes that were verified once.
///
/// # Complexity
///
/// A text is found in O(log texts) and written in O(bytes). Nothing is allocated.
///
/// # Layout
///
/// ```text
/// keys    | hash of `options.sound`                       8 bytes a text
/// texts   | first form | which forms | placeholder        16 bytes a text
/// forms   | first piece | count                            8 bytes a form
/// pieces  | is a placeholder | begin | bytes              12 bytes a piece
/// bytes   | You have | count |  coins                     UTF-8
/// ```
///
/// # Invariants
///
/// 1. Keys ascend, and there are as many texts.
/// 2. Each text has the form `other`. One with several has the name of the placeholder that chooses.
/// 3. Forms, pieces and bytes that are named are there; bytes are UTF-8.
#[derive(Clone, Copy)]
pub struct Strings<'b> {
    rule: u32,
    language: &'b str,
    keys: &'b [IdString64],
    texts: &'b [StringsTextImage],
    forms: &'b [StringsFormImage],
    pieces: &'b [StringsPieceImage],
    bytes: &'b [u8],
}

impl<'b> Strings<'b> {
    /// Opens the payload of a resource of type `strings`. It must be at a multiple of 16, as that of a
    /// loaded resource is.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let strings = Self::open_verified(payload)?;
        strings.verify()?;
        Ok(strings)
    }

    /// Opens what [`open`](Self::open) has accepted before, without a second look at its texts. Of bytes
    /// that it would not accept, texts are missing or wrong, and nothing panics.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`DataError`] if it is not a blob of this type.
    pub fn open_verified(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<StringsImage>::open_structure(payload)
            .map_err(|error| DataError::blob(STRINGS_TYPE, error))?;
        let image = blob.root();
        Ok(Self {
            rule: image.rule,
            language: blob.str(&image.language),
            keys: blob.array(&image.keys),
            texts: blob.array(&image.texts),
            forms: blob.array(&image.forms),
            pieces: blob.array(&image.pieces),
            bytes: blob.array(&image.bytes),
        })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        verify::verify(self)
    }

    /// Returns the code of the language of the texts.
    #[must_use]
    pub const fn language(&self) -> &'b str {
        self.language
    }

    /// Returns the hashes of all keys, in ascending order.
    #[must_use]
    pub const fn keys(&self) -> &'b [IdString64] {
        self.keys
    }

    /// Writes a text with values in the place of its placeholders. Returns `false`, and has written
    /// nothing, if there is no text of that key.
    ///
    /// `value` is called with the name of each placeholder as it comes, and first with that which chooses
    /// the form. One without a value is written as in the source: `{name}`. Where that which chooses is not
    /// a number, the form is `other`.
    ///
    /// # Complexity
    ///
    /// O(log texts + bytes), and a call of `value` for each placeholder. Allocates nothing.
    ///
    /// # Errors
    ///
    /// That of the writer.
    pub fn write<'v>(
        &self,
        key: IdString64,
        value: &dyn Fn(&str) -> Option<TextValue<'v>>,
        out: &mut dyn Write,
    ) -> Result<bool, fmt::Error> {
        let Ok(at) = self.keys.binary_search(&key) else { return Ok(false) };
        let Some(text) = self.texts.get(at) else { return Ok(false) };
        for piece in self.pieces_of(self.form_of(text, value)) {
            let bytes = text_of(self.bytes, piece.bytes).unwrap_or_default();
            match piece.is_placeholder {
                0 => out.write_str(bytes)?,
                _ => match value(bytes) {
                    Some(value) => write!(out, "{value}")?,
                    None => write!(out, "{{{bytes}}}")?,
                },
            }
        }
        Ok(true)
    }

    /// Returns which form of a text is written with some values.
    fn form_of<'v>(
        &self,
        text: &StringsTextImage,
        value: &dyn Fn(&str) -> Option<TextValue<'v>>,
    ) -> u32 {
        let by = text_of(self.bytes, text.by).unwrap_or_default();
        let operands = match by {
            "" => None,
            by => match value(by) {
                Some(TextValue::Number(number)) => Some(Operands::of_number(number)),
                Some(TextValue::Text(digits)) => Operands::of_text(digits),
                None => None,
            },
        };
        let rule = PluralRule::of_number(self.rule);
        let category = rule.zip(operands).map(|(rule, operands)| rule.category(&operands) as u32);
        let has = |category: &u32| text.categories & 1 << category != 0;
        let category = category.filter(has).unwrap_or(PluralCategory::Other as u32);
        let before = text.categories & ((1 << category) - 1);
        text.form.saturating_add(before.count_ones())
    }

    fn pieces_of(&self, form: u32) -> &'b [StringsPieceImage] {
        let Some(form) = self.forms.get(form as usize) else { return &[] };
        let end = form.piece.saturating_add(form.count);
        self.pieces.get(form.piece as usize..end as usize).unwrap_or_default()
    }
}

impl fmt::Debug for Strings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strings")
            .field("language", &self.language)
            .field("texts", &self.texts.len())
            .finish_non_exhaustive()
    }
}

/// Returns some bytes of all as text; `None` if they are not there, or no text.
fn text_of(bytes: &[u8], [begin, count]: [u32; 2]) -> Option<&str> {
    let end = (begin as usize).checked_add(count as usize)?;
    core::str::from_utf8(bytes.get(begin as usize..end)?).ok()
}
