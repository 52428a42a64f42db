//! Commands for the graphics card: passes, and the draws in them.

use core::array;
use core::ops::Range;

use crate::binding::BindGroup;
use crate::buffer::Buffer;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::pipeline::Pipeline;
use crate::scope::{Kept, scope};
use crate::texture::Texture;

/// The most colors of a pass.
const COLORS_MAX: usize = 8;

/// A color that a pass draws into.
#[derive(Clone, Copy, Debug)]
pub struct ColorTarget<'t> {
    /// The texture.
    pub texture: &'t Texture,
    /// Where the means of the samples go, if it has several a pixel.
    pub resolved: Option<&'t Texture>,
    /// What it is filled with before; without, it keeps what it holds.
    pub clear: Option<[f32; 4]>,
}

/// The depths that a pass tests and writes.
#[derive(Clone, Copy, Debug)]
pub struct DepthTarget<'t> {
    /// The texture.
    pub texture: &'t Texture,
    /// What it is filled with before; without, it keeps what it holds.
    pub clear: Option<f32>,
}

/// What a pass draws into.
#[derive(Clone, Copy, Debug)]
pub struct PassTargets<'t> {
    /// What debuggers call it.
    pub name: &'t str,
    /// The colors; those after the eighth are left out.
    pub colors: &'t [ColorTarget<'t>],
    /// The depths.
    pub depth: Option<DepthTarget<'t>>,
}

/// A list of commands, which [`Gpu::try_submit`](crate::Gpu::try_submit) hands over.
///
/// What is wrong with a command is said there.
#[derive(Debug)]
pub struct Encoder {
    encoder: Kept<wgpu::CommandEncoder>,
}

/// A pass: draws into the same targets. It ends when it is dropped, which must be before the list
/// is handed over.
///
/// # Complexity
///
/// Each command takes wgpu some 50 to 200 ns, and as much again when the list is handed over.
#[derive(Debug)]
pub struct Pass {
    pass: Kept<wgpu::RenderPass<'static>>,
}

impl Gpu {
    /// Begins a list of commands.
    #[must_use]
    pub fn encoder(&self) -> Encoder {
        let description = wgpu::CommandEncoderDescriptor { label: None };
        Encoder::new(scope(|| self.device.create_command_encoder(&description)))
    }

    /// Hands commands over to the graphics card, and does not wait until they are done.
    ///
    /// # Errors
    ///
    /// [`GpuError::Refused`] if a command is wrong; none of the list is done then.
    /// [`GpuError::Memory`] and [`GpuError::Lost`].
    pub fn try_submit(&self, encoder: Encoder) -> Result<(), GpuError> {
        self.checked(&"the commands of a frame", || {
            self.queue.submit([encoder.into_wgpu().finish()]);
        })?;
        match self.take_problem() {
            Some(why) => Err(GpuError::Lost { what: "since the last frame", why }),
            None => Ok(()),
        }
    }
}

impl Encoder {
    pub(crate) const fn new(encoder: wgpu::CommandEncoder) -> Self {
        Self { encoder: Kept::new(encoder) }
    }

    pub(crate) fn wgpu(&mut self) -> &mut wgpu::CommandEncoder {
        &mut self.encoder
    }

    pub(crate) fn into_wgpu(self) -> wgpu::CommandEncoder {
        self.encoder.take()
    }

    /// Begins a pass. The one before must have ended.
    #[must_use]
    pub fn begin_pass(&mut self, targets: &PassTargets<'_>) -> Pass {
        let color = |number: usize| {
            targets.colors.get(number).map(|color| wgpu::RenderPassColorAttachment {
                view: &color.texture.view,
                depth_slice: None,
                resolve_target: color.resolved.map(|resolved| &*resolved.view),
                ops: wgpu::Operations {
                    load: match color.clear {
                        None => wgpu::LoadOp::Load,
                        Some([r, g, b, a]) => {
                            let [r, g, b, a] = [r, g, b, a].map(f64::from);
                            wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a })
                        }
                    },
                    store: wgpu::StoreOp::Store,
                },
            })
        };
        let colors: [_; COLORS_MAX] = array::from_fn(color);
        let depth = targets.depth.map(|depth| wgpu::RenderPassDepthStencilAttachment {
            view: &depth.texture.view,
            depth_ops: Some(wgpu::Operations {
                load: depth.clear.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        });
        let description = wgpu::RenderPassDescriptor {
            label: Some(targets.name),
            color_attachments: &colors[..targets.colors.len().min(COLORS_MAX)],
            depth_stencil_attachment: depth,
            ..Default::default()
        };
        let pass = scope(|| self.encoder.begin_render_pass(&description).forget_lifetime());
        Pass { pass: Kept::new(pass) }
    }
}

impl Pass {
    /// Draws with this pipeline from now on.
    pub fn set_pipeline(&mut self, pipeline: &Pipeline) {
        scope(|| self.pass.set_pipeline(&pipeline.pipeline));
    }

    /// Binds a group from now on.
    pub fn set_group(&mut self, number: u32, group: &BindGroup) {
        scope(|| self.pass.set_bind_group(number, &*group.group, &[]));
    }

    /// Takes vertices and indices from these buffers from now on.
    pub fn set_mesh_buffers(&mut self, vertices: &Buffer, indices: &Buffer) {
        scope(|| {
            self.pass.set_vertex_buffer(0, vertices.buffer.slice(..));
            self.pass.set_index_buffer(indices.buffer.slice(..), wgpu::IndexFormat::Uint32);
        });
    }

    /// Takes vertices from a part of a buffer from now on, for [`draw_part`](Self::draw_part).
    pub fn set_vertices(&mut self, vertices: &Buffer, bytes: Range<u64>) {
        scope(|| self.pass.set_vertex_buffer(0, vertices.buffer.slice(bytes)));
    }

    /// Draws into this part of the targets from now on, in pixels: left, top, width and height. It
    /// is within them.
    pub fn set_part(&mut self, [left, top, width, height]: [u32; 4]) {
        scope(|| {
            let [x, y, w, h] = [left, top, width, height].map(|pixels| pixels as f32);
            self.pass.set_viewport(x, y, w, h, 0.0, 1.0);
            self.pass.set_scissor_rect(left, top, width, height);
        });
    }

    /// Draws vertices of the buffer that was set last, three a triangle, as the instance of a
    /// number.
    pub fn draw_part(&mut self, vertices: Range<u32>, instance: u32) {
        scope(|| self.pass.draw(vertices, instance..instance + 1));
    }

    /// Draws `vertices` vertices, which the shader makes of their numbers.
    pub fn draw(&mut self, vertices: u32) {
        scope(|| self.pass.draw(0..vertices, 0..1));
    }

    /// Draws the triangles of a row of records, 20 bytes each, as they are in `records` from byte
    /// `offset` on: indices, instances, first index, what is added to each index, first instance.
    pub fn draw_indirect(&mut self, records: &Buffer, offset: u64, count: u32) {
        scope(|| self.pass.multi_draw_indexed_indirect(&records.buffer, offset, count));
    }
}
