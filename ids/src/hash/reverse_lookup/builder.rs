//! Names on their way into a table.
#![forbid(unsafe_code)]
#![expect(
    clippy::arithmetic_side_effects,
    reason = "entries and text are below 2^32, which `make_room` checks in 64 bits; the rest \
              sums lengths of what lies in memory"
)]

use core::fmt;

use loligo_allocators::{AllocError, Allocator};

use super::ReverseLookup;
use super::error::LookupError;
use super::image::{
    AT_BYTES, AT_CHECKSUM, AT_HASH_BYTES, AT_NAMES, AT_SEED, AT_TEXT_BYTES, AT_VERSION,
    HEADER_BYTES, MAGIC, OFFSET_BYTES, VERSION, checksum, image_bytes,
};
use super::lookup_bytes::LookupBytes;
use crate::hash::buffer::Buffer;
use crate::hash::id_string::IdString;

/// Slots of the first index.
const SLOTS_MIN: usize = 64;

/// Collects the names that a compile step hashes, refuses those that collide, and saves them as the
/// bytes of a [`ReverseLookup`].
///
/// # Complexity
///
/// [`insert`](Self::insert) O(bytes of the name), amortised; [`save`](Self::save) O(n log n +
/// text).
///
/// # Memory
///
/// Three blocks of the allocator, each at most doubled where it grows: 12 bytes a name (16 with
/// 64-bit ids) and its text, and 4 bytes for each of 2 to 4 slots a name. Nothing while empty. All
/// is given back on drop.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_ids::{IdString32, LookupError, ReverseLookupBuilder, murmur2_32, preimage_32};
///
/// static HEAP: StaticHeap<65536> = StaticHeap::new("compiler");
///
/// let mut builder = ReverseLookupBuilder::<IdString32, _>::new(&HEAP);
/// let id = builder.insert("root_point").expect("there is room");
/// assert_eq!(builder.insert("root_point"), Ok(id), "twice is once");
///
/// let mut text = [0; 9];
/// let other = preimage_32(id.hash(), 0, &mut text).expect("9 characters are enough");
/// let refused = builder.insert(other).expect_err("the hash is taken");
/// assert!(refused.to_string().contains("root_point"));
/// ```
pub struct ReverseLookupBuilder<'a, I: IdString, A: Allocator + ?Sized = dyn Allocator + 'a> {
    seed: u64,
    /// The names as they came, or after saving in the order of their ids.
    entries: Buffer<'a, Entry<I>, A>,
    text: Buffer<'a, u8, A>,
    /// An index of the entries by id: open addressing, at most half full, 0 or the number of the
    /// entry plus 1; empty or a power of two of slots.
    slots: Buffer<'a, u32, A>,
}

#[derive(Clone, Copy)]
struct Entry<I> {
    id: I,
    start: u32,
    bytes: u32,
}

impl<'a, I: IdString> ReverseLookupBuilder<'a, I> {
    /// Makes a builder without names; `memory` is asked when the first one comes.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Makes a builder for hashes under a [perfect seed](crate::perfect_seed_in). Of the seed of a
    /// 32-bit hash the lower half counts.
    #[must_use]
    pub const fn with_seed(memory: &'a (dyn Allocator + 'a), seed: u64) -> Self {
        Self::with_seed_in(memory, seed)
    }
}

