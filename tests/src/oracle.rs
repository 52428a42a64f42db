//! The oracle: does every operation on an allocator and knows what must be true afterwards.
//!
//! It keeps a shadow map of the live blocks by address, in which an overlap shows at once, the
//! contents of each by a seed, and the counters as they must be. Conformance suites and operation
//! programs are scripts over it.

mod free;
mod grow;
mod inspect;
mod ledger;

use core::alloc::Layout;
use core::ptr::NonNull;
use std::collections::BTreeMap;

use loligo_allocators::{Allocator, Stats};

use crate::contents::{Pattern, first_nonzero};
use crate::limits::Limits;
use crate::rule::{Rule, Violation, require};

use ledger::Ledger;

/// After how many live blocks the whole structure is checked only now and then, since a check costs
/// a step for each block.
const FEW_BLOCKS: usize = 48;

/// How often it is checked then.
const SELDOM: u64 = 61;

/// A live block of an [`Oracle`], by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(usize);

/// What the oracle knows of a live block.
#[derive(Clone, Copy, Debug)]
struct Live {
    block: NonNull<u8>,
    /// As last asked.
    layout: Layout,
    /// The bytes of the slice that was returned.
    bytes: usize,
    /// What it raised `requested` by.
    requested: usize,
    /// What it raised `granted` by.
    granted: usize,
    pattern: Pattern,
}

/// Drives one allocator and holds it to the contract at each step.
///
/// Every method returns [`Violation`] as soon as a rule is broken. The allocator may then be in any
/// state: leave it alone.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_tests::{Limits, Oracle, models::NaiveAllocator};
///
/// let naive = NaiveAllocator::new("naive", 64 << 10);
/// let mut oracle = Oracle::new(&naive, Limits::region(64 << 10))?;
/// let layout = Layout::new::<[u32; 8]>();
/// let key = oracle.allocate(layout)?.expect("an empty region has room");
/// oracle.free(key)?;
/// oracle.finish()?;
/// # Ok::<(), loligo_tests::Violation>(())
/// ```
pub struct Oracle<'a> {
    allocator: &'a dyn Allocator,
    limits: Limits,
    live: BTreeMap<usize, Live>,
    ledger: Ledger,
    steps: u64,
    seed: u64,
    /// The size of the greatest block that is served with nothing live.
    greatest: usize,
}

impl<'a> Oracle<'a> {
    /// Starts on an allocator without live blocks.
    ///
    /// # Errors
    ///
    /// [`Violation`] if it has live blocks or is damaged.
    pub fn new(allocator: &'a dyn Allocator, limits: Limits) -> Result<Self, Violation> {
        let stats = allocator.stats();
        require(
            !limits.counts || (stats.live, stats.requested, stats.granted) == (0, 0, 0),
            Rule::StatsRaised,
            || format!("the counters of an allocator without blocks are not zero: {stats:?}"),
        )?;
        let mut oracle = Self {
            allocator,
            limits,
            live: BTreeMap::new(),
            ledger: Ledger::new(stats, limits.counts),
            steps: 0,
            seed: 0x6c6f_6c69_676f,
            greatest: limits.size_max,
        };
        oracle.check_all()?;
        Ok(oracle)
    }

    /// Sets the size of the greatest block that a fresh allocator serves, which
    /// [`finish`](Self::finish) then asks for; by default `size_max` of the limits.
    #[must_use]
    pub fn expecting(self, greatest: usize) -> Self {
        Self { greatest, ..self }
    }

