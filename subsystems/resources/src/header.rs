//! The first bytes of a resource's file.
//!
//! ```text
//!  0  "loliresc"                                    8 bytes
//!  8  1, in the byte order of all that follows      u32
//! 12  version of this format, now 1                 u32
//! 16  hash of the type                              u64
//! 24  hash of the name                              u64
//! 32  version of the type's compiler                u32
//! 36  zero                                          u32
//! 40  bytes of the payload                          u64
//! 48  checksum of header and payload, but itself    u64
//! 56  bytes of the tail                             u64
//! 64  the last bytes of the name, or zeroes         32 bytes
//! 96  the payload
//! ..  the tail, to the end of the file: read apart, in parts, when it is wanted; sums in the
//!     payload check it
//! ```

use core::error::Error;
use core::fmt;

use loligo_containers::Endian;
use loligo_ids::{IdString64, murmur2_64a};

use crate::debug_name::DebugName;
use crate::key::ResourceKey;

/// Bytes before the payload: a multiple of 16, so that a blob after them is aligned as the file is.
pub const HEADER_BYTES: usize = 96;

/// The version of the format of files.
pub const RESOURCE_FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"loliresc";
const CHECKSUM: core::ops::Range<usize> = 48..56;
const TAIL: core::ops::Range<usize> = 56..64;

/// What a file reports itself.
///
/// # Memory
///
/// 64 bytes, plain.
///
/// # Examples
///
/// ```
/// use loligo_containers::Endian;
/// use loligo_resources::{DebugName, HEADER_BYTES, ResourceHeader, ResourceKey};
///
/// let header = ResourceHeader {
///     key: ResourceKey::new("text", "signs/exit"),
///     version: 3,
///     debug_name: DebugName::new("signs/exit"),
///     tail: 0,
/// };
/// let mut file = [0; HEADER_BYTES + 4];
/// file[HEADER_BYTES..].copy_from_slice(b"EXIT");
/// header.write(Endian::NATIVE, &mut file);
/// assert_eq!(ResourceHeader::read(&file), Ok(header));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceHeader {
    /// Which resource it is.
    pub key: ResourceKey,
    /// The version of the compiler of its type.
    pub version: u32,
    /// The end of its name, in development builds.
    pub debug_name: DebugName,
    /// How many bytes follow the payload, to be read apart.
    pub tail: u64,
}

impl ResourceHeader {
    /// Writes the header to the front of `file`, in which the payload and the tail have been
    /// written already.
    ///
    /// # Complexity
    ///
    /// O(bytes of the payload), for the checksum.
    ///
    /// # Panics
    ///
    /// If the file is shorter than a header and the tail.
    pub fn write(&self, endian: Endian, file: &mut [u8]) {
        let whole = file.len();
        let tail = usize::try_from(self.tail).unwrap_or(usize::MAX);
        let front = whole.checked_sub(tail).filter(|front| *front >= HEADER_BYTES);
        let Some(front) = front else {
            panic!("a file of {whole} bytes has no room for a header and a tail of {tail}");
        };
        let u32_of = |number: u32| match endian {
            Endian::Little => number.to_le_bytes(),
            Endian::Big => number.to_be_bytes(),
        };
        let u64_of = |number: u64| match endian {
            Endian::Little => number.to_le_bytes(),
            Endian::Big => number.to_be_bytes(),
        };
        file[..HEADER_BYTES].fill(0);
        file[..8].copy_from_slice(&MAGIC);
        file[8..12].copy_from_slice(&u32_of(1));
        file[12..16].copy_from_slice(&u32_of(RESOURCE_FORMAT));
        file[16..24].copy_from_slice(&u64_of(self.key.type_hash.hash()));
        file[24..32].copy_from_slice(&u64_of(self.key.name.hash()));
        file[32..36].copy_from_slice(&u32_of(self.version));
        file[40..48].copy_from_slice(&u64_of((front - HEADER_BYTES) as u64));
        file[TAIL].copy_from_slice(&u64_of(self.tail));
        file[64..HEADER_BYTES].copy_from_slice(self.debug_name.as_bytes());
        let checksum = checksum(&file[..front]);
        file[CHECKSUM].copy_from_slice(&u64_of(checksum));
    }

