//! Ragdolls as they are saved.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::IdString32;

use crate::collision::CollisionShape;

blob_struct! {
    /// A ragdoll as it is saved: a blob. [`Ragdoll`](super::Ragdoll) reads it.
    pub struct RagdollImage {
        /// The name of a template of actors, hashed; 0 is none.
        pub actor: IdString32,
        /// The bones, each after its parent.
        pub bones: BlobArray<RagdollBone>,
        /// The shape of each bone.
        pub shapes: BlobArray<CollisionShape>,
        /// The points of convex shapes.
        pub points: BlobArray<[f32; 3]>,
        /// None: no shape of a bone has triangles.
        pub triangles: BlobArray<[u32; 3]>,
        /// None: no shape of a bone has heights.
        pub heights: BlobArray<f32>,
    }

    /// A bone. 60 bytes.
    pub struct RagdollBone {
        /// Its name, hashed.
        pub name: IdString32,
        /// The index of its parent, or [`NO_BONE`](super::NO_BONE).
        pub parent: u32,
        /// How it moves against its parent: a [`JointForm`](crate::JointForm).
        pub joint: u32,
        /// [`HAS_LIMITS`](super::HAS_LIMITS) and [`HAS_REST`](super::HAS_REST).
        pub flags: u32,
        /// The least and the most that it turns, in radians.
        pub limits: [f32; 2],
        /// How the joint is turned on the bone; a hinge turns around its x axis.
        pub turn: [f32; 4],
        /// How the bone is turned on its parent where its angles are 0.
        pub rest: [f32; 4],
    }
}
