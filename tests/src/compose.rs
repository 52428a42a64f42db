//! Allocators stacked on one another, by name.
//!
//! A [`Stack`] is a base and the wrappers on it, from the lowest up. It is built from the layout of
//! the blocks that its top is to serve: each wrapper says what it asks of the layer below, so that
//! even a pool at the bottom has blocks of the right size. The conformance matrix and the table of
//! misuse are made of these.

mod base;
mod stack;
mod wrapper;

use loligo_allocators::{Allocator, SharedRef};

pub use base::Base;
pub use stack::Stack;
pub use wrapper::Wrapper;

/// An allocator that was made, for one thread or for several.
#[derive(Clone, Copy)]
#[expect(
    missing_debug_implementations,
    reason = "allocators behind a trait object show no insides"
)]
pub enum Made<'a> {
    /// For the thread that made it.
    Local(&'a dyn Allocator),
    /// For every thread.
    Shared(SharedRef<'a>),
}

impl<'a> Made<'a> {
    /// Returns it for this thread.
    #[must_use]
    pub fn local(self) -> &'a dyn Allocator {
        match self {
            Self::Local(allocator) => allocator,
            Self::Shared(allocator) => allocator,
        }
    }
}

/// What an allocator that was made is handed to.
pub type Use<'u> = &'u mut dyn FnMut(Made<'_>);
