//! Opening looks at everything once, and believes no offset and no length.

use loligo_ids::murmur2_64a;

use super::BLOB_DEPTH;
use super::error::{BlobError, BlobPartError};
use super::parts::BlobType;

/// A value was refused; the [`BlobChecker`] knows why. Small, so that checking a million values
/// that are right costs little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobRefused(());

/// What [`BlobType::check`] is given: the bytes of a blob that is being opened.
///
/// A blob is a tree: what is led to follows the field that leads there, and all that is led to is
/// together no longer than the bytes. So a check ends after as many steps as there are bytes.
#[derive(Debug)]
pub struct BlobChecker<'b> {
    bytes: &'b [u8],
    /// Bytes that nothing has led to yet.
    left: usize,
    depth: u32,
    /// Why a value was refused.
    error: Option<(usize, &'static str, BlobPartError)>,
}

impl<'b> BlobChecker<'b> {
    pub(super) const fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, left: bytes.len(), depth: 0, error: None }
    }

    /// Says why a value is refused.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(
        &mut self,
        at: usize,
        name: &'static str,
        error: BlobPartError,
    ) -> BlobRefused {
        self.error = Some((at, name, error));
        BlobRefused(())
    }

    /// Names the field that a refused value is in, unless one within it was named.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn within(&mut self, refused: BlobRefused, field: &'static str) -> BlobRefused {
        if let Some((_, name, _)) = &mut self.error
            && !name.contains('.')
        {
            *name = field;
        }
        refused
    }

    /// Returns why a value was refused.
    pub(super) fn error(&self, BlobRefused(()): BlobRefused) -> BlobError {
        let (offset, field, error) =
            self.error.unwrap_or((0, "a type of the program's own", BlobPartError::Refused));
        BlobError::Part { offset, field, error }
    }

    /// Counts `bytes` bytes at `at` as led to, and returns them.
    #[inline]
    pub(super) fn take(
        &mut self,
        at: usize,
        bytes: usize,
        name: &'static str,
    ) -> Result<&'b [u8], BlobRefused> {
        let end = at.saturating_add(bytes);
        let Some(part) = self.bytes.get(at..end) else {
            let error = BlobPartError::Beyond { end: end as u64, bytes: self.bytes.len() };
            return Err(self.refuse(at, name, error));
        };
        if bytes > self.left {
            return Err(self.refuse(at, name, BlobPartError::Overlapping));
        }
        self.left -= bytes;
        Ok(part)
    }

    /// Returns a number of the part that is being checked.
    #[inline]
    pub(super) fn u32_at(&self, at: usize) -> u32 {
        bytemuck::pod_read_unaligned(&self.bytes[at..at + 4])
    }

    /// Returns the bytes of a number of the part that is being checked.
    ///
    /// # Panics
    ///
    /// If the part ends before.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn bytes_at<const N: usize>(&self, at: usize) -> [u8; N] {
        *self.bytes[at..].first_chunk().expect("the part is as long as its type")
    }

    /// Refuses a number that is no variant of the enum `name`.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn no_variant(&mut self, at: usize, name: &'static str, found: i64) -> BlobRefused {
        self.refuse(at, name, BlobPartError::NoVariant { found })
    }

    /// Returns a byte of the part that is being checked.
    #[inline]
    pub(super) fn byte_at(&self, at: usize) -> u8 {
        self.bytes[at]
    }

    /// Checks `count` values of `T` that the field at `at`, `field_bytes` long, leads to.
    #[inline]
    pub(super) fn lead_to<T: BlobType>(
        &mut self,
        (at, field_bytes): (usize, usize),
        offset: u32,
        count: usize,
        name: &'static str,
    ) -> Result<&'b [u8], BlobRefused> {
        let bytes = count.saturating_mul(size_of::<T>());
        let (start, part) = self.follow((at, field_bytes), offset, bytes, align_of::<T>(), name)?;
        if T::PLAIN {
            return Ok(part);
        }
        self.descend(at, name)?;
        for index in 0..count {
            T::check(self, start + index * size_of::<T>())?;
        }
        self.ascend();
        Ok(part)
    }

    /// Checks where the field at `at`, `field_bytes` long, leads: to aligned bytes after it. Returns
    /// where they begin, and the bytes.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        (at, field_bytes): (usize, usize),
        offset: u32,
        bytes: usize,
        align: usize,
        name: &'static str,
    ) -> Result<(usize, &'b [u8]), BlobRefused> {
        if (offset as usize) < field_bytes {
            return Err(self.refuse(at, name, BlobPartError::Backward));
        }
        let start = at.saturating_add(offset as usize);
        if !start.is_multiple_of(align) {
            return Err(self.refuse(at, name, BlobPartError::Misaligned { align }));
        }
        Ok((start, self.take(start, bytes, name)?))
    }

    /// Goes to the parts that a field leads to.
    #[inline]
    pub(super) fn descend(&mut self, at: usize, name: &'static str) -> Result<(), BlobRefused> {
        if self.depth == BLOB_DEPTH {
            return Err(self.refuse(at, name, BlobPartError::TooDeep));
        }
        self.depth += 1;
        Ok(())
    }

    /// Returns from parts to the field that leads to them.
    #[inline]
    pub(super) const fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Returns `bytes` bytes, if they are there.
    pub(super) fn part(&self, at: usize, bytes: usize) -> Option<&'b [u8]> {
        self.bytes.get(at..)?.get(..bytes)
    }
}

