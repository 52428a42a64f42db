//! What scripts ask of characters.

use glam::{Quat, Vec3};
use loligo_entities::{Entity, Pose};
use loligo_ids::IdString32;
use loligo_interface::{ENTITY, SubsystemFunction};
use loligo_script::{ArgumentError, Call, Kind};

use super::Animation;
use super::attachments::Attachment;
use super::body::Body;
use super::events::BonesTaken;
use super::goals::{Goal, GoalKind};
use super::rig::Rig;

const ID: Kind = Kind::Id(ENTITY);
const ONE: &[Kind] = &[ID];
const NAMED: &[Kind] = &[ID, Kind::Text];
const NAMED_NUMBER: &[Kind] = &[ID, Kind::Text, Kind::Number];
const GOAL: &[Kind] = &[ID, Kind::Text, Kind::Vector3, Kind::Number];
const NUMBER: &[Kind] = &[Kind::Number];
const BOOL: &[Kind] = &[Kind::Bool];
const NONE: &[Kind] = &[];

pub(super) const FUNCTIONS: [SubsystemFunction; 26] = [
    of("Animation.play", NAMED, NONE, "plays a clip at once, in place of what it plays"),
    of("Animation.fade", NAMED_NUMBER, NONE, "plays a clip, and fades it in within some seconds"),
    of("Animation.stop", &[ID, Kind::Number], NONE, "fades all clips out within some seconds"),
    of("Animation.is_playing", NAMED, BOOL, "whether it plays a clip, or fades it in"),
    of("Animation.speed", ONE, NUMBER, "how fast it plays its clips; 1 is as they are"),
    of("Animation.set_speed", &[ID, Kind::Number], NONE, "plays its clips faster, slower, or back"),
    of("Animation.time", NAMED, NUMBER, "how far it is in a clip that it plays; 0 if it does not"),
    of("Animation.set_time", NAMED_NUMBER, NONE, "goes to a time of a clip that it plays"),
    of("Animation.weight", NAMED, NUMBER, "how much of its pose a clip is, from 0 to 1"),
    of(
        "Animation.bone_position",
        NAMED,
        &[Kind::Vector3],
        "where a bone is in the world, of the pose of now; the entity is where it was drawn last",
    ),
    of("Animation.bone_rotation", NAMED, &[Kind::Quaternion], "how a bone is turned in the world"),
    of(
        "Animation.attach",
        &[ID, ID, Kind::Text],
        NONE,
        "has an entity follow a bone of a character that it is linked to, by `Transform.link`",
    ),
    of("Animation.detach", ONE, BOOL, "has an entity follow no bone any more; whether it did"),
    of(
        "Animation.look_at",
        GOAL,
        NONE,
        "has a bone, such as the head, look at a place of the world; the number is how much, 0 ends it",
    ),
    of(
        "Animation.reach",
        GOAL,
        NONE,
        "has a bone, such as a hand or a foot, be at a place of the world, by the two bones above it; the number is how much, 0 ends it",
    ),
    of("Animation.set_visible", &[ID, Kind::Bool], NONE, "shows or hides it"),
    of("Animation.show_bones", BOOL, NONE, "draws the bones of characters as lines, or not"),
    of("Animation.id", &[Kind::Text], NUMBER, "the number by which events have a name"),
    of("Animation.set", NAMED_NUMBER, NONE, "sets a variable of its state machine"),
    of("Animation.get", NAMED, NUMBER, "the value of a variable of its state machine"),
    of("Animation.is_in", NAMED, BOOL, "whether a layer of its state machine is in a state"),
    of(
        "Animation.release",
        ONE,
        NONE,
        "hands its bones over, such as to a ragdoll, from the next update on: where each is and how it moves",
    ),
    of(
        "Animation.take_back",
        &[ID, Kind::Number],
        NONE,
        "moves its bones again, from where they are to what it plays, within some seconds",
    ),
    of("Animation.is_released", ONE, BOOL, "whether its bones are handed over, or on the way back"),
    of(
        "Animation.set_feet",
        &[ID, Kind::Number],
        NONE,
        "how much the `feet` of its component follow the ground, from 0 to 1",
    ),
    of(
        "Animation.foot_height",
        NAMED,
        NUMBER,
        "how far above the entity the ground at a foot is, as the foot follows it",
    ),
];

