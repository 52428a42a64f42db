//! The engine: where subsystems meet.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assets;
mod back_end;
mod boot;
#[cfg(feature = "compile")]
pub mod compile;
mod components;
mod content;
mod cpu;
mod engine;
mod error;
mod frame_times;
mod game_window;
mod link;
mod log;
mod logic;
mod memory;
mod memory_plan;
#[cfg(feature = "script")]
mod modules;
mod naming_sink;
mod objects;
mod options;
mod packet;
mod packet_exchange;
mod renderer;
mod save_request;
mod saved;
#[cfg(feature = "script")]
mod scripts;
mod settings;
mod subsystems;
mod third_party;
mod time_step;
#[cfg(feature = "tool-server")]
mod tool_server;
mod uploads;
mod world;

pub use boot::with_engine;
pub use components::{CAMERA, Camera, LIGHT, MODEL, Model, PointLight, SUN, Sun};
pub use engine::ReplayDifference;
pub use engine::{ARMED_FROM, Engine};
#[cfg(feature = "tool-server")]
pub use error::ToolError;
pub use error::{BackEndError, EngineError, RenderError, SavedGameError};
pub use frame_times::{FRAMES_MAX, FrameTimes};
pub use logic::Logic;
pub use memory::{FrameMemory, Memory, MemoryError, with_memory};
pub use memory_plan::{MemoryPlan, PlanError, SUBSYSTEMS_MAX, SubsystemAllocator, SubsystemMemory};
#[cfg(feature = "tool-server")]
pub use options::ToolOptions;
pub use options::{
    BackEndChoice, DisabledSubsystems, EngineOptions, OptionalSubsystem, Recompile, THREADS_MAX,
    UnknownSubsystem,
};
#[cfg(feature = "script")]
pub use options::{ScriptLimits, ScriptOptions};
pub use packet::Drawn;
pub use save_request::{SaveName, SaveRequest};
#[cfg(feature = "script")]
pub use scripts::{ENTITY, EntityId, ScriptFailures, bindings};
pub use settings::{GameSettings, SETTINGS};
pub use subsystems::SUBSYSTEMS;
pub use third_party::{FrameGuard, Libraries, Library, libraries};
pub use time_step::{GameClock, TimeStep, UPDATES_MAX, Updates};
#[cfg(feature = "tool-server")]
pub use tool_server::{ToolRequest, ToolServer, ToolToken};
pub use world::{Removed, ResourceChanged, Spawned, World, event_schemas};
