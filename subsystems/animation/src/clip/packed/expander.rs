//! Expanding the blocks of a packed clip, one after the other.

use loligo_allocators::Allocator;
use loligo_containers::Array;

use super::NUMBERS_MAX;
use super::number_model::NumberModel;
use super::range_coder::BitReader;
use crate::clip::dense_writer::{DenseColumns, DenseWriter, Numbers, WriteError};
use crate::clip::stored_clip_error::{StoredClipError, wrong};
use crate::clip::{BLOCK, Clip};

/// The columns of a packed clip, as far as it is expanded.
pub(crate) struct Expander<'a, A: Allocator + ?Sized> {
    columns: DenseWriter<'a, A>,
    /// What is known of the numbers; nothing once all were read.
    model: Option<NumberModel<'a, A>>,
    /// The numbers of a block.
    numbers: Array<'a, Numbers, A>,
}

impl<'a, A: Allocator + ?Sized> Expander<'a, A> {
    /// Begins with a head that is right, whose blocks have `block_bytes` bytes.
    pub(crate) fn try_new_in(
        head: &Clip<'_>,
        jump_ratio: u32,
        block_bytes: u32,
        memory: &'a A,
    ) -> Result<Self, StoredClipError> {
        let tracks = head.states.len();
        let numbers = 3 * tracks as u64 * (u64::from(head.last_frame) + 1);
        if numbers > NUMBERS_MAX * u64::from(block_bytes) {
            return Err(wrong("packed", "of 256 numbers a byte at the most", numbers));
        }
        Ok(Self {
            columns: DenseWriter::try_new_in(head.states, jump_ratio, memory)?,
            model: Some(NumberModel::try_new_in(tracks, memory)?),
            numbers: Array::new_in(memory),
        })
    }

    /// Returns `true` if all frames are there.
    pub(crate) const fn is_whole(&self) -> bool {
        self.model.is_none()
    }

    /// Returns the last frame that can be sampled, if there is one.
    pub(crate) fn last_ready(&self, head: &Clip<'_>) -> Option<u32> {
        match self.is_whole() {
            true => Some(head.last_frame),
            // A curve needs the key after the next one.
            false => self.columns.frames().checked_sub(3),
        }
    }

    /// Expands the next block.
    pub(crate) fn try_block(
        &mut self,
        head: &Clip<'_>,
        coded: &[u8],
    ) -> Result<(), StoredClipError> {
        let tracks = head.states.len();
        let frames = (head.last_frame + 1 - self.columns.frames()).min(BLOCK) as usize;
        let Some(model) = &mut self.model else {
            return Err(wrong("packed", "a block for each 32 frames", coded.len() as u64));
        };
        self.numbers.clear();
        self.numbers.try_resize(frames * tracks, [0; 3])?;
        let mut reader = BitReader::new(coded);
        for frame in self.numbers.chunks_exact_mut(tracks) {
            model.code_frame(&mut reader, frame);
        }
        self.columns.try_block(head.states, &self.numbers).map_err(of_columns)?;
        if self.columns.frames() > head.last_frame {
            self.columns.try_finish(head.states).map_err(of_columns)?;
            self.model = None;
            self.numbers = Array::new_in(self.numbers.memory());
        }
        Ok(())
    }

    /// Gives a clip, which is the head, what is there of the columns.
    pub(crate) fn fill<'s>(&'s self, clip: &mut Clip<'s>) {
        let DenseColumns { values, codes, mut jumps, mut states } = self.columns.columns();
        if !self.is_whole() {
            // From a jump frame on two differences are read at once.
            let frames = self.columns.frames();
            let count = jumps.partition_point(|[first, ..]| first + 4 <= frames).max(1);
            jumps = &jumps[..count.min(jumps.len())];
            states = &states[..self.columns.jump_bytes() * jumps.len()];
        }
        (clip.values, clip.codes, clip.jumps, clip.jump_states) = (values, codes, jumps, states);
    }
}

fn of_columns(error: WriteError) -> StoredClipError {
    match error {
        WriteError::Wide { track } => wrong("states", "as wide as the numbers", track as u64),
        WriteError::Long => wrong("packed", "256 MiB of values at the most", 0),
        WriteError::Memory(error) => StoredClipError::Memory(error),
    }
}