const fn of(
    name: &'static str,
    arguments: &'static [Kind],
    results: &'static [Kind],
    help: &'static str,
) -> SubsystemFunction {
    SubsystemFunction { name, arguments, results, help }
}

/// Runs a function by its number.
pub(super) fn call(
    animation: &mut Animation<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let prepared = animation.prepare();
    prepared.map_err(|error| call.refuse(format_args!("{error}")))?;
    match function {
        16 => animation.are_bones_shown = call.bool(0),
        17 => {
            let name = IdString32::new(call.text(0)?);
            call.return_number(name.hash().into());
        }
        12 => {
            let child = Entity::from_bits(call.id(0));
            let did = child.is_some_and(|child| animation.attachments.detach(child));
            call.return_bool(did);
        }
        9 | 10 => return bone(animation, function, call),
        11 => return attach(animation, call),
        18..=20 => return machine(animation, function, call),
        21..=25 => return others(animation, function, call),
        13 | 14 => return aim(animation, function, call),
        1 | 0 | 3 | 6..=8 => return clip(animation, function, call),
        _ => {
            let (body, _) = character(animation, call)?;
            match function {
                2 => {
                    let seconds = call.number(1) as f32;
                    body.voices.iter_mut().filter(|voice| !voice.is_silent()).for_each(|voice| {
                        voice.fade(0.0, seconds);
                    });
                    body.is_posed = false;
                }
                4 => call.return_number(body.speed.into()),
                5 => body.speed = finite(call, 1)?,
                _ => body.is_hidden = !call.bool(1),
            }
        }
    }
    Ok(())
}

/// Returns the character of the first argument, and its rig.
fn character<'a, 'm>(
    animation: &'a mut Animation<'m>,
    call: &mut Call<'_>,
) -> Result<(&'a mut Body<'m>, &'a Rig<'m>), ArgumentError> {
    let found = Entity::from_bits(call.id(0)).and_then(|of| animation.characters.find(of));
    let Some(at) = found else {
        return Err(call.refuse(format_args!(
            "the entity has no component `animation`; give it one in its source"
        )));
    };
    let body = &mut animation.characters.bodies[at];
    let rig = &animation.characters.rigs[body.rig as usize];
    Ok((body, rig))
}

/// Returns an argument that must be a number that 32 bits hold.
fn finite(call: &mut Call<'_>, argument: usize) -> Result<f32, ArgumentError> {
    let number = call.number(argument) as f32;
    if number.is_finite() {
        return Ok(number);
    }
    Err(call.refuse(format_args!("argument {} is not finite; give another number", argument + 1)))
}

/// Runs a function that has a clip as its second argument.
fn clip(
    animation: &mut Animation<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let name = IdString32::new(call.text(1)?);
    let seconds = if matches!(function, 1 | 7) { finite(call, 2)? } else { 0.0 };
    let (body, rig) = character(animation, call)?;
    let Some(number) = rig.description().and_then(|of| of.find(name)) else {
        return Err(call.refuse(format_args!(
            "its component has no clip of that name; name it under `clips`"
        )));
    };
    let number = number as u16;
    let rate = rig.clip(number).map_or(1.0, |clip| clip.rate);
    match function {
        0 | 1 => body.play(rig, number, seconds.max(0.0)),
        3 => call.return_bool(body.voice(number).is_some()),
        6 => {
            let frame = body.voice(number).map_or(0.0, |voice| voice.playhead.frame());
            call.return_number((frame / rate).into());
        }
        7 => {
            if let Some(voice) = body.voice_mut(number) {
                voice.playhead = voice.playhead.at(seconds * rate);
            }
        }
        _ => {
            let weight = body.voice(number).map_or(0.0, |voice| voice.weight);
            call.return_number(weight.into());
        }
    }
    Ok(())
}

/// Runs a function of the state machine.
fn machine(
    animation: &mut Animation<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let name = IdString32::new(call.text(1)?);
    let value = if function == 18 { finite(call, 2)? } else { 0.0 };
    character(animation, call)?;
    let Animation { assets, characters, .. } = animation;
    let found = Entity::from_bits(call.id(0)).and_then(|of| characters.find(of));
    let body = found.map(|at| &mut characters.bodies[at]);
    let of = body.and_then(|body| {
        let machine = characters.rigs[body.rig as usize].machine.as_ref()?.machine(assets)?;
        Some((machine, body.machine.machine.as_mut()?))
    });
    let Some((machine, own)) = of else {
        return Err(call.refuse(format_args!(
            "its component names no machine that is loaded; name one under `machine`"
        )));
    };
    if function == 20 {
        let mut layers = (0..machine.layer_count()).zip(0..);
        let is_in = |(layer, _): (usize, u32)| machine.state_name(own.state(0, layer)) == name;
        call.return_bool(layers.any(is_in));
        return Ok(());
    }
    let Some(variable) = machine.variable(name) else {
        return Err(call.refuse(format_args!(
            "its machine has no variable of that name; name it under `variables`"
        )));
    };
    match function {
        18 => own.set(0, variable, value),
        _ => call.return_number(own.get(0, variable).into()),
    }
    Ok(())
}

