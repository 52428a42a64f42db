//! Shapes as lines.

use core::f32::consts::TAU;

use glam::{Vec2, Vec3};

use crate::font::{Anchor, CAPITAL, strokes};
use crate::line::{Corner, Line};

/// The lines of a circle.
const SIDES: u8 = 24;

/// Calls `each` with the edges of a box.
pub(crate) fn edges(center: Vec3, size: Vec3, color: Vec3, each: &mut dyn FnMut(Line)) {
    let half = size * 0.5;
    let corner = |number: u8| {
        let side = |bit: u8| if number >> bit & 1 == 0 { -1.0 } else { 1.0 };
        center + half * Vec3::new(side(0), side(1), side(2))
    };
    for from in 0..8_u8 {
        for bit in (0..3).filter(|bit| from >> bit & 1 == 0) {
            each(Line::new(corner(from), corner(from | 1 << bit), color));
        }
    }
}

/// Calls `each` with the lines of a circle around each axis.
pub(crate) fn circles(center: Vec3, radius: f32, color: Vec3, each: &mut dyn FnMut(Line)) {
    for [across, up] in [[Vec3::X, Vec3::Y], [Vec3::Y, Vec3::Z], [Vec3::Z, Vec3::X]] {
        let at = |side: u8| {
            let turned = Vec2::from_angle(TAU * f32::from(side) / f32::from(SIDES));
            center + (across * turned.x + up * turned.y) * radius
        };
        for side in 0..SIDES {
            each(Line::new(at(side), at(side + 1), color));
        }
    }
}

/// Calls `each` with the lines of a cross.
pub(crate) fn cross(at: Vec3, size: f32, color: Vec3, each: &mut dyn FnMut(Line)) {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let half = axis * (size * 0.5);
        each(Line::new(at - half, at + half, color));
    }
}

/// Calls `each` with the lines of a text above a place of the world, whose capital letters have a
/// height.
pub(crate) fn text(at: Vec3, text: &str, size: f32, color: Vec3, each: &mut dyn FnMut(Line)) {
    let unit = size / CAPITAL as f32;
    strokes(text, Anchor::LowerMiddle, &mut |from, to| {
        each(Line::facing(at, [from, to], unit, color));
    });
}

/// Calls `each` with the lines of a text on the screen, in pixels.
pub(crate) fn screen_text(
    at: Vec2,
    text: &str,
    size: f32,
    color: Vec3,
    each: &mut dyn FnMut(Line),
) {
    let (corner, unit) = (Corner::new(at), size / CAPITAL as f32);
    // The screen's pixels are counted down.
    let place = |[x, y]: [i32; 2]| corner.moved(Vec2::new(x as f32, -y as f32) * unit);
    strokes(text, Anchor::UpperLeft, &mut |from, to| {
        each(Line::from_corners(place(from), place(to), color));
    });
}
