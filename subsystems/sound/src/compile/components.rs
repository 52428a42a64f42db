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

use crate::component::{LISTENER, SOUND, SOURCE_PARAMETERS_MAX, SoundSource};
use crate::parameters::Parameter;
use crate::tree::SOUND_TYPE;

/// Returns the compilers of all components.
///
/// # Examples
///
/// ```
/// let components = loligo_sound::compile::components();
/// let names: Vec<_> = components.iter().map(|one| one.name()).collect();
/// assert_eq!(names, ["sound", "listener"]);
/// ```
#[must_use]
pub fn components() -> Vec<SharedComponentCompiler> {
    std::vec![Arc::new(SoundSourceCompiler) as SharedComponentCompiler, Arc::new(LISTENER_COMPILER)]
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
