//! Booting: the first allocators, the subsystems one by one, and all of it torn down in reverse.
//!
//! After "Custom Memory Allocation in C++" (Bitsquid blog, 2010-09-21): allocators outlive
//! everything else, and a leak report names the owner.

use core::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use loligo_allocators::{MemoryGlobals, MemoryOptions, StaticHeap};
use loligo_diagnostics::context;
use loligo_interface::SubsystemError;
use loligo_monitor::{current, name};
use loligo_resources::{Bundles, DataFolder, OpenError};
use loligo_tasks::{MainThread, Settings, Tasks};

use crate::cpu::{Watched, Workers};
use crate::drawing::{BackEnd, Link, Packet, PacketExchange, WindowSetup};
use crate::error::EngineError;
use crate::frame::{Engine, EngineParts};
use crate::loading::{ClosingReader, Content, READERS, Reader};
#[cfg(feature = "tool-server")]
use crate::log::RecentLines;
use crate::log::{NamingSink, new_log};
use crate::memory::{Library, Memory, Room, SharedAllocator, memory_of, with_memory_of};
use crate::monitoring::{ClosingTrace, Monitoring, TraceWriter};
use crate::options::{EngineOptions, OptionalSubsystem};
use crate::subsystems::{SubsystemNames, rows};

/// Boots an engine, shows it to `act`, and shuts it down.
///
/// The first allocators are made before anything else and go after everything else; each subsystem of
/// [`SUBSYSTEMS`](crate::SUBSYSTEMS) has a proxy between it and the allocator that the plan gives it.
/// When all is down no subsystem may hold a block: one that does is named, and stops the program.
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

/// Makes what all subsystems use: the monitor, with the thread that writes its trace, and the rest.
fn boot_subsystems<'m, R>(
    memory: Memory<'m>,
    options: &EngineOptions<'_>,
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
    context!("When booting the engine with the data in", options.data);
    if options.without.has(OptionalSubsystem::Monitor) {
        return boot_tasks(memory, None, options, act);
    }
    let own = memory_of(&memory, Room::Monitor);
    let monitoring = &Monitoring::try_new_in(options.trace.is_some(), own)?;
    let Some(trace) = options.trace else {
        return boot_tasks(memory, Some(monitoring), options, act);
    };
    let writer = TraceWriter::try_new_in(trace, own)?;
    thread::scope(|scope| {
        // Also where anything below panics. When it ends, all other threads have.
        let _closing = ClosingTrace(monitoring);
        let serve = move || monitoring.serve(writer);
        let started = thread::Builder::new().name("trace".into()).spawn_scoped(scope, serve);
        started.map_err(|_| EngineError::TraceThread)?;
        monitoring.wait_until_served();
        boot_tasks(memory, Some(monitoring), options, act)
    })
}

/// Makes the tasks' threads and the log.
fn boot_tasks<'m, R>(
    memory: Memory<'m>,
    monitoring: Option<&Monitoring<'m>>,
    options: &EngineOptions<'_>,
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
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
        recorded(monitoring, worker_name(index, &mut name), life);
    };
    let watched = Watched { workers: &workers, record };
    let log = NamingSink::new(options.log, options.data, memory_of(&memory, Room::Engine));
    #[cfg(feature = "tool-server")]
    let lines = {
        let has_tools = !options.without.has(OptionalSubsystem::Tools);
        RecentLines::try_new(&log, has_tools.then(|| memory_of(&memory, Room::Tools)))?
    };
    #[cfg(feature = "tool-server")]
    let log = &lines;
    #[cfg(not(feature = "tool-server"))]
    let log = &log;
    tasks.run_observed(&watched, |main| {
        let workers = &workers;
        let lent = EngineParts {
            memory,
            monitoring,
            workers,
            worker: main,
            log,
            #[cfg(feature = "tool-server")]
            lines: log,
        };
        let mut act = Some(act);
        let mut result = None;
        recorded(monitoring, "main", &mut || {
            result = act.take().map(|act| boot_data(&lent, options, threads, main, act));
        });
        // It was run once.
        result.unwrap_or(Err(EngineError::RenderThread))
    })
}

/// Opens the bundles of the data folder, where it has them in place of loose files.
fn boot_data<'m, R>(
    lent: &EngineParts<'_, 'm>,
    options: &EngineOptions<'_>,
    threads: u32,
    main: &MainThread<'_>,
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
    let files = memory_of(&lent.memory, Room::Resources);
    // Paths are on the global heap.
    let bundles = Library::Std.run(|| Bundles::try_find_in(options.data, files));
    let bundles = bundles.map_err(OpenError::from)?;
    let folder = match &bundles {
        Some(bundles) => DataFolder::bundled(options.data, bundles)?,
        None => DataFolder::new(options.data)?,
    };
    boot_content(lent, options, threads, (main, folder), act)
}

