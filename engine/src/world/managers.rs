//! The managers of all components that the engine knows, in one list.

use loligo_allocators::SharedRef;
use loligo_entities::{
    Batch, ComponentError, ComponentManager, ComponentTwice, ComponentType, Components, Data,
    Entity, Plain, Tags, Transforms,
};
use loligo_render::{InstanceParameters, MorphWeights};

use super::components::{
    CAMERA, Camera, LIGHT, MODEL, Model, PARAMETERS, PointLight, SUN, Sun, WEIGHTS,
};
use super::objects::Objects;
use crate::memory::SharedAllocator;

use super::joined::Joined;

/// A manager for each type of component.
pub(super) struct Managers<'m> {
    pub(super) transforms: Transforms<'m, SharedAllocator<'m>>,
    pub(super) tags: Tags<'m, SharedAllocator<'m>>,
    pub(super) data: Data<'m, SharedAllocator<'m>>,
    pub(super) models: Objects<'m, Model, SharedAllocator<'m>>,
    pub(super) parameters: Plain<'m, InstanceParameters, SharedAllocator<'m>>,
    pub(super) weights: Plain<'m, MorphWeights, SharedAllocator<'m>>,
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
            parameters: Plain::new_in(PARAMETERS, memory),
            weights: Plain::new_in(WEIGHTS, memory),
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
            PARAMETERS => each(self.parameters.entities()),
            WEIGHTS => each(self.weights.entities()),
            CAMERA => each(self.cameras.entities()),
            SUN => each(self.suns.entities()),
            LIGHT => each(self.lights.entities()),
            _ => {}
        }
    }

    /// Returns the owners of all components, some of them several times.
    pub(super) fn owners(&self) -> impl Iterator<Item = Entity> {
        let placed = self.transforms.worlds().flat_map(|(entities, _)| entities);
        let own = [
            self.tags.owners(),
            self.data.entities(),
            self.models.entities(),
            self.parameters.entities(),
            self.weights.entities(),
            self.cameras.entities(),
            self.suns.entities(),
            self.lights.entities(),
        ];
        placed.chain(own.into_iter().flatten()).copied()
    }

    /// Puts all of them together with those of subsystems, as a spawn or a removal wants them.
    ///
    /// # Errors
    ///
    /// [`ComponentTwice`] if two are of one type, which [`World::join`](super::World::join) has
    /// looked at.
    pub(super) fn together<R>(
        &mut self,
        joined: &mut Joined<'m>,
        work: impl FnOnce(&mut Components<'_, '_>) -> R,
    ) -> Result<R, ComponentTwice> {
        let mut own: [&mut dyn ComponentManager; OWN] = [
            &mut self.transforms,
            &mut self.tags,
            &mut self.data,
            &mut self.models,
            &mut self.parameters,
            &mut self.weights,
            &mut self.cameras,
            &mut self.suns,
            &mut self.lights,
        ];
        // Most games have no others, and are not asked for types at each spawn.
        if !joined.has_managers() {
            return Ok(work(&mut Components::in_order(&mut own, &OWN_TYPES)));
        }
        // A removal may not fail, so there is no memory to be taken for the list.
        let mut none = [const { NoManager }; MANAGERS_MAX];
        let mut all = none.each_mut().map(|none| none as &mut dyn ComponentManager);
        let mut count = 0;
        let mut add = |manager| {
            if let Some(place) = all.get_mut(count) {
                *place = manager;
            }
            count += 1;
        };
        own.into_iter().for_each(&mut add);
        joined.managers(&mut add);
        let all = &mut all[..count.min(MANAGERS_MAX)];
        Components::new(all).map(|mut components| work(&mut components))
    }

    /// Returns what keeps the managers of subsystems from being used together with these.
    pub(super) fn clash(&mut self, joined: &mut Joined<'m>) -> Option<&'static str> {
        let mut count = OWN;
        joined.managers(&mut |_| count += 1);
        if count > MANAGERS_MAX {
            return Some("there are too many component types; 64 is the most");
        }
        let twice = self.together(joined, |_| ()).is_err();
        twice.then_some("a component type has a manager already; give the type another name")
    }
}

/// The managers of the engine's own components.
const OWN: usize = 9;

/// Their types, in spawn order.
const OWN_TYPES: [ComponentType; OWN] = [
    ComponentType::TRANSFORM,
    ComponentType::TAG,
    ComponentType::DATA,
    MODEL,
    PARAMETERS,
    WEIGHTS,
    CAMERA,
    SUN,
    LIGHT,
];

/// The most managers of a world.
const MANAGERS_MAX: usize = 64;

/// What is in a list where no manager is.
struct NoManager;

impl ComponentManager for NoManager {
    fn component(&self) -> ComponentType {
        ComponentType::new("", i32::MAX)
    }

    fn spawn(&mut self, _: &Batch<'_>) -> Result<(), ComponentError> {
        Ok(())
    }

    fn remove(&mut self, _: &[Entity]) {}
}
