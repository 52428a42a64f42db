//! A clip that a character plays, or is fading out.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_interface::{SubsystemError, SubsystemMemory};

use super::rig_clip::RigClip;
use crate::clip::Cursor;
use crate::motion::{Passage, Playhead};
use crate::playing::ActiveGroup;

/// The clip of a voice that is silent.
const SILENT: u16 = u16::MAX;

/// The words of a voice in a saved game.
pub(crate) const SAVED_WORDS: usize = 8;

/// A clip that is played: how far, how much of the pose it is, and the keys that are active.
pub(crate) struct Voice<'m> {
    /// The number of the clip in the rig.
    clip: u16,
    pub(crate) playhead: Playhead,
    /// How much it is of the pose now, and how much it is to be.
    pub(crate) weight: f32,
    target: f32,
    /// How much the weight changes in a second.
    fading: f32,
    pub(crate) speed: f32,
    /// What the last step passed.
    pub(crate) passage: Option<Passage>,
    /// The active keys, and the place in the stream: they follow the playhead.
    pub(crate) active: Array<'m, ActiveGroup, SubsystemMemory<'m>>,
    pub(crate) cursor: Cursor,
}

impl<'m> Voice<'m> {
    pub(crate) fn new(memory: SharedRef<'m>) -> Self {
        Self {
            clip: SILENT,
            playhead: Playhead::new(0.0, false),
            weight: 0.0,
            target: 0.0,
            fading: 0.0,
            speed: 1.0,
            passage: None,
            active: Array::new_in(memory),
            cursor: Cursor::default(),
        }
    }

    pub(crate) const fn is_silent(&self) -> bool {
        self.clip == SILENT
    }

    /// Returns the number of its clip, if it plays one.
    pub(crate) const fn clip(&self) -> Option<u16> {
        if self.clip == SILENT { None } else { Some(self.clip) }
    }

    /// Returns `true` unless it fades out.
    pub(crate) const fn is_wanted(&self) -> bool {
        !self.is_silent() && self.target > 0.0
    }

    /// Begins a clip.
    pub(crate) fn begin(&mut self, clip: u16, playhead: Playhead, weight: f32) {
        self.clip = clip;
        self.playhead = playhead;
        (self.weight, self.target, self.fading) = (weight, weight, 0.0);
        (self.speed, self.passage) = (1.0, None);
        self.forget();
    }

    /// Changes its weight to another within some seconds.
    pub(crate) fn fade(&mut self, target: f32, seconds: f32) {
        self.target = target;
        if seconds > 0.0 {
            self.fading = 1.0 / seconds;
        } else {
            self.weight = target;
            if target <= 0.0 {
                self.clip = SILENT;
            }
        }
    }

    /// Ends it.
    pub(crate) const fn end(&mut self) {
        self.clip = SILENT;
        self.weight = 0.0;
    }

    /// Forgets the active keys: they are read again.
    pub(crate) fn forget(&mut self) {
        self.cursor = Cursor::default();
        self.active.fill(ActiveGroup::EMPTY);
    }

    /// Makes room for the keys of its clip, which may have changed.
    pub(crate) fn fit(&mut self, clip: Option<&RigClip<'_>>) -> Result<(), SubsystemError> {
        let groups = clip.map_or(0, |clip| clip.lanes.group_count());
        self.active.clear();
        self.active.try_resize(groups, ActiveGroup::EMPTY)?;
        self.cursor = Cursor::default();
        if let Some(clip) = clip {
            self.playhead.set_last_frame(clip.last_frame);
        }
        Ok(())
    }

    /// Goes on by some seconds.
    pub(crate) fn step(&mut self, clip: &RigClip<'_>, seconds: f32, fade_seconds: f32) {
        let change = self.fading * fade_seconds;
        self.weight = match self.weight < self.target {
            true => (self.weight + change).min(self.target),
            false => (self.weight - change).max(self.target),
        };
        if self.weight <= 0.0 && self.target <= 0.0 {
            return self.end();
        }
        self.passage = Some(self.playhead.step(seconds * clip.rate * self.speed));
    }

    /// Returns `true` if the last step came to the end of a clip that does not loop.
    pub(crate) fn has_ended(&self) -> bool {
        self.playhead.is_at_end() && self.passage.is_some_and(|of| of.from() < of.to())
    }

    /// Returns what of it is saved.
    pub(crate) fn to_words(&self) -> [u32; SAVED_WORDS] {
        let [last, frame, flags] = self.playhead.to_words();
        let [weight, target, fading, speed] =
            [self.weight, self.target, self.fading, self.speed].map(f32::to_bits);
        [self.clip.into(), last, frame, flags, weight, target, fading, speed]
    }

    /// Becomes what was saved; `false` if it is none.
    pub(crate) fn become_saved(&mut self, words: &[u32; SAVED_WORDS]) -> bool {
        let [clip, last, frame, flags, weights @ ..] = *words;
        let Some(playhead) = Playhead::from_words([last, frame, flags]) else { return false };
        let Ok(clip) = u16::try_from(clip) else { return false };
        let numbers = weights.map(f32::from_bits);
        if !numbers.iter().all(|number| number.is_finite()) {
            return false;
        }
        self.clip = clip;
        self.playhead = playhead;
        [self.weight, self.target, self.fading, self.speed] = numbers;
        true
    }
}
