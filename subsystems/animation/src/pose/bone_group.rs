//! Eight bones of a pose.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};
use loligo_entities::Pose;

use crate::lanes::Lanes;

/// Where eight bones are, each as seen from its parent: rows of lanes.
///
/// ```text
/// position x  | bone 0 | bone 1 | .. | bone 7 |     rotation x  | .. |     scale x  | .. |
/// position y  |                               |     rotation y             scale y
/// position z  |                               |     rotation z             scale z
///                                                   rotation w
/// ```
///
/// # Memory
///
/// 320 bytes, which are 40 a bone and five cache lines. Lanes after the last bone are the identity.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BoneGroup {
    /// Along x, y and z, in metres.
    pub position: [Lanes; 3],
    /// Quaternions of length 1: x, y, z and w.
    pub rotation: [Lanes; 4],
    /// Along the bone's x, y and z.
    pub scale: [Lanes; 3],
}

impl BoneGroup {
    /// Eight bones at their parents' origins, not turned, as large as they are.
    pub const IDENTITY: Self = Self {
        position: [Lanes::ZERO; 3],
        rotation: [Lanes::ZERO, Lanes::ZERO, Lanes::ZERO, Lanes::ONE],
        scale: [Lanes::ONE; 3],
    };

    /// Returns where the bone of a lane is.
    ///
    /// # Panics
    ///
    /// If there is no such lane.
    #[inline]
    #[must_use]
    pub fn get(&self, lane: usize) -> Pose {
        Pose {
            position: Vec3::from_array(self.position.map(|row| row.get(lane))),
            rotation: Quat::from_array(self.rotation.map(|row| row.get(lane))),
            scale: Vec3::from_array(self.scale.map(|row| row.get(lane))),
        }
    }

    /// Sets where the bone of a lane is.
    ///
    /// # Panics
    ///
    /// If there is no such lane.
    #[inline]
    pub fn set(&mut self, lane: usize, pose: &Pose) {
        for (row, value) in self.position.iter_mut().zip(pose.position.to_array()) {
            row.set(lane, value);
        }
        for (row, value) in self.rotation.iter_mut().zip(pose.rotation.to_array()) {
            row.set(lane, value);
        }
        for (row, value) in self.scale.iter_mut().zip(pose.scale.to_array()) {
            row.set(lane, value);
        }
    }
}

impl Default for BoneGroup {
    fn default() -> Self {
        Self::IDENTITY
    }
}
