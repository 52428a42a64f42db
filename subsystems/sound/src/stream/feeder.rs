//! From packed blocks to a stream.

use core::fmt;

use super::StreamIn;
use crate::packed::{PACKED_FRAMES, packed_bytes, unpack};

/// The bytes of a packed block of two channels.
const BYTES: usize = packed_bytes(2);

/// Decodes a packed wave into a stream, on a task: a block at a time, around its loop, and no more than there is room
/// for.
///
/// # Memory
///
/// 5 KiB: a packed block and its samples. It allocates nothing.
pub struct Feeder {
    channels: u32,
    frames: u32,
    range: Option<[u32; 2]>,
    /// The frame that comes next.
    at: u32,
    /// The block that is decoded; `u32::MAX` if none is.
    block: u32,
    packed: [u8; BYTES],
    samples: [i16; 2 * PACKED_FRAMES],
}

/// What became of a packed block that was to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRead {
    /// It is there.
    Done,
    /// It is not there yet: the feeder asks for it again the next time.
    Later,
    /// It cannot be had: the stream ends before it.
    Failed,
}

/// How far a stream was fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fed {
    /// There is no more room, or enough for now.
    Full,
    /// A block is not there yet.
    Late,
    /// There are no more frames.
    All,
    /// A block could not be read.
    Unread,
}

impl Feeder {
    /// Returns what feeds a wave of a number of frames, in a loop if there is one, from a frame on.
    #[must_use]
    pub fn new(channels: u32, frames: u32, range: Option<[u32; 2]>, from: u32) -> Self {
        let range = range.filter(|[begin, end]| begin < end && *end <= frames);
        Self {
            channels: channels.clamp(1, 2),
            frames,
            range,
            at: from.min(frames),
            block: u32::MAX,
            packed: [0; BYTES],
            samples: [0; 2 * PACKED_FRAMES],
        }
    }

    /// The frame that comes next.
    #[must_use]
    pub const fn at(&self) -> u32 {
        self.at
    }

    /// Returns the frame that comes a number of frames after the next one; the last one of the wave if it ends before that.
    #[must_use]
    pub fn after(&self, frames: u32) -> u32 {
        let to = self.at.saturating_add(frames);
        match self.range {
            Some([begin, end]) if to >= end => begin + (to - end) % (end - begin),
            _ => to.min(self.frames.saturating_sub(1)),
        }
    }

    /// Feeds a stream as much as there is room for, and ends it after the last frame. `read` fills a packed
    /// block. Returns whether there is more to come.
    pub fn feed(
        &mut self,
        stream: &mut StreamIn<'_>,
        read: impl FnMut(u32, &mut [u8]) -> BlockRead,
    ) -> bool {
        self.feed_some(stream, u32::MAX, read)
    }

    /// As [`feed`](Self::feed), and no more once it was fed a number of frames.
    pub fn feed_some(
        &mut self,
        stream: &mut StreamIn<'_>,
        frames: u32,
        mut read: impl FnMut(u32, &mut [u8]) -> BlockRead,
    ) -> bool {
        let first = stream.pushed;
        let fed = loop {
            if stream.pushed - first >= frames {
                break Fed::Full;
            }
            if let Some(fed) = self.feed_piece(stream, &mut read) {
                break fed;
            }
        };
        let is_over = matches!(fed, Fed::All | Fed::Unread);
        if is_over {
            stream.finish();
        }
        !is_over
    }

    /// Feeds what is left of a block, and returns why that is all.
    fn feed_piece(
        &mut self,
        stream: &mut StreamIn<'_>,
        read: &mut impl FnMut(u32, &mut [u8]) -> BlockRead,
    ) -> Option<Fed> {
        if stream.channels() != self.channels {
            return Some(Fed::Unread);
        }
        let end = self.range.map_or(self.frames, |[_, end]| end);
        if self.at >= end {
            match self.range {
                Some([begin, _]) => self.at = begin,
                None => return Some(Fed::All),
            }
        }
        let block = self.at / PACKED_FRAMES as u32;
        if block != self.block {
            let packed = &mut self.packed[..packed_bytes(self.channels)];
            self.block = u32::MAX;
            match read(block, packed) {
                BlockRead::Done if unpack(packed, self.channels, &mut self.samples) => {}
                BlockRead::Later => return Some(Fed::Late),
                BlockRead::Done | BlockRead::Failed => return Some(Fed::Unread),
            }
            self.block = block;
        }
        let first = (self.at % PACKED_FRAMES as u32) as usize;
        let count = (PACKED_FRAMES - first).min((end - self.at) as usize);
        let channels = self.channels as usize;
        let pushed = stream.push(&self.samples[first * channels..(first + count) * channels]);
        self.at += pushed as u32;
        (pushed < count).then_some(Fed::Full)
    }
}

impl fmt::Debug for Feeder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feeder").field("at", &self.at).field("frames", &self.frames).finish()
    }
}
