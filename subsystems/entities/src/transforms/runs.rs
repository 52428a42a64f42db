//! Transforms of many entities at once, in runs: what was spawned together is next to each other.

use core::fmt;

use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::Allocator;

use super::{At, Level, Transforms};
use crate::entity::Entity;

/// The transforms of entities that are next to each other, in the order that was asked for.
#[derive(Clone, Copy, Debug)]
pub struct TransformRun<'t> {
    /// The index of the first of them among all that were asked for.
    pub first: usize,
    /// Where they are, in the space of their parents.
    pub positions: &'t [Vec3],
    /// How they are turned, in the space of their parents.
    pub rotations: &'t [Quat],
    /// How large they are, in the space of their parents.
    pub scales: &'t [Vec3],
    /// Their matrices as of the last update.
    pub worlds: &'t [Affine3A],
}

impl TransformRun<'_> {
    /// Returns how many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns `false`: a run has at least one.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}

/// As [`TransformRun`], to be changed.
pub struct TransformRunMut<'t, 'a, A: Allocator + ?Sized> {
    first: usize,
    len: usize,
    place: usize,
    level: &'t mut Level<'a, A>,
}

impl<A: Allocator + ?Sized> TransformRunMut<'_, '_, A> {
    /// Returns the index of the first among all that were asked for.
    #[must_use]
    pub const fn first(&self) -> usize {
        self.first
    }

    /// Returns how many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `false`: a run has at least one.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Sets a position in the space of the parent.
    ///
    /// # Panics
    ///
    /// If there is none of that index in the run.
    #[inline]
    pub fn set_position(&mut self, index: usize, position: Vec3) {
        let place = self.place(index);
        self.level.set_position(place, position);
        self.level.mark(place);
    }

    /// Sets a rotation in the space of the parent.
    ///
    /// # Panics
    ///
    /// If there is none of that index in the run.
    #[inline]
    pub fn set_rotation(&mut self, index: usize, rotation: Quat) {
        let place = self.place(index);
        self.level.set_rotation(place, rotation);
        self.level.mark(place);
    }

    /// Sets a scale in the space of the parent.
    ///
    /// # Panics
    ///
    /// If there is none of that index in the run.
    #[inline]
    pub fn set_scale(&mut self, index: usize, scale: Vec3) {
        let place = self.place(index);
        self.level.set_scale(place, scale);
        self.level.mark(place);
    }

    #[inline]
    fn place(&self, index: usize) -> usize {
        assert!(index < self.len, "index {index} of a run of {}", self.len);
        self.place + index
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for TransformRunMut<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformRunMut")
            .field("first", &self.first)
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<'a, A: Allocator + ?Sized> Transforms<'a, A> {
    /// Returns the transforms of entities, in runs of neighbours; entities without are left out.
    ///
    /// # Complexity
    ///
    /// A lookup for each run, and a comparison for each entity.
    pub fn runs(&self, entities: &[Entity]) -> impl Iterator<Item = TransformRun<'_>> {
        let mut next = 0;
        core::iter::from_fn(move || {
            let (first, at, len) = self.run_from(entities, next)?;
            next = first + len;
            Some(self.levels[at.level()].run(first, at.place()..at.place() + len))
        })
    }

    /// Calls `edit` for the transforms of entities, in runs of neighbours; entities without are left
    /// out.
    ///
    /// # Complexity
    ///
    /// As [`runs`](Self::runs).
    pub fn edit_runs(
        &mut self,
        entities: &[Entity],
        mut edit: impl FnMut(TransformRunMut<'_, 'a, A>),
    ) {
        let mut next = 0;
        while let Some((first, at, len)) = self.run_from(entities, next) {
            next = first + len;
            let level = &mut self.levels[at.level()];
            edit(TransformRunMut { first, len, place: at.place(), level });
        }
    }

    /// Returns the first run from an index on: where it begins among `entities`, where its first
    /// instance is, and how many there are.
    #[inline]
    fn run_from(&self, entities: &[Entity], from: usize) -> Option<(usize, At, usize)> {
        let rest = entities.get(from..)?;
        let mut placed = rest.iter().enumerate();
        let (index, at) = placed.find_map(|(index, entity)| Some((index, self.at(*entity)?)))?;
        let there = &self.levels[at.level()].entities()[at.place()..];
        let len = there.iter().zip(&rest[index..]).take_while(|(own, asked)| own == asked).count();
        Some((from + index, at, len))
    }
}
