//! The table, which ours is not: the peer's, over our memory by the bridge.

use core::ops::{Deref, DerefMut};

use loligo_allocators::Bridge;

use crate::memory::{MEMORY, Memory};

/// The peer's table with our memory.
type Bridged<T> = hashbrown::HashTable<T, Bridge<'static, Memory>>;

#[derive(Clone, Debug)]
pub struct HashTable<T>(Bridged<T>);

impl<T> HashTable<T> {
    #[must_use]
    pub const fn new() -> Self {
        Self(Bridged::new_in(Bridge(&MEMORY)))
    }

    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Bridged::with_capacity_in(capacity, Bridge(&MEMORY)))
    }
}

impl<T> Deref for HashTable<T> {
    type Target = Bridged<T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for HashTable<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
