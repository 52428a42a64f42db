//! What a game says of itself: its resource `game` of type `config`.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError, text};
use loligo_ids::{IdString64, id64};
use loligo_resources::{Config, ConfigKind, ConfigValue, PreferenceOrder, ResourceKey};

use crate::error::EngineError;
use crate::time_step::TimeStep;

/// The resource that settings are read from: `game.config` at the root of the project.
pub const SETTINGS: ResourceKey = ResourceKey::new("config", "game");

/// The default longest step of a variable clock: a tenth of a second.
const LONGEST_STEP: f64 = 0.1;

/// The default size of the picture.
const WINDOW: [u32; 2] = [1280, 720];

/// The frame of a game that names none, which comes with the program.
pub(crate) const STANDARD_FRAME: &str = "core/standard";

/// The most bytes of a budget: 1 TiB.
const BUDGET_MAX: u64 = 1 << 40;

/// The most pixels on a side.
const WINDOW_MAX: u64 = 16_384;

/// A game's settings.
///
/// ```text
/// title = "Courtyard"
/// level = "courtyard"             // the resource `courtyard` of type `level`
/// script = "scripts/main"         // may be left out: type `lua`
/// frame = "frames/noir"           // what passes and layers a frame has: type `frame`; without, `core/standard`
/// materials = [ "materials/alarm" ]   // loaded beside those of the level's models, for scripts to give to models
/// packages = [ "packages/first" ]     // may be left out: all entities are loaded then
/// prefer = [ "fr" ]               // properties of resources, the strongest first; see `Engine::prefer`
/// window = [ 1280 720 ]
/// texture_budget = 268435456      // the most bytes of textures on the card; without, all of them whole
/// time_step = { policy = "smoothed" longest = 0.1 }     // or "variable", or "fixed" or "each_frame" with a `step`
/// memory = "memory.sjson"         // which allocator serves which subsystem; read before anything else is
/// ```
///
/// # Memory
///
/// Up to four blocks of the memory passed in: two names, and 16 bytes a material and a package.
#[derive(Debug)]
pub struct GameSettings<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// What is above the window.
    pub title: Array<'a, u8, A>,
    /// The level that the game starts with.
    pub level: ResourceKey,
    /// What passes and layers a frame has.
    pub frame: ResourceKey,
    /// The name of the script that the game starts with.
    pub script: Option<Array<'a, u8, A>>,
    /// Materials that are loaded in addition to those that the level's models name.
    pub materials: Array<'a, ResourceKey, A>,
    /// The packages that the game begins with; without, all entities that there are can be spawned.
    pub packages: Option<Array<'a, ResourceKey, A>>,
    /// The properties of resources that are preferred.
    pub prefer: PreferenceOrder,
    /// The width and height of the picture, in pixels.
    pub window: [u32; 2],
    /// The most bytes that textures may have on the graphics card: larger levels come and go by how
    /// large their objects are in the picture. Without, all textures are whole.
    pub texture_budget: Option<u64>,
    /// How the time that a frame takes becomes a step.
    pub time_step: TimeStep,
    /// The hash of the name of the file that says which allocator serves which subsystem, which is
    /// read before all else.
    pub memory: Option<IdString64>,
}

impl<'a> GameSettings<'a> {
    /// Reads the payload of a resource of type `config`.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`EngineError::Settings`] names the key and what it should be.
    pub fn try_read(payload: &[u8], memory: &'a (dyn Allocator + 'a)) -> Result<Self, EngineError> {
        Self::try_read_in(payload, memory)
    }
}

impl<'a, A: Allocator + ?Sized> GameSettings<'a, A> {
    /// As [`try_read`](Self::try_read), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_read`](Self::try_read).
    pub fn try_read_in(payload: &[u8], memory: &'a A) -> Result<Self, EngineError> {
        let config = Config::open(payload).map_err(|_| wrong("game", "recompile it"))?;
        let root = config.root();
        let string = |key| root.get(key).map(|value| value.as_str());
        let title = match string(id64!("title")) {
            Some(title) => title.ok_or(wrong("title", "give a text in quotes"))?,
            None => "Loligo",
        };
        let level = string(id64!("level")).flatten().ok_or(wrong("level", "name a resource"))?;
        let frame = match string(id64!("frame")) {
            Some(name) => Some(name.ok_or(wrong("frame", "name a resource, or leave it out"))?),
            None => None,
        };
        let script = match string(id64!("script")) {
            Some(name) => Some(name.ok_or(wrong("script", "name a resource, or leave it out"))?),
            None => None,
        };
        Ok(Self {
            title: copied(title, memory)?,
            level: ResourceKey::new("level", level),
            frame: ResourceKey::new("frame", frame.unwrap_or(STANDARD_FRAME)),
            script: script.map(|name| copied(name, memory)).transpose()?,
            materials: match root.get(id64!("materials")) {
                Some(value) => materials(value, memory)?,
                None => Array::new_in(memory),
            },
            packages: match root.get(id64!("packages")) {
                Some(value) => Some(packages(value, memory)?),
                None => None,
            },
            prefer: match root.get(id64!("prefer")) {
                Some(value) => prefer(value)?,
                None => PreferenceOrder::EMPTY,
            },
            window: match root.get(id64!("window")) {
                Some(value) => window(value)?,
                None => WINDOW,
            },
            texture_budget: match root.get(id64!("texture_budget")) {
                Some(value) => {
                    let bytes = value.as_u64().filter(|bytes| (1..=BUDGET_MAX).contains(bytes));
                    let remedy = "give bytes, from 1 to 1099511627776, or leave it out";
                    Some(bytes.ok_or(wrong("texture_budget", remedy))?)
                }
                None => None,
            },
            time_step: match root.get(id64!("time_step")) {
                Some(value) => time_step(value)?,
                None => TimeStep::Smoothed { longest: nanoseconds(LONGEST_STEP) },
            },
            memory: string(id64!("memory")).flatten().map(IdString64::new),
        })
    }
}

