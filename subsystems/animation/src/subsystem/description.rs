//! What a component says, as words of a resource.

use loligo_entities::{ComponentType, EntityResource, ResourceWords};
use loligo_ids::{IdString32, IdString64};

use crate::clip::CLIP_TYPE;
use crate::machine::MACHINE_TYPE;
use crate::skeleton::SKELETON_TYPE;

/// Characters: after transforms and tags.
pub(crate) const ANIMATION: ComponentType = ComponentType::new("animation", 300);

/// What follows a bone of a character.
pub(crate) const ATTACH: ComponentType = ComponentType::new("attach", 310);

/// The words before the clips.
pub(crate) const HEAD: usize = 16;

/// The words of a clip: its short name, its resource, whether it loops, the bone from which on it
/// counts.
pub(crate) const CLIP_WORDS: usize = 5;

/// The words of a level of detail: from which distance on, how often a second, the bones that rest.
pub(crate) const DETAIL_WORDS: usize = 2 + RESTING;

/// The words of a foot: its bone, and how far above and below the entity the ground is looked for.
pub(crate) const FOOT_WORDS: usize = 2;

/// The most feet of a character.
pub(crate) const FEET_MAX: usize = 4;

/// Where the number of feet is in the word with the number of levels of detail.
pub(crate) const FEET_SHIFT: u32 = 16;

/// The bones that rest, with those below, at a level of detail.
pub(crate) const RESTING: usize = 4;

/// The most clips, and the most levels of detail.
pub(crate) const CLIPS_MAX: usize = 64;
pub(crate) const DETAILS_MAX: usize = 4;

/// The way of the clips moves the entity.
pub(crate) const ROOT_MOTION: u32 = 1;

/// Each entity begins at another part of the clip.
pub(crate) const SCATTER: u32 = 2;

/// A clip goes on from its end at its beginning.
pub(crate) const LOOPS: u32 = 1;

/// The words of an attachment: the bone, and a pose.
#[cfg(feature = "subsystem")]
pub(crate) const ATTACH_WORDS: usize = 1 + loligo_entities::Pose::WORDS;

/// A component as its words have it.
///
/// ```text
/// words | skeleton: 2 | mesh: 2 | material: 2 | machine: 2 | speed | flags | what to play | phase | radius |
/// clips: count | details: count, feet: count | clip: 5 | .. | detail: 6 | .. | foot: 2 | ..
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description<'w> {
    words: &'w [u32],
}

/// A clip of a component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedClip {
    pub(crate) short: u32,
    pub(crate) clip: Option<IdString64>,
    pub(crate) loops: bool,
    /// The bone from which on it counts; 0 for all.
    pub(crate) above: u32,
}

/// A level of detail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    pub(crate) distance: f32,
    /// Poses a second; 0 is one for each frame.
    pub(crate) rate: f32,
    pub(crate) resting: [u32; RESTING],
}

impl<'w> Description<'w> {
    /// Reads the component at the beginning of words, and returns those after it; `None` if they are
    /// not a component.
    pub(crate) fn read(words: &'w [u32]) -> Option<(Self, &'w [u32])> {
        let (own, rest) = words.split_at_checked(*words.first()? as usize)?;
        let (clips, counts) = (*own.get(14)? as usize, *own.get(15)?);
        let (details, feet) = (counts & ((1 << FEET_SHIFT) - 1), counts >> FEET_SHIFT);
        let (details, feet) = (details as usize, feet as usize);
        let is_few = clips <= CLIPS_MAX && details <= DETAILS_MAX && feet <= FEET_MAX;
        let words = clips * CLIP_WORDS + details * DETAIL_WORDS + feet * FOOT_WORDS;
        let is_whole = is_few && own.len() == HEAD + words;
        let description = Self { words: own };
        let is_sound = is_whole
            && [9, 12, 13].iter().all(|at| f32::from_bits(own[*at]).is_finite())
            && description.details().all(|of| of.distance.is_finite() && of.rate.is_finite())
            && description.feet().all(|(_, reach)| reach.is_finite());
        is_sound.then_some((description, rest))
    }

