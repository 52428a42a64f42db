//! All instances of one depth, in columns.

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use super::runs::TransformRun;
use crate::entity::Entity;
use crate::pose::Pose;
use crate::saved::{LoadError, SavedBytes, put_column, put_count, put_entities};

/// The bits of a word of marks.
pub(super) const BITS: usize = u64::BITS as usize;

/// The instances of one depth, without gaps.
pub(super) struct Level<'a, A: Allocator + ?Sized> {
    entities: Array<'a, Entity, A>,
    rotations: Array<'a, Quat, A>,
    positions: Array<'a, Vec3, A>,
    scales: Array<'a, Vec3, A>,
    worlds: Array<'a, Affine3A, A>,
    /// A bit for each instance whose matrix is to be computed. Where several threads compute the
    /// level above, each of them marks children here; else they are plain words.
    dirty: Array<'a, AtomicU64, A>,
}

/// The columns of a level, lent to the threads that compute it.
pub(super) struct Columns<'l> {
    pub(super) entities: &'l [Entity],
    pub(super) rotations: &'l [Quat],
    pub(super) positions: &'l [Vec3],
    pub(super) scales: &'l [Vec3],
    pub(super) worlds: &'l mut [Affine3A],
    pub(super) dirty: &'l [AtomicU64],
}

impl<'a, A: Allocator + ?Sized> Level<'a, A> {
    pub(super) const fn new(memory: &'a A) -> Self {
        Self {
            entities: Array::new_in(memory),
            rotations: Array::new_in(memory),
            positions: Array::new_in(memory),
            scales: Array::new_in(memory),
            worlds: Array::new_in(memory),
            dirty: Array::new_in(memory),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.entities.len()
    }

    #[inline]
    pub(super) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    #[inline]
    pub(super) fn worlds(&self) -> &[Affine3A] {
        &self.worlds
    }

    pub(super) fn bytes(&self) -> usize {
        self.entities.capacity() * size_of::<Entity>()
            + self.rotations.capacity() * size_of::<Quat>()
            + (self.positions.capacity() + self.scales.capacity()) * size_of::<Vec3>()
            + self.worlds.capacity() * size_of::<Affine3A>()
            + self.dirty.capacity() * size_of::<u64>()
    }

    /// Appends all columns but the marks.
    pub(super) fn try_save<B: Allocator + ?Sized>(
        &self,
        out: &mut Array<'_, u8, B>,
    ) -> Result<(), GrowError> {
        put_count(self.len(), out)?;
        put_entities(&self.entities, out)?;
        put_column(&self.rotations, out)?;
        put_column(&self.positions, out)?;
        put_column(&self.scales, out)?;
        for world in &self.worlds {
            put_column(&world.to_cols_array(), out)?;
        }
        Ok(())
    }

    /// Reads the columns. Nothing is marked.
    pub(super) fn try_load(from: &mut SavedBytes<'_>, memory: &'a A) -> Result<Self, LoadError> {
        /// The bytes of an instance.
        const INSTANCE: usize = 4 + 16 + 12 + 12 + 48;
        let count = from.count(INSTANCE)?;
        let entities = from.entities(count, memory)?;
        let rotations: Array<'_, [f32; 4], A> = from.column(count, memory)?;
        let positions: Array<'_, [f32; 3], A> = from.column(count, memory)?;
        let scales: Array<'_, [f32; 3], A> = from.column(count, memory)?;
        let worlds: Array<'_, [f32; 12], A> = from.column(count, memory)?;
        let mut level = Self::new(memory);
        level.reserve(count)?;
        for place in 0..count {
            let pose = Pose {
                position: positions[place].into(),
                rotation: Quat::from_array(rotations[place]),
                scale: scales[place].into(),
            };
            level.push(entities[place], &pose);
            level.unmark(place);
            level.worlds[place] = Affine3A::from_cols_array(&worlds[place]);
        }
        Ok(level)
    }

    /// Makes room for `more` instances.
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), GrowError> {
        self.entities.try_reserve(more)?;
        self.rotations.try_reserve(more)?;
        self.positions.try_reserve(more)?;
        self.scales.try_reserve(more)?;
        self.worlds.try_reserve(more)?;
        let words = (self.len() + more).div_ceil(BITS);
        self.dirty.try_reserve(words - self.dirty.len())
    }

    /// Makes room for one instance: nothing to be done, mostly.
    #[inline]
    pub(super) fn reserve_one(&mut self) -> Result<(), GrowError> {
        let len = self.len();
        let room = self.entities.capacity().min(self.rotations.capacity());
        let room = room.min(self.positions.capacity()).min(self.scales.capacity());
        if len < room.min(self.worlds.capacity()) && len < self.dirty.capacity() * BITS {
            return Ok(());
        }
        self.reserve(1)
    }

