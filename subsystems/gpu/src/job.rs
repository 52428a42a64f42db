//! Work of others in a pass: a kind that a program brings, without what draws frames knowing it.

use crate::binding::{BindGroup, BindLayout};
use crate::encoder::Pass;
use crate::error::GpuError;
use crate::format::Format;
use crate::gpu::Gpu;

/// Work of one kind: its pipelines, buffers and textures, and what it does with them.
pub trait CardJob: Send {
    /// Makes ready for what [`play`](Self::play) is asked for in this frame, before the first pass:
    /// called once for each job of the kind, in the order in which they are played.
    ///
    /// # Errors
    ///
    /// [`GpuError`]; the frame is not drawn.
    fn prepare(&mut self, gpu: &Gpu, data: &[u8]) -> Result<(), GpuError> {
        let _ = (gpu, data);
        Ok(())
    }

    /// Draws within a pass. It may set any pipeline, group and buffer; what comes after it sets
    /// all of them again.
    ///
    /// # Errors
    ///
    /// [`GpuError`]; the frame is not drawn.
    fn play(&mut self, job: JobPass<'_>) -> Result<(), GpuError>;
}

/// What a job has while it draws.
#[derive(Debug)]
pub struct JobPass<'p> {
    /// The graphics card.
    pub gpu: &'p Gpu,
    /// The pass.
    pub pass: &'p mut Pass,
    /// The layer that it draws in: pipelines of one layer fit each of its jobs, until the frame's
    /// targets change.
    pub layer: u8,
    /// The formats of the colors that the pass draws.
    pub colors: &'p [Format],
    /// Whether the pass has depths.
    pub has_depth: bool,
    /// The samples a pixel.
    pub samples: u32,
    /// The group that all shaders of the frame see, for a pipeline's group 0.
    pub frame_layout: &'p BindLayout,
    /// That group, for this view.
    pub frame: &'p BindGroup,
    /// What was asked for.
    pub data: &'p [u8],
}
