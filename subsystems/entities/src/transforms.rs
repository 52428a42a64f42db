//! Where entities are, and their parents.
//!
//! After Niklas Frykholm, "Building a Data-Oriented Entity System (Part 4: Entity Resources)"
//! (2014), which proposes to keep parents by index next to the components. Ours keeps the instances
//! of each depth together, so that all parents are done before their children and each depth is one
//! walk.
//!
//! # Memory, counted beforehand
//!
//! ```text
//! a level     entity 4 | rotation 16 | position 12 | scale 12 | world 64 | dirty 1 bit       108 bytes an instance
//! by slot     at 4 | parent, first child, next, before 16                                     20 bytes a slot
//! ```
//!
//! An update of a dirty instance reads its own 4 + 40 bytes, its links and, through 4 bytes, its
//! parent's world, which its siblings have just read; it writes 64 bytes, one cache line's worth.
//! Walked in order that is two and a half lines an instance that the processor can prefetch; 90 000
//! are 10 MiB, a third of a millisecond at 30 GB/s, so the arithmetic, about 60 multiplications, is
//! the larger part.

mod check;
mod error;
mod level;
mod links;
mod piece;
mod runs;
mod saved;
mod spawn;
mod update;

pub use error::LinkError;
pub use piece::TransformPiece;
pub use runs::{TransformRun, TransformRunMut};

use core::fmt;

use glam::{Affine3A, Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::dense::NONE;
use crate::entity::Entity;
use crate::pose::Pose;

use level::Level;
use links::Links;

/// How many levels a tree may have: its root and 63 below.
pub const DEPTH_MAX: usize = 64;

/// The bits of a place, which are those of an entity's index.
const INDEX_BITS: u32 = <Entity as loligo_ids::TableId>::INDEX_BITS;

const _: () =
    assert!(DEPTH_MAX << INDEX_BITS < u32::MAX as usize, "a level and a place fit a word");

/// Where an instance is: its level, and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At(u32);

impl At {
    const NOWHERE: Self = Self(NONE);

    const fn new(level: usize, place: usize) -> Self {
        Self((level as u32) << INDEX_BITS | place as u32)
    }

    const fn level(self) -> usize {
        (self.0 >> INDEX_BITS) as usize
    }

    const fn place(self) -> usize {
        (self.0 & ((1 << INDEX_BITS) - 1)) as usize
    }
}

/// The transforms of entities: a pose in the space of the parent, and the matrix of the world that
/// it comes to.
///
/// Entities that have a transform form trees, by [`link`](Self::link) or as their resource has it.
/// When an entity is destroyed, all below it go with it.
///
/// A pose that is set marks its instance; [`update`](Self::update) computes the matrices of what is
/// marked and of all below, level by level, and touches nothing else. Matrices are as of the last
/// update.
///
/// # Complexity
///
/// Asking and setting O(1). Linking O(entities below). An update O(dirty instances), and a bit for
/// each other.
///
/// # Memory
///
/// Nothing while empty. Then, drawn in the source, 108 bytes an instance in six blocks for each
/// level, each of which doubles, and 20 for each slot up to the highest. A tree has at most
/// [`DEPTH_MAX`] levels.
///
/// # Examples
///
/// ```
/// use glam::Vec3;
/// use loligo_allocators::StaticHeap;
/// use loligo_entities::{Entities, Pose, Transforms};
///
/// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
/// let mut entities: Entities = Entities::new(&MEMORY);
/// let mut transforms: Transforms = Transforms::new(&MEMORY);
/// let [tank, turret] = [entities.create()?, entities.create()?];
/// transforms.try_insert(tank, None, Pose::at(Vec3::X))?;
/// transforms.try_insert(turret, Some(tank), Pose::at(Vec3::Y))?;
///
/// transforms.update(|_, _| {});
/// transforms.set_position(tank, Vec3::Z);
/// let mut moved = 0;
/// transforms.update(|_, _| moved += 1);
/// assert_eq!(moved, 2, "the turret moves with the tank");
/// let world = transforms.world(turret).expect("it has a transform");
/// assert_eq!(world.transform_point3(Vec3::ZERO), Vec3::new(0.0, 1.0, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. The columns of a level are of one length, and no bit past it is set.
/// 2. `ats` of the slot of `entities[p]` of level l is (l, p), for each l and p. Every other is
///    nowhere. There are as many links as `ats`.
/// 3. An instance on level 0 has no parent; the parent of any other is an instance on the level
///    before. The instance is once among that one's children, which form a list both ways.
pub struct Transforms<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    levels: Array<'a, Level<'a, A>, A>,
    /// Where the instance of each slot is.
    ats: Array<'a, At, A>,
    /// The parent and the children of the instance of each slot.
    links: Array<'a, Links, A>,
}

