//! Waves as they are saved.

use loligo_containers::{BlobArray, blob_struct};

blob_struct! {
    /// A wave as it is saved: a blob. [`Wave::open`](super::Wave::open) reads it.
    pub struct WaveImage {
        /// Frames a second.
        pub rate: u32,
        /// Samples of a frame: 1 or 2.
        pub channels: u32,
        /// The first frame of the loop, and the one after its last; both 0 if there is none.
        pub range: [u32; 2],
        /// How loud it is by EBU R128, in LUFS; -144 if it is silent.
        pub loudness: f32,
        /// Its highest sample without its sign.
        pub peak: f32,
        /// The samples, the channels of a frame next to each other.
        pub samples: BlobArray<i16>,
    }
}
