//! Where keys are, by their hash: a table of open addressing.

use loligo_allocators::Allocator;

use super::NIL;
use crate::arrays::array::Array;
use crate::error::GrowError;

/// How many buckets a table begins with.
const FIRST_BUCKETS: usize = 8;

/// A key's hash and where it is among the keys; `at` is `NIL` in an empty bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) hash: u32,
    pub(super) at: u32,
}

impl Bucket {
    pub(super) const EMPTY: Self = Self { hash: 0, at: NIL };
}

/// The table: a power of two of buckets, at most half of them in use: a key is rarely far from
/// where it belongs then, and the length of a search can be predicted. A key is in the bucket that
/// its hash names or, where that is in use, in one of those after it, before any empty one.
pub(super) struct Index<'a, A: Allocator + ?Sized> {
    pub(super) buckets: Array<'a, Bucket, A>,
}

impl<'a, A: Allocator + ?Sized> Index<'a, A> {
    pub(super) const fn new(memory: &'a A) -> Self {
        Self { buckets: Array::new_in(memory) }
    }

    /// Returns how many keys there is room for.
    pub(super) fn capacity(&self) -> usize {
        self.buckets.len() / 2
    }

    /// Makes room for `keys` keys in all.
    #[inline]
    pub(super) fn try_reserve(&mut self, keys: usize) -> Result<(), GrowError> {
        if keys <= self.capacity() { Ok(()) } else { self.grow(keys) }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, keys: usize) -> Result<(), GrowError> {
        let (wanted, limit) = (keys as u64, u64::from(NIL));
        let count = (wanted.saturating_mul(2)).max(FIRST_BUCKETS as u64);
        let count = count.checked_next_power_of_two().filter(|count| *count <= 1 << 32);
        let count = count.and_then(|count| usize::try_from(count).ok());
        let count = count.ok_or(GrowError::Length { wanted, limit })?;
        let mut buckets = Array::try_with_capacity_in(count, self.buckets.memory())?;
        buckets.try_resize(count, Bucket::EMPTY)?;
        let old = core::mem::replace(&mut self.buckets, buckets);
        old.iter().filter(|bucket| bucket.at != NIL).for_each(|bucket| self.insert(*bucket));
        Ok(())
    }

    /// Adds a key that is not there and for which there is room.
    #[inline]
    pub(super) fn insert(&mut self, bucket: Bucket) {
        let mask = self.buckets.len() - 1;
        let mut at = bucket.hash as usize & mask;
        while self.buckets[at].at != NIL {
            at = (at + 1) & mask;
        }
        self.buckets[at] = bucket;
    }

    /// Returns where the key is that has a hash and is the right one.
    #[inline]
    pub(super) fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.buckets.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let bucket = self.buckets[at];
            if bucket.at == NIL {
                return None;
            }
            if bucket.hash == hash && is_it(bucket.at) {
                return Some(bucket.at);
            }
            at = (at + 1) & mask;
        }
    }

    /// Removes a key; those after it that its bucket was in the way of move up.
    #[inline]
    pub(super) fn remove(&mut self, key: Bucket) {
        let Some(mut gap) = self.bucket_of(key) else { return };
        let mask = self.buckets.len() - 1;
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let bucket = self.buckets[at];
            if bucket.at == NIL {
                break;
            }
            // It may move into the gap unless its own place is after that.
            let from_home = at.wrapping_sub(bucket.hash as usize) & mask;
            let from_gap = at.wrapping_sub(gap) & mask;
            if from_home >= from_gap {
                self.buckets[gap] = bucket;
                gap = at;
            }
        }
        self.buckets[gap] = Bucket::EMPTY;
    }

    /// Notes that a key is elsewhere among the keys now.
    #[inline]
    pub(super) fn renumber(&mut self, key: Bucket, to: u32) {
        if let Some(bucket) = self.bucket_of(key) {
            self.buckets[bucket].at = to;
        }
    }

    /// Removes all keys.
    pub(super) fn clear(&mut self) {
        self.buckets.fill(Bucket::EMPTY);
    }

    /// Returns the bucket of a key.
    #[inline]
    pub(super) fn bucket_of(&self, key: Bucket) -> Option<usize> {
        let mask = self.buckets.len().checked_sub(1)?;
        let mut at = key.hash as usize & mask;
        for _ in 0..=mask {
            let bucket = self.buckets[at];
            if bucket == key {
                return Some(at);
            }
            if bucket.at == NIL {
                return None;
            }
            at = (at + 1) & mask;
        }
        None
    }
}
