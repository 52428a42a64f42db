//! How an engine begins: its parts, its world and its scripts.

use loligo_allocators::FrameAllocator;
use loligo_containers::{Array, EventStream};
use loligo_diagnostics::LogSink;
use loligo_diagnostics::log;
use loligo_interface::MadeThread;
use loligo_tasks::Worker;

use super::player::Player;
use super::times::FrameTimes;
use super::{Engine, Figures};
use crate::cpu::Workers;
use crate::drawing::{Drawn, GameWindow, Link, Wanted};
use crate::error::EngineError;
use crate::loading::Content;
#[cfg(feature = "tool-server")]
use crate::log::RecentLines;
use crate::log::new_log;
#[cfg(feature = "pads")]
use crate::memory::Library;
use crate::memory::{Memory, Room, SharedAllocator, memory_of};
use crate::monitoring::Monitoring;
use crate::options::EngineOptions;
#[cfg(feature = "script")]
use crate::options::OptionalSubsystem;
#[cfg(feature = "script")]
use crate::options::ScriptOptions;
use crate::rows::OWN_WIRES;
#[cfg(feature = "script")]
use crate::scripts::Scripts;
use crate::subsystems::{BuiltIn, rows};
use crate::time_step::GameClock;
use crate::world::World;

/// The first chunk of the memory of what dies with a frame; it grows to what a frame needs.
const FRAME_BYTES: usize = 64 << 10;

/// What an engine borrows from its boot.
pub(crate) struct EngineParts<'e, 'm> {
    pub(crate) memory: Memory<'m>,
    pub(crate) monitoring: Option<&'e Monitoring<'m>>,
    pub(crate) workers: &'e Workers,
    pub(crate) worker: &'e Worker<'e>,
    pub(crate) log: &'e dyn LogSink,
    /// The last lines of the log.
    #[cfg(feature = "tool-server")]
    pub(crate) lines: &'e RecentLines<'e, 'm>,
}

/// What subsystems have run on separate threads, by their names.
pub(crate) type NamedThreads<'m> = Array<'m, (&'static str, MadeThread<'m>), SharedAllocator<'m>>;

impl<'e, 'm> Engine<'e, 'm> {
    pub(crate) fn try_new(
        lent: &EngineParts<'e, 'm>,
        options: &EngineOptions<'e>,
        content: Content<'e, 'm>,
        link: Link<'e, 'm>,
        shown: GameWindow<'e>,
    ) -> Result<Self, EngineError> {
        let EngineParts { memory, monitoring, workers, worker, log, .. } = *lent;
        let [engine, entities, input, render] =
            [Room::Engine, Room::Entities, Room::Input, Room::Render]
                .map(|room| memory_of(&memory, room));
        let settings = &content.settings;
        let clock = GameClock::new(options.time_step.unwrap_or(settings.time_step));
        let size = shown.picture().unwrap_or(options.size.unwrap_or(settings.window));
        let figures = Figures {
            frames: FrameTimes::try_new_in(engine)?,
            own: FrameTimes::try_new_in(engine)?,
            unusual_ns: 0,
            main_ns: 0,
            workers_ns: 0,
            drawn: Drawn::default(),
            most_seen: 0,
        };
        let mut engine = Self {
            memory,
            frame_memory: FrameAllocator::growing_in("frame", FRAME_BYTES, engine)?,
            log: new_log(log, &memory)?,
            monitoring,
            workers,
            worker,
            world: World::new_in(link.is_drawn(), &memory),
            content,
            clock,
            has_own_step: options.time_step.is_some(),
            has_own_preference: false,
            link,
            shown,
            player: Player::try_new(options.is_recorded, options.replay, input)?,
            #[cfg(feature = "pads")]
            pads: None,
            spare: None,
            late: None,
            spare_events: EventStream::new_in(entities),
            watched: Array::new_in(render),
            wanted: Wanted::default(),
            text: Array::new_in(render),
            picture: Array::new_in(render),
            size,
            frame: 0,
            first_frame: 0,
            next_level: None,
            loads_in_background: options.loads_in_background(),
            is_begun: false,
            began: None,
            guard: options.guard,
            armed: None,
            figures,
            #[cfg(feature = "tool-server")]
            recompile: options.recompile,
            #[cfg(feature = "tool-server")]
            data: options.data,
            #[cfg(feature = "script")]
            scripts: None,
            #[cfg(feature = "tool-server")]
            tools: None,
            #[cfg(feature = "tool-server")]
            lines: lent.lines,
        };
        engine.begin(options)?;
        Ok(engine)
    }

    /// Returns what subsystems have run on separate threads, by their names. Of one that has none for want of
    /// something it is logged, and the game goes on without.
    pub(crate) fn side_threads(&mut self) -> Result<NamedThreads<'m>, EngineError> {
        let mut threads = Array::new_in(memory_of(&self.memory, Room::Engine));
        let mut done = Ok(());
        let log = &self.log;
        self.world.threads(&mut |name, made| match made {
            Ok(made) => done = done.and(threads.try_push((name, made))),
            Err(error) => log!(log, Warning, "subsystem `{name}`: {error}"),
        });
        done?;
        Ok(threads)
    }

    /// Makes the world, and loads what is in it.
    fn begin(&mut self, options: &EngineOptions<'e>) -> Result<(), EngineError> {
        #[cfg(feature = "pads")]
        if options.has_window {
            self.open_pads();
        }
        #[cfg(feature = "tool-server")]
        self.open_tools(options)?;
        self.world.set_spawns_per_frame(options.spawns_per_frame);
        self.world.note_preferred(self.content.settings.prefer);
        self.has_own_preference = options.prefer.is_some();
        self.world.add_built_in(BuiltIn::new(options.without, &self.memory))?;
        let rows = rows(options.without, options.subsystems);
        self.world.join(rows, options.wires, &self.memory)?;
        self.world.connect(&OWN_WIRES)?;
        self.world.learn_views(self.content.views())?;
        self.content.hand_over(&mut self.world, &self.log)?;
        self.load_first()?;
        self.content.spawn(&mut self.world)?;
        self.warn_of_unseen_layers();
        #[cfg(feature = "script")]
        if !options.without.has(OptionalSubsystem::Script) {
            self.load_scripts(&options.scripts)?;
        }
        Ok(())
    }

    /// Begins to listen to gamepads. Where that may not be, a game goes on without.
    #[cfg(feature = "pads")]
    fn open_pads(&mut self) {
        match Library::Gilrs.run(loligo_platform::Pads::try_new) {
            Ok(pads) => self.pads = Some(pads),
            Err(error) => log!(self.log, Warning, "{error}"),
        }
    }

    /// Makes the machine of the scripts, and loads the one that the game starts with.
    #[cfg(feature = "script")]
    fn load_scripts(&mut self, options: &ScriptOptions) -> Result<(), EngineError> {
        let Self { content, world, log, memory, .. } = self;
        if content.settings.script.is_none() {
            return Ok(());
        }
        content.load_scripts(world)?;
        let main = content.settings.script.as_deref().unwrap_or_default();
        // It was made of text.
        let main = core::str::from_utf8(main).unwrap_or_default();
        self.scripts =
            Some(Scripts::try_new(main, options, world, log, memory_of(memory, Room::Script))?);
        Ok(())
    }
}
