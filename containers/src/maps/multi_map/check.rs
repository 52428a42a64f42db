//! Walks the map's invariants.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;

use super::{MultiMap, NIL};

/// What [`MultiMap::validate`] found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MultiMapDamage {
    /// What is wrong, in words.
    pub what: &'static str,
    /// The entry or bucket that it is wrong of.
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
    /// O(capacity).
    ///
    /// # Errors
    ///
    /// [`MultiMapDamage`] names the first fault found.
    pub fn validate(&self) -> Result<(), MultiMapDamage> {
        let (buckets, len) = (self.buckets.len(), self.entries.len());
        if (buckets != 0 && !buckets.is_power_of_two()) || buckets < len {
            return damage("buckets are no power of two, or fewer than entries", buckets);
        }
        let mut seen = 0;
        for (bucket, first) in self.buckets.iter().copied().enumerate() {
            if first != NIL {
                seen += self.check_ring(bucket, first, len - seen)?;
            }
        }
        if seen != len {
            return damage("an entry is in no ring; of so many are", seen);
        }
        Ok(())
    }

    /// Checks the ring of a bucket, which has `most` entries at most, and returns how many it has.
    fn check_ring(&self, bucket: usize, first: u32, most: usize) -> Result<usize, MultiMapDamage> {
        let mut at = first;
        for count in 0..most {
            let Some(entry) = self.entries.get(at as usize) else {
                return damage("a link leads beyond the entries", at as usize);
            };
            if entry.hash as usize & (self.buckets.len() - 1) != bucket {
                return damage("an entry is in another bucket's ring", at as usize);
            }
            if self.entries.get(entry.next as usize).is_none_or(|next| next.before != at) {
                return damage("an entry's neighbour does not lead back", at as usize);
            }
            at = entry.next;
            if at == first {
                return Ok(count + 1);
            }
        }
        damage("a ring does not close", bucket)
    }
}

fn damage<T>(what: &'static str, index: usize) -> Result<T, MultiMapDamage> {
    Err(MultiMapDamage { what, index: index as u64 })
}
