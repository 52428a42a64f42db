//! Packed clips: how a dense clip is stored in a file, to be expanded where it is loaded, or while it plays.
//!
//! What can be computed is not stored: the codes of differences, and jump frames. Numbers are written by a
//! range coder, each as how far it is from where it is expected.
//!
//! ```text
//! header  | magic: 8 bytes | bytes of the head | of all blocks | jump ratio | 0 | 0 | 0 |     4 bytes each
//! head    | a clip without values, codes and jump frames |                                    a blob
//! blocks  | bytes: 1 to 4 | hash: 4 | for each of 32 frames, each track: x, y, z | ..
//! ```
//!
//! Header and blocks are little-endian on all machines. Each block needs those before it.

mod bit_model;
mod expander;
mod number_model;
mod predictor;
mod range_coder;

pub(crate) use expander::Expander;
#[cfg(feature = "compile")]
pub(crate) use number_model::NumberModel;
#[cfg(feature = "compile")]
pub(crate) use range_coder::BlockWriter;

use loligo_ids::murmur2_64a;

/// The bytes of the header.
pub(crate) const PACKED_HEADER: usize = 32;

/// The first bytes of a packed clip.
const MAGIC: [u8; 8] = *b"lolipack";

/// Numbers of a byte at the most: what says that it has more is refused, so that a few bytes cannot ask for
/// all memory.
pub(crate) const NUMBERS_MAX: u64 = 256;

/// The most bytes of a block.
const BLOCK_BYTES_MAX: usize = 1 << 28;

/// What is where in a packed clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedHeader {
    pub(crate) head_bytes: u32,
    pub(crate) block_bytes: u32,
    pub(crate) jump_ratio: u32,
}

impl PackedHeader {
    /// Returns `true` if bytes are those of a packed clip, as far as they are there.
    pub(crate) fn may_begin(bytes: &[u8]) -> bool {
        bytes.iter().zip(MAGIC).all(|(found, wanted)| *found == wanted)
    }

    /// Returns what a whole header says.
    pub(crate) fn read(bytes: &[u8; PACKED_HEADER]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| rest[4 * at + byte]));
        let is_right = *magic == MAGIC && [3, 4, 5].into_iter().all(|at| word(at) == 0);
        is_right.then(|| Self { head_bytes: word(0), block_bytes: word(1), jump_ratio: word(2) })
    }

    /// Returns the header.
    #[cfg(feature = "compile")]
    pub(crate) fn bytes(self) -> [u8; PACKED_HEADER] {
        let mut bytes = [0; PACKED_HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        for (at, word) in
            [self.head_bytes, self.block_bytes, self.jump_ratio].into_iter().enumerate()
        {
            bytes[8 + 4 * at..12 + 4 * at].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// The next block of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextBlock<'b> {
    /// Not all of it is there.
    Missing,
    /// It is not as it was written.
    Damaged,
    /// Its coded numbers, and how many bytes it has in all.
    Whole(&'b [u8], usize),
}

impl<'b> NextBlock<'b> {
    /// Looks at the beginning of a block.
    pub(crate) fn at(bytes: &'b [u8]) -> Self {
        let mut length = 0;
        for (at, byte) in bytes.iter().enumerate().take(4) {
            length |= usize::from(byte & 127) << (7 * at);
            if byte & 128 != 0 {
                continue;
            }
            if length > BLOCK_BYTES_MAX {
                return Self::Damaged;
            }
            let Some((hash, rest)) = bytes[at + 1..].split_first_chunk::<4>() else {
                return Self::Missing;
            };
            return match rest.get(..length) {
                None => Self::Missing,
                // A fuzzer cannot guess one, so under it each is taken and what follows is reached.
                Some(coded) if cfg!(fuzzing) || hash_of(coded) == u32::from_le_bytes(*hash) => {
                    Self::Whole(coded, at + 5 + length)
                }
                Some(_) => Self::Damaged,
            };
        }
        if bytes.len() < 4 { Self::Missing } else { Self::Damaged }
    }
}

/// Writes a block.
#[cfg(feature = "compile")]
pub(crate) fn put_block(coded: &[u8], out: &mut std::vec::Vec<u8>) {
    let mut length = coded.len();
    while length > 127 {
        out.push(length as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(hash_of(coded).to_le_bytes());
    out.extend(coded);
}

fn hash_of(coded: &[u8]) -> u32 {
    murmur2_64a(coded, 0) as u32
}
