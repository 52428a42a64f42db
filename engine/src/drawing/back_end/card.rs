//! A graphics card, or a driver that computes in its place.

use core::fmt;

use loligo_allocators::SharedRef;
use loligo_containers::{Array, EventRecord};
use loligo_gpu::{Gpu, GpuOptions, set_scope};
use loligo_interface::{SubsystemError, SubsystemRow};
use loligo_render::gpu::{
    FrameData as Seen, GpuRenderError, GpuRenderer, MaterialData as Material, SeenView,
    TextureData as Texture, TextureLevels as Levels,
};
use loligo_render::{
    CardBlocks, FrameDescription, PLACEHOLDER_PIXELS, PLACEHOLDER_SHADER, TexturePacking,
    TextureWrap, VIEWS_MAX, placeholder_texture,
};

use super::Picture;
use crate::assets::{
    FrameData, MaterialData, MeshData, MeshParts, NO_TEXTURE, Numbered, Removed, ShaderData,
    TextureData, TextureLevels, VERTICES_MAX, name_of,
};
use crate::cpu::in_driver;
use crate::drawing::drawn_view::DrawnView;
use crate::drawing::game_window::WindowSetup;
use crate::drawing::packet::Scene;
use crate::error::EngineError;
use crate::memory::{Library, SharedAllocator};

const NO_JOB: SubsystemError = SubsystemError::Wrong {
    what: "there is no memory for what draws its jobs",
    remedy: "give the subsystem `render` more",
};

/// What draws with a graphics card.
pub(crate) struct Card<'e> {
    renderer: GpuRenderer<'e, SharedAllocator<'e>>,
    /// For which size its targets were made; none before the first frame.
    size: Option<[u32; 2]>,
    /// The window that it is shown in.
    #[cfg(feature = "window")]
    surface: Option<loligo_gpu::Surface>,
}

impl<'e> Card<'e> {
    /// Opens the best card that there is, or the best that can draw into the window that was
    /// opened.
    pub(super) fn try_new(
        opened: &WindowSetup,
        memory: SharedRef<'e>,
    ) -> Result<Self, GpuRenderError> {
        // A second engine of the program has the same hook.
        set_scope(|work| Library::Wgpu.run(|| in_driver(work)));
        let options = GpuOptions::default();
        #[cfg(feature = "window")]
        let (gpu, surface) = match opened.target() {
            Some(target) => {
                let (gpu, surface) = Gpu::try_new_with_surface(&options, target)?;
                (gpu, Some(surface))
            }
            None => (Gpu::try_new(&options)?, None),
        };
        #[cfg(not(feature = "window"))]
        let (gpu, _) = (Gpu::try_new(&options)?, opened);
        let renderer = GpuRenderer::try_new_in(gpu, &Default::default(), memory)?;
        let first_moved = u64::from(renderer.first_moved());
        assert_eq!(first_moved, VERTICES_MAX, "drawers say where vertices are that bones move");
        Ok(Self {
            renderer,
            size: None,
            #[cfg(feature = "window")]
            surface,
        })
    }

    /// Returns which textures of blocks are stored as they are.
    pub(super) fn reads_blocks(&self) -> CardBlocks {
        self.renderer.blocks()
    }

    /// Makes what does the kinds of work that a subsystem brings.
    pub(super) fn join(
        &mut self,
        row: &SubsystemRow,
        memory: SharedRef<'e>,
    ) -> Result<(), EngineError> {
        let name = row.name();
        for job in row.jobs() {
            let made = in_driver(|| job.make(self.renderer.gpu(), memory));
            let made = made.map_err(|error| EngineError::Subsystem { name, error })?;
            let kept = self.renderer.try_add_job(job.kind().hash(), made);
            kept.map_err(|_| EngineError::Subsystem { name, error: NO_JOB })?;
        }
        Ok(())
    }

    /// Uploads or removes something. A shader or a texture that cannot be used is a placeholder,
    /// where there was none before.
    pub(super) fn upload(
        &mut self,
        record: &EventRecord<'_>,
        block: &[u32],
        frame: &FrameDescription<'e, SharedAllocator<'e>>,
    ) -> Result<(), GpuRenderError> {
        let renderer = &mut self.renderer;
        if let Some(data) = record.get::<MeshData>() {
            let MeshData { mesh, index_count, first_index, base_vertex, .. } = data;
            let MeshParts { vertices, indices, skin, morph, .. } = data.parts(block);
            let vertices = bytemuck::cast_slice(vertices);
            let placed = renderer.try_set_moved_mesh(mesh, vertices, indices, skin, &morph)?;
            let told = (index_count, first_index, base_vertex);
            let found = (placed.index_count, placed.first_index, placed.base_vertex);
            assert_eq!(found, told, "both sides place meshes by one rule");
        } else if let Some(data) = record.get::<TextureData>() {
            set_texture(renderer, &data, block)?;
        } else if let Some(TextureLevels { texture, width, height, levels }) = record.get() {
            let data = bytemuck::cast_slice(block);
            let larger = Levels { pixels: [width, height], levels, data };
            renderer.try_resize_texture(texture, &larger)?;
        } else if let Some((data, text)) = record.get_with_tail::<ShaderData, u8>() {
            let name = core::str::from_utf8(&data.name).unwrap_or("shader").trim_end_matches('\0');
            // It was text when it was compiled.
            let text = core::str::from_utf8(text.as_bytes()).unwrap_or_default();
            let set = renderer.try_set_shader(data.shader, name, text);
            if set.is_err() && !renderer.has_shader(data.shader) {
                renderer.try_set_shader(data.shader, "placeholder", PLACEHOLDER_SHADER)?;
            }
            set?;
        } else if let Some(data) = record.get::<MaterialData>() {
            let [base_color, [roughness, metallic, emission, cutout], extra] = data.values;
            let material = Material {
                base_color,
                roughness,
                metallic,
                emission,
                cutout,
                extra,
                shader: data.shader,
                textures: data.textures.map(|number| (number != NO_TEXTURE).then_some(number)),
                target: (data.target != [0; 2]).then(|| name_of(data.target)),
                two_sided: data.two_sided != 0,
                casts_shadow: data.casts_shadow != 0,
            };
            renderer.try_set_material(data.state, &material)?;
        } else if let Some(Removed { what, number }) = record.get::<Removed>() {
            match Numbered::ALL.into_iter().find(|kind| *kind as u32 == what) {
                Some(Numbered::Mesh) => renderer.remove_mesh(number),
                Some(Numbered::Material) => renderer.remove_material(number),
                Some(Numbered::Texture) => renderer.remove_texture(number),
                Some(Numbered::Shader) => renderer.remove_shader(number),
                None => {}
            }
        } else if let (Some(_), Some(size)) = (record.get_with_tail::<FrameData, u8>(), self.size) {
            renderer.try_set_frame(frame, size)?;
        }
        Ok(())
    }

