//! Booting: the first allocators, the subsystems one by one, and all of it torn down in reverse.
//!
//! After "Custom Memory Allocation in C++" (Bitsquid blog, 2010-09-21): allocators outlive
//! everything else, and a leak report names the owner.

use core::fmt;
use std::path::Path;
use std::thread;

use loligo_allocators::{MemoryGlobals, MemoryOptions, SharedRef, StaticHeap};
use loligo_diagnostics::{Level, Log, LogSink, StderrSink, context};
use loligo_interface::{SubsystemRow, Wire};
use loligo_monitor::{Monitor, Recorder};
use loligo_resources::DataFolder;
use loligo_tasks::{MainThread, Settings, Tasks};

use crate::back_end::{BackEnd, BackEndChoice};
use crate::content::{ClosingReader, Content, Reader};
use crate::cpu::{Watched, Workers};
use crate::engine::{Engine, EngineParts};
use crate::error::EngineError;
use crate::game_window::WindowSetup;
use crate::link::Link;
use crate::memory::SharedAllocator;
use crate::memory::{Memory, with_memory_of};
use crate::memory_plan::MemoryPlan;
use crate::naming_sink::NamingSink;
use crate::packet::Packet;
use crate::packet_exchange::PacketExchange;
#[expect(unused_imports, reason = "documents what plans are for")]
use crate::subsystems::SUBSYSTEMS;
use crate::subsystems::{DisabledSubsystems, OptionalSubsystem, Room, SubsystemNames};
use crate::third_party::FrameGuard;
use crate::time_step::TimeStep;

/// The most threads.
pub const THREADS_MAX: u32 = 64;

/// Compiles the project again while it runs. It calls its argument for each resource that is wrong,
/// and returns whether the data folder is up to date otherwise. The compiler belongs to the tools,
/// so the engine knows it as a function alone.
pub type Recompile<'o> = dyn Fn(&mut dyn FnMut(&dyn fmt::Display)) -> bool + 'o;

/// What an engine is to run, and how.
pub struct EngineOptions<'o> {
    /// The folder of compiled data.
    pub data: &'o Path,
    /// What subsystems take their memory from that share a heap; without, a heap over pages of the
    /// engine's own.
    pub memory: Option<SharedRef<'o>>,
    /// Which allocator serves which subsystem of [`SUBSYSTEMS`], and after them of `subsystems`.
    pub plan: MemoryPlan,
    /// The game's own subsystems. They join the world before its first level, and are stepped in
    /// this order.
    pub subsystems: &'o [SubsystemRow],
    /// What the events of one subsystem ask of another.
    pub wires: &'o [Wire],
    /// What is left out.
    pub without: DisabledSubsystems,
    /// How many threads there are: one does everything in order; of more, one renders and the
    /// others help. Default: as many as the machine has processors, two at least.
    pub threads: Option<u32>,
    /// The back end that draws.
    pub back_end: BackEndChoice,
    /// How time passes, in place of what the game says.
    pub time_step: Option<TimeStep>,
    /// The width and height of the picture, in place of what the game says.
    pub size: Option<[u32; 2]>,
    /// Shows the game in a window: [`with_engine`] is called on the main thread then. `size` is
    /// that which the window begins with; the picture follows it.
    #[cfg(feature = "window")]
    pub has_window: bool,
    /// Records what the player does, and hashes of the world: see
    /// [`Engine::recording`](crate::Engine::recording).
    pub is_recorded: bool,
    /// A recording that is played back in place of a player and a clock; the game ends with it.
    pub replay: Option<&'o [u8]>,
    /// Whether frames go on while packages and levels are loaded, which then come when they are read.
    /// Without, a frame waits for what was asked for in the one before, so that each run has the
    /// same frames. The default is that they go on where there is a window.
    pub background_loading: Option<bool>,
    /// The program's global allocator, which is armed from the tenth frame on.
    pub guard: Option<&'static dyn FrameGuard>,
    /// Where lines of the log go, with names after the hashes that the data folder has names for;
    /// the default is standard error.
    pub log: &'o dyn LogSink,
    /// Compiles the project again when a tool asks for a reload. Without, what another program has
    /// compiled is loaded.
    pub recompile: Option<&'o Recompile<'o>>,
    /// How scripts are run.
    #[cfg(feature = "script")]
    pub scripts: crate::scripts::ScriptOptions,
    /// The port for tools.
    #[cfg(feature = "tool-server")]
    pub tools: crate::tool_server::ToolOptions,
}

