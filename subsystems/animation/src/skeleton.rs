//! Compiled skeletons, read in place.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | parents: offset, count | names | bind | .. |               40 bytes
//! parents       | none | 0 | 1 | ..                                           2 bytes a bone
//! names         | hash of the name | ..                                       4 bytes a bone
//! bind          | position: 3, rotation: 4, scale: 3 | ..                    40 bytes a bone
//! inverse_bind  | columns of a matrix of 3 rows and 4 columns | ..           48 bytes a bone
//! mesh_names    | hash of the name, 64 bits | ..                              8 bytes a bone
//! ```

use core::fmt;

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use loligo_containers::{Blob, BlobArray, blob_struct};
use loligo_entities::Pose;
use loligo_ids::IdString32;
use loligo_resources::DataError;

use crate::pose::{BoneGroup, bone, groups_of, set_bone};

/// The type of skeletons.
pub const SKELETON_TYPE: &str = "skeleton";

/// The version of skeletons that is compiled and read here.
pub const SKELETON_VERSION: u32 = 2;

/// The most bones that a skeleton may have.
pub const BONES_MAX: usize = 1024;

/// The parent of a bone that has none.
pub const NO_BONE: u16 = u16::MAX;

blob_struct! {
    /// A skeleton as it is saved: a blob. [`Skeleton`] reads it.
    pub struct SkeletonImage {
        /// The index of each bone's parent, or [`NO_BONE`]. Parents come before their children.
        pub parents: BlobArray<u16>,
        /// The name of each bone, hashed.
        pub names: BlobArray<IdString32>,
        /// Where each bone is in the bind pose, as seen from its parent.
        pub bind: BlobArray<[f32; 10]>,
        /// For each bone the matrix that takes the skin's points to the bone's space.
        pub inverse_bind: BlobArray<[f32; 12]>,
        /// The name of each bone, hashed as meshes have it.
        pub mesh_names: BlobArray<u64>,
    }
}

/// A skeleton that was opened: bones as a tree, and where they are when nothing moves.
///
/// # Complexity
///
/// Opening is O(bytes), allocates nothing and believes no length. Reading is free.
///
/// # Memory
///
/// The bytes are borrowed and used in place: 102 a bone. The object is five slices.
///
/// # Examples
///
/// ```
/// use loligo_animation::Skeleton;
///
/// let error = Skeleton::open(&[0; 16]).expect_err("it is none");
/// assert!(error.to_string().starts_with("no compiled skeleton: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. There are at most [`BONES_MAX`] bones, with a name, a bind pose and an inverse for each.
/// 2. A parent is [`NO_BONE`] or the index of a bone before.
/// 3. All numbers are finite, and rotations have length 1.
#[derive(Clone, Copy)]
pub struct Skeleton<'b> {
    parents: &'b [u16],
    names: &'b [IdString32],
    bind: &'b [[f32; 10]],
    inverse_bind: &'b [[f32; 12]],
    mesh_names: &'b [u64],
}

