//! Sounds as they are saved.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::{IdString32, IdString64};

blob_struct! {
    /// A sound as it is saved: a blob. [`SoundTree`](super::SoundTree) reads it.
    pub struct SoundImage {
        /// The bus on which it is heard, hashed.
        pub bus: IdString32,
        /// The group whose voices it shares, hashed; 0: none.
        pub group: IdString32,
        /// Which of several has a voice where there are too few: the one with more.
        pub priority: u32,
        /// The seconds over which it fades out when it is stopped.
        pub fade_out: f32,
        /// Up to how many metres it is as loud as it is, and from how many on nothing is heard of it.
        pub distance: [f32; 2],
        /// Within how many degrees around its direction it is as loud as it is, outside of how many it is
        /// quieter, and the factor there.
        pub cone: [f32; 3],
        /// How much of the Doppler effect it has.
        pub doppler: f32,
        /// How much of it walls take, from 0 to 1.
        pub occlusion: f32,
        /// The nodes, parents before their children.
        pub nodes: BlobArray<SoundNodeImage>,
        /// The children of all nodes.
        pub children: BlobArray<SoundChildImage>,
        /// The curves of all nodes.
        pub curves: BlobArray<SoundCurveImage>,
        /// The points of all curves: a parameter's value and what follows.
        pub points: BlobArray<[f32; 2]>,
        /// The markers of all nodes, by the order of nodes, and of one by time.
        pub markers: BlobArray<SoundMarkerImage>,
        /// The names of all waves, hashed.
        pub waves: BlobArray<IdString64>,
    }

    /// A node. 64 bytes.
    pub struct SoundNodeImage {
        /// A [`SoundNodeKind`](super::SoundNodeKind).
        pub kind: u32,
        /// The place of its wave, if it is one.
        pub wave: u32,
        /// Its first child, and how many there are.
        pub children: [u32; 2],
        /// Its first curve, and how many there are.
        pub curves: [u32; 2],
        /// The parameter that a switch compares, hashed.
        pub parameter: IdString32,
        /// 1: the loop of its wave is followed.
        pub is_looped: u32,
        /// The least and most decibels that it adds.
        pub volume: [f32; 2],
        /// The least and greatest factor of its speed.
        pub speed: [f32; 2],
        /// The least and most seconds that it waits for.
        pub delay: [f32; 2],
        /// The seconds over which it fades in.
        pub fade: f32,
        /// 0.
        pub reserved: u32,
    }

    /// A child of a node. 12 bytes.
    pub struct SoundChildImage {
        /// The node.
        pub node: u32,
        /// How often it is chosen, against the others.
        pub weight: f32,
        /// The word of a switch for which it is, hashed; 0: for all others.
        pub word: IdString32,
    }

    /// A curve. 16 bytes.
    pub struct SoundCurveImage {
        /// The parameter, hashed.
        pub parameter: IdString32,
        /// A [`CurveTarget`](super::CurveTarget).
        pub target: u32,
        /// Its first point, and how many there are.
        pub points: [u32; 2],
    }

    /// A marker. 12 bytes.
    pub struct SoundMarkerImage {
        /// The node, which is a wave.
        pub node: u32,
        /// The second of the wave that it is at.
        pub at: f32,
        /// Its name, hashed.
        pub name: IdString32,
    }
}
