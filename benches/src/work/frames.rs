//! Bumping a pointer: many blocks and one reset, and blocks freed in reverse.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{Arena, FrameAllocator, PageAllocator};

use crate::blocks::{Blocks, look_at, refused, words, write_first};
use crate::clock;
use crate::contender::Pass;
use crate::random::Random;

/// Blocks of a frame.
pub(crate) const FRAME_BLOCKS: u32 = 1_000_000;

/// A block of a frame: 32 bytes.
pub(crate) const FRAME_BLOCK: Layout = Layout::new::<[u64; 4]>();

/// Takes [`FRAME_BLOCKS`] blocks by `take`, writes the first word of each, resets by `reset`.
#[inline(always)]
pub(crate) fn fill_and_reset<F>(
    frame: &mut F,
    take: impl Fn(&F) -> Option<NonNull<u8>>,
    reset: impl FnOnce(&mut F),
) -> Pass {
    let ns = clock::time(|| {
        for word in 0..FRAME_BLOCKS {
            let Some(block) = take(frame) else { refused(FRAME_BLOCK) };
            // SAFETY: the block is fresh and 32 bytes long.
            unsafe { write_first(block, u64::from(word)) };
            look_at(frame);
        }
        reset(frame);
    });
    Pass { ns, operations: u64::from(FRAME_BLOCKS) }
}

/// Mixed layouts of a frame, drawn beforehand.
pub(crate) struct MixedLayouts(Box<[Layout]>);

impl MixedLayouts {
    /// Draws sizes from 8 to 256 bytes and alignments of 1, 4 and 8.
    pub(crate) fn new() -> Self {
        let mut random = Random::new(8256);
        let draw = |_| {
            let align = [1, 4, 8, 8][random.below(4) as usize];
            let bytes = 8 + random.below(249) as usize;
            Layout::from_size_align(bytes, align).expect("it is small")
        };
        Self((0..4096).map(draw).collect())
    }

    /// Takes a block of each layout by `take`, writes its first bytes and resets by `reset`, 100
    /// times.
    #[inline(always)]
    pub(crate) fn fill_and_reset<F>(
        &self,
        frame: &mut F,
        take: impl Fn(&F, Layout) -> Option<NonNull<u8>>,
        reset: impl Fn(&mut F),
    ) -> Pass {
        let ns = clock::time(|| {
            for turn in 0..100_u8 {
                for &layout in &self.0 {
                    let Some(block) = take(frame, layout) else { refused(layout) };
                    // SAFETY: the block is fresh and at least 8 bytes long.
                    unsafe { block.write_volatile(turn) };
                    look_at(frame);
                }
                reset(frame);
            }
        });
        Pass { ns, operations: 100 * self.0.len() as u64 }
    }
}

/// Defines a function that moves 6 000 values of six types into a frame, copies 1 000 texts, and
/// resets it, 50 times. A macro, as the peers' methods are generic and of no trait.
macro_rules! values_and_reset {
    ($name:ident, $Frame:ty) => {
        pub(crate) fn $name(frame: &mut $Frame) -> Pass {
            let texts = ["a", "name", "of some length", "and one that is a little longer"];
            let ns = clock::time(|| {
                for _ in 0..50 {
                    for number in 0..1000_u64 {
                        frame.alloc(number as u8);
                        look_at(frame);
                        frame.alloc(number);
                        look_at(frame);
                        frame.alloc(number as u32);
                        look_at(frame);
                        frame.alloc([number; 3]);
                        look_at(frame);
                        frame.alloc([number; 8]);
                        look_at(frame);
                        frame.alloc(number as u16);
                        look_at(frame);
                        frame.alloc_str(texts[number as usize % 4]);
                        look_at(frame);
                    }
                    frame.reset();
                }
            });
            Pass { ns, operations: 50 * 7 * 1000 }
        }
    };
}

values_and_reset!(values_in_frame, FrameAllocator<'static, PageAllocator>);
values_and_reset!(values_in_bump, bumpalo::Bump);

/// Bytes that the values and their texts need, rounding to 8 included.
pub(crate) const VALUES_BYTES_MAX: usize = 1000 * (4 * 8 + 24 + 64 + 32);

/// Blocks that are alive at the deepest.
const DEPTH: usize = 256;

/// Different stacks of sizes of a script.
const STACKS: usize = 16;

/// An allocator for blocks that are freed in reverse, and the sizes to ask for.
pub(crate) struct Stacks<B> {
    allocator: B,
    script: Box<[[u32; DEPTH]; STACKS]>,
    blocks: [NonNull<u8>; DEPTH],
}

impl<B: Blocks> Stacks<B> {
    /// Draws sizes from 16 to 512 bytes.
    pub(crate) fn new(allocator: B) -> Self {
        let mut random = Random::new(256);
        let mut script = Box::new([[0; DEPTH]; STACKS]);
        for size in script.as_flattened_mut() {
            *size = 16 + random.below(497);
        }
        Self { allocator, script, blocks: [NonNull::dangling(); DEPTH] }
    }

    /// Runs the script `times` over and returns the time; a pair is an operation.
    pub(crate) fn run(&mut self, times: u32) -> Pass {
        let ns = clock::time(|| self.run_untimed(times));
        Pass { ns, operations: u64::from(times) * (DEPTH * STACKS) as u64 }
    }

    #[inline(never)]
    fn run_untimed(&mut self, times: u32) {
        for _ in 0..times {
            for sizes in self.script.iter() {
                for (bytes, place) in sizes.iter().zip(&mut self.blocks) {
                    *place = self.allocator.allocate(words(*bytes));
                    look_at(&mut self.allocator);
                    // SAFETY: the block is fresh and at least 16 bytes long.
                    unsafe { write_first(*place, u64::from(*bytes)) };
                }
                for (bytes, place) in sizes.iter().zip(&self.blocks).rev() {
                    // SAFETY: the block was taken above with this layout and is freed once.
                    unsafe { self.allocator.free(*place, words(*bytes)) };
                    look_at(&mut self.allocator);
                }
            }
        }
    }
}

/// The most bytes that the stacks need, rounding to 8 included.
pub(crate) const STACK_BYTES_MAX: usize = DEPTH * 512;