impl<'o> EngineOptions<'o> {
    /// Returns the usual options for a data folder.
    #[must_use]
    pub fn new(data: &'o Path) -> Self {
        Self {
            data,
            memory: None,
            plan: MemoryPlan::new(),
            subsystems: &[],
            wires: &[],
            without: DisabledSubsystems::default(),
            threads: None,
            back_end: BackEndChoice::default(),
            time_step: None,
            size: None,
            #[cfg(feature = "window")]
            has_window: false,
            is_recorded: false,
            replay: None,
            background_loading: None,
            guard: None,
            log: &StderrSink,
            recompile: None,
            #[cfg(feature = "script")]
            scripts: crate::scripts::ScriptOptions::default(),
            #[cfg(feature = "tool-server")]
            tools: crate::tool_server::ToolOptions::default(),
        }
    }

    pub(crate) fn loads_in_background(&self) -> bool {
        #[cfg(feature = "window")]
        let has_player = self.has_window;
        #[cfg(not(feature = "window"))]
        let has_player = false;
        self.background_loading.unwrap_or(has_player)
    }

    fn thread_count(&self) -> u32 {
        let processors = || thread::available_parallelism().map_or(2, |n| n.get() as u32);
        self.threads.unwrap_or_else(|| processors().max(2)).clamp(1, THREADS_MAX)
    }
}

impl fmt::Debug for EngineOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineOptions")
            .field("data", &self.data)
            .field("without", &self.without)
            .field("threads", &self.threads)
            .field("back_end", &self.back_end)
            .finish_non_exhaustive()
    }
}

/// Boots an engine, shows it to `act`, and shuts it down.
///
/// The first allocators are made before anything else and go after everything else; each subsystem of
/// [`SUBSYSTEMS`] has a proxy between it and the allocator that the plan gives it. When all is down no
/// subsystem may hold a block: one that does is named, and stops the program.
///
/// # Complexity
///
/// O(bytes of what the first level needs).
///
/// # Errors
///
/// [`EngineError`] if memory, threads, the data folder or anything in it are not as they should be;
/// then `act` was not called.
///
/// # Panics
///
/// If a subsystem is left with a block.
///
/// # Examples
///
/// ```no_run
/// use loligo_engine::{EngineOptions, with_engine};
///
/// let data = std::path::Path::new("data");
/// with_engine(&EngineOptions::new(data), |engine| {
///     for _ in 0..60 {
///         engine.frame(&mut ())?;
///     }
///     Ok::<_, loligo_engine::EngineError>(())
/// })??;
/// # Ok::<(), loligo_engine::EngineError>(())
/// ```
pub fn with_engine<R>(
    options: &EngineOptions<'_>,
    act: impl FnOnce(&mut Engine<'_, '_>) -> R,
) -> Result<R, EngineError> {
    let names = SubsystemNames::try_new(options.subsystems)?;
    let boot = StaticHeap::<{ MemoryGlobals::BOOT_BYTES }>::new("boot");
    let globals = MemoryGlobals::init(&boot, &MemoryOptions::new())?;
    let run = |memory: Memory<'_>| boot_subsystems(memory, options, act);
    with_memory_of(&globals, options.memory, &options.plan, names.as_slice(), run)?
}

/// Returns the memory of one of [`SUBSYSTEMS`], with which the list of all begins.
pub(crate) fn memory_of<'m>(memory: &Memory<'m>, room: Room) -> SharedRef<'m> {
    memory.at(room as usize)
}

/// Returns a log that goes to a sink.
pub(crate) fn new_log<'e, 'm: 'e>(
    sink: &'e dyn LogSink,
    memory: &Memory<'m>,
) -> Result<Log<'e, SharedAllocator<'m>>, EngineError> {
    let log = Log::try_new_in(memory_of(memory, Room::Engine))?;
    log.try_add_sink(Level::Info, sink)?;
    Ok(log)
}

/// Makes what all subsystems use: the log, the monitor, the tasks.
fn boot_subsystems<'m, R>(
    memory: Memory<'m>,
    options: &EngineOptions<'_>,
    act: impl FnOnce(&mut Engine<'_, '_>) -> R,
) -> Result<R, EngineError> {
    context!("When booting the engine with the data in", options.data);
    let monitor = if options.without.has(OptionalSubsystem::Monitor) {
        None
    } else {
        let limits = loligo_monitor::Options::default();
        Some(Monitor::try_new_in(&limits, memory_of(&memory, Room::Monitor))?)
    };
    let workers = Workers::default();
    let threads = options.thread_count();
    let settings = Settings {
        main_threads: threads.min(2),
        workers: Some(threads.saturating_sub(2)),
        ..Settings::default()
    };
    let mut tasks = Tasks::try_new_in(&settings, memory_of(&memory, Room::Tasks))?;
    let record = |index: u8, life: &mut dyn FnMut()| {
        let mut name = [0; 12];
        recorded(monitor.as_ref(), worker_name(index, &mut name), life);
    };
    let watched = Watched { workers: &workers, record };
    let log = NamingSink::new(options.log, options.data, memory_of(&memory, Room::Engine));
    tasks.run_observed(&watched, |main| {
        let (monitor, workers) = (monitor.as_ref(), &workers);
        let lent = EngineParts { memory, monitor, workers, worker: main, log: &log };
        let mut act = Some(act);
        let mut result = None;
        recorded(monitor, "main", &mut || {
            result = act.take().map(|act| boot_content(&lent, options, threads, main, act));
        });
        // It was run once.
        result.unwrap_or(Err(EngineError::RenderThread))
    })
}

