//! What changes from frame to frame: transforms, lights, records of draws, and the numbers of the
//! frame.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_gpu::{BindGroup, BindLayout, Bound, Buffer, BufferUse, Gpu, Slot};

use crate::draw::IndirectArgs;
use crate::gpu::data::{FrameData, SeenView};
use crate::gpu::error::GpuRenderError;
use crate::gpu::mirror::Mirror;
use crate::state::{InstanceParameters, Light, RowParameters, Transform};

/// How many rows are compared, and sent, together.
const ROWS: usize = 64;

/// Rows that fit without a larger buffer at first.
const FIRST_ROWS: u64 = 1_024;

/// The groups of the views, and the buffers in them.
pub(super) struct Instances<'a, A: Allocator + ?Sized> {
    pub(super) layout: BindLayout,
    pub(super) records: Buffer,
    views: Array<'a, ViewBuffers, A>,
    transforms: Buffer,
    /// What the card has: only rows that differ from it are sent.
    sent: Array<'a, Transform, A>,
    /// The place of each instance's parameters, and the parameters.
    numbers: Mirror<'a, u32, A>,
    values: Mirror<'a, InstanceParameters, A>,
}

/// What shaders see of one view.
struct ViewBuffers {
    frame: Buffer,
    lights: Buffer,
    grid: Buffer,
    group: BindGroup,
}

impl<'a, A: Allocator + ?Sized> Instances<'a, A> {
    pub(super) fn try_new_in(gpu: &Gpu, memory: &'a A) -> Result<Self, GpuRenderError> {
        let slots = [
            Slot::Uniform,
            Slot::Storage,
            Slot::Storage,
            Slot::Storage,
            Slot::Storage,
            Slot::Storage,
        ];
        let layout = gpu.try_bind_layout("frame", &slots)?;
        let transforms = try_transforms(gpu, 1)?;
        let records = try_rows::<IndirectArgs>(gpu, "records", BufferUse::Indirect, 1)?;
        let (views, sent) = (Array::new_in(memory), Array::new_in(memory));
        let numbers = Mirror::try_new_in(gpu, "parameter numbers", memory)?;
        let mut values = Mirror::try_new_in(gpu, "parameters", memory)?;
        values.try_send(gpu, &[InstanceParameters::NEUTRAL])?;
        Ok(Self { layout, records, views, transforms, sent, numbers, values })
    }

    /// Returns the group of a view.
    pub(super) fn group(&self, view: u8) -> Option<&BindGroup> {
        self.views.get(usize::from(view)).map(|view| &view.group)
    }

    /// Returns the number of the instance that neither moves nor turns.
    pub(super) const fn identity(&self) -> u32 {
        (self.transforms.bytes() / size_of::<Transform>() as u64) as u32 - 1
    }

    /// Sends what a frame needs; returns how many transforms were sent. `data` is what shaders see
    /// of each view.
    pub(super) fn try_send(
        &mut self,
        gpu: &Gpu,
        views: &[SeenView<'_>],
        data: impl Fn(&SeenView<'_>) -> FrameData,
        transforms: [&[Transform]; 2],
        records: &[IndirectArgs],
    ) -> Result<u32, GpuRenderError> {
        if size_of_val(records) as u64 > self.records.bytes() {
            let rows = records.len();
            self.records = try_rows::<IndirectArgs>(gpu, "records", BufferUse::Indirect, rows)?;
        }
        // One more than there are is the one that does not move.
        let [kept, once] = transforms;
        let count = kept.len() + once.len();
        if count as u64 > u64::from(self.identity()) {
            self.transforms = try_transforms(gpu, count + 1)?;
            // The new buffer has none of them, and the groups have the old one.
            self.sent.clear();
            self.views.clear();
        }
        for (number, view) in views.iter().enumerate() {
            self.try_reserve_view(gpu, number, view)?;
            let buffers = &self.views[number];
            gpu.try_write_buffer(&buffers.frame, 0, bytemuck::bytes_of(&data(view)))?;
            gpu.try_write_buffer(&buffers.lights, 0, bytemuck::cast_slice(view.lights))?;
            gpu.try_write_buffer(&buffers.grid, 0, bytemuck::cast_slice(view.light_grid))?;
        }
        gpu.try_write_buffer(&self.records, 0, bytemuck::cast_slice(records))?;
        self.try_write_transforms(gpu, kept.len(), once)?;
        Ok(self.try_send_transforms(gpu, kept)? + once.len() as u32)
    }

    /// Sends the parameters of instances, where they differ from those before.
    pub(super) fn try_send_parameters(
        &mut self,
        gpu: &Gpu,
        parameters: &RowParameters<'_>,
    ) -> Result<(), GpuRenderError> {
        let RowParameters { numbers, values } = *parameters;
        // Before the first there is nothing to compare.
        if values.is_empty() && self.numbers.is_fresh() {
            return Ok(());
        }
        let values = if values.is_empty() { &[InstanceParameters::NEUTRAL] } else { values };
        let is_larger = self.values.try_send(gpu, values)?;
        if self.numbers.try_send(gpu, numbers)? || is_larger {
            // The groups have the old buffers.
            self.views.clear();
        }
        Ok(())
    }

    /// Makes the buffers of a view where it has none, or too small a one for its lights.
    fn try_reserve_view(
        &mut self,
        gpu: &Gpu,
        number: usize,
        view: &SeenView<'_>,
    ) -> Result<(), GpuRenderError> {
        let (lights, grid) = (view.lights.len(), view.light_grid.len());
        let fits = |buffers: &ViewBuffers| {
            size_of_val(view.lights) as u64 <= buffers.lights.bytes()
                && size_of_val(view.light_grid) as u64 <= buffers.grid.bytes()
        };
        if self.views.get(number).is_some_and(fits) {
            return Ok(());
        }
        let frame = gpu.try_buffer("frame", BufferUse::Uniform, size_of::<FrameData>() as u64)?;
        let lights = try_rows::<Light>(gpu, "lights", BufferUse::Storage, lights)?;
        let grid = try_rows::<u32>(gpu, "light grid", BufferUse::Storage, grid)?;
        let (numbers, values) = (&self.numbers.buffer, &self.values.buffer);
        let bound = [&frame, &self.transforms, &lights, &grid, numbers, values].map(Bound::Buffer);
        let group = gpu.try_bind_group("frame", &self.layout, &bound)?;
        let made = ViewBuffers { frame, lights, grid, group };
        match self.views.get_mut(number) {
            Some(view) => *view = made,
            None => self.views.try_push(made)?,
        }
        Ok(())
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

/// Makes a buffer for at least `rows` transforms, of which the last neither moves nor turns.
fn try_transforms(gpu: &Gpu, rows: usize) -> Result<Buffer, GpuRenderError> {
    let buffer = try_rows::<Transform>(gpu, "transforms", BufferUse::Storage, rows)?;
    let last = buffer.bytes() - size_of::<Transform>() as u64;
    gpu.try_write_buffer(&buffer, last, bytemuck::bytes_of(&Transform::IDENTITY))?;
    Ok(buffer)
}
