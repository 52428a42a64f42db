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
        /// The frames of a packed wave; 0 if it is not packed.
        pub packed_frames: u32,
        /// 0.
        pub reserved: u32,
        /// The samples, the channels of a frame next to each other; none if it is packed.
        pub samples: BlobArray<i16>,
        /// The blocks of a packed wave, each as [`unpack`](crate::unpack) reads it. Of one that is streamed those of the
        /// first piece; the others are the tail of the file.
        pub packed: BlobArray<u8>,
        /// The sum of each piece in the tail: murmur2 of its bytes.
        pub sums: BlobArray<u64>,
    }
}
