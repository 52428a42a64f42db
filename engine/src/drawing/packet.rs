//! What goes to the render thread for a frame, and comes back.

use glam::camera::rh::proj::directx::{orthographic, perspective};
use glam::{Affine3A, Mat4, Vec2, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_render::StateStream;

use crate::assets::Uploads;
use crate::error::RenderError;
use crate::world::{Camera, Sun};

/// What is seen of a frame, and by which light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scene {
    /// Which frame it is, from 0 on.
    pub frame: u64,
    /// The game's time, in seconds.
    pub time: f32,
    /// The width and height of the picture, in pixels.
    pub size: [u32; 2],
    /// Whether a window shows it: `false` if there is no window, or it is minimised.
    pub is_shown: bool,
    /// Where the camera is.
    pub eye: Affine3A,
    /// How it projects.
    pub camera: Camera,
    /// The light.
    pub sun: Sun,
    /// The direction in which the sun shines.
    pub sun_direction: Vec3,
}

impl Scene {
    /// Returns the matrix from the world to the camera.
    #[must_use]
    pub(crate) fn view(&self) -> Mat4 {
        Mat4::from(self.eye.inverse())
    }

    /// Returns the matrix from the camera to clip space, with depths from 0 to 1.
    #[must_use]
    pub(crate) fn projection(&self) -> Mat4 {
        let [width, height] = self.size.map(|side| side.max(1) as f32);
        let Camera { field_of_view, near, far } = self.camera;
        perspective(field_of_view, width / height, near, far)
    }

    /// Returns how the sun sees what is near the camera, on a map of `pixels` pixels on a side. It
    /// moves by whole pixels of the map, so that shadows do not crawl.
    pub(crate) fn shadow(&self, pixels: u32) -> Shadow {
        let radius = self.sun.shadow_distance * 0.5;
        let eye = Mat4::from(self.eye);
        let center = eye.w_axis.truncate() - eye.z_axis.truncate() * radius;
        let back = -self.sun_direction;
        let right = back.any_orthonormal_pair().0;
        let up = back.cross(right);
        let pixel_metres = 2.0 * radius / pixels.max(1) as f32;
        let across = Vec2::new(center.dot(right), center.dot(up));
        let whole = (across / pixel_metres).round() * pixel_metres;
        let reach = radius * 3.0;
        let place = right * whole.x + up * whole.y + back * (center.dot(back) + reach);
        let view =
            Mat4::from_cols(right.extend(0.0), up.extend(0.0), back.extend(0.0), place.extend(1.0))
                .inverse();
        let far = reach + radius * 2.0;
        let projection = orthographic(-radius, radius, -radius, radius, 0.0, far);
        Shadow { view, projection, pixel_metres }
    }
}

/// How the sun sees a part of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shadow {
    /// From the world to the sun, which looks along -z.
    pub(crate) view: Mat4,
    /// From there to the map.
    pub(crate) projection: Mat4,
    /// How many metres a pixel of the map covers.
    pub(crate) pixel_metres: f32,
}

/// What is to be done with a frame besides drawing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Its commands as text.
    pub(crate) text: bool,
    /// Its pixels.
    pub(crate) picture: bool,
}

impl Wanted {
    /// Returns what either asks for.
    pub(crate) const fn or(self, other: Self) -> Self {
        Self { text: self.text || other.text, picture: self.picture || other.picture }
    }
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// How many meshes there are.
    pub meshes: u32,
    /// How many draws were asked for.
    pub draws: u64,
    /// How many packages of draws are for the picture itself, and not for shadows.
    pub seen: u64,
    /// How many records of indirect draws they became.
    pub records: u32,
    /// How many point lights it was lit by.
    pub lights: u32,
    /// How many more reach into what the camera sees, and were left out.
    pub lights_left_out: u32,
    /// The processor time of the render thread outside of the back end, in nanoseconds.
    pub own_ns: u64,
    /// That of the back end: of the graphics API, or of the text.
    pub back_end_ns: u64,
}

/// A frame on its way to the render thread and back. It keeps its memory from frame to frame.
pub(crate) struct Packet<'a, A: Allocator + ?Sized> {
    pub(crate) state: StateStream<'a, A>,
    pub(crate) uploads: Uploads<'a, A>,
    pub(crate) scene: Scene,
    pub(crate) wanted: Wanted,
    /// Filled where it was wanted.
    pub(crate) text: Array<'a, u8, A>,
    /// Filled where it was wanted: rows of red, green, blue, opacity.
    pub(crate) picture: Array<'a, u8, A>,
    /// What was wrong with what was uploaded, as text: the last good one stays.
    pub(crate) problems: Array<'a, u8, A>,
    /// Whether uploads and state were taken in. What was not is sent once more.
    pub(crate) is_taken: bool,
    pub(crate) result: Result<Drawn, RenderError>,
}
