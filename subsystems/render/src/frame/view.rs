//! The views of a frame: from where its passes see the world.

/// The name of the view that is there without being declared: what the player sees.
pub const PLAYER: &str = "player";

/// The most views that a frame may have.
pub const VIEWS_MAX: usize = 16;

/// The most views of the sun around a camera that a shader looks for shadows in.
pub const SHADOW_MAPS_MAX: usize = 4;

/// The most stages of a world: parts of it that are not seen together.
pub const STAGES_MAX: usize = 16;

/// From where a view sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewFrom {
    /// A camera, which the program chooses by the view's name.
    Camera,
    /// The sun, over what another view sees: for a shadow map.
    Sun,
}

impl ViewFrom {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Camera, Self::Sun];

    /// Returns the name that a frame's description has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Camera => "camera",
            Self::Sun => "sun",
        }
    }
}

/// A view of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewRef<'f> {
    /// Which one it is; 0 is [`PLAYER`].
    pub number: u8,
    /// Its name.
    pub name: &'f str,
    /// From where it sees.
    pub from: ViewFrom,
    /// The view whose surroundings the sun sees; of a camera its own number.
    pub around: u8,
    /// Which stage of the world it sees.
    pub stage: u8,
    /// Which part of the targets of its passes it draws, from 0 to 1: left, top, width and height.
    pub rectangle: [f32; 4],
    /// From where to where of the distance at which the sun throws shadows a view of the sun
    /// reaches, from 0 to 1; `[0.0, 1.0]` of a camera.
    pub reach: [f32; 2],
    /// Returns `true` if what occluders cover is left out.
    pub occlusion: bool,
}

impl ViewRef<'_> {
    /// Returns the part of a target of `pixels` that it draws, in pixels: left, top, width and
    /// height. It is a pixel at least where there is one, and never over the edge.
    #[must_use]
    pub fn part_of(&self, pixels: [u32; 2]) -> [u32; 4] {
        part_of(self.rectangle, pixels)
    }
}

/// Returns a part of a target, given from 0 to 1, in pixels: left, top, width and height.
///
/// Neighbours that share an edge share it in pixels as well.
///
/// # Examples
///
/// ```
/// use loligo_render::part_of;
///
/// assert_eq!(part_of([0.0, 0.0, 0.5, 1.0], [101, 50]), [0, 0, 51, 50]);
/// assert_eq!(part_of([0.5, 0.0, 0.5, 1.0], [101, 50]), [51, 0, 50, 50]);
/// ```
#[must_use]
pub fn part_of([left, top, width, height]: [f32; 4], pixels: [u32; 2]) -> [u32; 4] {
    let along = |start: f32, size: f32, pixels: u32| {
        let place = |part: f32| (part.clamp(0.0, 1.0) * pixels as f32 + 0.5) as u32;
        let start_pixel = place(start).min(pixels.saturating_sub(1));
        let end = place(start + size).clamp(start_pixel + 1, pixels.max(start_pixel + 1));
        (start_pixel, end - start_pixel)
    };
    let (left, width) = along(left, width, pixels[0]);
    let (top, height) = along(top, height, pixels[1]);
    [left, top, width, height]
}
