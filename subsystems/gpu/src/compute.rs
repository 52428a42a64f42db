//! Shaders that run without a pass, and write buffers.

use crate::binding::{BindGroup, BindLayout};
use crate::buffer::Buffer;
use crate::encoder::Encoder;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::scope::{Kept, scope};
use crate::shader::Shader;

/// The most groups of threads in a row of a [`ComputePipeline`]'s run.
pub const GROUPS_MAX: u32 = 65_535;

/// A shader that is ready to run without a pass.
#[derive(Debug)]
pub struct ComputePipeline {
    pipeline: Kept<wgpu::ComputePipeline>,
}

impl Gpu {
    /// Makes a pipeline of a shader's entry point, which sees one group.
    ///
    /// # Errors
    ///
    /// [`GpuError::Refused`] if the shader has no such entry point, or sees what the group has not.
    pub fn try_compute_pipeline(
        &self,
        shader: &Shader,
        entry: &str,
        group: &BindLayout,
    ) -> Result<ComputePipeline, GpuError> {
        let layout = wgpu::PipelineLayoutDescriptor {
            label: Some(shader.name()),
            bind_group_layouts: &[Some(&group.layout)],
            immediate_size: 0,
        };
        let what = format_args!("the shader {}", shader.name());
        let pipeline = self.checked(&what, || {
            let layout = self.device.create_pipeline_layout(&layout);
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(shader.name()),
                layout: Some(&layout),
                module: &shader.module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })?;
        Ok(ComputePipeline { pipeline: Kept::new(pipeline) })
    }
}

impl Encoder {
    /// Runs a shader with rows of groups of threads, [`GROUPS_MAX`] in a row at the most. No pass
    /// may be open.
    pub fn compute(&mut self, pipeline: &ComputePipeline, group: &BindGroup, groups: [u32; 2]) {
        scope(|| {
            let description = wgpu::ComputePassDescriptor::default();
            let mut pass = self.wgpu().begin_compute_pass(&description);
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &*group.group, &[]);
            pass.dispatch_workgroups(groups[0], groups[1], 1);
        });
    }

    /// Copies the first bytes of a buffer to the begin of another.
    ///
    /// # Panics
    ///
    /// If one is not that long.
    pub fn copy(&mut self, from: &Buffer, to: &Buffer, bytes: u64) {
        assert!(bytes <= from.bytes().min(to.bytes()), "{bytes} bytes of two buffers");
        scope(|| self.wgpu().copy_buffer_to_buffer(&from.buffer, 0, &to.buffer, 0, bytes));
    }
}
