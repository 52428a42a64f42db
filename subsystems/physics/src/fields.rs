//! Fields of a world: added, changed, and asked for many places at once.

mod definition;
mod error;
mod instance;
mod lines;
mod one;
mod query;
mod saved;
mod scratch;

pub use error::FieldsError;
pub use instance::FieldId;
pub use lines::{FIELD_ARROWS_MAX, FIELD_REGIONS_MAX, FieldLine};
pub use query::{FieldGroups, FieldQuery};
pub use scratch::{FIELD_BLOCK, FieldScratch};

use core::fmt;

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_ids::{HoleTable, IdString32, IdString64, Lifo, Retire};

use crate::field::Field;
use definition::Definition;
use instance::Instance;

/// Fields, which accelerate what is in them. It knows no bodies and no particles: each system asks for the
/// places that it has.
///
/// A strength is an acceleration, in metres per second squared, so that it serves what has no mass. A
/// formula that divides by `mass` is a force. Where fields overlap, their strengths add up, in the order of
/// their slots, so that results are the same in each run and with any number of threads.
///
/// # Complexity
///
/// A query is O(places x fields), blocks of [`FIELD_BLOCK`] places at once: a field looks which of them
/// it reaches and runs its formulas over those alone. Adding, changing and removing is O(1), and O(log n)
/// by name. Queries allocate nothing.
///
/// # Memory
///
/// About 1 KB a definition, and 144 bytes an added field; 32 KB a [`FieldScratch`].
///
/// # Threads
///
/// Queries borrow it, so that many threads can ask at once, each with its scratch.
///
/// # Examples
///
/// ```
/// use glam::{Quat, Vec3};
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_containers::{BlobBytes, Endian};
/// use loligo_ids::{IdString32, IdString64};
/// use loligo_physics::compile::compile_field;
/// use loligo_physics::{Field, FieldQuery, FieldScratch, Fields};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("fields", &pages);
/// let source = b"region = { sphere = 10 } parameters = { lift = 2 } strength = [ 0 \"lift * (10 - distance)\" 0 ]";
/// let bytes = compile_field(source, Endian::NATIVE).expect("it is right");
/// let bytes = BlobBytes::try_copy(&bytes, &heap)?;
/// let (updraft, memory) = (IdString64::new("updraft"), &heap);
///
/// let mut fields: Fields<'_> = Fields::new(memory);
/// fields.define(updraft, &Field::open(&bytes)?)?;
/// let id = fields.add(updraft, Vec3::ZERO, Quat::IDENTITY, u32::MAX, 0.0)?;
/// let mut scratch = FieldScratch::try_new(memory)?;
/// let mut out = [Vec3::ZERO; 2];
/// let places = [Vec3::new(0.0, 4.0, 0.0), Vec3::new(0.0, 11.0, 0.0)];
/// let query = FieldQuery::at(&places, 0.0);
/// fields.query(&query, &mut out, &mut scratch);
/// assert_eq!(out, [Vec3::new(0.0, 12.0, 0.0), Vec3::ZERO]);
///
/// assert!(fields.set(id, IdString32::new("lift"), 1.0));
/// assert_eq!(fields.one(&query, 0), Vec3::new(0.0, 6.0, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Fields<'m, A: Allocator + ?Sized = dyn Allocator + 'm> {
    /// By ascending name.
    definitions: Array<'m, Definition<'m, A>, A>,
    instances: HoleTable<'m, Instance, FieldId, Lifo, Retire, A>,
    memory: &'m A,
}

impl<'m> Fields<'m> {
    /// Returns no fields.
    #[must_use]
    pub fn new(memory: &'m (dyn Allocator + 'm)) -> Self {
        Self::new_in(memory)
    }
}

