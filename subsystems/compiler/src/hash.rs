//! Hashes of contents.

use loligo_resources::ContentHash;

/// Hashes bytes.
pub(crate) fn hash_of(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

/// Hashes pieces, each with its length, so that no two lists of pieces are the same bytes.
pub(crate) fn hash_of_pieces(pieces: &[&[u8]]) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    for piece in pieces {
        hasher.update(&(piece.len() as u64).to_le_bytes());
        hasher.update(piece);
    }
    ContentHash(*hasher.finalize().as_bytes())
}
