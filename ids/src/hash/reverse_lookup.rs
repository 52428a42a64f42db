//! From hashes back to names: a table that is built with compiled data and read by tools.
//!
//! # Layout
//!
//! One block of bytes without pointers, all numbers in little-endian order, at any address:
//!
//! ```text
//!  0  "lolnames"                          8 bytes
//!  8  version, now 1                      u32
//! 12  bytes of a hash, 4 or 8             u32
//! 16  bytes of the whole                  u64
//! 24  names n                             u32
//! 28  bytes of text                       u32
//! 32  seed of the hashes                  u64
//! 40  checksum of all but itself          u64
//! 48  hashes, strictly ascending          n of them
//!     where each name begins in the text  n + 1 times u32, the last one where the text ends
//!     the names in the order of the hashes, UTF-8, nothing between them
//! ```
//!
//! The same names give the same bytes, in whatever order they came.
#![forbid(unsafe_code)]

mod builder;
mod error;
mod image;
mod lookup_bytes;
mod shown;
#[cfg(test)]
mod tests;

pub use builder::ReverseLookupBuilder;
pub use error::{DamagedLookup, LookupError};
pub use lookup_bytes::LookupBytes;
pub use shown::Shown;

use core::fmt;
use core::marker::PhantomData;

use super::id_string::IdString;
use image::{Parts, id_at, offset_at};

/// A table from hashes to names, read in place from bytes: loaded, mapped, or built into the
/// program.
///
/// The compile step fills a [`ReverseLookupBuilder`] and saves it with its data; a tool opens the
/// bytes; a shipped game has no such file and shows hashes. The default is the table without names,
/// so that the same code serves both.
///
/// # Damage
///
/// [`open`](Self::open) believes nothing: it checks every length against the bytes that are there,
/// the checksum, the order, the text, and that each name hashes to the hash it is at. Any change
/// within one aligned 8 bytes after the header changes the checksum, any other with a chance of all
/// but 2^-64. So a name that is returned is a name with that hash. What cannot be seen is a table
/// that somebody made on purpose with other names of the same hashes, and one that lacks names
/// since it is older than the data.
///
/// # Complexity
///
/// Opening O(bytes), a lookup O(log n). Nothing is allocated.
///
/// # Memory
///
/// In the file 8 bytes a name with 32-bit hashes, 12 with 64-bit ones, the text of the name, and 52
/// bytes once. The object is two slices and a string.
///
/// # Threads
///
/// It only reads: `Send` and `Sync`.
///
/// # When not to use it
///
/// To look names up in a running game: compare ids, and keep the names in the tools.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{IdString64, ReverseLookup, ReverseLookupBuilder, id64};
///
/// static HEAP: StaticHeap<65536> = StaticHeap::new("compiler");
///
/// let mut builder = ReverseLookupBuilder::<IdString64, _>::new(&HEAP);
/// builder.insert("vegetation/trees/larch_3.mesh").expect("there is room, and no collision");
/// let bytes = builder.save()?;
///
/// let names = ReverseLookup::open(&bytes).expect("just saved");
/// let id = id64!("vegetation/trees/larch_3.mesh");
/// assert_eq!(names.get(id), Some("vegetation/trees/larch_3.mesh"));
/// // In a message: the name where it is known, else the hash.
/// assert_eq!(names.show(id64!("sky")).to_string(), format!("#{}", id64!("sky")));
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
#[derive(Clone, Copy)]
pub struct ReverseLookup<'a, I: IdString> {
    hashes: &'a [u8],
    offsets: &'a [u8],
    text: &'a str,
    seed: u64,
    ids: PhantomData<I>,
}

impl<'a, I: IdString> ReverseLookup<'a, I> {
    /// Opens a table that a [`ReverseLookupBuilder`] saved. The bytes may be at any address.
    ///
    /// # Complexity
    ///
    /// O(bytes): every byte is checked, and every name hashed.
    ///
    /// # Errors
    ///
    /// [`DamagedLookup`] says where the bytes are wrong and how. Bytes after the end are refused
    /// too.
    pub fn open(bytes: &'a [u8]) -> Result<Self, DamagedLookup> {
        let parts = Parts::split::<I>(bytes)?;
        let text = parts.checked::<I>()?;
        let Parts { hashes, offsets, seed, .. } = parts;
        Ok(Self { hashes, offsets, text, seed, ids: PhantomData })
    }

