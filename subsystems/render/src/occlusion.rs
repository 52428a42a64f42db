//! What is hidden: a coarse picture of depths that the processor draws, and looks objects up in.
//!
//! It hides an object only if all of the object is surely hidden. A pixel of the picture has the
//! depth of a box that covers the whole pixel; the object's sphere must be farther away than that
//! wherever it may be seen.

use glam::{Mat4, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::cull::Spheres;
use crate::state::Transform;

mod cone;
mod wide;

use cone::Cone;
use wide::Wide;

/// The width and the height of the picture.
pub const OCCLUSION_PIXELS: [usize; 2] = [256, 144];

/// The least share of the height of the picture that an object has whose box is drawn: smaller ones
/// hide little.
pub const OCCLUDER_SHARE: f32 = 0.1;

/// How much nearer a box must be than what it hides: more than what 32 bits round.
const SURELY: f32 = 1.0001;

/// By how much of a pixel the place of a sphere is widened, for the same reason.
const WIDENED: f32 = 0.01;

/// A picture of depths as one camera sees them.
///
/// # Memory
///
/// 147 456 bytes from the first picture on, kept.
///
/// # Examples
///
/// ```
/// use glam::camera::rh::proj::directx::perspective;
/// use glam::{Mat4, Vec3};
/// use loligo_allocators::StaticHeap;
/// use loligo_render::{Occlusion, Transform};
///
/// static MEMORY: StaticHeap<262144> = StaticHeap::new("doc");
/// let mut picture: Occlusion = Occlusion::new(&MEMORY);
/// picture.try_begin(Mat4::IDENTITY, perspective(1.0, 1.6, 0.1, 100.0))?;
/// // A wall, 10 m away.
/// let wall = [Vec3::new(-4.0, -4.0, -11.0), Vec3::new(4.0, 4.0, -10.0)];
/// picture.draw_box(&Transform::IDENTITY, wall);
/// assert!(picture.hides(Vec3::new(0.0, 0.0, -20.0), 2.0), "all of it");
/// assert!(!picture.hides(Vec3::new(0.0, 0.0, -8.0), 1.0), "before it");
/// assert!(!picture.hides(Vec3::new(8.0, 0.0, -20.0), 2.0), "a part of it looks out");
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
#[derive(Debug)]
pub struct Occlusion<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// One by the depth of what covers a pixel, 0 where nothing does; the topmost row first.
    pixels: Array<'a, f32, A>,
    camera: Option<Camera>,
}

/// From where the picture is seen, in pixels of it.
#[derive(Clone, Copy, Debug)]
struct Camera {
    eye: Vec3,
    forward: Vec3,
    right: Vec3,
    down: Vec3,
    /// Pixels for a metre to the right or down, at a depth of a metre, and the pixel that is looked
    /// at straight.
    scale: [f32; 2],
    middle: [f32; 2],
    near: f32,
    /// The square of the length of the longest direction in the picture, of the depth 1.
    widest: f64,
    /// The direction of the picture's left upper corner, of the depth 1, and from there of a pixel
    /// to the right and a pixel down.
    corner: Wide,
    pixel_right: Wide,
    pixel_down: Wide,
}

impl<'a> Occlusion<'a> {
    /// Returns a picture without a camera. O(1); takes no memory.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> Occlusion<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { pixels: Array::new_in(memory), camera: None }
    }

    /// Begins an empty picture as a camera sees it: from the world to the camera, which looks along
    /// -z, and how it projects, to depths from 0 to 1. A parallel projection hides nothing.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the picture.
    pub fn try_begin(&mut self, view: Mat4, projection: Mat4) -> Result<(), GrowError> {
        self.camera = Camera::new(view, projection);
        self.pixels.clear();
        self.pixels.try_resize(OCCLUSION_PIXELS[0] * OCCLUSION_PIXELS[1], 0.0)
    }

    /// Forgets the camera: nothing is hidden.
    pub fn end(&mut self) {
        self.camera = None;
    }

    /// Draws a box between two corners that is placed by a transform: all that it covers is
    /// hidden. One in which the eye is, or that the near plane may cut, hides nothing.
    ///
    /// # Complexity
    ///
    /// O(pixels).
    pub fn draw_box(&mut self, transform: &Transform, corners: [Vec3; 2]) {
        let Some(camera) = &self.camera else { return };
        let Some(cone) = Cone::new(camera, transform, corners) else { return };
        let [width, _] = OCCLUSION_PIXELS;
        for (row, pixels) in self.pixels.as_mut_slice().chunks_mut(width).enumerate() {
            let (span, depths) = cone.row(row, width);
            let Some(pixels) = pixels.get_mut(span.clone()) else { continue };
            for (pixel, x) in pixels.iter_mut().zip(span) {
                let at = x as f32;
                let [one, other, last] = depths.map(|[start, step]| start + step * at);
                *pixel = pixel.max(one.min(other).min(last));
            }
        }
    }

    /// Returns `true` if a sphere is surely hidden.
    ///
    /// # Complexity
    ///
    /// O(pixels that the sphere covers), and mostly O(1): the first that is not covered decides.
    #[must_use]
    pub fn hides(&self, center: Vec3, radius: f32) -> bool {
        let Some(camera) = &self.camera else { return false };
        let Some((depth, [columns, rows])) = camera.reach(center, radius) else { return false };
        let limit = SURELY / depth;
        let [width, _] = OCCLUSION_PIXELS;
        rows.into_iter().all(|row| {
            let pixels = &self.pixels[row * width..][columns.clone()];
            pixels.iter().all(|pixel| *pixel >= limit)
        })
    }

    /// Removes the numbers of those spheres that are surely hidden.
    ///
    /// # Panics
    ///
    /// If there are no such spheres.
    pub fn retain_seen<B: Allocator + ?Sized>(
        &self,
        spheres: &Spheres<'_>,
        numbers: &mut Array<'_, u32, B>,
    ) {
        let mut kept = 0;
        for place in 0..numbers.len() {
            let number = numbers[place];
            let at = number as usize;
            let center = Vec3::new(spheres.x[at], spheres.y[at], spheres.z[at]);
            if !self.hides(center, spheres.radius[at]) {
                numbers[kept] = number;
                kept += 1;
            }
        }
        numbers.truncate(kept);
    }
}

