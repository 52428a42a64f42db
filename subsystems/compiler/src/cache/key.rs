//! Names of entries in a store.

use core::fmt;

use loligo_resources::ContentHash;

/// What an entry of a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CacheKind {
    /// A record: questions, or a result.
    Record,
    /// The bytes of a compiled resource.
    Blob,
}

impl CacheKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Record, Self::Blob];

    /// Returns the folder that entries of the kind are in.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Record => "records",
            Self::Blob => "blobs",
        }
    }
}

/// The name of an entry of a store. It is printed as its path: `blobs/3f/3f..`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey {
    /// What it is.
    pub kind: CacheKind,
    /// The key of a record, or the hash of a blob's bytes.
    pub hash: ContentHash,
}

impl CacheKey {
    /// Reads a key from the path that it is printed as.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        let mut steps = path.split('/');
        let (kind, group, name) = (steps.next()?, steps.next()?, steps.next()?);
        let kind = CacheKind::ALL.into_iter().find(|known| known.folder() == kind)?;
        let hash = ContentHash::from_hex(name.as_bytes())?;
        let key = Self { kind, hash };
        (steps.next().is_none() && group == key.group()).then_some(key)
    }

    /// Returns the folder of the entry within that of its kind: one of 256.
    #[must_use]
    pub fn group(&self) -> String {
        format!("{:02x}", self.hash.0[0])
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.kind.folder(), self.group(), self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::{CacheKey, CacheKind};
    use crate::hash::hash_of;

    #[test]
    fn a_key_is_read_from_its_path_and_from_no_other() {
        for kind in CacheKind::ALL {
            let key = CacheKey { kind, hash: hash_of(kind.folder().as_bytes()) };
            let path = key.to_string();
            assert_eq!(CacheKey::parse(&path), Some(key), "{path}");
            let upper = path.to_uppercase();
            for other in [&*format!("{path}/x"), &path[1..], &path[..path.len() - 1], &*upper, ""] {
                assert_eq!(CacheKey::parse(other), None, "{other}");
            }
        }
    }
}
