//! Components that are plain data.

use core::fmt;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::component::{Batch, ComponentError, ComponentManager, ComponentType};
use crate::dense::Dense;
use crate::entity::Entity;
use crate::error::Damage;
use crate::saved::{LoadError, SavedBytes, put_column};

/// Components that are plain data and nothing else: one `T` for each entity that has one, without
/// gaps.
///
/// The data of a resource are the `T` of all instances, one after the other, and spawning copies
/// them in one piece.
///
/// ```text
/// places    | 1 | none | 0 | ..            4 bytes a slot of the entities
/// entities  | slot 2 | slot 0 |            4 bytes a component
/// values    | T | T |
/// ```
///
/// # Complexity
///
/// Finding a component is O(1): two loads, and the component's own. A removal moves the last
/// component into the gap.
///
/// # Memory
///
/// Nothing while empty. Then three blocks, each of which doubles: the bytes drawn above.
///
/// # When not to use it
///
/// A component that owns something, or depends on other components, needs a separate manager that
/// implements [`ComponentManager`].
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_entities::{ComponentType, Entities, Plain};
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let mut entities: Entities = Entities::new(&MEMORY);
/// let mut health: Plain<f32> = Plain::new(ComponentType::new("health", 10), &MEMORY);
/// let orc = entities.create()?;
/// health.try_insert(orc, 40.0)?;
/// for value in health.values_mut() {
///     *value -= 5.0;
/// }
/// assert_eq!(health.get(orc), Some(&35.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. There are as many values as entities.
pub struct Plain<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    component: ComponentType,
    dense: Dense<'a, A>,
    values: Array<'a, T, A>,
}

impl<'a, T: AnyBitPattern + NoUninit> Plain<'a, T> {
    /// Returns a manager without components, which takes its memory from `memory` when it needs
    /// some.
    ///
    /// A `T` of a resource is whole words, aligned as words are: any other does not compile.
    #[must_use]
    pub const fn new(component: ComponentType, memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(component, memory)
    }
}

impl<'a, T: AnyBitPattern + NoUninit, A: Allocator + ?Sized> Plain<'a, T, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(component: ComponentType, memory: &'a A) -> Self {
        const {
            assert!(size_of::<T>().is_multiple_of(4), "components are whole words of four bytes");
            assert!(size_of::<T>() > 0, "a component without data is a tag");
            assert!(align_of::<T>() <= 4, "components are at multiples of four in a resource");
        }
        Self { component, dense: Dense::new(memory), values: Array::new_in(memory) }
    }

    /// Gives an entity a component, or another value, and returns the value that it had.
    ///
    /// # Complexity
    ///
    /// O(1) amortised.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_insert(&mut self, entity: Entity, value: T) -> Result<Option<T>, GrowError> {
        if let Some(old) = self.get_mut(entity) {
            return Ok(Some(core::mem::replace(old, value)));
        }
        self.dense.reserve_one(entity)?;
        self.values.try_reserve(1)?;
        self.evict(entity);
        self.dense.push(entity);
        self.values.push(value);
        Ok(None)
    }

    /// Returns `true` if an entity has a component.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.dense.place(entity).is_some()
    }

    /// Returns the component of an entity. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<&T> {
        self.values.get(self.dense.place(entity)?)
    }

    /// Returns the component of an entity, to be changed. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<&mut T> {
        let place = self.dense.place(entity)?;
        self.values.get_mut(place)
    }

    /// Returns all entities that have a component, in the order of [`values`](Self::values).
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        self.dense.entities()
    }

    /// Returns all components.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns all components, to be changed.
    #[must_use]
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Returns how many components there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns `true` if there is no component.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns how many bytes the components take, room for more included, and the places of slots
    /// not.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<T>() + self.dense.capacity() * size_of::<Entity>()
    }

    /// Appends all components to `out`, in the machine's order, for [`try_load`](Self::try_load).
    ///
    /// # Complexity
    ///
    /// O(components).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        self.dense.try_save(out)?;
        put_column(&self.values, out)
    }

    /// Returns a manager of what was saved, component for component at the same place. Which of the
    /// entities are alive, it does not know.
    ///
    /// # Complexity
    ///
    /// O(slots).
    ///
    /// # Errors
    ///
    /// [`LoadError`] says what is wrong with the bytes, or that there is no memory.
    pub fn try_load(
        component: ComponentType,
        bytes: &[u8],
        memory: &'a A,
    ) -> Result<Self, LoadError> {
        let mut from = SavedBytes::new(bytes);
        let dense = Dense::try_load(&mut from, memory)?;
        let values = from.column(dense.entities().len(), memory)?;
        from.end()?;
        Ok(Self { component, dense, values })
    }

    /// Checks that the manager is whole. O(slots).
    ///
    /// # Errors
    ///
    /// [`Damage`] names the first thing that is wrong.
    pub fn validate(&self) -> Result<(), Damage> {
        if self.values.len() != self.dense.entities().len() {
            return Err(Damage::new("values and entities differ in number", self.len() as u32));
        }
        self.dense.validate()
    }

    /// Removes the component of an entity that had the slot before, if it is still there.
    #[inline]
    fn evict(&mut self, entity: Entity) {
        if let Some(stale) = self.dense.stale(entity) {
            self.remove_one(stale);
        }
    }

    fn remove_one(&mut self, entity: Entity) -> Option<T> {
        let place = self.dense.remove(entity)?;
        Some(self.values.swap_remove(place))
    }
}

impl<T: AnyBitPattern + NoUninit, A: Allocator + ?Sized> ComponentManager for Plain<'_, T, A> {
    fn component(&self) -> ComponentType {
        self.component
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let Ok(values) = bytemuck::try_cast_slice::<u32, T>(batch.data()) else {
            return Err(ComponentError::data(batch.len(), "the data are no whole components"));
        };
        if values.len() != batch.total() {
            return Err(ComponentError::data(batch.total(), "there are data for another number"));
        }
        let values = &values[batch.first()..][..batch.len()];
        self.dense.reserve(batch)?;
        self.values.try_reserve(values.len() * batch.copies())?;
        for copy in 0..batch.copies() {
            batch.owners(copy).for_each(|entity| self.evict(entity));
        }
        for _ in 0..batch.copies() {
            self.values.extend_from_slice(values);
        }
        self.dense.extend(batch);
        Ok(())
    }

    fn remove(&mut self, entities: &[Entity]) {
        for entity in entities.iter().rev() {
            self.remove_one(*entity);
        }
    }

    fn takes_parts(&self) -> bool {
        true
    }
}

/// As a map from entities to components.
impl<T: AnyBitPattern + NoUninit + fmt::Debug, A: Allocator + ?Sized> fmt::Debug
    for Plain<'_, T, A>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entities().iter().zip(&*self.values)).finish()
    }
}
