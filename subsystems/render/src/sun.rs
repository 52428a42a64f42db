//! What a shadow map of the sun shows.

use glam::camera::rh::proj::directx::orthographic;
use glam::{Mat4, Vec2, Vec3};

use crate::world::View;

/// A view from the sun: what casts shadows is culled and drawn with it, and shaders read its
/// direction with the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SunShadow {
    /// What it sees.
    pub view: View,
    /// Where the sun's camera is: from it to the world.
    pub eye: Mat4,
    /// From the camera to the map.
    pub projection: Mat4,
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
    /// use loligo_render::SunShadow;
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
        let eye =
            Mat4::from_cols(right.extend(0.0), up.extend(0.0), back.extend(0.0), eye.extend(1.0));
        let view = eye.inverse();
        let projection = orthographic(-radius, radius, -radius, radius, 0.0, reach + radius);
        let view_projection = projection * view;
        let view = View::new(view, projection);
        Self { view, eye, projection, view_projection, pixel_metres }
    }

    /// Returns a view from the sun onto what a camera sees between two distances from it, on a map
    /// of `map_pixels` pixels each way. The sphere that receives shadows is as large however the
    /// camera turns, so that shadows do not crawl.
    ///
    /// # Panics
    ///
    /// If the distances are not positive and in order, or the map has no pixels.
    ///
    /// # Examples
    ///
    /// ```
    /// use glam::camera::rh::proj::directx::perspective;
    /// use glam::{Mat4, Vec3};
    /// use loligo_render::SunShadow;
    ///
    /// let projection = perspective(1.0, 1.5, 0.1, 100.0);
    /// let near = SunShadow::of_slice(Vec3::Y, Mat4::IDENTITY, projection, [0.0, 5.0], 1024);
    /// let far = SunShadow::of_slice(Vec3::Y, Mat4::IDENTITY, projection, [5.0, 50.0], 1024);
    /// assert!(near.pixel_metres * 5.0 < far.pixel_metres, "what is near has finer shadows");
    /// ```
    #[must_use]
    pub fn of_slice(
        towards_sun: Vec3,
        camera: Mat4,
        projection: Mat4,
        [near, far]: [f32; 2],
        map_pixels: u32,
    ) -> Self {
        assert!(0.0 <= near && near < far, "from {near} to {far}");
        // How far from the middle a corner of the picture is, a metre from the camera.
        let corner = Vec2::new(1.0 / projection.x_axis.x, 1.0 / projection.y_axis.y);
        let squared = corner.length_squared();
        let middle = ((near + far) * 0.5 * (1.0 + squared)).min(far);
        let radius = ((far - middle).powi(2) + far * far * squared).sqrt();
        let center = camera.w_axis.truncate() - camera.z_axis.truncate() * middle;
        Self::new(towards_sun, center, radius, radius * REACH, map_pixels)
    }
}

/// How many radii towards the sun from the middle of a slice something casts shadows into it.
const REACH: f32 = 3.0;
