//! The engine: where subsystems meet.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod memory;
mod memory_plan;
mod time_step;
#[cfg(feature = "tool-server")]
mod tool_server;

pub use memory::{Memory, MemoryError, with_memory};
pub use memory_plan::{MemoryPlan, PlanError, ROOMS_MAX, RoomAllocator, RoomMemory};
pub use time_step::{GameClock, TimeStep};
#[cfg(feature = "tool-server")]
pub use tool_server::{ToolError, ToolOptions, ToolRequest, ToolServer};
