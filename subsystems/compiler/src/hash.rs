//! Hashes of contents.

use loligo_resources::ContentHash;

/// Hashes bytes.
pub(crate) fn hash_of(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

/// Hashes pieces, each with its length, so that no two lists of pieces are the same bytes.
pub(crate) fn hash_of_pieces(pieces: &[&[u8]]) -> ContentHash {
    let mut hasher = PieceHasher::default();
    for piece in pieces {
        hasher.bytes(piece);
    }
    hasher.finish()
}

/// How many bytes are collected before they are hashed: a call for each of many short pieces takes
/// longer than the hash, and a long piece is hashed in as many lanes as the processor has.
const COLLECTED: usize = 64 << 10;

/// A hash of pieces that are not in one list.
#[derive(Default)]
pub(crate) struct PieceHasher {
    hasher: blake3::Hasher,
    collected: Vec<u8>,
}

impl PieceHasher {
    /// Adds a piece, with its length.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.collected.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.collected.extend_from_slice(bytes);
        self.hash_collected(COLLECTED);
    }

    /// Adds numbers of which there are always as many.
    pub(crate) fn numbers<const N: usize>(&mut self, numbers: [u64; N]) {
        self.collected.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.hash_collected(COLLECTED);
    }

    /// Returns the hash of all pieces.
    pub(crate) fn finish(mut self) -> ContentHash {
        self.hash_collected(0);
        ContentHash(*self.hasher.finalize().as_bytes())
    }

    fn hash_collected(&mut self, kept: usize) {
        if self.collected.len() > kept {
            self.hasher.update(&self.collected);
            self.collected.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{COLLECTED, PieceHasher, hash_of, hash_of_pieces};

    #[test]
    fn a_hash_is_that_of_the_pieces_with_their_lengths() {
        let long = vec![7; 3 * COLLECTED];
        let pieces: [&[u8]; 4] = [b"ab", b"", &long, b"c"];
        let mut whole = Vec::new();
        for piece in pieces {
            whole.extend((piece.len() as u64).to_le_bytes());
            whole.extend(piece);
        }
        assert_eq!(hash_of_pieces(&pieces), hash_of(&whole));
        assert_ne!(hash_of_pieces(&[b"ab", b"c"]), hash_of_pieces(&[b"a", b"bc"]));
        let mut hasher = PieceHasher::default();
        hasher.numbers([1, 2]);
        let numbers = [1_u64.to_le_bytes(), 2_u64.to_le_bytes()].concat();
        assert_eq!(hasher.finish(), hash_of(&numbers));
    }
}
