//! The name of a resource in a component.

use bytemuck::{Pod, Zeroable};
use loligo_ids::IdString64;

/// The hash of a resource's name as components have it: two words, so that a component is aligned
/// as words are.
///
/// # Memory
///
/// 8 bytes at an alignment of 4; zero means no name.
///
/// # Examples
///
/// ```
/// use loligo_entities::ResourceWords;
/// use loligo_ids::IdString64;
///
/// let door = ResourceWords::of(IdString64::new("meshes/door"));
/// assert_eq!(door.name(), Some(IdString64::new("meshes/door")));
/// assert_eq!(ResourceWords::default().name(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct ResourceWords {
    /// The low half of the hash.
    pub low: u32,
    /// The high half.
    pub high: u32,
}

impl ResourceWords {
    /// Takes a name apart.
    #[must_use]
    pub const fn of(name: IdString64) -> Self {
        Self { low: name.hash() as u32, high: (name.hash() >> 32) as u32 }
    }

    /// Returns the name, if there is one.
    #[must_use]
    pub const fn name(self) -> Option<IdString64> {
        match (self.high as u64) << 32 | self.low as u64 {
            0 => None,
            hash => Some(IdString64::from_hash(hash)),
        }
    }
}
