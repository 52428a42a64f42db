//! Which lights a view is lit by.

mod grid;

pub use grid::{LIGHT_BINS, LIGHT_TILES};

use core::fmt;

use glam::{Mat4, Vec3, Vec4};
use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::lights::grid::Grid;
use crate::state::Light;
use crate::world::View;

/// The most lights that a view is lit by: the numbers of two fit into the 32 bits of a bin.
pub const LIGHTS_MAX: usize = 1024;

/// The lights of a view: of those that reach into what the camera sees the strongest,
/// [`LIGHTS_MAX`] at most, the nearest first, with a grid by which a shader finds those that reach
/// a pixel.
///
/// # Layout
///
/// The grid is a list of words. The first [`LIGHT_BINS`] are bins of depth: the number of the first
/// light that reaches into it, and of the last in the upper 16 bits. Then come the tiles of the
/// screen, a bit for each light: first the words of lights 0 to 31 of all tiles, row after row from
/// the top, then those of lights 32 to 63. The lights of a pixel are the bits of its tile between
/// the first and the last of its bin.
///
/// # Complexity
///
/// Choosing is O(lights + chosen * (log chosen + boundaries of tiles + tiles that it reaches)).
///
/// # Memory
///
/// From the allocator that it is given: 1 KiB, 76 bytes for each light that is seen, and 2 304 bytes
/// for each 32 that are chosen. It is kept for the next frame.
///
/// # Examples
///
/// ```
/// use glam::Mat4;
/// use glam::camera::rh::proj::directx::perspective;
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_render::{FrameLights, Light, View};
///
/// let pages = PageAllocator::new("pages");
/// let memory = HeapAllocator::new("lights", &pages);
/// let camera = perspective(1.0, 1.5, 0.1, 100.0);
/// let view = View::new(Mat4::IDENTITY, camera);
/// let at = |z| Light { position: [0.0, 0.0, z], range: 2.0, color: [1.0; 3], intensity: 5.0 };
/// let mut lights: FrameLights<'_> = FrameLights::new(&memory);
/// lights.try_choose(&[at(-60.0), at(-5.0), at(50.0)], &view, camera).expect("memory");
/// assert_eq!(lights.as_slice(), [at(-5.0), at(-60.0)], "the third is behind the camera");
/// assert_eq!((lights.seen(), lights.left_out()), (2, 0));
/// let pixel = camera * glam::Vec4::new(0.0, 0.0, -5.5, 1.0);
/// assert_eq!(lights.reaching(pixel).collect::<Vec<_>>(), [0], "the other is too far behind");
/// ```
pub struct FrameLights<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    lights: Array<'a, Light, A>,
    found: Array<'a, Found, A>,
    grid: Grid<'a, A>,
    seen: usize,
}

/// A light that is seen.
#[derive(Clone, Copy)]
struct Found {
    light: Light,
    depth: f32,
    strength: f32,
    number: u32,
}

impl<'a> FrameLights<'a> {
    /// Returns no lights. Takes no memory.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, A: Allocator + ?Sized> FrameLights<'a, A> {
    /// As [`new`](FrameLights::new), and keeps the type of the allocator, so that its calls are
    /// direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self {
            lights: Array::new_in(memory),
            found: Array::new_in(memory),
            grid: Grid::new_in(memory),
            seen: 0,
        }
    }

    /// Chooses among the lights of a world, for a camera with this matrix from the world to clip
    /// space. Of two that are equally strong the one that comes first goes before.
    ///
    /// Lights with a NaN, or that shine nowhere, are left out as if they were not seen.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the view is lit by none then.
    pub fn try_choose<'l>(
        &mut self,
        lights: impl IntoIterator<Item = &'l Light>,
        view: &View,
        view_projection: Mat4,
    ) -> Result<(), GrowError> {
        self.clear();
        let chosen = self.try_find(lights, view, view_projection);
        if chosen.is_err() {
            self.clear();
        }
        chosen
    }

    /// Returns those that were chosen, the nearest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Light] {
        &self.lights
    }

    /// Returns the words of the grid.
    #[must_use]
    pub fn grid(&self) -> &[u32] {
        self.grid.words()
    }

    /// Returns the depth at which the bins begin, and how many there are for each metre.
    #[must_use]
    pub const fn bins(&self) -> [f32; 2] {
        self.grid.bins()
    }

    /// Returns how many lights reach into what the camera sees.
    #[must_use]
    pub const fn seen(&self) -> usize {
        self.seen
    }

    /// Returns how many of them are left out, because there are more than [`LIGHTS_MAX`].
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.seen - self.lights.len()
    }

    /// Returns the numbers of the lights that a shader goes through for a place, given in clip
    /// space: all that reach it, and some that reach its tile or its depth only.
    pub fn reaching(&self, clip: Vec4) -> impl Iterator<Item = usize> {
        self.grid.reaching(clip)
    }

    fn clear(&mut self) {
        self.lights.clear();
        self.found.clear();
        self.seen = 0;
    }

    fn try_find<'l>(
        &mut self,
        lights: impl IntoIterator<Item = &'l Light>,
        view: &View,
        view_projection: Mat4,
    ) -> Result<(), GrowError> {
        let depth = view_projection.row(3);
        for light in lights {
            let strength = strength(light, view.eye);
            if strength > 0.0 && view.frustum.sees(light.position.into(), light.range) {
                let depth = depth.dot(Vec3::from(light.position).extend(1.0));
                let number = self.found.len() as u32;
                self.found.try_push(Found { light: *light, depth, strength, number })?;
            }
        }
        self.seen = self.found.len();
        if self.found.len() > LIGHTS_MAX {
            self.found.select_nth_unstable_by(LIGHTS_MAX, |one, other| {
                let order = other.strength.total_cmp(&one.strength);
                order.then(one.number.cmp(&other.number))
            });
            self.found.truncate(LIGHTS_MAX);
        }
        self.found.sort_unstable_by(|one, other| {
            one.depth.total_cmp(&other.depth).then(one.number.cmp(&other.number))
        });
        self.lights.try_reserve(self.found.len())?;
        self.lights.extend(self.found.iter().map(|found| found.light));
        self.grid.try_fill(&self.lights, view_projection)
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for FrameLights<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameLights")
            .field("lights", &self.lights.len())
            .field("seen", &self.seen)
            .finish_non_exhaustive()
    }
}

/// Returns how much of what is seen a light may change: its brightness, times the share that its
/// sphere has of the view when seen from so far.
fn strength(light: &Light, eye: Vec3) -> f32 {
    let brightness = light.intensity * light.color.into_iter().fold(0.0, f32::max);
    let reach = light.range * light.range;
    let share = reach / (reach + eye.distance_squared(light.position.into()));
    brightness * share
}

#[cfg(test)]
mod tests;