/// Loads what the game begins with, and runs the engine with or without a thread that reads.
fn boot_content<'m, R>(
    lent: &EngineParts<'_, 'm>,
    options: &EngineOptions<'_>,
    threads: u32,
    main: &MainThread<'_>,
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
    let folder = DataFolder::new(options.data)?;
    let is_drawn = !options.without.has(OptionalSubsystem::Render);
    let log = new_log(lent.log, &lent.memory)?;
    let mut content = Content::try_load(folder, is_drawn, &lent.memory, &log, main)?;
    drop(log);
    if threads == 1 || !options.loads_in_background() {
        return boot_render(lent, options, threads, main, content, act);
    }
    let [files, render] = [Room::Resources, Room::Render].map(|room| memory_of(&lent.memory, room));
    let reader = Reader::new(files, render);
    thread::scope(|scope| {
        // Also where anything below panics.
        let _closing = ClosingReader(&reader);
        let (monitor, reader) = (lent.monitor, &reader);
        let serve = move || recorded(monitor, "reader", &mut || reader.serve(&folder));
        let started = thread::Builder::new().name("reader".into()).spawn_scoped(scope, serve);
        started.map_err(|_| EngineError::ReaderThread)?;
        content.reader = Some(reader);
        boot_render(lent, options, threads, main, content, act)
    })
}

/// Runs the engine with or without a render thread.
fn boot_render<'e, 'm: 'e, R>(
    lent: &EngineParts<'e, 'm>,
    options: &EngineOptions<'e>,
    threads: u32,
    main: &MainThread<'_>,
    content: Content<'e, 'm>,
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
    let is_drawn = !options.without.has(OptionalSubsystem::Render);
    // It is dropped after the renderer that draws into it.
    let mut opened = WindowSetup::try_new(options, is_drawn, &content.settings)?;
    if !is_drawn {
        let shown = opened.lend();
        return Ok(act(&mut Engine::try_new(lent, options, content, Link::None, shown)?));
    }
    let log = new_log(lent.log, &lent.memory)?;
    let memory = memory_of(&lent.memory, Room::Render);
    let back_end = BackEnd::try_new(options.back_end, &opened, memory, &log)?;
    drop(log);
    let shown = opened.lend();
    let mut renderer = content.try_renderer(back_end, memory)?;
    if threads == 1 {
        let mut draw = |packet: &mut Packet<'m, SharedAllocator<'m>>| renderer.draw(packet, main);
        let link = Link::InPlace(&mut draw);
        return Ok(act(&mut Engine::try_new(lent, options, content, link, shown)?));
    }
    let handover = PacketExchange::new();
    let handle = main.handle();
    thread::scope(|scope| {
        // Also where anything below panics.
        let _closing = Closing(&handover);
        let (monitor, handover, renderer) = (lent.monitor, &handover, &mut renderer);
        let serve = move || {
            let Ok(thread) = handle.register() else { return };
            let mut life = || handover.serve(|packet| renderer.draw(packet, &thread));
            recorded(monitor, "render", &mut life);
        };
        let started = thread::Builder::new().name("render".into()).spawn_scoped(scope, serve);
        started.map_err(|_| EngineError::RenderThread)?;
        let link = Link::Threaded(handover);
        Ok(act(&mut Engine::try_new(lent, options, content, link, shown)?))
    })
}

/// Lets the render thread end.
struct Closing<'h, 'm>(&'h PacketExchange<'m>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Runs a thread's life with a recorder of the monitor, if there is one.
fn recorded<'m>(
    monitor: Option<&Monitor<'m, SharedAllocator<'m>>>,
    name: &str,
    life: &mut dyn FnMut(),
) {
    let recorder: Option<Recorder<'_>> =
        monitor.and_then(|monitor| monitor.try_recorder(name).ok());
    match recorder {
        Some(recorder) => recorder.run(life),
        // It works all the same, unseen.
        None => life(),
    }
}

fn worker_name(index: u8, name: &mut [u8; 12]) -> &str {
    *name = *b"worker 00   ";
    name[7] = b'0' + index / 10 % 10;
    name[8] = b'0' + index % 10;
    core::str::from_utf8(&name[..9]).unwrap_or_default()
}
