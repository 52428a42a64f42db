//! The allocators that are on others.

use core::alloc::Layout;

use loligo_allocators::{
    Allocator, CanaryAllocator, FailingAllocator, FillAllocator, FillPattern, Locked,
    PageAllocator, ProxyAllocator, QuarantineAllocator, Refusals, SharedProxy, SharedRef,
    TraceAllocator, VerifyAllocator,
};

use crate::limits::Limits;

use super::{Made, Use};

/// Blocks that wait in a quarantine.
const WAITING: usize = 4;
/// Bytes that wait in a quarantine, few compared with what a base has.
const WAITING_BYTES: usize = 4 << 10;
/// Calls between two checks.
const INTERVAL: u64 = 64;

/// An allocator that takes each block from the one below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrapper {
    /// Known words before and after each block.
    Canary,
    /// Refuses on purpose, here never.
    Failing,
    /// Patterns in fresh and in freed blocks.
    Fill,
    /// Lets several threads in, one at a time.
    Locked,
    /// Counts under a name.
    Proxy,
    /// Keeps freed blocks back.
    Quarantine,
    /// Counts under a name for several threads.
    SharedProxy,
    /// Remembers who asked for each block.
    Trace,
    /// Checks what is below at a fixed interval of calls.
    Verify,
}

impl Wrapper {
    /// Every wrapper.
    pub const ALL: &[Self] = &[
        Self::Canary,
        Self::Failing,
        Self::Fill,
        Self::Locked,
        Self::Proxy,
        Self::Quarantine,
        Self::SharedProxy,
        Self::Trace,
        Self::Verify,
    ];

    /// Returns the name that its reports carry. A lock has no name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canary => "canary",
            Self::Failing => "failing",
            Self::Fill => "fill",
            Self::Locked => "locked",
            Self::Proxy => "proxy",
            Self::Quarantine => "quarantine",
            Self::SharedProxy => "shared-proxy",
            Self::Trace => "trace",
            Self::Verify => "verify",
        }
    }

    /// Returns what it asks of the layer below for a block of `layout`.
    #[must_use]
    pub const fn layout_for(self, layout: Layout) -> Layout {
        match self {
            Self::Canary => CanaryAllocator::layout_for(layout),
            Self::Failing => FailingAllocator::layout_for(layout),
            Self::Fill => FillAllocator::layout_for(layout),
            Self::Locked => layout,
            Self::Proxy => ProxyAllocator::layout_for(layout),
            Self::Quarantine => QuarantineAllocator::layout_for(layout),
            Self::SharedProxy => SharedProxy::layout_for(layout),
            Self::Trace => TraceAllocator::layout_for(layout),
            Self::Verify => VerifyAllocator::layout_for(layout),
        }
    }

    /// Whether it needs an allocator below that several threads may use.
    #[must_use]
    pub const fn needs_shared(self) -> bool {
        matches!(self, Self::Locked | Self::SharedProxy)
    }

    /// Whether several threads may use it.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        self.needs_shared()
    }

    /// Whether it lists its blocks by itself.
    const fn lists(self) -> bool {
        matches!(self, Self::Canary | Self::Trace)
    }

    /// Returns what it can serve over something with the limits `below`.
    #[must_use]
    pub const fn limits(self, below: Limits) -> Limits {
        match self {
            // A lock gives no access to its backing, so the places of its regions are not known.
            Self::Locked => Limits { ordered: false, reports_leaks: false, ..below },
            _ => Limits { lists: self.lists(), ordered: false, reports_leaks: true, ..below },
        }
    }

    /// Makes it over `below` and hands it to `with`.
    ///
    /// # Panics
    ///
    /// If it needs a shared allocator below and is given a local one, or the memory for its books
    /// is refused.
    pub fn make(self, below: Made<'_>, with: Use<'_>) {
        if let (true, Made::Shared(below)) = (self.needs_shared(), below) {
            return self.make_shared(below, with);
        }
        assert!(!self.needs_shared(), "{self:?} over an allocator for a single thread");
        self.make_local(below.local(), with);
    }

    fn make_shared(self, below: SharedRef<'_>, with: Use<'_>) {
        match self {
            Self::SharedProxy => with(Made::Shared(&SharedProxy::new_in(self.name(), below))),
            _ => with(Made::Shared(&Locked::new(below))),
        }
    }

    fn make_local(self, below: &dyn Allocator, with: Use<'_>) {
        let name = self.name();
        let books = PageAllocator::new("books");
        match self {
            Self::Canary => with(Made::Local(&CanaryAllocator::new_in(name, below))),
            Self::Failing => {
                with(Made::Local(&FailingAllocator::new_in(name, Refusals::None, below)));
            }
            Self::Fill => {
                let fill = FillAllocator::new_in(name, below).with_fresh(FillPattern::Ones);
                with(Made::Local(&fill));
            }
            Self::Quarantine => {
                let made = QuarantineAllocator::new_in(name, WAITING, WAITING_BYTES, below, &books);
                with(Made::Local(&made.expect("the books have room")));
            }
            Self::Trace => with(Made::Local(&TraceAllocator::new_in(name, below, &books))),
            Self::Verify => with(Made::Local(&VerifyAllocator::new_in(name, INTERVAL, below))),
            _ => with(Made::Local(&ProxyAllocator::new_in(name, below))),
        }
    }
}