    pub(crate) const fn words(&self) -> &'w [u32] {
        self.words
    }

    fn name(&self, at: usize) -> Option<IdString64> {
        ResourceWords { low: self.words[at], high: self.words[at + 1] }.name()
    }

    pub(crate) fn skeleton(&self) -> Option<IdString64> {
        self.name(1)
    }

    pub(crate) fn mesh(&self) -> Option<IdString64> {
        self.name(3)
    }

    pub(crate) fn material(&self) -> Option<IdString64> {
        self.name(5)
    }

    pub(crate) fn machine(&self) -> Option<IdString64> {
        self.name(7)
    }

    pub(crate) fn speed(&self) -> f32 {
        f32::from_bits(self.words[9])
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.words[10] & flag != 0
    }

    /// Returns which of the clips is played at first.
    pub(crate) fn first_clip(&self) -> Option<usize> {
        self.find(IdString32::from_hash(self.words[11]))
    }

    pub(crate) fn phase(&self) -> f32 {
        f32::from_bits(self.words[12])
    }

    /// Returns the radius of what is drawn around the middle of the bones; 0 if it says none.
    pub(crate) fn radius(&self) -> f32 {
        f32::from_bits(self.words[13])
    }

    /// Returns the index of a clip by its short name. O(clips).
    pub(crate) fn find(&self, short: IdString32) -> Option<usize> {
        self.clips().position(|clip| clip.short == short.hash())
    }

    pub(crate) fn clips(&self) -> impl ExactSizeIterator<Item = NamedClip> + use<'w> {
        let end = HEAD + self.words[14] as usize * CLIP_WORDS;
        self.words[HEAD..end].chunks_exact(CLIP_WORDS).map(|words| NamedClip {
            short: words[0],
            clip: ResourceWords { low: words[1], high: words[2] }.name(),
            loops: words[3] & LOOPS != 0,
            above: words[4],
        })
    }

    pub(crate) fn details(&self) -> impl ExactSizeIterator<Item = Detail> + use<'w> {
        let start = HEAD + self.words[14] as usize * CLIP_WORDS;
        let end = self.words.len() - self.feet_count() * FOOT_WORDS;
        self.words[start..end].chunks_exact(DETAIL_WORDS).map(|words| {
            let mut resting = [0; RESTING];
            resting.copy_from_slice(&words[2..]);
            let [distance, rate] = [words[0], words[1]].map(f32::from_bits);
            Detail { distance, rate, resting }
        })
    }

    const fn feet_count(&self) -> usize {
        (self.words[15] >> FEET_SHIFT) as usize
    }

    /// Returns the bone of each foot, and how far above and below the entity the ground is looked for.
    pub(crate) fn feet(&self) -> impl ExactSizeIterator<Item = (IdString32, f32)> + use<'w> {
        let start = self.words.len() - self.feet_count() * FOOT_WORDS;
        self.words[start..]
            .chunks_exact(FOOT_WORDS)
            .map(|words| (IdString32::from_hash(words[0]), f32::from_bits(words[1])))
    }

    /// Calls `each` with the resources that it names.
    pub(crate) fn needs(&self, each: &mut dyn FnMut(&'static str, IdString64)) {
        let own = [
            (SKELETON_TYPE, self.skeleton()),
            ("mesh", self.mesh()),
            ("material", self.material()),
            (MACHINE_TYPE, self.machine()),
        ];
        let clips = self.clips().map(|clip| (CLIP_TYPE, clip.clip));
        for (type_name, name) in own.into_iter().chain(clips) {
            if let Some(name) = name {
                each(type_name, name);
            }
        }
    }
}

/// Calls `each` with the resources that the components of a resource name.
pub(crate) fn needs(entities: &EntityResource<'_>, each: &mut dyn FnMut(&'static str, IdString64)) {
    let mut words = entities.part(ANIMATION.name).map_or(&[][..], |part| part.data);
    while let Some((description, rest)) = Description::read(words) {
        description.needs(each);
        words = rest;
    }
}
