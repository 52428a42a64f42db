//! A resource that was checked and whose parts were found once, to be spawned many times.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::IdString32;

use super::{EntityResource, Parts, ResourcePart};

/// A slice of words of a resource, by its place.
#[derive(Clone, Copy)]
struct Place {
    first: u32,
    count: u32,
}

impl Place {
    /// Returns the place of a slice of the words.
    fn new(part: &[u32], words: &[u8]) -> Self {
        if part.is_empty() {
            return Self { first: 0, count: 0 };
        }
        let offset = part.as_ptr().addr().wrapping_sub(words.as_ptr().addr());
        Self { first: (offset / size_of::<u32>()) as u32, count: part.len() as u32 }
    }

    #[inline]
    fn of(self, words: &[u32]) -> &[u32] {
        &words[self.first as usize..][..self.count as usize]
    }
}

/// Where the components of one type are.
#[derive(Clone, Copy)]
pub(super) struct PartPlaces {
    pub(super) component: IdString32,
    entities: Place,
    data: Place,
}

impl PartPlaces {
    #[inline]
    pub(super) fn of<'b>(&self, words: &'b [u32]) -> ResourcePart<'b> {
        ResourcePart {
            component: self.component,
            entities: self.entities.of(words),
            data: self.data.of(words),
        }
    }
}

/// A copy of a resource, aligned as it must be, which was checked and whose parts were found:
/// getting it is O(1), where opening its bytes is O(bytes).
///
/// # Memory
///
/// The bytes of the resource, and 20 for each component type.
///
/// # Invariants
///
/// 1. The places are within the bytes, and were those of an [`EntityResource`] over equal bytes, so
///    its invariants hold.
pub struct KeptResource<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    bytes: Array<'a, u128, A>,
    len: usize,
    parents: Place,
    names: Place,
    parts: Array<'a, PartPlaces, A>,
}

impl<'a, A: Allocator + ?Sized> KeptResource<'a, A> {
    /// Copies a resource.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new_in(resource: &EntityResource<'_>, memory: &'a A) -> Result<Self, GrowError> {
        let own = resource.as_bytes();
        let mut bytes = Array::new_in(memory);
        bytes.try_resize(own.len().div_ceil(size_of::<u128>()), 0)?;
        bytemuck::cast_slice_mut(&mut bytes)[..own.len()].copy_from_slice(own);
        let place = |part: &[u32]| Place::new(part, own);
        let mut parts = Array::try_with_capacity_in(resource.parts().len(), memory)?;
        for part in resource.parts() {
            let (entities, data) = (place(part.entities), place(part.data));
            parts.try_push(PartPlaces { component: part.component, entities, data })?;
        }
        let (parents, names) = (place(resource.parents), place(resource.names));
        Ok(Self { bytes, len: own.len(), parents, names, parts })
    }

    /// Returns the resource. O(1).
    #[must_use]
    pub fn resource(&self) -> EntityResource<'_> {
        let words: &[u32] = bytemuck::cast_slice(&self.bytes);
        EntityResource {
            bytes: &bytemuck::cast_slice(&self.bytes)[..self.len],
            parents: self.parents.of(words),
            names: self.names.of(words),
            parts: Parts::Found { places: &self.parts, words },
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for KeptResource<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeptResource").field(&self.resource()).finish()
    }
}
