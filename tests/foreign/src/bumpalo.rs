//! `bumpalo` by the frame allocator, and its box by the owner.

pub mod boxed;
mod bump;
mod slices;
mod values;

pub use bump::Bump;
pub use loligo_allocators::AllocError as AllocErr;
pub use values::AllocOrInitError;