impl<'a> Transforms<'a> {
    /// Returns a manager without transforms, which takes its memory from `memory` when it needs
    /// some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Transforms<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            levels: Array::new_in(memory),
            ats: Array::new_in(memory),
            links: Array::new_in(memory),
        }
    }

    /// Gives an entity a transform, below a parent or on its own.
    ///
    /// # Complexity
    ///
    /// O(1) amortised.
    ///
    /// # Errors
    ///
    /// [`LinkError`] if the entity has one already, the parent has none, the tree is too deep, or
    /// there is no memory; nothing has changed.
    pub fn try_insert(
        &mut self,
        entity: Entity,
        parent: Option<Entity>,
        pose: Pose,
    ) -> Result<(), LinkError> {
        if self.contains(entity) {
            return Err(LinkError::Taken { entity });
        }
        self.insert(entity, parent, &pose)
    }

    /// Returns `true` if an entity has a transform. O(1).
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.at(entity).is_some()
    }

    /// Returns the pose of an entity in the space of its parent. O(1).
    #[must_use]
    pub fn pose(&self, entity: Entity) -> Option<Pose> {
        let at = self.at(entity)?;
        Some(self.levels[at.level()].pose(at.place()))
    }

    /// Sets the pose of an entity in the space of its parent; `false` if it has no transform. O(1).
    pub fn set_pose(&mut self, entity: Entity, pose: &Pose) -> bool {
        self.edit(entity, |level, place| level.set_pose(place, pose))
    }

    /// Sets the position of an entity in the space of its parent; `false` if it has no transform.
    /// O(1).
    pub fn set_position(&mut self, entity: Entity, position: Vec3) -> bool {
        self.edit(entity, |level, place| level.set_position(place, position))
    }

    /// Sets the rotation of an entity in the space of its parent; `false` if it has no transform.
    /// O(1).
    pub fn set_rotation(&mut self, entity: Entity, rotation: Quat) -> bool {
        self.edit(entity, |level, place| level.set_rotation(place, rotation))
    }

    /// Sets the scale of an entity in the space of its parent; `false` if it has no transform.
    /// O(1).
    pub fn set_scale(&mut self, entity: Entity, scale: Vec3) -> bool {
        self.edit(entity, |level, place| level.set_scale(place, scale))
    }

    /// Returns the matrix that takes an entity's points to the world, as of the last update; for
    /// one that was inserted since, or linked to another depth, that of its pose. O(1).
    #[must_use]
    pub fn world(&self, entity: Entity) -> Option<&Affine3A> {
        let at = self.at(entity)?;
        Some(&self.levels[at.level()].worlds()[at.place()])
    }

    /// Returns all entities with their matrices, level after level, the parents of a level in those
    /// before it.
    pub fn worlds(&self) -> impl Iterator<Item = (&[Entity], &[Affine3A])> {
        self.levels.iter().map(|level| (level.entities(), level.worlds()))
    }

    /// Returns how many transforms there are. O(levels).
    #[must_use]
    pub fn len(&self) -> usize {
        self.levels.iter().map(Level::len).sum()
    }

    /// Returns `true` if there is no transform.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.iter().all(|level| level.len() == 0)
    }

    /// Returns how many bytes all transforms take, room for more included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let levels: usize = self.levels.iter().map(Level::bytes).sum();
        levels
            + self.levels.capacity() * size_of::<Level<'_, A>>()
            + self.ats.capacity() * size_of::<At>()
            + self.links.capacity() * size_of::<Links>()
    }

    /// Returns where the instance of an entity is.
    #[inline]
    fn at(&self, entity: Entity) -> Option<At> {
        let at = self.at_slot(entity.index())?;
        let own = self.levels[at.level()].entities()[at.place()];
        (own == entity).then_some(at)
    }

    /// Returns where the instance of a slot is.
    #[inline]
    fn at_slot(&self, slot: u32) -> Option<At> {
        self.ats.get(slot as usize).copied().filter(|at| *at != At::NOWHERE)
    }

    /// Returns the entity that has the instance of a slot that has one.
    fn entity_at(&self, slot: u32) -> Option<Entity> {
        let at = self.at_slot(slot)?;
        Some(self.levels[at.level()].entities()[at.place()])
    }

    /// Changes the pose of an entity and marks it.
    #[inline]
    fn edit(&mut self, entity: Entity, change: impl FnOnce(&mut Level<'a, A>, usize)) -> bool {
        let Some(at) = self.at(entity) else { return false };
        let level = &mut self.levels[at.level()];
        change(level, at.place());
        level.mark(at.place());
        true
    }

    /// Makes a slot of an entity known, and a level, so that nothing of that is to be made later.
    fn reserve(&mut self, entity: Entity, level: usize) -> Result<(), GrowError> {
        let slots = entity.index() as usize + 1;
        if slots > self.ats.len() {
            self.links.try_reserve(slots - self.links.len())?;
            self.ats.try_resize(slots, At::NOWHERE)?;
            self.links.resize(slots, Links::NONE);
        }
        while self.levels.len() <= level {
            let memory = self.ats.memory();
            self.levels.try_push(Level::new(memory))?;
        }
        Ok(())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Transforms<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transforms")
            .field("len", &self.len())
            .field("levels", &self.levels.len())
            .finish_non_exhaustive()
    }
}
