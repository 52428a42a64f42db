//! All levels, entities and scripts of a project, loaded by the engine without a picture.

use core::time::Duration;
use std::path::Path;
use std::sync::Mutex;

use loligo_compiler::Entry;
use loligo_diagnostics::{Level, LogLine, LogSink};
use loligo_engine::{
    BackEndChoice, Engine, EngineError, EngineOptions, ScriptLimits, ScriptOptions, TimeStep,
    with_engine,
};

use loligo_entities::Pose;
use loligo_ids::IdString64;

use super::findings::{Names, is_built_in, named};
use super::{Finding, Kind};
use crate::references::References;
use crate::run::with_names;

/// The frames after each level and entity: components come to their subsystems in the first, and what goes wrong
/// in a step does so in the next ones.
const FRAMES: u32 = 3;

/// The most frames until a package is loaded.
const PACKAGE_FRAMES: u32 = 1000;

/// What a script may take to load.
const LOAD: Duration = Duration::from_secs(2);

/// What was tried, and what failed.
#[derive(Debug, Default)]
pub(super) struct Trial {
    pub(super) levels: usize,
    pub(super) entities: usize,
    pub(super) scripts: usize,
    pub(super) findings: Vec<Finding>,
    /// The names of texts that were asked for and that no source has.
    pub(super) missing_texts: Vec<String>,
}

impl Trial {
    /// Boots a game without a picture and tries all that it can come to.
    pub(super) fn of(data: &Path, references: &References, reached: &Names<'_>) -> Self {
        let log = Errors::default();
        let limits = ScriptLimits { load: LOAD, frame: LOAD, line: LOAD, has_thread: true };
        let options = EngineOptions {
            back_end: BackEndChoice::Text,
            time_step: Some(TimeStep::EachFrame { step: 16_666_667 }),
            scripts: ScriptOptions { checks: true, limits: Some(limits) },
            log: &log,
            ..EngineOptions::new(data)
        };
        let mut trial = Self::default();
        let run = with_engine(&options, |engine| {
            let mut tried = Tried { data, log: &log, engine, trial: &mut trial };
            tried.run(references, reached);
            engine.disarm();
        });
        if let Err(error) = run {
            trial.fail("game.config", &with_names(data, &error));
        }
        trial.findings.sort();
        trial.findings.dedup();
        trial
    }

    fn fail(&mut self, place: &str, text: &str) {
        let finding =
            Finding { kind: Kind::Failed, place: place.to_owned(), text: text.to_owned() };
        self.findings.push(finding);
    }
}

/// A game that is tried.
struct Tried<'t, 'e, 'm> {
    data: &'t Path,
    log: &'t Errors,
    engine: &'t mut Engine<'e, 'm>,
    trial: &'t mut Trial,
}

impl Tried<'_, '_, '_> {
    fn run(&mut self, references: &References, reached: &Names<'_>) {
        self.go_on("game.config", FRAMES);
        let all = |type_name: &'static str| {
            let is_it = move |entry: &&Entry| {
                &*entry.name.type_name == type_name && entry.name.properties.is_empty()
            };
            references.index.entries.iter().filter(is_it).filter(|entry| !is_built_in(entry))
        };
        all("package").for_each(|entry| self.load(entry));
        // What nothing names is not loaded, and is among the unused.
        for entry in all("lua").filter(|entry| reached.contains(&named(entry))) {
            self.trial.scripts += 1;
            let code = format!("require(\"{}\")", entry.name.name);
            if let Err(error) = self.engine.run_script(&code) {
                self.trial.fail(&entry.source, &format!("it fails when it is loaded: {error}"));
            }
            self.go_on(&entry.source, 1);
        }
        all("entity").for_each(|entry| self.spawn(entry));
        // The game has begun with the level of its settings.
        let settings = references.variants("config", "game");
        let begun: Vec<&str> = settings.flat_map(|of| &of.references).map(|of| &*of.name).collect();
        for entry in all("level").filter(|entry| reached.contains(&named(entry))) {
            self.trial.levels += 1;
            if begun.contains(&&*entry.name.name) {
                continue;
            }
            self.engine.world_mut().load_level(IdString64::new(&entry.name.name));
            self.go_on(&entry.source, FRAMES);
        }
        // Without scripts nothing was asked for.
        let names = self.engine.run_script("return Text.missing()").unwrap_or_default();
        let names = names.lines().filter(|name| !name.is_empty());
        self.trial.missing_texts = names.map(str::to_owned).collect();
    }

    /// Loads a package, so that what is in it can be spawned.
    fn load(&mut self, entry: &Entry) {
        let name = IdString64::new(&entry.name.name);
        if let Err(error) = self.engine.world_mut().load_package(name) {
            self.refuse(&entry.source, "it cannot be loaded", &error);
            return;
        }
        self.engine.world_mut().flush_packages();
        for _ in 0..PACKAGE_FRAMES {
            if self.engine.world().is_package_loaded(name) {
                break;
            }
            self.go_on(&entry.source, 1);
        }
    }

    /// Spawns an entity and destroys it; nothing, if no package has it.
    fn spawn(&mut self, entry: &Entry) {
        let name = IdString64::new(&entry.name.name);
        // Not at the origin: directions to it have no length there.
        let at = Pose { position: [3.0, 2.0, 1.0].into(), ..Pose::IDENTITY };
        let entity = match self.engine.world_mut().spawn_named(name, &at) {
            Ok(None) => return,
            Ok(Some(entity)) => entity,
            Err(error) => return self.refuse(&entry.source, "it cannot be spawned", &error),
        };
        self.trial.entities += 1;
        self.go_on(&entry.source, FRAMES);
        // A script may have destroyed it.
        if self.engine.world().entities().is_alive(entity)
            && let Err(error) = self.engine.world_mut().destroy(entity)
        {
            self.refuse(&entry.source, "it cannot be destroyed", &error);
        }
        self.go_on(&entry.source, 1);
    }

    /// Runs frames, and charges what is logged as an error to a source.
    fn go_on(&mut self, place: &str, frames: u32) {
        for _ in 0..frames {
            if let Err(error) = self.engine.frame(&mut ()) {
                self.refuse(place, "a frame fails with it", &error);
            }
        }
        for line in self.log.take() {
            self.trial.fail(place, &line);
        }
    }

    fn refuse(&mut self, place: &str, what: &str, error: &EngineError) {
        let error = with_names(self.data, error);
        self.trial.fail(place, &format!("{what}: {error}"));
    }
}

/// The lines of a log that are errors.
#[derive(Debug, Default)]
struct Errors(Mutex<Vec<String>>);

impl Errors {
    fn take(&self) -> Vec<String> {
        self.0.lock().map(|mut lines| core::mem::take(&mut *lines)).unwrap_or_default()
    }
}

impl LogSink for Errors {
    fn line(&self, line: &LogLine<'_>) {
        if line.level == Level::Error
            && let Ok(mut lines) = self.0.lock()
        {
            lines.push(line.text.replace('\n', " "));
        }
    }
}
