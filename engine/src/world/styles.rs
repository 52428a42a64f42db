//! The materials and the targets of meshes that were loaded, by name: what models may be given while
//! the game runs.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::{IdString32, IdString64};
use loligo_resources::DebugName;

use crate::assets::{Assets, TargetAsset};
use crate::error::EngineError;

/// A material, as draws have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    name: IdString64,
    pub(super) state: u32,
    pub(super) layer: u32,
    pub(super) debug_name: DebugName,
}

/// All materials, sorted by the hashes of their names, and the targets of all meshes.
pub(super) struct Styles<'a, A: Allocator + ?Sized> {
    materials: Array<'a, Style, A>,
    targets: Array<'a, TargetAsset, A>,
}

impl<'a, A: Allocator + ?Sized> Styles<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { materials: Array::new_in(memory), targets: Array::new_in(memory) }
    }

    /// Replaces the table by what was loaded. `layer` finds the number of a layer.
    pub(super) fn learn<B: Allocator + ?Sized>(
        &mut self,
        assets: &Assets<'_, B>,
        layer: impl Fn(IdString64) -> Option<u32>,
    ) -> Result<(), EngineError> {
        self.materials.try_reserve(assets.materials().len())?;
        self.targets.try_reserve(assets.targets().len())?;
        self.targets.clear();
        self.targets.extend_from_slice(assets.targets());
        self.materials.clear();
        // Keys of one type are sorted by name.
        for (name, material) in assets.materials() {
            self.materials.try_push(Style {
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
        let at = self.materials.binary_search_by_key(&name, |style| style.name).ok()?;
        self.materials.get(at)
    }

    /// Returns the weight that a target has in a mesh at rest, if the mesh has it. O(targets).
    pub(super) fn rest_weight(&self, mesh: IdString64, target: IdString32) -> Option<f32> {
        let is_it = |own: &&TargetAsset| own.mesh == mesh && own.target == target.hash();
        self.targets.iter().find(is_it).map(|target| target.weight)
    }
}
