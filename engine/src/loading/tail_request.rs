//! A part of a file that a subsystem wants.

use loligo_allocators::SharedRef;
use loligo_containers::Array;
use loligo_interface::TailRead;
use loligo_resources::{DataFolder, FileRequest};

use crate::error::EngineError;
use crate::memory::{Library, SharedAllocator};

/// A part of a file that is to be read.
#[derive(Clone, Copy)]
pub(crate) struct TailRequest {
    pub(crate) read: TailRead,
    pub(crate) file: FileRequest,
}

/// The bytes of a part.
pub(crate) type TailBytes<'m> = Array<'m, u8, SharedAllocator<'m>>;

impl TailRequest {
    /// Reads it. Nothing is checked: its subsystem knows what it is.
    pub(crate) fn read<'m>(
        &self,
        folder: &DataFolder<'_>,
        memory: SharedRef<'m>,
    ) -> Result<TailBytes<'m>, EngineError> {
        let mut bytes: TailBytes<'m> = Array::new_in(memory);
        bytes.try_resize(self.read.bytes as usize, 0)?;
        // Paths are on the global heap.
        let read = || self.file.read_tail(folder, self.read.from_end, &mut bytes, memory);
        Library::Std.run(read)?;
        Ok(bytes)
    }
}
