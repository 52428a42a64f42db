//! The compiler of the buses and groups of a game.

use std::collections::BTreeSet;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use loligo_compiler::{CompileError, Compiler, Context, Property, build_blob};
use loligo_containers::{BlobBuilder, Endian, blob_field};
use loligo_ids::IdString32;

use super::names::{members_of, unknown};
use crate::effects::{FILTERS, FilterKind, check};
use crate::level::gain_of;
use crate::plan::{
    BusImage, EFFECTS_MAX, EffectImage, FORMS, GROUPS_MAX, GroupImage, MIXER_TYPE, MIXER_VERSION,
    MixerImage, SENDS_MAX, SPACE, SendImage, VOICES_DEFAULT, effect_of,
};

/// The bus into which all others flow.
pub(super) const MASTER: &str = "master";

/// The decibels of buses and sends.
const VOLUME: core::ops::RangeInclusive<f32> = -144.0..=24.0;

/// Compiles the buses and groups of a game, `game.mixer`: an object of these keys.
///
/// | key | default | meaning |
/// |---|---|---|
/// | `voices` | 64 | how many voices are heard at the same time, from 1 to 1024 |
/// | `buses` | none | buses by name, 63 at the most; `master`, into which all flow, is always there |
/// | `groups` | none | groups of sounds by name, each with `voices`: how many of it are heard |
/// | `space` | none | how places are heard |
///
/// Space:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `speakers` | `"stereo"` | `"stereo"`, or `"headphones"`, where the ear that is away from a sound hears it later and duller; settings of a game change it |
/// | `sound_speed` | 343 | how fast sound is, in metres a second, from 1 to 10000 |
/// | `doppler` | 1 | how much of the Doppler effect there is, from 0 to 10 |
/// | `doppler_max` | 2 | the most by which it makes a sound higher or lower, from 1 to 8 |
/// | `near` | 0.5 | within how many metres a sound loses its direction, from 0.001 to 10 |
/// | `occluded_volume` | -12 | the decibels of a sound of which walls take all that they can, from -144 to 0 |
/// | `occluded_low_pass` | 800 | the hertz from which on such a sound is quieter, from 20 to 20000 |
///
/// A bus:
///
/// | key | default | meaning |
/// |---|---|---|
/// | `into` | `"master"` | the bus that it flows into |
/// | `volume` | 0 | decibels, from -144 to 24; settings of a game change it |
/// | `sends` | none | decibels by the names of other buses, into which it flows as well |
/// | `effects` | none | what changes it, one after the other |
#[derive(Clone, Copy, Debug, Default)]
pub struct MixerCompiler;

impl Compiler for MixerCompiler {
    fn version(&self) -> u32 {
        MIXER_VERSION
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let draft = MixerDraft::read(&Property::read(&context.source()?)?)?;
        draft.buses.iter().for_each(|bus| _ = context.name(&bus.name));
        draft.groups.iter().for_each(|(name, _)| _ = context.name(name));
        draft.build(context.endian())
    }
}

/// A plan before it is written.
pub(super) struct MixerDraft {
    voices: u32,
    is_for_ears: bool,
    space: [f32; 6],
    buses: Vec<DraftBus>,
    groups: Vec<(String, u32)>,
}

#[derive(Clone)]
struct DraftBus {
    name: String,
    into: String,
    gain: f32,
    sends: Vec<(String, f32)>,
    effects: Vec<DraftEffect>,
    place: Property,
}

#[derive(Clone)]
struct DraftEffect {
    kind: u32,
    form: u32,
    listen: Option<String>,
    numbers: [f32; 6],
}

