//! Which lights reach a tile of the screen, and which a bin of depth.
//!
//! The depth of a place is the last of its coordinates in clip space: metres in front of a camera,
//! and 1 everywhere where the projection is parallel. Then all lights are in one bin.
//!
//! Bins of depth and bits of tiles apart from each other are after Michal Drobot, "Improved Culling
//! for Tiled and Clustered Rendering" (2017): they need far fewer words than a list for each of the
//! boxes that tiles and bins make together, and filling them costs a processor microseconds.

use glam::{Mat4, Vec3, Vec4, Vec4Swizzles};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::state::Light;

/// The number of tiles across and down.
pub const LIGHT_TILES: [usize; 2] = [32, 18];

/// The number of bins of depth.
pub const LIGHT_BINS: usize = 256;

const TILES: usize = LIGHT_TILES[0] * LIGHT_TILES[1];

/// A bin that no light reaches: its first comes after its last.
const EMPTY: u32 = 0xffff;

/// Bins and tiles of a view.
pub(super) struct Grid<'a, A: Allocator + ?Sized> {
    words: Array<'a, u32, A>,
    /// The depth at which the bins begin, and how many there are for each metre.
    bins: [f32; 2],
}

impl<'a, A: Allocator + ?Sized> Grid<'a, A> {
    pub(super) const fn new_in(memory: &'a A) -> Self {
        Self { words: Array::new_in(memory), bins: [0.0; 2] }
    }

    pub(super) fn words(&self) -> &[u32] {
        &self.words
    }

    pub(super) const fn bins(&self) -> [f32; 2] {
        self.bins
    }

    /// Fills the grid for lights that are sorted by their depths.
    pub(super) fn try_fill(
        &mut self,
        lights: &[Light],
        view_projection: Mat4,
    ) -> Result<(), GrowError> {
        let words = LIGHT_BINS + lights.len().div_ceil(32) * TILES;
        self.words.clear();
        self.words.try_resize(words, 0)?;
        self.fill_bins(lights, view_projection.row(3));
        self.fill_tiles(lights, view_projection);
        Ok(())
    }

    /// Returns the numbers of the lights that a shader goes through for a place in clip space.
    pub(super) fn reaching(&self, clip: Vec4) -> impl Iterator<Item = usize> {
        let bin = bin_of(self.bins, clip.w);
        let bin = self.words.get(bin).copied().unwrap_or(EMPTY);
        let (first, last) = ((bin & 0xffff) as usize, (bin >> 16) as usize);
        let across = (clip.x / clip.w * 0.5 + 0.5) * LIGHT_TILES[0] as f32;
        let down = (0.5 - clip.y / clip.w * 0.5) * LIGHT_TILES[1] as f32;
        let at = |place: f32, tiles: usize| (place.max(0.0) as usize).min(tiles - 1);
        let tile = at(down, LIGHT_TILES[1]) * LIGHT_TILES[0] + at(across, LIGHT_TILES[0]);
        (first..=last).filter(move |number| {
            let word = self.words[LIGHT_BINS + number / 32 * TILES + tile];
            word >> (number % 32) & 1 == 1
        })
    }

    fn fill_bins(&mut self, lights: &[Light], depth: Vec4) {
        let length = depth.xyz().length();
        let reach = |light: &Light| {
            let middle = depth.dot(Vec3::from(light.position).extend(1.0));
            [middle - light.range * length, middle + light.range * length]
        };
        let start = lights.iter().map(|light| reach(light)[0]).fold(f32::MAX, f32::min).max(0.0);
        let end = lights.iter().map(|light| reach(light)[1]).fold(start, f32::max);
        let scale = LIGHT_BINS as f32 / (end - start);
        self.bins = [start, if scale.is_finite() { scale } else { 0.0 }];
        let bins = &mut self.words[..LIGHT_BINS];
        bins.fill(EMPTY);
        for (number, light) in (0..).zip(lights) {
            let [first, last] = reach(light).map(|depth| bin_of(self.bins, depth));
            for bin in &mut bins[first..=last] {
                // Numbers only grow.
                *bin = (*bin & 0xffff).min(number) | number << 16;
            }
        }
    }

    fn fill_tiles(&mut self, lights: &[Light], view_projection: Mat4) {
        let [x, y, _, w] = [0, 1, 2, 3].map(|row| view_projection.row(row));
        let columns: Boundaries<{ LIGHT_TILES[0] - 1 }> = Boundaries::new(x, w);
        let rows: Boundaries<{ LIGHT_TILES[1] - 1 }> = Boundaries::new(-y, w);
        for (number, light) in lights.iter().enumerate() {
            let [left, right] = columns.between(light);
            let [top, bottom] = rows.between(light);
            let tiles = &mut self.words[LIGHT_BINS + number / 32 * TILES..][..TILES];
            let bit = 1 << (number % 32);
            // One that is between no boundaries is behind the camera.
            if left > right || top > bottom {
                continue;
            }
            let rows = tiles.chunks_exact_mut(LIGHT_TILES[0]).take(bottom + 1).skip(top);
            for row in rows {
                row[left..=right].iter_mut().for_each(|word| *word |= bit);
            }
        }
    }
}

/// Returns the bin of a depth.
fn bin_of([start, scale]: [f32; 2], depth: f32) -> usize {
    let bin = (depth - start) * scale;
    // What is no number becomes 0.
    (bin.max(0.0) as usize).min(LIGHT_BINS - 1)
}

/// The planes through the eye between tiles that are next to each other: their normals, which are 1
/// long and point to the tile with the higher number, and their distances from the origin.
struct Boundaries<const N: usize> {
    x: [f32; N],
    y: [f32; N],
    z: [f32; N],
    away: [f32; N],
}

impl<const N: usize> Boundaries<N> {
    /// Returns the planes of an axis of the screen: places between -1 and 1 are `axis` / `depth`.
    fn new(axis: Vec4, depth: Vec4) -> Self {
        let mut boundaries = Self { x: [0.0; N], y: [0.0; N], z: [0.0; N], away: [0.0; N] };
        for at in 0..N {
            let place = -1.0 + 2.0 * (at + 1) as f32 / (N + 1) as f32;
            let plane = axis - depth * place;
            let plane = plane / plane.xyz().length();
            (boundaries.x[at], boundaries.y[at]) = (plane.x, plane.y);
            (boundaries.z[at], boundaries.away[at]) = (plane.z, plane.w);
        }
        boundaries
    }

    /// Returns the first and the last tile that a light reaches.
    ///
    /// Of a sphere that is whole on one side of a plane all that is in front of the camera is on
    /// that side of the boundary; what is behind the camera is seen nowhere.
    fn between(&self, light: &Light) -> [usize; 2] {
        let [x, y, z] = light.position;
        let (mut first, mut last) = (0, N);
        for at in 0..N {
            let away = self.x[at] * x + self.y[at] * y + self.z[at] * z + self.away[at];
            // Both without a branch. Where a distance is no number, both stay as they are.
            first = first.max(if away > light.range { at + 1 } else { 0 });
            last = last.min(if away < -light.range { at } else { N });
        }
        [first, last]
    }
}
