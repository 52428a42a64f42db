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

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use loligo_allocators::Allocator;
use loligo_containers::Array;

use crate::content_hash::ContentHash;
use crate::data::FileBytes;
use crate::error::{LoadErrorKind, OpenError};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataFolder<'p> {
    path: &'p str,
    is_mapped: bool,
}

impl<'p> DataFolder<'p> {
    /// Names a folder whose files are read into the allocator's memory.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the path is not UTF-8.
    pub fn new(path: &'p Path) -> Result<Self, OpenError> {
        match path.to_str() {
            Some(path) => Ok(Self { path, is_mapped: false }),
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
        Ok(Self { is_mapped: true, ..Self::new(path)? })
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
    ) -> Result<FileBytes<'a, A>, LoadErrorKind> {
        self.read_named(&["resources"], Length::AtMost(TABLE_BYTES_MAX), memory)
    }

    /// Reads the file of a hash, which is to be so long.
    pub(crate) fn read<'a, A: Allocator + ?Sized>(
        &self,
        file: ContentHash,
        bytes: u64,
        memory: &'a A,
    ) -> Result<FileBytes<'a, A>, LoadErrorKind> {
        if bytes > RESOURCE_BYTES_MAX {
            return Err(LoadErrorKind::of_io(io::ErrorKind::FileTooLarge.into()));
        }
        let hex = file.to_hex();
        let name = core::str::from_utf8(&hex).unwrap_or_default();
        self.read_named(&["blobs", name], Length::Exactly(bytes), memory)
    }

    /// Reads a file of the folder.
    pub(crate) fn read_named<'a, A: Allocator + ?Sized>(
        &self,
        steps: &[&str],
        expected: Length,
        memory: &'a A,
    ) -> Result<FileBytes<'a, A>, LoadErrorKind> {
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
        let mut file = File::open(path).map_err(LoadErrorKind::of_io)?;
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
        #[cfg(feature = "map")]
        if self.is_mapped && bytes > 0 {
            // SAFETY: the caller of `mapped` promised that its files stay as they are.
            let map = unsafe { memmap2::Mmap::map(&file) }.map_err(LoadErrorKind::of_io)?;
            return Ok(FileBytes::Mapped(map));
        }
        let count = usize::try_from(bytes).unwrap_or(usize::MAX);
        let mut data = FileBytes::try_zeroed_in(count, memory)?;
        file.read_exact(data.as_mut()).map_err(LoadErrorKind::of_io)?;
        if file.read(&mut [0]).map_err(LoadErrorKind::of_io)? != 0 {
            return Err(LoadErrorKind::of_io(io::ErrorKind::InvalidData.into()));
        }
        Ok(data)
    }
}
