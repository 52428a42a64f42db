//! Walks the map's invariants.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;

use super::{Bucket, MultiMap, NIL};

/// Most keys that are compared with each other.
const KEYS_COMPARED: usize = 1024;

/// What [`MultiMap::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MultiMapDamage {
    /// What is wrong, in words.
    pub what: &'static str,
    /// The key or bucket that it is wrong of.
    pub index: u64,
}

impl fmt::Display for MultiMapDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.what, self.index)
    }
}

impl Error for MultiMapDamage {}

impl<K, V, S, A: Allocator + ?Sized> MultiMap<'_, K, V, S, A> {
    /// Checks the map's own structure, in release builds too. Keys are not hashed.
    ///
    /// # Complexity
    ///
    /// O(capacity), and O(keys^2) where there are at most 1 024 keys: among more than that, two that
    /// share a slot are found only by how many slots all have.
    ///
    /// # Errors
    ///
    /// [`MultiMapDamage`] names the first fault found.
    pub fn validate(&self) -> Result<(), MultiMapDamage> {
        self.check_index()?;
        let (mut len, mut slots) = (0, 0);
        for (key, keyed) in self.keys.iter().enumerate() {
            let run = &keyed.run;
            if run.len == 0 || run.len > run.slots {
                return damage("a key has no values, or more than slots", key);
            }
            if run.slots > self.values.end || run.start > self.values.end - run.slots {
                return damage("a key's values are beyond the end", key);
            }
            len += run.len as usize;
            slots += u64::from(run.slots);
        }
        if len != self.len {
            return damage("the values are another number than was counted; they are", len);
        }
        if slots + u64::from(self.values.idle) != u64::from(self.values.end) {
            return damage("slots are in two runs or in none; idle are", self.values.idle as usize);
        }
        if self.keys.len() <= KEYS_COMPARED { self.check_apart() } else { Ok(()) }
    }

    fn check_index(&self) -> Result<(), MultiMapDamage> {
        let (buckets, keys) = (&self.index.buckets, self.keys.len());
        if (!buckets.is_empty() && !buckets.len().is_power_of_two()) || self.index.capacity() < keys
        {
            return damage("buckets are no power of two, or too few for the keys", buckets.len());
        }
        let used = buckets.iter().filter(|bucket| bucket.at != NIL).count();
        if used != keys {
            return damage("the buckets in use are not as many as keys, but", used);
        }
        for (at, keyed) in self.keys.iter().enumerate() {
            if self.index.bucket_of(Bucket { hash: keyed.hash, at: at as u32 }).is_none() {
                return damage("a key has no bucket that its hash leads to", at);
            }
        }
        Ok(())
    }

    /// Finds two keys that share a slot.
    fn check_apart(&self) -> Result<(), MultiMapDamage> {
        let mut end = 0;
        // The runs in the order of their starts, without memory: the next one each time.
        for _ in 0..self.keys.len() {
            let next = self.keys.iter().filter(|keyed| keyed.run.start >= end);
            let Some(next) = next.min_by_key(|keyed| keyed.run.start) else {
                return damage("two keys share a slot before", end as usize);
            };
            end = next.run.start + next.run.slots;
        }
        Ok(())
    }
}

fn damage<T>(what: &'static str, index: usize) -> Result<T, MultiMapDamage> {
    Err(MultiMapDamage { what, index: index as u64 })
}