impl Camera {
    /// Returns a camera; `None` of a parallel projection, or of none at all.
    fn new(view: Mat4, projection: Mat4) -> Option<Self> {
        let eye = view.inverse();
        let [across, up] = [projection.x_axis.x, projection.y_axis.y];
        let is_perspective = projection.z_axis.w == -1.0 && projection.w_axis.w == 0.0;
        if !(is_perspective && eye.is_finite() && across > 0.0 && up > 0.0) {
            return None;
        }
        let axis = |axis: glam::Vec4| axis.truncate().normalize_or_zero();
        let (right, down) = (axis(eye.x_axis), -axis(eye.y_axis));
        let forward = -axis(eye.z_axis);
        let [width, height] = OCCLUSION_PIXELS.map(|pixels| pixels as f32 * 0.5);
        let scale = [across * width, up * height];
        let middle = [width * (1.0 - projection.z_axis.x), height * (1.0 + projection.z_axis.y)];
        // Where depth is 0 in the picture.
        let near = projection.w_axis.z / projection.z_axis.z;
        let direction = |x: f32, y: f32| {
            let [x, y] = [(x - middle[0]) / scale[0], (y - middle[1]) / scale[1]];
            Wide::from(forward) + Wide::from(right) * f64::from(x) + Wide::from(down) * f64::from(y)
        };
        let corner = direction(0.0, 0.0);
        let [columns, rows] = OCCLUSION_PIXELS.map(|pixels| pixels as f32);
        Some(Self {
            eye: eye.w_axis.truncate(),
            forward,
            right,
            down,
            scale,
            middle,
            near: near.abs(),
            widest: [[0.0, 0.0], [columns, 0.0], [0.0, rows], [columns, rows]]
                .map(|[x, y]| direction(x, y).squared())
                .into_iter()
                .fold(0.0, f64::max),
            corner,
            pixel_right: direction(1.0, 0.0) - corner,
            pixel_down: direction(0.0, 1.0) - corner,
        })
    }

    /// Returns the least depth of a sphere, and the columns and rows of pixels in which it may be
    /// seen; `None` if it reaches before the near plane, or is nowhere in the picture.
    fn reach(&self, center: Vec3, radius: f32) -> Option<(f32, [core::ops::Range<usize>; 2])> {
        let from_eye = center - self.eye;
        let depth = from_eye.dot(self.forward);
        let (nearest, farthest) = (depth - radius, depth + radius);
        // A NaN is not hidden.
        if !(nearest > self.near && radius >= 0.0 && farthest.is_finite()) {
            return None;
        }
        let (by_nearest, by_farthest) = (nearest.recip(), farthest.recip());
        let along = |axis: Vec3, scale: f32, middle: f32, pixels: usize| {
            let place = from_eye.dot(axis);
            let (low, high) = (place - radius, place + radius);
            let low = low * if low < 0.0 { by_nearest } else { by_farthest };
            let high = high * if high > 0.0 { by_nearest } else { by_farthest };
            let low = (low * scale + middle - WIDENED).max(0.0);
            let high = high * scale + middle + WIDENED;
            let is_in = low < pixels as f32 && high >= 0.0;
            is_in.then(|| low as usize..(high as usize + 1).min(pixels))
        };
        let [width, height] = OCCLUSION_PIXELS;
        let columns = along(self.right, self.scale[0], self.middle[0], width)?;
        let rows = along(self.down, self.scale[1], self.middle[1], height)?;
        Some((nearest, [columns, rows]))
    }
}

const _: () =
    assert!(OCCLUSION_PIXELS[0] * OCCLUSION_PIXELS[1] * 4 == 147_456, "its doc states it");
