//! Small worlds of an allocator: explores every state that operations reach from the first, with
//! every operation in each, against a model that knows only the live blocks.
//!
//! Two states are equal if the same blocks are live, the allocator reports the same state about the
//! others, and the same ones would be allocated next, in the same order. To find those, the
//! operations are repeated on a copy, which then allocates. If an allocator keeps too much state
//! for this, every sequence of operations of a given length is run instead.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::{BTreeSet, VecDeque};
use std::vec::Vec;

use crate::contract::allocator::Allocator;
use crate::heaps::heap::HeapAllocator;
use crate::testing::test_backing::misuse_of;
use crate::wrappers::failing::{FailingAllocator, Refusals};

/// The memory of a world's allocators.
pub(crate) type Below<'a> = FailingAllocator<'a, HeapAllocator<'a>>;

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Allocates a block of one of the layouts.
    Take(usize),
    /// Allocates while the backing refuses everything.
    TakeRefused(usize),
    /// Frees one of the live blocks, in the order of their addresses.
    Free(usize),
    /// Frees one by its layout.
    FreeSized(usize),
    /// Returns unused memory.
    Shrink,
}

/// An allocator in a world.
pub(crate) trait Inhabitant {
    /// The allocator.
    fn allocator(&self) -> &dyn Allocator;

    /// Returns unused memory.
    fn shrink(&self);

    /// Returns `true` if it takes more memory when it is full.
    fn grows(&self) -> bool;

    /// Returns its full state about its blocks, except addresses.
    fn kept(&self) -> Vec<usize>;

    /// Returns how many blocks can be allocated without the backing, if known.
    fn free_blocks(&self) -> Option<usize>;
}

/// Creates an allocator over the memory and passes it to its argument, once.
pub(crate) type Make<'m> = dyn Fn(&Below<'_>, &mut dyn FnMut(&dyn Inhabitant)) + 'm;

/// The parameters of a world.
pub(crate) struct World<'w> {
    /// The layouts to allocate.
    pub(crate) layouts: &'w [Layout],
    /// The most blocks that are live at a time.
    pub(crate) live_max: usize,
    /// How many blocks are allocated to distinguish two states.
    pub(crate) probes: usize,
    /// The operations before the exploration.
    pub(crate) start: &'w [Op],
    /// The length of the operation sequences from there, all of which are run; `None` to explore
    /// every state.
    pub(crate) depth: Option<usize>,
    /// Creates an allocator over the memory and passes it to its argument, once.
    pub(crate) make: &'w Make<'w>,
}

/// The numbers of states, and of operations run in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Explored {
    pub(crate) states: usize,
    pub(crate) operations: u64,
}

/// The offsets of the live blocks with their layouts, the state about the others, and the offsets
/// of the blocks that come next.
type State = (Vec<(usize, usize)>, Vec<usize>, Vec<Vec<Option<usize>>>);

/// The size of the memory.
const BYTES: usize = 1 << 20;

impl World<'_> {
    /// Explores every state.
    pub(crate) fn explore(&self) -> Explored {
        let mut memory = std::vec![MaybeUninit::uninit(); BYTES];
        let mut known = BTreeSet::new();
        let first = self.state(&mut memory, self.start);
        // Breadth first, so that the path to each state is short.
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

    /// Runs the operations on a fresh allocator, the last one with all checks, and returns the
    /// resulting state.
    fn state(&self, memory: &mut [MaybeUninit<u8>], path: &[Op]) -> State {
        let start = memory.as_ptr().addr();
        let mut live = Vec::new();
        let (mut coming, mut kept) = (Vec::new(), Vec::new());
        for probe in 0..self.layouts.len() {
            let heap = HeapAllocator::from_region("below", memory);
            let below = FailingAllocator::new_in("refusing", Refusals::None, &heap);
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
        assert_eq!(other, None, "a block at {offset} of {bytes} bytes overlaps a live one");
        // SAFETY: the block was given out and is not used elsewhere.
        unsafe { block.write_bytes(pattern(offset), bytes) };
        let held = Held { offset, layout, bytes, block };
        let at = self.live.partition_point(|other| *other < held);
        self.live.insert(at, held);
    }

    /// Runs an operation and checks all conditions after it. With `wrong`, wrong frees are tried
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

    /// Tries to free a block that was just freed again, an address inside it, and one past a live
    /// block.
    fn free_wrongly(&self, gone: Held, path: &[Op]) {
        let allocator = self.one.allocator();
        // SAFETY: not kept: the report is the subject of the test.
        let report = misuse_of(|| unsafe { allocator.deallocate(gone.block) });
        assert!(report.contains("free"), "{report} after {path:?}");
        if let Some(held) = self.live.first() {
            // SAFETY: the block is longer than a byte.
            let inside = unsafe { held.block.add(1) };
            // SAFETY: not kept: the report is the subject of the test.
            let report = misuse_of(|| unsafe { allocator.deallocate(inside) });
            assert!(report.contains("free"), "{report} after {path:?}");
        }
        self.check(path);
    }

    /// Allocates blocks of a layout, and returns their offsets.
    fn probe(&mut self, layout: usize) -> Vec<Option<usize>> {
        let probed = (0..self.world.probes).map(|_| {
            let before: Vec<usize> = self.live.iter().map(|held| held.offset).collect();
            self.take(layout);
            self.live.iter().map(|held| held.offset).find(|offset| !before.contains(offset))
        });
        probed.collect()
    }

    /// Frees all blocks, and checks that all memory is returned.
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