    /// Appends an instance, for which there is room, marked, and returns its place.
    #[inline]
    pub(super) fn push(&mut self, entity: Entity, pose: &Pose) -> usize {
        let place = self.len();
        self.entities.push(entity);
        self.rotations.push(pose.rotation);
        self.positions.push(pose.position);
        self.scales.push(pose.scale);
        self.worlds.push(pose.matrix());
        if place.is_multiple_of(BITS) {
            self.dirty.push(AtomicU64::new(0));
        }
        self.mark(place);
        place
    }

    /// Takes an instance out; the last one takes its place. Returns the one that is there now.
    pub(super) fn remove(&mut self, place: usize) -> Option<Entity> {
        let last = self.len() - 1;
        let last_is_dirty = self.is_dirty(last);
        self.unmark(last);
        if place != last {
            self.unmark(place);
            if last_is_dirty {
                self.mark(place);
            }
        }
        if last.is_multiple_of(BITS) {
            self.dirty.pop();
        }
        self.entities.swap_remove(place);
        self.rotations.swap_remove(place);
        self.positions.swap_remove(place);
        self.scales.swap_remove(place);
        self.worlds.swap_remove(place);
        self.entities.get(place).copied()
    }

    #[inline]
    pub(super) fn pose(&self, place: usize) -> Pose {
        Pose {
            position: self.positions[place],
            rotation: self.rotations[place],
            scale: self.scales[place],
        }
    }

    pub(super) fn set_pose(&mut self, place: usize, pose: &Pose) {
        self.set_position(place, pose.position);
        self.set_rotation(place, pose.rotation);
        self.set_scale(place, pose.scale);
    }

    #[inline]
    pub(super) fn set_position(&mut self, place: usize, position: Vec3) {
        self.positions[place] = position;
    }

    #[inline]
    pub(super) fn set_rotation(&mut self, place: usize, rotation: Quat) {
        self.rotations[place] = rotation;
    }

    #[inline]
    pub(super) fn set_scale(&mut self, place: usize, scale: Vec3) {
        self.scales[place] = scale;
    }

    /// Marks an instance for the next update.
    #[inline]
    pub(super) fn mark(&mut self, place: usize) {
        *self.dirty[place / BITS].get_mut() |= 1 << (place % BITS);
    }

    pub(super) fn is_dirty(&self, place: usize) -> bool {
        // Relaxed: nobody else has the level.
        self.dirty[place / BITS].load(Ordering::Relaxed) & 1 << (place % BITS) != 0
    }

    /// Returns the marks of all instances, to which other threads may add.
    pub(super) fn marks(&self) -> &[AtomicU64] {
        &self.dirty
    }

    /// Returns the instances of some places.
    pub(super) fn run(&self, first: usize, places: Range<usize>) -> TransformRun<'_> {
        TransformRun {
            first,
            positions: &self.positions[places.clone()],
            rotations: &self.rotations[places.clone()],
            scales: &self.scales[places.clone()],
            worlds: &self.worlds[places],
        }
    }

    /// Returns the columns, to be computed by several threads.
    pub(super) fn columns(&mut self) -> Columns<'_> {
        Columns {
            entities: &self.entities,
            rotations: &self.rotations,
            positions: &self.positions,
            scales: &self.scales,
            worlds: &mut self.worlds,
            dirty: &self.dirty,
        }
    }

    /// How many words of marks there are.
    pub(super) fn words(&self) -> usize {
        self.dirty.len()
    }

    /// Takes the marks of 64 instances.
    #[inline]
    pub(super) fn take_word(&mut self, word: usize) -> u64 {
        core::mem::take(self.dirty[word].get_mut())
    }

    /// Computes the matrix of an instance below a parent's, or on its own.
    #[inline]
    pub(super) fn compute(&mut self, place: usize, parent: Option<&Affine3A>) -> &Affine3A {
        let own = self.pose(place).matrix();
        let world = &mut self.worlds[place];
        *world = match parent {
            Some(parent) => *parent * own,
            None => own,
        };
        world
    }

    /// Returns `true` if the columns are of one length, and no bit past it is set.
    pub(super) fn is_whole(&self) -> bool {
        let len = self.len();
        let columns = [self.rotations.len(), self.worlds.len(), self.positions.len()];
        let behind = self.dirty.last().map_or(0, |last| match len % BITS {
            0 => 0,
            // Relaxed: nobody else has the level.
            used => last.load(Ordering::Relaxed) >> used,
        });
        columns == [len; 3]
            && self.scales.len() == len
            && self.dirty.len() == len.div_ceil(BITS)
            && behind == 0
    }

    fn unmark(&mut self, place: usize) {
        *self.dirty[place / BITS].get_mut() &= !(1 << (place % BITS));
    }
}
