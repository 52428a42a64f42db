//! Fields of forces on actors: all of a step in one batch.

use core::fmt;

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
#[cfg(feature = "subsystem")]
use loligo_tasks::Worker;

use super::PhysicsWorld;
use super::marks::body;
use crate::actor::ActorId;
use crate::error::PhysicsError;
use crate::fields::{FieldGroups, FieldQuery, FieldScratch, Fields};
use crate::settings::ActorKind;

/// How many threads help at the most.
const THREADS: usize = 4;

/// The actors of a query, a column for each thing that fields ask of them: reused from step to step.
///
/// # Memory
///
/// 48 bytes for each dynamic actor of the largest query, and four [`FieldScratch`] from the first one on.
pub struct FieldActors<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    ids: Array<'a, ActorId, A>,
    positions: Array<'a, Vec3, A>,
    velocities: Array<'a, Vec3, A>,
    masses: Array<'a, f32, A>,
    groups: Array<'a, u32, A>,
    strengths: Array<'a, Vec3, A>,
    scratches: Array<'a, FieldScratch<'a, A>, A>,
    memory: &'a A,
}

impl<'a> FieldActors<'a> {
    /// Returns empty columns.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> FieldActors<'a, A> {
    /// As [`new`](FieldActors::new), and keeps the type of the allocator.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            ids: Array::new_in(memory),
            positions: Array::new_in(memory),
            velocities: Array::new_in(memory),
            masses: Array::new_in(memory),
            groups: Array::new_in(memory),
            strengths: Array::new_in(memory),
            scratches: Array::new_in(memory),
            memory,
        }
    }

    /// Asks fields for all of them.
    fn ask<B: Allocator + ?Sized>(&mut self, fields: &Fields<'_, B>, time: f64) {
        let Self { positions, velocities, masses, groups, strengths, scratches, ids, .. } = self;
        if let (Some(scratch), false) = (scratches.first_mut(), ids.is_empty()) {
            let query = FieldQuery {
                positions,
                velocities: Some(velocities),
                masses: Some(masses),
                groups: FieldGroups::Column(groups),
                time,
            };
            fields.query(&query, strengths, scratch);
        }
    }

    #[cfg(feature = "subsystem")]
    fn ask_on<B: Allocator + Sync + ?Sized>(
        &mut self,
        worker: &Worker<'_>,
        fields: &Fields<'_, B>,
        time: f64,
    ) where
        A: Sync,
    {
        let Self { positions, velocities, masses, groups, strengths, scratches, .. } = self;
        let query = FieldQuery {
            positions,
            velocities: Some(velocities),
            masses: Some(masses),
            groups: FieldGroups::Column(groups),
            time,
        };
        // It is refused where a task panics, and nowhere else.
        let _ = fields.query_on(worker, &query, strengths, scratches);
    }

    /// Makes room for as many actors.
    fn reserve(&mut self, count: usize) -> Result<(), GrowError> {
        self.ids.clear();
        self.positions.clear();
        self.velocities.clear();
        self.masses.clear();
        self.groups.clear();
        self.ids.try_reserve(count)?;
        self.positions.try_reserve(count)?;
        self.velocities.try_reserve(count)?;
        self.masses.try_reserve(count)?;
        self.groups.try_reserve(count)?;
        while self.scratches.len() < THREADS {
            self.scratches.try_push(FieldScratch::try_new_in(self.memory)?)?;
        }
        Ok(())
    }
}

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Has fields accelerate dynamic actors in the next step, at their centres of mass: those that are
    /// awake, and where `wakes` is set also those that sleep, which wake where a field reaches them. The
    /// time of the fields is the number of steps times their length. Call it before each step.
    ///
    /// # Complexity
    ///
    /// O(actors + dynamic ones that are asked for x fields). Without fields O(1).
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Memory`]: no actor is accelerated.
    pub fn accelerate<B: Allocator + ?Sized, C: Allocator + ?Sized>(
        &mut self,
        fields: &Fields<'_, B>,
        wakes: bool,
        with: &mut FieldActors<'_, C>,
    ) -> Result<(), PhysicsError> {
        self.gather(fields.is_empty(), wakes, with)?;
        with.ask(fields, self.seconds());
        self.push_all(with)
    }

    /// As [`accelerate`](Self::accelerate), with all threads where there are many actors. The results are
    /// the same.
    ///
    /// # Errors
    ///
    /// As [`accelerate`](Self::accelerate).
    #[cfg(feature = "subsystem")]
    pub fn accelerate_on<B: Allocator + Sync + ?Sized, C: Allocator + Sync + ?Sized>(
        &mut self,
        worker: &Worker<'_>,
        fields: &Fields<'_, B>,
        wakes: bool,
        with: &mut FieldActors<'_, C>,
    ) -> Result<(), PhysicsError> {
        self.gather(fields.is_empty(), wakes, with)?;
        match with.ids.len() < 2 * crate::fields::FIELD_BLOCK {
            true => with.ask(fields, self.seconds()),
            false => with.ask_on(worker, fields, self.seconds()),
        }
        self.push_all(with)
    }

    /// Returns the time of the world: its steps.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        f64::from(self.steps) * f64::from(self.settings.step_seconds)
    }

    fn gather<C: Allocator + ?Sized>(
        &self,
        is_empty: bool,
        wakes: bool,
        with: &mut FieldActors<'_, C>,
    ) -> Result<(), PhysicsError> {
        let count = if is_empty { 0 } else { self.actors.len() };
        if count == 0 {
            with.ids.clear();
            return Ok(());
        }
        with.reserve(count)?;
        for (id, actor) in self.actors.iter_with_ids() {
            if actor.kind() != ActorKind::Dynamic {
                continue;
            }
            let Some(body) = self.simulation.bodies.get(body(actor.body)) else { continue };
            if !body.is_enabled() || body.is_sleeping() && !wakes {
                continue;
            }
            let colliders = body.colliders().iter();
            let groups = colliders.filter_map(|handle| self.simulation.colliders.get(*handle));
            let groups = groups.fold(0, |all, of| all | of.collision_groups().memberships.bits());
            with.ids.try_push(id)?;
            with.positions.try_push(body.center_of_mass())?;
            with.velocities.try_push(body.linvel())?;
            with.masses.try_push(body.mass())?;
            with.groups.try_push(groups)?;
        }
        with.strengths.clear();
        Ok(with.strengths.try_resize(with.ids.len(), Vec3::ZERO)?)
    }

    fn push_all<C: Allocator + ?Sized>(
        &mut self,
        with: &FieldActors<'_, C>,
    ) -> Result<(), PhysicsError> {
        for ((id, strength), mass) in with.ids.iter().zip(&with.strengths).zip(&with.masses) {
            let force = *strength * *mass;
            if force != Vec3::ZERO && force.is_finite() {
                if self.is_asleep(*id)? {
                    self.wake(*id)?;
                }
                self.push_awake(*id, force)?;
            }
        }
        Ok(())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for FieldActors<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldActors").field("len", &self.ids.len()).finish_non_exhaustive()
    }
}
