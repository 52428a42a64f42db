//! Memory of the graphics card.

use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::scope::{Kept, scope};

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferUse {
    /// Vertices of meshes, which shaders without a pass may write as well.
    Vertices,
    /// Indices of meshes, 32 bits each.
    Indices,
    /// Records of indirect draws.
    Indirect,
    /// Constants of shaders.
    Uniform,
    /// Arrays that shaders read.
    Storage,
}

/// A buffer of the graphics card, which the program writes and the card reads.
///
/// # Memory
///
/// Its bytes on the card; while it is written, as many again for what was written last.
#[derive(Debug)]
pub struct Buffer {
    pub(crate) buffer: Kept<wgpu::Buffer>,
    bytes: u64,
}

impl Buffer {
    /// Returns how many bytes it has.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Gpu {
    /// Makes a buffer of zeros. `bytes` is rounded up to a multiple of 4, and is 4 at least.
    ///
    /// # Errors
    ///
    /// [`GpuError::Size`] or [`GpuError::Memory`].
    pub fn try_buffer(
        &self,
        name: &str,
        what_for: BufferUse,
        bytes: u64,
    ) -> Result<Buffer, GpuError> {
        let limits = scope(|| self.device.limits());
        let limit = match what_for {
            BufferUse::Uniform => limits.max_uniform_buffer_binding_size,
            BufferUse::Storage | BufferUse::Vertices => limits.max_storage_buffer_binding_size,
            _ => limits.max_buffer_size,
        };
        let limit = limit.min(limits.max_buffer_size);
        if bytes > limit {
            return Err(GpuError::Size { what: "bytes of a buffer", wanted: bytes, limit });
        }
        let usage = match what_for {
            BufferUse::Vertices => {
                wgpu::BufferUsages::VERTEX
                    | wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
            }
            BufferUse::Indices => wgpu::BufferUsages::INDEX,
            BufferUse::Indirect => wgpu::BufferUsages::INDIRECT,
            BufferUse::Uniform => wgpu::BufferUsages::UNIFORM,
            BufferUse::Storage => wgpu::BufferUsages::STORAGE,
        };
        let bytes = bytes.max(1).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let description = wgpu::BufferDescriptor {
            label: Some(name),
            size: bytes,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let buffer = self.checked(&format_args!("the buffer {name}"), || {
            self.device.create_buffer(&description)
        })?;
        Ok(Buffer { buffer: Kept::new(buffer), bytes })
    }

    /// Writes into a buffer, before anything that is submitted later and after all that was
    /// submitted earlier.
    ///
    /// # Complexity
    ///
    /// O(bytes): they are copied.
    ///
    /// # Errors
    ///
    /// [`GpuError::Memory`].
    ///
    /// # Panics
    ///
    /// If the bytes reach over the end of the buffer, or place or length is not a multiple of 4.
    pub fn try_write_buffer(
        &self,
        buffer: &Buffer,
        offset: u64,
        data: &[u8],
    ) -> Result<(), GpuError> {
        let (len, bytes) = (data.len() as u64, buffer.bytes);
        let is_inside = offset.checked_add(len).is_some_and(|end| end <= bytes);
        assert!(
            is_inside,
            "{len} bytes from byte {offset} on reach over a buffer of {bytes} bytes"
        );
        assert!(
            offset.is_multiple_of(4) && len.is_multiple_of(4),
            "{len} bytes from {offset} on are no words"
        );
        if data.is_empty() {
            return Ok(());
        }
        self.checked(&"writing a buffer", || self.queue.write_buffer(&buffer.buffer, offset, data))
    }
}