    /// Draws, shows the picture in the window if there is one, and reads it where it is wanted.
    pub(super) fn draw(
        &mut self,
        picture: &Picture<'_, 'e>,
        pixels: &mut Array<'e, u8, SharedAllocator<'e>>,
    ) -> Result<(), GpuRenderError> {
        let Picture { recorded, world, views, lights, scene, .. } = picture;
        if self.size != Some(scene.size) {
            self.renderer.try_set_frame(recorded.frame, scene.size)?;
            self.size = Some(scene.size);
        }
        let mut seen = [SeenView::new(Seen::default()); VIEWS_MAX];
        for (seen, view) in seen.iter_mut().zip(*views) {
            *seen = SeenView::new(seen_by(view, scene));
            if let Some(lights) = lights.get(usize::from(view.lit_by)) {
                *seen = seen.lit_by(lights);
            }
            seen.rectangle = view.rectangle;
        }
        let seen = &seen[..views.len().min(VIEWS_MAX)];
        let transforms = [world.transforms(), picture.once];
        self.renderer.try_skin(&picture.skinning)?;
        self.renderer.try_set_parameters(&world.parameters())?;
        self.renderer.try_draw(seen, transforms, recorded)?;
        #[cfg(feature = "window")]
        if let Some(surface) = self.surface.as_mut().filter(|_| scene.is_shown) {
            surface.try_show(
                self.renderer.gpu(),
                self.renderer.try_window_texture()?,
                scene.size,
            )?;
        }
        if picture.wanted.picture {
            let [width, height] = scene.size.map(|side| side as usize);
            pixels.try_resize(width * height * 4, 0).map_err(GpuRenderError::Memory)?;
            self.renderer.try_read_window(pixels.as_mut_slice())?;
        }
        Ok(())
    }
}

/// Sets a texture, or a placeholder where there was none before and it cannot be used.
fn set_texture(
    renderer: &mut GpuRenderer<'_, SharedAllocator<'_>>,
    data: &TextureData,
    block: &[u32],
) -> Result<(), GpuRenderError> {
    let texture = Texture {
        pixels: [data.width, data.height],
        is_srgb: data.is_linear == 0,
        levels: data.levels,
        wrap: TextureWrap::ALL.into_iter().nth(data.wrap as usize).unwrap_or_default(),
        packing: TexturePacking::ALL.into_iter().nth(data.packing as usize).unwrap_or_default(),
        data: bytemuck::cast_slice(block),
    };
    let set = renderer.try_set_texture(data.texture, &texture);
    if set.is_err() && !renderer.has_texture(data.texture) {
        set_placeholder_texture(renderer, data.texture)?;
    }
    set
}

fn set_placeholder_texture(
    renderer: &mut GpuRenderer<'_, SharedAllocator<'_>>,
    number: u32,
) -> Result<(), GpuRenderError> {
    let pixels = placeholder_texture();
    let texture = Texture {
        pixels: [PLACEHOLDER_PIXELS; 2],
        is_srgb: true,
        levels: 1,
        wrap: TextureWrap::Repeat,
        packing: TexturePacking::Plain,
        data: pixels.as_flattened(),
    };
    renderer.try_set_texture(number, &texture)
}

/// Returns what shaders see in the passes of a view.
fn seen_by(view: &DrawnView, scene: &Scene) -> Seen {
    let DrawnView { seen: scene_view, projection, shadows, .. } = view;
    let sun = &scene_view.sun;
    let mut seen = Seen::default();
    seen.set_camera(scene_view.view(), *projection);
    seen.eye[3] = scene.time;
    let color = sun.color.map(|channel| channel * sun.intensity);
    seen.set_sun(-scene_view.sun_direction, color);
    seen.set_shadows(shadows.iter().flatten().map(|(shadow, part)| (shadow, *part)));
    let color = |[r, g, b]: [f32; 3], w: f32| [r, g, b, w];
    seen.sky_color = color(sun.sky, 0.0);
    seen.ground_color = color(sun.ground, 0.0);
    seen.fog = color(sun.fog, sun.fog_density);
    seen
}

/// The card's name, and whether it is one.
impl fmt::Display for Card<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.renderer.gpu().info();
        let what = if info.is_software {
            "a driver that computes, without a graphics card"
        } else {
            "a graphics card"
        };
        write!(f, "{what}: {} ({}), by {}", info.name, info.driver, info.interface)
    }
}
