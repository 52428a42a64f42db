//! What goes to the render thread for a frame, and comes back.

use loligo_allocators::Allocator;
use loligo_containers::{Array, EventStream};
use loligo_render::StateStream;

use crate::assets::Uploads;
use crate::error::RenderError;
use crate::world::SceneView;

/// What all views of a frame have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scene {
    /// Which frame it is, from 0 on.
    pub frame: u64,
    /// The game's time, in seconds.
    pub time: f32,
    /// The width and height of the picture, in pixels.
    pub size: [u32; 2],
    /// Whether a window shows it: `false` if there is no window, or it is minimised.
    pub is_shown: bool,
    /// The most bytes of textures, if there is a budget for them.
    pub texture_budget: Option<u64>,
    /// Whether it is to be measured how large materials are in the pictures.
    pub is_measured: bool,
}

/// What is to be done with a frame besides drawing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Its commands as text.
    pub(crate) text: bool,
    /// Its pixels.
    pub(crate) picture: bool,
}

impl Wanted {
    /// Returns what either asks for.
    pub(crate) const fn or(self, other: Self) -> Self {
        Self { text: self.text || other.text, picture: self.picture || other.picture }
    }
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// How many meshes there are.
    pub meshes: u32,
    /// How many draws were asked for.
    pub draws: u64,
    /// How many packages of draws are for the picture itself, and not for shadows.
    pub seen: u64,
    /// How many records of indirect draws they became.
    pub records: u32,
    /// How many point lights it was lit by.
    pub lights: u32,
    /// How many more reach into what the camera sees, and were left out.
    pub lights_left_out: u32,
    /// The processor time of the render thread outside of the back end, in nanoseconds.
    pub own_ns: u64,
    /// That of the back end: of the graphics API, or of the text.
    pub back_end_ns: u64,
}

/// A frame on its way to the render thread and back. It keeps its memory from frame to frame.
pub(crate) struct Packet<'a, A: Allocator + ?Sized> {
    pub(crate) state: StateStream<'a, A>,
    pub(crate) uploads: Uploads<'a, A>,
    pub(crate) scene: Scene,
    /// For each view of the frame, by its number.
    pub(crate) views: Array<'a, SceneView, A>,
    /// What subsystems have sent to their drawers.
    pub(crate) drawings: Array<'a, EventStream<'a, A>, A>,
    pub(crate) wanted: Wanted,
    /// How large the material of each state is in the pictures, in pixels; empty where that was not
    /// measured.
    pub(crate) sizes: Array<'a, f32, A>,
    /// Filled where it was wanted.
    pub(crate) text: Array<'a, u8, A>,
    /// Filled where it was wanted: rows of red, green, blue, opacity.
    pub(crate) picture: Array<'a, u8, A>,
    /// What was wrong with what was uploaded, as text: the last good one stays.
    pub(crate) problems: Array<'a, u8, A>,
    /// Whether uploads and state were taken in. What was not is sent once more.
    pub(crate) is_taken: bool,
    pub(crate) result: Result<Drawn, RenderError>,
}
