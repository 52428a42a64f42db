//! Small worlds of an allocator: from its first state to every one that operations lead to, and
//! every operation in each, against a model that knows only which blocks are live.
//!
//! Two states are the same if the same blocks are live, the allocator says the same of what it
//! keeps about the others, and the same ones would be given out next, in the same order. What would
//! be given out is found by asking for it, on a copy that is made by doing the operations again.
//! Where an allocator keeps too much to be told apart so, every sequence of operations of a length
//! is done instead.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::{BTreeSet, VecDeque};
use std::vec::Vec;

use crate::contract::allocator::Allocator;
use crate::heaps::heap::HeapAllocator;
use crate::testing::test_backing::misuse_of;
use crate::wrappers::failing::{FailingAllocator, Refusals};

/// What memory the allocators of a world get.
pub(crate) type Below<'a> = FailingAllocator<'a, HeapAllocator<'a>>;

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Asks for a block of one of the layouts.
    Take(usize),
    /// Asks while the backing refuses everything.
    TakeRefused(usize),
    /// Frees one of the live blocks, in the order of their addresses.
    Free(usize),
    /// Frees one by its layout.
    FreeSized(usize),
    /// Gives back what is not needed.
    Shrink,
}

/// An allocator as a world sees it.
pub(crate) trait Inhabitant {
    /// The allocator.
    fn allocator(&self) -> &dyn Allocator;

    /// Gives back what is not needed.
    fn shrink(&self);

    /// Returns `true` if it takes more memory when it is full.
    fn grows(&self) -> bool;

    /// Returns all that it keeps about its blocks, but for addresses.
    fn kept(&self) -> Vec<usize>;

    /// Returns how many blocks can be had without asking the backing, if that can be told.
    fn free_blocks(&self) -> Option<usize>;
}

/// Makes an allocator over the memory and hands it to what it is given, once.
pub(crate) type Make<'m> = dyn Fn(&Below<'_>, &mut dyn FnMut(&dyn Inhabitant)) + 'm;

/// What a world is made of.
pub(crate) struct World<'w> {
    /// What is asked for.
    pub(crate) layouts: &'w [Layout],
    /// The most blocks that are live at a time.
    pub(crate) live_max: usize,
    /// How many blocks are asked for to tell two states apart.
    pub(crate) probes: usize,
    /// Where to begin.
    pub(crate) start: &'w [Op],
    /// How many operations to go from there, all sequences of which are done; none where every
    /// state is gone to.
    pub(crate) depth: Option<usize>,
    /// Makes an allocator over the memory and hands it to what it is given, once.
    pub(crate) make: &'w Make<'w>,
}

/// How many states there are, and how many operations were done in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Explored {
    pub(crate) states: usize,
    pub(crate) operations: u64,
}

/// The offsets of the live blocks with their layouts, what is kept about the others, and the
/// offsets of the blocks that come next.
type State = (Vec<(usize, usize)>, Vec<usize>, Vec<Vec<Option<usize>>>);

/// Bytes of the memory.
const BYTES: usize = 1 << 20;

