//! The allocators that stand on others.

use core::alloc::Layout;

use loligo_allocators::{Locked, ProxyAllocator};

use crate::limits::Limits;

use super::{Made, Use};

/// An allocator that takes each block from the one below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrapper {
    /// Counts under a name.
    Proxy,
    /// Lets several threads in, one at a time.
    Locked,
}

impl Wrapper {
    /// Every wrapper.
    pub const ALL: &[Self] = &[Self::Proxy, Self::Locked];

    /// Returns the name that its reports carry. A lock has none of its own.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proxy => "proxy",
            Self::Locked => "locked",
        }
    }

    /// Returns what it asks of the layer below for a block of `layout`.
    #[must_use]
    pub const fn layout_for(self, layout: Layout) -> Layout {
        match self {
            Self::Proxy => ProxyAllocator::layout_for(layout),
            Self::Locked => layout,
        }
    }

    /// Whether it needs an allocator below that several threads may use.
    #[must_use]
    pub const fn needs_shared(self) -> bool {
        matches!(self, Self::Locked)
    }

    /// Whether several threads may use it.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Locked)
    }

    /// Returns what it can serve over something with the limits `below`.
    #[must_use]
    pub const fn limits(self, below: Limits) -> Limits {
        match self {
            Self::Proxy => Limits { lists: false, reports_leaks: true, ..below },
            Self::Locked => Limits { reports_leaks: false, ..below },
        }
    }

    /// Makes it over `below` and hands it to `with`.
    ///
    /// # Panics
    ///
    /// If it needs a shared allocator below and is given a local one, or the memory for its books is
    /// refused.
    pub fn make(self, below: Made<'_>, with: Use<'_>) {
        let name = self.name();
        match (self, below) {
            (Self::Proxy, below) => with(Made::Local(&ProxyAllocator::new(name, below.local()))),
            (Self::Locked, Made::Shared(below)) => with(Made::Shared(&Locked::new(below))),
            (wrapper, Made::Local(_)) => panic!("{wrapper:?} over one for a single thread"),
        }
    }
}
