//! The managers of all components that the engine knows, in one list.

use loligo_allocators::SharedRef;
use loligo_entities::{ComponentManager, Components, Data, Plain, Tags, Transforms};
#[cfg(feature = "script")]
use loligo_entities::{ComponentType, Entity};

use crate::components::{CAMERA, Camera, Model, PointLight, SUN, Sun};
#[cfg(feature = "script")]
use crate::components::{LIGHT, MODEL};
use crate::memory::SharedAllocator;
use crate::objects::Objects;

/// A manager for each type of component.
pub(super) struct Managers<'m> {
    pub(super) transforms: Transforms<'m, SharedAllocator<'m>>,
    pub(super) tags: Tags<'m, SharedAllocator<'m>>,
    pub(super) data: Data<'m, SharedAllocator<'m>>,
    pub(super) models: Objects<'m, Model, SharedAllocator<'m>>,
    pub(super) cameras: Plain<'m, Camera, SharedAllocator<'m>>,
    pub(super) suns: Plain<'m, Sun, SharedAllocator<'m>>,
    pub(super) lights: Objects<'m, PointLight, SharedAllocator<'m>>,
}

impl<'m> Managers<'m> {
    pub(super) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            transforms: Transforms::new_in(memory),
            tags: Tags::new_in(memory),
            data: Data::new_in(memory),
            models: Objects::new_in(memory),
            cameras: Plain::new_in(CAMERA, memory),
            suns: Plain::new_in(SUN, memory),
            lights: Objects::new_in(memory),
        }
    }

    /// Calls `each` with the entities that have a component, some at a time.
    #[cfg(feature = "script")]
    pub(super) fn visit_owners(&self, component: ComponentType, each: &mut dyn FnMut(&[Entity])) {
        match component {
            ComponentType::TRANSFORM => {
                self.transforms.worlds().for_each(|(entities, _)| each(entities));
            }
            ComponentType::DATA => each(self.data.entities()),
            MODEL => each(self.models.entities()),
            CAMERA => each(self.cameras.entities()),
            SUN => each(self.suns.entities()),
            LIGHT => each(self.lights.entities()),
            _ => {}
        }
    }

    /// Puts all of them together, as a spawn or a removal wants them.
    pub(super) fn together<R>(
        &mut self,
        work: impl FnOnce(&mut Components<'_, '_>) -> R,
    ) -> Option<R> {
        let mut all: [&mut dyn ComponentManager; 7] = [
            &mut self.transforms,
            &mut self.tags,
            &mut self.data,
            &mut self.models,
            &mut self.cameras,
            &mut self.suns,
            &mut self.lights,
        ];
        // No two of them are of one type.
        Components::new(&mut all).ok().map(|mut components| work(&mut components))
    }
}
