//! A game's settings: `game.config`, whose keys are those that the engine reads.

use loligo_compiler::{CompileError, Compiler, ConfigCompiler, Context, Property};
use loligo_render::MATERIAL_TYPE;
use loligo_resources::{PACKAGE_TYPE, PreferenceOrder};

use crate::options::STANDARD_FRAME;

/// What means something in `game.config`.
pub const GAME_KEYS: [&str; 11] = [
    "title",
    "level",
    "frame",
    "script",
    "materials",
    "packages",
    "prefer",
    "window",
    "texture_budget",
    "time_step",
    "memory",
];

/// What means something in `time_step`.
const TIME_STEP_KEYS: [&str; 3] = ["policy", "step", "longest"];
const POLICIES: [&str; 4] = ["fixed", "each_frame", "variable", "smoothed"];

/// Compiles settings as [`ConfigCompiler`] does, and holds `game.config` at the root of the project
/// to what [`GameSettings`](crate::GameSettings) reads: a key that nobody reads is an error with
/// the one that may be meant, and the resources that it names must be there.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameConfigCompiler;

impl Compiler for GameConfigCompiler {
    fn version(&self) -> u32 {
        ConfigCompiler.version()
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        if context.resource().name == "game" {
            let source = context.source()?;
            check(&Property::read(&source)?, context)?;
        }
        ConfigCompiler.compile(context)
    }
}

fn check(settings: &Property, context: &mut Context<'_>) -> Result<(), CompileError> {
    settings.allow(&GAME_KEYS)?;
    for (key, type_name) in [("level", "level"), ("frame", "frame"), ("script", "lua")] {
        if let Some(name) = settings.get(key) {
            refer(context, type_name, name)?;
        }
    }
    if settings.get("frame").is_none() {
        context.refer("frame", STANDARD_FRAME, (0, 0));
    }
    for (key, type_name) in [("materials", MATERIAL_TYPE), ("packages", PACKAGE_TYPE)] {
        if let Some(names) = settings.get(key) {
            for name in names.items()? {
                refer(context, type_name, name)?;
            }
        }
    }
    if let Some(names) = settings.get("prefer") {
        let mut order = PreferenceOrder::EMPTY;
        for name in names.items()? {
            let wrong = |error| {
                let text = format!("{error}");
                let (reason, remedy) = text.split_once("; ").unwrap_or((&text, "name another"));
                name.error(reason, remedy)
            };
            order.try_add(name.string()?).map_err(wrong)?;
        }
    }
    if let Some(step) = settings.get("time_step") {
        step.allow(&TIME_STEP_KEYS)?;
        step.need("policy", "name one: `policy = \"smoothed\"`")?.word_index(&POLICIES)?;
    }
    Ok(())
}

/// Records a reference to a resource, with the place of its name.
fn refer(context: &mut Context<'_>, type_name: &str, name: &Property) -> Result<(), CompileError> {
    let text = name.string()?;
    if text.is_empty() {
        return Err(name.error("the name is empty", "name a resource, or leave the key out"));
    }
    context.refer(type_name, text, name.place());
    Ok(())
}