    /// Returns the allocator that is driven.
    #[must_use]
    pub fn allocator(&self) -> &'a dyn Allocator {
        self.allocator
    }

    /// Returns the limits it is held to.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the live blocks in address order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = Key> + '_ {
        self.live.keys().map(|&address| Key(address))
    }

    /// Returns the number of live blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Returns `true` if there is no live block.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Returns the layout that a block was last asked with.
    ///
    /// # Panics
    ///
    /// If `key` does not name a live block.
    #[must_use]
    pub fn layout(&self, key: Key) -> Layout {
        self.live[&key.0].layout
    }

    /// Returns the bytes that were granted to a block.
    ///
    /// # Panics
    ///
    /// If `key` does not name a live block.
    #[must_use]
    pub fn bytes(&self, key: Key) -> usize {
        self.live[&key.0].bytes
    }

    /// Allocates; `None` if the request was refused.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    pub fn allocate(&mut self, layout: Layout) -> Result<Option<Key>, Violation> {
        let answer = self.allocator.allocate(layout);
        self.took(layout, answer.ok(), "allocate")
    }

    /// Allocates zeroed memory; `None` if the request was refused.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    pub fn allocate_zeroed(&mut self, layout: Layout) -> Result<Option<Key>, Violation> {
        let Ok(answer) = self.allocator.allocate_zeroed(layout) else {
            return self.took(layout, None, "allocate_zeroed");
        };
        self.check_place(layout, answer, "allocate_zeroed")?;
        let block = answer.cast();
        // SAFETY: the block is live, and `allocate_zeroed` promises that its bytes have a value.
        let wrong = unsafe { first_nonzero(block, answer.len(), self.limits.touch_max) };
        require(wrong.is_none(), Rule::Zeroed, || {
            format!("allocate_zeroed({layout:?}) left byte {} unlike zero", wrong.unwrap_or(0))
        })?;
        self.took(layout, Some(answer), "allocate_zeroed")
    }

    /// Takes the answer to an allocation into the books.
    fn took(
        &mut self,
        layout: Layout,
        answer: Option<NonNull<[u8]>>,
        what: &str,
    ) -> Result<Option<Key>, Violation> {
        let Some(answer) = answer else {
            self.refused(what, layout)?;
            return Ok(None);
        };
        self.check_place(layout, answer, what)?;
        let stats = self.allocator.stats();
        let raised = self.ledger.raise(&stats, layout, answer.len(), what)?;
        let live = self.enter(layout, answer, raised);
        self.check_size(&live, what)?;
        self.settle(what)?;
        Ok(Some(Key(live.block.addr().get())))
    }

    /// Writes a block's contents and enters it into the shadow map.
    fn enter(&mut self, layout: Layout, answer: NonNull<[u8]>, raised: (usize, usize)) -> Live {
        self.seed = self.seed.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        let block = answer.cast::<u8>();
        // SAFETY: the allocator returned this block, it overlaps no other, and it is used here
        // only.
        let pattern =
            unsafe { Pattern::write(block, answer.len(), self.limits.touch_max, self.seed) };
        let live = Live {
            block,
            layout,
            bytes: answer.len(),
            requested: raised.0,
            granted: raised.1,
            pattern,
        };
        self.live.insert(block.addr().get(), live);
        live
    }

    /// Checks that a block just given out is long enough, aligned and apart from all others.
    fn check_place(
        &self,
        layout: Layout,
        answer: NonNull<[u8]>,
        what: &str,
    ) -> Result<(), Violation> {
        let start = answer.cast::<u8>().addr().get();
        let bytes = answer.len();
        require(layout.size() <= isize::MAX as usize / 2, Rule::Huge, || {
            format!("{what}({layout:?}) was served, which no address space can do")
        })?;
        require(start.is_multiple_of(layout.align()), Rule::Alignment, || {
            format!("{what}({layout:?}) returned {start:#x}, which is not aligned")
        })?;
        require(bytes >= layout.size().max(1), Rule::Length, || {
            format!("{what}({layout:?}) returned a slice of {bytes} bytes")
        })?;
        let end = start.checked_add(bytes).ok_or_else(|| {
            Violation::new(Rule::Length, format!("{what}({layout:?}) ends past the address space"))
        })?;
        let before = self.live.range(..end).next_back();
        require(
            before.is_none_or(|(&other, live)| other + live.bytes <= start),
            Rule::Overlap,
            || {
                let (other, live) = before.map_or((0, 0), |(&other, live)| (other, live.bytes));
                format!(
                    "{what}({layout:?}) returned {start:#x} and {bytes} bytes, over the live block \
                     {other:#x} of {live} bytes"
                )
            },
        )
    }

    /// Checks what `allocated_size` says of a block.
    fn check_size(&self, live: &Live, what: &str) -> Result<(), Violation> {
        // SAFETY: the block is live.
        let usable = unsafe { self.allocator.allocated_size(live.block) };
        require(usable == live.bytes, Rule::AllocatedSize, || {
            format!(
                "allocated_size is {usable} after {what}({:?}), which was granted {} bytes",
                live.layout, live.bytes
            )
        })
    }

    /// Checks that a refusal has changed nothing.
    fn refused(&mut self, what: &str, layout: Layout) -> Result<(), Violation> {
        let stats = self.allocator.stats();
        self.ledger.quiet(&stats, &format!("the refused {what}({layout:?})"))?;
        self.settle(what)
    }

    /// What is checked after every step.
    fn settle(&mut self, what: &str) -> Result<(), Violation> {
        self.steps += 1;
        let stats = self.allocator.stats();
        self.ledger.check_order(&stats, what)?;
        self.check_backing(&stats)?;
        if self.live.len() <= FEW_BLOCKS || self.steps.is_multiple_of(SELDOM) {
            self.check_structure()?;
        }
        Ok(())
    }

    /// Frees everything, checks that nothing is left, and that the allocator is whole again: its
    /// greatest block can be had.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    pub fn finish(mut self) -> Result<(), Violation> {
        self.free_all()?;
        let stats: Stats = self.allocator.stats();
        require(
            !self.limits.counts || (stats.live, stats.requested, stats.granted) == (0, 0, 0),
            Rule::StatsLowered,
            || format!("with everything freed the counters are not zero: {stats:?}"),
        )?;
        if self.limits.reclaims {
            self.check_coalesced()?;
        }
        self.check_all()
    }

    fn check_coalesced(&mut self) -> Result<(), Violation> {
        let greatest = self.greatest;
        require(self.is_served(greatest)?, Rule::Coalesced, || {
            format!(
                "with everything freed, a block of {greatest} bytes is refused, which was served"
            )
        })
    }

    /// Finds the size of the greatest block that is served now, if the allocator's memory ends;
    /// else that is the greatest size of the limits.
    ///
    /// # Complexity
    ///
    /// O(log memory) allocations.
    ///
    /// # Errors
    ///
    /// [`Violation`] if a rule was broken on the way.
    pub fn greatest_block(&mut self) -> Result<usize, Violation> {
        let mut served = self.limits.size_max;
        let Some(mut refused) = self.limits.memory.map(|memory| memory + 1) else {
            return Ok(served);
        };
        while served + 1 < refused {
            let middle = served + (refused - served) / 2;
            if self.is_served(middle)? {
                served = middle;
            } else {
                refused = middle;
            }
        }
        Ok(served)
    }

    /// Whether a block of that size is served; it is freed at once, and touched at its ends only.
    fn is_served(&mut self, size: usize) -> Result<bool, Violation> {
        let Ok(layout) = Layout::from_size_align(size, 1) else {
            return Ok(false);
        };
        let touch_max = core::mem::replace(&mut self.limits.touch_max, 0);
        let key = self.allocate(layout)?;
        if let Some(key) = key {
            self.free(key)?;
        }
        self.limits.touch_max = touch_max;
        Ok(key.is_some())
    }
}
