//! What a view of the frame sees.

use glam::camera::rh::proj::directx::perspective;
use glam::{Affine3A, Mat4, Vec3};
use loligo_render::SunShadow;

use super::components::{Camera, Sun};

/// What a view of the frame sees, and by which light. A view of the sun has what the view that it
/// is around sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SceneView {
    /// Where the camera is.
    pub eye: Affine3A,
    /// How it projects.
    pub camera: Camera,
    /// The light.
    pub sun: Sun,
    /// The direction in which the sun shines.
    pub sun_direction: Vec3,
    /// Which part of its targets it draws.
    pub rectangle: [f32; 4],
    /// Whether it is drawn.
    pub is_drawn: bool,
}

impl SceneView {
    /// Returns the matrix from the world to the camera.
    #[must_use]
    pub(crate) fn view(&self) -> Mat4 {
        Mat4::from(self.eye.inverse())
    }

    /// Returns the matrix from the camera to clip space, with depths from 0 to 1, for a picture of
    /// this size in pixels.
    #[must_use]
    pub(crate) fn projection(&self, pixels: [u32; 2]) -> Mat4 {
        let [width, height] = pixels.map(|side| side.max(1) as f32);
        let Camera { field_of_view, near, far } = self.camera;
        perspective(field_of_view, width / height, near, far)
    }

    /// Returns how the sun sees what is near the camera, on a map of `pixels` pixels on a side: from
    /// where to where, in parts of the distance at which it throws shadows.
    pub(crate) fn shadow(&self, reach: [f32; 2], projection: Mat4, pixels: u32) -> SunShadow {
        let (towards_sun, camera) = (-self.sun_direction, Mat4::from(self.eye));
        let (pixels, distance) = (pixels.max(1), self.sun.shadow_distance);
        if reach != [0.0, 1.0] {
            let slice = reach.map(|part| part * distance);
            return SunShadow::of_slice(towards_sun, camera, projection, slice, pixels);
        }
        // Of the whole, what is aside gives way to finer shadows of what is in the middle.
        let radius = distance * 0.5;
        let center = camera.w_axis.truncate() - camera.z_axis.truncate() * radius;
        SunShadow::new(towards_sun, center, radius, radius * 3.0, pixels)
    }
}
