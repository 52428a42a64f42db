//! Allocators that are simple enough to be believed, and allocators that are wrong on purpose.

mod failing;
mod fault;
mod faulty;
mod naive;
mod noting;

pub use failing::FailingBacking;
pub use fault::Fault;
pub use faulty::FaultyAllocator;
pub use loligo_allocators::Refusals;
pub use naive::NaiveAllocator;
pub use noting::{NotingAllocator, NotingFault};
