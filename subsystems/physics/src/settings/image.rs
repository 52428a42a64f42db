//! Settings as they are saved.

use loligo_containers::{BlobArray, blob_struct};
use loligo_ids::{IdString32, IdString64};

blob_struct! {
    /// Settings as they are saved: a blob. [`Settings`](super::Settings) reads it.
    pub struct SettingsImage {
        /// In metres per second squared.
        pub gravity: [f32; 3],
        /// How many `stay` events a second two shapes that touch have.
        pub stay_rate: f32,
        /// The groups, in the order of their bits.
        pub groups: BlobArray<SettingsGroup>,
        /// The materials, by ascending hash.
        pub materials: BlobArray<SettingsMaterial>,
        /// The templates of shapes, by ascending hash.
        pub shapes: BlobArray<SettingsShape>,
        /// The templates of actors, by ascending hash.
        pub actors: BlobArray<SettingsActor>,
        /// The name of the game's table of effects, hashed; 0 without one.
        pub impacts: IdString64,
    }

    /// A group. 8 bytes.
    pub struct SettingsGroup {
        /// Its name, hashed.
        pub name: IdString32,
        /// The bits of the groups that it meets.
        pub meets: u32,
    }

    /// A material. 16 bytes.
    pub struct SettingsMaterial {
        /// Its name, hashed.
        pub name: IdString32,
        /// From 0 to 10.
        pub friction: f32,
        /// From 0 to 1.
        pub restitution: f32,
        /// Kilograms in a cubic metre.
        pub density: f32,
    }

    /// A template of shapes. 16 bytes.
    pub struct SettingsShape {
        /// Its name, hashed.
        pub name: IdString32,
        /// The index of a material.
        pub material: u32,
        /// The index of a group.
        pub group: u32,
        /// Those of a [`ShapeTemplate`](super::ShapeTemplate).
        pub flags: u32,
    }

    /// A template of actors. 28 bytes.
    pub struct SettingsActor {
        /// Its name, hashed.
        pub name: IdString32,
        /// An [`ActorKind`](super::ActorKind).
        pub kind: u32,
        /// Those of an [`ActorTemplate`](super::ActorTemplate).
        pub flags: u32,
        /// Kilograms; 0 where densities decide.
        pub mass: f32,
        /// Which part of the speed is lost in a second.
        pub linear_damping: f32,
        /// Which part of the turning is lost in a second.
        pub angular_damping: f32,
        /// What gravity is multiplied by.
        pub gravity_scale: f32,
    }
}
