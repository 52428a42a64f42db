//! From where something is seen.

use glam::{Affine3A, Mat4, Vec3, Vec4, Vec4Swizzles};

/// From where a view of the frame sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// The number of the view; 0 is the player's.
    pub number: u8,
    /// The stage that it sees: what is on others is not to be drawn.
    pub stage: u8,
    /// Whether it is for a shadow map.
    pub is_sun: bool,
    /// How many pixels it draws.
    pub pixels: [u32; 2],
    /// Where it is: it sees along its -z, and y points up.
    pub eye: Affine3A,
    /// From the eye to the picture, depths from 0 to 1.
    pub projection: Mat4,
    /// The planes between which it sees.
    planes: [Vec4; 6],
}

impl Viewpoint {
    /// Returns the view from a place, which is the player's of the first stage.
    #[must_use]
    pub fn new(eye: Affine3A, projection: Mat4, pixels: [u32; 2]) -> Self {
        let matrix = projection * Mat4::from(eye.inverse());
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| matrix.row(row));
        let planes = [w + x, w - x, w + y, w - y, z, w - z].map(|plane| {
            let length = plane.xyz().length();
            if length > 0.0 { plane / length } else { Vec4::new(0.0, 0.0, 0.0, f32::MAX) }
        });
        let (number, stage, is_sun) = (0, 0, false);
        Self { number, stage, is_sun, pixels, eye, projection, planes }
    }

    /// Returns `true` if a sphere may be seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use glam::camera::rh::proj::directx::perspective;
    /// use glam::{Affine3A, Vec3};
    /// use loligo_interface::Viewpoint;
    ///
    /// let view = Viewpoint::new(Affine3A::IDENTITY, perspective(1.0, 1.5, 0.1, 100.0), [300, 200]);
    /// assert!(view.sees(Vec3::new(0.0, 0.0, -5.0), 1.0));
    /// assert!(!view.sees(Vec3::new(0.0, 0.0, 5.0), 1.0));
    /// ```
    #[must_use]
    pub fn sees(&self, center: Vec3, radius: f32) -> bool {
        self.planes.iter().all(|plane| plane.dot(center.extend(1.0)) >= -radius)
    }

    /// Returns how wide and high something of one metre is at a place, in pixels of the view's
    /// height; 0 where nothing is seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use glam::camera::rh::proj::directx::perspective;
    /// use glam::{Affine3A, Vec3};
    /// use loligo_interface::Viewpoint;
    ///
    /// let upright = std::f32::consts::FRAC_PI_2;
    /// let view = Viewpoint::new(Affine3A::IDENTITY, perspective(upright, 1.5, 0.1, 9.0), [300, 200]);
    /// assert!((view.pixels_a_metre(Vec3::new(0.0, 0.0, -10.0)) - 10.0).abs() < 0.001);
    /// ```
    #[must_use]
    pub fn pixels_a_metre(&self, at: Vec3) -> f32 {
        let seen = self.eye.inverse().transform_point3(at);
        let w = self.projection.row(3).dot(seen.extend(1.0));
        if w > 0.0 { self.projection.y_axis.y / w * self.pixels[1] as f32 * 0.5 } else { 0.0 }
    }
}
