//! What scripts ask of sounds. A sound is a number, which scripts may keep and save.

use loligo_entities::Entity;
use loligo_ids::{IdString32, IdString64};
use loligo_interface::{ENTITY, SubsystemFunction};
use loligo_script::{ArgumentError, Call, Kind};

use super::{Sound, set};
use crate::level::{decibels, gain_of};
use crate::parameters::Parameter;
use crate::player::{SoundError, SoundId, SoundStart};
use crate::space::Speakers;

const ID: Kind = Kind::Id(ENTITY);
const ONE: &[Kind] = &[Kind::Number];
const TWO: &[Kind] = &[Kind::Number, Kind::Number];
const TEXT: &[Kind] = &[Kind::Text];
const BOOL: &[Kind] = &[Kind::Bool];
const NONE: &[Kind] = &[];

pub(super) const FUNCTIONS: [SubsystemFunction; 25] = [
    of("Sound.play", TEXT, ONE, "plays a sound in the middle, and returns its number"),
    of("Sound.play_at", &[Kind::Text, Kind::Vector3], ONE, "plays a sound at a place"),
    of(
        "Sound.play_on",
        &[Kind::Text, ID],
        ONE,
        "plays a sound where an entity is, until it ends or the entity is gone",
    ),
    of("Sound.stop", ONE, NONE, "stops a sound within the seconds of its `fade_out`"),
    of("Sound.fade_out", TWO, NONE, "stops a sound within some seconds"),
    of("Sound.pause", ONE, NONE, "pauses a sound: no time passes for it"),
    of("Sound.resume", ONE, NONE, "lets a sound that was paused go on"),
    of("Sound.seek", TWO, NONE, "has a sound go on at a second of its wave"),
    of("Sound.position", ONE, ONE, "at which second of its wave a sound is; 0 if it has ended"),
    of("Sound.is_playing", ONE, BOOL, "whether a sound plays, or begins with this update"),
    of(
        "Sound.set",
        &[Kind::Number, Kind::Text, Kind::Number],
        NONE,
        "sets a parameter of a sound, by name, which its curves follow",
    ),
    of(
        "Sound.set_word",
        &[Kind::Number, Kind::Text, Kind::Text],
        NONE,
        "sets a parameter of a sound to a word, of which a switch chooses what is played: right after `Sound.play`",
    ),
    of(
        "Sound.set_volume",
        &[Kind::Number, Kind::Number, Kind::Number],
        NONE,
        "adds decibels to a sound from now on, within some seconds",
    ),
    of("Sound.set_speed", TWO, NONE, "plays a sound faster or slower; 1 is as it is"),
    of("Sound.set_position", &[Kind::Number, Kind::Vector3], NONE, "puts a sound to a place"),
    of("Sound.set_bus_volume", &[Kind::Text, Kind::Number], NONE, "how loud a bus is, in decibels"),
    of("Sound.bus_volume", TEXT, ONE, "how loud a bus is, in decibels"),
    of("Sound.stop_all", ONE, NONE, "stops all sounds within some seconds"),
    of("Sound.count", NONE, ONE, "how many sounds play, heard or not"),
    of("Sound.voices", NONE, ONE, "how many waves of them are heard; 0 where nobody listens"),
    of("Sound.id", TEXT, ONE, "the number by which the event `sound_marker` has a name"),
    of("Sound.of", &[ID], ONE, "the sound of an entity's component `sound`; 0 before it has begun"),
    of("Sound.start", &[ID], NONE, "begins the sound of an entity's component, again if it plays"),
    of("Sound.place", ONE, &[Kind::Vector3], "where a sound is"),
    of(
        "Sound.set_headphones",
        BOOL,
        NONE,
        "whether the player listens by headphones, in place of what `game.mixer` says; it is not saved",
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
    sound: &mut Sound<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    match function {
        0..=2 => return play(sound, function, call),
        15..=16 => return bus(sound, function, call),
        17 => {
            let seconds = call.number(0) as f32;
            sound.player.stop_all(None, Some(seconds));
        }
        18 => call.return_number(sound.player.stats().sounds.into()),
        19 => call.return_number(sound.player.stats().voices.into()),
        20 => {
            let name = IdString32::new(call.text(0)?);
            call.return_number(name.hash().into());
        }
        21..=22 => return emitter(sound, function, call),
        24 => {
            let speakers = if call.bool(0) { Speakers::Ears } else { Speakers::Stereo };
            sound.player.set_speakers(speakers);
        }
        _ => return of_one(sound, function, call),
    }
    Ok(())
}

/// Plays a sound.
fn play(sound: &mut Sound<'_>, function: usize, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    let name = IdString64::new(call.text(0)?);
    let mut start = SoundStart::new(name);
    match function {
        1 => start.at = Some(call.vector3(1).to_array()),
        2 => start.owner = call.id(1),
        _ => {}
    }
    match sound.player.play(&start) {
        Ok(id) => {
            call.return_number(id.to_bits().into());
            Ok(())
        }
        Err(SoundError::Unknown(_)) => Err(call.refuse(format_args!(
            "argument 1 names no sound that is loaded; correct the name, or list it and its waves in a package"
        ))),
        Err(error) => Err(call.refuse(format_args!("{error}"))),
    }
}

/// Sets and returns the volume of a bus.
fn bus(sound: &mut Sound<'_>, function: usize, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    let name = IdString32::new(call.text(0)?);
    let is_there = if function == 15 {
        let volume = call.number(1) as f32;
        if volume.is_nan() || volume > 24.0 {
            return Err(call.refuse(format_args!("argument 2 is {volume}; give decibels up to 24")));
        }
        match sound.output.set_gain(name, gain_of(volume)) {
            Ok(is_there) => is_there,
            Err(error) => return Err(call.refuse(format_args!("{error}"))),
        }
    } else if let Some(gain) = sound.output.current_gain(name) {
        call.return_number(decibels(gain).into());
        true
    } else {
        false
    };
    match is_there {
        true => Ok(()),
        false => Err(call.refuse(format_args!("argument 1 names no bus; `game.mixer` lists them"))),
    }
}

/// What is asked of the component of an entity.
fn emitter(
    sound: &mut Sound<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let entity = Entity::from_bits(call.id(0)).map_or(0, Entity::to_bits);
    let Some(emitter) = sound.emitters.records.get_mut(&entity) else {
        return Err(
            call.refuse(format_args!("the entity has no sound; give it the component `sound`"))
        );
    };
    if function == 21 {
        call.return_number(emitter.sound.into());
    } else {
        emitter.is_due = 1;
        sound.emitters.is_due = true;
    }
    Ok(())
}

/// What is asked of a sound by its number. One that has ended does nothing.
fn of_one(
    sound: &mut Sound<'_>,
    function: usize,
    call: &mut Call<'_>,
) -> Result<(), ArgumentError> {
    let bits = call.number(0);
    // A number that is none of a sound is one of a sound that has ended.
    let id = (bits.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&bits))
        .then(|| SoundId::from_bits(bits as u32))
        .flatten();
    let Some(id) = id else { return nothing(function, call) };
    let player = &mut sound.player;
    let number = |call: &Call<'_>, at| call.number(at) as f32;
    match function {
        3 => _ = player.stop(id, None),
        4 => _ = player.stop(id, Some(number(call, 1).max(0.0))),
        5 | 6 => _ = player.set_paused(id, function == 5),
        7 => _ = player.seek(id, number(call, 1)),
        8 => call.return_number(player.position(id).unwrap_or(0.0).into()),
        9 => call.return_bool(player.is_playing(id)),
        10 | 11 => {
            let name = IdString32::new(call.text(1)?);
            let parameter = match function {
                10 => Parameter::number(name, number(call, 2)),
                _ => Parameter::word(name, IdString32::new(call.text(2)?)),
            };
            let words = [parameter.name.hash(), parameter.as_word().hash()];
            if let Err(error) = set(player, id, words) {
                return Err(call.refuse(format_args!("{error}")));
            }
        }
        12 => _ = player.set_volume(id, number(call, 1), number(call, 2).max(0.0)),
        13 => _ = player.set_speed(id, number(call, 1)),
        14 => _ = player.set_place(id, call.vector3(1).to_array()),
        23 => {
            let at = player.place(id).unwrap_or_default();
            return call.return_vector3(at.into());
        }
        _ => return Err(call.refuse(format_args!("the subsystem has no such function"))),
    }
    Ok(())
}

/// Returns what functions return of a sound that has ended.
fn nothing(function: usize, call: &mut Call<'_>) -> Result<(), ArgumentError> {
    match function {
        8 => call.return_number(0.0),
        9 => call.return_bool(false),
        23 => return call.return_vector3(glam::Vec3::ZERO),
        _ => {}
    }
    Ok(())
}
