//! Recorded input: the events of each frame, to play a game again.
//!
//! # Layout
//!
//! ```text
//!  0  "lolinput"                                        8 bytes
//!  8  version of the format, now 1                      u32
//! 12  0x01020304 in the byte order of the events        u32
//! 16  seed of the game                                  u64
//! 24  checksum of all before                            u32
//! 28  frames, one after the other:
//!
//!  0  length of the step in nanoseconds                 u64
//!  8  bytes of the events                               u32
//! 12  checksum of this frame and of all before          u32
//! 16  the events, as an `EventStream` has them
//!
//!     at the end, in the place of a frame:
//!
//!  0  number of frames                                  u64
//!  8  0xffffffff                                        u32
//! 12  checksum of all before                            u32
//! ```
//!
//! Numbers are little-endian; events are in the order of the machine that recorded them. Each
//! checksum continues that of before, so a frame that is missing or in the wrong place is found at
//! the next one.

mod error;
mod playback;
mod recorder;

pub use error::{RecordingError, RecordingErrorKind};
pub use playback::{InputPlayback, RecordedFrame};
pub use recorder::InputRecorder;

use loligo_ids::murmur2_32;

const MAGIC: &[u8; 8] = b"lolinput";

/// The version of recordings that is written and read here.
pub const RECORDING_VERSION: u32 = 1;

/// Shows the byte order of the events.
const ORDER: u32 = 0x0102_0304;

/// Bytes of the header, its checksum included.
const HEADER: usize = 28;

/// Bytes before the events of a frame.
const FRAME: usize = 16;

/// The length that only the end states.
const END: u32 = u32::MAX;

/// Returns the checksum of a frame: of its first two numbers and its events.
fn checksum(before: u32, number: u64, bytes: u32, events: &[u8]) -> u32 {
    let mut head = [0; 12];
    head[..8].copy_from_slice(&number.to_le_bytes());
    head[8..].copy_from_slice(&bytes.to_le_bytes());
    murmur2_32(events, murmur2_32(&head, before))
}
