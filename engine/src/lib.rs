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
mod logic;
mod memory;
mod memory_plan;
mod naming_sink;
mod objects;
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

pub use back_end::{BackEndChoice, BackEndError};
pub use boot::{EngineOptions, Recompile, THREADS_MAX, with_engine};
pub use components::{CAMERA, Camera, LIGHT, MODEL, Model, PointLight, SUN, Sun};
pub use engine::ReplayDifference;
pub use engine::{ARMED_FROM, Engine};
pub use error::EngineError;
pub use frame_times::{FRAMES_MAX, FrameTimes};
pub use logic::Logic;
pub use memory::{FrameMemory, Memory, MemoryError, with_memory};
pub use memory_plan::{MemoryPlan, PlanError, SUBSYSTEMS_MAX, SubsystemAllocator, SubsystemMemory};
pub use packet::Drawn;
pub use renderer::RenderError;
pub use save_request::{SaveName, SaveRequest};
pub use saved::SavedGameError;
#[cfg(feature = "script")]
pub use scripts::{ENTITY, EntityId, ScriptFailures, ScriptLimits, ScriptOptions, bindings};
pub use settings::{GameSettings, SETTINGS};
pub use subsystems::{DisabledSubsystems, OptionalSubsystem, SUBSYSTEMS, UnknownSubsystem};
pub use third_party::{FrameGuard, Libraries, Library, libraries};
pub use time_step::{GameClock, TimeStep, UPDATES_MAX, Updates};
#[cfg(feature = "tool-server")]
pub use tool_server::{ToolError, ToolOptions, ToolRequest, ToolServer, ToolToken};
pub use world::{Removed, ResourceChanged, Spawned, World, event_schemas};
