//! A field that was added.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_ids::{IdString64, SmallId};

use super::definition::Definition;
use crate::field::FIELD_PARAMETERS_MAX;

/// The id of a field that was added.
pub type FieldId = SmallId<FieldTag>;

/// Marks the ids of fields.
#[derive(Clone, Copy, Debug)]
pub enum FieldTag {}

/// A field that was added: plain data, saved as it is.
#[derive(Clone, Copy, Debug, AnyBitPattern, NoUninit)]
#[repr(C)]
pub(super) struct Instance {
    name: u64,
    pub(super) began: f64,
    pub(super) mask: u32,
    position: [f32; 3],
    rotation: [f32; 4],
    pub(super) parameters: [f32; FIELD_PARAMETERS_MAX],
}

impl Instance {
    pub(super) fn new(
        name: IdString64,
        definition: &Definition<'_, impl Allocator + ?Sized>,
    ) -> Self {
        Self {
            name: name.hash(),
            began: 0.0,
            mask: u32::MAX,
            position: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            parameters: definition.parameters.map(|(_, default)| default),
        }
    }

    pub(super) fn place(&mut self, position: Vec3, rotation: Quat) {
        (self.position, self.rotation) = (position.to_array(), rotation.to_array());
    }

    #[inline]
    pub(super) const fn name(&self) -> IdString64 {
        IdString64::from_hash(self.name)
    }

    #[inline]
    pub(super) const fn position(&self) -> Vec3 {
        Vec3::from_array(self.position)
    }

    #[inline]
    pub(super) const fn rotation(&self) -> Quat {
        Quat::from_array(self.rotation)
    }

    /// Returns `true` if all of its numbers are as calls could have set them.
    pub(super) fn is_finite(&self) -> bool {
        let numbers = self.position.iter().chain(&self.parameters);
        let is_finite = self.began.is_finite() && numbers.copied().all(f32::is_finite);
        is_finite && self.rotation().is_normalized()
    }

    /// Returns `true` if it is there at a time.
    pub(super) fn lasts(
        &self,
        definition: &Definition<'_, impl Allocator + ?Sized>,
        time: f64,
    ) -> bool {
        definition.seconds == 0.0 || time - self.began < f64::from(definition.seconds)
    }

    /// Keeps the parameters of a definition that is replaced, by their names.
    pub(super) fn keep<A: Allocator + ?Sized>(
        &mut self,
        before: &Definition<'_, A>,
        after: &Definition<'_, A>,
    ) {
        let values = self.parameters;
        let known = &before.parameters[..before.parameter_count];
        for (place, (name, default)) in self.parameters.iter_mut().zip(after.parameters) {
            let kept = known.iter().position(|(other, _)| *other == name);
            *place = kept.map_or(default, |at| values[at]);
        }
    }
}