impl MixerDraft {
    /// Reads a source.
    pub(super) fn read(source: &Property) -> Result<Self, CompileError> {
        source.allow(&["voices", "buses", "groups", "space"])?;
        let (is_for_ears, space) = read_space(source)?;
        let voices = source.number_or("voices", 1.0..=1024.0, VOICES_DEFAULT as f32)? as u32;
        let members = members_of(source, "buses", 63)?;
        let mut names: Vec<&str> = members.iter().map(Property::key).collect();
        names.push(MASTER);
        let buses = members.iter().map(|member| read_bus(member, &names));
        let buses = ordered(buses.collect::<Result<Vec<_>, _>>()?)?;
        let mut groups = Vec::new();
        for member in members_of(source, "groups", GROUPS_MAX)? {
            member.allow(&["voices"])?;
            let voices = member.need("voices", "say how many are heard: `voices = 8`")?;
            groups.push((member.key().to_string(), voices.number(1.0..=1024.0)? as u32));
        }
        Ok(Self { voices, is_for_ears, space, buses, groups })
    }

    /// The plan of a game that has none.
    pub(super) const fn none() -> Self {
        Self {
            voices: VOICES_DEFAULT,
            is_for_ears: false,
            space: [0.0; 6],
            buses: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Returns the hash of a bus that is named.
    pub(super) fn bus(&self, named: &Property) -> Result<IdString32, CompileError> {
        let name = named.string()?;
        let names = self.buses.iter().map(|bus| &*bus.name).chain([MASTER]);
        match names.clone().any(|known| known == name) {
            true => Ok(IdString32::new(name)),
            false => Err(unknown(named, "bus", name, names)),
        }
    }

    /// Returns the hash of a group that is named.
    pub(super) fn group(&self, named: &Property) -> Result<IdString32, CompileError> {
        let name = named.string()?;
        let names = self.groups.iter().map(|(name, _)| &**name);
        match names.clone().any(|known| known == name) {
            true => Ok(IdString32::new(name)),
            false => Err(unknown(named, "group", name, names)),
        }
    }

    fn build(&self, endian: Endian) -> Result<Vec<u8>, CompileError> {
        build_blob(|memory| {
            let mut builder = BlobBuilder::<MixerImage>::try_new(endian, memory)?;
            let root = builder.root();
            builder.set(root.at(blob_field!(MixerImage, voices)), self.voices);
            let ears = u32::from(self.is_for_ears);
            builder.set(root.at(blob_field!(MixerImage, is_for_ears)), ears);
            builder.set(root.at(blob_field!(MixerImage, space)), self.space);
            let places =
                builder.array(root.at(blob_field!(MixerImage, buses)), self.buses.len())?;
            let (mut sends, mut effects) = (Vec::new(), Vec::new());
            for (place, bus) in places.iter().zip(&self.buses) {
                let own = [sends.len() as u32, bus.sends.len() as u32];
                builder.set(place.at(blob_field!(BusImage, sends)), own);
                let own = [effects.len() as u32, bus.effects.len() as u32];
                builder.set(place.at(blob_field!(BusImage, effects)), own);
                sends.extend(&bus.sends);
                effects.extend(&bus.effects);
                let names = [&bus.name, &bus.into].map(|name| IdString32::new(name));
                builder.set(place.at(blob_field!(BusImage, name)), names[0]);
                builder.set(place.at(blob_field!(BusImage, into)), names[1]);
                builder.set(place.at(blob_field!(BusImage, gain)), bus.gain);
            }
            let places = builder.array(root.at(blob_field!(MixerImage, sends)), sends.len())?;
            for (place, (name, gain)) in places.iter().zip(sends) {
                builder.set(place.at(blob_field!(SendImage, into)), IdString32::new(name));
                builder.set(place.at(blob_field!(SendImage, gain)), *gain);
            }
            let places = builder.array(root.at(blob_field!(MixerImage, effects)), effects.len())?;
            for (place, effect) in places.iter().zip(effects) {
                builder.set(place.at(blob_field!(EffectImage, kind)), effect.kind);
                builder.set(place.at(blob_field!(EffectImage, form)), effect.form);
                builder.set(place.at(blob_field!(EffectImage, listen)), effect.listen());
                builder.set(place.at(blob_field!(EffectImage, numbers)), effect.numbers);
            }
            let places =
                builder.array(root.at(blob_field!(MixerImage, groups)), self.groups.len())?;
            for (place, (name, voices)) in places.iter().zip(&self.groups) {
                builder.set(place.at(blob_field!(GroupImage, name)), IdString32::new(name));
                builder.set(place.at(blob_field!(GroupImage, voices)), *voices);
            }
            let names: Vec<&str> = self.buses.iter().map(|bus| &*bus.name).collect();
            builder.string(root.at(blob_field!(MixerImage, names)), &names.join("\n"))?;
            Ok(builder.finish())
        })
    }
}

impl DraftBus {
    /// The buses that it names.
    fn names(&self) -> impl Iterator<Item = &str> {
        let listened = self.effects.iter().filter_map(|effect| effect.listen.as_deref());
        let sends = self.sends.iter().map(|(name, _)| &**name);
        [&*self.into].into_iter().chain(sends).chain(listened)
    }
}

impl DraftEffect {
    fn listen(&self) -> IdString32 {
        self.listen.as_deref().map_or(IdString32::from_hash(0), IdString32::new)
    }
}

/// The keys of space after `speakers`, with what they are where a source does not say: the numbers of
/// [`MixerImage::space`], but for decibels in place of a gain.
const SPACE_KEYS: [(&str, f32); 6] = [
    ("sound_speed", 343.0),
    ("doppler", 1.0),
    ("doppler_max", 2.0),
    ("near", 0.5),
    ("occluded_volume", -12.0),
    ("occluded_low_pass", 800.0),
];

/// The place of the decibels among these.
const OCCLUDED_VOLUME: usize = 4;

/// Reads how places are heard: whether by headphones, and numbers.
fn read_space(source: &Property) -> Result<(bool, [f32; 6]), CompileError> {
    let none = Property::read(b"")?;
    let space = source.get("space").unwrap_or(&none);
    let [a, b, c, d, e, f] = SPACE_KEYS.map(|(key, _)| key);
    space.allow(&["speakers", a, b, c, d, e, f])?;
    let speakers = space.get("speakers");
    let speakers =
        speakers.map_or(Ok(0), |speakers| speakers.word_index(&["stereo", "headphones"]))?;
    let mut numbers = [0.0; 6];
    for (at, (key, default)) in SPACE_KEYS.into_iter().enumerate() {
        let [least, most] = if at == OCCLUDED_VOLUME { [-144.0, 0.0] } else { SPACE[at] };
        numbers[at] = space.number_or(key, least..=most, default)?;
    }
    numbers[OCCLUDED_VOLUME] = gain_of(numbers[OCCLUDED_VOLUME]);
    Ok((speakers == 1, numbers))
}

/// Reads a bus. `names` are those of all buses.
fn read_bus(member: &Property, names: &[&str]) -> Result<DraftBus, CompileError> {
    if member.key() == MASTER {
        let reason = "`master` is there without being said, and has no effects";
        return Err(member.error(reason, "name it `main`, and have all others flow into that"));
    }
    member.allow(&["into", "volume", "sends", "effects"])?;
    let into = match member.get("into") {
        Some(into) => named_bus(into, names)?,
        None => MASTER.to_string(),
    };
    let mut sends = Vec::new();
    for send in members_of(member, "sends", SENDS_MAX)? {
        let names = names.iter().copied();
        if !names.clone().any(|name| name == send.key()) {
            return Err(unknown(send, "bus", send.key(), names));
        }
        sends.push((send.key().to_string(), gain_of(send.number(VOLUME)?)));
    }
    let mut effects = Vec::new();
    if let Some(list) = member.get("effects") {
        let items = list.items()?;
        if items.len() > EFFECTS_MAX {
            let reason = format!("there are {} effects", items.len());
            return Err(list.error(reason, format!("{EFFECTS_MAX} are possible on a bus")));
        }
        for item in items {
            effects.push(read_effect(item, names)?);
        }
    }
    let gain = gain_of(member.number_or("volume", VOLUME, 0.0)?);
    let (name, place) = (member.key().to_string(), member.clone());
    Ok(DraftBus { name, into, gain, sends, effects, place })
}

fn named_bus(named: &Property, names: &[&str]) -> Result<String, CompileError> {
    let name = named.string()?;
    match names.contains(&name) {
        true => Ok(name.to_string()),
        false => Err(unknown(named, "bus", name, names.iter().copied())),
    }
}

/// What sources call filters, in the order of [`FILTERS`].
const fn filter_name(kind: FilterKind) -> &'static str {
    match kind {
        FilterKind::LowPass => "low_pass",
        FilterKind::HighPass => "high_pass",
        FilterKind::Peak => "peak",
        FilterKind::LowShelf => "low_shelf",
        FilterKind::HighShelf => "high_shelf",
    }
}

fn read_effect(item: &Property, names: &[&str]) -> Result<DraftEffect, CompileError> {
    let remedy = "name one: `kind = \"reverb\"`";
    let kind = item.need("kind", remedy)?.word_index(&FORMS.map(|form| form.name))?;
    let form = &FORMS[kind];
    let mut keys: Vec<&str> = form.fields.iter().map(|(key, _)| *key).collect();
    keys.push("kind");
    let mut effect = DraftEffect { kind: kind as u32, form: 0, listen: None, numbers: [0.0; 6] };
    match form.name {
        "filter" => {
            keys.push("form");
            let form = item.need("form", "name one: `form = \"low_pass\"`")?;
            effect.form = form.word_index(&FILTERS.map(filter_name))? as u32;
        }
        "compressor" => {
            keys.push("listen");
            effect.listen = item.get("listen").map(|of| named_bus(of, names)).transpose()?;
        }
        _ => {}
    }
    item.allow(&keys)?;
    for (number, (key, default)) in effect.numbers.iter_mut().zip(form.fields) {
        *number = item.number_or(key, f32::MIN..=f32::MAX, *default)?;
    }
    let made = effect_of(effect.kind, effect.form, effect.listen(), effect.numbers);
    match made.map_or(Ok(()), |made| check(&made)) {
        Ok(()) => Ok(effect),
        Err((field, must)) => {
            let place = item.get(field).unwrap_or(item);
            Err(place.error(format!("`{field}` is out of its range"), format!("it is {must}")))
        }
    }
}

/// Returns buses so that each is after those that it names, else in the order of the source.
fn ordered(mut left: Vec<DraftBus>) -> Result<Vec<DraftBus>, CompileError> {
    let mut done: Vec<DraftBus> = Vec::new();
    let mut names: BTreeSet<String> = [MASTER.to_string()].into();
    while !left.is_empty() {
        let Some(at) = left.iter().position(|bus| bus.names().all(|name| names.contains(name)))
        else {
            let bus = &left[0];
            let waits = bus.names().find(|name| !names.contains(*name)).unwrap_or(MASTER);
            let reason = format!(
                "`{}` needs `{waits}`, and in the end each of them needs the other",
                bus.name
            );
            let remedy = "have a bus flow, send and listen to none that does so to it";
            return Err(bus.place.error(reason, remedy));
        };
        names.insert(left[at].name.clone());
        done.push(left.remove(at));
    }
    Ok(done)
}

/// Reads the plan of the game of a source.
pub(super) fn plan_of(context: &mut Context<'_>) -> Result<MixerDraft, CompileError> {
    let Some(path) = context.source_of(MIXER_TYPE, "game")? else { return Ok(MixerDraft::none()) };
    let bytes = context.read(&path)?;
    let draft = Property::read(&bytes).and_then(|source| MixerDraft::read(&source));
    draft.map_err(|error| error.in_file(&*path))
}
