//! How much each bone takes part in a blend.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::lanes::{LANES, Lanes};
use crate::pose::groups_of;
use crate::skeleton::Skeleton;

/// A weight for each bone: 1 takes part, 0 does not.
///
/// # Memory
///
/// 4 bytes a bone, in lanes.
pub struct BoneMask<'a> {
    lanes: Array<'a, Lanes>,
    bones: usize,
}

impl<'a> BoneMask<'a> {
    /// Makes a mask with the same weight for all bones.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(
        bones: usize,
        weight: f32,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        let mut lanes = Array::try_with_capacity(groups_of(bones), memory)?;
        lanes.try_resize(groups_of(bones), Lanes::splat(weight))?;
        Ok(Self { lanes, bones })
    }

    /// Returns the number of bones.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bones
    }

    /// Returns `true` if there is no bone.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bones == 0
    }

    /// Returns the weight of a bone.
    ///
    /// # Panics
    ///
    /// If there is no such bone.
    #[must_use]
    pub fn get(&self, bone: usize) -> f32 {
        self.lanes[bone / LANES].get(bone % LANES)
    }

    /// Sets the weight of a bone.
    ///
    /// # Panics
    ///
    /// If there is no such bone.
    pub fn set(&mut self, bone: usize, weight: f32) {
        self.lanes[bone / LANES].set(bone % LANES, weight);
    }

    /// Sets the weight of a bone and of all bones below it.
    ///
    /// # Complexity
    ///
    /// O(bones · depth).
    ///
    /// # Panics
    ///
    /// If the skeleton has more bones, or no such bone.
    pub fn set_below(&mut self, skeleton: &Skeleton<'_>, bone: usize, weight: f32) {
        for at in bone..skeleton.len() {
            let mut above = Some(at);
            while let Some(parent) = above.filter(|above| *above > bone) {
                above = skeleton.parent(parent);
            }
            if above == Some(bone) {
                self.set(at, weight);
            }
        }
    }

    /// Returns the weights in lanes.
    #[must_use]
    pub fn lanes(&self) -> &[Lanes] {
        &self.lanes
    }
}

impl fmt::Debug for BoneMask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoneMask").field("bones", &self.bones).finish_non_exhaustive()
    }
}