impl World<'_> {
    /// Goes to every state.
    pub(crate) fn explore(&self) -> Explored {
        let mut memory = std::vec![MaybeUninit::uninit(); BYTES];
        let mut known = BTreeSet::new();
        let first = self.state(&mut memory, self.start);
        // The nearest first, so that the way to each state is short.
        let mut next = VecDeque::from([(self.start.to_vec(), first.0.clone())]);
        known.insert(first);
        let (mut states, mut operations) = (1, 0);
        while let Some((path, live)) = next.pop_front() {
            if self.depth.is_some_and(|depth| path.len() == self.start.len() + depth) {
                continue;
            }
            for op in self.operations(live.len()) {
                let path: Vec<Op> = path.iter().copied().chain([op]).collect();
                let state = self.state(&mut memory, &path);
                operations += 1;
                let live = state.0.clone();
                if self.depth.is_some() || known.insert(state) {
                    states += 1;
                    next.push_back((path, live));
                }
            }
        }
        Explored { states, operations }
    }

    fn operations(&self, live: usize) -> Vec<Op> {
        let mut all = std::vec![Op::Shrink];
        for layout in 0..self.layouts.len() {
            all.push(Op::TakeRefused(layout));
            if live < self.live_max {
                all.push(Op::Take(layout));
            }
        }
        all.extend((0..live).flat_map(|at| [Op::Free(at), Op::FreeSized(at)]));
        all
    }

    /// Does the operations on a fresh allocator, the last one with all checks, and returns the
    /// state after it.
    fn state(&self, memory: &mut [MaybeUninit<u8>], path: &[Op]) -> State {
        let start = memory.as_ptr().addr();
        let mut live = Vec::new();
        let (mut coming, mut kept) = (Vec::new(), Vec::new());
        for probe in 0..self.layouts.len() {
            let heap = HeapAllocator::from_region("below", memory);
            let below = FailingAllocator::new("refusing", Refusals::None, &heap);
            (self.make)(&below, &mut |one| {
                let mut run = Run { world: self, one, below: &below, start, live: Vec::new() };
                let (last, before) = path.split_last().map_or((None, path), |(l, b)| (Some(l), b));
                before.iter().for_each(|op| run.step(*op));
                if let Some(op) = last {
                    run.checked_step(*op, path, probe == 0);
                }
                live = run.live.iter().map(|held| (held.offset, held.layout)).collect();
                kept = one.kept();
                coming.push(run.probe(probe));
                run.finish();
            });
            assert_eq!(below.stats().live, 0, "blocks of the backing are kept after {path:?}");
        }
        (live, kept, coming)
    }
}

/// A live block of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    offset: usize,
    layout: usize,
    bytes: usize,
    block: NonNull<u8>,
}

struct Run<'r, 'w> {
    world: &'r World<'w>,
    one: &'r dyn Inhabitant,
    below: &'r Below<'r>,
    start: usize,
    /// By address.
    live: Vec<Held>,
}

impl Run<'_, '_> {
    fn step(&mut self, op: Op) {
        match op {
            Op::Take(layout) => self.take(layout),
            Op::TakeRefused(layout) => {
                self.below.refuse(Refusals::From(0));
                self.take(layout);
                self.below.refuse(Refusals::None);
            }
            Op::Free(at) => {
                let held = self.live.remove(at);
                // SAFETY: the block is live and forgotten here.
                unsafe { self.one.allocator().deallocate(held.block) };
            }
            Op::FreeSized(at) => {
                let held = self.live.remove(at);
                let layout = self.world.layouts[held.layout];
                // SAFETY: the block is live, of this layout, and forgotten here.
                unsafe { self.one.allocator().deallocate_sized(held.block, layout) };
            }
            Op::Shrink => self.one.shrink(),
        }
    }

    fn take(&mut self, layout: usize) {
        let Ok(answer) = self.one.allocator().allocate(self.world.layouts[layout]) else { return };
        let block = answer.cast::<u8>();
        let (offset, bytes) = (block.addr().get().wrapping_sub(self.start), answer.len());
        assert!(bytes >= self.world.layouts[layout].size(), "{bytes} bytes are too few");
        assert!(offset < BYTES && offset + bytes <= BYTES, "a block at {offset} is not in memory");
        assert!(block.addr().get().is_multiple_of(self.world.layouts[layout].align()), "alignment");
        let over = |held: &&Held| held.offset < offset + bytes && offset < held.offset + held.bytes;
        let other = self.live.iter().find(over);
        assert_eq!(other, None, "a block at {offset} of {bytes} bytes lies over a live one");
        // SAFETY: the block was given out and is not used elsewhere.
        unsafe { block.write_bytes(pattern(offset), bytes) };
        let held = Held { offset, layout, bytes, block };
        let at = self.live.partition_point(|other| *other < held);
        self.live.insert(at, held);
    }

