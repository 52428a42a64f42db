//! Playing back, frame by frame.

use loligo_containers::EventReader;
use loligo_ids::murmur2_32;

use super::error::{RecordingError, RecordingErrorKind};
use super::{END, FRAME, HEADER, MAGIC, ORDER, RECORDING_VERSION, checksum};

/// A recording that is read in place.
///
/// All lengths and checksums are compared before anything is returned. Of a recording that was cut
/// off, the frames before the cut are returned, and then the error.
///
/// # Complexity
///
/// O(bytes of the frame) a frame. Allocates nothing.
///
/// # Memory
///
/// The bytes are borrowed, at any address. The object is 48 bytes.
///
/// # Examples
///
/// See [`InputRecorder`](crate::InputRecorder).
#[derive(Clone, Debug)]
pub struct InputPlayback<'b> {
    bytes: &'b [u8],
    at: usize,
    seed: u64,
    checksum: u32,
    is_over: bool,
    frames: u64,
}

/// A frame of a recording.
#[derive(Clone, Copy, Debug)]
pub struct RecordedFrame<'b> {
    /// How long its step was, in nanoseconds.
    pub step_ns: u64,
    /// Its events.
    pub events: EventReader<'b>,
}

impl<'b> InputPlayback<'b> {
    /// Opens a recording, and checks its header.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] says where it is wrong, and why.
    pub fn open(bytes: &'b [u8]) -> Result<Self, RecordingError> {
        let wrong = |offset, kind| RecordingError { offset, kind };
        let seen = bytes.len().min(MAGIC.len());
        if bytes[..seen] != MAGIC[..seen] {
            return Err(wrong(0, RecordingErrorKind::NoRecording));
        }
        let Some(header) = bytes.first_chunk::<HEADER>() else {
            let (needed, left) = (HEADER as u64, bytes.len() as u64);
            return Err(wrong(0, RecordingErrorKind::Short { needed, left }));
        };
        let version = u32::from_le_bytes(part(header, 8));
        if version != RECORDING_VERSION {
            return Err(wrong(8, RecordingErrorKind::Version { found: version }));
        }
        if u32::from_ne_bytes(part(header, 12)) != ORDER {
            return Err(wrong(12, RecordingErrorKind::ByteOrder));
        }
        let (stated, found) = (u32::from_le_bytes(part(header, 24)), murmur2_32(&header[..24], 0));
        if stated != found {
            return Err(wrong(0, RecordingErrorKind::Checksum { stated, found }));
        }
        let seed = u64::from_le_bytes(part(header, 16));
        Ok(Self { bytes, at: HEADER, seed, checksum: found, is_over: false, frames: 0 })
    }

    /// Returns the seed that the game was started with.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns how many frames were returned so far.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the next frame; `None` after the last one.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] says where the recording is wrong, and why. It is returned again by every
    /// further call.
    pub fn next_frame(&mut self) -> Result<Option<RecordedFrame<'b>>, RecordingError> {
        if self.is_over {
            return Ok(None);
        }
        let offset = self.at as u64;
        let wrong = |kind| RecordingError { offset, kind };
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let short = |needed| wrong(RecordingErrorKind::Short { needed, left: rest.len() as u64 });
        let (head, tail) = rest.split_first_chunk::<FRAME>().ok_or(short(FRAME as u64))?;
        let number = u64::from_le_bytes(part(head, 0));
        let length = u32::from_le_bytes(part(head, 8));
        let stated = u32::from_le_bytes(part(head, 12));
        let bytes = if length == END { 0 } else { length as usize };
        let events = tail.get(..bytes).ok_or(short(FRAME as u64 + u64::from(length)))?;
        let found = checksum(self.checksum, number, length, events);
        if stated != found {
            return Err(wrong(RecordingErrorKind::Checksum { stated, found }));
        }
        if length == END {
            self.end(number, tail.len() as u64)?;
            return Ok(None);
        }
        let events = EventReader::open(events).map_err(|mut error| {
            let start = offset + FRAME as u64;
            error.offset += start;
            RecordingError { offset: start, kind: RecordingErrorKind::Events(error) }
        })?;
        (self.at, self.checksum) = (self.at + FRAME + bytes, found);
        self.frames += 1;
        Ok(Some(RecordedFrame { step_ns: number, events }))
    }

    /// Checks the end, which states a number of frames and is followed by a number of bytes.
    fn end(&mut self, stated: u64, bytes: u64) -> Result<(), RecordingError> {
        let wrong = |offset: usize, kind| RecordingError { offset: offset as u64, kind };
        if stated != self.frames {
            let found = self.frames;
            return Err(wrong(self.at, RecordingErrorKind::Frames { stated, found }));
        }
        if bytes > 0 {
            return Err(wrong(self.at + FRAME, RecordingErrorKind::Trailing { bytes }));
        }
        self.is_over = true;
        Ok(())
    }
}

/// Returns some bytes of a header, which has them.
fn part<const N: usize>(header: &[u8], at: usize) -> [u8; N] {
    let bytes = header.get(at..).and_then(|bytes| bytes.first_chunk());
    bytes.copied().unwrap_or([0; N])
}
