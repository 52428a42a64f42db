//! What a clip became: sizes and errors.

use core::fmt;
use std::string::String;
use std::vec::Vec;

use crate::clip::Channel;
use crate::lanes::LANES;

/// Sizes and errors of a compressed clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipStatistics {
    /// Bones of the skeleton.
    pub bones: usize,
    /// Frames of the samples.
    pub frames: usize,
    /// How long the clip is, in seconds.
    pub seconds: f32,
    /// Bytes of the samples: 40 for each bone and frame.
    pub raw_bytes: usize,
    /// Bytes of the clip in memory.
    pub bytes: usize,
    /// Bytes of the clip in a file, where it is packed.
    pub stored_bytes: usize,
    /// Whether each track has a key in each frame.
    pub is_dense: bool,
    /// Bytes of the stream of keys.
    pub stream_bytes: usize,
    /// Bytes that the values alone would have with a key in each frame, of the size that each track needs.
    pub uniform_bytes: usize,
    /// Bytes of jump frames.
    pub jump_bytes: usize,
    /// How many jump frames there are.
    pub jumps: usize,
    /// Channels of bones that are as in the bind pose, and cost nothing.
    pub still: usize,
    /// Channels of bones that have one other value.
    pub constants: usize,
    /// Groups of eight tracks that a player has.
    pub groups: usize,
    /// How far the skin is off at the most, in metres.
    pub error_max: f32,
    /// How far 99 % of the skin is off at the most, in metres.
    pub error_p99: f32,
    /// What moves.
    pub tracks: Vec<TrackStatistics>,
}

/// Sizes of a track.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackStatistics {
    /// The bone's name.
    pub bone: String,
    /// What of it moves.
    pub channel: Channel,
    /// The bytes of a key's value; of a dense clip, on average.
    pub key_bytes: usize,
    /// Keys.
    pub keys: usize,
    /// Bytes of the keys in the stream.
    pub bytes: usize,
    /// How far the skin may be off for this track alone, in metres.
    pub tolerance: f32,
}

impl ClipStatistics {
    /// Returns how many times smaller than its samples the clip is in a file.
    #[must_use]
    pub fn stored_ratio(&self) -> f32 {
        self.raw_bytes as f32 / self.stored_bytes.max(1) as f32
    }

    /// Returns how many times smaller than its samples the clip is in memory.
    #[must_use]
    pub fn ratio(&self) -> f32 {
        self.raw_bytes as f32 / self.bytes.max(1) as f32
    }

    /// Returns the bytes in memory for each second.
    #[must_use]
    pub fn bytes_a_second(&self) -> f32 {
        self.bytes as f32 / self.seconds.max(f32::MIN_POSITIVE)
    }

    /// Returns how many cache lines of 64 bytes a player touches for a pose at 60 frames a second: those
    /// of its active keys and its pose, and those of the stream on average. What it shares with other
    /// players is left out.
    #[must_use]
    pub fn lines_a_pose(&self) -> f32 {
        let stream = self.stream_bytes as f32 / self.seconds.max(f32::MIN_POSITIVE) / 60.0 / 64.0;
        let pose = 5 * self.bones.div_ceil(LANES);
        (4 * self.groups + pose) as f32 + stream
    }

    /// Returns the bytes of an average key.
    #[must_use]
    pub fn bytes_a_key(&self) -> f32 {
        let keys: usize = self.tracks.iter().map(|track| track.keys).sum();
        self.stream_bytes as f32 / keys.max(1) as f32
    }
}

impl fmt::Display for ClipStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: usize = self.tracks.iter().map(|track| track.keys).sum();
        writeln!(
            f,
            "{} bones, {} frames, {:.2} s: {} bytes of {} ({:.1}:1), {:.0} bytes a second",
            self.bones,
            self.frames,
            self.seconds,
            self.bytes,
            self.raw_bytes,
            self.ratio(),
            self.bytes_a_second()
        )?;
        writeln!(f, "in a file: {} bytes ({:.1}:1)", self.stored_bytes, self.stored_ratio())?;
        writeln!(
            f,
            "skin: {:.4} cm off at the most, p99 {:.4} cm",
            self.error_max * 100.0,
            self.error_p99 * 100.0
        )?;
        writeln!(
            f,
            "channels: {} move, {} are constant, {} as in the bind pose",
            self.tracks.len(),
            self.constants,
            self.still
        )?;
        let uniform = self.uniform_bytes as f32 / self.stream_bytes.max(1) as f32;
        writeln!(
            f,
            "a key in each frame: {} bytes of values alone, {uniform:.2} times the stream",
            self.uniform_bytes
        )?;
        write!(
            f,
            "{} {} bytes for {keys} keys ({:.2} a key), {} jump frames of {} bytes in all; {:.1} cache \
             lines a pose",
            if self.is_dense { "dense stream:" } else { "stream:" },
            self.stream_bytes,
            self.bytes_a_key(),
            self.jumps,
            self.jump_bytes,
            self.lines_a_pose()
        )
    }
}
