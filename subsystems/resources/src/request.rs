//! Loading in the background: what is to be read, read anywhere, put in place by the owner.

use core::fmt;

use loligo_allocators::Allocator;

use crate::content_hash::ContentHash;
use crate::data::FileBytes;
use crate::error::{LoadError, LoadErrorKind};
use crate::folder::DataFolder;
use crate::header::ResourceHeader;
use crate::key::ResourceKey;
use crate::resource::Resource;

/// A resource that is to be read, as [`Resources::request`](crate::Resources::request) found it in
/// the table.
///
/// # Threads
///
/// Plain data: it goes to whatever thread or task shall do the reading, and what was read comes
/// back.
#[derive(Clone, Copy, Debug)]
pub struct LoadRequest<'p> {
    pub(crate) folder: DataFolder<'p>,
    pub(crate) file: FileRequest,
}

impl LoadRequest<'_> {
    /// Returns which resource is to be read.
    #[must_use]
    pub const fn key(&self) -> ResourceKey {
        self.file.key
    }

    /// Returns how many bytes will be read.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.file.bytes
    }

    /// Returns what is to be read without the folder, for a thread that knows the folder.
    #[must_use]
    pub const fn file(&self) -> FileRequest {
        self.file
    }

    /// Reads or maps the file and checks it. This is the part that takes time.
    ///
    /// # Complexity
    ///
    /// O(bytes): the checksum is computed.
    ///
    /// # Errors
    ///
    /// [`LoadError`]; all memory is freed.
    pub fn read<'a, A: Allocator + ?Sized>(
        &self,
        memory: &'a A,
    ) -> Result<Loaded<'a, A>, LoadError> {
        self.file.read(&self.folder, memory)
    }
}

/// Which file is to be read for a resource, and what is expected of it. It borrows nothing.
#[derive(Clone, Copy, Debug)]
pub struct FileRequest {
    pub(crate) key: ResourceKey,
    pub(crate) file: ContentHash,
    pub(crate) bytes: u64,
    /// The version that the program reads, if it declared one.
    pub(crate) version: Option<u32>,
}

impl FileRequest {
    /// As [`LoadRequest::read`], from a folder: that of the resources that it is for.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn read<'a, A: Allocator + ?Sized>(
        &self,
        folder: &DataFolder<'_>,
        memory: &'a A,
    ) -> Result<Loaded<'a, A>, LoadError> {
        self.try_read(folder, memory).map_err(|kind| kind.of(self.key))
    }

    /// Reads a part of the tail: as many bytes as `into` has, of which the first is `from_end`
    /// before the end of the file. They are not checked: what knows the parts has their sums.
    ///
    /// # Complexity
    ///
    /// O(bytes). The path of the file is made in `memory`.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is gone, is not as long as the table says, or ends before.
    pub fn read_tail<A: Allocator + ?Sized>(
        &self,
        folder: &DataFolder<'_>,
        from_end: u64,
        into: &mut [u8],
        memory: &A,
    ) -> Result<(), LoadError> {
        let read = folder.read_part((self.file, self.bytes), from_end, into, memory);
        read.map_err(|kind| kind.of(self.key))
    }

    fn try_read<'a, A: Allocator + ?Sized>(
        &self,
        folder: &DataFolder<'_>,
        memory: &'a A,
    ) -> Result<Loaded<'a, A>, LoadErrorKind> {
        let bytes = folder.read(self.file, self.bytes, memory)?;
        let header = ResourceHeader::read(&bytes).map_err(LoadErrorKind::Header)?;
        if header.key != self.key {
            return Err(LoadErrorKind::OtherResource { found: header.key });
        }
        match self.version {
            Some(wanted) if wanted != header.version => {
                Err(LoadErrorKind::OtherVersion { found: header.version, wanted })
            }
            _ => Ok(Loaded { file: self.file, header, bytes }),
        }
    }
}

/// A resource that was read and checked, on its way to
/// [`Resources::insert`](crate::Resources::insert).
///
/// # Threads
///
/// `Send` where the allocator is `Sync`.
pub struct Loaded<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(crate) file: ContentHash,
    pub(crate) header: ResourceHeader,
    pub(crate) bytes: FileBytes<'a, A>,
}

impl<A: Allocator + ?Sized> Loaded<'_, A> {
    /// Returns `true` if it is the file that a request names: another where the data or the
    /// preferences have changed since it was asked for.
    #[must_use]
    pub fn is_of(&self, request: &FileRequest) -> bool {
        (self.header.key, self.file) == (request.key, request.file)
    }

    /// Returns what was read.
    #[must_use]
    pub fn resource(&self) -> Resource<'_> {
        Resource::new(self.header, &self.bytes)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Loaded<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("header", &self.header).finish_non_exhaustive()
    }
}