    /// Returns the name of an id, if the table has it.
    ///
    /// # Complexity
    ///
    /// O(log n), and hardly ever as many: hashes are spread evenly, so the search begins at the
    /// expected place of the id, looks twice how far it is from what is there, and strides out
    /// from where that leads, some places away.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the bounds are indices of names, and a stride is no longer than what lies between them"
    )]
    pub fn get(&self, id: I) -> Option<&'a str> {
        let is_below = |index| id_at::<I>(self.hashes, index) < id;
        let guess = self.refined(id);
        // The id is in `from..=to`, or not in the table.
        let (mut from, mut to) = (0, self.len());
        let mut stride = 1;
        if guess < to && is_below(guess) {
            from = guess + 1;
            while stride < to - from && is_below(from + stride) {
                from += stride + 1;
                stride *= 2;
            }
            to = to.min(from + stride);
        } else {
            to = guess.min(to);
            while stride < to - from && !is_below(to - stride) {
                to -= stride;
                stride *= 2;
            }
            from = from.max(to.saturating_sub(stride));
        }
        while from < to {
            let middle = from + (to - from) / 2;
            if is_below(middle) { from = middle + 1 } else { to = middle }
        }
        (from < self.len() && id_at::<I>(self.hashes, from) == id).then(|| self.name_at(from))
    }

    /// Returns something that prints as the name of `id`, or where that is not known as its hash
    /// after a `#`. O(log n).
    #[must_use]
    pub fn show(&self, id: I) -> Shown<'a, I> {
        Shown { id, name: self.get(id) }
    }

    /// Returns every id with its name, in the order of the ids.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = (I, &'a str)> + DoubleEndedIterator + use<'a, I> {
        let table = *self;
        (0..self.len()).map(move |index| (id_at::<I>(table.hashes, index), table.name_at(index)))
    }

    /// Returns the number of names.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "an id has 4 or 8 bytes")]
    pub const fn len(&self) -> usize {
        self.hashes.len() / I::BYTES
    }

    /// Returns `true` if it holds no name.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Returns the seed that the names were hashed with.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns where an id would be if all ids were spread evenly.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "an id has 4 or 8 bytes, and a product of 64-bit numbers fits 128 bits"
    )]
    fn guess(&self, id: I) -> usize {
        let share = id.to_u64() << (64 - 8 * I::BYTES as u32);
        ((u128::from(share) * self.len() as u128) >> 64) as usize
    }

    /// Returns a place near an id's: each step is as long as the difference to what is at the last
    /// place would be if ids were spread evenly from there.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a step is no longer than the table, of less than 2^32 names"
    )]
    fn refined(&self, id: I) -> usize {
        let Some(last) = self.len().checked_sub(1) else { return 0 };
        let mut place = self.guess(id).min(last);
        for _ in 0..2 {
            let found = id_at::<I>(self.hashes, place);
            place = if id < found {
                place.saturating_sub(self.guess(I::from_u64(found.to_u64() - id.to_u64())))
            } else {
                last.min(place + self.guess(I::from_u64(id.to_u64() - found.to_u64())))
            };
        }
        place
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there is one offset more than there are names"
    )]
    fn name_at(&self, index: usize) -> &'a str {
        &self.text[offset_at(self.offsets, index)..offset_at(self.offsets, index + 1)]
    }
}

impl<I: IdString> Default for ReverseLookup<'_, I> {
    /// The table without names, for where there is no file.
    fn default() -> Self {
        Self { hashes: &[], offsets: &[], text: "", seed: 0, ids: PhantomData }
    }
}

impl<I: IdString> fmt::Debug for ReverseLookup<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReverseLookup")
            .field("names", &self.len())
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
