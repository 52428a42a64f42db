//! `loligo run`.

use core::fmt::{self, Write as _};
use core::net::{Ipv4Addr, SocketAddr};
use core::num::NonZeroUsize;
use core::time::Duration;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use loligo_allocators::{Allocator, HeapAllocator, Overview, PageAllocator};
use loligo_compiler::{GuardedFolder, Platform, read_source};
use loligo_diagnostics::{Options as Reports, install};
use loligo_engine::{
    ARMED_FROM, BackEndChoice, DisabledSubsystems, Engine, EngineError, EngineOptions, Libraries,
    Library, MemoryPlan, ReplayDifference, SUBSYSTEMS, ScriptFailures, ScriptLimits, ScriptOptions,
    TimeStep, ToolOptions, with_engine,
};
use loligo_resources::{Names, PreferenceOrder};

use crate::output::Output;
use crate::print::{print, say};
use crate::text_file::read_text;

mod compiled;
#[cfg(unix)]
mod compiler_process;
mod compiling;
mod heard;
mod notices;
mod run_log;
mod saves;
mod tracing;
mod watching;

use compiled::Compiled;
use compiling::{Compiling, Listener, Order};
use heard::Heard;
use run_log::RunLog;
use tracing::Tracing;
use watching::Watching;

/// Compiles a game and runs it: prints how long frames took, and what memory each subsystem has.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Run {
    /// The folder of the game's sources
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// Where the data goes [default: PROJECT/.loligo/PLATFORM]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// How many frames are run [default: 300, or as many as 15 seconds allow; in a window, until it
    /// is closed]
    #[arg(long, value_name = "N")]
    frames: Option<u64>,

    /// Show the game in a window, until it is closed or Escape is pressed
    #[arg(long)]
    window: bool,

    /// Compile whatever is saved while the game runs, and show it at once
    #[arg(long)]
    watch: bool,

    /// Which allocator serves which subsystem, in place of what the game says: shared, heap, buddy,
    /// page, guard or system, as in `default = { allocator = "system" }`
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,

    /// How time passes, in place of what the game says
    #[arg(long, value_enum, value_name = "POLICY")]
    time_step: Option<Step>,

    /// Go on with the game that was saved into this file
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,

    /// Save the game into this file after its last frame
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Write what the player does into this file, with a hash of the world for each frame
    #[arg(long, value_name = "FILE")]
    record_input: Option<PathBuf>,

    /// Play such a file back in place of a player and a clock; the game ends with it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record_input", "time_step"])]
    replay: Option<PathBuf>,

    /// Write what all threads do into this file while the game runs; ui.perfetto.dev opens it
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// A subsystem to leave out: input, monitor, render, script or tools; may be given several times
    #[arg(long, value_name = "ROOM")]
    without: Vec<String>,

    /// Variants of resources that are preferred, in place of what the game says: properties, the
    /// strongest first, as in `noblood,fr`
    #[arg(long, value_name = "PROPERTIES", value_parser = PreferenceOrder::parse)]
    prefer: Option<PreferenceOrder>,

    /// The most bytes of textures on the graphics card, in place of what the game says: large levels
    /// come and go
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    texture_budget: Option<u64>,

    /// How many threads; one does everything in order, and gives the same frames [default: one for
    /// each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: Option<u32>,

    /// The port of this machine on which tools are served; 0 takes a free one
    #[arg(long, value_name = "P", default_value_t = 0)]
    port: u16,

    /// The back end that draws
    #[arg(long, value_enum, default_value_t = BackEnd::Auto)]
    backend: BackEnd,

    /// Write the last frame's picture as PNG [default: OUT/last.png]
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,

    /// Write the last frame as text
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,

    /// Write what is heard into this file, a WAV, in place of a device; without a window and a `--time-step` each frame
    /// is a sixtieth of a second then
    #[arg(long, value_name = "FILE")]
    sound: Option<PathBuf>,

    /// The seconds that a script may take for a frame, a load or a line of the console, before it
    /// is stopped
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = seconds)]
    script_seconds: f64,

    /// Let scripts take any time, for debuggers
    #[arg(long)]
    no_watchdog: bool,

    /// Do not check ids and vectors that scripts pass on, as in a game that is shipped
    #[arg(long)]
    unchecked: bool,

    #[command(flatten)]
    compiling: Compiling,

    /// Stop in this frame as a fault would, to see what is reported
    #[arg(long, value_name = "N", hide = true)]
    crash_at: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackEnd {
    /// The graphics card or a driver that computes in its place; text where there is neither
    Auto,
    /// The graphics card or a driver that computes in its place
    Gpu,
    /// Text: nothing is drawn
    Text,
}

