//! Allocators that are simple enough to be trusted, and allocators and containers that are wrong on
//! purpose.

mod failing;
mod fault;
mod faulty;
mod faulty_map;
mod faulty_queue;
mod faulty_stream;
mod faulty_table;
mod naive;
mod noting;

pub use failing::FailingBacking;
pub use fault::Fault;
pub use faulty::FaultyAllocator;
pub use faulty_map::{FaultyMap, MapFault};
pub use faulty_queue::{FaultyQueue, QueueFault};
pub use faulty_stream::{FaultyStream, StreamFault};
pub use faulty_table::{FaultyTable, TableFault, TableKey};
pub use loligo_allocators::Refusals;
pub use naive::NaiveAllocator;
pub use noting::{NotingAllocator, NotingFault};