/// The shapes of the structs that can be in a blob: collects each once, however they refer to each
/// other.
#[derive(Debug)]
pub struct BlobShapes {
    seen: [u64; SHAPES_MAX],
    count: usize,
    version: u32,
    newest: u32,
    hash: u64,
}

/// How many structs a blob may be made of.
const SHAPES_MAX: usize = 64;

impl BlobShapes {
    /// Returns the shapes of all structs that an `R` can lead to.
    pub(super) fn of<R: BlobType>() -> Self {
        Self::of_version::<R>(u32::MAX)
    }

    /// Returns the shapes that they had in a version.
    pub(super) fn of_version<R: BlobType>(version: u32) -> Self {
        let mut shapes = Self { seen: [0; SHAPES_MAX], count: 0, version, newest: 1, hash: 0 };
        R::shapes(&mut shapes);
        shapes.hash = murmur2_64a(R::NAME, R::layout(version).size() as u64);
        for shape in &shapes.seen[..shapes.count] {
            shapes.hash = murmur2_64a(&shapes.hash.to_le_bytes()[..], *shape);
        }
        shapes
    }

    /// Returns one number for all of them.
    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the newest version that a field names.
    pub(super) const fn newest(&self) -> u32 {
        self.newest
    }

    /// Returns `true` if the version has fields that came with `version`.
    #[doc(hidden)]
    pub const fn has(&mut self, version: u32) -> bool {
        if version > self.newest {
            self.newest = version;
        }
        version <= self.version
    }

    /// Adds the shape of a struct; returns whether it is new, and its fields are to be looked at.
    ///
    /// # Panics
    ///
    /// If a blob can hold more than 64 kinds of structs and enums.
    pub fn add<T: BlobType>(&mut self, text: &str) -> bool {
        self.insert(text, murmur2_64a(text, self.memory_of::<T>()))
    }

    /// Adds the shape of an enum: the names and numbers of its variants.
    ///
    /// # Panics
    ///
    /// If a blob can hold more than 64 kinds of structs and enums.
    #[doc(hidden)]
    pub fn add_enum<T: BlobType>(&mut self, variants: &[(&str, i64)]) {
        let mut shape = murmur2_64a(T::NAME, self.memory_of::<T>());
        for (name, number) in variants {
            shape = murmur2_64a(&number.to_le_bytes()[..], murmur2_64a(*name, shape));
        }
        self.insert(T::NAME, shape);
    }

    /// Returns size and alignment of a type in one number.
    fn memory_of<T: BlobType>(&self) -> u64 {
        let layout = T::layout(self.version);
        (layout.size() as u64) << 8 | layout.align() as u64
    }

    /// Adds a shape; returns whether it is new.
    fn insert(&mut self, text: &str, shape: u64) -> bool {
        if self.seen[..self.count].contains(&shape) {
            return false;
        }
        assert!(
            self.count < SHAPES_MAX,
            "a blob is made of at most {SHAPES_MAX} kinds of structs and enums, and `{text}` is one \
             more"
        );
        self.seen[self.count] = shape;
        self.count += 1;
        true
    }
}
