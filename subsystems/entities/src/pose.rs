//! Where something is, how it is turned, and how large.

use glam::{Affine3A, Quat, Vec3};

/// Position, rotation and scale, applied in the order scale, rotation, position.
///
/// # Memory
///
/// 48 bytes, of which 8 are padding. In a resource 40: ten words, in the order of the fields.
///
/// # Examples
///
/// ```
/// use glam::Vec3;
/// use loligo_entities::Pose;
///
/// let pose = Pose { position: Vec3::new(0.0, 2.0, 0.0), scale: Vec3::splat(3.0), ..Pose::IDENTITY };
/// assert_eq!(pose.matrix().transform_point3(Vec3::X), Vec3::new(3.0, 2.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where the origin is, in the space of the parent, in metres.
    pub position: Vec3,
    /// How it is turned; of length 1.
    pub rotation: Quat,
    /// The scale along each of its axes.
    pub scale: Vec3,
}

impl Pose {
    /// At the origin, not turned, as large as it is.
    pub const IDENTITY: Self =
        Self { position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// The number of words of a pose in a resource.
    pub const WORDS: usize = 10;

    /// Returns the pose at a position, not turned, as large as it is.
    #[must_use]
    pub const fn at(position: Vec3) -> Self {
        Self { position, ..Self::IDENTITY }
    }

    /// Returns the matrix that takes points from its space to that of the parent.
    #[inline]
    #[must_use]
    pub fn matrix(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.position)
    }

    /// Returns `inner` as seen from the space that this pose is in.
    ///
    /// Exact where this scale is the same along all axes, or `inner` is not turned; any other would
    /// shear, which a pose cannot, and the scales are multiplied axis by axis.
    #[must_use]
    pub fn place(&self, inner: &Self) -> Self {
        Self {
            position: self.position + self.rotation * (self.scale * inner.position),
            rotation: self.rotation * inner.rotation,
            scale: self.scale * inner.scale,
        }
    }

    /// Returns the pose as a resource has it.
    #[must_use]
    pub fn to_words(&self) -> [u32; Self::WORDS] {
        let (p, r, s) = (self.position, self.rotation, self.scale);
        [p.x, p.y, p.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z].map(f32::to_bits)
    }

    /// Returns the pose of words of a resource.
    #[inline]
    #[must_use]
    pub fn from_words(words: &[u32; Self::WORDS]) -> Self {
        let [px, py, pz, rx, ry, rz, rw, sx, sy, sz] = words.map(f32::from_bits);
        Self {
            position: Vec3::new(px, py, pz),
            rotation: Quat::from_xyzw(rx, ry, rz, rw),
            scale: Vec3::new(sx, sy, sz),
        }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}
