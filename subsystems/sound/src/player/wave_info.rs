//! What of a wave the game's time depends on.

use loligo_allocators::Allocator;

use crate::mixer::WaveId;
use crate::wave::Wave;

/// How long a wave is: all that is to be known of it where nothing is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaveInfo {
    /// The number of frames.
    pub frames: u32,
    /// The frames a second.
    pub rate: u32,
    /// The first frame of its loop and the one after its last.
    pub loop_range: Option<[u32; 2]>,
}

impl WaveInfo {
    /// Returns that of a wave.
    #[must_use]
    pub fn of<A: Allocator + ?Sized>(wave: &Wave<'_, A>) -> Self {
        let (frames, rate, loop_range) = (wave.frames(), wave.rate(), wave.loop_range());
        Self { frames, rate, loop_range }
    }
}

/// A wave that a player knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownWave {
    pub(super) info: WaveInfo,
    /// Its samples in a mixer, if they are in one: not where they are streamed, or nothing is heard.
    pub(super) id: Option<WaveId>,
}