    /// Reads the header of a file and checks header and payload against it. Of the tail it is
    /// checked that it is there whole, or not at all.
    ///
    /// # Complexity
    ///
    /// O(bytes of the payload), for the checksum. Nothing is allocated and no length is believed.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] says what is wrong.
    pub fn read(file: &[u8]) -> Result<Self, HeaderError> {
        if file.len() >= MAGIC.len() && file[..8] != MAGIC {
            return Err(HeaderError::NoResource);
        }
        if file.len() < HEADER_BYTES {
            return Err(HeaderError::Short { bytes: file.len() });
        }
        match u32_at(file, 8) {
            1 => {}
            other if other == 1_u32.swap_bytes() => return Err(HeaderError::OtherEndian),
            _ => return Err(HeaderError::NoResource),
        }
        let found = u32_at(file, 12);
        if found != RESOURCE_FORMAT {
            return Err(HeaderError::OtherFormat { found });
        }
        let (payload, bytes) = (u64_at(file, 40), (file.len() - HEADER_BYTES) as u64);
        let tail = u64_at(file, TAIL.start);
        if payload != bytes && payload.checked_add(tail) != Some(bytes) {
            return Err(HeaderError::OtherLength { told: payload, bytes });
        }
        if u32_at(file, 36) != 0 {
            return Err(HeaderError::NoResource);
        }
        // It is at most the length of the file.
        let front = &file[..HEADER_BYTES + payload as usize];
        let (told, found) = (u64_at(file, CHECKSUM.start), checksum(front));
        // No fuzzer guesses a checksum; under one, what follows this is reached.
        if told != found && !cfg!(fuzzing) {
            return Err(HeaderError::Checksum { told, found });
        }
        let mut name = [0; 32];
        name.copy_from_slice(&file[64..HEADER_BYTES]);
        let hash_at = |at| IdString64::from_hash(u64_at(file, at));
        Ok(Self {
            key: ResourceKey { type_hash: hash_at(16), name: hash_at(24) },
            version: u32_at(file, 32),
            debug_name: DebugName::from_bytes(name).ok_or(HeaderError::NoText)?,
            tail,
        })
    }

    /// Returns how many bytes the tail of a file is to have whose first bytes are these. They may be
    /// wrong: nothing is checked.
    #[cfg(feature = "std")]
    pub(crate) fn tail_in(first: &[u8; HEADER_BYTES]) -> u64 {
        u64_at(first, TAIL.start)
    }
}

fn checksum(file: &[u8]) -> u64 {
    let before = murmur2_64a(&file[..CHECKSUM.start], 0);
    murmur2_64a(&file[CHECKSUM.end..], before)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 4])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 8])
}

/// Why bytes are not a resource for this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderError {
    /// They do not begin as a resource does.
    NoResource,
    /// They end before the header does.
    Short {
        /// How many there are.
        bytes: usize,
    },
    /// They are for machines of the other byte order.
    OtherEndian,
    /// They are in another version of the format.
    OtherFormat {
        /// Which.
        found: u32,
    },
    /// The payload's length is not the length in the header.
    OtherLength {
        /// The length in the header.
        told: u64,
        /// How long it is.
        bytes: u64,
    },
    /// A byte was changed since they were written.
    Checksum {
        /// The checksum in the header.
        told: u64,
        /// What the bytes have.
        found: u64,
    },
    /// The end of the name is not a text.
    NoText,
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoResource => f.write_str("the file is no compiled resource"),
            Self::Short { bytes } => {
                write!(f, "the file ends after {bytes} bytes, within its header of {HEADER_BYTES}")
            }
            Self::OtherEndian => f.write_str(
                "the file is for machines of the other byte order; compile for this platform",
            ),
            Self::OtherFormat { found } => write!(
                f,
                "the file is in version {found} of the format, and this program reads {RESOURCE_FORMAT}"
            ),
            Self::OtherLength { told, bytes } => {
                write!(f, "the header reports {told} bytes, and {bytes} follow it")
            }
            Self::Checksum { told, found } => {
                write!(f, "the file is damaged: its checksum is {found:016x}, not {told:016x}")
            }
            Self::NoText => f.write_str("the end of the name in the header is no text"),
        }
    }
}

impl Error for HeaderError {}

const _: () = assert!(HEADER_BYTES.is_multiple_of(loligo_containers::BLOB_ALIGN), "blobs follow");
const _: () = assert!(size_of::<ResourceHeader>() == 64, "its doc states it");