fn copied<'a, A: Allocator + ?Sized>(
    title: &str,
    memory: &'a A,
) -> Result<Array<'a, u8, A>, GrowError> {
    let mut copy = Array::new_in(memory);
    text::try_append(&mut copy, title)?;
    Ok(copy)
}

fn materials<'a, A: Allocator + ?Sized>(
    value: ConfigValue<'_>,
    memory: &'a A,
) -> Result<Array<'a, ResourceKey, A>, EngineError> {
    const NAMES: EngineError = wrong("materials", "name materials, as `[ \"materials/alarm\" ]`");
    names(value, "material", NAMES, memory)
}

fn packages<'a, A: Allocator + ?Sized>(
    value: ConfigValue<'_>,
    memory: &'a A,
) -> Result<Array<'a, ResourceKey, A>, EngineError> {
    const NAMES: EngineError = wrong("packages", "name packages, as `[ \"packages/first\" ]`");
    names(value, "package", NAMES, memory)
}

fn names<'a, A: Allocator + ?Sized>(
    value: ConfigValue<'_>,
    type_name: &str,
    wrong: EngineError,
    memory: &'a A,
) -> Result<Array<'a, ResourceKey, A>, EngineError> {
    if value.kind() != ConfigKind::Array {
        return Err(wrong);
    }
    let mut keys = Array::try_with_capacity_in(value.len(), memory)?;
    for (_, name) in value.items() {
        let Some(name) = name.as_str() else { return Err(wrong) };
        keys.try_push(ResourceKey::new(type_name, name))?;
    }
    Ok(keys)
}

fn prefer(value: ConfigValue<'_>) -> Result<PreferenceOrder, EngineError> {
    const NAMES: EngineError =
        wrong("prefer", "name properties, each once and without dots, as `[ \"fr\" ]`");
    if value.kind() != ConfigKind::Array {
        return Err(NAMES);
    }
    let mut order = PreferenceOrder::EMPTY;
    for (_, name) in value.items() {
        let added = name.as_str().and_then(|name| order.try_add(name).ok());
        added.ok_or(NAMES)?;
    }
    Ok(order)
}

fn window(value: ConfigValue<'_>) -> Result<[u32; 2], EngineError> {
    let side = |at| {
        let side = value.at(at).and_then(|side| side.as_u64());
        side.filter(|side| (1..=WINDOW_MAX).contains(side)).map(|side| side as u32)
    };
    match (side(0), side(1), value.len()) {
        (Some(width), Some(height), 2) => Ok([width, height]),
        _ => Err(wrong("window", "give its width and height, as `[ 1280 720 ]`, up to 16384")),
    }
}

fn time_step(value: ConfigValue<'_>) -> Result<TimeStep, EngineError> {
    let seconds = |key| match value.get(key) {
        Some(seconds) => {
            seconds.as_f64().filter(|seconds| (1e-6..=10.0).contains(seconds)).map(Some)
        }
        None => Some(None),
    };
    let part = "give `step` or `longest` in seconds, from 0.000001 to 10";
    let step = seconds(id64!("step")).ok_or(wrong("time_step", part))?;
    let longest = seconds(id64!("longest")).ok_or(wrong("time_step", part))?;
    let longest = nanoseconds(longest.unwrap_or(LONGEST_STEP));
    match value.get(id64!("policy")).and_then(|policy| policy.as_str()) {
        Some("fixed") => Ok(TimeStep::Fixed { step: nanoseconds(step.unwrap_or(1.0 / 60.0)) }),
        Some("each_frame") => {
            Ok(TimeStep::EachFrame { step: nanoseconds(step.unwrap_or(1.0 / 60.0)) })
        }
        Some("variable") => Ok(TimeStep::Variable { longest }),
        Some("smoothed") => Ok(TimeStep::Smoothed { longest }),
        _ => Err(wrong(
            "time_step",
            "give `policy` as \"fixed\", \"each_frame\", \"variable\" or \"smoothed\"",
        )),
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

const fn wrong(key: &'static str, remedy: &'static str) -> EngineError {
    EngineError::Settings { key, remedy }
}
