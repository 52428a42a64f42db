//! The game's scripts: run by the engine at the places of a frame.
//!
//! After "Lightweight Lua Bindings" and "Fixing Memory Issues in Lua" (Bitsquid blog, 2011-06-26,
//! 2011-08-09): scripts see ids, their garbage is collected by a budget, and a script that fails
//! stops its call, not the game.

use core::fmt;
use core::time::Duration;

use loligo_allocators::{Arena, SharedRef};
use loligo_containers::Array;
use loligo_diagnostics::{Log, log};
use loligo_resources::ResourceKey;
use loligo_script::{
    Callback, Collector, CollectorSettings, Host, Script, ScriptError, Settings, Value, Watch,
    Watchdog,
};

use crate::error::EngineError;
use crate::memory::{FrameMemory, SharedAllocator};
use crate::options::{ScriptLimits, ScriptOptions};
use crate::world::{LUA, Modules, World};

mod batches;
mod bindings;
mod callbacks;
mod columns;
mod events;
mod failures;
#[cfg(feature = "tool-server")]
mod inspecting;
mod listening;
mod saving;

pub use bindings::{ENTITY, EntityId, bindings};

pub use failures::ScriptFailures;

use batches::Batches;
use bindings::all_bindings;
use events::EventCallbacks;
use failures::{Failures, Say};
use listening::ListeningCallbacks;

impl Host for World<'_> {
    fn module(&mut self, name: &str) -> Option<&[u8]> {
        self.modules.ask(name)
    }

    fn print(&mut self, line: &[u8]) {
        let printed = &mut self.modules.printed;
        // What there is no memory for is not printed.
        let _ = printed.try_extend_from_slice(line).and_then(|()| printed.try_push(b'\n'));
    }
}

/// The machine that a game's scripts run in.
pub(crate) struct Scripts<'m> {
    script: Script<'m, World<'m>>,
    collector: Collector,
    start: Callback,
    update: Callback,
    load_state: Callback,
    events: EventCallbacks<'m>,
    listening: ListeningCallbacks<'m>,
    batches: Batches<'m>,
    failures: Failures<'m>,
    /// Scripts that could not be loaded, which are tried again at each reload: what they ask for
    /// may have come.
    failed: Array<'m, ResourceKey, SharedAllocator<'m>>,
    limits: Option<ScriptLimits>,
    /// The thread that stops scripts that run longer, if there is one.
    _dog: Option<Watchdog>,
}

