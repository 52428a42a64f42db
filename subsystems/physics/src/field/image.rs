//! Fields as they are saved.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::IdString32;

blob_struct! {
    /// A field as it is saved: a blob. [`Field`](super::Field) reads it.
    pub struct FieldImage {
        /// 0 everywhere, 1 a box, 2 a sphere.
        pub region: u32,
        /// Half the sides of a box; a radius, and two numbers that mean nothing.
        pub size: [f32; 3],
        /// How long it lasts; 0 is for ever.
        pub seconds: f32,
        /// The groups that it is for; none is for all.
        pub groups: BlobArray<IdString32>,
        /// What a game can change.
        pub parameters: BlobArray<FieldParameter>,
        /// Bytecode of the strength along each axis of the field.
        pub x: BlobArray<u32>,
        /// The second axis.
        pub y: BlobArray<u32>,
        /// The third axis.
        pub z: BlobArray<u32>,
    }

    /// A parameter. 8 bytes.
    pub struct FieldParameter {
        /// Its name, hashed.
        pub name: IdString32,
        /// Its value until it is set.
        pub default: f32,
    }
}
