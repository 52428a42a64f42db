//! One place, evaluated by itself: what batches are tested against.

use glam::{Mat3, Vec3};
use loligo_allocators::Allocator;

use super::Fields;
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
            let velocity = seen_from(axes, velocity);
            let mut values = [0.0; VARIABLES.len()];
            values[..4].copy_from_slice(&[place.x, place.y, place.z, distance]);
            values[4] = query.time as f32;
            values[5] = (query.time - field.began) as f32;
            let (before, motion) = values.split_at_mut(VARIABLES_BEFORE + FIELD_PARAMETERS_MAX);
            before[VARIABLES_BEFORE..].copy_from_slice(&field.parameters);
            motion[..3].copy_from_slice(&velocity.to_array());
            motion[3] = query.masses.map_or(1.0, |all| all[at]);
            let strength = definition.formulas.each_ref().map(|formula| formula.run(&values));
            sum += turned_back(axes, strength);
        }
        sum
    }
}