    /// Does an operation and checks all that must be so then. With `wrong` wrong frees are tried,
    /// too.
    fn checked_step(&mut self, op: Op, path: &[Op], wrong: bool) {
        let (before, free) = (self.live.clone(), self.one.free_blocks());
        let reserved = self.one.allocator().stats().reserved;
        self.step(op);
        let served = self.live.len() > before.len();
        match op {
            Op::Take(_) => {
                let full = !self.one.grows() && free == Some(0);
                assert!(served || full, "{free:?} blocks were free: {path:?}");
            }
            Op::TakeRefused(_) => {
                let expected = free.map_or(served, |free| free > 0);
                assert_eq!(served, expected, "{free:?} blocks are free after {path:?}");
            }
            Op::Shrink => {
                let now = self.one.allocator().stats().reserved;
                assert!(now <= reserved, "shrinking took memory: {path:?}");
            }
            _ => {}
        }
        if served && free.is_some_and(|free| free > 0) {
            let now = self.one.allocator().stats().reserved;
            assert_eq!(now, reserved, "memory was taken with {free:?} blocks free: {path:?}");
        }
        self.check(path);
        if wrong {
            let gone = before.iter().filter(|held| !self.live.contains(held)).copied();
            gone.collect::<Vec<_>>().into_iter().for_each(|held| self.free_wrongly(held, path));
        }
    }

    fn check(&self, path: &[Op]) {
        let allocator = self.one.allocator();
        assert!(allocator.verify().is_ok(), "{:?} after {path:?}", allocator.verify());
        assert_eq!(allocator.stats().live, self.live.len(), "live blocks after {path:?}");
        let mut shown = Vec::new();
        allocator.walk(&mut |block| shown.push(block.address));
        shown.sort_unstable();
        let expected: Vec<_> = self.live.iter().map(|held| held.block).collect();
        assert_eq!(shown, expected, "blocks that are shown after {path:?}");
        for held in &self.live {
            // SAFETY: the block is live and was written in whole.
            let bytes = unsafe { core::slice::from_raw_parts(held.block.as_ptr(), held.bytes) };
            let byte = pattern(held.offset);
            assert!(
                bytes.iter().all(|b| *b == byte),
                "the block at {} after {path:?}",
                held.offset
            );
        }
    }

    /// A block that was just freed is not freed again, nor is what lies inside of it or beyond a
    /// live one.
    fn free_wrongly(&self, gone: Held, path: &[Op]) {
        let allocator = self.one.allocator();
        // SAFETY: none: that it is reported is the point.
        let report = misuse_of(|| unsafe { allocator.deallocate(gone.block) });
        assert!(report.contains("free"), "{report} after {path:?}");
        if let Some(held) = self.live.first() {
            // SAFETY: the block is longer than a byte.
            let inside = unsafe { held.block.add(1) };
            // SAFETY: none: that it is reported is the point.
            let report = misuse_of(|| unsafe { allocator.deallocate(inside) });
            assert!(report.contains("free"), "{report} after {path:?}");
        }
        self.check(path);
    }

    /// Asks for blocks of a layout, and returns where they lie.
    fn probe(&mut self, layout: usize) -> Vec<Option<usize>> {
        let probed = (0..self.world.probes).map(|_| {
            let before: Vec<usize> = self.live.iter().map(|held| held.offset).collect();
            self.take(layout);
            self.live.iter().map(|held| held.offset).find(|offset| !before.contains(offset))
        });
        probed.collect()
    }

    /// Frees all, and looks whether all is given back.
    fn finish(&mut self) {
        while !self.live.is_empty() {
            self.step(Op::Free(0));
        }
        self.one.shrink();
        let allocator = self.one.allocator();
        assert!(allocator.verify().is_ok(), "{:?} at the end", allocator.verify());
        assert_eq!(allocator.stats().granted, 0, "bytes are granted at the end");
    }
}

fn pattern(offset: usize) -> u8 {
    (offset / 8) as u8 ^ 0x5c
}
