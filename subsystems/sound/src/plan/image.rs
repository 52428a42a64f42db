//! The buses and groups of a game as they are saved.

use loligo_containers::{BlobArray, BlobStr, blob_struct};
use loligo_ids::IdString32;

blob_struct! {
    /// The buses and groups of a game as they are saved: a blob. [`MixerPlan`](super::MixerPlan) reads it.
    pub struct MixerImage {
        /// How many voices are heard at the same time.
        pub voices: u32,
        /// 1: for headphones; 0: for two speakers.
        pub is_for_ears: u32,
        /// How fast sound is, how much of the Doppler effect there is, and the most by which it makes a sound
        /// higher; within how many metres a source loses its direction; how loud one is that is wholly
        /// occluded, and from which frequency on it is quieter.
        pub space: [f32; 6],
        /// The buses, each after those that it names.
        pub buses: BlobArray<BusImage>,
        /// The sends of all buses.
        pub sends: BlobArray<SendImage>,
        /// The effects of all buses.
        pub effects: BlobArray<EffectImage>,
        /// The groups.
        pub groups: BlobArray<GroupImage>,
        /// The names of the buses as text, a line each, for tools.
        pub names: BlobStr,
    }

    /// A bus. 28 bytes.
    pub struct BusImage {
        /// Its name, hashed.
        pub name: IdString32,
        /// The bus that it flows into, hashed.
        pub into: IdString32,
        /// How loud it flows into that.
        pub gain: f32,
        /// Its first send, and how many there are.
        pub sends: [u32; 2],
        /// Its first effect, and how many there are.
        pub effects: [u32; 2],
    }

    /// Where a bus flows to besides. 8 bytes.
    pub struct SendImage {
        /// The bus, hashed.
        pub into: IdString32,
        /// How loud.
        pub gain: f32,
    }

    /// An effect. 36 bytes.
    pub struct EffectImage {
        /// Which one, by its place in the list of all.
        pub kind: u32,
        /// The kind of a filter, by its place in [`FILTERS`](crate::FILTERS).
        pub form: u32,
        /// The bus that a compressor listens to, hashed; 0: its own.
        pub listen: IdString32,
        /// Its numbers, in the order of its fields.
        pub numbers: [f32; 6],
    }

    /// A group of sounds that share voices. 8 bytes.
    pub struct GroupImage {
        /// Its name, hashed.
        pub name: IdString32,
        /// How many voices of it are heard at the same time.
        pub voices: u32,
    }
}
