//! Objects merged key by key: what says more goes before what it inherits.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::IdString64;

use super::error::{CompileError, CompileErrorKind};
use super::source::Located;

/// A key of one of the objects.
#[derive(Clone, Copy)]
struct Entry<'f, 's> {
    hash: u64,
    /// Which object has it: 0 goes before 1.
    layer: u32,
    value: Located<'f, 's>,
}

/// All values of one key.
#[derive(Clone, Copy)]
struct Group {
    /// Where the key came first, the last object's keys before the others'.
    first: u64,
    start: u32,
    end: u32,
}

/// The keys of several objects, each with its values, those of the first object first.
pub(super) struct Merged<'f, 's, 'm> {
    values: Array<'m, Located<'f, 's>>,
    groups: Array<'m, Group>,
}

impl<'f, 's, 'm> Merged<'f, 's, 'm> {
    /// Merges objects. The values of a key are either one that is not an object, or objects up to
    /// the first value that is not one.
    ///
    /// # Errors
    ///
    /// [`CompileError`] if a key comes twice in one object, or there is no memory.
    pub(super) fn try_new(
        layers: &[Located<'f, 's>],
        memory: &'m dyn Allocator,
    ) -> Result<Self, CompileError<'s>> {
        let mut entries = Array::new_in(memory);
        let mut scratch = Array::new_in(memory);
        for (layer, object) in (0..).zip(layers) {
            for child in object.node.children() {
                let value = object.with(child);
                entries.try_push(Entry { hash: hash(&value, &mut scratch)?, layer, value })?;
            }
        }
        entries
            .sort_unstable_by_key(|entry| (entry.hash, entry.layer, entry.value.node.span().start));
        let twice = entries
            .windows(2)
            .find(|pair| (pair[0].hash, pair[0].layer) == (pair[1].hash, pair[1].layer));
        if let Some([_, second]) = twice {
            let key = second.value.key_text();
            return Err(second.value.key_error(CompileErrorKind::Twice { key }));
        }
        let mut merged = Self { values: Array::new_in(memory), groups: Array::new_in(memory) };
        for group in entries.chunk_by(|a, b| a.hash == b.hash) {
            let start = merged.values.len() as u32;
            let first = group.last().map_or(0, |entry| {
                let from_below = u64::from(u32::MAX - entry.layer);
                from_below << 32 | entry.value.node.span().start as u64
            });
            let objects = group.iter().take_while(|entry| entry.value.is_object()).count();
            for entry in &group[..objects.max(1)] {
                merged.values.try_push(entry.value)?;
            }
            let end = merged.values.len() as u32;
            merged.groups.try_push(Group { first, start, end })?;
        }
        merged.groups.sort_unstable_by_key(|group| group.first);
        Ok(merged)
    }

    /// Returns the values of each key, in the order in which the objects that are inherited have
    /// them, and then those that are new. A key whose value is null is left out.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[Located<'f, 's>]> {
        let values = |group: &Group| &self.values[group.start as usize..group.end as usize];
        let groups = self.groups.iter().map(values);
        groups.filter(|values| values.first().is_some_and(|first| !first.is_null()))
    }
}

/// Returns the hash of a value's key, escapes replaced.
fn hash<'s>(value: &Located<'_, 's>, scratch: &mut Array<'_, u8>) -> Result<u64, CompileError<'s>> {
    let Some(key) = value.node.key() else { return Ok(0) };
    if let Some(plain) = key.plain() {
        return Ok(IdString64::new(plain).hash());
    }
    scratch.clear();
    key.unescape(|piece| scratch.try_extend_from_slice(piece.as_bytes()))?;
    Ok(loligo_ids::murmur2_64a(&scratch[..], 0))
}
