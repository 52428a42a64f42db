//! The engine's own subsystems that join by a row, as those of games do. A subsystem is added here:
//! no other file of the engine knows which there are.

use loligo_animation::{
    BoneLine, BoneReleased, BonesTaken, ClipPassed, FootAnswered, FootAsked, PlaceBone,
};
use loligo_containers::{Event, EventRecord, GrowError};
use loligo_debug_draw::DrawLine;
use loligo_ids::IdString32;
use loligo_interface::{Commands, SubsystemRow, Wire};
use loligo_physics::{
    AskRay, BodyLine, BoneMoved, DropBones, HoldBone, ImpactDue, RayAnswered, StepOn,
};
use loligo_sound::{OccludeSound, PlaySound, SoundRayAsked};

/// The rows, in the order in which they are stepped.
pub(crate) const OWN_ROWS: [SubsystemRow; 5] = [
    loligo_animation::ROW,
    loligo_physics::ROW,
    loligo_sound::ROW,
    loligo_text::ROW,
    loligo_debug_draw::ROW,
];

/// What the events of one of them mean to another.
pub(crate) const OWN_WIRES: [Wire; 10] = [
    Wire { from: BoneLine::TYPE, to: draw_bone },
    Wire { from: BodyLine::TYPE, to: draw_body },
    Wire { from: FootAsked::TYPE, to: ask_for_ground },
    Wire { from: SoundRayAsked::TYPE, to: ask_for_walls },
    Wire { from: RayAnswered::TYPE, to: answer },
    Wire { from: BoneReleased::TYPE, to: hold_bone },
    Wire { from: BonesTaken::TYPE, to: drop_bones },
    Wire { from: BoneMoved::TYPE, to: place_bone },
    Wire { from: ClipPassed::TYPE, to: step_on },
    Wire { from: ImpactDue::TYPE, to: play_impact },
];

/// Who asked for a ray, in bits of `asker` that askers leave free: answers go back by them.
const OF_FEET: u64 = 1 << 63;
const OF_SOUNDS: u64 = 1 << 62;

/// The name of events of clips at which a foot is put down: `step`.
const FOOTSTEP: IdString32 = IdString32::new("step");

/// How fast a foot comes down, in metres a second, as long as clips do not say.
const STEP_SPEED: f32 = 1.0;

fn draw_bone(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(BoneLine { from, to, color }) => {
            commands.send(DrawLine { from, to, color, seconds: 0.0 })
        }
        None => Ok(()),
    }
}

fn draw_body(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(BodyLine { from, to, color }) => {
            commands.send(DrawLine { from, to, color, seconds: 0.0 })
        }
        None => Ok(()),
    }
}

/// What the ground is at a foot: a ray through the character's own actor.
fn ask_for_ground(
    event: &EventRecord<'_>,
    commands: &mut Commands<'_, '_>,
) -> Result<(), GrowError> {
    match event.get() {
        Some(FootAsked { asker, from, to }) => {
            let ray = AskRay::new(asker | OF_FEET, from, to);
            commands.send(AskRay { ignored: asker as u32, ..ray })
        }
        None => Ok(()),
    }
}

/// Whether there is a wall before a sound: a ray through the actor that sounds.
fn ask_for_walls(
    event: &EventRecord<'_>,
    commands: &mut Commands<'_, '_>,
) -> Result<(), GrowError> {
    match event.get() {
        Some(SoundRayAsked { sound, entity, from, to }) => {
            let ray = AskRay::new(u64::from(sound) | OF_SOUNDS, from, to);
            commands.send(AskRay { ignored: entity, ..ray })
        }
        None => Ok(()),
    }
}

fn answer(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(RayAnswered { asker, hit, .. }) if asker & OF_SOUNDS != 0 => {
            commands.send(OccludeSound { sound: asker as u32, share: hit as f32 })
        }
        Some(RayAnswered { asker, hit, at, normal, material, .. }) if asker & OF_FEET != 0 => {
            commands.send(FootAnswered { asker: asker & !OF_FEET, hit, at, normal, material })
        }
        _ => Ok(()),
    }
}

fn hold_bone(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(BoneReleased { entity, bone, at, turn, speed, spin }) => {
            commands.send(HoldBone { entity, bone, at, turn, speed, spin })
        }
        None => Ok(()),
    }
}

fn drop_bones(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(BonesTaken { entity }) => commands.send(DropBones { entity }),
        None => Ok(()),
    }
}

fn place_bone(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(BoneMoved { entity, bone, at, turn }) => {
            commands.send(PlaceBone { entity, bone, at, turn })
        }
        None => Ok(()),
    }
}

/// A foot is put down: what is heard of it depends on the ground, which physics knows.
fn step_on(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(ClipPassed { entity, name, at, .. }) if name == FOOTSTEP.hash() => {
            commands.send(StepOn { entity, material: 0, at, speed: STEP_SPEED })
        }
        _ => Ok(()),
    }
}

/// The parameters of the sound of an effect: how strong it is to be, and the impulse or speed of what happened.
const STRENGTH: IdString32 = IdString32::new("strength");
const AMOUNT: IdString32 = IdString32::new("amount");

/// An effect is due: the sound of its name is heard there, if there is one.
fn play_impact(event: &EventRecord<'_>, commands: &mut Commands<'_, '_>) -> Result<(), GrowError> {
    match event.get() {
        Some(ImpactDue { effect, at, strength, amount, .. }) => {
            let play = PlaySound { sound: effect, entity: 0, is_placed: 1, at, volume: 0.0 };
            let numbers = [(STRENGTH, strength), (AMOUNT, amount)];
            let parameters = numbers.map(|(name, value)| [name.hash(), value.to_bits()]);
            commands.send_with_tail(play, &parameters)
        }
        None => Ok(()),
    }
}

/// Registers the compilers of the resource types that they have.
#[cfg(feature = "compile")]
pub(crate) fn register_compilers(compilers: &mut loligo_compiler::Compilers) {
    loligo_animation::compile::register(compilers);
    loligo_physics::compile::register(compilers);
    loligo_sound::compile::register(compilers);
    loligo_text::compile::register(compilers);
}

/// Returns the compilers of the components that they have.
#[cfg(feature = "compile")]
pub(crate) fn components() -> Vec<loligo_entities::compile::SharedComponentCompiler> {
    let mut all = loligo_animation::compile::components();
    all.extend(loligo_physics::compile::components());
    all.extend(loligo_sound::compile::components());
    all
}
