//! The resource as bytes.

use loligo_allocators::Allocator;
use loligo_containers::{BlobBuilder, BlobBytes, Endian, GrowError, blob_field};
use loligo_ids::IdString32;

use crate::resource::{Part, Root};

/// The components of one type, to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewPart<'p> {
    /// The type's name, hashed.
    pub component: IdString32,
    /// The indices of the entities that have one, ascending.
    pub entities: &'p [u32],
    /// The data of all of them, as the type's manager reads them.
    pub data: &'p [u32],
}

/// Writes a resource: for tools that have entities from elsewhere than a source.
///
/// `parents` has the index of each entity's parent, which comes before it, or
/// [`NO_PARENT`](crate::NO_PARENT), and `names` the hash of each one's name. The parts are in the
/// order given, which is best that of spawning. What does not fit together is refused when the
/// resource is [opened](crate::EntityResource::open).
///
/// # Complexity
///
/// O(bytes + types^2).
///
/// # Errors
///
/// [`GrowError`] if there is no memory.
pub fn write<'a>(
    parents: &[u32],
    names: &[u32],
    parts: &[NewPart<'_>],
    memory: &'a dyn Allocator,
) -> Result<BlobBytes<'a>, GrowError> {
    write_for(Endian::NATIVE, parents, names, parts, memory)
}

/// As [`write()`], for machines of a byte order.
pub(super) fn write_for<'a>(
    endian: Endian,
    parents: &[u32],
    names: &[u32],
    parts: &[NewPart<'_>],
    memory: &'a dyn Allocator,
) -> Result<BlobBytes<'a>, GrowError> {
    let mut builder = BlobBuilder::<Root>::try_new_in(endian, memory)?;
    let root = builder.root();
    builder.numbers(root.at(blob_field!(Root, parents)), parents)?;
    builder.numbers(root.at(blob_field!(Root, names)), names)?;
    let places = builder.array(root.at(blob_field!(Root, parts)), parts.len())?;
    for (at, part) in parts.iter().enumerate() {
        // The table is sorted by name; the data that it refers to keep the given order.
        let before = |other: &&NewPart<'_>| other.component < part.component;
        let equal = |other: &&NewPart<'_>| other.component == part.component;
        let rank = parts.iter().filter(before).count() + parts[..at].iter().filter(equal).count();
        let place = places.get(rank);
        builder.set(place.at(blob_field!(Part, name)), part.component.hash());
        builder.numbers(place.at(blob_field!(Part, entities)), part.entities)?;
        builder.numbers(place.at(blob_field!(Part, data)), part.data)?;
    }
    Ok(builder.finish())
}
