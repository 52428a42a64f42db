//! What goes to the render thread for a frame, and comes back.

use glam::{Affine3A, Mat4, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{Array, EventStream};
use loligo_render::StateStream;

use crate::components::{Camera, Sun};
use crate::renderer::RenderFault;

/// What is seen of a frame, and by which light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scene {
    /// Which frame it is, from 0 on.
    pub frame: u64,
    /// The game's time, in seconds.
    pub time: f32,
    /// The width and height of the picture, in pixels.
    pub size: [u32; 2],
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
        glam::camera::rh::proj::directx::perspective(field_of_view, width / height, near, far)
    }

    /// Returns the matrix from the world to the shadow map: of the box around what the camera sees near by. It moves
    /// by whole pixels of a map of `pixels` on a side, so that shadows do not swim.
    #[must_use]
    pub(crate) fn shadow(&self, pixels: f32) -> Mat4 {
        let reach = self.sun.shadow_distance;
        let eye = Mat4::from(self.eye);
        let center = eye.w_axis.truncate() - eye.z_axis.truncate() * (reach * 0.5);
        let up = if self.sun_direction.y.abs() > 0.99 { Vec3::X } else { Vec3::Y };
        let view = glam::camera::rh::view::look_to_mat4(Vec3::ZERO, self.sun_direction, up);
        let step = reach / pixels.max(1.0);
        let middle = view.transform_point3(center);
        let middle =
            Vec3::new((middle.x / step).floor() * step, (middle.y / step).floor() * step, middle.z);
        let half = reach * 0.5;
        let projection = glam::camera::rh::proj::directx::orthographic(
            middle.x - half,
            middle.x + half,
            middle.y - half,
            middle.y + half,
            -middle.z - reach * 2.0,
            -middle.z + reach * 2.0,
        );
        projection * view
    }
}

/// What is to be done with a frame besides drawing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Its commands as text.
    pub(crate) text: bool,
    /// Its pixels.
    pub(crate) picture: bool,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// How many meshes there are.
    pub meshes: u32,
    /// How many draws were asked for.
    pub draws: u64,
    /// How many records of indirect draws they became.
    pub records: u32,
    /// The processor time of the render thread outside of who draws, in nanoseconds.
    pub own_ns: u64,
    /// That of who draws: of the graphics API, or of the text.
    pub back_end_ns: u64,
}

/// A frame on its way to the render thread and back. It keeps its memory from frame to frame.
pub(crate) struct Packet<'a, A: Allocator + ?Sized> {
    pub(crate) state: StateStream<'a, A>,
    pub(crate) uploads: EventStream<'a, A>,
    pub(crate) scene: Scene,
    pub(crate) wanted: Wanted,
    /// Filled where it was wanted.
    pub(crate) text: Array<'a, u8, A>,
    /// Filled where it was wanted: rows of red, green, blue, opacity.
    pub(crate) picture: Array<'a, u8, A>,
    pub(crate) result: Result<Drawn, RenderFault>,
}
