//! What has happened in a step, as plain data: nobody is called.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_containers::Event;

/// Two shapes have begun to touch. Of the two actors the one with the smaller id is first.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct TouchBegan {
    /// The bits of the first actor's entity; 0 for none.
    pub entity: u32,
    /// Those of the other one.
    pub other: u32,
    /// The bits of the first actor's id.
    pub actor: u32,
    /// Those of the other one.
    pub other_actor: u32,
    /// Which shape of the first actor it is.
    pub shape: u32,
    /// Which one of the other.
    pub other_shape: u32,
    /// The hash of the first shape's material.
    pub material: u32,
    /// That of the other one.
    pub other_material: u32,
    /// Where they touch: the mean of all places.
    pub point: [f32; 3],
    /// The direction from the first to the other, of length 1.
    pub normal: [f32; 3],
    /// The impulse by which the step has kept them apart, in newton seconds.
    pub impulse: f32,
}

/// Two shapes go on to touch. It is sent once in
/// [`WorldSettings::stay_steps`](crate::WorldSettings::stay_steps) steps, while one of them is awake.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct TouchStayed {
    /// As in [`TouchBegan`].
    pub entity: u32,
    /// As in [`TouchBegan`].
    pub other: u32,
    /// As in [`TouchBegan`].
    pub actor: u32,
    /// As in [`TouchBegan`].
    pub other_actor: u32,
    /// As in [`TouchBegan`].
    pub shape: u32,
    /// As in [`TouchBegan`].
    pub other_shape: u32,
    /// As in [`TouchBegan`].
    pub material: u32,
    /// As in [`TouchBegan`].
    pub other_material: u32,
    /// As in [`TouchBegan`].
    pub point: [f32; 3],
    /// As in [`TouchBegan`].
    pub normal: [f32; 3],
    /// As in [`TouchBegan`].
    pub impulse: f32,
    /// How fast they slide along each other, in metres a second.
    pub sliding: f32,
}

/// Two shapes do not touch any more, or one of their actors is gone or disabled.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct TouchEnded {
    /// As in [`TouchBegan`].
    pub entity: u32,
    /// As in [`TouchBegan`].
    pub other: u32,
    /// As in [`TouchBegan`].
    pub actor: u32,
    /// As in [`TouchBegan`].
    pub other_actor: u32,
    /// As in [`TouchBegan`].
    pub shape: u32,
    /// As in [`TouchBegan`].
    pub other_shape: u32,
    /// As in [`TouchBegan`].
    pub material: u32,
    /// As in [`TouchBegan`].
    pub other_material: u32,
}

/// A shape has entered a trigger.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct TriggerEntered {
    /// The bits of the trigger's entity; 0 for none.
    pub trigger: u32,
    /// Those of the entity that has entered.
    pub entity: u32,
    /// The bits of the id of the trigger's actor.
    pub trigger_actor: u32,
    /// Those of the actor that has entered.
    pub actor: u32,
    /// Which shape of its actor the trigger is.
    pub trigger_shape: u32,
    /// Which shape has entered.
    pub shape: u32,
}

/// A shape has left a trigger, or one of their actors is gone or disabled.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct TriggerLeft {
    /// As in [`TriggerEntered`].
    pub trigger: u32,
    /// As in [`TriggerEntered`].
    pub entity: u32,
    /// As in [`TriggerEntered`].
    pub trigger_actor: u32,
    /// As in [`TriggerEntered`].
    pub actor: u32,
    /// As in [`TriggerEntered`].
    pub trigger_shape: u32,
    /// As in [`TriggerEntered`].
    pub shape: u32,
}

/// An actor was frozen: it is out of the simulation until it is [put](crate::PhysicsWorld::teleport)
/// somewhere. It is reported once.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct Frozen {
    /// The bits of the entity; 0 for none.
    pub entity: u32,
    /// The bits of the actor's id.
    pub actor: u32,
    /// The number of the [`FrozenReason`].
    pub reason: u32,
    /// Where it is kept.
    pub at: [f32; 3],
}

/// Why an actor was frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FrozenReason {
    /// Its position or speed is not a number any more: look for forces that are as large as numbers
    /// can be.
    NotANumber = 1,
    /// It is further from the origin than [`WorldSettings::far`](crate::WorldSettings::far): look for
    /// what falls out of the level.
    TooFar = 2,
}
