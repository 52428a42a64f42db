//! Tables of effects as they are saved.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::IdString64;

blob_struct! {
    /// A table of effects as it is saved: a blob. [`ImpactTable`](super::ImpactTable) reads it.
    pub struct ImpactImage {
        /// The rows, by kind, materials and least amount.
        pub rows: BlobArray<ImpactRow>,
        /// The points of all curves: amount and strength.
        pub points: BlobArray<[f32; 2]>,
    }

    /// A row. 40 bytes.
    pub struct ImpactRow {
        /// An [`ImpactKind`](super::ImpactKind).
        pub kind: u32,
        /// The names of both materials, hashed, the lower first; 0 is any.
        pub materials: [u32; 2],
        /// The least amount that it is for.
        pub least: f32,
        /// The name of the effect, hashed; 0 is none.
        pub effect: IdString64,
        /// Its place in the source.
        pub order: u32,
        /// The first point of its curve, and how many there are.
        pub points: [u32; 2],
    }
}
