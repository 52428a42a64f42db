//! The targets of meshes: one buffer, which grows.

use loligo_allocators::{Allocator, HeapOffsets, OffsetBlock};
use loligo_gpu::{Buffer, BufferUse, Encoder, Gpu};

use crate::gpu::error::GpuRenderError;
use crate::morph::{Morph, MorphDelta};

/// The words of all targets that there is room for at first, and at most: 256 KiB and 128 MiB.
const WORDS_FIRST: u64 = 1 << 16;
const WORDS_MAX: u64 = 1 << 25;

/// The buffer, and the owner of its parts.
pub(super) struct Morphs<'a, A: Allocator + ?Sized> {
    buffer: Option<Buffer>,
    room: HeapOffsets<'a, A>,
    /// Whether the buffer is another one than the last time that was asked.
    pub(super) is_changed: bool,
}

/// What a mesh has of the buffer.
#[derive(Clone, Copy)]
pub(super) struct MorphPart {
    block: OffsetBlock,
    targets: u32,
}

/// Where the targets of a mesh are.
#[derive(Clone, Copy)]
pub(super) struct MorphPlace {
    /// The word that says where the deltas of its first vertex begin.
    pub(super) first: u32,
    pub(super) targets: u32,
}

impl MorphPart {
    pub(super) const fn place(self) -> MorphPlace {
        MorphPlace { first: self.block.offset() as u32, targets: self.targets }
    }
}

impl<'a, A: Allocator + ?Sized> Morphs<'a, A> {
    pub(super) fn try_new_in(memory: &'a A) -> Result<Self, GpuRenderError> {
        let room = HeapOffsets::new_in("targets of meshes", 0..WORDS_MAX, 0, memory);
        let room = room.map_err(|_| full(WORDS_MAX))?;
        Ok(Self { buffer: None, room, is_changed: false })
    }

    pub(super) const fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_ref()
    }

    /// Writes the targets of a mesh, if it has some.
    pub(super) fn try_add(
        &mut self,
        gpu: &Gpu,
        morph: &Morph<'_>,
    ) -> Result<Option<MorphPart>, GpuRenderError> {
        if morph.targets.is_empty() {
            return Ok(None);
        }
        let delta_words = size_of_val(morph.deltas) / size_of::<u32>();
        let words = (morph.firsts.len() + delta_words) as u64;
        let block = self.room.allocate(words, 1).map_err(|_| full(words))?;
        let written = self.try_write(gpu, block, morph);
        if written.is_err() {
            self.room.free(block);
        }
        written.map(|()| Some(MorphPart { block, targets: morph.targets.len() as u32 }))
    }

    pub(super) fn free(&self, part: MorphPart) {
        self.room.free(part.block);
    }

    fn try_write(
        &mut self,
        gpu: &Gpu,
        block: OffsetBlock,
        morph: &Morph<'_>,
    ) -> Result<(), GpuRenderError> {
        let deltas = bytemuck::cast_slice::<MorphDelta, u8>(morph.deltas);
        let firsts = bytemuck::cast_slice::<u32, u8>(morph.firsts);
        let (at, middle) = (block.offset() * 4, firsts.len() as u64);
        let buffer = self.try_reserve(gpu, at + middle + deltas.len() as u64)?;
        gpu.try_write_buffer(buffer, at, firsts)?;
        Ok(gpu.try_write_buffer(buffer, at + middle, deltas)?)
    }

    /// Returns a buffer of at least that size, with what was in it.
    fn try_reserve(&mut self, gpu: &Gpu, bytes: u64) -> Result<&Buffer, GpuRenderError> {
        let old = self.buffer.take();
        let buffer = match old {
            Some(old) if old.bytes() >= bytes => old,
            old => {
                let bytes = bytes.next_power_of_two().max(WORDS_FIRST * 4);
                // It is copied into a larger one, as those of vertices are.
                let larger = gpu.try_buffer("targets", BufferUse::Vertices, bytes);
                let (larger, old) = match (larger, old) {
                    (Ok(larger), old) => (larger, old),
                    (Err(error), old) => {
                        self.buffer = old;
                        return Err(error.into());
                    }
                };
                if let Some(old) = &old {
                    let mut encoder: Encoder = gpu.encoder();
                    encoder.copy(old, &larger, old.bytes());
                    gpu.try_submit(encoder)?;
                }
                self.is_changed = true;
                larger
            }
        };
        Ok(self.buffer.insert(buffer))
    }
}

const fn full(wanted: u64) -> GpuRenderError {
    GpuRenderError::Full { what: "words of targets", wanted, limit: WORDS_MAX }
}
