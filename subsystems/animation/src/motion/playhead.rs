//! Where in a clip a character is.

use super::passage::Passage;

/// A place in a clip, in frames, which goes forwards, backwards, in steps of any length, and around.
///
/// # Examples
///
/// ```
/// use loligo_animation::Playhead;
///
/// let mut playhead = Playhead::new(30.0, true);
/// playhead.step(20.0);
/// let passage = playhead.step(25.0);
/// assert_eq!((passage.laps(), playhead.frame()), (1, 15.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playhead {
    last_frame: f32,
    frame: f32,
    is_looping: bool,
    /// Whether nothing was passed yet, so that what is right at the beginning is still ahead.
    is_fresh: bool,
}

impl Playhead {
    /// Begins at the first frame of a clip. In one that loops, the last frame is the first one again.
    #[must_use]
    pub fn new(last_frame: f32, is_looping: bool) -> Self {
        Self { last_frame: last_frame.max(0.0), frame: 0.0, is_looping, is_fresh: true }
    }

    /// Begins at a frame.
    #[must_use]
    pub fn at(self, frame: f32) -> Self {
        Self { frame: frame.max(0.0).min(self.last_frame), is_fresh: true, ..self }
    }

    /// Returns the frame.
    #[must_use]
    pub const fn frame(&self) -> f32 {
        self.frame
    }

    /// Returns the part of the clip that is played, from 0 to 1.
    #[must_use]
    pub fn phase(&self) -> f32 {
        if self.last_frame > 0.0 { self.frame / self.last_frame } else { 0.0 }
    }

    /// Returns `true` at the end of a clip that does not loop.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        !self.is_looping && self.frame >= self.last_frame
    }

    /// Goes on as before in a clip that has become shorter or longer.
    #[cfg(feature = "subsystem")]
    pub(crate) fn set_last_frame(&mut self, last_frame: f32) {
        self.last_frame = last_frame.max(0.0);
        self.frame = self.frame.min(self.last_frame);
    }

    /// Returns what of it is saved.
    #[cfg(feature = "subsystem")]
    pub(crate) const fn to_words(self) -> [u32; 3] {
        let flags = self.is_looping as u32 | (self.is_fresh as u32) << 1;
        [self.last_frame.to_bits(), self.frame.to_bits(), flags]
    }

    /// Returns the playhead of what was saved; `None` if it is none.
    #[cfg(feature = "subsystem")]
    pub(crate) fn from_words([last_frame, frame, flags]: [u32; 3]) -> Option<Self> {
        let [last_frame, frame] = [last_frame, frame].map(f32::from_bits);
        let is_whole = last_frame.is_finite() && (0.0..=last_frame).contains(&frame) && flags < 4;
        let (is_looping, is_fresh) = (flags & 1 != 0, flags & 2 != 0);
        is_whole.then_some(Self { last_frame, frame, is_looping, is_fresh })
    }

    /// Goes on by frames, backwards if they are below 0, and returns what was passed. A step that is no
    /// number is none. A step of more laps than 65535 is that many.
    pub fn step(&mut self, frames: f32) -> Passage {
        let frames = if frames.is_finite() { frames } else { 0.0 };
        let from = self.frame;
        let (to, laps) = self.after(frames);
        let passage = Passage {
            from,
            to,
            last_frame: self.last_frame,
            laps,
            is_forward: frames > 0.0,
            // Standing still passes nothing, and what is ahead stays so.
            has_start: self.is_fresh,
            is_still: frames == 0.0,
        };
        self.is_fresh &= frames == 0.0;
        self.frame = to;
        passage
    }

    /// Returns the frame after a step, and how often an end was passed on the way.
    fn after(&self, frames: f32) -> (f32, u32) {
        let (last, target) = (self.last_frame, self.frame + frames);
        if !self.is_looping || last <= 0.0 {
            return (target.max(0.0).min(last), 0);
        }
        // Right at the last frame the next lap begins; right at the first one the lap before has not.
        let laps =
            if frames < 0.0 { libm::ceilf(-target / last) } else { libm::floorf(target / last) };
        let laps = laps.clamp(0.0, 65_535.0);
        let left = if frames < 0.0 { target + laps * last } else { target - laps * last };
        (left.max(0.0).min(last), laps as u32)
    }
}