impl<'b> Skeleton<'b> {
    /// Opens the payload of a resource of type `skeleton`. It must be at a multiple of 16, as that of
    /// a loaded resource does.
    ///
    /// # Complexity
    ///
    /// O(bytes). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let skeleton = Self::read(payload)?;
        skeleton.verify()?;
        Ok(skeleton)
    }

    /// Opens what was opened before, without another look at it.
    pub(crate) fn read(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<SkeletonImage>::open_structure(payload)
            .map_err(|error| DataError::blob(SKELETON_TYPE, error))?;
        let image = blob.root();
        Ok(Self {
            parents: blob.array(&image.parents),
            names: blob.array(&image.names),
            bind: blob.array(&image.bind),
            inverse_bind: blob.array(&image.inverse_bind),
            mesh_names: blob.array(&image.mesh_names),
        })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        let wrong = |field, must, found: usize| {
            Err(DataError::part(SKELETON_TYPE, field, must, found as u64))
        };
        let bones = self.parents.len();
        if bones == 0 || bones > BONES_MAX {
            return wrong("parents", "those of 1 to 1024 bones", bones);
        }
        if self.names.len() != bones {
            return wrong("names", "one for each bone", self.names.len());
        }
        if self.bind.len() != bones {
            return wrong("bind", "one for each bone", self.bind.len());
        }
        if self.inverse_bind.len() != bones {
            return wrong("inverse_bind", "one for each bone", self.inverse_bind.len());
        }
        if self.mesh_names.len() != bones {
            return wrong("mesh_names", "one for each bone", self.mesh_names.len());
        }
        let is_late =
            |(at, parent): (usize, &u16)| *parent != NO_BONE && usize::from(*parent) >= at;
        if let Some(at) = self.parents.iter().enumerate().position(is_late) {
            return wrong("parents", "those of bones before the child", at);
        }
        if let Some(at) = self.bind.iter().position(|pose| !is_pose(pose)) {
            return wrong("bind", "finite, with rotations of length 1", at);
        }
        let is_finite = |matrix: &[f32; 12]| matrix.iter().all(|number| number.is_finite());
        if let Some(at) = self.inverse_bind.iter().position(|matrix| !is_finite(matrix)) {
            return wrong("inverse_bind", "finite", at);
        }
        Ok(())
    }

    /// Returns the number of bones, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a skeleton has a bone")]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns the index of each bone's parent, or [`NO_BONE`].
    #[must_use]
    pub const fn parents(&self) -> &'b [u16] {
        self.parents
    }

    /// Returns the index of a bone's parent, if it has one.
    ///
    /// # Panics
    ///
    /// If there is no such bone.
    #[inline]
    #[must_use]
    pub fn parent(&self, bone: usize) -> Option<usize> {
        let parent = self.parents[bone];
        (parent != NO_BONE).then_some(usize::from(parent))
    }

    /// Returns the names of the bones, hashed.
    #[must_use]
    pub const fn names(&self) -> &'b [IdString32] {
        self.names
    }

    /// Returns the names of the bones, hashed in 64 bits, as meshes name the bones that move them.
    #[must_use]
    pub const fn mesh_names(&self) -> &'b [u64] {
        self.mesh_names
    }

    /// Returns the index of the bone of a name. O(bones): keep the index.
    #[must_use]
    pub fn find(&self, name: IdString32) -> Option<usize> {
        self.names.iter().position(|hash| *hash == name)
    }

    /// Returns where a bone is in the bind pose, as seen from its parent.
    ///
    /// # Panics
    ///
    /// If there is no such bone.
    #[must_use]
    pub fn bind(&self, bone: usize) -> Pose {
        pose_of(&self.bind[bone])
    }

    /// Returns the matrix that takes the skin's points to the space of a bone.
    ///
    /// # Panics
    ///
    /// If there is no such bone.
    #[must_use]
    pub fn inverse_bind(&self, bone: usize) -> Affine3A {
        let [x, y, z, w] = *self.inverse_bind[bone].as_chunks::<3>().0 else {
            return Affine3A::IDENTITY;
        };
        let [x, y, z, w] = [x, y, z, w].map(Vec3A::from_array);
        Affine3A { matrix3: Mat3A::from_cols(x, y, z), translation: w }
    }

    /// Writes the bind pose.
    ///
    /// # Panics
    ///
    /// If the pose has fewer bones.
    pub fn write_bind(&self, pose: &mut [BoneGroup]) {
        pose[..groups_of(self.len())].fill(BoneGroup::IDENTITY);
        for (index, bind) in self.bind.iter().enumerate() {
            set_bone(pose, index, &pose_of(bind));
        }
    }

    /// Writes for each bone of a pose the matrix that takes points from the bone's space to that of
    /// the skeleton.
    ///
    /// # Complexity
    ///
    /// O(bones): parents come first, so each matrix is one product.
    ///
    /// # Panics
    ///
    /// If the pose or the matrices are of fewer bones.
    pub fn write_matrices(&self, pose: &[BoneGroup], matrices: &mut [Affine3A]) {
        for (index, parent) in self.parents.iter().enumerate() {
            let local = bone(pose, index).matrix();
            // One that has none has the largest number.
            let parent = matrices[..index].get(usize::from(*parent));
            matrices[index] = parent.map_or(local, |parent| *parent * local);
        }
    }

    /// Makes of the matrices of [`write_matrices`](Self::write_matrices) those that move the skin's
    /// points.
    ///
    /// # Panics
    ///
    /// If there are fewer matrices than bones.
    pub fn write_skin(&self, matrices: &mut [Affine3A]) {
        for (index, matrix) in matrices[..self.len()].iter_mut().enumerate() {
            *matrix *= self.inverse_bind(index);
        }
    }
}

impl fmt::Debug for Skeleton<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skeleton").field("bones", &self.len()).finish_non_exhaustive()
    }
}

/// Returns the pose of ten numbers.
fn pose_of(numbers: &[f32; 10]) -> Pose {
    let [px, py, pz, rx, ry, rz, rw, sx, sy, sz] = *numbers;
    Pose {
        position: Vec3::new(px, py, pz),
        rotation: Quat::from_xyzw(rx, ry, rz, rw),
        scale: Vec3::new(sx, sy, sz),
    }
}

/// Returns `true` if ten numbers are a pose.
fn is_pose(numbers: &[f32; 10]) -> bool {
    let length = numbers[3..7].iter().map(|number| number * number).sum::<f32>();
    numbers.iter().all(|number| number.is_finite()) && (length - 1.0).abs() < 1.0e-3
}
