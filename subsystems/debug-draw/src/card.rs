//! Lines on a graphics card: a quad each, two pixels wide, which the shader makes of a line's ends.

use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::Array;
use loligo_gpu::{
    BindGroup, BindLayout, Blend, Bound, Buffer, BufferUse, CardJob, DepthUse, Format, Gpu,
    GpuError, JobPass, Pipeline, PipelineDescription, Shader, Slot,
};
use loligo_interface::{JobRow, MadeJob, SubsystemError, SubsystemMemory};

use crate::line::Line;

/// The kinds of work of this crate.
pub(crate) const JOBS: [JobRow; 1] = [JobRow::new("debug_lines", make)];

/// The vertices of a line: two triangles.
const VERTICES: u32 = 6;

/// The lines that fit into the smallest buffer.
const LINES_MIN: u64 = 1 << 10;

const SHADER: &str = include_str!("lines.wgsl");

const REFUSED: SubsystemError = SubsystemError::Wrong {
    what: "the graphics card refuses the shader of debug lines",
    remedy: "leave the subsystem out: --without debug_draw",
};

/// The lines of a view, as they are on the card.
struct Sent {
    buffer: Buffer,
    group: BindGroup,
    count: u32,
}

/// A pipeline, and the pass that it fits.
struct Fitting {
    layer: u8,
    color: Option<Format>,
    samples: u32,
    has_depth: bool,
    pipeline: Pipeline,
}

/// Draws lines.
struct LineJob<'m> {
    shader: Shader,
    layout: BindLayout,
    pipelines: Array<'m, Fitting, SubsystemMemory<'m>>,
    sent: Array<'m, Sent, SubsystemMemory<'m>>,
    /// How many jobs of this frame were made ready, and how many of them were drawn.
    prepared: usize,
    played: usize,
}

fn make<'m>(gpu: &Gpu, memory: SharedRef<'m>) -> Result<MadeJob<'m>, SubsystemError> {
    let job = LineJob {
        shader: gpu.try_shader("debug_lines", SHADER).map_err(|_| REFUSED)?,
        layout: gpu.try_bind_layout("debug_lines", &[Slot::Storage]).map_err(|_| REFUSED)?,
        pipelines: Array::new_in(memory),
        sent: Array::new_in(memory),
        prepared: 0,
        played: 0,
    };
    Ok(own_dyn!(Own::new_in(job, memory)? => dyn CardJob + 'm))
}

impl CardJob for LineJob<'_> {
    fn prepare(&mut self, gpu: &Gpu, data: &[u8]) -> Result<(), GpuError> {
        if self.prepared == self.played {
            // The first of a frame.
            (self.prepared, self.played) = (0, 0);
        }
        let lines = data.len() / size_of::<Line>();
        let is_large_enough = |sent: &Sent| data.len() as u64 <= sent.buffer.bytes();
        if !self.sent.get(self.prepared).is_some_and(is_large_enough) {
            let rows = (lines as u64).next_power_of_two().max(LINES_MIN);
            let bytes = rows * size_of::<Line>() as u64;
            let buffer = gpu.try_buffer("debug_lines", BufferUse::Storage, bytes)?;
            let bound = [Bound::Buffer(&buffer)];
            let group = gpu.try_bind_group("debug_lines", &self.layout, &bound)?;
            let made = Sent { buffer, group, count: 0 };
            match self.sent.get_mut(self.prepared) {
                Some(sent) => *sent = made,
                // Without memory for it these lines are left out.
                None => drop(self.sent.try_push(made)),
            }
        }
        if let Some(sent) = self.sent.get_mut(self.prepared) {
            gpu.try_write_buffer(&sent.buffer, 0, data)?;
            sent.count = lines as u32;
        }
        self.prepared += 1;
        Ok(())
    }

    fn play(&mut self, job: JobPass<'_>) -> Result<(), GpuError> {
        let number = self.played;
        self.played += 1;
        let color = job.colors.first().copied();
        let fits = |own: &Fitting| {
            (own.layer, own.color, own.samples, own.has_depth)
                == (job.layer, color, job.samples, job.has_depth)
        };
        let at = match self.pipelines.iter().position(fits) {
            Some(at) => at,
            None => {
                let pipeline = try_pipeline(&self.shader, &self.layout, &job)?;
                let (samples, has_depth) = (job.samples, job.has_depth);
                let made = Fitting { layer: job.layer, color, samples, has_depth, pipeline };
                if self.pipelines.try_push(made).is_err() {
                    return Ok(());
                }
                self.pipelines.len() - 1
            }
        };
        if let Some(sent) = self.sent.get(number) {
            job.pass.set_pipeline(&self.pipelines[at].pipeline);
            job.pass.set_group(0, job.frame);
            job.pass.set_group(1, &sent.group);
            job.pass.draw(sent.count * VERTICES);
        }
        Ok(())
    }
}

fn try_pipeline(
    shader: &Shader,
    layout: &BindLayout,
    job: &JobPass<'_>,
) -> Result<Pipeline, GpuError> {
    let depth = DepthUse { is_written: false, bias: 0 };
    job.gpu.try_pipeline(&PipelineDescription {
        shader,
        vertex_entry: "vs_main",
        pixel_entry: (!job.colors.is_empty()).then_some("fs_main"),
        vertices: None,
        culls_backs: false,
        groups: &[job.frame_layout, layout],
        colors: job.colors,
        samples: job.samples,
        blend: Blend::Alpha,
        depth: job.has_depth.then_some(depth),
    })
}
