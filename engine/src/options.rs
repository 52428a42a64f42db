//! What a program asks of an engine, and what the game says of itself.

use core::fmt;
use std::path::Path;
use std::thread;

use loligo_allocators::SharedRef;
use loligo_diagnostics::{LogSink, StderrSink};
use loligo_interface::{SubsystemRow, Wire};
use loligo_resources::PreferenceOrder;

use crate::memory::{FrameGuard, MemoryPlan};
use crate::monitoring::TraceFile;
use crate::time_step::TimeStep;

mod disabled;
#[cfg(feature = "script")]
mod scripts;
mod settings;
#[cfg(feature = "tool-server")]
mod tools;

pub use disabled::{DisabledSubsystems, OptionalSubsystem, UnknownSubsystem};
#[cfg(feature = "script")]
pub use scripts::{ScriptLimits, ScriptOptions};
#[cfg(feature = "compile")]
pub(crate) use settings::STANDARD_FRAME;
pub use settings::{GameSettings, SETTINGS};
#[cfg(feature = "tool-server")]
pub use tools::ToolOptions;

/// The most threads.
pub const THREADS_MAX: u32 = 64;

/// The most entities of levels in addition that a frame makes, by default.
const SPAWNS_PER_FRAME: u32 = 512;

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
    /// Which allocator serves which subsystem of [`SUBSYSTEMS`](crate::SUBSYSTEMS), and after them
    /// of `subsystems`.
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
    /// The properties of resources that are preferred, in place of what the game says: its language,
    /// and what else has variants. See [`Engine::prefer`](crate::Engine::prefer).
    pub prefer: Option<PreferenceOrder>,
    /// The most bytes that textures may have on the graphics card, in place of what the game says:
    /// see [`GameSettings::texture_budget`].
    pub texture_budget: Option<u64>,
    /// Shows the game in a window: [`with_engine`](crate::with_engine) is called on the main thread
    /// then. `size` is that which the window begins with; the picture follows it.
    #[cfg(feature = "window")]
    pub has_window: bool,
    /// Whether subsystems may use devices of the machine besides the window: what sounds is heard then, where the
    /// feature `device` is on.
    pub has_devices: bool,
    /// Records what the player does, and hashes of the world: see
    /// [`Engine::recording`](crate::Engine::recording).
    pub is_recorded: bool,
    /// A recording that is played back in place of a player and a clock; the game ends with it.
    pub replay: Option<&'o [u8]>,
    /// Whether frames go on while packages and levels are loaded, which then come when they are read.
    /// Without, a frame waits for what was asked for in the one before, so that each run has the
    /// same frames. The default is that they go on where there is a window.
    pub background_loading: Option<bool>,
    /// The most entities of [levels in addition](crate::World::spawn_level) that a frame makes, for all
    /// such levels together; the others come in the next frames. It is a number and no time, so that
    /// a replay with the same number has the same frames. 0 is as 1; the default is 512.
    pub spawns_per_frame: u32,
    /// The program's global allocator, which is armed from the tenth frame on.
    pub guard: Option<&'static dyn FrameGuard>,
    /// The file that a trace of the run goes to, written by a separate thread while the game runs.
    /// Without the subsystem `monitor`, or the feature `recording`, it stays empty.
    pub trace: Option<&'o TraceFile>,
    /// Where lines of the log go, with names after the hashes that the data folder has names for;
    /// the default is standard error.
    pub log: &'o dyn LogSink,
    /// Compiles the project again when a tool asks for a reload. Without, what another program has
    /// compiled is loaded.
    pub recompile: Option<&'o Recompile<'o>>,
    /// How scripts are run.
    #[cfg(feature = "script")]
    pub scripts: ScriptOptions,
    /// The port for tools.
    #[cfg(feature = "tool-server")]
    pub tools: ToolOptions,
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
            prefer: None,
            texture_budget: None,
            #[cfg(feature = "window")]
            has_window: false,
            has_devices: false,
            is_recorded: false,
            replay: None,
            background_loading: None,
            spawns_per_frame: SPAWNS_PER_FRAME,
            guard: None,
            trace: None,
            log: &StderrSink,
            recompile: None,
            #[cfg(feature = "script")]
            scripts: ScriptOptions::default(),
            #[cfg(feature = "tool-server")]
            tools: ToolOptions::default(),
        }
    }

    pub(crate) fn loads_in_background(&self) -> bool {
        #[cfg(feature = "window")]
        let has_player = self.has_window;
        #[cfg(not(feature = "window"))]
        let has_player = false;
        self.background_loading.unwrap_or(has_player)
    }

    pub(crate) fn thread_count(&self) -> u32 {
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

/// Which back end is to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackEndChoice {
    /// The graphics card, or a driver that computes in its place; text where there is neither.
    #[default]
    Auto,
    /// The graphics card, or a driver that computes in its place: without, the engine does not
    /// boot.
    Gpu,
    /// Text.
    Text,
}
