//! Recording, frame by frame.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, EventReader, GrowError};
use loligo_ids::murmur2_32;

use super::{END, FRAME, HEADER, MAGIC, ORDER, RECORDING_VERSION, checksum};

/// Records the events of each frame as bytes, which the caller writes where it wants.
///
/// # Complexity
///
/// O(bytes of the events) a frame.
///
/// # Memory
///
/// 28 bytes, 16 a frame and its events, since the last [`clear`](Self::clear): one frame, where the
/// bytes are written to a file each frame.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::EventStream;
/// use loligo_input::{InputPlayback, InputRecorder};
/// use loligo_platform::TextInput;
///
/// static MEMORY: StaticHeap<65536> = StaticHeap::new("doc");
/// let mut recorder: InputRecorder = InputRecorder::try_new(42, &MEMORY)?;
/// let mut events: EventStream = EventStream::new(&MEMORY);
/// for character in ['h', 'i'] {
///     events.clear();
///     events.push(TextInput { character });
///     recorder.try_frame(16_666_667, events.reader())?;
/// }
/// recorder.try_finish()?;
///
/// let mut playback = InputPlayback::open(recorder.bytes())?;
/// assert_eq!(playback.seed(), 42);
/// let mut text = String::new();
/// while let Some(frame) = playback.next_frame()? {
///     assert_eq!(frame.step_ns, 16_666_667);
///     text.extend(frame.events.of::<TextInput>().map(|typed| typed.character));
/// }
/// assert_eq!(text, "hi");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct InputRecorder<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    bytes: Array<'a, u8, A>,
    checksum: u32,
    frames: u64,
}

impl<'a> InputRecorder<'a> {
    /// Begins a recording of a game that was started with a seed.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn try_new(seed: u64, memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_new_in(seed, memory)
    }
}

impl<'a, A: Allocator + ?Sized> InputRecorder<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(seed: u64, memory: &'a A) -> Result<Self, GrowError> {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&RECORDING_VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&ORDER.to_ne_bytes());
        header[16..24].copy_from_slice(&seed.to_le_bytes());
        let checksum = murmur2_32(&header[..24], 0);
        header[24..].copy_from_slice(&checksum.to_le_bytes());
        let bytes = Array::try_from_slice_in(&header, memory)?;
        Ok(Self { bytes, checksum, frames: 0 })
    }

    /// Appends a frame: how long its step is, and its events.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory, or the events are 4 GiB long; nothing has changed.
    pub fn try_frame(&mut self, step_ns: u64, events: EventReader<'_>) -> Result<(), GrowError> {
        let events = events.as_bytes();
        let wanted = events.len() as u64;
        let limit = u64::from(END - 1);
        let length = u32::try_from(wanted).ok().filter(|length| *length != END);
        let length = length.ok_or(GrowError::Length { wanted, limit })?;
        self.append(step_ns, length, events)?;
        self.frames += 1;
        Ok(())
    }

    /// Ends the recording. Without an end it is taken for one that was cut off.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    pub fn try_finish(&mut self) -> Result<(), GrowError> {
        self.append(self.frames, END, &[])
    }

    /// Returns the bytes since the last [`clear`](Self::clear). O(1).
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets the bytes that were written, and keeps the block. O(1).
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Returns how many frames were recorded. O(1).
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    fn append(&mut self, number: u64, length: u32, events: &[u8]) -> Result<(), GrowError> {
        let checksum = checksum(self.checksum, number, length, events);
        let mut head = [0; FRAME];
        head[..8].copy_from_slice(&number.to_le_bytes());
        head[8..12].copy_from_slice(&length.to_le_bytes());
        head[12..].copy_from_slice(&checksum.to_le_bytes());
        self.bytes.try_reserve(FRAME + events.len())?;
        self.bytes.try_extend_from_slice(&head)?;
        self.bytes.try_extend_from_slice(events)?;
        self.checksum = checksum;
        Ok(())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for InputRecorder<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InputRecorder")
            .field("frames", &self.frames)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}
