//! One process's share of a compile.

use core::num::NonZeroU32;

use crate::hash::hash_of;
use crate::resource_name::ResourceName;

/// The share of one of several processes that compile a project together: the resources whose names
/// have hashes that leave its number. So each resource is in one share, whatever else there is, and
/// a resource that is added moves no other to another process.
///
/// # Examples
///
/// ```
/// use core::num::NonZeroU32;
///
/// use loligo_compiler::{CompileShard, ResourceName};
///
/// let of = NonZeroU32::new(4).expect("four");
/// let name = ResourceName::of_path("units/door.config")?.expect("it has a type");
/// let shards = (1..=4).filter_map(|number| CompileShard::new(NonZeroU32::new(number)?, of));
/// assert_eq!(shards.filter(|shard| shard.takes(&name)).count(), 1);
/// # Ok::<(), loligo_compiler::NameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileShard {
    number: NonZeroU32,
    of: NonZeroU32,
}

impl CompileShard {
    /// Returns the share of a process, from 1 to their number; none if it is greater.
    #[must_use]
    pub fn new(number: NonZeroU32, of: NonZeroU32) -> Option<Self> {
        (number <= of).then_some(Self { number, of })
    }

    /// Returns `true` if a resource is in the share.
    #[must_use]
    pub fn takes(self, name: &ResourceName) -> bool {
        let hash = hash_of(name.to_string().as_bytes()).0;
        let first = hash.first_chunk::<8>().copied().unwrap_or_default();
        u64::from_le_bytes(first) % u64::from(self.of.get()) == u64::from(self.number.get() - 1)
    }
}
