//! Levels of detail: a mesh may have coarser triangles for where it is small in a picture.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4Swizzles};

use crate::draw::Geometry;

/// The most coarser levels of a mesh.
pub const LODS_MAX: usize = 7;

/// What is remembered of an object that has no level yet.
pub(crate) const NO_LEVEL: u8 = u8::MAX;

/// A coarser level of a mesh.
///
/// # Memory
///
/// 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Lod {
    /// It takes over where the sphere around the mesh is less than this share of the height of the
    /// picture.
    pub share: f32,
    /// The first of its indices in the mesh; they end where those of the next level begin.
    pub first_index: u32,
}

/// The coarser levels of a mesh, as they are drawn.
///
/// # Memory
///
/// 120 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LodSet {
    levels: [(f32, Geometry); LODS_MAX],
    count: u8,
    hysteresis: f32,
}

impl LodSet {
    /// Returns the levels of a mesh whose triangles, of all levels, are `all`. `hysteresis` is the
    /// share of a limit by which a size must be past it before the level changes back. Of more than
    /// [`LODS_MAX`] levels the first count.
    #[must_use]
    pub fn new(all: Geometry, lods: &[Lod], hysteresis: f32) -> Self {
        let lods = &lods[..lods.len().min(LODS_MAX)];
        let mut levels = [(0.0, Geometry::default()); LODS_MAX];
        for (at, lod) in lods.iter().enumerate() {
            let end = lods.get(at + 1).map_or(all.index_count, |next| next.first_index);
            let geometry = Geometry {
                index_count: end.saturating_sub(lod.first_index),
                first_index: all.first_index.saturating_add(lod.first_index),
                base_vertex: all.base_vertex,
            };
            levels[at] = (lod.share, geometry);
        }
        Self { levels, count: lods.len() as u8, hysteresis }
    }

    /// Returns the level that is drawn at a size: 0 is the finest. `before` is the one that was
    /// drawn before, if there was one. It stays as long as the size is not past its limits by more
    /// than the hysteresis; otherwise the level is the one whose limits the size is between.
    ///
    /// Choosing again at the same size changes nothing, so that views which share what they
    /// remember may choose in any order.
    pub(crate) fn level(&self, before: u8, size: f32) -> u8 {
        let levels = &self.levels[..usize::from(self.count)];
        let own = levels.iter().take_while(|(share, _)| size < *share).count() as u8;
        if before == own || before > self.count {
            return own;
        }
        let limit = |level: u8| levels.get(usize::from(level)).map(|(share, _)| *share);
        let above = before.checked_sub(1).and_then(limit);
        let is_below = above.is_none_or(|share| size < share * (1.0 + self.hysteresis));
        let is_above = limit(before).is_none_or(|share| size >= share * (1.0 - self.hysteresis));
        if is_below && is_above { before } else { own }
    }

    /// Returns the triangles of a level; of the finest, those that are given.
    pub(crate) fn geometry(&self, level: u8, finest: Geometry) -> Geometry {
        let coarser = usize::from(level).checked_sub(1);
        coarser.and_then(|at| self.levels.get(at)).map_or(finest, |(_, geometry)| *geometry)
    }
}

/// From where a view measures sizes. A view of the sun measures as the camera does around which it
/// is, so that an object and its shadow are of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LodEye {
    /// The number of the view that remembers the levels.
    pub(crate) number: u8,
    pub(crate) at: Vec3,
    /// How many times half the height of the picture a metre is, a metre away.
    pub(crate) zoom: f32,
    /// Whether what is far away is as large.
    pub(crate) is_parallel: bool,
}

impl LodEye {
    pub(crate) fn new(camera: Mat4, projection: Mat4) -> Self {
        let (zoom, is_parallel) = (projection.y_axis.y, projection.z_axis.w == 0.0);
        Self { number: 0, at: camera.w_axis.xyz(), zoom: zoom.abs(), is_parallel }
    }

    /// Returns which share of the height of the picture a sphere has. By its distance and not its
    /// depth: turning the camera changes nothing.
    pub(crate) fn size(&self, center: Vec3, radius: f32) -> f32 {
        let size = radius * self.zoom;
        if self.is_parallel { size } else { size / self.at.distance(center) }
    }
}

const _: () = assert!(size_of::<LodSet>() == 120, "its doc states it");