impl<'a, I: IdString, A: Allocator + ?Sized> ReverseLookupBuilder<'a, I, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self::with_seed_in(memory, 0)
    }

    /// As [`with_seed`](Self::with_seed), and keeps the type of the allocator, so that its calls
    /// are direct.
    #[must_use]
    pub const fn with_seed_in(memory: &'a A, seed: u64) -> Self {
        Self {
            seed: if I::BYTES == 4 { seed as u32 as u64 } else { seed },
            entries: Buffer::new(memory),
            text: Buffer::new(memory),
            slots: Buffer::new(memory),
        }
    }

    /// Adds a name and returns its id. A name that is there is not added again.
    ///
    /// # Errors
    ///
    /// [`LookupError::Collision`] names this name and the other one that has its hash. Refused too
    /// are more than 4 GiB of text, and what the allocator has no memory for. The builder is as it
    /// was.
    pub fn insert<'n>(&'n mut self, name: &'n str) -> Result<I, LookupError<'n>> {
        let id = I::with_seed(name, self.seed);
        if let Some(entry) = self.find(id) {
            let first = self.name(entry);
            return if first == name {
                Ok(id)
            } else {
                Err(LookupError::Collision { hash: id.to_u64(), first, second: name })
            };
        }
        self.reserve(1, name.len())?;
        self.add(id, name);
        Ok(id)
    }

    /// Adds all names of another table.
    ///
    /// # Complexity
    ///
    /// O(names and bytes of the other), and it is gone through twice.
    ///
    /// # Errors
    ///
    /// [`LookupError`], a collision naming both; then none of the names has been added.
    pub fn merge<'n>(&'n mut self, other: &ReverseLookup<'n, I>) -> Result<(), LookupError<'n>> {
        if other.is_empty() {
            return Ok(());
        }
        if other.seed() != self.seed {
            return Err(LookupError::OtherSeed { ours: self.seed, theirs: other.seed() });
        }
        let (mut names, mut text_bytes) = (0, 0);
        for (id, name) in other.iter() {
            match self.find(id) {
                None => {
                    names += 1;
                    text_bytes += name.len();
                }
                Some(entry) if self.name(entry) == name => {}
                Some(entry) => {
                    let first = self.name(entry);
                    return Err(LookupError::Collision { hash: id.to_u64(), first, second: name });
                }
            }
        }
        self.reserve(names, text_bytes)?;
        for (id, name) in other.iter() {
            if self.find(id).is_none() {
                self.add(id, name);
            }
        }
        Ok(())
    }

    /// Returns the name of an id, if it was added. O(bytes of the name) in the mean.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&str> {
        self.find(id).map(|entry| self.name(entry))
    }

    /// Returns the number of names.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if no name was added.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes that [`save_into`](Self::save_into) writes.
    #[must_use]
    pub const fn saved_bytes(&self) -> usize {
        // Less than what the names take here already, but for the header.
        image_bytes(I::BYTES, self.len() as u64, self.text.len() as u64) as usize
    }

    /// Saves the table into a block of the builder's allocator. The builder may go on.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the allocator refuses.
    pub fn save(&mut self) -> Result<LookupBytes<'a, A>, AllocError> {
        let mut bytes = Buffer::new(self.entries.allocator());
        bytes.refill(self.saved_bytes(), 0)?;
        self.save_into(bytes.as_mut_slice());
        Ok(LookupBytes { bytes })
    }

    /// Saves the table into memory of the caller. The builder may go on.
    ///
    /// # Complexity
    ///
    /// O(n log n + text): the names are sorted by their hashes.
    ///
    /// # Panics
    ///
    /// If `into` is not [`saved_bytes`](Self::saved_bytes) long.
    pub fn save_into(&mut self, into: &mut [u8]) {
        assert_eq!(into.len(), self.saved_bytes(), "the image is as long as `saved_bytes` says");
        self.entries.as_mut_slice().sort_unstable_by_key(|entry| entry.id);
        self.index_all();
        let entries = self.entries.as_slice();
        let length = into.len() as u64;
        let (header, rest) = into.split_at_mut(HEADER_BYTES);
        let (hashes, rest) = rest.split_at_mut(entries.len() * I::BYTES);
        let (offsets, text) = rest.split_at_mut((entries.len() + 1) * OFFSET_BYTES);
        let (offsets, _) = offsets.as_chunks_mut::<OFFSET_BYTES>();
        let mut end = 0;
        for (index, entry) in entries.iter().enumerate() {
            let hash = entry.id.to_u64().to_le_bytes();
            hashes[index * I::BYTES..][..I::BYTES].copy_from_slice(&hash[..I::BYTES]);
            offsets[index] = (end as u32).to_le_bytes();
            let name = self.name_bytes(entry);
            text[end..][..name.len()].copy_from_slice(name);
            end += name.len();
        }
        offsets[entries.len()] = (end as u32).to_le_bytes();
        header[..MAGIC.len()].copy_from_slice(&MAGIC);
        let mut field =
            |at: usize, bytes: &[u8]| header[at..][..bytes.len()].copy_from_slice(bytes);
        field(AT_VERSION, &VERSION.to_le_bytes());
        field(AT_HASH_BYTES, &(I::BYTES as u32).to_le_bytes());
        field(AT_NAMES, &(entries.len() as u32).to_le_bytes());
        field(AT_TEXT_BYTES, &(end as u32).to_le_bytes());
        field(AT_SEED, &self.seed.to_le_bytes());
        field(AT_BYTES, &length.to_le_bytes());
        let sum = checksum(into);
        into[AT_CHECKSUM..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
    }

    /// Makes room for names, so that adding them cannot fail.
    pub(super) fn reserve<'n>(
        &mut self,
        names: usize,
        text_bytes: usize,
    ) -> Result<(), LookupError<'n>> {
        let total_bytes = self.text.len() as u64 + text_bytes as u64;
        let total = self.len() as u64 + names as u64;
        if total_bytes > u32::MAX.into() || total >= u32::MAX.into() {
            return Err(LookupError::TooLarge { text_bytes: total_bytes });
        }
        self.entries.reserve(names)?;
        self.text.reserve(text_bytes)?;
        let slots = (2 * (self.len() + names)).next_power_of_two().max(SLOTS_MIN);
        if slots > self.slots.len() {
            self.slots.refill(slots, 0)?;
            self.index_all();
        }
        Ok(())
    }

    /// Adds a name that is not there, and for which there is room.
    fn add(&mut self, id: I, name: &str) {
        let entry = Entry { id, start: self.text.len() as u32, bytes: name.len() as u32 };
        self.text.append(name.as_bytes());
        self.entries.append(&[entry]);
        self.index(id, self.entries.len());
    }

    /// Makes the index again, in the slots that there are.
    fn index_all(&mut self) {
        self.slots.as_mut_slice().fill(0);
        for at in 0..self.entries.len() {
            self.index(self.entries.as_slice()[at].id, at + 1);
        }
    }

    /// Checks that each entry has a slot, and no slot is anybody else's.
    #[cfg(test)]
    pub(super) fn validate(&self) {
        let used = self.slots.as_slice().iter().filter(|&&number| number != 0).count();
        assert_eq!(used, self.len(), "slots in use");
        for (at, entry) in self.entries.as_slice().iter().enumerate() {
            assert_eq!(self.slots.as_slice()[self.slot(entry.id)] as usize, at + 1, "entry {at}");
        }
    }

    fn index(&mut self, id: I, number: usize) {
        let slot = self.slot(id);
        self.slots.as_mut_slice()[slot] = number as u32;
    }

    /// Returns the slot of an id, or the free one where it would be. There must be slots.
    fn slot(&self, id: I) -> usize {
        let (slots, entries) = (self.slots.as_slice(), self.entries.as_slice());
        let mask = slots.len() - 1;
        let mut slot = id.to_u64() as usize & mask;
        while slots[slot] != 0 && entries[slots[slot] as usize - 1].id != id {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn find(&self, id: I) -> Option<&Entry<I>> {
        if self.is_empty() {
            return None;
        }
        let number = self.slots.as_slice()[self.slot(id)] as usize;
        number.checked_sub(1).map(|at| &self.entries.as_slice()[at])
    }

    fn name_bytes(&self, entry: &Entry<I>) -> &[u8] {
        &self.text.as_slice()[entry.start as usize..][..entry.bytes as usize]
    }

    fn name(&self, entry: &Entry<I>) -> &str {
        str::from_utf8(self.name_bytes(entry)).expect("names were added as text")
    }
}

impl<I: IdString, A: Allocator + ?Sized> fmt::Debug for ReverseLookupBuilder<'_, I, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReverseLookupBuilder")
            .field("names", &self.len())
            .field("text_bytes", &self.text.len())
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
