//! The first bytes of a blob.

use loligo_ids::murmur2_64a;

use super::check::BlobShapes;
use super::error::BlobError;
use super::parts::BlobType;
use super::scalar::Endian;
use super::{BLOB_ALIGN, Blob};

/// Bytes of the header, and the offset of the root.
pub(super) const HEADER: usize = 48;

const MAGIC: [u8; 8] = *b"loliblob";
const VERSION: u32 = 1;

/// Where the checksum is.
const CHECKSUM: core::ops::Range<usize> = 32..40;

/// Writes the header of a finished blob.
pub(super) fn write<R: BlobType>(bytes: &mut [u8], endian: Endian) {
    write_shape(bytes, endian, BlobShapes::of::<R>().hash());
}

/// As [`write`], for types whose shape is this number.
pub(super) fn write_shape(bytes: &mut [u8], endian: Endian, shape: u64) {
    let length = bytes.len() as u64;
    let [one, version] = [1_u32, VERSION].map(|number| endian.bytes_of_u32(number));
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&one);
    bytes[12..16].copy_from_slice(&version);
    bytes[16..24].copy_from_slice(&endian.bytes_of_u64(length));
    bytes[24..32].copy_from_slice(&endian.bytes_of_u64(shape));
    bytes[40..HEADER].fill(0);
    let checksum = checksum(bytes);
    bytes[CHECKSUM].copy_from_slice(&endian.bytes_of_u64(checksum));
}

/// Compares what the header states about the whole.
pub(super) fn check<R: BlobType>(bytes: &[u8]) -> Result<(), BlobError> {
    const {
        assert!(align_of::<R>() <= BLOB_ALIGN, "nothing in a blob is aligned to more than 16");
    }
    let root_bytes = size_of::<R>();
    let found = shape(bytes, HEADER + root_bytes)?;
    check_length(bytes, root_bytes)?;
    let wanted = BlobShapes::of::<R>().hash();
    if found != wanted {
        return Err(BlobError::OtherShape { found, wanted });
    }
    Ok(())
}

/// Returns the shape of a blob that this machine can read and that has `needed` bytes at least.
pub(super) fn shape(bytes: &[u8], needed: usize) -> Result<u64, BlobError> {
    if bytes.len() >= MAGIC.len() && bytes[..8] != MAGIC {
        return Err(BlobError::NoBlob);
    }
    if bytes.len() < needed {
        return Err(BlobError::Short { bytes: bytes.len(), needed });
    }
    let behind = bytes.as_ptr().addr() % BLOB_ALIGN;
    if behind != 0 {
        return Err(BlobError::Misaligned { behind });
    }
    match u32_at(bytes, 8) {
        1 => {}
        other if other == 1_u32.swap_bytes() => return Err(BlobError::OtherEndian),
        _ => return Err(BlobError::NoBlob),
    }
    let found = u32_at(bytes, 12);
    if found != VERSION {
        return Err(BlobError::OtherVersion { found });
    }
    Ok(u64_at(bytes, 24))
}

/// Compares the length that the header states, and that of header and root, with that of the bytes.
pub(super) fn check_length(bytes: &[u8], root_bytes: usize) -> Result<(), BlobError> {
    let needed = HEADER + root_bytes;
    if bytes.len() < needed {
        return Err(BlobError::Short { bytes: bytes.len(), needed });
    }
    let told = u64_at(bytes, 16);
    if told != bytes.len() as u64 {
        return Err(BlobError::OtherLength { told, bytes: bytes.len() });
    }
    Ok(())
}

/// Compares the checksum that the header states with that of the bytes.
///
/// A fuzzer cannot guess one, so under it each is taken and what follows this check is reached.
pub(super) fn compare_checksum(bytes: &[u8]) -> Result<(), BlobError> {
    let (told, found) = (u64_at(bytes, CHECKSUM.start), checksum(bytes));
    if cfg!(fuzzing) || told == found { Ok(()) } else { Err(BlobError::Checksum { told, found }) }
}

/// Hashes all but the checksum itself.
fn checksum(bytes: &[u8]) -> u64 {
    let before = murmur2_64a(&bytes[..CHECKSUM.start], 0);
    murmur2_64a(&bytes[CHECKSUM.end..], before)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 4])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 8])
}

const _: () = assert!(HEADER.is_multiple_of(BLOB_ALIGN), "the root is aligned");
const _: () = assert!(size_of::<Blob<'_, u8>>() == size_of::<&[u8]>(), "a blob is a slice");