impl BackEnd {
    const fn choice(self) -> BackEndChoice {
        match self {
            Self::Auto => BackEndChoice::Auto,
            Self::Gpu => BackEndChoice::Gpu,
            Self::Text => BackEndChoice::Text,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Step {
    /// Steps of a sixtieth of a second, as many as have passed on the clock
    Fixed,
    /// A step of a sixtieth of a second each frame, whatever the clock says
    EachFrame,
    /// As long as the frame before took
    Variable,
    /// As long as the frames before took, smoothed
    Smoothed,
}

impl Step {
    const fn policy(self) -> TimeStep {
        const STEP: u64 = 16_666_667;
        const LONGEST: u64 = 100_000_000;
        match self {
            Self::Fixed => TimeStep::Fixed { step: STEP },
            Self::EachFrame => TimeStep::EachFrame { step: STEP },
            Self::Variable => TimeStep::Variable { longest: LONGEST },
            Self::Smoothed => TimeStep::Smoothed { longest: LONGEST },
        }
    }
}

/// How many frames are run where nothing is said, and how long at most.
const FRAMES: u64 = 300;
const LONGEST: Duration = Duration::from_secs(15);

/// Whether what sounds is heard, in a window.
const HAS_DEVICE: bool = cfg!(feature = "device");

/// The picture where no file is named for it, in the folder of the data.
const PICTURE: &str = "last.png";

const EXAMPLES: &str = "Examples:
  loligo run samples/10-courtyard                        what a frame takes
  loligo run samples/10-courtyard --screenshot yard.png  and what it looks like
  loligo run samples/10-courtyard --window               and how it moves; Escape ends it
  loligo run samples/10-courtyard --window --watch       what is saved meanwhile is seen at once
  loligo run game --window --prefer fr                   in French, where the game has it
  loligo run samples/10-courtyard --frames 1000 --memory guard.sjson
                                                         each subsystem on the allocator that a file gives it
  loligo run samples/10-courtyard --without render --without script
                                                         does a fault go with one of the subsystems?
  loligo run samples/10-courtyard --threads 1            or with the threads?
  loligo run samples/10-courtyard --trace yard.pftrace   what all threads do, for https://ui.perfetto.dev
  loligo run samples/50-harbour --frames 1800 --sound harbour.wav
                                                         what is heard in half a minute
  loligo run samples/20-first-game --save first.save     go on later, with --load first.save
  loligo run samples/10-courtyard --window --record-input walk.played
  loligo run samples/10-courtyard --replay walk.played --threads 1
                                                         the same frames again; the first that differs is named

While it runs, tools can connect to the address that is printed (and kept in the file `tools` of the data folder), as
ADDRESS/TOKEN: over TCP the first message has the token, {\"token\": \"TOKEN\", \"type\": \"reload\"} compiles again what has
changed; a WebSocket opens ws://ADDRESS/TOKEN. {\"type\": \"monitor\"} returns what the engine does.
Exit status: 0 all went well, 1 a resource is wrong, a script failed or nothing could be seen, 2 it could not be done.
A fault of the engine itself ends it by a signal, with a report `loligo-crash-*.txt` in the data folder.";

/// What is left of a game that was run.
struct RunReport {
    /// What there is to say of its frames.
    report: String,
    /// What is wrong with the game, though it ran.
    faults: Vec<String>,
    /// The last frame as text, and as pixels, where that was wanted.
    text: String,
    picture: Vec<u8>,
    size: [u32; 2],
}

impl Run {
    /// Does the work; errors go to standard error.
    pub(crate) fn run(&self) -> ExitCode {
        match self.try_run() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say!("loligo: {message}");
                ExitCode::from(2)
            }
        }
    }

    /// Compiles and runs; returns whether no resource was wrong.
    fn try_run(&self) -> Result<bool, String> {
        let plan = self.plan()?;
        let mut without = DisabledSubsystems::default();
        for subsystem in &self.without {
            without.add(subsystem).map_err(|error| error.to_string())?;
        }
        let traced = |path| Tracing::open(path, without);
        let tracing = self.trace.as_deref().map(traced).transpose()?;
        let usual = || self.project.join(".loligo").join(Platform::here().name);
        let data = self.out.clone().unwrap_or_else(usual);
        let watching = Watching::default();
        let compiled = self.compile(&data)?;
        watching.saw(compiled.seen);
        report_crashes(&data);
        let replay = self.replay.as_deref().map(read_recording).transpose()?;
        let log = RunLog::default();
        let recompile = |told: &mut dyn FnMut(&dyn fmt::Display)| {
            let errors = &mut |error: &str| told(&error);
            let done =
                self.recompile(&data, None, &mut Listener { error: errors, written: &mut || () });
            done.inspect_err(|error| told(error)).is_ok()
        };
        let options = EngineOptions {
            plan,
            without,
            threads: self.threads,
            prefer: self.prefer,
            texture_budget: self.texture_budget,
            back_end: self.backend.choice(),
            has_window: self.window,
            // What a device plays is mixed on its thread, so it cannot be in a file.
            has_devices: self.window && self.sound.is_none(),
            time_step: self.steps().map(Step::policy),
            is_recorded: self.record_input.is_some(),
            replay: replay.as_deref(),
            // A device that is opened again starts a thread of its library's, which allocates.
            guard: (!(HAS_DEVICE && self.window)).then_some(&crate::MEMORY),
            trace: tracing.as_ref().map(Tracing::file),
            scripts: self.scripts(),
            log: &log,
            recompile: Some(&recompile),
            tools: ToolOptions {
                address: SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)),
                ..ToolOptions::default()
            },
            ..EngineOptions::new(&data)
        };
        let run = || with_engine(&options, |engine| self.frames(engine, &data, &watching));
        let run = if self.watch { watching.with(self, &data, run) } else { run() };
        let RunReport { report, faults, text, picture, size } =
            run.map_err(|error| with_names(&data, &error))??;
        if let Some(path) = &self.text {
            let output = Output::prepare(path).map_err(|error| error.to_string())?;
            output.write(text.as_bytes()).map_err(|error| error.to_string())?;
        }
        let (traced, written) = tracing.map_or((String::new(), Ok(())), Tracing::finish);
        print(&format!("{report}{traced}"))?;
        if let Some(path) = &self.screenshot {
            save(path, size, &picture)?;
        } else if !picture.is_empty() {
            let path = data.join(PICTURE);
            keep(&data, size, &picture)?;
            print(&format!("\nThe last frame's picture is in {}.\n", path.display()))?;
        }
        for fault in &faults {
            say!("loligo: {fault}");
        }
        let [warnings, errors] = log.counts();
        if warnings + errors > 0 {
            say!("loligo: in the log above: warnings {warnings}, errors {errors}");
        }
        written?;
        Ok(compiled.errors == 0 && faults.is_empty())
    }