/// Hands bones over, takes them back, and has feet follow the ground.
fn others(
    animation: &mut Animation<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let number = if matches!(function, 22 | 24) { finite(call, 1)? } else { 0.0 };
    let name = if function == 25 { Some(IdString32::new(call.text(1)?)) } else { None };
    let (body, rig) = character(animation, call)?;
    match function {
        21 => body.hand_over.is_due = !body.hand_over.is_released(),
        22 => {
            let (entity, was_released) = (body.entity.to_bits(), body.hand_over.is_released());
            body.hand_over.take_back(number);
            body.is_posed = false;
            if was_released {
                let sent = animation.events.try_push(BonesTaken { entity });
                return sent.map_err(|error| call.refuse(format_args!("{error}")));
            }
        }
        23 => call.return_bool(body.hand_over.is_due || body.hand_over.is_released()),
        24 => {
            body.feet.weight = number.clamp(0.0, 1.0);
            body.is_posed = false;
        }
        _ => {
            let feet = rig.description().map(|of| of.feet());
            let mut feet = feet.into_iter().flatten().map(|(bone, _)| Some(bone));
            let Some(foot) = feet.position(|bone| bone == name) else {
                return Err(call.refuse(format_args!(
                    "its component has no foot of that name; name the bone under `feet`"
                )));
            };
            call.return_number(body.feet.height(foot).into());
        }
    }
    Ok(())
}

/// Returns where a bone is.
fn bone(
    animation: &mut Animation<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let name = IdString32::new(call.text(1)?);
    character(animation, call)?;
    let entity = Entity::from_bits(call.id(0));
    let Some(Pose { position, rotation, .. }) = entity.and_then(|of| animation.bone(of, name))
    else {
        return Err(call.refuse(format_args!(
            "its skeleton is not loaded or has no bone of that name; look for it in the glTF file"
        )));
    };
    match function {
        9 => call.return_vector3(position),
        _ => call.return_quaternion(Quat::normalize(rotation)),
    }
}

fn attach(animation: &mut Animation<'_>, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    let (child, owner) = (Entity::from_bits(call.id(0)), Entity::from_bits(call.id(1)));
    let bone = IdString32::new(call.text(2)?).hash();
    let owner = owner.filter(|owner| animation.characters.find(*owner).is_some());
    let Some((child, owner)) = child.zip(owner) else {
        return Err(call.refuse(format_args!(
            "the second entity has no component `animation`; give it one in its source"
        )));
    };
    let attachment = Attachment::new(child, owner, bone, &Pose::IDENTITY);
    let attached = animation.attachments.attach(attachment);
    attached.map_err(|error| call.refuse(format_args!("{error}")))
}

/// Has a bone look at something or reach it.
fn aim(
    animation: &mut Animation<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let bone = IdString32::new(call.text(1)?);
    let (target, weight): (Vec3, f32) = (call.vector3(2), finite(call, 3)?);
    let kind = if function == 13 { GoalKind::Look } else { GoalKind::Reach };
    let (body, _) = character(animation, call)?;
    let is_it = |goal: &Goal| goal.kind == kind && goal.bone == bone;
    let found = body.goals.iter().position(|goal| goal.as_ref().is_some_and(is_it));
    let free = || body.goals.iter().position(Option::is_none);
    let place = match weight > 0.0 {
        true => found.or_else(free),
        false => found,
    };
    body.is_posed = false;
    match place {
        Some(place) => {
            let goal = Goal { kind, bone, target, weight };
            body.goals[place] = (weight > 0.0).then_some(goal);
            Ok(())
        }
        None if weight > 0.0 => {
            Err(call
                .refuse(format_args!("four bones look or reach already; end one by the number 0")))
        }
        None => Ok(()),
    }
}
