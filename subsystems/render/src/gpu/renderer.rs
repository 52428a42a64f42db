//! What draws frames with the graphics card.

use core::fmt;

use loligo_allocators::{Allocator, Own};
use loligo_gpu::{CardJob, Gpu, GpuError, Texture};

use crate::backend::{Recorded, play};
use crate::draw::{Geometry, IndirectArgs};
use crate::frame::{COLORS_MAX, FrameDescription};
use crate::gpu::data::{FrameData, MaterialData, SeenView, TextureData, TextureLevels};
use crate::gpu::error::GpuRenderError;
use crate::gpu::instances::Instances;
use crate::gpu::jobs::Jobs;
use crate::gpu::materials::Materials;
use crate::gpu::meshes::Meshes;
use crate::gpu::play::{Bindings, Playing};
use crate::gpu::shaders::{Layouts, Shaders};
use crate::gpu::skinner::Skinner;
use crate::gpu::sums::GpuSums;
use crate::gpu::targets::{Samplers, Targets};
use crate::gpu::textures::blocks_of;
use crate::gpu::triangles::Triangles;
use crate::mesh::SkinVertex;
use crate::morph::Morph;
use crate::skinned::Skinning;
use crate::state::{RowParameters, Transform};
use crate::texture_packing::CardBlocks;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    /// The vertices of all meshes together, 32 bytes each.
    pub vertices_max: u32,
    /// The indices of all meshes together, 4 bytes each.
    pub indices_max: u32,
}

impl Default for GpuOptions {
    /// 512 Ki vertices and 2 Mi indices: 16 MiB and 8 MiB.
    fn default() -> Self {
        Self { vertices_max: 1 << 19, indices_max: 1 << 21 }
    }
}

/// Draws frames with a graphics card: owns the card, what was uploaded, and the targets of the
/// frame.
///
/// Meshes, textures, shaders and materials have numbers below
/// [`NUMBERS_MAX`](crate::gpu::NUMBERS_MAX), which the program gives out; setting a number again
/// replaces what it names, and where that fails the old one stays. A draw's state is the number of
/// a material.
///
/// # Complexity
///
/// A frame costs O(transforms) to find those that changed, O(records) to check and to copy them,
/// and O(commands) calls of wgpu. The first frame with a new shader waits until its pipelines are
/// compiled.
///
/// # Memory
///
/// Ours is from the allocator that it is given: 48 bytes for each transform, some 8 bytes for each
/// 64 vertices and indices that there is room for, and a slot for each number. wgpu takes its own
/// from the program's global allocator, in the hook of [`loligo_gpu::set_scope`]; the driver from
/// the system.
///
/// # Threads
///
/// `Send` where the allocator is `Sync`: it lives on the thread that renders.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_gpu::{Gpu, GpuOptions};
/// use loligo_render::FrameDescription;
/// use loligo_render::gpu::{GpuRenderer, MaterialData};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("render", &pages);
/// let gpu = match Gpu::try_new(&GpuOptions::default()) {
///     Ok(gpu) => gpu,
///     Err(error) => return println!("{error}"),
/// };
/// let mut renderer = GpuRenderer::try_new(gpu, &Default::default(), &heap).expect("a device");
/// renderer.try_set_material(3, &MaterialData::default()).expect("a small one");
/// let wrong = renderer.try_set_shader(0, "red.shader", "fn vs_main() -> vec4<f64> {}");
/// println!("{}", wrong.expect_err("there are no such floats")); // red.shader:1:17: ..
/// ```
pub struct GpuRenderer<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    memory: &'a A,
    frames: u32,
    targets: Option<Targets<'a, A>>,
    shaders: Shaders<'a, A>,
    materials: Materials<'a, A>,
    instances: Instances<'a, A>,
    meshes: Meshes<'a, A>,
    triangles: Triangles<'a, A>,
    jobs: Jobs<'a, A>,
    skinner: Skinner<'a, A>,
    samplers: Samplers,
    /// Dropped last.
    gpu: Gpu,
}

