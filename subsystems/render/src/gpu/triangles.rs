//! Vertices that are made for one frame.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{Buffer, BufferUse, Gpu};

use crate::gpu::error::GpuRenderError;

/// The bytes of a buffer: some 32 000 vertices.
const CHUNK: u64 = 1 << 20;

/// The buffers of a frame's vertices, filled one after the other, and again from the first with the
/// next frame: the card is done with what was read before it.
///
/// # Memory
///
/// On the card as much as the largest frame had, in steps of a mebibyte.
pub(super) struct Triangles<'a, A: Allocator + ?Sized> {
    chunks: Array<'a, Buffer, A>,
    /// The chunk that is filled, and how far.
    chunk: usize,
    used: u64,
}

impl<'a, A: Allocator + ?Sized> Triangles<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { chunks: Array::new_in(memory), chunk: 0, used: 0 }
    }

    /// Begins a frame.
    pub(super) const fn clear(&mut self) {
        (self.chunk, self.used) = (0, 0);
    }

    /// Sends vertices; returns the buffer and where they begin in it.
    pub(super) fn try_put(
        &mut self,
        gpu: &Gpu,
        vertices: &[u8],
    ) -> Result<(&Buffer, u64), GpuRenderError> {
        let bytes = vertices.len() as u64;
        loop {
            match self.chunks.get(self.chunk) {
                Some(chunk) if self.used + bytes <= chunk.bytes() => break,
                // One that nothing was put into yet is too small, and made larger.
                Some(_) if self.used > 0 => (self.chunk, self.used) = (self.chunk + 1, 0),
                Some(_) => {
                    self.chunks[self.chunk] = try_chunk(gpu, bytes)?;
                }
                None => {
                    self.chunks.try_reserve(1)?;
                    self.chunks.push(try_chunk(gpu, bytes)?);
                }
            }
        }
        let start = self.used;
        gpu.try_write_buffer(&self.chunks[self.chunk], start, vertices)?;
        self.used += bytes;
        Ok((&self.chunks[self.chunk], start))
    }
}

fn try_chunk(gpu: &Gpu, bytes: u64) -> Result<Buffer, GpuRenderError> {
    let bytes = bytes.next_multiple_of(CHUNK);
    Ok(gpu.try_buffer("triangles", BufferUse::Vertices, bytes)?)
}
