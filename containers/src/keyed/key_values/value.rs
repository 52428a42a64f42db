//! What a key may have, and how it is in a store.

/// The value of a key: all that a store can hold.
///
/// Texts and arrays are whole: one is set in place of another, none is changed in part, so whatever
/// is done to a store is a key being set or removed, and merging two stores has one meaning.
///
/// # Examples
///
/// ```
/// use loligo_containers::Value;
///
/// let values: [Value<'_>; 4] = [true.into(), 0.5.into(), "elf".into(), [1.0, 2.0][..].into()];
/// assert_eq!(values[2], Value::Str("elf"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'v> {
    /// True or false.
    Bool(bool),
    /// A number. Its bits are kept as they are, those of a NaN, too.
    F32(f32),
    /// A text.
    Str(&'v str),
    /// Numbers.
    Array(&'v [f32]),
}

impl From<bool> for Value<'_> {
    #[inline]
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f32> for Value<'_> {
    #[inline]
    fn from(value: f32) -> Self {
        Self::F32(value)
    }
}

impl<'v> From<&'v str> for Value<'v> {
    #[inline]
    fn from(value: &'v str) -> Self {
        Self::Str(value)
    }
}

impl<'v> From<&'v [f32]> for Value<'v> {
    #[inline]
    fn from(value: &'v [f32]) -> Self {
        Self::Array(value)
    }
}

impl<'v, const N: usize> From<&'v [f32; N]> for Value<'v> {
    #[inline]
    fn from(value: &'v [f32; N]) -> Self {
        Self::Array(value)
    }
}

/// The values of the byte for a key's type. A long text or array is further from the end of the
/// store, or longer, than 16 bits can say.
pub(super) mod kind {
    pub(in super::super) const BOOL: u8 = 1;
    pub(in super::super) const F32: u8 = 2;
    pub(in super::super) const STR: u8 = 3;
    pub(in super::super) const ARRAY: u8 = 4;
    pub(in super::super) const LONG_STR: u8 = 5;
    pub(in super::super) const LONG_ARRAY: u8 = 6;
}

impl<'v> Value<'v> {
    /// Returns the bytes that are at the end of the store, and how long the value says that it is.
    pub(super) fn data(&self) -> (&'v [u8], usize) {
        match *self {
            Self::Bool(_) | Self::F32(_) => (&[], 0),
            Self::Str(text) => (text.as_bytes(), text.len()),
            Self::Array(numbers) => (bytemuck::cast_slice(numbers), numbers.len()),
        }
    }

    /// Returns the words that the value takes at the end of a store, the first `tail` words from
    /// which are taken.
    #[inline]
    pub(super) fn tail_words(&self, tail: usize) -> usize {
        let (bytes, length) = self.data();
        let words = bytes.len().div_ceil(4);
        words + usize::from(words != 0 && is_long(tail + words, length))
    }
}

/// Returns `true` if a value of this length, `words_back` words from the end, needs more than 16
/// bits for either.
#[inline]
pub(super) const fn is_long(words_back: usize, length: usize) -> bool {
    words_back > (u16::MAX as usize) / 4 || length > u16::MAX as usize
}

/// Where the data of a value is that takes words at the end of a store, in words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// From the end of the store to the first word.
    pub(super) back: usize,
    /// How many, the length in front of a long one included.
    pub(super) words: usize,
}

/// Returns the place of what a value of type `kind` and word `word` has at the end of `block`;
/// `None` if it has nothing there. The block is one of ours, or checked.
#[inline]
pub(super) fn span(block: &[u32], kind: u8, word: u32) -> Option<Span> {
    let (back, length) = (word as usize % 0x1_0000 / 4, word as usize / 0x1_0000);
    match kind {
        kind::STR if word != 0 => Some(Span { back, words: length.div_ceil(4) }),
        kind::ARRAY if word != 0 => Some(Span { back, words: length }),
        kind::LONG_STR | kind::LONG_ARRAY => {
            let back = word as usize / 4;
            let length = block[block.len() - back] as usize;
            let words = if kind == kind::LONG_STR { length.div_ceil(4) } else { length };
            // The length may be anything in a block that is being checked.
            Some(Span { back, words: words.saturating_add(1) })
        }
        _ => None,
    }
}
