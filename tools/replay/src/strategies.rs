//! Strategies: allocators of ours composed, each block led to one of them by its size.
//!
//! After Niklas Frykholm, "Allocation Adventures 3: The Buddy Allocator" (2015), which leaves each
//! kind of block to the allocator that is good at it. A strategy is a list of layers and a base: the
//! first layer that takes a block serves it, the base serves what none takes. Layers take their own
//! memory from the base.
//!
//! ```text
//!  block of n bytes --> pools 16..256 --> pages from 256 KiB --> heap
//!                       n <= 256          n >= 262144            the rest
//! ```
//!
//! `docs/strategies.md` tells how to write one as JSON.

mod config;
mod layers;

pub use config::{Base, FrameConfig, LayerConfig, PagesConfig, PoolsConfig, StrategyConfig};
pub use config::{StrategyError, parse};

use core::alloc::Layout;

use loligo_allocators::Allocator;

use crate::ours::{self, Over};
use crate::results::Kind;
use crate::rows::Row;
use crate::subject::{Subject, resized};
use layers::Layer;

/// Returns the strategies that are built in.
#[must_use]
pub fn built_in() -> Vec<StrategyConfig> {
    let pools = || LayerConfig::Pools(PoolsConfig { sizes: (1..=16).map(|n| n * 16).collect() });
    let pages = || LayerConfig::Pages(PagesConfig { from: 256 << 10 });
    let frame =
        || LayerConfig::Frame(FrameConfig { up_to: 256, segment_bytes: 64 << 10, segments: 16 });
    let strategy =
        |name: &str, layers, base| StrategyConfig { name: name.to_owned(), layers, base };
    vec![
        strategy("pools+heap", vec![pools()], Base::Heap),
        strategy("pools+buddy", vec![pools()], Base::Buddy),
        strategy("frame+heap", vec![frame()], Base::Heap),
        strategy("pages-for-big+heap", vec![pages()], Base::Heap),
    ]
}

impl StrategyConfig {
    /// Returns the row that replays this strategy.
    #[must_use]
    pub fn row(&self) -> Row {
        let layers = self.layers.clone();
        let name = self.name.clone();
        match self.base {
            Base::Heap => {
                Row::growing(name, Kind::Strategy, move || Strategy::new(ours::heap(), &layers))
            }
            Base::HeapRegion => Row::in_region(name, Kind::Strategy, move |arena| {
                // SAFETY: `in_region` promises that the arena is the heap's own while it stands.
                Strategy::new(unsafe { ours::heap_in(arena) }, &layers)
            }),
            Base::Buddy => Row::in_region(name, Kind::Strategy, move |arena| {
                // SAFETY: as above.
                Strategy::new(unsafe { ours::buddy(arena) }, &layers)
            }),
        }
    }
}

/// A strategy at work, compiled for its base.
struct Strategy<B: Allocator + 'static>(Over<Vec<Layer<B>>, B>);

impl<B: Allocator + 'static> Strategy<B> {
    fn new(base: B, layers: &[LayerConfig]) -> Self {
        Self(Over::new(base, |base| layers.iter().map(|layer| Layer::new(layer, base)).collect()))
    }

    /// Returns the index of the layer that holds a block; `None` is the base.
    #[inline]
    fn holder(&self, block: *mut u8, layout: Layout) -> Option<usize> {
        self.0.front().iter().position(|layer| layer.holds(block, layout))
    }
}

// SAFETY: each block comes from one layer or the base, all of which keep the contract of `Allocator`
// and have memory of their own; `holder` finds the one that a block came from, since a layer passes
// over a block either by its size, which is the same at the free, or by what `holds` reads from its
// address.
unsafe impl<B: Allocator + 'static> Subject for Strategy<B> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        for layer in self.0.front_mut() {
            if let Some(block) = layer.allocate(layout) {
                return block;
            }
        }
        ours::address(self.0.base().allocate(layout))
    }

    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        for layer in self.0.front_mut() {
            if let Some(block) = layer.allocate(layout) {
                if !block.is_null() {
                    // SAFETY: the block was just handed out and holds the layout's size.
                    unsafe { block.write_bytes(0, layout.size()) };
                }
                return block;
            }
        }
        ours::address(self.0.base().allocate_zeroed(layout))
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        match self.holder(block, layout) {
            // SAFETY: the layer holds the block; the rest is the caller's promise.
            Some(index) => unsafe { self.0.front_mut()[index].deallocate(block, layout) },
            // SAFETY: no layer holds the block, so it is the base's.
            None => unsafe { ours::free(self.0.base(), block, layout) },
        }
    }

    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the sizes of a replay are at most 2^47.
        let new = unsafe { resized(old, bytes) };
        // A block may stay only where its new size leads to, or its free would not find it.
        let holder = self.holder(block, old);
        let leads_to = self.0.front().iter().position(|layer| layer.takes(new));
        match holder {
            _ if holder != leads_to => {}
            Some(index) => {
                let layer = &mut self.0.front_mut()[index];
                // SAFETY: the layer holds the block, which is live with the layout `old`.
                if let Some(block) = unsafe { layer.reallocate(block, old, new) } {
                    return block;
                }
            }
            // SAFETY: the block is the base's and stays there.
            None => return unsafe { ours::reallocate(self.0.base(), block, old, bytes) },
        }
        let moved = self.allocate(new);
        if !moved.is_null() {
            // SAFETY: both blocks are live and distinct, and each holds the lesser size.
            unsafe { moved.copy_from_nonoverlapping(block, old.size().min(bytes)) };
            // SAFETY: the old block is live and is not used again.
            unsafe { self.deallocate(block, old) };
        }
        moved
    }

    fn check(&self) -> Result<(), String> {
        for layer in self.0.front() {
            layer.check()?;
        }
        self.0.base().verify().map_err(|damage| damage.to_string())
    }
}

#[cfg(test)]
mod tests;
