//! What changes from frame to frame: transforms, lights, records of draws, and the numbers of the
//! frame.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{BindGroup, BindLayout, Bound, Buffer, BufferUse, Gpu, Slot};

use crate::draw::IndirectArgs;
use crate::gpu::data::FrameData;
use crate::gpu::error::GpuRenderError;
use crate::state::{Light, Transform};

/// How many rows are compared, and sent, together.
const ROWS: usize = 64;

/// Rows that fit without a larger buffer at first.
const FIRST_ROWS: u64 = 1_024;

/// The group of the frame, and the buffers in it.
pub(super) struct Instances<'a, A: Allocator + ?Sized> {
    pub(super) layout: BindLayout,
    pub(super) group: BindGroup,
    pub(super) records: Buffer,
    frame: Buffer,
    transforms: Buffer,
    lights: Buffer,
    /// What the card has: only rows that differ from it are sent.
    sent: Array<'a, Transform, A>,
}

impl<'a, A: Allocator + ?Sized> Instances<'a, A> {
    pub(super) fn try_new_in(gpu: &Gpu, memory: &'a A) -> Result<Self, GpuRenderError> {
        let slots = [Slot::Uniform, Slot::Storage, Slot::Storage];
        let layout = gpu.try_bind_layout("frame", &slots)?;
        let frame = gpu.try_buffer("frame", BufferUse::Uniform, size_of::<FrameData>() as u64)?;
        let transforms = try_rows::<Transform>(gpu, "transforms", BufferUse::Storage, 1)?;
        let lights = try_rows::<Light>(gpu, "lights", BufferUse::Storage, 1)?;
        let records = try_rows::<IndirectArgs>(gpu, "records", BufferUse::Indirect, 1)?;
        let group = try_group(gpu, &layout, &frame, &transforms, &lights)?;
        let sent = Array::new_in(memory);
        Ok(Self { layout, group, records, frame, transforms, lights, sent })
    }

    /// Sends what a frame needs; returns how many transforms were sent.
    pub(super) fn try_send(
        &mut self,
        gpu: &Gpu,
        data: &FrameData,
        transforms: &[Transform],
        lights: &[Light],
        records: &[IndirectArgs],
    ) -> Result<u32, GpuRenderError> {
        if size_of_val(records) as u64 > self.records.bytes() {
            let rows = records.len();
            self.records = try_rows::<IndirectArgs>(gpu, "records", BufferUse::Indirect, rows)?;
        }
        let has_grown = self.try_grow(gpu, transforms.len(), lights.len())?;
        if has_grown {
            self.group = try_group(gpu, &self.layout, &self.frame, &self.transforms, &self.lights)?;
        }
        gpu.try_write_buffer(&self.frame, 0, bytemuck::bytes_of(data))?;
        gpu.try_write_buffer(&self.lights, 0, bytemuck::cast_slice(lights))?;
        gpu.try_write_buffer(&self.records, 0, bytemuck::cast_slice(records))?;
        self.try_send_transforms(gpu, transforms)
    }

    /// Makes buffers that are large enough; returns whether there are new ones.
    fn try_grow(
        &mut self,
        gpu: &Gpu,
        transforms: usize,
        lights: usize,
    ) -> Result<bool, GpuRenderError> {
        let mut has_grown = false;
        if (transforms * size_of::<Transform>()) as u64 > self.transforms.bytes() {
            self.transforms =
                try_rows::<Transform>(gpu, "transforms", BufferUse::Storage, transforms)?;
            // The new buffer has none of them.
            self.sent.clear();
            has_grown = true;
        }
        if (lights * size_of::<Light>()) as u64 > self.lights.bytes() {
            self.lights = try_rows::<Light>(gpu, "lights", BufferUse::Storage, lights)?;
            has_grown = true;
        }
        Ok(has_grown)
    }

    /// Sends the transforms that differ from those that were sent before: runs of parts that do.
    fn try_send_transforms(
        &mut self,
        gpu: &Gpu,
        transforms: &[Transform],
    ) -> Result<u32, GpuRenderError> {
        self.sent.truncate(transforms.len());
        let known = self.sent.len();
        let mut sent = transforms.len() - known;
        let mut start = 0;
        while start < known {
            let end = (start + ROWS).min(known);
            // Bits are compared; otherwise a transform with a NaN would be sent in each frame.
            let differs = |start: usize, end: usize, sent: &[Transform]| {
                let [old, new] = [&sent[start..end], &transforms[start..end]]
                    .map(bytemuck::cast_slice::<Transform, u8>);
                old != new
            };
            if !differs(start, end, &self.sent) {
                start = end;
                continue;
            }
            let mut end = end;
            while end < known && differs(end, (end + ROWS).min(known), &self.sent) {
                end = (end + ROWS).min(known);
            }
            self.try_write_transforms(gpu, start, &transforms[start..end])?;
            self.sent[start..end].copy_from_slice(&transforms[start..end]);
            sent += end - start;
            start = end;
        }
        self.sent.try_reserve(transforms.len() - known)?;
        self.try_write_transforms(gpu, known, &transforms[known..])?;
        self.sent.try_extend_from_slice(&transforms[known..])?;
        Ok(sent as u32)
    }

    fn try_write_transforms(
        &self,
        gpu: &Gpu,
        start: usize,
        rows: &[Transform],
    ) -> Result<(), GpuRenderError> {
        let offset = (start * size_of::<Transform>()) as u64;
        Ok(gpu.try_write_buffer(&self.transforms, offset, bytemuck::cast_slice(rows))?)
    }
}

/// Makes a buffer for at least `rows` rows; the number is rounded up to a power of two.
fn try_rows<T>(
    gpu: &Gpu,
    name: &str,
    what_for: BufferUse,
    rows: usize,
) -> Result<Buffer, GpuRenderError> {
    let rows = (rows as u64).next_power_of_two().max(FIRST_ROWS);
    Ok(gpu.try_buffer(name, what_for, rows * size_of::<T>() as u64)?)
}

fn try_group(
    gpu: &Gpu,
    layout: &BindLayout,
    frame: &Buffer,
    transforms: &Buffer,
    lights: &Buffer,
) -> Result<BindGroup, GpuRenderError> {
    let bound = [Bound::Buffer(frame), Bound::Buffer(transforms), Bound::Buffer(lights)];
    Ok(gpu.try_bind_group("frame", layout, &bound)?)
}
