//! A view on the thread that renders.

use glam::Mat4;
use loligo_render::{SHADOW_MAPS_MAX, SunShadow, View};

use crate::world::SceneView;

/// A view of a frame that is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawnView {
    /// What it sees: of a view of the sun, what the view around which it is sees.
    pub(crate) seen: SceneView,
    /// How the camera projects.
    pub(crate) projection: Mat4,
    /// How the sun sees it, and which part of the target that is; of a view of the sun its own.
    pub(crate) shadows: [Option<(SunShadow, [f32; 4])>; SHADOW_MAPS_MAX],
    /// What it is culled by.
    pub(crate) view: View,
    /// The number of the view whose lights it is lit by: a view of the sun has none.
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "a card reads it"))]
    pub(crate) lit_by: u8,
    pub(crate) is_sun: bool,
    /// Whether what occluders cover is left out.
    pub(crate) hides: bool,
    /// How many pixels it draws.
    pub(crate) pixels: [u32; 2],
    /// Which part of its targets it draws.
    pub(crate) rectangle: [f32; 4],
}
