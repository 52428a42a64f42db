//! Poses of many characters in one array.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_entities::Pose;

use super::bone_group::BoneGroup;
use crate::lanes::LANES;

/// Poses of skeletons with the same number of bones, one after the other.
///
/// A single pose is a slice of [`BoneGroup`]s, which all operations are over; [`bone`] and
/// [`set_bone`] reach one bone of it.
///
/// # Complexity
///
/// Reaching a pose is O(1). Nothing is allocated after the constructor.
///
/// # Memory
///
/// 320 bytes for each eight bones begun: 3 840 for a skeleton of 90.
///
/// # Examples
///
/// ```
/// use glam::Vec3;
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_animation::{Poses, bone, set_bone};
/// use loligo_entities::Pose;
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("animation", &pages);
/// let mut poses = Poses::try_new(1000, 90, &heap)?;
/// set_bone(poses.pose_mut(7), 89, &Pose::at(Vec3::Y));
/// assert_eq!(bone(poses.pose(7), 89).position, Vec3::Y);
/// assert_eq!(bone(poses.pose(8), 89), Pose::IDENTITY);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
pub struct Poses<'a> {
    groups: Array<'a, BoneGroup>,
    bones: usize,
}

impl<'a> Poses<'a> {
    /// Makes poses of identities.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(
        count: usize,
        bones: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        let len = count.saturating_mul(groups_of(bones));
        let mut groups = Array::try_with_capacity(len, memory)?;
        groups.try_resize(len, BoneGroup::IDENTITY)?;
        Ok(Self { groups, bones })
    }

    /// Returns the number of poses.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len().checked_div(groups_of(self.bones)).unwrap_or(0)
    }

    /// Returns `true` if there is no pose.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the number of bones of each.
    #[must_use]
    pub const fn bones(&self) -> usize {
        self.bones
    }

    /// Returns a pose.
    ///
    /// # Panics
    ///
    /// If there is no pose of that index.
    #[inline]
    #[must_use]
    pub fn pose(&self, index: usize) -> &[BoneGroup] {
        let groups = groups_of(self.bones);
        &self.groups[index * groups..(index + 1) * groups]
    }

    /// Returns a pose that can be changed.
    ///
    /// # Panics
    ///
    /// If there is no pose of that index.
    #[inline]
    #[must_use]
    pub fn pose_mut(&mut self, index: usize) -> &mut [BoneGroup] {
        let groups = groups_of(self.bones);
        &mut self.groups[index * groups..(index + 1) * groups]
    }

    /// Returns the first two poses, the second to be changed.
    pub(crate) fn split(&mut self) -> (&[BoneGroup], &mut [BoneGroup]) {
        let groups = groups_of(self.bones);
        let (first, second) = self.groups.split_at_mut(groups);
        (first, &mut second[..groups])
    }
}

impl fmt::Debug for Poses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (poses, bones) = (self.len(), self.bones);
        f.debug_struct("Poses").field("poses", &poses).field("bones", &bones).finish()
    }
}

/// Returns how many groups a pose of that many bones has.
#[inline]
#[must_use]
pub const fn groups_of(bones: usize) -> usize {
    bones.div_ceil(LANES)
}

/// Returns where a bone of a pose is, as seen from its parent.
///
/// # Panics
///
/// If the pose has no such bone.
#[inline]
#[must_use]
pub fn bone(pose: &[BoneGroup], index: usize) -> Pose {
    pose[index / LANES].get(index % LANES)
}

/// Sets where a bone of a pose is, as seen from its parent.
///
/// # Panics
///
/// If the pose has no such bone.
#[inline]
pub fn set_bone(pose: &mut [BoneGroup], index: usize, to: &Pose) {
    pose[index / LANES].set(index % LANES, to);
}
