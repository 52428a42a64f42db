//! Bytes that may be a store, and may not.

use core::error::Error;
use core::fmt;

use super::value::{Span, kind, span};
use super::view::{KeyValuesRef, head_words};

/// What the bytes of a store begin with: a mark and a version, in the machine's byte order.
pub(super) const MARK: u32 = u32::from_le_bytes(*b"lkv1");

/// The words of the header: the mark, the bytes of all, the keys, the words at the end that are
/// taken.
pub(super) const AT_MARK: usize = 0;
pub(super) const AT_BYTES: usize = 1;
pub(super) const AT_COUNT: usize = 2;
pub(super) const AT_TAIL: usize = 3;
pub(super) const HEADER: usize = 4;

/// The words of a store without keys.
pub(super) const EMPTY: [u32; HEADER] = [MARK, 4 * HEADER as u32, 0, 0];

/// Bytes that are not a store, or were damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedKeyValues {
    /// Where the bytes are wrong, from their beginning.
    pub offset: usize,
    /// What is wrong, in words.
    pub reason: &'static str,
}

impl DamagedKeyValues {
    pub(super) const fn new(offset: usize, reason: &'static str) -> Self {
        Self { offset, reason }
    }

    /// Of a word and not of a byte.
    pub(super) const fn at_word(word: usize, reason: &'static str) -> Self {
        Self::new(4 * word, reason)
    }
}

impl fmt::Display for DamagedKeyValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a store of keys and values: at byte {}, {}", self.offset, self.reason)
    }
}

impl Error for DamagedKeyValues {}

impl<'b> KeyValuesRef<'b> {
    /// Opens a store in place: bytes that [`KeyValues::as_bytes`](super::KeyValues::as_bytes)
    /// returned, on a machine of the same byte order.
    ///
    /// All of the bytes are validated: whatever they are, every value of the returned store can be
    /// read. There is no checksum, so a damaged value may go unnoticed as another value.
    ///
    /// # Complexity
    ///
    /// O(bytes), whatever the bytes say. Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DamagedKeyValues`] says where the bytes are wrong and how; also where they are not at a
    /// multiple of four, as nothing can then be read in place.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{KeyValues, KeyValuesRef};
    /// use loligo_ids::id32;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut store: KeyValues = KeyValues::new(&MEMORY);
    /// store.set(id32!("name"), "The One");
    ///
    /// let saved = store.as_bytes();
    /// assert_eq!(KeyValuesRef::open(saved)?.get_str(id32!("name")), Some("The One"));
    ///
    /// let cut = &saved[..saved.len() - 4];
    /// let error = KeyValuesRef::open(cut).expect_err("the end is missing");
    /// assert_eq!(error.offset, 4, "the length says so");
    /// # Ok::<(), loligo_containers::DamagedKeyValues>(())
    /// ```
    pub fn open(bytes: &'b [u8]) -> Result<Self, DamagedKeyValues> {
        if bytes.len() < 4 * HEADER {
            return Err(DamagedKeyValues::new(bytes.len(), "the bytes end within the header"));
        }
        if !bytes.len().is_multiple_of(4) {
            return Err(DamagedKeyValues::new(bytes.len(), "the bytes are no whole words"));
        }
        let Ok(words) = bytemuck::try_cast_slice(bytes) else {
            return Err(DamagedKeyValues::new(0, "the bytes do not lie at a multiple of four"));
        };
        checked(words).map(|(store, _)| store)
    }
}

/// Checks all that is said of a store, and returns it and the words at its end that are taken.
pub(super) fn checked(words: &[u32]) -> Result<(KeyValuesRef<'_>, usize), DamagedKeyValues> {
    let Some((header, block)) = words.split_first_chunk::<HEADER>() else {
        return Err(DamagedKeyValues::at_word(words.len(), "the words end within the header"));
    };
    if header[AT_MARK] == MARK.swap_bytes() {
        return Err(DamagedKeyValues::at_word(AT_MARK, "the store is of the other byte order"));
    }
    if header[AT_MARK] != MARK {
        return Err(DamagedKeyValues::at_word(AT_MARK, "the mark is not that of a store"));
    }
    if header[AT_BYTES] as usize != 4 * words.len() {
        return Err(DamagedKeyValues::at_word(AT_BYTES, "the store is not as long as its bytes"));
    }
    let (count, tail) = (header[AT_COUNT] as usize, header[AT_TAIL] as usize);
    if count > block.len() || head_words(count) > block.len() {
        return Err(DamagedKeyValues::at_word(AT_COUNT, "there are more keys than fit"));
    }
    if tail > block.len() - head_words(count) {
        return Err(DamagedKeyValues::at_word(AT_TAIL, "the values' ends overlap the keys"));
    }
    check_block(block, count, tail)
        .map_err(|damage| DamagedKeyValues::new(4 * HEADER + damage.offset, damage.reason))?;
    Ok((KeyValuesRef { block, count }, tail))
}

/// Checks a block whose head and tail fit into it. Offsets are from the block's beginning.
pub(super) fn check_block(
    block: &[u32],
    count: usize,
    tail: usize,
) -> Result<(), DamagedKeyValues> {
    let store = KeyValuesRef { block, count };
    if let Some(place) = store.keys().windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(DamagedKeyValues::at_word(place + 1, "the keys do not ascend"));
    }
    // What all values take is bounded by what there is, so nothing is read more than once.
    let mut unclaimed = tail;
    for place in 0..count {
        let (kind, word) = (store.kind(place), store.word(place));
        let value_damage = |reason| DamagedKeyValues::at_word(count + place, reason);
        match kind {
            kind::F32 => continue,
            kind::BOOL if word <= 1 => continue,
            kind::BOOL => return Err(value_damage("a bool is neither 0 nor 1")),
            kind::STR | kind::ARRAY if word == 0 => continue,
            kind::STR..=kind::LONG_ARRAY => {}
            _ => return Err(DamagedKeyValues::new(8 * count + place, "there is no such type")),
        }
        let is_long = kind >= kind::LONG_STR;
        let back = if is_long { word } else { word % 0x1_0000 };
        if back % 4 != 0 || back == 0 || back as usize / 4 > tail {
            return Err(value_damage("a value does not begin among the values' ends"));
        }
        // The word with the length of a long value is among them: that was just checked.
        let Some(Span { back, words }) = span(block, kind, word) else {
            return Err(value_damage("a value has a place and no length"));
        };
        if words > back {
            return Err(value_damage("a value is longer than the store"));
        }
        let Some(rest) = unclaimed.checked_sub(words) else {
            return Err(value_damage("values overlap each other"));
        };
        unclaimed = rest;
        if matches!(kind, kind::STR | kind::LONG_STR) {
            check_text(block, kind, word, back)?;
        }
    }
    Ok(())
}

/// Checks the text of a value that is within the block.
fn check_text(block: &[u32], kind: u8, word: u32, back: usize) -> Result<(), DamagedKeyValues> {
    let start = block.len() - back;
    let (start, length) = if kind == kind::LONG_STR {
        (4 * (start + 1), block[start] as usize)
    } else {
        (4 * start, word as usize / 0x1_0000)
    };
    let bytes: &[u8] = &bytemuck::cast_slice(block)[start..][..length];
    match str::from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(DamagedKeyValues::new(start + error.valid_up_to(), "a text is not UTF-8"))
        }
    }
}
