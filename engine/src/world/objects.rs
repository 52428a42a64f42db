//! Components that have a render object each.

use bytemuck::Pod;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_entities::{
    Batch, ComponentError, ComponentManager, ComponentType, Entity, LoadError, Plain,
};
use loligo_render::{RecordError, RenderHandle, StateRecorder};

/// The most render objects of a world.
pub(crate) const OBJECTS_MAX: u32 = 1 << 20;

/// The number of the world that the engine runs.
pub(crate) const WORLD: u32 = 1;

/// A component that has a render object.
pub(crate) trait RenderComponent: Pod {
    /// Its type.
    const COMPONENT: ComponentType;

    /// Returns the bits of the render object's handle, 0 before it has been made.
    fn handle_bits(&self) -> u32;

    /// Forgets the handle, and whatever else cannot be in a component that was saved.
    fn forget_handle(&mut self);
}

/// All components of a type, and which render objects are still to be destroyed.
///
/// The manager of entities spawns and removes; the world reports removed render objects to the
/// recorder afterwards, since a manager knows no other.
///
/// # Invariants
///
/// 1. There is room in `gone` for the handle of every component, so that removal takes no memory.
pub(crate) struct Objects<'a, T, A: Allocator + ?Sized> {
    plain: Plain<'a, T, A>,
    gone: Array<'a, RenderHandle, A>,
}

impl<'a, T: RenderComponent, A: Allocator + ?Sized> Objects<'a, T, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self { plain: Plain::new_in(T::COMPONENT, memory), gone: Array::new_in(memory) }
    }

    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<&T> {
        self.plain.get(entity)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, entity: Entity) -> Option<&mut T> {
        self.plain.get_mut(entity)
    }

    pub(crate) fn entities(&self) -> &[Entity] {
        self.plain.entities()
    }

    pub(crate) fn values(&self) -> &[T] {
        self.plain.values()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// Appends all components to `out`.
    pub(crate) fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        self.plain.try_save(out)
    }

    /// Returns the components that were saved. None has a render object.
    pub(crate) fn try_load(bytes: &[u8], memory: &'a A) -> Result<Self, LoadError> {
        let mut plain: Plain<'_, T, A> = Plain::try_load(T::COMPONENT, bytes, memory)?;
        plain.values_mut().iter_mut().for_each(T::forget_handle);
        let mut objects = Self { plain, gone: Array::new_in(memory) };
        objects.reserve(0)?;
        Ok(objects)
    }

    /// Takes over the render objects of others, which are gone.
    pub(crate) fn take_over(&mut self, old: &Self) -> Result<(), GrowError> {
        let count = old.gone.len() + old.plain.len();
        self.reserve(count)?;
        self.gone.extend_from_slice(&old.gone);
        for component in old.plain.values() {
            self.gone.extend(handle(Some(component)));
        }
        Ok(())
    }

    /// Reports removed objects to the recorder. Those for which it has no memory are reported the
    /// next time.
    pub(crate) fn flush_removed(
        &mut self,
        recorder: &mut StateRecorder<'_, A>,
    ) -> Result<(), RecordError> {
        while let Some(handle) = self.gone.last().copied() {
            recorder.destroy(handle)?;
            self.gone.pop();
        }
        Ok(())
    }

    fn reserve(&mut self, more: usize) -> Result<(), GrowError> {
        // One more for each that is there, and what waits already is in front.
        self.gone.try_reserve(self.plain.len() + more)
    }
}

impl<T: RenderComponent, A: Allocator + ?Sized> ComponentManager for Objects<'_, T, A> {
    fn component(&self) -> ComponentType {
        T::COMPONENT
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let Ok(components) = bytemuck::try_cast_slice::<u32, T>(batch.data()) else {
            return Err(ComponentError::data(batch.len(), "the data are no whole components"));
        };
        let mut own = components.iter().skip(batch.first()).take(batch.len());
        if let Some(at) = own.position(|component| component.handle_bits() != 0) {
            let at = batch.first() + at;
            return Err(ComponentError::data(at, "it has a render object already"));
        }
        self.reserve(batch.len() * batch.copies())?;
        self.plain.spawn(batch)
    }

    fn remove(&mut self, entities: &[Entity]) {
        for entity in entities {
            if let Some(handle) = handle(self.plain.get(*entity)) {
                self.gone.push(handle);
            }
        }
        self.plain.remove(entities);
    }

    fn takes_parts(&self) -> bool {
        true
    }
}

fn handle<T: RenderComponent>(component: Option<&T>) -> Option<RenderHandle> {
    RenderHandle::from_bits(component?.handle_bits())
}
