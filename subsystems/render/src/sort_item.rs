//! What is sorted: a key, and the place of its package.

/// A key, and the place of its package.
///
/// # Memory
///
/// 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SortItem {
    pub(crate) key: u64,
    pub(crate) package: u32,
    pub(crate) context: u32,
}

const _: () = assert!(size_of::<SortItem>() == 16, "the docs state it");

impl SortItem {
    /// Returns the key.
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Returns the number of the context among those that were merged.
    #[must_use]
    pub const fn context(&self) -> u32 {
        self.context
    }
}