    /// Runs the frames.
    fn frames(
        &self,
        engine: &mut Engine<'_, '_>,
        data: &Path,
        watching: &Watching,
    ) -> Result<RunReport, String> {
        if let Some(address) = engine.tool_address() {
            let token = engine.tool_token().map_or(String::new(), |token| format!("/{token}"));
            say!("loligo: tools are served at {address}{token}");
        }
        let told = |error: EngineError| with_names(data, &error);
        if let Some(path) = &self.load {
            saves::load(engine, path)?;
        }
        let mut heard = Heard::prepare(self.sound.as_deref())?;
        let start = Instant::now();
        let mut is_last = self.frames == Some(0);
        while !is_last {
            // Once more where the player or a tool wants the end: its picture may be wanted.
            is_last = engine.is_over() || self.is_enough(engine.frames(), start);
            if is_last {
                self.text.iter().for_each(|_| engine.want_text());
                engine.want_picture();
            }
            assert!(self.crash_at != Some(engine.frames()), "stopped as --crash-at says");
            let fresh =
                if watching.take_fresh() { engine.reload(&mut heard).map(drop) } else { Ok(()) };
            if let Err(error) = fresh.and_then(|()| engine.frame(&mut heard)) {
                engine.disarm();
                return Err(told(error));
            }
            saves::serve(engine, data);
        }
        if let Some(path) = &self.save {
            Library::Std.run(|| saves::save(engine, path))?;
        }
        let finished = engine.finish();
        engine.disarm();
        finished.map_err(told)?;
        heard.finish()?;
        let (text, picture) = (engine.text().to_owned(), engine.picture().to_vec());
        if let Some(path) = &self.record_input {
            let recording = engine.recording().map_err(told)?.unwrap_or_default();
            let output = Output::prepare(path).map_err(|error| error.to_string())?;
            output.write(recording).map_err(|error| error.to_string())?;
        }
        let (report, mut faults) = (report(engine), faults(engine));
        faults.extend(replay_faults(engine));
        Ok(RunReport { report, faults, text, picture, size: engine.size() })
    }

