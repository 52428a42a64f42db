//! The texts of scripts, by name.

use loligo_allocators::SharedRef;
use loligo_containers::{Array, GrowError, SortedMap};
use loligo_ids::IdString64;
use loligo_resources::ResourceKey;

use crate::error::EngineError;
use crate::memory::SharedAllocator;

#[cfg(test)]
mod tests;

/// The type of resources that are scripts.
pub(crate) const LUA: &str = "lua";

/// The most names kept of scripts that were asked for and do not exist.
const MISSING_MAX: usize = 64;

/// What scripts ask for by name, and what they print.
pub(crate) struct Modules<'m> {
    /// The texts of all scripts that were compiled, by the hashes of their names.
    texts: SortedMap<'m, IdString64, Array<'m, u8, SharedAllocator<'m>>, SharedAllocator<'m>>,
    /// The names under which scripts asked for them, by their hashes.
    names: SortedMap<'m, IdString64, Array<'m, u8, SharedAllocator<'m>>, SharedAllocator<'m>>,
    /// Those of `names` that no script had when it was asked for, the oldest first.
    missing: Array<'m, IdString64, SharedAllocator<'m>>,
    /// What was printed since it was logged last.
    pub(crate) printed: Array<'m, u8, SharedAllocator<'m>>,
}

impl<'m> Modules<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            texts: SortedMap::new_in(memory),
            names: SortedMap::new_in(memory),
            missing: Array::new_in(memory),
            printed: Array::new_in(memory),
        }
    }

    /// Returns `true` if a resource is a script.
    pub(crate) fn is_script(key: ResourceKey) -> bool {
        key.type_hash == IdString64::new(LUA)
    }

    /// Takes a script's text in, in place of an older one.
    pub(crate) fn put(&mut self, key: ResourceKey, payload: &[u8]) -> Result<(), EngineError> {
        let memory = self.printed.memory();
        let copy = Array::try_from_slice_in(payload, memory)?;
        self.texts.try_insert(key.name, copy)?;
        Ok(())
    }

    /// Returns the name under which a script was asked for.
    pub(crate) fn name(&self, key: ResourceKey) -> Option<&str> {
        core::str::from_utf8(self.names.get(&key.name)?).ok()
    }

    /// Returns the text of a script.
    pub(crate) fn ask(&mut self, name: &str) -> Option<&[u8]> {
        let hash = IdString64::new(name);
        if !self.names.contains_key(&hash) {
            // Without memory for its name it is loaded, and not reloaded.
            let _ = self.remember(hash, name);
        }
        self.texts.get(&hash).map(|text| &**text)
    }

    /// Keeps the name under which a script was asked for, by which it is reloaded; of scripts that
    /// do not exist the last [`MISSING_MAX`] names, in case they come.
    fn remember(&mut self, hash: IdString64, name: &str) -> Result<(), GrowError> {
        let name = Array::try_from_slice_in(name.as_bytes(), self.printed.memory())?;
        if !self.texts.contains_key(&hash) {
            if self.missing.len() == MISSING_MAX {
                let oldest = self.missing.remove(0);
                if !self.texts.contains_key(&oldest) {
                    self.names.remove(&oldest);
                }
            }
            self.missing.try_push(hash)?;
        }
        self.names.try_insert(hash, name)?;
        Ok(())
    }
}
