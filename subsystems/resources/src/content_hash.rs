//! The hash of a file's bytes, by which the file is called.

use core::fmt;

/// A hash of 32 bytes that identifies the contents of a file: the writer of the file computed it,
/// with BLAKE3.
///
/// Reading does not compute it: what is damaged is noticed by the checksum of each file's header.
///
/// # Memory
///
/// 32 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Returns the hash as 64 hexadecimal digits: the file's name. O(1).
    #[must_use]
    pub fn to_hex(self) -> [u8; 64] {
        let mut digits = [0; 64];
        for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [byte >> 4, byte & 15].map(|half| b"0123456789abcdef"[usize::from(half)]);
        }
        digits
    }

    /// Reads what [`to_hex`](Self::to_hex) wrote, and nothing else: no other digits, no capitals.
    /// O(1).
    #[must_use]
    pub fn from_hex(digits: &[u8]) -> Option<Self> {
        let digits: &[u8; 64] = digits.try_into().ok()?;
        let half = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let mut hash = [0; 32];
        for (byte, [high, low]) in hash.iter_mut().zip(digits.as_chunks::<2>().0) {
            *byte = half(*high)? << 4 | half(*low)?;
        }
        Some(Self(hash))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(core::str::from_utf8(&self.to_hex()).unwrap_or_default())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}
