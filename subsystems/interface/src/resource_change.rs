//! What becomes of a resource that a subsystem has said it owns.

use loligo_ids::IdString64;

/// A resource of one of a subsystem's types was loaded, or has changed.
#[derive(Clone, Copy, Debug)]
pub struct ResourceChange<'r> {
    /// The hash of its type.
    pub type_hash: IdString64,
    /// The hash of its name.
    pub name: IdString64,
    /// The end of its name, as people read it; empty where the data folder keeps none.
    pub debug_name: &'r str,
    /// What it consists of now.
    pub payload: &'r [u8],
    /// Whether it was loaded before, and is recompiled.
    pub is_changed: bool,
}

impl ResourceChange<'_> {
    /// Returns `true` if the resource is of a type.
    #[must_use]
    pub fn is_of(&self, type_name: &str) -> bool {
        self.type_hash == IdString64::new(type_name)
    }
}
