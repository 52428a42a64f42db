//! The materials that were loaded, by name: what models may be given while the game runs.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::IdString64;
use loligo_resources::DebugName;

use crate::assets::Assets;
use crate::error::EngineError;

/// A material, as draws have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    name: IdString64,
    pub(super) state: u32,
    pub(super) layer: u32,
    pub(super) debug_name: DebugName,
}

/// All materials, sorted by the hashes of their names.
pub(super) struct Styles<'a, A: Allocator + ?Sized>(Array<'a, Style, A>);

impl<'a, A: Allocator + ?Sized> Styles<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self(Array::new_in(memory))
    }

    /// Replaces the table by what was loaded. `layer` finds the number of a layer.
    pub(super) fn learn<B: Allocator + ?Sized>(
        &mut self,
        assets: &Assets<'_, B>,
        layer: impl Fn(IdString64) -> Option<u32>,
    ) -> Result<(), EngineError> {
        self.0.try_reserve(assets.materials().len())?;
        self.0.clear();
        // Keys of one type are sorted by name.
        for (name, material) in assets.materials() {
            self.0.try_push(Style {
                name,
                state: material.state,
                layer: layer(material.layer).unwrap_or(u32::MAX),
                debug_name: material.debug_name,
            })?;
        }
        Ok(())
    }

    /// Returns a material by the hash of its name. O(log n).
    pub(super) fn get(&self, name: IdString64) -> Option<&Style> {
        let at = self.0.binary_search_by_key(&name, |style| style.name).ok()?;
        self.0.get(at)
    }
}
