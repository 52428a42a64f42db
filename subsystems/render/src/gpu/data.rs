//! Plain data that shaders see, and that resources are uploaded from.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};
use loligo_allocators::Allocator;
use loligo_ids::IdString64;

use crate::frame::SHADOW_MAPS_MAX;
use crate::lights::{FrameLights, LIGHT_BINS};
use crate::state::Light;
use crate::sun::SunShadow;
use crate::texture::TextureWrap;
use crate::texture_packing::TexturePacking;

/// How many bytes a vertex has: position, normal and texture coordinates, 32-bit floats.
pub const VERTEX_BYTES: usize = 32;

/// What all shaders of a frame see: `Frame` in the [layout](crate::gpu).
///
/// # Memory
///
/// 672 bytes.
///
/// # Examples
///
/// ```
/// use glam::{Mat4, Vec3};
/// use loligo_render::gpu::FrameData;
///
/// let mut data = FrameData::default();
/// data.set_camera(Mat4::IDENTITY, Mat4::IDENTITY);
/// data.set_sun(Vec3::new(1.0, 2.0, 0.5), [3.0, 2.8, 2.4]);
/// assert!((data.sun_direction[1] - 0.873).abs() < 0.001, "it is 1 long");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FrameData {
    /// From the world to the screen: columns.
    pub view_projection: [[f32; 4]; 4],
    /// Back.
    pub inverse_view_projection: [[f32; 4]; 4],
    /// From the world to the shadow map.
    pub sun_view_projection: [[f32; 4]; 4],
    /// Where the camera is, and how many seconds have passed since the start.
    pub eye: [f32; 4],
    /// Towards the sun, 1 long; and how many metres a pixel of the shadow map covers.
    pub sun_direction: [f32; 4],
    /// The color of the sun's light, linear, times its brightness.
    pub sun_color: [f32; 4],
    /// The light that comes from above.
    pub sky_color: [f32; 4],
    /// The light that comes from below.
    pub ground_color: [f32; 4],
    /// The color of what is far away, and how dense the haze is, per metre.
    pub fog: [f32; 4],
    /// The window's width and height in pixels, and 1 / each.
    /// [`GpuRenderer`](crate::gpu::GpuRenderer) fills it in.
    pub window: [f32; 4],
    /// How many lights and instances there are, and the number of the frame, all filled in, too; how
    /// many shadow maps there are.
    pub numbers: [u32; 4],
    /// The depth at which the bins of lights begin, and how many there are for each metre. Filled
    /// in, too.
    pub light_bins: [f32; 4],
    /// From the world to each shadow map, the finest first, of which `numbers[3]` are there.
    pub sun_maps: [[[f32; 4]; 4]; SHADOW_MAPS_MAX],
    /// Which part of the target each is, from 0 to 1: left, top, width and height.
    pub sun_parts: [[f32; 4]; SHADOW_MAPS_MAX],
    /// How many metres a pixel of each covers.
    pub sun_metres: [f32; SHADOW_MAPS_MAX],
}

const _: () = assert!(size_of::<FrameData>() == 672, "shaders read it so");

impl FrameData {
    /// Sets the camera: from the world to it, along -z, and how it projects, to depths from 0 to 1.
    pub fn set_camera(&mut self, view: Mat4, projection: Mat4) {
        let both = projection * view;
        self.view_projection = both.to_cols_array_2d();
        self.inverse_view_projection = both.inverse().to_cols_array_2d();
        let eye = view.inverse().w_axis;
        self.eye = [eye.x, eye.y, eye.z, self.eye[3]];
    }

    /// Sets where the sun is, in any length, and the color of its light.
    pub fn set_sun(&mut self, towards: Vec3, [r, g, b]: [f32; 3]) {
        let [x, y, z] = towards.try_normalize().unwrap_or(Vec3::Y).to_array();
        self.sun_direction = [x, y, z, self.sun_direction[3]];
        self.sun_color = [r, g, b, 0.0];
    }

    /// Sets what the shadow map shows: a target as a whole.
    pub fn set_shadow(&mut self, shadow: &SunShadow) {
        self.set_shadows([(shadow, [0.0, 0.0, 1.0, 1.0])]);
    }

    /// Sets what shadow maps show, the finest first, and which part of the target each is. More than
    /// [`SHADOW_MAPS_MAX`] are not looked at. What passes of a shadow map draw is drawn for the
    /// first.
    pub fn set_shadows<'s>(
        &mut self,
        shadows: impl IntoIterator<Item = (&'s SunShadow, [f32; 4])>,
    ) {
        let mut count = 0;
        for (at, (shadow, part)) in shadows.into_iter().take(SHADOW_MAPS_MAX).enumerate() {
            self.sun_maps[at] = shadow.view_projection.to_cols_array_2d();
            (self.sun_parts[at], self.sun_metres[at]) = (part, shadow.pixel_metres);
            count = at as u32 + 1;
        }
        self.numbers[3] = count;
        self.sun_view_projection = self.sun_maps[0];
        self.sun_direction[3] = self.sun_metres[0];
    }
}

