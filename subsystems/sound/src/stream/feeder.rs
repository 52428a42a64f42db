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

/// How far a stream was fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fed {
    /// There is no more room.
    Full,
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

    /// Feeds a stream as much as there is room for, and ends it after the last frame. `read` fills a packed
    /// block, and returns `false` if it cannot: the stream ends there. Returns whether there is more to come.
    pub fn feed(
        &mut self,
        stream: &mut StreamIn<'_>,
        mut read: impl FnMut(u32, &mut [u8]) -> bool,
    ) -> bool {
        let fed = loop {
            if let Some(fed) = self.feed_piece(stream, &mut read) {
                break fed;
            }
        };
        if fed != Fed::Full {
            stream.finish();
        }
        fed == Fed::Full
    }

    /// Feeds what is left of a block, and returns why that is all.
    fn feed_piece(
        &mut self,
        stream: &mut StreamIn<'_>,
        read: &mut impl FnMut(u32, &mut [u8]) -> bool,
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
            if !(read(block, packed) && unpack(packed, self.channels, &mut self.samples)) {
                self.block = u32::MAX;
                return Some(Fed::Unread);
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
