//! The engine: where subsystems meet.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assets;
mod boot;
#[cfg(feature = "compile")]
pub mod compile;
mod cpu;
mod drawing;
mod error;
mod frame;
mod loading;
mod log;
mod memory;
mod monitoring;
mod options;
mod rows;
mod saved;
#[cfg(feature = "script")]
mod scripts;
mod subsystems;
mod time_step;
#[cfg(feature = "tool-server")]
mod tools;
mod world;

pub use boot::with_engine;
pub use drawing::Drawn;
#[cfg(feature = "tool-server")]
pub use error::ToolError;
pub use error::{BackEndError, EngineError, RenderError, SavedGameError};
pub use frame::{ARMED_FROM, Engine, FRAMES_MAX, FrameTimes, ReplayDifference};
pub use loading::TextureMemory;
pub use loligo_render::{InstanceParameters, MorphWeight, MorphWeights};
pub use memory::{FrameGuard, Libraries, Library, libraries};
pub use memory::{FrameMemory, Memory, MemoryError, with_memory};
pub use memory::{MemoryPlan, PlanError, SUBSYSTEMS_MAX, SubsystemAllocator, SubsystemMemory};
pub use monitoring::{TraceFile, TraceReport};
#[cfg(feature = "tool-server")]
pub use options::ToolOptions;
pub use options::{
    BackEndChoice, DisabledSubsystems, EngineOptions, OptionalSubsystem, Recompile, THREADS_MAX,
    UnknownSubsystem,
};
pub use options::{GameSettings, SETTINGS};
#[cfg(feature = "script")]
pub use options::{ScriptLimits, ScriptOptions};
pub use saved::{SaveName, SaveRequest};
#[cfg(feature = "script")]
pub use scripts::{ENTITY, EntityId, ScriptFailures, bindings};
pub use subsystems::{SUBSYSTEMS, each_built_in};
pub use time_step::{GameClock, TimeStep, UPDATES_MAX, Updates};
#[cfg(feature = "tool-server")]
pub use tools::{ToolRequest, ToolServer, ToolToken, ToolTopic};
pub use world::{CAMERA, Camera, LIGHT, MODEL, Model, PARAMETERS, PointLight, SUN, Sun, WEIGHTS};
pub use world::{
    LevelSpawned, ListenError, Logic, Removed, ResourceChanged, Spawned, World, event_schemas,
};
