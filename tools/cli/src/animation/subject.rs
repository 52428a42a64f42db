//! A clip that is shown.

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_animation::compile::{ClipAnatomy, ClipStatistics};
use loligo_animation::{
    BoneGroup, Channel, Clip, ClipTable, Players, Skeleton, StoredClip, bone, groups_of,
};
use loligo_containers::BlobBytes;

/// A compiled clip with its skeleton, and what is known of how it was compressed.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// The clip's name.
    pub(super) name: String,
    /// The names of the bones; their hashes where only these are known.
    pub(super) bones: Vec<String>,
    pub(super) skeleton: Vec<u8>,
    pub(super) clip: Vec<u8>,
    /// Unknown where the clip was compiled before.
    pub(super) source: Option<SubjectSource>,
}

/// What a clip was compressed from.
#[derive(Clone, Debug)]
pub(super) struct SubjectSource {
    pub(super) statistics: ClipStatistics,
    /// How far the skin may be off, in metres.
    pub(super) bound: f32,
    /// How far it is off in each frame, and at each bone.
    pub(super) by_frame: Vec<f32>,
    pub(super) by_bone: Vec<f32>,
}

/// A curve of a track: what is drawn of it.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// How many points there are for each frame.
    pub(super) density: usize,
    /// x, y and z, and w of rotations.
    pub(super) lines: Vec<Vec<f32>>,
}

impl Subject {
    /// Calls `look` with the skeleton and the clip.
    pub(super) fn open<R>(
        &self,
        look: impl FnOnce(&Skeleton<'_>, &Clip<'_>) -> R,
    ) -> Result<R, String> {
        let pages = PageAllocator::new("animation pages");
        let heap = HeapAllocator::new("animation", &pages);
        let skeleton = BlobBytes::try_copy(&self.skeleton, &heap);
        let skeleton = skeleton.map_err(|error| error.to_string())?;
        let skeleton = Skeleton::open(&skeleton).map_err(|error| error.to_string())?;
        let clip = StoredClip::try_new(&self.clip, &heap).map_err(|error| error.to_string())?;
        let clip = clip.clip().ok_or("the clip is not whole; compile it again")?;
        if clip.bones() != skeleton.len() {
            let (found, expected) = (clip.bones(), skeleton.len());
            return Err(format!(
                "the clip is for {found} bones, and the skeleton has {expected}; name that of the clip"
            ));
        }
        Ok(look(&skeleton, &clip))
    }

    /// Returns tracks and keys.
    pub(super) fn anatomy(&self) -> ClipAnatomy {
        self.open(|_, clip| ClipAnatomy::of(clip)).unwrap_or_default()
    }

    /// Plays the clip, and returns the curves of some channels of bones.
    pub(super) fn curves(&self, tracks: &[(usize, Channel)]) -> Vec<Curve> {
        self.open(|skeleton, clip| curves(skeleton, clip, tracks)).unwrap_or_default()
    }
}

fn curves(skeleton: &Skeleton<'_>, clip: &Clip<'_>, tracks: &[(usize, Channel)]) -> Vec<Curve> {
    let pages = PageAllocator::new("animation pages");
    let heap = HeapAllocator::new("animation", &pages);
    // Long clips have as many points as a picture has dots.
    let density = (2000 / (clip.last_frame() as usize + 1)).clamp(1, 8);
    let mut curves: Vec<Curve> = tracks
        .iter()
        .map(|(_, channel)| {
            let count = if *channel == Channel::Rotation { 4 } else { 3 };
            Curve { density, lines: vec![Vec::new(); count] }
        })
        .collect();
    let Ok(table) = ClipTable::try_new(*clip, skeleton, &heap) else { return curves };
    let Ok(mut players) = Players::try_new(1, &table, &heap) else { return curves };
    let mut pose = vec![BoneGroup::IDENTITY; groups_of(skeleton.len())];
    for at in 0..=clip.last_frame() as usize * density {
        players.sample(&table, 0, at as f32 / density as f32, &mut pose);
        for ((index, channel), curve) in tracks.iter().zip(&mut curves) {
            let found = bone(&pose, *index);
            let numbers = match channel {
                Channel::Rotation => found.rotation.to_array(),
                Channel::Position => found.position.extend(0.0).to_array(),
                Channel::Scale => found.scale.extend(0.0).to_array(),
            };
            for (line, number) in curve.lines.iter_mut().zip(numbers) {
                line.push(number);
            }
        }
    }
    curves
}
