//! Blocks of offsets of many lengths, freed and taken at random.

use core::hint::black_box;

use loligo_allocators::{HeapOffsets, OffsetBlock};
use offset_allocator::{Allocation, Allocator};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};
use crate::random::Random;
use crate::work::mixed::Sizes;

/// Blocks that are live at once, as a game has meshes in a buffer.
const LIVE: u32 = 10_000;

/// The lengths of blocks, in whatever unit.
const LENGTHS: [u32; 2] = [16, 4096];

/// Offsets of the range: three times what the blocks need.
const RANGE: u32 = 1 << 26;

/// Pairs of a pass.
const PAIRS: u32 = 500_000;

/// What gives out offsets.
trait Offsets {
    type Block: Copy;

    /// Takes a block of a range that is large enough; `None` if no free block is.
    fn allocate(&mut self, len: u32) -> Option<Self::Block>;

    /// Frees a block.
    fn free(&mut self, block: Self::Block);
}

impl Offsets for HeapOffsets<'static, Heap> {
    type Block = OffsetBlock;

    fn allocate(&mut self, len: u32) -> Option<OffsetBlock> {
        HeapOffsets::allocate(self, u64::from(len), 1).ok()
    }

    fn free(&mut self, block: OffsetBlock) {
        HeapOffsets::free(self, block);
    }
}

impl Offsets for Allocator {
    type Block = Allocation;

    fn allocate(&mut self, len: u32) -> Option<Allocation> {
        Self::allocate(self, len)
    }

    fn free(&mut self, block: Allocation) {
        Self::free(self, block);
    }
}

fn ours(range: u32) -> HeapOffsets<'static, Heap> {
    let offsets = HeapOffsets::new_in("offsets", 0..u64::from(range), 2 * LIVE, &HEAP);
    offsets.expect("the machine has memory for the nodes")
}

fn theirs(range: u32) -> Allocator {
    Allocator::with_max_allocs(range, 8 * LIVE)
}

/// Returns our side of the churn.
pub(crate) fn churning_ours() -> Contender {
    churning("HeapOffsets", ours(RANGE))
}

/// Returns the peer's.
pub(crate) fn churning_peer() -> Contender {
    churning("offset-allocator", theirs(RANGE))
}

fn churning<O: Offsets + 'static>(name: &'static str, mut offsets: O) -> Contender {
    let sizes = Sizes::uniform(LENGTHS[0], LENGTHS[1]);
    let take = |offsets: &mut O, at| offsets.allocate(sizes.at(at)).expect("there is room");
    let mut live: Vec<O::Block> = (0..LIVE as usize).map(|at| take(&mut offsets, at)).collect();
    let (mut random, mut next) = (Random::new(31), LIVE as usize);
    let sizes = sizes.clone();
    let mut ours = Emptied { offsets, live: Vec::new() };
    ours.live.append(&mut live);
    Contender::new(name, move || {
        let Emptied { offsets, live } = &mut ours;
        let ns = clock::time(|| {
            for _ in 0..PAIRS {
                let block = &mut live[random.below(LIVE) as usize];
                offsets.free(*block);
                *block = black_box(offsets.allocate(sizes.at(next)).expect("there is room"));
                next = next.wrapping_add(1);
            }
        });
        Pass { ns, operations: u64::from(PAIRS) }
    })
}

/// An allocator whose blocks go back before it does.
struct Emptied<O: Offsets> {
    offsets: O,
    live: Vec<O::Block>,
}

impl<O: Offsets> Drop for Emptied<O> {
    fn drop(&mut self) {
        self.live.drain(..).for_each(|block| self.offsets.free(block));
    }
}

/// Returns what share of a range is live when a request is refused for the first time, after blocks
/// came and went at random: first ours, then the peer's.
pub(crate) fn filled() -> [f64; 2] {
    [filled_by(ours(RANGE / 4)), filled_by(theirs(RANGE / 4))]
}

fn filled_by<O: Offsets>(offsets: O) -> f64 {
    let sizes = Sizes::uniform(LENGTHS[0], LENGTHS[1]);
    let mut lens = Vec::new();
    let mut emptied = Emptied { offsets, live: Vec::new() };
    let mut random = Random::new(32);
    for at in 0.. {
        // Two come for each that goes.
        if at % 3 == 2 {
            let place = random.below(lens.len() as u32) as usize;
            lens.swap_remove(place);
            let block = emptied.live.swap_remove(place);
            emptied.offsets.free(block);
            continue;
        }
        let len = sizes.at(at);
        let Some(block) = emptied.offsets.allocate(len) else { break };
        lens.push(len);
        emptied.live.push(block);
    }
    let live: u64 = lens.iter().map(|&len| u64::from(len)).sum();
    live as f64 / f64::from(RANGE / 4)
}
