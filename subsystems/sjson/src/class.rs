//! What each byte may be part of.

/// A byte of a key without quotes.
pub(crate) const BARE: u8 = 1;
/// Space, in every dialect.
pub(crate) const SPACE: u8 = 2;

/// The classes of each byte.
pub(crate) static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let char = byte as u8;
        // Of the bytes of other alphabets the characters are looked at, later.
        if char.is_ascii_alphanumeric()
            || matches!(char, b'_' | b'-' | b'.' | b'#' | b'@' | b'$')
            || !char.is_ascii()
        {
            classes[byte] |= BARE;
        }
        if matches!(char, b' ' | b'\t' | b'\r' | b'\n') {
            classes[byte] |= SPACE;
        }
        byte += 1;
    }
    classes
}

/// Returns `true` if `byte` is of `class`.
#[inline]
pub(crate) const fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Returns `true` if a key is written without quotes: an identifier, as every reader of SJSON takes
/// it, and no word that is a value.
pub(crate) fn is_identifier(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !matches!(key, "true" | "false" | "null")
}