impl<'a> GpuRenderer<'a> {
    /// Makes a renderer for a graphics card, without anything to draw.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Gpu`] or [`GpuRenderError::Full`] if there is no memory for the buffers of
    /// meshes.
    pub fn try_new(
        gpu: Gpu,
        options: &GpuOptions,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GpuRenderError> {
        Self::try_new_in(gpu, options, memory)
    }
}

impl<'a, A: Allocator + ?Sized> GpuRenderer<'a, A> {
    /// As [`try_new`](Self::try_new), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_new`](Self::try_new).
    pub fn try_new_in(
        gpu: Gpu,
        options: &GpuOptions,
        memory: &'a A,
    ) -> Result<Self, GpuRenderError> {
        let GpuOptions { vertices_max, indices_max } = *options;
        Ok(Self {
            memory,
            frames: 0,
            targets: None,
            shaders: Shaders::new_in(memory),
            materials: Materials::try_new_in(&gpu, memory)?,
            instances: Instances::try_new_in(&gpu, memory)?,
            meshes: Meshes::try_new_in(&gpu, vertices_max, indices_max, memory)?,
            triangles: Triangles::new_in(memory),
            jobs: Jobs::new_in(memory),
            skinner: Skinner::new_in(memory),
            samplers: Samplers::try_new(&gpu)?,
            gpu,
        })
    }

    /// Returns the graphics card.
    #[must_use]
    pub const fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Makes the targets of a frame for a window of this size in pixels. It is called again when
    /// the window or the frame changes; pipelines are recreated only where the frame draws into
    /// targets of other kinds.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Gpu`] or [`GpuRenderError::Memory`]; the frame that was set before stays.
    pub fn try_set_frame<B: Allocator + ?Sized>(
        &mut self,
        frame: &FrameDescription<'_, B>,
        window: [u32; 2],
    ) -> Result<(), GpuRenderError> {
        let (gpu, samplers) = (&self.gpu, &self.samplers);
        let targets = Targets::try_new_in(gpu, samplers, frame, window, self.memory)?;
        let fits = self.targets.as_ref().is_some_and(|old| old.are_like(&targets));
        self.materials.try_show(&self.gpu, &targets)?;
        self.targets = Some(targets);
        if !fits {
            self.shaders.forget_pipelines();
        }
        Ok(())
    }