    /// Compiles what has changed, and says what is wrong.
    fn compile(&self, data: &Path) -> Result<Compiled, String> {
        let start = Instant::now();
        let mut error = |error: &str| say!("loligo: {error}");
        let order =
            Order { project: &self.project, data, jobs: None, stays: self.watch, changed: None };
        let listener = &mut Listener { error: &mut error, written: &mut || () };
        let done = self.compiling.compile(order, listener)?;
        let (Compiled { compiled, fresh, .. }, ms) = (done, start.elapsed().as_millis());
        say!("loligo: {compiled} resources compiled, {fresh} as they were, in {ms} ms");
        Ok(done)
    }

    /// Compiles again while the game runs, one source at a time: the other processors are the
    /// game's.
    fn recompile(
        &self,
        data: &Path,
        changed: Option<&BTreeSet<String>>,
        listener: &mut Listener<'_>,
    ) -> Result<Compiled, String> {
        let (project, jobs) = (&*self.project, Some(NonZeroUsize::MIN));
        self.compiling.compile(Order { project, data, jobs, stays: self.watch, changed }, listener)
    }

    /// Returns how scripts are run.
    fn scripts(&self) -> ScriptOptions {
        let most = Duration::from_secs_f64(self.script_seconds);
        let limits = ScriptLimits { load: most, frame: most, line: most, has_thread: true };
        ScriptOptions { checks: !self.unchecked, limits: (!self.no_watchdog).then_some(limits) }
    }

    /// Returns how time passes, where it is not as the game says. What is heard of frames that nobody waits for would be
    /// as short as it took to compute them.
    fn steps(&self) -> Option<Step> {
        let is_file = self.sound.is_some() && !self.window && self.replay.is_none();
        self.time_step.or(is_file.then_some(Step::EachFrame))
    }

    /// Returns `true` if the frame after `frames` frames is the last one.
    fn is_enough(&self, frames: u64, start: Instant) -> bool {
        match self.frames {
            Some(wanted) => frames + 1 >= wanted,
            None if self.window || self.replay.is_some() => false,
            // A driver without a graphics card may take a second for a frame.
            None => frames + 1 >= FRAMES || start.elapsed() > LONGEST,
        }
    }

    /// Reads the memory plan: that of the command line, or else the one that the game names.
    fn plan(&self) -> Result<MemoryPlan, String> {
        let (path, text) = match &self.memory {
            Some(path) => (path.clone(), read_text(path)),
            None => match plan_of_game(&self.project) {
                Some(name) => (self.project.join(&name), text_in_project(&self.project, &name)),
                None => return Ok(MemoryPlan::new()),
            },
        };
        let text = text.map_err(|error| format!("{}: cannot read: {error}", path.display()))?;
        let pages = PageAllocator::new("plan pages");
        let heap = HeapAllocator::new_in("plan", &pages);
        MemoryPlan::try_read(&text, &SUBSYSTEMS, &heap)
            .map_err(|error| format!("{}:{error}", path.display()))
    }
}

/// The most bytes of a recording: a day of a game at sixty frames a second has fewer.
const RECORDING_MAX: u64 = 1 << 30;

/// Reads a recording of what a player did.
fn read_recording(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |why: &dyn fmt::Display| format!("{}: cannot read: {why}", path.display());
    let length = fs::metadata(path).map_err(|error| cannot(&error))?.len();
    if length > RECORDING_MAX {
        return Err(cannot(&"it is longer than 1 GiB; name a file of --record-input"));
    }
    fs::read(path).map_err(|error| cannot(&error))
}

/// Returns what is wrong with a replay.
fn replay_faults(engine: &Engine<'_, '_>) -> impl Iterator<Item = String> {
    let difference = engine.replay_difference().map(|ReplayDifference { frame, subsystem }| {
        format!(
            "the replay is another than what was recorded: frame {frame} is the first, and `{subsystem}` the first \
             subsystem in it whose state is another"
        )
    });
    let error = engine.replay_error().map(|error| format!("the replay ended early: {error}"));
    difference.into_iter().chain(error)
}

/// Reads a time that is neither too short to run anything in nor too long to wait for.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| "give seconds, from 0.001 to 86400; or --no-watchdog".to_owned())
}

/// Returns the file of the memory plan that a game's settings name.
fn plan_of_game(project: &Path) -> Option<String> {
    let text = read_source(project, "game.config").ok()??;
    let settings = loligo_compiler::Property::read(&text).ok()?;
    Some(settings.get("memory")?.string().ok()?.to_owned())
}

