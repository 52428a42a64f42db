//! What a window shows.

use core::fmt;
use std::boxed::Box;
use std::sync::Arc;
use std::vec;

use raw_window_handle::{HasDisplayHandle, HasWindowHandle};

use crate::binding::{BindGroup, BindLayout, Bound, Slot};
use crate::error::{GpuError, Message};
use crate::format::Format;
use crate::gpu::{Gpu, GpuOptions, new_instance, wanted_adapter};
use crate::pipeline::{Blend, Pipeline, PipelineDescription};
use crate::scope::{Kept, scope};
use crate::surface::swap::{Answer, Step, Swap};
use crate::texture::{Sampler, SamplerKind, Texture};

mod swap;

/// A window, whichever library made it. It is open until the surface is dropped.
pub trait SurfaceTarget: HasWindowHandle + HasDisplayHandle + Send + Sync {}

impl<T: HasWindowHandle + HasDisplayHandle + Send + Sync> SurfaceTarget for T {}

/// The formats of windows, the usual one first. Others would need colors that are not in sRGB.
const FORMATS: [Format; 2] = [Format::Bgra8Srgb, Format::Rgba8Srgb];

/// Brings a picture to the window, stretched where they differ in size.
const SHADER: &str = "
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var picture_sampler: sampler;
struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }
@vertex fn vs_main(@builtin(vertex_index) number: u32) -> Out {
    let corner = vec2(f32((number << 1u) & 2u), f32(number & 2u));
    return Out(vec4(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}
@fragment fn fs_main(in: Out) -> @location(0) vec4<f32> {
    return vec4(textureSampleLevel(picture, picture_sampler, in.uv, 0.0).rgb, 1.0);
}
";

/// What a window shows: one picture after another, at the display's own pace.
///
/// Whatever becomes of the window is survived: another size, none at all while it is minimised, a
/// surface that is outdated or lost.
///
/// # Complexity
///
/// A picture is copied once, by a draw of three vertices. A change of size waits until the card is
/// idle.
///
/// # Memory
///
/// wgpu's and the driver's, as [`Gpu`] says: two or three pictures of the window's size.
///
/// # Threads
///
/// `Send`: made where the window is, on the main thread, it may live on the thread that renders.
pub struct Surface {
    surface: Kept<wgpu::Surface<'static>>,
    instance: Kept<wgpu::Instance>,
    format: Format,
    swap: Swap,
    pipeline: Pipeline,
    layout: BindLayout,
    sampler: Sampler,
    /// What was shown last, and the group that it is read by.
    shown: Option<(Kept<wgpu::TextureView>, BindGroup)>,
    /// Dropped last.
    target: Arc<dyn SurfaceTarget>,
}

impl Gpu {
    /// Looks for a graphics card that can draw into a window, and opens it.
    ///
    /// # Complexity
    ///
    /// As [`try_new`](Self::try_new).
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new); [`GpuError::Surface`] if the window's display is not one that
    /// drivers know.
    pub fn try_new_with_surface(
        options: &GpuOptions,
        target: Arc<dyn SurfaceTarget>,
    ) -> Result<(Self, Surface), GpuError> {
        let instance = new_instance(options);
        let surface = try_surface(&instance, &target).map_err(|error| {
            // Where there is no driver at all, that is what there is to say.
            let any = scope(|| {
                pollster::block_on(instance.request_adapter(&wanted_adapter(options)))
                    .map(Kept::new)
            });
            any.map_or_else(|why| GpuError::NoDriver { why: Message::new(&why) }, |_| error)
        })?;
        let wanted = wgpu::RequestAdapterOptions {
            compatible_surface: Some(&surface),
            ..wanted_adapter(options)
        };
        let adapter = scope(|| pollster::block_on(instance.request_adapter(&wanted)))
            .map_err(|why| GpuError::NoDriver { why: Message::new(&why) })?;
        let adapter = Kept::new(adapter);
        let gpu = Self::open(&adapter)?;
        let known = scope(|| {
            let offered = surface.get_capabilities(&adapter).formats;
            FORMATS.into_iter().find(|format| offered.contains(&format.wgpu()))
        });
        let Some(format) = known else {
            let why = "it takes no pictures whose colors are in sRGB";
            return Err(GpuError::Surface { why: Message::new(&why) });
        };
        let layout = gpu.try_bind_layout("window", &[Slot::Texture, Slot::Sampler])?;
        let pipeline = try_pipeline(&gpu, &layout, format)?;
        let sampler = gpu.try_sampler(SamplerKind::Clamp)?;
        let (swap, shown) = (Swap::default(), None);
        let own =
            Surface { surface, instance, format, swap, pipeline, layout, sampler, shown, target };
        Ok((gpu, own))
    }
}

impl Surface {
    /// Shows a picture in a window of this size in pixels, zero while it is minimised; returns
    /// whether it will be seen. What was submitted before is in it. Where the display is slower
    /// than the game, it waits for the display.
    ///
    /// # Complexity
    ///
    /// O(1) on this thread, but for what waits.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`] if the surface is lost each time that it is recreated,
    /// [`GpuError::Surface`] if it cannot be, and what [`Gpu::try_submit`] says. The next picture
    /// may be shown all the same.
    pub fn try_show(
        &mut self,
        gpu: &Gpu,
        picture: &Texture,
        size: [u32; 2],
    ) -> Result<bool, GpuError> {
        let limit = gpu.texture_pixels_max();
        let mut step = self.swap.begin(size.map(|pixels| pixels.min(limit)));
        let mut room = None;
        loop {
            step = match (step, room.take()) {
                (Step::Remake, _) => {
                    self.surface = try_surface(&self.instance, &self.target)?;
                    self.swap.remade()
                }
                (Step::Configure(size), _) => {
                    self.try_configure(gpu, size)?;
                    self.swap.configured(size)
                }
                (Step::Draw, Some(into)) => {
                    self.try_draw(gpu, picture, into)?;
                    return Ok(true);
                }
                (Step::Ask | Step::Draw, _) => {
                    let answer;
                    (answer, room) = self.try_ask(gpu)?;
                    self.swap.answered(answer)
                }
                (Step::Skip, _) => return Ok(false),
                (Step::Fail, _) => {
                    let why = Message::new(&"it is lost each time that it is recreated");
                    return Err(GpuError::Lost { what: "showing a picture in the window", why });
                }
            };
        }
    }

    fn try_configure(&self, gpu: &Gpu, [width, height]: [u32; 2]) -> Result<(), GpuError> {
        gpu.checked(&"setting the window up", || {
            let wanted = wgpu::SurfaceConfiguration {
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                format: self.format.wgpu(),
                color_space: wgpu::SurfaceColorSpace::Auto,
                width,
                height,
                present_mode: wgpu::PresentMode::AutoVsync,
                desired_maximum_frame_latency: 2,
                alpha_mode: wgpu::CompositeAlphaMode::Auto,
                view_formats: vec![],
            };
            self.surface.configure(&gpu.device, &wanted);
        })
    }

    /// Asks for room for a picture.
    fn try_ask(&self, gpu: &Gpu) -> Result<(Answer, Option<Kept<wgpu::SurfaceTexture>>), GpuError> {
        use wgpu::CurrentSurfaceTexture as Current;
        let what = "room for a picture in the window";
        Ok(match gpu.checked(&what, || self.surface.get_current_texture())? {
            Current::Success(room) => (Answer::Good, Some(Kept::new(room))),
            Current::Suboptimal(room) => (Answer::Suboptimal, Some(Kept::new(room))),
            Current::Timeout | Current::Occluded => (Answer::NotNow, None),
            Current::Outdated => (Answer::Outdated, None),
            // What is not valid was an error above.
            Current::Lost | Current::Validation => (Answer::Lost, None),
        })
    }

    /// Draws a picture into the room that there is for it, and shows it.
    fn try_draw(
        &mut self,
        gpu: &Gpu,
        picture: &Texture,
        room: Kept<wgpu::SurfaceTexture>,
    ) -> Result<(), GpuError> {
        let group = match self.shown.take().filter(|(view, _)| **view == *picture.view) {
            Some(shown) => shown,
            None => {
                let bound = [Bound::Texture(picture), Bound::Sampler(&self.sampler)];
                let group = gpu.try_bind_group("window", &self.layout, &bound)?;
                (Kept::new(scope(|| (*picture.view).clone())), group)
            }
        };
        let (_, group) = self.shown.insert(group);
        let pipeline = &self.pipeline;
        gpu.checked(&"showing a picture in the window", || {
            let view = room.texture.create_view(&wgpu::TextureViewDescriptor::default());
            let description = wgpu::CommandEncoderDescriptor { label: Some("window") };
            let mut encoder = gpu.device.create_command_encoder(&description);
            let into = wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("window"),
                color_attachments: &[Some(into)],
                ..Default::default()
            });
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &*group.group, &[]);
            pass.draw(0..3, 0..1);
            drop(pass);
            gpu.queue.submit([encoder.finish()]);
            gpu.queue.present(room.take());
        })
    }
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surface")
            .field("format", &self.format)
            .field("swap", &self.swap)
            .finish_non_exhaustive()
    }
}

fn try_surface(
    instance: &wgpu::Instance,
    target: &Arc<dyn SurfaceTarget>,
) -> Result<Kept<wgpu::Surface<'static>>, GpuError> {
    scope(|| {
        let window = wgpu::SurfaceTarget::DisplayAndWindow(Box::new(Arc::clone(target)));
        instance
            .create_surface(window)
            .map(Kept::new)
            .map_err(|why| GpuError::Surface { why: Message::new(&why) })
    })
}

fn try_pipeline(gpu: &Gpu, layout: &BindLayout, format: Format) -> Result<Pipeline, GpuError> {
    let shader = gpu.try_shader("window.wgsl", SHADER)?;
    gpu.try_pipeline(&PipelineDescription {
        shader: &shader,
        vertex_entry: "vs_main",
        pixel_entry: Some("fs_main"),
        vertices: None,
        culls_backs: false,
        groups: &[layout],
        colors: &[format],
        samples: 1,
        blend: Blend::Replace,
        depth: None,
    })
}
