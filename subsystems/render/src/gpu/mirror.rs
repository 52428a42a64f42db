//! A buffer on the card that is kept equal to an array.

use bytemuck::Pod;
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{Buffer, BufferUse, Gpu};

use crate::gpu::error::GpuRenderError;

/// How many rows are compared, and sent, together.
const ROWS: usize = 64;

/// A buffer of rows, and what was sent of it: only rows that differ are sent.
///
/// # Invariants
///
/// 1. The first rows of the buffer are those of `sent`; all others are zero.
pub(super) struct Mirror<'a, T, A: Allocator + ?Sized> {
    name: &'static str,
    pub(super) buffer: Buffer,
    sent: Array<'a, T, A>,
}

impl<'a, T: Pod, A: Allocator + ?Sized> Mirror<'a, T, A> {
    /// Makes a buffer for a row that is zero.
    pub(super) fn try_new_in(
        gpu: &Gpu,
        name: &'static str,
        memory: &'a A,
    ) -> Result<Self, GpuRenderError> {
        let buffer = try_buffer::<T>(gpu, name, 1)?;
        Ok(Self { name, buffer, sent: Array::new_in(memory) })
    }

    /// Returns `true` if nothing was ever sent.
    pub(super) fn is_fresh(&self) -> bool {
        self.sent.is_empty()
    }

    /// Makes the card's rows equal to these: rows after them become zero. Returns `true` if the
    /// buffer is another one.
    pub(super) fn try_send(&mut self, gpu: &Gpu, rows: &[T]) -> Result<bool, GpuRenderError> {
        let is_larger = size_of_val(rows) as u64 > self.buffer.bytes();
        if is_larger {
            let count = rows.len().next_power_of_two();
            self.sent.try_reserve(rows.len().saturating_sub(self.sent.len()))?;
            self.buffer = try_buffer::<T>(gpu, self.name, count)?;
            self.sent.clear();
        }
        if self.sent.len() < rows.len() {
            self.sent.try_resize(rows.len(), T::zeroed())?;
        }
        let (kept, rest) = self.sent.as_mut_slice().split_at_mut(rows.len());
        let write = |start: usize, rows: &[T]| {
            let offset = (start * size_of::<T>()) as u64;
            gpu.try_write_buffer(&self.buffer, offset, bytemuck::cast_slice(rows))
        };
        for (at, (sent, rows)) in kept.chunks_mut(ROWS).zip(rows.chunks(ROWS)).enumerate() {
            // Bits are compared; otherwise a row with a NaN would be sent in each frame.
            if bytemuck::cast_slice::<T, u8>(sent) != bytemuck::cast_slice::<T, u8>(rows) {
                write(at * ROWS, rows)?;
                sent.copy_from_slice(rows);
            }
        }
        if !rest.is_empty() {
            rest.fill(T::zeroed());
            write(rows.len(), rest)?;
            self.sent.truncate(rows.len());
        }
        Ok(is_larger)
    }
}

fn try_buffer<T>(gpu: &Gpu, name: &str, rows: usize) -> Result<Buffer, GpuRenderError> {
    let bytes = (rows * size_of::<T>()).max(16) as u64;
    Ok(gpu.try_buffer(name, BufferUse::Storage, bytes)?)
}
