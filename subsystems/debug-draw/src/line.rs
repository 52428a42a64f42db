//! A line.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

/// The most lines that are drawn in a frame.
pub const LINES_MAX: usize = 1 << 17;

/// A line as it is drawn.
///
/// # Memory
///
/// 32 bytes, as shaders read it.
///
/// # Invariants
///
/// By its space, `from` and `to` are
///
/// | space | `from` | `to` |
/// |---|---|---|
/// | world | a place | a place |
/// | screen | pixels from an edge, and the numbers of the edges | the same |
/// | facing | the place that it is seen at | both ends in units of a grid, packed; a unit's length |
/// | picture | a place of the picture, from -1 to 1 | the same |
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Line {
    /// Where it begins.
    pub from: [f32; 3],
    /// Its color: red in the lowest byte, green, blue, opacity.
    pub color: u32,
    /// Where it ends.
    pub to: [f32; 3],
    space: u32,
}

const _: () = assert!(size_of::<Line>() == 32, "shaders read it so");

/// The spaces of lines. The shader knows those of the world and of the picture.
const WORLD: u32 = 0;
const PICTURE: u32 = 1;
const SCREEN: u32 = 2;
const FACING: u32 = 3;

/// Of which edges the pixels of a place are counted: bits.
const RIGHT: u8 = 1;
const LOWER: u8 = 2;

/// Units of a grid, from -`GRID` to below `GRID`, are packed in pairs, which a float holds exactly.
const GRID: i32 = 1 << 11;

impl Line {
    /// Returns a line of a color: red, green and blue from 0 to 1.
    #[must_use]
    pub fn new(from: Vec3, to: Vec3, color: Vec3) -> Self {
        let (from, to) = (from.to_array(), to.to_array());
        Self { from, color: bytes_of(color), to, space: WORLD }
    }

    /// Returns a line on the screen, in pixels to the right and down. Those of an end that is below
    /// zero are counted from the right or the lower edge.
    #[must_use]
    pub fn on_screen(from: Vec2, to: Vec2, color: Vec3) -> Self {
        Self::from_corners(Corner::new(from), Corner::new(to), color)
    }

    /// Returns a line between two places of the screen.
    pub(crate) fn from_corners(from: Corner, to: Corner, color: Vec3) -> Self {
        let place = |at: Corner| [at.pixels.x, at.pixels.y, f32::from(at.edges)];
        Self { from: place(from), color: bytes_of(color), to: place(to), space: SCREEN }
    }

    /// Returns a line that faces the eye of each view: its ends are `unit` times so far to the right
    /// of a place and above it.
    pub(crate) fn facing(at: Vec3, ends: [[i32; 2]; 2], unit: f32, color: Vec3) -> Self {
        let packed = ends.map(|[x, y]| {
            let [x, y] = [x, y].map(|part| part.clamp(-GRID, GRID - 1) + GRID);
            (x * 2 * GRID + y) as f32
        });
        let to = [packed[0], packed[1], unit];
        Self { from: at.to_array(), color: bytes_of(color), to, space: FACING }
    }

    /// Makes those lines of the world whose bytes are no line's, as those of a command may be, and
    /// returns whether all lines are.
    pub(crate) fn check(lines: &mut [Self]) -> bool {
        let most = lines.iter().fold(WORLD, |most, line| most.max(line.space));
        if most > FACING {
            lines.iter_mut().filter(|line| line.space > FACING).for_each(|line| line.space = WORLD);
        }
        most == WORLD || lines.iter().all(Self::is_in_world)
    }

    /// Returns `true` if it is in the world, where it is the same for all who look.
    pub(crate) const fn is_in_world(&self) -> bool {
        self.space == WORLD
    }

    /// Returns the line as a view draws it, if it does. `to_right` and `up` are a metre in the view;
    /// `pixels` are those of the picture, if the view is the one that the screen is seen by.
    pub(crate) fn resolve(self, to_right: Vec3, up: Vec3, pixels: Option<Vec2>) -> Option<Self> {
        let Self { from, color, to, space } = self;
        match space {
            SCREEN => {
                let pixels = pixels?;
                let place = |[x, y, edges]: [f32; 3]| {
                    let edges = edges as u8;
                    let at = Vec2::new(x, y) + pixels * edges_of(edges);
                    let at = at / pixels * 2.0 - 1.0;
                    [at.x, -at.y, 0.0]
                };
                Some(Self { from: place(from), color, to: place(to), space: PICTURE })
            }
            FACING => {
                let [start, end, unit] = to;
                let place = |packed: f32| {
                    let packed = packed as i32;
                    let [x, y] = [packed / (2 * GRID), packed % (2 * GRID)];
                    let [x, y] = [x, y].map(|part| (part - GRID) as f32 * unit);
                    (Vec3::from(from) + to_right * x + up * y).to_array()
                };
                Some(Self { from: place(start), color, to: place(end), space: WORLD })
            }
            _ => Some(self),
        }
    }
}

/// A place of the screen: pixels to the right and down, from one of its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pixels: Vec2,
    edges: u8,
}

impl Corner {
    /// Returns the place; what is below zero is counted from the right or the lower edge.
    pub(crate) fn new(pixels: Vec2) -> Self {
        let right = if pixels.x < 0.0 { RIGHT } else { 0 };
        let lower = if pixels.y < 0.0 { LOWER } else { 0 };
        Self { pixels, edges: right | lower }
    }

    /// Returns the place further to the right and down by some pixels.
    pub(crate) fn moved(self, by: Vec2) -> Self {
        Self { pixels: self.pixels + by, ..self }
    }
}

/// Returns 1 for each edge that is not the left or the upper one.
fn edges_of(edges: u8) -> Vec2 {
    let is = |bit: u8| if edges & bit == 0 { 0.0 } else { 1.0 };
    Vec2::new(is(RIGHT), is(LOWER))
}

fn bytes_of(color: Vec3) -> u32 {
    let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u32;
    byte(color.x) | byte(color.y) << 8 | byte(color.z) << 16 | 0xFF00_0000
}