impl<'m, A: Allocator + ?Sized> Fields<'m, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator.
    #[must_use]
    pub fn new_in(memory: &'m A) -> Self {
        // The same ids in each run.
        let instances = HoleTable::new_in(memory).with_tag(0);
        Self { definitions: Array::new_in(memory), instances, memory }
    }

    /// Defines the field of a name, or defines it again: fields of that name that were added change, and
    /// keep the parameters that have the same names.
    ///
    /// # Errors
    ///
    /// [`FieldsError::Memory`] if there is none; nothing has changed then.
    pub fn define(&mut self, name: IdString64, field: &Field<'_>) -> Result<(), FieldsError> {
        let defined = Definition::try_new(name, field, self.memory)?;
        match self.find(name) {
            Ok(at) => {
                let before = core::mem::replace(&mut self.definitions[at], defined);
                let after = &self.definitions[at];
                let changed = self.instances.iter_mut().filter(|field| field.name() == name);
                changed.for_each(|field| field.keep(&before, after));
            }
            Err(at) => self.definitions.try_insert(at, defined)?,
        }
        Ok(())
    }

    /// Removes the definition of a name, and all fields that were added of it. Returns `true` if there was
    /// one.
    pub fn undefine(&mut self, name: IdString64) -> bool {
        self.instances.retain(|_, field| field.name() != name);
        let found = self.find(name);
        found.map(|at| self.definitions.remove(at)).is_ok()
    }

    /// Returns `true` if there is a definition of a name.
    #[must_use]
    pub fn is_defined(&self, name: IdString64) -> bool {
        self.find(name).is_ok()
    }

    /// Adds a field, for what is in the groups of `mask`. `time` is that of the world.
    ///
    /// # Errors
    ///
    /// [`FieldsError`] if no field of that name is defined, if the place is not finite, or if there is no
    /// memory.
    pub fn add(
        &mut self,
        name: IdString64,
        position: Vec3,
        rotation: Quat,
        mask: u32,
        time: f64,
    ) -> Result<FieldId, FieldsError> {
        let at = self.find(name).map_err(|_| FieldsError::Unknown { name })?;
        if !position.is_finite() || !rotation.is_normalized() || !time.is_finite() {
            return Err(FieldsError::Place { name });
        }
        let mut field = Instance::new(name, &self.definitions[at]);
        field.place(position, rotation);
        (field.mask, field.began) = (mask, time);
        self.instances.insert(field).map_err(|_| FieldsError::Full)
    }

    /// Removes a field. Returns `true` if there was one.
    pub fn remove(&mut self, id: FieldId) -> bool {
        self.instances.remove(id).is_some()
    }

    /// Removes all fields that have lasted as long as they should, and returns how many.
    pub fn expire(&mut self, time: f64) -> usize {
        let before = self.instances.len();
        let definitions = &self.definitions;
        self.instances.retain(|_, field| {
            let at = definitions.binary_search_by_key(&field.name(), |known| known.name);
            at.is_ok_and(|at| field.lasts(&definitions[at], time))
        });
        before - self.instances.len()
    }

    /// Moves a field. Returns `false` if there is no such field, or the place is not finite.
    pub fn place(&mut self, id: FieldId, position: Vec3, rotation: Quat) -> bool {
        let is_place = position.is_finite() && rotation.is_normalized();
        let field = self.instances.get_mut(id).filter(|_| is_place);
        field.map(|field| field.place(position, rotation)).is_some()
    }

    /// Changes the groups that a field is for. Returns `true` if there is such a field.
    pub fn set_mask(&mut self, id: FieldId, mask: u32) -> bool {
        self.instances.get_mut(id).map(|field| field.mask = mask).is_some()
    }

    /// Sets a parameter. Returns `false` if there is no such field or parameter, or the value is not
    /// finite.
    pub fn set(&mut self, id: FieldId, parameter: IdString32, value: f32) -> bool {
        let Some(place) = self.parameter(id, parameter) else { return false };
        let field = self.instances.get_mut(id).filter(|_| value.is_finite());
        field.map(|field| field.parameters[place] = value).is_some()
    }

    /// Returns a parameter.
    #[must_use]
    pub fn get(&self, id: FieldId, parameter: IdString32) -> Option<f32> {
        let place = self.parameter(id, parameter)?;
        self.instances.get(id).map(|field| field.parameters[place])
    }

    /// Returns `true` if the id names a field: it was added, and neither removed nor over.
    #[must_use]
    pub fn contains(&self, id: FieldId) -> bool {
        self.instances.contains(id)
    }

    /// Removes all fields that were added. Definitions stay.
    pub fn clear(&mut self) {
        self.instances.retain(|_, _| false);
    }

    /// Returns how many fields were added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Returns `true` if no field was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty()
    }

    /// Returns the id of each field with its name and place, in the order in which strengths add up.
    pub fn iter(&self) -> impl Iterator<Item = (FieldId, IdString64, Vec3, Quat)> {
        self.instances
            .iter_with_ids()
            .map(|(id, field)| (id, field.name(), field.position(), field.rotation()))
    }

    fn parameter(&self, id: FieldId, parameter: IdString32) -> Option<usize> {
        let field = self.instances.get(id)?;
        self.definitions[self.find(field.name()).ok()?].parameter(parameter)
    }

    fn find(&self, name: IdString64) -> Result<usize, usize> {
        self.definitions.binary_search_by_key(&name, |known| known.name)
    }

    /// Returns the fields that are there at a time, with what they are, in the order of their slots.
    fn active(&self, time: f64) -> impl Iterator<Item = (&Instance, &Definition<'m, A>)> {
        self.instances.iter().filter_map(move |field| {
            let definition = &self.definitions[self.find(field.name()).ok()?];
            field.lasts(definition, time).then_some((field, definition))
        })
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Fields<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fields").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl From<GrowError> for FieldsError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}
