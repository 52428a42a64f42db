//! What names a resource.

use core::fmt;

use loligo_ids::IdString64;

/// The hash of a resource's type and that of its name.
///
/// The name is a path to people and to the tools; here it is a number, and the only way back is the
/// table of names that the compiler writes next to the data. Names must be given in full, with the
/// folders that they are in and without properties and type: `units/door`.
///
/// # Memory
///
/// 16 bytes, plain.
///
/// # Examples
///
/// ```
/// use loligo_resources::ResourceKey;
///
/// const DOOR: ResourceKey = ResourceKey::new("texture", "units/door");
/// assert_ne!(DOOR, ResourceKey::new("mesh", "units/door"), "another type is another resource");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceKey {
    /// The hash of the type.
    pub type_hash: IdString64,
    /// The hash of the name.
    pub name: IdString64,
}

impl ResourceKey {
    /// Hashes a type and a name. O(bytes) at run time, nothing in a constant.
    #[must_use]
    pub const fn new(type_name: &str, name: &str) -> Self {
        Self { type_hash: IdString64::new(type_name), name: IdString64::new(name) }
    }
}

/// As both hashes, type first.
impl fmt::Display for ResourceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}/#{}", self.type_hash, self.name)
    }
}
