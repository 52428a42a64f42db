//! The bytes that a saved table begins with, and the checksum over all of them.
#![expect(clippy::arithmetic_side_effects, reason = "offsets within the header")]

use crate::error::RestoreError;
use crate::id::{Repr, TableId};
use crate::policy::{FreeList, GenerationEnd};
use crate::table::shape::{Parts, Shape};

/// The first eight bytes as a number, so that bytes from a machine of the other byte order are
/// detected at once.
const MAGIC: u64 = u64::from_ne_bytes(*b"LOLIGOID");

/// The version that this code writes and reads.
const VERSION: u64 = 1;

/// Numbers in the header.
const FIELDS: usize = 20;

/// Bytes of the header.
pub(super) const HEADER: usize = FIELDS * 8;

/// Where the checksum is: it is the last number of the header.
pub(super) const CHECKSUM: usize = HEADER - 8;

/// The type of a table, in numbers, each with what to say where they differ.
pub(super) fn kind<S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd>()
-> [(u64, &'static str); 10] {
    [
        (
            MAGIC,
            "this is not the image of a table, or of one from a machine of the other byte order",
        ),
        (VERSION, "the image has another version"),
        (
            u64::from(<S::Parts<T, I::Repr> as Parts<T, I::Repr>>::CODE),
            "the arrangement is another",
        ),
        (u64::from(I::Repr::BITS), "the ids are of another size"),
        (u64::from(I::INDEX_BITS), "the ids have another number of index bits"),
        (u64::from(I::GENERATION_BITS), "the ids have another number of generation bits"),
        (u64::from(F::LIFO), "the free list is of another kind"),
        (F::MIN_FREE as u64, "the free list has another least length"),
        (E::END as u64, "the end of the generations is another"),
        (size_of::<T>() as u64, "the objects are of another size"),
    ]
}

/// The numbers of a table, which follow those of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) tag: u64,
    pub(super) limit: u64,
    pub(super) used: u64,
    pub(super) live: u64,
    pub(super) free: u64,
    pub(super) head: u64,
    pub(super) tail: u64,
    pub(super) reserved: u64,
    /// Bytes of the image.
    pub(super) bytes: u64,
}

impl Counts {
    /// The offset of each.
    pub(super) const TAG: usize = 80;
    pub(super) const LIMIT: usize = 88;
    pub(super) const USED: usize = 96;
    pub(super) const LIVE: usize = 104;
    pub(super) const FREE: usize = 112;
    pub(super) const HEAD: usize = 120;
    pub(super) const TAIL: usize = 128;
    pub(super) const RESERVED: usize = 136;
    pub(super) const BYTES: usize = 144;

    pub(super) fn write(self, header: &mut [u8]) {
        let numbers = [
            self.tag,
            self.limit,
            self.used,
            self.live,
            self.free,
            self.head,
            self.tail,
            self.reserved,
            self.bytes,
        ];
        for (at, number) in numbers.into_iter().enumerate() {
            put(header, Self::TAG + 8 * at, number);
        }
    }

    pub(super) fn read(header: &[u8]) -> Self {
        Self {
            tag: number(header, Self::TAG),
            limit: number(header, Self::LIMIT),
            used: number(header, Self::USED),
            live: number(header, Self::LIVE),
            free: number(header, Self::FREE),
            head: number(header, Self::HEAD),
            tail: number(header, Self::TAIL),
            reserved: number(header, Self::RESERVED),
            bytes: number(header, Self::BYTES),
        }
    }
}

/// Writes a number at a byte offset within the header.
pub(super) fn put(header: &mut [u8], at: usize, number: u64) {
    header[at..at + 8].copy_from_slice(&number.to_ne_bytes());
}

/// Reads the number at a byte offset within the header.
pub(super) fn number(header: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&header[at..at + 8]);
    u64::from_ne_bytes(bytes)
}

/// Returns the checksum of an image: of all its bytes but the checksum itself.
///
/// Each step is a bijection of the sum for given bytes, and of eight bytes for a given sum, so a
/// change within eight bytes is always seen; larger ones are missed once in 2^64.
pub(super) fn checksum(image: &[u8]) -> u64 {
    let (header, body) = image.split_at(HEADER);
    let sum = add(0x9e37_79b9_7f4a_7c15, &header[..CHECKSUM]);
    add(sum, body)
}

fn add(mut sum: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    for &word in words.iter().chain((!rest.is_empty()).then_some(&last)) {
        sum = (sum ^ u64::from_ne_bytes(word)).wrapping_mul(0x9fb2_1c65_1e98_df25);
        sum ^= sum >> 32;
    }
    sum
}

pub(super) fn wrong<X>(offset: usize, what: &'static str) -> Result<X, RestoreError> {
    Err(RestoreError { offset: offset as u64, what, refused: None })
}
