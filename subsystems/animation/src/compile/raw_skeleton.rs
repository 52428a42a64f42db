//! Skeletons as they are imported.

use std::borrow::ToOwned;
use std::collections::HashSet;
use std::string::String;
use std::vec::Vec;

use glam::Affine3A;
use loligo_allocators::Allocator;
use loligo_compiler::with_heap;
use loligo_containers::{BlobBuilder, BlobBytes, Endian, blob_field};
use loligo_entities::Pose;
use loligo_ids::{IdString32, IdString64};

use super::error::CompressError;
use crate::skeleton::{BONES_MAX, NO_BONE, SkeletonImage};

/// A skeleton before it is compiled: bones with names, parents before their children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawSkeleton {
    /// The name of each bone.
    pub names: Vec<String>,
    /// The index of each bone's parent, or [`NO_BONE`](crate::NO_BONE).
    pub parents: Vec<u16>,
    /// Where each bone is, as seen from its parent, when nothing moves.
    pub bind: Vec<Pose>,
    /// For each bone the matrix that takes the skin's points to its space.
    pub inverse_bind: Vec<Affine3A>,
}

impl RawSkeleton {
    /// Adds a bone and returns its index. The inverse of its bind pose follows from it and its parents.
    pub fn add(&mut self, name: &str, parent: Option<usize>, bind: Pose) -> usize {
        let inverse = match parent {
            Some(parent) => bind.matrix().inverse() * self.inverse_bind[parent],
            None => bind.matrix().inverse(),
        };
        self.names.push(name.to_owned());
        self.parents.push(parent.map_or(NO_BONE, |parent| parent as u16));
        self.bind.push(bind);
        self.inverse_bind.push(inverse);
        self.names.len() - 1
    }

    /// Returns the number of bones.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns `true` if there is no bone.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the index of a bone's parent, if it has one.
    #[must_use]
    pub fn parent(&self, bone: usize) -> Option<usize> {
        self.parents
            .get(bone)
            .filter(|parent| **parent != NO_BONE)
            .map(|parent| usize::from(*parent))
    }

    /// Checks that it is whole.
    ///
    /// # Errors
    ///
    /// [`CompressError`] names the bone that is wrong.
    pub fn check(&self) -> Result<(), CompressError> {
        let bones = self.len();
        if bones == 0 || bones > BONES_MAX {
            return Err(CompressError::Bones(bones));
        }
        let lists = [
            ("parents", self.parents.len()),
            ("bind", self.bind.len()),
            ("inverse_bind", self.inverse_bind.len()),
        ];
        for (list, found) in lists {
            if found != bones {
                return Err(CompressError::Lists { list, found, bones });
            }
        }
        let mut hashes = HashSet::new();
        for (at, name) in self.names.iter().enumerate() {
            let bone = name.clone();
            if self.parent(at).is_some_and(|parent| parent >= at) {
                return Err(CompressError::Parent { bone });
            }
            if !hashes.insert(IdString32::new(name)) {
                return Err(CompressError::NameTwice { bone });
            }
            if !is_sound(&self.bind[at]) || !self.inverse_bind[at].is_finite() {
                return Err(CompressError::Number { bone, frame: None });
            }
        }
        Ok(())
    }

    /// Compiles it: the payload of a resource of type `skeleton`.
    ///
    /// # Errors
    ///
    /// [`CompressError`] names the bone that is wrong.
    pub fn build(&self, endian: Endian) -> Result<Vec<u8>, CompressError> {
        with_heap(|heap| Ok(self.build_in(endian, heap)?.to_vec()))
    }

    /// Compiles it into aligned memory.
    pub(super) fn build_in<'a>(
        &self,
        endian: Endian,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<BlobBytes<'a>, CompressError> {
        self.check()?;
        let names: Vec<_> = self.names.iter().map(|name| IdString32::new(name)).collect();
        let mesh_names: Vec<_> =
            self.names.iter().map(|name| IdString64::new(name).hash()).collect();
        let bind: Vec<_> = self.bind.iter().map(numbers_of).collect();
        let inverse: Vec<_> = self.inverse_bind.iter().map(Affine3A::to_cols_array).collect();
        let mut builder = BlobBuilder::<SkeletonImage>::try_new(endian, memory)?;
        let root = builder.root();
        builder.numbers(root.at(blob_field!(SkeletonImage, parents)), &self.parents)?;
        builder.numbers(root.at(blob_field!(SkeletonImage, names)), &names)?;
        builder.numbers(root.at(blob_field!(SkeletonImage, bind)), &bind)?;
        builder.numbers(root.at(blob_field!(SkeletonImage, inverse_bind)), &inverse)?;
        builder.numbers(root.at(blob_field!(SkeletonImage, mesh_names)), &mesh_names)?;
        Ok(builder.finish())
    }
}

/// Returns `true` if a pose is finite, and its rotation has length 1.
pub(super) fn is_sound(pose: &Pose) -> bool {
    let length = pose.rotation.length_squared();
    pose.position.is_finite() && pose.scale.is_finite() && (length - 1.0).abs() < 1.0e-3
}

/// Returns the ten numbers of a pose, its rotation of length 1.
fn numbers_of(pose: &Pose) -> [f32; 10] {
    let (p, s) = (pose.position, pose.scale);
    let [rx, ry, rz, rw] = pose.rotation.normalize().to_array();
    [p.x, p.y, p.z, rx, ry, rz, rw, s.x, s.y, s.z]
}
