//! Finds bytes that differ in memory filled with one value.

/// How many bytes are compared at once.
const WORD: usize = 32;

/// Returns the index of the first byte that is not `byte`.
pub(crate) fn first_unlike(contents: &[u8], byte: u8) -> Option<usize> {
    let (words, _) = contents.as_chunks::<WORD>();
    let alike = words.iter().take_while(|&&word| word == [byte; WORD]).count() * WORD;
    let rest = contents[alike..].iter().position(|&found| found != byte)?;
    Some(alike + rest)
}

/// Returns how many bytes are not `byte`.
pub(crate) fn count_unlike(contents: &[u8], byte: u8) -> usize {
    contents.iter().filter(|&&found| found != byte).count()
}
