//! Ragdolls: which shapes the bones of a character have, and how they are joined.
//!
//! # Layout
//!
//! ```text
//! blob header     48 bytes
//! root          | template of actors | lists: offset, count | ..
//! bones         | name | parent | joint | flags | limits | turn | rest    60 bytes each
//! shapes, ..    | as those of a collision, one for each bone
//! ```

mod image;
mod verify;

pub use image::{RagdollBone, RagdollImage};

use core::fmt;

use loligo_containers::Blob;
use loligo_ids::IdString32;
use loligo_resources::DataError;

use crate::collision::{Collision, CollisionPart};

/// The type of ragdolls.
pub const RAGDOLL_TYPE: &str = "ragdoll";

/// The version of ragdolls that is compiled and read here.
pub const RAGDOLL_VERSION: u32 = 1;

/// The most bones of a ragdoll.
pub const BONES_MAX: usize = 64;

/// The parent of a bone that has none.
pub const NO_BONE: u32 = u32::MAX;

/// A bone has limits.
pub const HAS_LIMITS: u32 = 1;

/// It is said how a bone is turned at rest; else it is as it is when it is held.
pub const HAS_REST: u32 = 2;

/// A ragdoll that was opened: a view of bytes that were verified once.
///
/// # Complexity
///
/// Opening is O(bytes + bones²), allocates nothing and trusts no length.
///
/// # Memory
///
/// The bytes are borrowed and read in place.
///
/// # Examples
///
/// ```
/// use loligo_physics::Ragdoll;
///
/// let error = Ragdoll::open(&[0; 16]).expect_err("not a ragdoll");
/// assert!(error.to_string().starts_with("no compiled ragdoll: "), "{error}");
/// ```
///
/// # Invariants
///
/// 1. There are 1 to [`BONES_MAX`] bones of different names, each after its parent.
/// 2. Each has a shape that can move by itself, as a collision has it.
/// 3. Joints are fixed, hinges or balls; limits are within half a turn, rotations of length 1.
#[derive(Clone, Copy)]
pub struct Ragdoll<'b> {
    actor: IdString32,
    bones: &'b [RagdollBone],
    shapes: Collision<'b>,
}

impl<'b> Ragdoll<'b> {
    /// Opens the payload of a resource of type `ragdoll`. It must be at a multiple of 16, as that of a
    /// loaded resource is.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn open(payload: &'b [u8]) -> Result<Self, DataError> {
        let ragdoll = Self::open_verified(payload)?;
        ragdoll.verify()?;
        Ok(ragdoll)
    }

    /// Opens what [`open`](Self::open) has accepted before, without a second look at its numbers.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`DataError`] if it is not a blob of this type.
    pub fn open_verified(payload: &'b [u8]) -> Result<Self, DataError> {
        let blob = Blob::<RagdollImage>::open_structure(payload)
            .map_err(|error| DataError::blob(RAGDOLL_TYPE, error))?;
        let image = blob.root();
        let shapes = Collision::of(
            blob.array(&image.shapes),
            blob.array(&image.points),
            blob.array(&image.triangles),
            blob.array(&image.heights),
        );
        Ok(Self { actor: image.actor, bones: blob.array(&image.bones), shapes })
    }

    /// Checks the invariants, as opening does.
    ///
    /// # Errors
    ///
    /// [`DataError`] says what is wrong.
    pub fn verify(&self) -> Result<(), DataError> {
        verify::verify(self)
    }

    /// Returns the name of the template of actors whose damping bones have.
    #[must_use]
    pub const fn actor(&self) -> IdString32 {
        self.actor
    }

    /// Returns the bones, each after its parent.
    #[must_use]
    pub const fn bones(&self) -> &'b [RagdollBone] {
        self.bones
    }

    /// Returns the shape of a bone.
    ///
    /// # Panics
    ///
    /// If there is no such bone.
    #[must_use]
    pub fn shape(&self, bone: usize) -> CollisionPart<'b> {
        self.shapes.part(bone)
    }

    /// Returns the index of the bone of a name.
    ///
    /// # Complexity
    ///
    /// O(bones).
    #[must_use]
    pub fn find(&self, name: IdString32) -> Option<usize> {
        self.bones.iter().position(|bone| bone.name == name)
    }
}

impl fmt::Debug for Ragdoll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ragdoll").field("bones", &self.bones.len()).finish_non_exhaustive()
    }
}
