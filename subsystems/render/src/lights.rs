//! Which lights a frame is lit by.

use glam::Vec3;

use crate::state::Light;
use crate::world::View;

/// The most lights that a frame is lit by: a shader goes through all of them for each pixel.
pub const LIGHTS_MAX: usize = 32;

/// The lights of a frame: of those that reach into what the camera sees the strongest,
/// [`LIGHTS_MAX`] at most, and how many that leaves out.
///
/// # Complexity
///
/// Choosing is O(lights * [`LIGHTS_MAX`]), where most are compared with the weakest alone.
/// Allocates nothing.
///
/// # Memory
///
/// 1 KiB, in the value.
///
/// # Examples
///
/// ```
/// use glam::Mat4;
/// use glam::camera::rh::proj::directx::perspective;
/// use loligo_render::{FrameLights, Light, View};
///
/// let view = View::new(Mat4::IDENTITY, perspective(1.0, 1.5, 0.1, 100.0));
/// let at = |z| Light { position: [0.0, 0.0, z], range: 2.0, color: [1.0; 3], intensity: 5.0 };
/// let lights = FrameLights::new(&[at(-60.0), at(-5.0), at(50.0)], &view);
/// assert_eq!(lights.as_slice(), [at(-5.0), at(-60.0)], "the third is behind the camera");
/// assert_eq!((lights.seen(), lights.left_out()), (2, 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FrameLights {
    lights: [Light; LIGHTS_MAX],
    strengths: [f32; LIGHTS_MAX],
    len: usize,
    seen: usize,
}

impl FrameLights {
    /// Chooses among the lights of a world. Of two that are equally strong the one that comes first
    /// goes before.
    ///
    /// Lights with a NaN, or that shine nowhere, are left out as if they were not seen.
    #[must_use]
    pub fn new<'l>(lights: impl IntoIterator<Item = &'l Light>, view: &View) -> Self {
        let mut chosen = Self {
            lights: [Light::default(); LIGHTS_MAX],
            strengths: [0.0; LIGHTS_MAX],
            len: 0,
            seen: 0,
        };
        for light in lights {
            let strength = strength(light, view.eye);
            if strength > 0.0 && view.frustum.sees(light.position.into(), light.range) {
                chosen.seen += 1;
                chosen.add(light, strength);
            }
        }
        chosen
    }

    /// Returns those that were chosen, the strongest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Light] {
        &self.lights[..self.len]
    }

    /// Returns how many lights reach into what the camera sees.
    #[must_use]
    pub const fn seen(&self) -> usize {
        self.seen
    }

    /// Returns how many of them are left out, because there are more than [`LIGHTS_MAX`].
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.seen - self.len
    }

    /// Puts a light before all that are weaker; the weakest is dropped if there is no room.
    fn add(&mut self, light: &Light, strength: f32) {
        let at = self.strengths[..self.len].partition_point(|stronger| *stronger >= strength);
        if at == LIGHTS_MAX {
            return;
        }
        self.len = (self.len + 1).min(LIGHTS_MAX);
        self.lights[at..self.len].rotate_right(1);
        self.strengths[at..self.len].rotate_right(1);
        (self.lights[at], self.strengths[at]) = (*light, strength);
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
mod tests {
    use std::vec::Vec;

    use glam::Mat4;
    use glam::camera::rh::proj::directx::perspective;

    use super::*;

    fn ahead(distance: f32, intensity: f32) -> Light {
        Light { position: [0.0, 0.0, -distance], range: 3.0, color: [1.0; 3], intensity }
    }

    fn choose(lights: &[Light]) -> FrameLights {
        let camera = perspective(1.0, 1.5, 0.1, 1000.0);
        FrameLights::new(lights, &View::new(Mat4::IDENTITY, camera))
    }

    #[test]
    fn the_strongest_are_chosen_whatever_their_order() {
        let mut lights: Vec<Light> = (1..=100).map(|number| ahead(10.0, number as f32)).collect();
        for _ in 0..2 {
            let chosen = choose(&lights);
            let found: Vec<f32> = chosen.as_slice().iter().map(|light| light.intensity).collect();
            let expected: Vec<f32> = (69..=100).rev().map(|number| number as f32).collect();
            assert_eq!(found, expected, "the 32 brightest");
            assert_eq!((chosen.seen(), chosen.left_out()), (100, 68));
            lights.reverse();
        }
    }

    #[test]
    fn what_is_nearer_is_stronger_and_the_first_goes_before() {
        let chosen = choose(&[ahead(40.0, 5.0), ahead(4.0, 5.0), ahead(8.0, 5.0)]);
        assert_eq!(chosen.as_slice(), [ahead(4.0, 5.0), ahead(8.0, 5.0), ahead(40.0, 5.0)]);
        let named = |number: f32| Light { color: [1.0, 1.0, number / 100.0], ..ahead(5.0, 1.0) };
        let lights: Vec<Light> = (0..40_u8).map(|number| named(number.into())).collect();
        assert_eq!(choose(&lights).as_slice(), &lights[..LIGHTS_MAX], "all are equally strong");
    }

    #[test]
    fn what_lights_nothing_that_is_seen_is_not_counted() {
        let nothing = [
            ahead(-50.0, 5.0),
            ahead(10.0, 0.0),
            ahead(10.0, -1.0),
            ahead(10.0, f32::NAN),
            ahead(f32::NAN, 1.0),
            Light { range: 0.0, ..ahead(10.0, 5.0) },
            Light { range: f32::NAN, ..ahead(10.0, 5.0) },
            Light { color: [0.0; 3], ..ahead(10.0, 5.0) },
        ];
        let chosen = choose(&nothing);
        assert_eq!((chosen.as_slice().len(), chosen.seen(), chosen.left_out()), (0, 0, 0));
        assert_eq!(choose(&[ahead(-2.0, 5.0)]).seen(), 1, "its sphere reaches in front");
    }
}
