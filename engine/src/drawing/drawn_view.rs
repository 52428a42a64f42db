//! A view on the thread that renders.

use glam::Mat4;
use loligo_render::{FrameLights, View};

use crate::world::{SceneView, Shadow};

/// A view of a frame that is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawnView {
    /// What it sees: of a view of the sun, what the view around which it is sees.
    pub(crate) seen: SceneView,
    /// How the camera projects.
    pub(crate) projection: Mat4,
    /// How the sun sees it, as far as there is a shadow map.
    pub(crate) shadow: Shadow,
    /// What it is culled by.
    pub(crate) view: View,
    pub(crate) lights: FrameLights,
    pub(crate) is_sun: bool,
    /// How many pixels it draws.
    pub(crate) pixels: [u32; 2],
    /// Which part of its targets it draws.
    pub(crate) rectangle: [f32; 4],
}
