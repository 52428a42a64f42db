//! Compilers of components: `sound` and `listener`.

use std::sync::Arc;
use std::vec::Vec;

use loligo_containers::Array;
use loligo_entities::ComponentType;
use loligo_entities::compile::{
    CompileError, ComponentCompiler, Config, PlainCompiler, PlainField, PlainKind,
    SharedComponentCompiler,
};
use loligo_ids::IdString32;

use crate::component::{
    LISTENER, SOUND, SOUND_ZONE, SOURCE_PARAMETERS_MAX, SoundSource, ZoneSource,
};
use crate::parameters::Parameter;
use crate::tree::SOUND_TYPE;

/// Returns the compilers of all components.
///
/// # Examples
///
/// ```
/// let components = loligo_sound::compile::components();
/// let names: Vec<_> = components.iter().map(|one| one.name()).collect();
/// assert_eq!(names, ["sound", "listener", "sound_zone"]);
/// ```
#[must_use]
pub fn components() -> Vec<SharedComponentCompiler> {
    std::vec![
        Arc::new(SoundSourceCompiler) as SharedComponentCompiler,
        Arc::new(LISTENER_COMPILER),
        Arc::new(SoundZoneCompiler),
    ]
}

/// Who hears: a [`ListenerSource`](crate::ListenerSource).
const LISTENER_COMPILER: PlainCompiler = PlainCompiler {
    name: "listener",
    component: LISTENER,
    fields: &[PlainField { key: "volume", kind: PlainKind::Number(0.0) }],
    known: "volume",
};

/// Compiles what sounds: a [`SoundSource`] each.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `play` | | a resource of type `sound` |
/// | `volume` | 0 | decibels that are added |
/// | `speed` | 1 | a factor of its speed |
/// | `waits` | `false` | whether it begins when the game says so, not with its entity |
/// | `parameters` | none | numbers and words by name, 8 at the most |
#[derive(Clone, Copy, Debug, Default)]
pub struct SoundSourceCompiler;

const KEYS: [&str; 5] = ["play", "volume", "speed", "waits", "parameters"];
const KNOWN: &str = "play, volume, speed, waits, parameters";

impl ComponentCompiler for SoundSourceCompiler {
    fn name(&self) -> &'static str {
        "sound"
    }

    fn component(&self) -> ComponentType {
        SOUND
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&KEYS, KNOWN)?;
        let play = config.resource(&config.need("play")?, SOUND_TYPE)?;
        let volume = config.field("volume").map_or(Ok(0.0), |field| field.number())?;
        let speed = config.field("speed").map_or(Ok(1.0), |field| field.number())?;
        if let Some(field) = config.field("speed").filter(|_| speed < 0.0) {
            return Err(field.error("a sound is not played backwards; give a speed of 0 or more"));
        }
        let waits = config.field("waits").map_or(Ok(false), |field| field.bool())?;
        let mut source =
            SoundSource { play, volume, speed, is_waiting: waits.into(), ..SoundSource::default() };
        if let Some(all) = config.field("parameters") {
            let entries = all.entries().ok_or_else(|| all.expected("numbers and words by name"))?;
            for (count, (name, value)) in entries.enumerate() {
                let name = IdString32::new(name);
                let parameter = match value.plain_string() {
                    Some(word) => Parameter::word(name, IdString32::new(word)),
                    None => Parameter::number(name, value.number()?),
                };
                let Some(place) = source.parameters.get_mut(count) else {
                    return Err(all.error("there are too many parameters; 8 are possible"));
                };
                *place = [name.hash(), parameter.as_word().hash()];
            }
        }
        const { assert!(SOURCE_PARAMETERS_MAX == 8, "as the error says") };
        Ok(words.try_extend_from_slice(bytemuck::cast_slice(&[source]))?)
    }
}

/// Compiles parts of the world that have the sound of a room: a [`ZoneSource`] each, around the place of the
/// entity.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `bus` | | the bus of the room, to which other buses send |
/// | `box` | | the sides of a box in metres |
/// | `sphere` | | in place of that the radius of a sphere |
/// | `fade` | 2 | within how many metres around it less and less of the room is heard |
/// | `level` | 1 | how much of what is sent is heard within it |
#[derive(Clone, Copy, Debug, Default)]
pub struct SoundZoneCompiler;

const ZONE_KEYS: [&str; 5] = ["bus", "box", "sphere", "fade", "level"];
const ZONE_KNOWN: &str = "bus, box, sphere, fade, level";

impl ComponentCompiler for SoundZoneCompiler {
    fn name(&self) -> &'static str {
        "sound_zone"
    }

    fn component(&self) -> ComponentType {
        SOUND_ZONE
    }

    fn compile<'s>(
        &self,
        config: &Config<'_, 's>,
        words: &mut Array<'_, u32>,
    ) -> Result<(), CompileError<'s>> {
        config.allow(&ZONE_KEYS, ZONE_KNOWN)?;
        let bus = config.need("bus")?;
        let name = bus.plain_string().ok_or_else(|| bus.expected("the name of a bus"))?;
        let mut zone = ZoneSource { bus: IdString32::new(name).hash(), ..ZoneSource::default() };
        match (config.field("box"), config.field("sphere")) {
            (Some(_), Some(sphere)) => {
                return Err(sphere.error("it is both a box and a sphere; keep one of them"));
            }
            (None, None) => {
                return Err(
                    bus.error("the zone has no shape; add `box = [ 8 4 12 ]` or `sphere = 6`")
                );
            }
            (Some(sides), None) => {
                zone.size = sides.numbers("the three sides of a box")?;
                if !zone.size.iter().all(|side| *side > 0.0) {
                    return Err(sides.error("a side of the box is not more than 0; write metres"));
                }
            }
            (None, Some(sphere)) => {
                zone.radius = sphere.number()?;
                if zone.radius <= 0.0 {
                    return Err(sphere.error("the radius is not more than 0; write metres"));
                }
            }
        }
        let number = |key, default| config.field(key).map_or(Ok(default), |field| field.number());
        (zone.fade, zone.level) = (number("fade", 2.0)?, number("level", 1.0)?);
        for (key, number, most) in [("fade", zone.fade, 1e4), ("level", zone.level, 4.0)] {
            if let Some(field) = config.field(key).filter(|_| !(0.0..=most).contains(&number)) {
                return Err(field.error(
                    "it is out of its range: `fade` is from 0 to 10000 metres, `level` from 0 to 4",
                ));
            }
        }
        Ok(words.try_extend_from_slice(bytemuck::cast_slice(&[zone]))?)
    }
}
