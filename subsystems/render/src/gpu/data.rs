//! Plain data that shaders see, and that resources are uploaded from.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};

use crate::gpu::sun::SunShadow;
use crate::state::Light;

/// How many bytes a vertex has: position, normal and texture coordinates, 32-bit floats.
pub const VERTEX_BYTES: usize = 32;

/// What all shaders of a frame see: `Frame` in the [layout](crate::gpu).
///
/// # Memory
///
/// 320 bytes.
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
    /// How many lights and instances there are, and the number of the frame. Filled in, too.
    pub numbers: [u32; 4],
}

const _: () = assert!(size_of::<FrameData>() == 320, "shaders read it so");

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

    /// Sets what the shadow map shows.
    pub fn set_shadow(&mut self, shadow: &SunShadow) {
        self.sun_view_projection = shadow.view_projection.to_cols_array_2d();
        self.sun_direction[3] = shadow.pixel_metres;
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

/// What a view of a frame is drawn with.
#[derive(Clone, Copy, Debug)]
pub struct SeenView<'v> {
    /// What shaders see in its passes.
    pub data: FrameData,
    /// The lights that it is lit by.
    pub lights: &'v [Light],
    /// Which part of the targets it draws, from 0 to 1: left, top, width and height.
    pub rectangle: [f32; 4],
}

impl<'v> SeenView<'v> {
    /// Returns a view that draws the whole of its targets.
    #[must_use]
    pub const fn new(data: FrameData, lights: &'v [Light]) -> Self {
        Self { data, lights, rectangle: [0.0, 0.0, 1.0, 1.0] }
    }
}

/// A material: what a draw's state number names.
///
/// # Memory
///
/// 64 bytes, of which shaders see the first 48.
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
    /// The number of its texture; without, one white pixel.
    pub texture: Option<u32>,
    /// Returns `true` if passes that draw depth alone draw it.
    pub casts_shadow: bool,
}

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
            texture: None,
            casts_shadow: true,
        }
    }
}

impl MaterialData {
    /// Returns what shaders see of it.
    pub(super) fn seen(&self) -> [f32; 12] {
        let Self { base_color: [r, g, b, a], roughness, metallic, emission, extra, .. } = *self;
        let [x, y, z, w] = extra;
        [r, g, b, a, roughness, metallic, emission, 0.0, x, y, z, w]
    }
}

/// A texture: four bytes a pixel.
#[derive(Clone, Copy, Debug)]
pub struct TextureData<'d> {
    /// How wide and how high it is.
    pub pixels: [u32; 2],
    /// Returns `true` if its colors are in sRGB; normals and such are not.
    pub is_srgb: bool,
    /// How many levels it has, each half as wide and as high as the one before.
    pub levels: u32,
    /// The pixels of all levels, the largest first, without gaps.
    pub data: &'d [u8],
}
