//! Components as resources of entities have them: plain words.

use bytemuck::{Pod, Zeroable};
use loligo_entities::{ComponentType, ResourceWords};

/// The component of what sounds.
pub const SOUND: ComponentType = ComponentType::new("sound", 260);

/// The component of a listener.
pub const LISTENER: ComponentType = ComponentType::new("listener", 270);

/// The component of a part of the world that has the sound of a room.
pub const SOUND_ZONE: ComponentType = ComponentType::new("sound_zone", 280);

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

/// A part of the world that has the sound of a room, as it is compiled. 28 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ZoneSource {
    /// The bus of the room, hashed.
    pub bus: u32,
    /// The sides of a box.
    pub size: [f32; 3],
    /// The radius of a sphere; 0: it is a box.
    pub radius: f32,
    /// Within how many metres around it the level falls to 0.
    pub fade: f32,
    /// How much of what buses send to that of the room is heard within it.
    pub level: f32,
}