impl Default for FrameData {
    /// A camera at the origin, a sun high in the sky on a clear day, and no haze.
    fn default() -> Self {
        let mut data: Self = Zeroable::zeroed();
        data.set_camera(Mat4::IDENTITY, Mat4::IDENTITY);
        data.sun_view_projection = Mat4::IDENTITY.to_cols_array_2d();
        data.set_sun(Vec3::new(0.5, 1.0, 0.3), [3.0, 2.8, 2.4]);
        data.sky_color = [0.35, 0.5, 0.8, 0.0];
        data.ground_color = [0.2, 0.18, 0.15, 0.0];
        data.fog = [0.6, 0.7, 0.85, 0.0];
        data
    }
}

/// A grid whose bins no light reaches.
const NO_LIGHTS: [u32; LIGHT_BINS] = [0xffff; LIGHT_BINS];

/// What a view of a frame is drawn with.
#[derive(Clone, Copy, Debug)]
pub struct SeenView<'v> {
    /// What shaders see in its passes.
    pub data: FrameData,
    /// The lights that it is lit by.
    pub lights: &'v [Light],
    /// Where they are on the screen: the words of [`FrameLights::grid`].
    pub light_grid: &'v [u32],
    /// Which part of the targets it draws, from 0 to 1: left, top, width and height.
    pub rectangle: [f32; 4],
}

impl<'v> SeenView<'v> {
    /// Returns a view that draws the whole of its targets, and is lit by the sun alone.
    #[must_use]
    pub const fn new(data: FrameData) -> Self {
        Self { data, lights: &[], light_grid: &NO_LIGHTS, rectangle: [0.0, 0.0, 1.0, 1.0] }
    }

    /// Returns the same lit by lights.
    #[must_use]
    pub fn lit_by<A: Allocator + ?Sized>(self, lights: &'v FrameLights<'_, A>) -> Self {
        if lights.as_slice().is_empty() {
            return self;
        }
        let [start, scale] = lights.bins();
        let data = FrameData { light_bins: [start, scale, 0.0, 0.0], ..self.data };
        Self { data, lights: lights.as_slice(), light_grid: lights.grid(), ..self }
    }
}

/// A material: what a draw's state number names.
///
/// # Memory
///
/// 104 bytes, of which shaders see 64 that are made of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialData {
    /// Red, green, blue and opacity, linear.
    pub base_color: [f32; 4],
    /// From 0, a mirror, to 1.
    pub roughness: f32,
    /// From 0 to 1, metal.
    pub metallic: f32,
    /// How bright it is by itself, times its color.
    pub emission: f32,
    /// Four numbers for the shader.
    pub extra: [f32; 4],
    /// The number of its shader.
    pub shader: u32,
    /// The opacity below which nothing is drawn, or 0: then the entry points for cutouts are not
    /// used.
    pub cutout: f32,
    /// The numbers of its textures, in the order of [`MaterialTexture`](crate::MaterialTexture); without, one white pixel,
    /// or one that leaves normals as they are.
    pub textures: [Option<u32>; 4],
    /// The name of the target that it shows in place of its first texture, hashed. One pixel is
    /// white where the frame has no such target, or none whose pixels can be mixed; what is drawn
    /// into it does not show it.
    pub target: Option<IdString64>,
    /// Returns `true` if backs are drawn as fronts are.
    pub two_sided: bool,
    /// Returns `true` if passes that draw depth alone draw it.
    pub casts_shadow: bool,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<MaterialData>() == 104, "its doc states it");

impl Default for MaterialData {
    /// White, rough, of shader 0.
    fn default() -> Self {
        Self {
            base_color: [1.0; 4],
            roughness: 0.8,
            metallic: 0.0,
            emission: 0.0,
            extra: [0.0; 4],
            shader: 0,
            cutout: 0.0,
            textures: [None; 4],
            target: None,
            two_sided: false,
            casts_shadow: true,
        }
    }
}

impl MaterialData {
    /// Returns what shaders see of it.
    pub(super) fn seen(&self) -> [[f32; 4]; 4] {
        let Self { base_color: [r, g, b, a], roughness, metallic, emission, cutout, .. } = *self;
        let [x, y, z, w] = self.extra;
        let bit = |(at, texture): (usize, &Option<u32>)| u32::from(texture.is_some()) << at;
        let bits = self.textures.iter().enumerate().map(bit).sum::<u32>();
        let bits = bits | u32::from(self.target.is_some());
        let textures = f32::from_bits(bits);
        [
            [r, g, b, a],
            [roughness, metallic, emission, cutout],
            [x, y, z, w],
            [textures, 0.0, 0.0, 0.0],
        ]
    }
}

/// A texture.
#[derive(Clone, Copy, Debug)]
pub struct TextureData<'d> {
    /// How wide and how high it is.
    pub pixels: [u32; 2],
    /// Returns `true` if its colors are in sRGB; normals and such are not.
    pub is_srgb: bool,
    /// How many levels it has, each half as wide and as high as the one before.
    pub levels: u32,
    /// What is seen beyond its edges, where it is a material's first texture.
    pub wrap: TextureWrap,
    /// How its pixels are stored. A card that reads no blocks gets pixels that are made of them.
    pub packing: TexturePacking,
    /// The pixels of all levels, the largest first, without gaps.
    pub data: &'d [u8],
}

/// Other large levels of a texture that is there: more of them, or fewer.
#[derive(Clone, Copy, Debug)]
pub struct TextureLevels<'d> {
    /// How wide and how high its largest level is to be.
    pub pixels: [u32; 2],
    /// How many levels it is to have.
    pub levels: u32,
    /// The pixels of those that it does not have, the largest first, without gaps.
    pub data: &'d [u8],
}
