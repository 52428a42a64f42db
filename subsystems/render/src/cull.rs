//! Which spheres a camera sees.

use core::ops::Range;

use glam::{Mat4, Vec4, Vec4Swizzles};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

/// The number of spheres that are tested at once.
const LANES: usize = 16;

/// The six planes between which a camera sees.
///
/// # Examples
///
/// ```
/// use glam::Vec3;
/// use glam::camera::rh::proj::directx::perspective;
/// use loligo_render::Frustum;
///
/// let camera = perspective(1.0, 1.5, 0.1, 100.0);
/// let frustum = Frustum::new(camera);
/// assert!(frustum.sees(Vec3::new(0.0, 0.0, -5.0), 1.0));
/// assert!(!frustum.sees(Vec3::new(0.0, 0.0, 5.0), 1.0), "it is behind");
/// assert!(frustum.sees(Vec3::new(0.0, 0.0, 0.5), 1.0), "a part of it is not");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// Their normals, which point inwards and are 1 long, and their distances from the origin.
    planes: [Vec4; 6],
}

impl Frustum {
    /// Returns the planes of a camera: of the matrix from the world to clip space, with depths from
    /// 0 to 1.
    ///
    /// A camera without a far plane has five; the sixth lets everything pass.
    #[must_use]
    pub fn new(view_projection: Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| view_projection.row(row));
        let planes = [w + x, w - x, w + y, w - y, z, w - z].map(|plane| {
            let length = plane.xyz().length();
            if length > 0.0 { plane / length } else { Vec4::new(0.0, 0.0, 0.0, f32::MAX) }
        });
        Self { planes }
    }

    /// Returns `true` if a sphere may be visible: `false` if it is completely outside of one of the
    /// planes. Near a corner of the frustum, a sphere can be outside of the frustum although it is
    /// completely outside of no single plane.
    #[must_use]
    pub fn sees(&self, center: glam::Vec3, radius: f32) -> bool {
        let spheres = Spheres { x: &[center.x], y: &[center.y], z: &[center.z], radius: &[radius] };
        self.seen(&spheres)[0]
    }

    /// Appends the numbers of those spheres in `range` that may be seen, in order.
    ///
    /// Jobs share the work by ranges, with an array each.
    ///
    /// # Complexity
    ///
    /// O(range), 16 spheres at once.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all of the range; nothing has changed.
    ///
    /// # Panics
    ///
    /// If the range is not one of the spheres', or the columns are not equally long.
    pub fn try_cull<A: Allocator + ?Sized>(
        &self,
        spheres: &Spheres<'_>,
        range: Range<usize>,
        visible: &mut Array<'_, u32, A>,
    ) -> Result<(), GrowError> {
        let count = spheres.x.len();
        let lens = [spheres.y, spheres.z, spheres.radius].map(<[f32]>::len);
        assert_eq!(lens, [count; 3], "columns differ from one of {count}");
        assert!(range.end <= count, "spheres {range:?} of {count}");
        visible.try_reserve(range.len())?;
        let mut first = range.start;
        while first < range.end {
            let block = Spheres {
                x: &spheres.x[first..range.end],
                y: &spheres.y[first..range.end],
                z: &spheres.z[first..range.end],
                radius: &spheres.radius[first..range.end],
            };
            let seen = self.seen(&block);
            for (number, _) in seen.iter().enumerate().filter(|(_, seen)| **seen) {
                visible.try_push((first + number) as u32)?;
            }
            first += LANES;
        }
        Ok(())
    }

    /// Reports each of the first spheres whether it may be seen; of those that are not there, that
    /// it may not.
    fn seen(&self, spheres: &Spheres<'_>) -> [bool; LANES] {
        let [x, y, z] = [spheres.x, spheres.y, spheres.z].map(|column| lanes(column, 0.0));
        // A radius of minus infinity is seen by no plane, and so is NaN.
        let radius = lanes(spheres.radius, f32::NEG_INFINITY);
        let mut seen = [true; LANES];
        for plane in &self.planes {
            for lane in 0..LANES {
                let distance = plane.x * x[lane] + plane.y * y[lane] + plane.z * z[lane] + plane.w;
                seen[lane] &= distance + radius[lane] >= 0.0;
            }
        }
        seen
    }
}

/// Bounding spheres in columns.
#[derive(Clone, Copy, Debug)]
pub struct Spheres<'s> {
    /// The first coordinate of each center.
    pub x: &'s [f32],
    /// The second.
    pub y: &'s [f32],
    /// The third.
    pub z: &'s [f32],
    /// Their radii. One of minus infinity is never seen.
    pub radius: &'s [f32],
}

#[inline(always)]
fn lanes(column: &[f32], beyond: f32) -> [f32; LANES] {
    match column.first_chunk() {
        Some(lanes) => *lanes,
        None => core::array::from_fn(|lane| column.get(lane).copied().unwrap_or(beyond)),
    }
}
