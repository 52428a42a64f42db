//! What a view of the frame sees.

use glam::camera::rh::proj::directx::{orthographic, perspective};
use glam::{Affine3A, Mat4, Vec2, Vec3};

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