impl<'m> Scripts<'m> {
    /// Makes a machine and loads the script that a game starts with.
    pub(crate) fn try_new(
        main: &str,
        options: &ScriptOptions,
        world: &mut World<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
        memory: SharedRef<'m>,
    ) -> Result<Self, EngineError> {
        let settings = Settings { checks: options.checks, ..Settings::default() };
        let bindings = all_bindings(world, memory)?;
        let mut events = EventCallbacks::try_new_in(world.schemas().count(), memory)?;
        let made = || {
            let mut script = Script::try_new(&bindings, &settings, memory)?;
            let start = script.callback(callbacks::START)?;
            let update = script.callback(callbacks::UPDATE)?;
            script.evaluate(world, saving::SAVING)?;
            let load_state = script.callback(saving::LOAD)?;
            for schema in world.schemas() {
                events.add(schema, &mut script)?;
            }
            Ok::<_, ScriptError<'m>>(Self {
                script,
                collector: Collector::new(CollectorSettings::default()),
                start,
                update,
                load_state,
                events,
                listening: ListeningCallbacks::new_in(memory),
                batches: Batches::new_in(memory),
                failures: Failures::new_in(memory),
                failed: Array::new_in(memory),
                limits: options.limits,
                _dog: None,
            })
        };
        let mut scripts = made().map_err(|error| {
            log!(log, Error, "{error}");
            EngineError::Script
        })?;
        if options.limits.is_some_and(|limits| limits.has_thread) {
            let dog = Watchdog::try_new(scripts.script.watch());
            scripts._dog = Some(dog.map_err(|_| EngineError::ScriptThread)?);
        }
        scripts.limit(|limits| limits.load);
        // A game whose script is wrong runs on without, until it is corrected and reloaded.
        let loaded = scripts.script.load(world, main);
        if loaded.is_err() {
            scripts.failed.try_push(ResourceKey::new(LUA, main))?;
        }
        scripts.note(loaded, log);
        callbacks::warn_of_look_alikes(&mut scripts.script, world, log, memory);
        scripts.print(world, log);
        Ok(scripts)
    }

    /// Returns what stops a call that runs too long, for a clock of one's own.
    pub(crate) fn watch(&mut self) -> Watch {
        self.script.watch()
    }

    /// Sets how long what is called next may take.
    fn limit(&mut self, of: impl Fn(&ScriptLimits) -> Duration) {
        if let Some(limits) = &self.limits {
            self.script.set_time_max(Some(of(limits)));
        }
    }

    pub(crate) fn start(&mut self, world: &mut World<'m>, log: &Log<'_, SharedAllocator<'m>>) {
        self.limit(|limits| limits.frame);
        let called = self.script.call(world, self.start, &[]);
        self.note(called, log);
        self.read_batches(world, false, log, &mut |_| {});
        self.print(world, log);
    }

    /// Runs an update of the scripts: their `update`, then what is for many entities.
    pub(crate) fn update(
        &mut self,
        world: &mut World<'m>,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        self.limit(|limits| limits.frame);
        self.script.begin_frame();
        let step = Value::Number(world.step() as f64 / 1e9);
        let called = self.script.call(world, self.update, &[step]);
        self.note(called, log);
        self.update_batches(world, memory, log);
        self.print(world, log);
    }

    /// Collects garbage, at the end of a frame. The world is not needed, so another thread may have
    /// it meanwhile.
    pub(crate) fn collect(&mut self, log: &Log<'_, SharedAllocator<'m>>) {
        let collected = self.collector.collect(&mut self.script, || false);
        self.note(collected, log);
    }

    /// Runs a line of the console.
    #[cfg(feature = "tool-server")]
    pub(crate) fn run(
        &mut self,
        world: &mut World<'m>,
        code: &str,
        answer: &mut dyn fmt::Write,
        log: &Log<'_, SharedAllocator<'m>>,
    ) -> fmt::Result {
        self.limit(|limits| limits.line);
        let result = match self.script.evaluate(world, code) {
            Ok(text) => answer.write_str(core::str::from_utf8(&text).unwrap_or("(no UTF-8)")),
            Err(error) => write!(answer, "{error}").and(Err(fmt::Error)),
        };
        self.read_batches(world, false, log, &mut |_| {});
        self.print(world, log);
        result
    }

    /// Loads scripts again whose texts have changed, and those that could not be loaded the last
    /// time. `say` is called for each that fails.
    pub(crate) fn reload(
        &mut self,
        world: &mut World<'m>,
        changed: &[ResourceKey],
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
        say: &mut dyn FnMut(&dyn fmt::Display),
    ) -> Result<(), EngineError> {
        let own = self.failed.memory();
        let mut keys = core::mem::replace(&mut self.failed, Array::new_in(own));
        for key in changed.iter().filter(|key| Modules::is_script(**key)) {
            if !keys.contains(key) {
                keys.try_push(*key)?;
            }
        }
        if keys.is_empty() {
            return Ok(());
        }
        self.failures.forget_places();
        self.limit(|limits| limits.load);
        for key in &*keys {
            self.reload_one(world, *key, memory, log, say)?;
        }
        self.read_batches(world, true, log, say);
        self.check_batches(world, log, say);
        callbacks::warn_of_look_alikes(&mut self.script, world, log, own);
        self.print(world, log);
        Ok(())
    }

    fn reload_one(
        &mut self,
        world: &mut World<'m>,
        key: ResourceKey,
        memory: &FrameMemory<'m>,
        log: &Log<'_, SharedAllocator<'m>>,
        say: &mut dyn FnMut(&dyn fmt::Display),
    ) -> Result<(), EngineError> {
        // What nobody has asked for is loaded by nobody.
        let Some(name) = world.modules.name(key) else { return Ok(()) };
        let name = memory.try_alloc_str(name)?;
        let loaded = match self.script.reload(world, name) {
            // One that failed when it was loaded first.
            Ok(false) => self.script.load(world, name).map(|()| true),
            other => other,
        };
        if let Err(error) = &loaded {
            say(&format_args!("{}", error.message()));
            self.failed.try_push(key)?;
        }
        self.note(loaded, log);
        Ok(())
    }

    /// Returns how often scripts failed.
    pub(crate) const fn failures(&self) -> ScriptFailures {
        self.failures.counts()
    }

    /// Counts what went wrong, and logs it where nothing did at its place before: a script that
    /// fails in each frame says so once.
    fn note<T>(&mut self, result: Result<T, ScriptError<'_>>, log: &Log<'_, SharedAllocator<'m>>) {
        if let Err(error) = result {
            note_failure(&mut self.failures, &error, log);
        }
    }

    /// As [`note`](Self::note), of what the engine found wrong with what a script did. `place` says
    /// what and where.
    fn note_text(
        &mut self,
        place: u64,
        why: &dyn fmt::Display,
        log: &Log<'_, SharedAllocator<'m>>,
    ) {
        let say = self.failures.add_at(place);
        say_failure(say, why, log);
    }

    fn print(&mut self, world: &mut World<'m>, log: &Log<'_, SharedAllocator<'m>>) {
        let printed = &mut world.modules.printed;
        if !printed.is_empty() {
            log!(log, Info, "{}", core::str::from_utf8(printed).unwrap_or("(no UTF-8)").trim_end());
            printed.clear();
        }
    }
}

fn note_failure<'m>(
    failures: &mut Failures<'m>,
    error: &ScriptError<'_>,
    log: &Log<'_, SharedAllocator<'m>>,
) {
    say_failure(failures.add(error), error, log);
}

fn say_failure<'m>(say: Say, why: &dyn fmt::Display, log: &Log<'_, SharedAllocator<'m>>) {
    match say {
        Say::All => log!(log, Error, "{why}"),
        Say::TooMany => log!(
            log,
            Error,
            "scripts fail at more places than are named here; correct those above first"
        ),
        Say::Nothing => {}
    }
}
