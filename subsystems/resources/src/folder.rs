//! A folder of compiled data.
//!
//! ```text
//! resources      the table: which file holds which variant of which resource
//! names          from hashes to names, for tools; the program does not read it
//! blobs/<hash>   a resource each, called after the hash of its bytes
//! ```
//!
//! A file's name says what is in it, so a file never changes: a compile adds files, puts a new
//! table in the place of the old one by renaming it, and then takes away what nothing names any
//! more.
//!
//! A game that is shipped has [bundles](crate::Bundles) in place of these files.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use loligo_allocators::Allocator;
use loligo_containers::{Array, Endian};

use crate::bundle_error::BundleErrorKind;
use crate::bundles::Bundles;
use crate::content_hash::ContentHash;
use crate::data::FileBytes;
use crate::error::{LoadErrorKind, OpenError};
use crate::header::{HEADER_BYTES, ResourceHeader};
use crate::packed_files::PackedFiles;
use crate::table::Table;

/// The longest table of resources, and the longest file of one: what a folder says of itself is not
/// believed further.
const TABLE_BYTES_MAX: u64 = 256 << 20;
const RESOURCE_BYTES_MAX: u64 = 2 << 30;

/// How long a file is to be, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Exactly(u64),
    AtMost(u64),
}

/// Where the data is, and how its files get into memory.
///
/// # Threads
///
/// Plain data, borrowed: any thread may read files through it.
#[derive(Clone, Copy, Debug)]
pub struct DataFolder<'p> {
    path: &'p str,
    files: Files<'p>,
}

/// How files get into memory.
#[derive(Clone, Copy, Debug)]
enum Files<'p> {
    /// Each is a file of the folder, and is read.
    Read,
    /// Each is a file of the folder, and is mapped.
    #[cfg(feature = "map")]
    Mapped,
    /// They are parts of larger files.
    Packed(&'p dyn PackedFiles),
}

impl<'p> DataFolder<'p> {
    /// Names a folder whose files are read into the allocator's memory.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the path is not UTF-8.
    pub fn new(path: &'p Path) -> Result<Self, OpenError> {
        match path.to_str() {
            Some(path) => Ok(Self { path, files: Files::Read }),
            None => Err(OpenError::new("a path", "it is not UTF-8; move the data")),
        }
    }

    /// Names a folder whose files are mapped: they cost no memory of the allocator, and of what is
    /// not looked at the system may take the memory back.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    ///
    /// # Safety
    ///
    /// Nobody changes or shortens a file in the folder while it is mapped. A compile does neither:
    /// it adds files, renames and removes, and a file that is removed stays as it was for whom has
    /// mapped it.
    #[cfg(feature = "map")]
    pub unsafe fn mapped(path: &'p Path) -> Result<Self, OpenError> {
        Ok(Self { files: Files::Mapped, ..Self::new(path)? })
    }

    /// Names a folder whose bundles are open: they have the table and all files.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the path is not UTF-8, or the bundles are for machines of the other byte order.
    pub fn bundled<A: Allocator + Sync + ?Sized>(
        path: &'p Path,
        bundles: &'p Bundles<'_, A>,
    ) -> Result<Self, OpenError> {
        for bundle in bundles.bundles() {
            if bundle.header().endian != Endian::NATIVE {
                return Err(BundleErrorKind::OtherEndian.of(bundle.name()).into());
            }
        }
        Ok(Self { files: Files::Packed(bundles), ..Self::new(path)? })
    }

