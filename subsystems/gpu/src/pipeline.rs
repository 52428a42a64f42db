//! Pipelines: a shader, what it reads, and how it draws into which targets.

use core::array;

use crate::binding::BindLayout;
use crate::error::GpuError;
use crate::format::Format;
use crate::gpu::Gpu;
use crate::scope::{Kept, scope};
use crate::shader::Shader;

/// The most attributes, groups and colors.
const ATTRIBUTES_MAX: usize = 16;
const GROUPS_MAX: usize = 4;
const COLORS_MAX: usize = 8;

/// A part of a vertex: a number of 32-bit floats, and the byte at which they begin. Its location in
/// the shader is its index in the list of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexAttribute {
    /// From 1 to 4.
    pub floats: u32,
    /// Where it begins in the vertex, in bytes.
    pub offset: u32,
}

/// How vertices are in their buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexLayout<'d> {
    /// From one vertex to the next, in bytes.
    pub stride: u32,
    /// Their parts.
    pub attributes: &'d [VertexAttribute],
}

/// How colors are put over those that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blend {
    /// In their place.
    Replace,
    /// By opacity: the last part of the color.
    Alpha,
}

/// What is done with depths where the pass has some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthUse {
    /// Whether depths are written. They are tested in any case: only what is at most as far as what
    /// is there is drawn.
    pub is_written: bool,
    /// How many steps, and how many for each step of slope, depths are moved away: for shadow maps.
    pub bias: i32,
}

/// What a pipeline is to be.
#[derive(Clone, Copy, Debug)]
pub struct PipelineDescription<'d> {
    /// The shader.
    pub shader: &'d Shader,
    /// Its entry point for vertices.
    pub vertex_entry: &'d str,
    /// Its entry point for pixels; without one, depths alone are drawn.
    pub pixel_entry: Option<&'d str>,
    /// The layout of vertices; without one, the shader makes them of their numbers.
    pub vertices: Option<VertexLayout<'d>>,
    /// Returns `true` if triangles are left out that are clockwise on the screen.
    pub culls_backs: bool,
    /// The groups that it sees, in order.
    pub groups: &'d [&'d BindLayout],
    /// The formats of the colors that the pass draws.
    pub colors: &'d [Format],
    /// The samples a pixel of the pass's targets.
    pub samples: u32,
    /// How colors are put over those that are there.
    pub blend: Blend,
    /// What is done with depths, if the pass has some.
    pub depth: Option<DepthUse>,
}

/// A shader, ready to draw.
#[derive(Debug)]
pub struct Pipeline {
    pub(crate) pipeline: Kept<wgpu::RenderPipeline>,
}

impl Gpu {
    /// Makes a pipeline.
    ///
    /// # Complexity
    ///
    /// Drivers compile the shader here: milliseconds to some hundreds of them.
    ///
    /// # Errors
    ///
    /// [`GpuError::Refused`] if the shader has no such entry points, or sees what the groups have
    /// not; [`GpuError::Size`] for more attributes, groups or colors than there can be.
    pub fn try_pipeline(
        &self,
        description: &PipelineDescription<'_>,
    ) -> Result<Pipeline, GpuError> {
        let PipelineDescription { shader, vertices, groups, colors, .. } = *description;
        let attributes = vertices.map_or(&[][..], |vertices| vertices.attributes);
        few("attributes of a vertex", attributes.len(), ATTRIBUTES_MAX)?;
        few("groups of a pipeline", groups.len(), GROUPS_MAX)?;
        few("colors of a pipeline", colors.len(), COLORS_MAX)?;
        let group = |number: usize| groups.get(number).map(|layout| &*layout.layout);
        let group_layouts: [_; GROUPS_MAX] = array::from_fn(group);
        let layout = wgpu::PipelineLayoutDescriptor {
            label: Some(shader.name()),
            bind_group_layouts: &group_layouts[..groups.len()],
            immediate_size: 0,
        };
        let attribute = |number: usize| {
            let VertexAttribute { floats, offset } =
                attributes.get(number).copied().unwrap_or(VertexAttribute { floats: 1, offset: 0 });
            let format = match floats {
                1 => wgpu::VertexFormat::Float32,
                2 => wgpu::VertexFormat::Float32x2,
                3 => wgpu::VertexFormat::Float32x3,
                _ => wgpu::VertexFormat::Float32x4,
            };
            let (offset, shader_location) = (u64::from(offset), number as u32);
            wgpu::VertexAttribute { format, offset, shader_location }
        };
        let all: [_; ATTRIBUTES_MAX] = array::from_fn(attribute);
        let buffers = [vertices.map(|vertices| wgpu::VertexBufferLayout {
            array_stride: u64::from(vertices.stride),
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &all[..attributes.len()],
        })];
        let what = format_args!("the shader {}", shader.name());
        let pipeline = self.checked(&what, || {
            let layout = self.device.create_pipeline_layout(&layout);
            self.create(description, &layout, &buffers[..usize::from(vertices.is_some())])
        })?;
        Ok(Pipeline { pipeline: Kept::new(pipeline) })
    }

    fn create(
        &self,
        description: &PipelineDescription<'_>,
        layout: &wgpu::PipelineLayout,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
    ) -> wgpu::RenderPipeline {
        let PipelineDescription { shader, colors, samples, blend, depth, .. } = *description;
        let color = |number: usize| {
            colors.get(number).map(|format| wgpu::ColorTargetState {
                format: format.wgpu(),
                blend: (blend == Blend::Alpha).then_some(wgpu::BlendState::ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })
        };
        let targets: [_; COLORS_MAX] = array::from_fn(color);
        let fragment = description.pixel_entry.map(|entry| wgpu::FragmentState {
            module: &shader.module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &targets[..colors.len()],
        });
        scope(|| {
            self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(shader.name()),
                layout: Some(layout),
                vertex: wgpu::VertexState {
                    module: &shader.module,
                    entry_point: Some(description.vertex_entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers,
                },
                primitive: wgpu::PrimitiveState {
                    cull_mode: description.culls_backs.then_some(wgpu::Face::Back),
                    ..Default::default()
                },
                depth_stencil: depth.map(depth_state),
                multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
                fragment,
                multiview_mask: None,
                cache: None,
            })
        })
    }
}

fn depth_state(depth: DepthUse) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: Format::Depth32F.wgpu(),
        depth_write_enabled: Some(depth.is_written),
        depth_compare: Some(wgpu::CompareFunction::LessEqual),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState {
            constant: depth.bias,
            slope_scale: depth.bias as f32,
            clamp: 0.0,
        },
    }
}

/// Refuses more of something than there can be.
fn few(what: &'static str, count: usize, max: usize) -> Result<(), GpuError> {
    if count <= max {
        return Ok(());
    }
    Err(GpuError::Size { what, wanted: count as u64, limit: max as u64 })
}
