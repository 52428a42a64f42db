//! Components as resources of entities have them: plain words.

use bytemuck::{Pod, Zeroable};
use loligo_entities::{ComponentType, ResourceWords};

/// The component of what sounds.
pub const SOUND: ComponentType = ComponentType::new("sound", 260);

/// The component of a listener.
pub const LISTENER: ComponentType = ComponentType::new("listener", 270);

/// The most parameters of the component `sound`.
pub const SOURCE_PARAMETERS_MAX: usize = 8;

/// What sounds, as it is compiled. 84 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoundSource {
    /// A resource of type `sound`.
    pub play: ResourceWords,
    /// The decibels that are added.
    pub volume: f32,
    /// A factor of its speed.
    pub speed: f32,
    /// 1: it begins when the game says so, not with its entity.
    pub is_waiting: u32,
    /// Names and values of parameters, hashed; a name of 0 is none.
    pub parameters: [[u32; 2]; SOURCE_PARAMETERS_MAX],
}

/// Who hears, as it is compiled. 4 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ListenerSource {
    /// The decibels that are added to all that it hears.
    pub volume: f32,
}
