//! Clips of different lengths in step.

/// The marks of a cyclic clip: the frames at which what all cycles have in common happens, such as the
/// left foot's step and the right foot's.
///
/// Cycles with the same number of marks are played in step: at a common phase each is at the same part of
/// the way from a mark to the next one. A phase is the number of the mark that was passed and that part.
///
/// # Examples
///
/// ```
/// use loligo_animation::Cycle;
///
/// let walk = Cycle { marks: &[0.0, 16.0], last_frame: 30.0 };
/// let run = Cycle { marks: &[4.0, 12.0], last_frame: 20.0 };
/// let phase = walk.phase_of(8.0); // halfway from the left step to the right one
/// assert_eq!((phase, run.frame_of(phase)), (0.5, 8.0));
/// ```
///
/// # Invariants
///
/// The caller's: marks ascend strictly, from 0 or above to below the last frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle<'m> {
    /// The frames of the marks.
    pub marks: &'m [f32],
    /// The last frame, which is the first one again.
    pub last_frame: f32,
}

impl Cycle<'_> {
    /// Returns the number of marks, or 1 if there are none: then the first frame is the mark.
    #[must_use]
    pub fn len(&self) -> usize {
        self.marks.len().max(1)
    }

    /// Returns `true` if there are no marks but the first frame.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Returns the phase of a frame, from 0 to below the number of marks.
    ///
    /// # Complexity
    ///
    /// O(log marks).
    #[must_use]
    pub fn phase_of(&self, frame: f32) -> f32 {
        let passed = self.marks.partition_point(|mark| *mark <= frame);
        // Before the first mark the last one of the lap before was passed.
        let at = if passed == 0 { self.len() - 1 } else { passed - 1 };
        let (start, length) = self.part(at);
        let since = frame - start;
        let since = if since < 0.0 { since + self.last_frame } else { since };
        let part = if length > 0.0 { since / length } else { 0.0 };
        // Rounding may not reach the next mark.
        at as f32 + part.clamp(0.0, 1.0 - f32::EPSILON)
    }

    /// Returns the frame of a phase; of any number, as phases go around.
    #[must_use]
    pub fn frame_of(&self, phase: f32) -> f32 {
        let count = self.len() as f32;
        let phase = phase - libm::floorf(phase / count) * count;
        let phase = if phase >= 0.0 && phase < count { phase } else { 0.0 };
        let (start, length) = self.part(phase as usize);
        let frame = start + (phase - libm::floorf(phase)) * length;
        if frame >= self.last_frame { frame - self.last_frame } else { frame }
    }

    /// Returns how many frames a phase of 1 takes at a phase, between two marks.
    #[must_use]
    pub fn frames_at(&self, phase: f32) -> f32 {
        let count = self.len() as f32;
        let phase = phase - libm::floorf(phase / count) * count;
        self.part(phase.max(0.0) as usize).1
    }

    /// Returns the frame of a mark, and how far the next one is.
    fn part(&self, at: usize) -> (f32, f32) {
        let at = at.min(self.len() - 1);
        let start = self.marks.get(at).copied().unwrap_or(0.0);
        let first = self.marks.first().copied().unwrap_or(0.0);
        let end = self.marks.get(at + 1).copied().unwrap_or(first + self.last_frame);
        (start, end - start)
    }
}
