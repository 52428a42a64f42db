//! Blobs of older versions: copied to the newest one when they are loaded.

use core::alloc::Layout;
use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;

use super::bytes::BlobBytes;
use super::check::{BlobChecker, BlobRefused, BlobShapes};
use super::error::{BlobError, BlobPartError};
use super::header::{self, HEADER};
use super::parts::BlobType;
use super::scalar::{BlobScalar, Endian};
use super::{Blob, BlobStr};
use crate::error::GrowError;

/// Why a blob was not copied to the newest version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlobUpgradeError {
    /// The bytes are not a blob of this type in any version.
    Blob(BlobError),
    /// There is no memory for the copy.
    Grow(GrowError),
}

impl fmt::Display for BlobUpgradeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blob(error) => error.fmt(f),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for BlobUpgradeError {}

impl From<BlobError> for BlobUpgradeError {
    fn from(error: BlobError) -> Self {
        Self::Blob(error)
    }
}

impl From<GrowError> for BlobUpgradeError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

impl<R: BlobType> Blob<'_, R> {
    /// Copies a blob that was built before fields were added to its structs, and gives these fields
    /// their defaults; `None` if the blob is of the newest version, to be opened as it is.
    ///
    /// `#[derive(BlobType)]` says since which version a field is there: `#[blob(since = 2)]`, or
    /// `#[blob(since = 2, default = 1.0)]` if 0, no text, no elements or no part is not what older
    /// blobs mean. All structs of a blob share one version. The shape in the header says which it
    /// is, so a field that was added without `since` is refused as before.
    ///
    /// Reading the copy costs what reading any blob costs: no field is looked up.
    ///
    /// # Complexity
    ///
    /// O(bytes) for the copy. A blob of the newest version is not read beyond its header.
    ///
    /// # Memory
    ///
    /// The copy, which grows by doubling.
    ///
    /// # Errors
    ///
    /// [`BlobUpgradeError`] if the bytes are not a blob of this type in any version, or there is no
    /// memory. What the copy leads to is checked when it is opened.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(feature = "derive")] {
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{Blob, BlobBuilder, BlobStr, BlobType, Endian, blob_field};
    ///
    /// mod last_year {
    ///     # use loligo_containers::{BlobStr, BlobType};
    ///     #[derive(BlobType)]
    ///     #[repr(C)]
    ///     pub struct Lamp {
    ///         pub name: BlobStr,
    ///         pub watts: f32,
    ///     }
    /// }
    ///
    /// #[derive(BlobType)]
    /// #[repr(C)]
    /// struct Lamp {
    ///     name: BlobStr,
    ///     watts: f32,
    ///     #[blob(since = 2, default = 1.5)]
    ///     radius: f32,
    ///     #[blob(since = 2)]
    ///     texture: BlobStr,
    /// }
    ///
    /// static HEAP: StaticHeap<65536> = StaticHeap::new("doc");
    /// let mut builder =
    ///     BlobBuilder::<last_year::Lamp>::try_new(Endian::NATIVE, &HEAP).expect("there is memory");
    /// builder.set(builder.root().at(blob_field!(last_year::Lamp, watts)), 60.0);
    /// let older = builder.finish();
    ///
    /// assert!(Blob::<Lamp>::open(&older).is_err(), "it has no radius");
    /// let newest = Blob::<Lamp>::try_upgrade(&older, &HEAP).expect("it is whole");
    /// let newest = newest.expect("it is of an older version");
    /// let lamp = Blob::<Lamp>::open(&newest).expect("just copied");
    /// assert_eq!((lamp.root().watts, lamp.root().radius), (60.0, 1.5));
    /// assert_eq!(lamp.str(&lamp.root().texture), "");
    /// # }
    /// ```
    pub fn try_upgrade<'a>(
        bytes: &[u8],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Option<BlobBytes<'a>>, BlobUpgradeError> {
        Self::try_upgrade_in(bytes, memory)
    }

    /// As [`try_upgrade`](Self::try_upgrade), and keeps the type of the allocator, so that its calls
    /// are direct.
    ///
    /// # Errors
    ///
    /// As [`try_upgrade`](Self::try_upgrade).
    pub fn try_upgrade_in<'a, A: Allocator + ?Sized>(
        bytes: &[u8],
        memory: &'a A,
    ) -> Result<Option<BlobBytes<'a, A>>, BlobUpgradeError> {
        let found = header::shape(bytes, HEADER)?;
        let newest = BlobShapes::of::<R>();
        if found == newest.hash() {
            return Ok(None);
        }
        let older = |version: &u32| BlobShapes::of_version::<R>(*version).hash() == found;
        let Some(version) = (1..newest.newest()).rev().find(older) else {
            return Err(BlobError::OtherShape { found, wanted: newest.hash() }.into());
        };
        let root_bytes = R::layout(version).size();
        header::check_length(bytes, root_bytes)?;
        header::compare_checksum(bytes)?;
        let mut copy = BlobBytes::new(memory);
        copy.extend(HEADER + size_of::<R>(), 1)?;
        let checker = BlobChecker::new(bytes);
        let mut upgrade = BlobUpgrade { checker, into: &mut copy, version, grow: None };
        let root = upgrade.checker.take(HEADER, root_bytes, "the root");
        if let Err(refused) = root.and_then(|_| R::upgrade(&mut upgrade, HEADER, HEADER)) {
            return Err(match upgrade.grow {
                Some(error) => error.into(),
                None => upgrade.checker.error(refused).into(),
            });
        }
        header::write::<R>(copy.as_mut(), Endian::NATIVE);
        Ok(Some(copy))
    }
}

