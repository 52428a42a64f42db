//! Where a text can be cut: the functions of `str` for it are newer than the oldest compiler that
//! this crate promises.

/// Returns the last boundary between characters at or before `at`.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    // The start is a boundary.
    (0..=at).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

/// Returns the first boundary between characters at or after `at`, which is at most the length.
pub(crate) fn ceil(text: &str, at: usize) -> usize {
    // The end is a boundary.
    (at..text.len()).find(|&place| text.is_char_boundary(place)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
