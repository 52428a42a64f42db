//! What a pose is made of.

/// A clip of which a pose is made.
///
/// # Memory
///
/// 12 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct MachineSample {
    /// The number of the clip in the machine.
    pub clip: u16,
    /// The layer that plays it.
    pub layer: u16,
    /// The frame, from the first to the last one of the clip.
    pub frame: f32,
    /// Its part of the layer, above 0: those of a layer add up to 1.
    pub weight: f32,
}
