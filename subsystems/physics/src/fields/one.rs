//! One place, evaluated by itself: what batches are tested against.

use glam::{Mat3, Vec3};
use loligo_allocators::Allocator;

use super::Fields;
use super::definition::Definition;
use super::instance::Instance;
use super::query::{FieldQuery, length, seen_from, turned_back};
use crate::field::{FIELD_PARAMETERS_MAX, VARIABLES, VARIABLES_BEFORE};

impl<A: Allocator + ?Sized> Fields<'_, A> {
    /// Returns how strong all fields are together at a place of a query: as
    /// [`query`](Self::query), one place at a time and without a scratch.
    ///
    /// # Complexity
    ///
    /// O(fields); a batch is several times as fast for each place.
    ///
    /// # Panics
    ///
    /// If there is no such place, or the lists of the query are not of the same length.
    #[must_use]
    pub fn one(&self, query: &FieldQuery<'_>, at: usize) -> Vec3 {
        assert!(at < query.len(), "place {at} of {}", query.len());
        let mut sum = Vec3::ZERO;
        for (field, definition) in self.active(query.time) {
            let axes = Mat3::from_quat(field.rotation());
            let place = seen_from(axes, query.positions[at] - field.position());
            let distance = length(place);
            let is_for = query.groups_at(at) & field.mask != 0;
            if !is_for || !definition.region.contains(place, distance) {
                continue;
            }
            let velocity = query.velocities.map_or(Vec3::ZERO, |all| all[at]);
            let mass = query.masses.map_or(1.0, |all| all[at]);
            let motion = (seen_from(axes, velocity), mass);
            let strength = strength(field, definition, place, motion, query.time);
            sum += turned_back(axes, strength);
        }
        sum
    }
}

/// Returns how strong a field is at a place, for what has a speed and a mass: all as seen from the field.
pub(super) fn strength<A: Allocator + ?Sized>(
    field: &Instance,
    definition: &Definition<'_, A>,
    place: Vec3,
    (velocity, mass): (Vec3, f32),
    time: f64,
) -> [f32; 3] {
    let mut values = [0.0; VARIABLES.len()];
    values[..4].copy_from_slice(&[place.x, place.y, place.z, length(place)]);
    values[4] = time as f32;
    values[5] = (time - field.began) as f32;
    let (before, motion) = values.split_at_mut(VARIABLES_BEFORE + FIELD_PARAMETERS_MAX);
    before[VARIABLES_BEFORE..].copy_from_slice(&field.parameters);
    motion[..3].copy_from_slice(&velocity.to_array());
    motion[3] = mass;
    definition.formulas.each_ref().map(|formula| formula.run(&values))
}
