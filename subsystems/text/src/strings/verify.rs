//! Whether texts that are read are as they must be.

use loligo_resources::DataError;

use super::{STRINGS_TYPE, Strings, text_of};
use crate::plural::{PluralCategory, PluralRule};

/// Checks the invariants of texts.
///
/// # Errors
///
/// [`DataError`] names the part.
pub(super) fn verify(strings: &Strings<'_>) -> Result<(), DataError> {
    let fail = |field, must, found| Err(DataError::part(STRINGS_TYPE, field, must, found));
    let Strings { rule, keys, texts, forms, pieces, bytes, .. } = *strings;
    if PluralRule::of_number(rule).is_none() {
        return fail("rule", "the number of a rule for plurals", u64::from(rule));
    }
    if keys.len() != texts.len() {
        return fail("texts", "as many as keys", texts.len() as u64);
    }
    if let Some(at) = keys.windows(2).position(|pair| pair[0] >= pair[1]) {
        return fail("keys", "in ascending order, none twice", at as u64 + 1);
    }
    let all = (1 << PluralCategory::ALL.len()) - 1;
    let other = 1 << PluralCategory::Other as u32;
    for (at, text) in (0..).zip(texts) {
        if text.categories & !all != 0 || text.categories & other == 0 {
            return fail("categories", "those that there are, `other` among them", at);
        }
        let end = u64::from(text.form) + u64::from(text.categories.count_ones());
        if end > forms.len() as u64 {
            return fail("form", "that of forms that there are", at);
        }
        let Some(by) = text_of(bytes, text.by) else {
            return fail("by", "UTF-8 that is there", at);
        };
        if text.categories != other && by.is_empty() {
            return fail("by", "the name of a placeholder where there are several forms", at);
        }
    }
    for (at, form) in (0..).zip(forms) {
        if u64::from(form.piece) + u64::from(form.count) > pieces.len() as u64 {
            return fail("piece", "that of pieces that there are", at);
        }
    }
    for (at, piece) in (0..).zip(pieces) {
        if piece.is_placeholder > 1 {
            return fail("is_placeholder", "0 or 1", at);
        }
        if text_of(bytes, piece.bytes).is_none() {
            return fail("bytes", "UTF-8 that is there", at);
        }
    }
    Ok(())
}
