//! What is in a cache, whether it is whole, and making it smaller.

use std::collections::BTreeMap;

use super::key::{CacheKey, CacheKind};
use super::record::{RECORD_BYTES_MAX, Record};
use super::store::{CacheStore, StoreError, StoredEntry};
use crate::hash::hash_of;

/// What is in a cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheSummary {
    /// How many entries of each kind, and their bytes.
    pub kinds: BTreeMap<CacheKind, (u64, u64)>,
    /// When the entry was used that was not used for the longest time, in seconds since 1970.
    pub oldest_seconds: Option<u64>,
}

impl CacheSummary {
    /// Returns how many entries there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.kinds.values().map(|(count, _)| count).sum()
    }

    /// Returns the bytes of all entries.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.kinds.values().map(|(_, bytes)| bytes).sum()
    }
}

/// Returns what is in a cache.
///
/// # Errors
///
/// [`StoreError`] if it cannot be listed.
pub fn summary(store: &dyn CacheStore) -> Result<CacheSummary, StoreError> {
    let mut summary = CacheSummary::default();
    for entry in store.list()? {
        let (count, bytes) = summary.kinds.entry(entry.key.kind).or_default();
        *count += 1;
        *bytes += entry.bytes;
        let oldest = summary.oldest_seconds.get_or_insert(entry.used_seconds);
        *oldest = entry.used_seconds.min(*oldest);
    }
    Ok(summary)
}

/// What [`trim`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrimReport {
    /// How many entries.
    pub removed: u64,
    /// Their bytes.
    pub removed_bytes: u64,
    /// The bytes that are left.
    pub left_bytes: u64,
}

/// Removes entries until a cache has at most `bytes_max` bytes: those first that were not used for
/// the longest time. A compile that finds a result and not its bytes recompiles the resource, so
/// others can go on to use the cache meanwhile.
///
/// # Errors
///
/// [`StoreError`] if it cannot be listed, or an entry cannot be removed.
pub fn trim(store: &dyn CacheStore, bytes_max: u64) -> Result<TrimReport, StoreError> {
    let mut entries = store.list()?;
    let all: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let mut report = TrimReport { left_bytes: all, ..TrimReport::default() };
    // Of the same age the first by name, so that two that clean up at once remove the same.
    entries.sort_unstable_by_key(|entry| (entry.used_seconds, entry.key.kind, entry.key.hash.0));
    for StoredEntry { key, bytes, .. } in entries {
        if report.left_bytes <= bytes_max {
            break;
        }
        store.remove(key)?;
        report.removed += 1;
        report.removed_bytes += bytes;
        report.left_bytes -= bytes;
    }
    Ok(report)
}

/// An entry that is not as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheDamage {
    /// Which.
    pub key: CacheKey,
    /// What is wrong with it.
    pub what: &'static str,
}

/// Reads each entry and returns those that are damaged, in order of their names. With `is_repair`
/// they are removed, so that the next compile writes them again.
///
/// # Errors
///
/// [`StoreError`] if it cannot be listed, or an entry cannot be read or removed.
pub fn verify(store: &dyn CacheStore, is_repair: bool) -> Result<Vec<CacheDamage>, StoreError> {
    let mut entries = store.list()?;
    entries.sort_unstable_by_key(|entry| (entry.key.kind, entry.key.hash.0));
    let mut damages = Vec::new();
    for StoredEntry { key, bytes, .. } in entries {
        let bytes_max = match key.kind {
            CacheKind::Record => RECORD_BYTES_MAX,
            CacheKind::Blob => bytes,
        };
        let what = match (store.get(key, bytes_max), key.kind) {
            // It was removed meanwhile.
            (Ok(None), _) => continue,
            (Ok(Some(bytes)), CacheKind::Blob) if hash_of(&bytes) == key.hash => continue,
            (Ok(Some(_)), CacheKind::Blob) => "it does not have the bytes that it is named after",
            (Ok(Some(bytes)), CacheKind::Record) => match Record::from_bytes(key.hash, &bytes) {
                Some(_) => continue,
                None => "it is damaged, or of another version",
            },
            (Err(StoreError::TooLong { .. }), _) => "it is longer than any",
            (Err(error), _) => return Err(error),
        };
        if is_repair {
            store.remove(key)?;
        }
        damages.push(CacheDamage { key, what });
    }
    Ok(damages)
}
