//! Values in allocators without unsafe code: references from arenas, owners of single values.

pub(crate) mod arena;
pub(crate) mod own;
mod slice_builder;
mod text_builder;