/// Bytes that parts are appended to, whatever allocator they are from.
trait Growing {
    fn extend(&mut self, bytes: usize, align: usize) -> Result<usize, GrowError>;
    fn bytes(&mut self) -> &mut [u8];
}

impl<A: Allocator + ?Sized> Growing for BlobBytes<'_, A> {
    fn extend(&mut self, bytes: usize, align: usize) -> Result<usize, GrowError> {
        self.extend(bytes, align)
    }

    fn bytes(&mut self) -> &mut [u8] {
        self.as_mut()
    }
}

/// What [`BlobType::upgrade`] is given: the bytes of an older blob, and those of the copy.
///
/// No offset of the older blob is believed: as when a blob is opened, all that is led to is together
/// no longer than the bytes, and no deeper than [`BLOB_DEPTH`](super::BLOB_DEPTH).
pub struct BlobUpgrade<'u> {
    checker: BlobChecker<'u>,
    into: &'u mut dyn Growing,
    version: u32,
    /// Why there is no more memory.
    grow: Option<GrowError>,
}

impl BlobUpgrade<'_> {
    /// Returns the version of the older blob.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Copies `bytes` bytes that lead nowhere.
    ///
    /// # Errors
    ///
    /// [`BlobRefused`] if there are not as many at either place.
    pub fn copy(&mut self, from: usize, to: usize, bytes: usize) -> Result<(), BlobRefused> {
        let part = self.checker.part(from, bytes);
        let into = self.into.bytes().get_mut(to..to.saturating_add(bytes));
        match (part, into) {
            (Some(part), Some(into)) => {
                into.copy_from_slice(part);
                Ok(())
            }
            _ => Err(self.checker.refuse(
                from,
                "a type of the program's own",
                BlobPartError::Refused,
            )),
        }
    }

    /// Writes a value to the copy: the default of a field that the older blob does not have.
    ///
    /// # Panics
    ///
    /// If the copy has no such place.
    pub fn set<T: BlobScalar>(&mut self, to: usize, value: T) {
        value.write(Endian::NATIVE, &mut self.into.bytes()[to..to + size_of::<T>()]);
    }

    /// Names the field that a refused value is in.
    #[doc(hidden)]
    #[cold]
    pub fn within(&mut self, refused: BlobRefused, field: &'static str) -> BlobRefused {
        self.checker.within(refused, field)
    }

    /// Returns the number at a place of the older blob.
    pub(super) fn u32_at(&self, from: usize) -> u32 {
        self.checker.u32_at(from)
    }

    /// Copies the text that a field leads to.
    pub(super) fn text(&mut self, from: usize, to: usize) -> Result<(), BlobRefused> {
        let (offset, bytes) = (self.u32_at(from), self.u32_at(from + 4));
        if bytes == 0 {
            return Ok(());
        }
        let field = (from, size_of::<BlobStr>());
        let length = bytes as usize;
        let (start, _) = self.checker.follow(field, offset, length, 1, BlobStr::NAME)?;
        let part = self.append(length, 1)?;
        self.copy(start, part, length)?;
        self.set(to, (part - to) as u32);
        self.set(to + 4, bytes);
        Ok(())
    }

    /// Copies `count` values that a field leads to, and lets the field of the copy lead to them.
    pub(super) fn part<T: BlobType>(
        &mut self,
        (from, field_bytes): (usize, usize),
        to: usize,
        count: usize,
        name: &'static str,
    ) -> Result<(), BlobRefused> {
        let layout = T::layout(self.version);
        let (offset, bytes) = (self.u32_at(from), count.saturating_mul(layout.size()));
        if bytes == 0 {
            // Values of a struct that the version does not have would take no bytes, so that a few
            // bytes could ask for any number of them.
            return Err(self.checker.refuse(from, name, BlobPartError::Refused));
        }
        let field = (from, field_bytes);
        let (start, _) = self.checker.follow(field, offset, bytes, layout.align(), name)?;
        let part = self.append(count.saturating_mul(size_of::<T>()), align_of::<T>())?;
        self.set(to, (part - to) as u32);
        if T::IS_NUMBER {
            return self.copy(start, part, count * size_of::<T>());
        }
        // As when a blob is opened, plain values are no level of nesting.
        if !T::PLAIN {
            self.checker.descend(from, name)?;
        }
        for index in 0..count {
            T::upgrade(self, start + index * layout.size(), part + index * size_of::<T>())?;
        }
        if !T::PLAIN {
            self.checker.ascend();
        }
        Ok(())
    }

    /// Appends zeroes to the copy and returns where they begin.
    fn append(&mut self, bytes: usize, align: usize) -> Result<usize, BlobRefused> {
        match self.into.extend(bytes, align) {
            Ok(start) => Ok(start),
            Err(error) => {
                self.grow = Some(error);
                Err(self.checker.refuse(0, "the copy", BlobPartError::Refused))
            }
        }
    }
}

impl fmt::Debug for BlobUpgrade<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobUpgrade").field("version", &self.version).finish_non_exhaustive()
    }
}

/// Where the fields of a struct are in blobs of a version: C's layout of those that it has.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct BlobLayout {
    layout: Layout,
    version: u32,
}

impl BlobLayout {
    /// Begins a struct.
    #[must_use]
    pub const fn new(version: u32) -> Self {
        Self { layout: Layout::new::<()>(), version }
    }

    /// Adds a field and returns its offset.
    ///
    /// # Panics
    ///
    /// If the struct is larger than any type can be.
    pub fn add<F: BlobType>(&mut self) -> usize {
        let (layout, offset) =
            self.layout.extend(F::layout(self.version)).expect("it is part of a type");
        self.layout = layout;
        offset
    }

    /// Ends the struct.
    #[must_use]
    pub const fn finish(self) -> Layout {
        self.layout.pad_to_align()
    }
}
