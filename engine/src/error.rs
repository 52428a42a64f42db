//! What keeps the engine from running.

use core::error::Error;
use core::fmt;

use loligo_allocators::AllocError;
use loligo_containers::GrowError;
use loligo_entities::{LinkError, ResourceError, SpawnError};
use loligo_interface::SubsystemError;
use loligo_render::{DataError, RecordError};
use loligo_resources::{LoadError, OpenError, ResourceKey};
use loligo_tasks::{StartError, WaitError};

use crate::memory::MemoryError;

mod render;
mod saved;
#[cfg(feature = "tool-server")]
mod tools;

pub(crate) use render::wrong_frame;
pub use render::{BackEndError, RenderError};
pub use saved::SavedGameError;
#[cfg(feature = "tool-server")]
pub use tools::ToolError;

/// The engine cannot boot, or cannot run on. It holds no memory of the global heap, which a frame
/// must not reach.
#[derive(Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// There is no memory for the first allocators.
    Boot(AllocError),
    /// The allocators of the plan cannot be made.
    Memory(MemoryError),
    /// A subsystem has no memory.
    Grow(GrowError),
    /// The tasks' threads cannot be had.
    Tasks(StartError),
    /// A task of a frame has panicked, and has said why.
    Task(WaitError),
    /// The data folder cannot be opened.
    Data(OpenError),
    /// A resource that the game needs cannot be loaded.
    Load(LoadError),
    /// A setting of the game is wrong.
    Settings {
        /// Which.
        key: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The payload of a resource is not what its type says.
    Content {
        /// The resource.
        key: ResourceKey,
        /// What is wrong.
        error: DataError,
    },
    /// It has changed, and a game that runs cannot take it in.
    AtStart {
        /// The resource.
        key: ResourceKey,
        /// Which setting of the game, if it is one.
        setting: Option<&'static str>,
    },
    /// All meshes together have more vertices or indices than there is room for.
    MeshRoom,
    /// An entity has weights for 64 targets already.
    TooManyWeights,
    /// No picture can be drawn, which was asked for; the log says why.
    NoPicture,
    /// The window cannot be opened.
    #[cfg(feature = "window")]
    Window(loligo_platform::WindowError),
    /// A window was requested, but the back end draws no pictures.
    NothingToShow {
        /// Why not.
        why: &'static str,
    },
    /// A resource does not go with the others.
    Wrong {
        /// The resource.
        key: ResourceKey,
        /// What is wrong, and what to do.
        what: &'static str,
    },
    /// The level is not a resource of entities.
    Level(ResourceError),
    /// The level's entities cannot be spawned.
    Spawn(SpawnError),
    /// A render object cannot be made or changed.
    Record(RecordError),
    /// The render thread, or the back end, has failed.
    Render(RenderError),
    /// The thread that renders cannot be had.
    RenderThread,
    /// The thread that reads resources cannot be had.
    ReaderThread,
    /// The thread that writes the trace cannot be had.
    TraceThread,
    /// An entity cannot be given a place below another.
    Link(LinkError),
    /// The port for tools cannot be opened.
    #[cfg(feature = "tool-server")]
    Tools(ToolError),
    /// The machine for scripts cannot be made; the log says why.
    Script,
    /// The system gives no thread to watch scripts from.
    ScriptThread,
    /// The table of subsystems is wrong.
    Rows {
        /// Which row.
        name: &'static str,
        /// What is wrong, and what to do.
        what: &'static str,
    },
    /// A game cannot be saved, or a saved one not be loaded.
    Saved(SavedGameError),
    /// A recording of what a player did cannot be played back.
    Recording(loligo_input::RecordingError),
    /// A subsystem cannot be made.
    Subsystem {
        /// Which.
        name: &'static str,
        /// Why not.
        error: SubsystemError,
    },
    /// What records cannot be set up.
    Monitor(loligo_monitor::MonitorError),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boot(error) => write!(f, "no memory for the first allocators: {error}"),
            Self::Memory(error) => error.fmt(f),
            Self::Grow(error) => error.fmt(f),
            Self::Tasks(error) => error.fmt(f),
            Self::Task(error) => error.fmt(f),
            Self::Data(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
            Self::Settings { key, remedy } => {
                write!(f, "game.config: `{key}` is missing or wrong; {remedy}")
            }
            Self::Content { key, error } => write!(f, "resource {key}: {error}"),
            Self::AtStart { setting: Some(setting), .. } => write!(
                f,
                "game.config: `{setting}` is read when the game starts; end the game and run it again"
            ),
            Self::AtStart { key, setting: None } => write!(
                f,
                "resource {key} is read when the game starts; end the game and run it again"
            ),
            Self::MeshRoom => f.write_str(
                "all meshes together have more than 524288 vertices or 2097152 indices; use fewer, or \
                 simpler ones",
            ),
            Self::TooManyWeights => f.write_str(
                "an entity has weights for 64 targets already; set fewer, or split its mesh",
            ),
            Self::NoPicture => f.write_str("no picture can be drawn here; the log says why"),
            #[cfg(feature = "window")]
            Self::Window(error) => write!(f, "{error}; or run without --window"),
            Self::NothingToShow { why } => write!(
                f,
                "a window was asked for, and nobody draws pictures for it: {why}; or run without --window"
            ),
            Self::Wrong { key, what } => write!(f, "resource {key}: {what}"),
            Self::Level(error) => write!(f, "the level is no level: {error}"),
            Self::Spawn(error) => write!(f, "the level cannot be spawned: {error}"),
            Self::Record(error) => error.fmt(f),
            Self::Render(error) => write!(f, "the frame cannot be drawn: {error}"),
            Self::RenderThread => f.write_str(
                "the system gives no thread to render on; end other programs, or run with --threads 1",
            ),
            Self::ReaderThread => f.write_str(
                "the system gives no thread to read resources on; end other programs, or run with --threads 1",
            ),
            Self::TraceThread => f.write_str(
                "the system gives no thread to write the trace on; end other programs, or run without a trace",
            ),
            Self::Link(error) => error.fmt(f),
            #[cfg(feature = "tool-server")]
            Self::Tools(error) => error.fmt(f),
            Self::Script => f.write_str("scripts cannot be run; the log says why"),
            Self::ScriptThread => f.write_str(
                "the system gives no thread to stop endless scripts from; end other programs, or run without limits \
                 for scripts",
            ),
            Self::Rows { name, what } => write!(f, "subsystem `{name}`: {what}"),
            Self::Saved(error) => error.fmt(f),
            Self::Recording(error) => error.fmt(f),
            Self::Subsystem { name, error } => write!(f, "subsystem `{name}`: {error}"),
            Self::Monitor(error) => error.fmt(f),
        }
    }
}

impl Error for EngineError {}

macro_rules! from {
    ($($error:ty: $variant:ident,)+) => {$(
        impl From<$error> for EngineError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )+};
}

from! {
    AllocError: Boot,
    MemoryError: Memory,
    GrowError: Grow,
    StartError: Tasks,
    WaitError: Task,
    OpenError: Data,
    LoadError: Load,
    ResourceError: Level,
    SpawnError: Spawn,
    LinkError: Link,
    RecordError: Record,
    RenderError: Render,
    SavedGameError: Saved,
    loligo_monitor::MonitorError: Monitor,
}

#[cfg(feature = "window")]
impl From<loligo_platform::WindowError> for EngineError {
    fn from(error: loligo_platform::WindowError) -> Self {
        Self::Window(error)
    }
}

#[cfg(feature = "tool-server")]
impl From<ToolError> for EngineError {
    fn from(error: ToolError) -> Self {
        Self::Tools(error)
    }
}