    /// Sets a mesh: vertices as bytes, [`VERTEX_BYTES`](crate::gpu::VERTEX_BYTES) each, and three
    /// indices for each triangle. Returns where it is, which its draws must name: a mesh that
    /// replaces a smaller one is moved.
    ///
    /// # Complexity
    ///
    /// O(vertices + indices).
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Mesh`], [`GpuRenderError::Full`], [`GpuRenderError::Number`], or what the
    /// card says.
    pub fn try_set_mesh(
        &mut self,
        number: u32,
        vertices: &[u8],
        indices: &[u32],
    ) -> Result<Geometry, GpuRenderError> {
        self.try_set_moved_mesh(number, vertices, indices, &[], &Morph::default())
    }

    /// As [`try_set_mesh`](Self::try_set_mesh), for a mesh that bones move: `skin` says which, for
    /// each vertex. It can be drawn as it is at rest, and as bones have moved it
    /// ([`Skinning`](crate::Skinning)): then its vertices begin at
    /// [`first_moved`](Self::first_moved).
    ///
    /// # Complexity
    ///
    /// O(vertices + indices).
    ///
    /// # Errors
    ///
    /// As those of [`try_set_mesh`](Self::try_set_mesh); [`GpuRenderError::Mesh`] if the skin is not
    /// of all vertices.
    pub fn try_set_skinned_mesh(
        &mut self,
        number: u32,
        vertices: &[u8],
        indices: &[u32],
        skin: &[SkinVertex],
    ) -> Result<Geometry, GpuRenderError> {
        self.try_set_moved_mesh(number, vertices, indices, skin, &Morph::default())
    }

    /// As [`try_set_skinned_mesh`](Self::try_set_skinned_mesh), for a mesh that targets move, and
    /// bones where there is a skin.
    ///
    /// # Complexity
    ///
    /// O(vertices + indices + deltas).
    ///
    /// # Errors
    ///
    /// As those of [`try_set_skinned_mesh`](Self::try_set_skinned_mesh); [`GpuRenderError::Mesh`] if
    /// the targets are not of all vertices.
    pub fn try_set_moved_mesh(
        &mut self,
        number: u32,
        vertices: &[u8],
        indices: &[u32],
        skin: &[SkinVertex],
        morph: &Morph<'_>,
    ) -> Result<Geometry, GpuRenderError> {
        self.meshes.try_set(&self.gpu, number, vertices, indices, (skin, morph))
    }

    /// Moves the vertices of meshes by targets and bones, for all that is drawn after it until the next time.
    ///
    /// # Complexity
    ///
    /// O(vertices / 64 + bones); the card does the rest.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Skin`] for a mesh without the skin or the targets, or bones or weights that are not there,
    /// [`GpuRenderError::Full`] for more vertices than there is room for, or what the card says.
    pub fn try_skin(&mut self, skinning: &Skinning<'_>) -> Result<(), GpuRenderError> {
        if skinning.meshes.is_empty() {
            return Ok(());
        }
        let mut encoder = self.gpu.encoder();
        self.skinner.try_skin(&self.gpu, &mut self.meshes, &mut encoder, skinning)?;
        Ok(self.gpu.try_submit(encoder)?)
    }

    /// Sends the parameters of instances, for all that is drawn after it until the next time:
    /// [`RenderWorld::parameters`](crate::RenderWorld::parameters). Those that have changed are
    /// sent.
    ///
    /// # Complexity
    ///
    /// O(instances) once there are any, O(1) before.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Memory`], or what the card says.
    pub fn try_set_parameters(
        &mut self,
        parameters: &RowParameters<'_>,
    ) -> Result<(), GpuRenderError> {
        self.instances.try_send_parameters(&self.gpu, parameters)
    }

    /// Returns the number of the first vertex that bones move in a frame: what the geometry of a
    /// draw of such a mesh has as `base_vertex`, plus
    /// [`SkinnedMesh::first_vertex`](crate::SkinnedMesh). O(1).
    #[must_use]
    pub const fn first_moved(&self) -> u32 {
        self.meshes.first_moved() as u32
    }

    /// Returns which textures of blocks the card stores as they are.
    #[must_use]
    pub fn blocks(&self) -> CardBlocks {
        blocks_of(&self.gpu)
    }

    /// Returns where a mesh is. O(1).
    #[must_use]
    pub fn geometry(&self, number: u32) -> Option<Geometry> {
        self.meshes.geometry(number)
    }

