//! Fields as lines, to be seen: their regions, and arrows on a coarse grid.

use glam::{Mat3, Vec3};
use loligo_allocators::Allocator;

use super::Fields;
use super::definition::Definition;
use super::instance::Instance;
use super::query::{length, turned_back};
use crate::field::FieldRegion;

/// How many arrows a grid has along each side.
const SIDE: usize = 4;

/// The most arrows of all fields; those of further fields are left out.
pub const FIELD_ARROWS_MAX: usize = 1024;

/// The most fields whose regions are outlined.
pub const FIELD_REGIONS_MAX: usize = 256;

/// How far around its origin a field that is everywhere has arrows, in metres.
const EVERYWHERE: f32 = 10.0;

/// The strength at which an arrow is half as long as one can be, in metres per second squared.
const HALF: f32 = 2.0;

/// How many lines a circle is made of.
const CIRCLE: usize = 16;

/// What a line of a field is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldLine {
    /// Its region.
    Region,
    /// An arrow, in the direction of its strength: three lines, the first from its place to its tip.
    Arrow {
        /// How strong it is there: 0 for nothing, 1 for what has no end.
        share: f32,
    },
}

impl<A: Allocator + ?Sized> Fields<'_, A> {
    /// Calls `each` with lines that show the fields that are there at a time, in the order of their slots:
    /// around the region, and arrows in it that show how the field, and no other, accelerates what is at
    /// rest there. A field that is everywhere has arrows within 10 metres, and no outline.
    ///
    /// # Complexity
    ///
    /// O(fields): at most [`FIELD_REGIONS_MAX`] regions and [`FIELD_ARROWS_MAX`] arrows.
    pub fn lines(&self, time: f64, mut each: impl FnMut(FieldLine, Vec3, Vec3)) {
        let mut arrows = 0;
        for (number, (field, definition)) in self.active(time).enumerate() {
            if number >= FIELD_REGIONS_MAX {
                break;
            }
            let axes = Mat3::from_quat(field.rotation());
            let world = |place: Vec3| field.position() + turned_back(axes, place.to_array());
            outline(&definition.region, |from, to| each(FieldLine::Region, world(from), world(to)));
            let half = half_of(&definition.region);
            let cell = half * (2.0 / SIDE as f32);
            for at in 0..SIDE.pow(3) {
                let index =
                    [at % SIDE, at / SIDE % SIDE, at / SIDE.pow(2)].map(|index| index as f32 + 0.5);
                let place = Vec3::from_array(index) * cell - half;
                if arrows == FIELD_ARROWS_MAX || !definition.region.contains(place, length(place)) {
                    continue;
                }
                let strength = strength_at_rest(field, definition, place, time);
                let size = length(strength);
                if !size.is_finite() || size <= 0.0 {
                    continue;
                }
                arrows += 1;
                let share = size / (size + HALF);
                let way = strength / size * (0.9 * cell.min_element() * share);
                arrow(place, way, |from, to| {
                    each(FieldLine::Arrow { share }, world(from), world(to));
                });
            }
        }
    }
}

/// Returns how strong a field is at a place as seen from it, for one kilogram at rest.
fn strength_at_rest<A: Allocator + ?Sized>(
    field: &Instance,
    definition: &Definition<'_, A>,
    place: Vec3,
    time: f64,
) -> Vec3 {
    super::one::strength(field, definition, place, (Vec3::ZERO, 1.0), time).into()
}

fn half_of(region: &FieldRegion) -> Vec3 {
    match *region {
        FieldRegion::Everywhere => Vec3::splat(EVERYWHERE),
        FieldRegion::Box { half } => half,
        FieldRegion::Sphere { radius } => Vec3::splat(radius),
    }
}

/// Calls `each` with the edges of a box, or three circles of a sphere.
fn outline(region: &FieldRegion, mut each: impl FnMut(Vec3, Vec3)) {
    match *region {
        FieldRegion::Everywhere => {}
        FieldRegion::Box { half } => {
            let corner = |at: usize| {
                let side = |axis: usize| if at >> axis & 1 == 0 { -1.0 } else { 1.0 };
                half * Vec3::new(side(0), side(1), side(2))
            };
            for from in 0..8_usize {
                for axis in (0..3).filter(|axis| from >> axis & 1 == 0) {
                    each(corner(from), corner(from | 1 << axis));
                }
            }
        }
        FieldRegion::Sphere { radius } => {
            for (right, up) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
                let at = |step: usize| {
                    let turn = step as f32 / CIRCLE as f32 * core::f32::consts::TAU;
                    (right * libm::cosf(turn) + up * libm::sinf(turn)) * radius
                };
                (0..CIRCLE).for_each(|step| each(at(step), at(step + 1)));
            }
        }
    }
}

fn arrow(from: Vec3, way: Vec3, mut each: impl FnMut(Vec3, Vec3)) {
    let tip = from + way;
    let aside = way.normalize_or_zero().any_orthonormal_vector() * (length(way) * 0.15);
    each(from, tip);
    each(tip, tip - way * 0.3 + aside);
    each(tip, tip - way * 0.3 - aside);
}