/// Reads a text that a game names: as a source, it is in the project.
fn text_in_project(project: &Path, name: &str) -> Result<String, String> {
    match read_source(project, name) {
        Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|_| "it is no UTF-8".to_owned()),
        Ok(None) => Err("there is no such file; `memory` in game.config names it".to_owned()),
        Err(error) => Err(format!("it {}", error.kind())),
    }
}

/// Writes a picture to a file that the user has named.
fn save(path: &Path, size: [u32; 2], picture: &[u8]) -> Result<(), String> {
    if picture.is_empty() {
        return Err(format!(
            "{}: there is no picture, since nobody draws; --text writes a frame without",
            path.display()
        ));
    }
    let output = Output::prepare(path).map_err(|error| error.to_string())?;
    let written = output.write_by(|file| write_png(file, size, picture));
    written
        .map_err(|error| error.to_string())?
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a picture to the data folder, whatever is there: a link is replaced and not followed.
fn keep(data: &Path, size: [u32; 2], picture: &[u8]) -> Result<(), String> {
    let folder = GuardedFolder::open(data).map_err(|error| error.to_string())?;
    let written = folder.replace(PICTURE, |file| write_png(file, size, picture));
    written
        .map_err(|error| error.to_string())?
        .map_err(|error| format!("{}: {error}", data.join(PICTURE).display()))
}

fn write_png(out: &mut dyn Write, size: [u32; 2], picture: &[u8]) -> Result<(), String> {
    let mut out = BufWriter::new(out);
    loligo_gpu::write_png(&mut out, size, picture).map_err(|error| error.to_string())?;
    out.flush().map_err(|error| error.to_string())
}

/// Installs crash reports, with the last lines of the log, written to a file in the data folder.
fn report_crashes(data: &Path) {
    let reports = Reports { program: "loligo", folder: Some(data), ..Reports::default() };
    if let Err(error) = install(&reports) {
        say!("loligo: {}: crash reports go to standard error alone: {error}", data.display());
        // What has no folder has no name that could be too long.
        let _ = install(&Reports { folder: None, ..reports });
    }
}

/// Returns an error as text, with names added after the hashes that the data folder has names for.
pub(crate) fn with_names(data: &Path, error: &EngineError) -> String {
    let pages = PageAllocator::new("names pages");
    let heap = HeapAllocator::new_in("names", &pages);
    Names::read_in(data, &heap).show(error).to_string()
}

/// Returns what is wrong with a game that ran all the same.
fn faults(engine: &Engine<'_, '_>) -> Vec<String> {
    let mut faults = Vec::new();
    let failures = engine.script_failures();
    if failures.count > 0 {
        let ScriptFailures { count, named } = failures;
        faults.push(format!(
            "scripts failed {count} times; the log above has the first at each of {named} places"
        ));
    }
    if engine.is_blank() {
        let meshes = engine.drawn().meshes;
        faults.push(format!(
            "nothing could be seen: of {meshes} meshes none was drawn; look at the warnings above, at where the camera is, \
             and at which layers the frame draws"
        ));
    }
    faults
}

/// Returns what there is to say of the frames that were run.
fn report(engine: &mut Engine<'_, '_>) -> String {
    let ms = |ns: u64| ns as f64 / 1e6;
    let (frames, entities) = (engine.frames(), engine.world().entities().len());
    let [median, most, longest] = {
        let times = engine.frame_times();
        [times.percentile(50), times.percentile(99), times.longest()].map(ms)
    };
    let [own_median, own_most] = {
        let times = engine.own_times();
        [times.percentile(50), times.percentile(99)].map(ms)
    };
    let drawn = engine.drawn();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{frames} frames of {entities} entities");
    let _ = writeln!(text, "  frame: median {median:.2} ms, p99 {most:.2} ms, max {longest:.2} ms");
    let unusual = ms(engine.unusual_own_ns());
    if !engine.own_times().is_empty() {
        let _ = writeln!(
            text,
            "  CPU time without rendering: median {own_median:.2} ms, p99 {own_most:.2} ms"
        );
    }
    let _ = writeln!(
        text,
        "  CPU time of the first {ARMED_FROM} frames and of frames that are saved: max {unusual:.2} ms"
    );
    let _ = writeln!(
        text,
        "  last frame: {} draws of {} meshes, shadows included, in {} records\n",
        drawn.draws, drawn.meshes, drawn.records
    );
    let mut all = Vec::new();
    engine.memory().visit(&mut |allocator| all.push(allocator as &dyn Allocator));
    let _ = writeln!(text, "{}\n{Libraries}", Overview::new(&all));
    text
}