/// Loads what the game begins with, and runs the engine with or without a thread that reads.
fn boot_content<'m, R>(
    lent: &EngineParts<'_, 'm>,
    options: &EngineOptions<'_>,
    threads: u32,
    (main, folder): (&MainThread<'_>, DataFolder<'_>),
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
    let is_drawn = !options.without.has(OptionalSubsystem::Render);
    let log = new_log(lent.log, &lent.memory)?;
    let rows = rows(options.without, options.subsystems).map(|(_, row)| *row);
    let asked = (is_drawn, options.texture_budget, options.prefer);
    let mut content = Content::try_load(folder, asked, rows, &lent.memory, &log, main)?;
    drop(log);
    if threads == 1 || !options.loads_in_background() {
        return boot_render(lent, options, threads, main, content, act);
    }
    let [files, render] = [Room::Resources, Room::Render].map(|room| memory_of(&lent.memory, room));
    let reader = Reader::new(files, render, content.textures.is_some());
    thread::scope(|scope| {
        // Also where anything below panics.
        let _closing = ClosingReader(&reader);
        let (monitoring, reader) = (lent.monitoring, &reader);
        for name in READER_NAMES {
            let serve = move || recorded(monitoring, name, &mut || reader.serve(&folder));
            let started = thread::Builder::new().name(name.into()).spawn_scoped(scope, serve);
            started.map_err(|_| EngineError::ReaderThread)?;
        }
        reader.wait_until_served();
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
    mut content: Content<'e, 'm>,
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
    let is_drawn = !options.without.has(OptionalSubsystem::Render);
    // It is dropped after the renderer that draws into it.
    let mut opened = WindowSetup::try_new(options, is_drawn, &content.settings)?;
    if !is_drawn {
        let shown = opened.lend();
        return run_with_threads(
            Engine::try_new(lent, options, content, Link::None, shown)?,
            lent,
            options,
            act,
        );
    }
    let log = new_log(lent.log, &lent.memory)?;
    let memory = memory_of(&lent.memory, Room::Render);
    let back_end = BackEnd::try_new(options.back_end, &opened, memory, &log)?;
    drop(log);
    if let Some(textures) = &mut content.textures {
        textures.set_reads_blocks(back_end.reads_blocks());
    }
    let shown = opened.lend();
    let mut renderer = content.try_renderer(back_end, memory)?;
    for (place, row) in rows(options.without, options.subsystems) {
        renderer.join(row, lent.memory.at(place))?;
    }
    if threads == 1 {
        let mut draw = |packet: &mut Packet<'m, SharedAllocator<'m>>| {
            let _scope = current::scope(name!("draw"));
            renderer.draw(packet, main)
        };
        let link = Link::InPlace(&mut draw);
        return run_with_threads(
            Engine::try_new(lent, options, content, link, shown)?,
            lent,
            options,
            act,
        );
    }
    let handover = PacketExchange::new();
    let handle = main.handle();
    thread::scope(|scope| {
        // Also where anything below panics.
        let _closing = Closing(&handover);
        let (monitoring, handover, renderer) = (lent.monitoring, &handover, &mut renderer);
        let serve = move || {
            let Ok(thread) = handle.register() else { return };
            let mut draw = |packet: &mut Packet<'m, SharedAllocator<'m>>| {
                let _scope = current::scope(name!("draw"));
                renderer.draw(packet, &thread)
            };
            recorded(monitoring, "render", &mut || handover.serve(&mut draw));
        };
        let started = thread::Builder::new().name("render".into()).spawn_scoped(scope, serve);
        started.map_err(|_| EngineError::RenderThread)?;
        let link = Link::Threaded(handover);
        run_with_threads(Engine::try_new(lent, options, content, link, shown)?, lent, options, act)
    })
}

/// What the threads that read are called.
const READER_NAMES: [&str; READERS] = ["reader", "reader 2"];

/// Runs the engine, with the threads of its subsystems where devices of the machine may be used.
fn run_with_threads<'m, R>(
    mut engine: Engine<'_, 'm>,
    lent: &EngineParts<'_, 'm>,
    options: &EngineOptions<'_>,
    act: impl FnOnce(&mut Engine<'_, 'm>) -> R,
) -> Result<R, EngineError> {
    if !options.has_devices {
        return Ok(act(&mut engine));
    }
    let threads = engine.side_threads()?;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Also where anything below panics.
        let _ending = Ending(&is_over);
        for (name, mut work) in threads {
            let (monitoring, is_over) = (lent.monitoring, &is_over);
            let run = move || recorded(monitoring, name, &mut || work.run(is_over));
            let started = thread::Builder::new().name(name.into()).spawn_scoped(scope, run);
            started.map_err(|_| EngineError::Subsystem { name, error: NO_THREAD })?;
        }
        Ok(act(&mut engine))
    })
}

const NO_THREAD: SubsystemError = SubsystemError::Wrong {
    what: "the system starts no thread for it",
    remedy: "end other programs, or run the game without devices",
};

/// Lets the threads of subsystems end.
struct Ending<'e>(&'e AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        // Nothing else is read by it.
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Lets the render thread end.
struct Closing<'h, 'm>(&'h PacketExchange<'m>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Runs a thread's life with a recorder of the monitor, if there is one.
fn recorded(monitoring: Option<&Monitoring<'_>>, name: &str, life: &mut dyn FnMut()) {
    match monitoring {
        Some(monitoring) => monitoring.record(name, life),
        None => life(),
    }
}

fn worker_name(index: u8, name: &mut [u8; 12]) -> &str {
    *name = *b"worker 00   ";
    name[7] = b'0' + index / 10 % 10;
    name[8] = b'0' + index % 10;
    core::str::from_utf8(&name[..9]).unwrap_or_default()
}
