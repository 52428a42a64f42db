//! A clip with all that playing it needs, in memory of a test.

use loligo_allocators::Allocator;
use loligo_animation::compile::{ClipStatistics, CompressOptions, RawClip, RawSkeleton, compress};
use loligo_animation::{BoneGroup, Clip, ClipTable, Players, Skeleton, groups_of};
use loligo_containers::{BlobBytes, Endian};

use crate::memory::with_memory;

/// A compressed clip and its skeleton, as bytes that can be opened.
pub(crate) struct Rig<'a> {
    pub(crate) skeleton: BlobBytes<'a>,
    pub(crate) clip: BlobBytes<'a>,
    pub(crate) statistics: ClipStatistics,
}

impl<'a> Rig<'a> {
    pub(crate) fn new(
        body: &RawSkeleton,
        raw: &RawClip,
        options: &CompressOptions,
        memory: &'a dyn Allocator,
    ) -> Self {
        let skeleton = body.build(Endian::NATIVE).expect("the body is whole");
        let compressed = compress(body, raw, options).expect("it can be compressed");
        let aligned = |bytes: &[u8]| BlobBytes::try_copy(bytes, memory).expect("memory");
        Self {
            skeleton: aligned(&skeleton),
            clip: aligned(&compressed.bytes),
            statistics: compressed.statistics,
        }
    }

    pub(crate) fn skeleton(&self) -> Skeleton<'_> {
        Skeleton::open(&self.skeleton).expect("a skeleton")
    }

    pub(crate) fn clip(&self) -> Clip<'_> {
        Clip::open(&self.clip).expect("a clip")
    }
}

/// Runs a test with a player of a clip, whose pose at a frame it asks for.
pub(crate) fn with_player(
    body: &RawSkeleton,
    raw: &RawClip,
    options: &CompressOptions,
    test: impl FnOnce(&Rig<'_>, &mut dyn FnMut(f32) -> Vec<BoneGroup>),
) {
    with_memory(|memory| {
        let rig = Rig::new(body, raw, options, memory);
        let table = ClipTable::try_new(rig.clip(), &rig.skeleton(), memory).expect("memory");
        let mut players = Players::try_new(1, &table, memory).expect("memory");
        test(&rig, &mut |frame| {
            let mut pose = vec![BoneGroup::IDENTITY; groups_of(body.len())];
            players.sample(&table, 0, frame, &mut pose);
            pose
        });
    });
}
