//! What a shadow map of the sun shows.

use glam::camera::rh::proj::directx::orthographic;
use glam::{Mat4, Vec2, Vec3};

use crate::world::View;

/// A view from the sun: what casts shadows is culled and drawn with it, and shaders read its
/// direction from [`FrameData`](crate::gpu::FrameData).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SunShadow {
    /// What it sees.
    pub view: View,
    /// From the world to the map.
    pub view_projection: Mat4,
    /// How many metres a pixel of the map covers.
    pub pixel_metres: f32,
}

impl SunShadow {
    /// Returns a view from the sun onto a sphere that receives shadows, on a map of `map_pixels`
    /// pixels each way. Objects up to `reach` metres from the center towards the sun cast shadows.
    ///
    /// It moves by whole pixels of the map only, so shadows do not crawl when the center moves.
    ///
    /// # Panics
    ///
    /// If the radius is not positive, or the map has no pixels.
    ///
    /// # Examples
    ///
    /// ```
    /// use glam::Vec3;
    /// use loligo_render::gpu::SunShadow;
    ///
    /// let shadow = SunShadow::new(Vec3::new(1.0, 2.0, 0.0), Vec3::ZERO, 32.0, 100.0, 2048);
    /// assert_eq!(shadow.pixel_metres, 1.0 / 32.0);
    /// let center = shadow.view_projection.project_point3(Vec3::ZERO);
    /// assert!(center.x.abs() < 0.001 && center.z > 0.0 && center.z < 1.0, "{center}");
    /// ```
    #[must_use]
    pub fn new(towards_sun: Vec3, center: Vec3, radius: f32, reach: f32, map_pixels: u32) -> Self {
        assert!(radius > 0.0 && map_pixels > 0, "radius {radius}, {map_pixels} pixels");
        let back = towards_sun.try_normalize().unwrap_or(Vec3::Y);
        let right = back.any_orthonormal_pair().0;
        let up = back.cross(right);
        let pixel_metres = 2.0 * radius / map_pixels as f32;
        let across = Vec2::new(center.dot(right), center.dot(up));
        let whole = (across / pixel_metres).round() * pixel_metres;
        let place = right * whole.x + up * whole.y;
        let reach = reach.max(radius);
        let eye = place + back * (center.dot(back) + reach);
        // Rows of the camera's axes: from the world to the sun, which looks along -z.
        let view =
            Mat4::from_cols(right.extend(0.0), up.extend(0.0), back.extend(0.0), eye.extend(1.0))
                .inverse();
        let projection = orthographic(-radius, radius, -radius, radius, 0.0, reach + radius);
        let view_projection = projection * view;
        Self { view: View::new(view, projection), view_projection, pixel_metres }
    }
}
