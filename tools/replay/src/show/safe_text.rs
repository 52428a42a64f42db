//! Names from a file, for a terminal and for XML: neither is to be steered by what a file says.

/// Returns a name without control characters: `\u{1b}` in place of an escape.
pub(super) fn printable(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

/// Returns the last characters of a name, with `..` for those before them.
pub(super) fn ending(name: &str, letters: usize) -> String {
    let count = name.chars().count();
    if count <= letters {
        return name.to_owned();
    }
    let kept: String = name.chars().skip(count - letters.saturating_sub(2)).collect();
    format!("..{kept}")
}