    /// Sets a texture; materials that name it show it from the next frame on.
    ///
    /// # Complexity
    ///
    /// O(bytes + materials).
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Texture`], [`GpuRenderError::Number`], or what the card says.
    pub fn try_set_texture(
        &mut self,
        number: u32,
        texture: &TextureData<'_>,
    ) -> Result<(), GpuRenderError> {
        self.materials.try_set_texture(&self.gpu, number, texture, self.targets.as_ref())
    }

    /// Gives a texture that was set more of its large levels, or takes some away: what it has in
    /// common with before is copied on the card.
    ///
    /// # Complexity
    ///
    /// O(bytes + materials).
    ///
    /// # Memory
    ///
    /// Both are on the card until it is done with the one before.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Nothing`] without such a texture, [`GpuRenderError::Texture`], or what the
    /// card says; the texture stays as it was.
    pub fn try_resize_texture(
        &mut self,
        number: u32,
        levels: &TextureLevels<'_>,
    ) -> Result<(), GpuRenderError> {
        self.materials.try_resize_texture(&self.gpu, number, levels, self.targets.as_ref())
    }

    /// Sets a shader: WGSL, as the [layout](crate::gpu) says. `name` is what errors begin with.
    /// Pipelines that were made of the one before are recreated at once.
    ///
    /// # Errors
    ///
    /// [`GpuError::Shader`] with file, line and column within [`GpuRenderError::Gpu`],
    /// [`GpuRenderError::Number`], or what the card says.
    pub fn try_set_shader(
        &mut self,
        number: u32,
        name: &str,
        text: &str,
    ) -> Result<(), GpuRenderError> {
        let shader = self.gpu.try_shader(name, text)?;
        let Materials { layout: material, maps_layout: maps, .. } = &self.materials;
        let layouts = Layouts { frame: &self.instances.layout, material, maps };
        self.shaders.try_set(&self.gpu, layouts, self.targets.as_ref(), number, shader)
    }

    /// Sets a material. Its texture must be there; its shader need not be before it is drawn.
    ///
    /// # Complexity
    ///
    /// O(1); changing numbers alone writes 48 bytes.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Nothing`] if there is no such texture, [`GpuRenderError::Number`], or what
    /// the card says.
    pub fn try_set_material(
        &mut self,
        number: u32,
        material: &MaterialData,
    ) -> Result<(), GpuRenderError> {
        self.materials.try_set(&self.gpu, number, material, self.targets.as_ref())
    }

    /// Returns `true` if a shader of that number was set.
    #[must_use]
    pub fn has_shader(&self, number: u32) -> bool {
        self.shaders.contains(number)
    }

    /// Returns `true` if a texture of that number was set.
    #[must_use]
    pub fn has_texture(&self, number: u32) -> bool {
        self.materials.has_texture(number)
    }

    /// Removes a mesh, and gives its room back. The display list may not name it any more.
    pub fn remove_mesh(&mut self, number: u32) {
        self.meshes.remove(number);
    }

    /// Removes a material: a draw of its state is an error from now on.
    pub fn remove_material(&mut self, number: u32) {
        self.materials.remove(number);
    }

    /// Removes a texture. The card keeps it for as long as a material shows it.
    pub fn remove_texture(&mut self, number: u32) {
        self.materials.remove_texture(number);
    }

    /// Removes a shader, and the pipelines that were made of it.
    pub fn remove_shader(&mut self, number: u32) {
        self.shaders.remove(number);
    }

    /// Adds a kind of work, by the number that its jobs have; it replaces an older one.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Memory`] if there is no memory.
    pub fn try_add_job(
        &mut self,
        kind: u32,
        job: Own<'a, dyn CardJob + 'a, A>,
    ) -> Result<(), GpuRenderError> {
        self.jobs.try_add(kind, job)
    }

    /// Draws a frame: a display list, with the transforms that its instances number, and for each
    /// view of the frame, by its number, what its passes are drawn with. It does not wait until the
    /// card is done.
    ///
    /// The second transforms are those of this frame alone, numbered after the first: all of them
    /// are sent, while of the first those are that have changed.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Record`] if a record reaches over the indices or the transforms,
    /// [`GpuRenderError::Nothing`] if a state names no material or a material no shader,
    /// [`GpuRenderError::Frame`] if no frame was set or another one, or a pass draws a view that is
    /// not given, [`GpuRenderError::Job`], or
    /// what the card says. The window shows the frame before, whole or in part.
    ///
    /// # Panics
    ///
    /// As [`play`] does.
    pub fn try_draw<'c, B: Allocator + ?Sized, C: Allocator + ?Sized>(
        &mut self,
        views: &[SeenView<'_>],
        transforms: [&[Transform]; 2],
        recorded: &Recorded<'_, 'c, B, C>,
    ) -> Result<GpuSums, GpuRenderError> {
        let Some(targets) = &self.targets else {
            return Err(GpuRenderError::Frame { pass: 0 });
        };
        let records = recorded.list.args();
        let instances = transforms[0].len() + transforms[1].len();
        check(records, self.meshes.indices_max(), instances as u64)?;
        self.jobs.prepare(&self.gpu, recorded)?;
        self.triangles.clear();
        let [width, height] = targets.window.map(|pixels| pixels as f32);
        let frames = self.frames;
        let data = |view: &SeenView<'_>| FrameData {
            window: [width, height, 1.0 / width, 1.0 / height],
            numbers: [view.lights.len() as u32, instances as u32, frames, view.data.numbers[3]],
            ..view.data
        };
        let sent = self.instances.try_send(&self.gpu, views, data, transforms, records)?;
        let mut playing = Playing {
            gpu: &self.gpu,
            meshes: &self.meshes,
            materials: &self.materials,
            instances: &self.instances,
            shaders: &mut self.shaders,
            targets,
            triangles: &mut self.triangles,
            jobs: &mut self.jobs,
            number: 0,
            view: 0,
            views,
            encoder: self.gpu.encoder(),
            pass: None,
            drawn: [u16::MAX; COLORS_MAX],
            is_shadow: false,
            layer: 0,
            bound: Bindings::NONE,
            sums: GpuSums { transforms: u64::from(sent), ..GpuSums::default() },
        };
        play(recorded, &mut playing)?;
        let Playing { encoder, sums, .. } = playing;
        self.gpu.try_submit(encoder)?;
        self.frames = self.frames.wrapping_add(1);
        Ok(sums)
    }

    /// Returns the size in pixels that the targets were made for, or zeros before the first
    /// [`try_set_frame`](Self::try_set_frame).
    #[must_use]
    pub fn window(&self) -> [u32; 2] {
        self.targets.as_ref().map_or([0; 2], |targets| targets.window)
    }

    /// Returns what the player sees, as it is on the card: to be shown in a window.
    ///
    /// # Errors
    ///
    /// [`GpuRenderError::Frame`] if no frame was set.
    pub fn try_window_texture(&self) -> Result<&Texture, GpuRenderError> {
        let targets = self.targets.as_ref().ok_or(GpuRenderError::Frame { pass: 0 })?;
        Ok(targets.window_texture())
    }

    /// Reads what the player sees: four bytes a pixel, the colors in sRGB, the topmost row first.
    /// Waits until the frame is drawn.
    ///
    /// # Errors
    ///
    /// [`GpuError::Size`] within [`GpuRenderError::Gpu`] if `into` has not 4 bytes for each pixel
    /// of the window, and what the card says; [`GpuRenderError::Frame`] if no frame was set.
    pub fn try_read_window(&self, into: &mut [u8]) -> Result<(), GpuRenderError> {
        Ok(self.gpu.try_read_texture(self.try_window_texture()?, into)?)
    }

    /// Waits until all that was drawn is done.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`] within [`GpuRenderError::Gpu`].
    pub fn try_wait(&self) -> Result<(), GpuRenderError> {
        self.gpu.try_wait().map_err(|error: GpuError| error.into())
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for GpuRenderer<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuRenderer")
            .field("gpu", &self.gpu)
            .field("window", &self.window())
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

/// Checks that no record reaches over what was uploaded, as no driver is bound to.
fn check(records: &[IndirectArgs], indices: u64, instances: u64) -> Result<(), GpuRenderError> {
    for (number, record) in records.iter().enumerate() {
        let ends = [
            ("indices", u64::from(record.first_index) + u64::from(record.index_count), indices),
            (
                "instances",
                u64::from(record.first_instance) + u64::from(record.instance_count),
                instances,
            ),
        ];
        if let Some((what, end, limit)) = ends.into_iter().find(|(_, end, limit)| end > limit) {
            return Err(GpuRenderError::Record { record: number as u32, what, end, limit });
        }
    }
    Ok(())
}
