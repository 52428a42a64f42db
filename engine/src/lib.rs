//! The engine: where subsystems meet.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod memory;
mod memory_plan;
mod time_step;

pub use memory::{Memory, MemoryError, with_memory};
pub use memory_plan::{MemoryPlan, PlanError, ROOMS_MAX, RoomAllocator, RoomMemory};
pub use time_step::{GameClock, TimeStep};