    /// Returns the path.
    #[must_use]
    pub const fn path(&self) -> &'p str {
        self.path
    }

    /// Reads the table of resources.
    pub(crate) fn read_table<'a, A: Allocator + ?Sized>(
        &self,
        memory: &'a A,
    ) -> Result<Table<'a, A>, OpenError> {
        if let Files::Packed(packed) = self.files {
            let mut table = Table::of_parts(Array::new_in(memory), Array::new_in(memory));
            packed.visit(&mut |variant| table.try_push(variant))?;
            return Ok(table);
        }
        let bytes = self.read_named(&["resources"], Length::AtMost(TABLE_BYTES_MAX), memory);
        let bytes = bytes.map_err(OpenError::of_file)?;
        Table::try_open_in(&bytes, memory).map_err(OpenError::of_table)
    }

    /// Reads the file of a hash, which is to be so long, without its tail.
    pub(crate) fn read<'a, A: Allocator + ?Sized>(
        &self,
        file: ContentHash,
        bytes: u64,
        memory: &'a A,
    ) -> Result<FileBytes<'a, A>, LoadErrorKind> {
        if bytes > RESOURCE_BYTES_MAX {
            return Err(LoadErrorKind::of_io(io::ErrorKind::FileTooLarge.into()));
        }
        if let Files::Packed(packed) = self.files {
            return read_packed(packed, (file, bytes), memory);
        }
        let hex = file.to_hex();
        let name = core::str::from_utf8(&hex).unwrap_or_default();
        let (mut file, _) = self.open(&["blobs", name], Length::Exactly(bytes), memory)?;
        if bytes < HEADER_BYTES as u64 {
            // It is none, which is found out later.
            return self.read_front(&mut file, (bytes, bytes), &[], memory);
        }
        let mut first = [0; HEADER_BYTES];
        file.read_exact(&mut first).map_err(LoadErrorKind::of_io)?;
        self.read_front(&mut file, (bytes, front_of(&first, bytes)), &first, memory)
    }

    /// Reads a part of the file of a hash, which is to be `bytes` long: as many bytes as `into` has,
    /// of which the first is `from_end` before the file's end.
    pub(crate) fn read_part<A: Allocator + ?Sized>(
        &self,
        (hash, bytes): (ContentHash, u64),
        from_end: u64,
        into: &mut [u8],
        memory: &A,
    ) -> Result<(), LoadErrorKind> {
        let Some(start) = bytes.checked_sub(from_end) else {
            return Err(LoadErrorKind::of_io(io::ErrorKind::UnexpectedEof.into()));
        };
        if let Files::Packed(packed) = self.files {
            find_packed(packed, (hash, bytes))?;
            return Ok(packed.read(hash, start, into)?);
        }
        let hex = hash.to_hex();
        let name = core::str::from_utf8(&hex).unwrap_or_default();
        let (mut file, _) = self.open(&["blobs", name], Length::Exactly(bytes), memory)?;
        file.seek(SeekFrom::Start(start)).map_err(LoadErrorKind::of_io)?;
        file.read_exact(into).map_err(LoadErrorKind::of_io)
    }

    /// Reads a file of the folder.
    pub(crate) fn read_named<'a, A: Allocator + ?Sized>(
        &self,
        steps: &[&str],
        expected: Length,
        memory: &'a A,
    ) -> Result<FileBytes<'a, A>, LoadErrorKind> {
        let (mut file, bytes) = self.open(steps, expected, memory)?;
        self.read_front(&mut file, (bytes, bytes), &[], memory)
    }

    /// Opens a file of the folder, and returns how long it is.
    fn open<A: Allocator + ?Sized>(
        &self,
        steps: &[&str],
        expected: Length,
        memory: &A,
    ) -> Result<(File, u64), LoadErrorKind> {
        let mut path = Array::new_in(memory);
        path.try_extend_from_slice(self.path.as_bytes())?;
        for step in steps {
            path.try_push(b'/')?;
            path.try_extend_from_slice(step.as_bytes())?;
        }
        let path = core::str::from_utf8(&path).unwrap_or_default();
        // A process that opens a pipe waits for what comes through it.
        if !fs::metadata(path).map_err(LoadErrorKind::of_io)?.is_file() {
            return Err(LoadErrorKind::of_io(io::ErrorKind::InvalidInput.into()));
        }
        let file = File::open(path).map_err(LoadErrorKind::of_io)?;
        let bytes = file.metadata().map_err(LoadErrorKind::of_io)?.len();
        match expected {
            Length::Exactly(told) if told != bytes => {
                return Err(LoadErrorKind::OtherLength { told, bytes });
            }
            Length::AtMost(most) if bytes > most => {
                return Err(LoadErrorKind::of_io(io::ErrorKind::FileTooLarge.into()));
            }
            _ => {}
        }
        Ok((file, bytes))
    }

    /// Reads the first `front` bytes of a file of `bytes`, of which `first` are read already.
    fn read_front<'a, A: Allocator + ?Sized>(
        &self,
        file: &mut File,
        (bytes, front): (u64, u64),
        first: &[u8],
        memory: &'a A,
    ) -> Result<FileBytes<'a, A>, LoadErrorKind> {
        let count = usize::try_from(front).unwrap_or(usize::MAX);
        #[cfg(feature = "map")]
        if matches!(self.files, Files::Mapped) && bytes > 0 {
            // SAFETY: the caller of `mapped` promised that its files stay as they are.
            let map = unsafe { memmap2::Mmap::map(&*file) }.map_err(LoadErrorKind::of_io)?;
            let count = count.min(map.len());
            return Ok(FileBytes::Mapped(map, count));
        }
        let mut data = FileBytes::try_zeroed_in(count, memory)?;
        let (start, rest) = data.as_mut().split_at_mut(first.len());
        start.copy_from_slice(first);
        file.read_exact(rest).map_err(LoadErrorKind::of_io)?;
        if front == bytes && file.read(&mut [0]).map_err(LoadErrorKind::of_io)? != 0 {
            return Err(LoadErrorKind::of_io(io::ErrorKind::InvalidData.into()));
        }
        Ok(data)
    }
}

/// Returns how many bytes there are before the tail of a file that begins so. A tail that cannot be is
/// a wrong header: all is read, and it is found out then.
fn front_of(first: &[u8; HEADER_BYTES], bytes: u64) -> u64 {
    let front = bytes.checked_sub(ResourceHeader::tail_in(first));
    front.filter(|front| *front >= HEADER_BYTES as u64).unwrap_or(bytes)
}

/// Looks whether a file is there and as long as it is to be.
fn find_packed(
    packed: &dyn PackedFiles,
    (file, wanted): (ContentHash, u64),
) -> Result<(), LoadErrorKind> {
    match packed.bytes_of(file) {
        None => Err(LoadErrorKind::Missing),
        Some(bytes) if bytes != wanted => Err(LoadErrorKind::OtherLength { told: wanted, bytes }),
        Some(_) => Ok(()),
    }
}

/// Reads a file up to its tail.
fn read_packed<'a, A: Allocator + ?Sized>(
    packed: &dyn PackedFiles,
    (file, bytes): (ContentHash, u64),
    memory: &'a A,
) -> Result<FileBytes<'a, A>, LoadErrorKind> {
    find_packed(packed, (file, bytes))?;
    let mut front = bytes;
    if bytes >= HEADER_BYTES as u64 {
        let mut first = [0; HEADER_BYTES];
        packed.read(file, 0, &mut first)?;
        front = front_of(&first, bytes);
    }
    let count = usize::try_from(front).unwrap_or(usize::MAX);
    let mut data = FileBytes::try_zeroed_in(count, memory)?;
    packed.read(file, 0, data.as_mut())?;
    Ok(data)
}
