//! Random programs of calls against a model that records every block and its contents.

use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec::Vec;

use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::buddy::tests::{Random, Region, layout};
use crate::contract::allocator::Allocator;

/// A live block: its place, its requested size, and the seed of its contents.
struct Live {
    block: NonNull<u8>,
    bytes: usize,
    align: usize,
    mark: u8,
}

impl Live {
    fn fill(&self) {
        for at in 0..self.bytes {
            // SAFETY: the block is live and holds `bytes` bytes.
            let byte = unsafe { self.block.add(at) };
            // SAFETY: as above.
            unsafe { byte.write(self.mark.wrapping_add(at as u8)) };
        }
    }

    fn assert_kept(&self, bytes: usize) {
        for at in 0..bytes {
            // SAFETY: the block is live and holds `bytes` bytes, which were written.
            let byte = unsafe { self.block.add(at) };
            // SAFETY: as above.
            let byte = unsafe { byte.read() };
            assert_eq!(byte, self.mark.wrapping_add(at as u8), "byte {at} of {bytes}");
        }
    }
}

fn lists<B: Allocator + ?Sized>(buddy: &BuddyAllocator<'_, B>) -> Vec<Vec<usize>> {
    let list = |level| {
        let mut list = Vec::new();
        buddy.free_list(level, &mut |index| list.push(index));
        list
    };
    (0..buddy.levels()).map(list).collect()
}

fn request(random: &mut Random, most: u32) -> (usize, usize) {
    let length = random.below(most as usize);
    let bytes = random.below(2 << length);
    let align = 1 << if random.below(4) == 0 { random.below(14) } else { random.below(5) };
    (bytes, align)
}

fn take<B: Allocator + ?Sized>(
    buddy: &BuddyAllocator<'_, B>,
    live: &mut Vec<Live>,
    random: &mut Random,
) {
    let (bytes, align) = request(random, 15);
    let Ok(block) = buddy.allocate(layout(bytes, align)) else {
        return;
    };
    let granted = block.len();
    assert!(granted >= bytes.max(1) && granted.is_power_of_two());
    let block = block.cast::<u8>();
    assert_eq!(block.addr().get() % align, 0, "{bytes} bytes at {align}");
    let (from, to) = (block.addr().get(), block.addr().get() + granted);
    for other in live.iter() {
        let other_from = other.block.addr().get();
        // SAFETY: the block is live.
        let other_to = other_from + unsafe { buddy.allocated_size(other.block) };
        assert!(to <= other_from || other_to <= from, "two blocks overlap");
    }
    let mark = random.next() as u8;
    let fresh = Live { block, bytes, align, mark };
    fresh.fill();
    live.push(fresh);
}

fn drop_one<B: Allocator + ?Sized>(buddy: &BuddyAllocator<'_, B>, gone: &Live, sized: bool) {
    gone.assert_kept(gone.bytes);
    if sized {
        // SAFETY: the block is live, was asked with this layout, and is freed once.
        unsafe { buddy.deallocate_sized(gone.block, layout(gone.bytes, gone.align)) };
    } else {
        // SAFETY: the block is live and freed once.
        unsafe { buddy.deallocate(gone.block) };
    }
}

fn resize<B: Allocator + ?Sized>(
    buddy: &BuddyAllocator<'_, B>,
    live: &mut Live,
    random: &mut Random,
) {
    let (bytes, align) = request(random, 15);
    let (old, new) = (layout(live.bytes, live.align), layout(bytes, align));
    let in_place = random.below(2) == 0 && align <= live.align;
    let result = if in_place {
        // SAFETY: the block is live and was asked with `old`.
        unsafe { buddy.resize_in_place(live.block, old, new) }
    } else {
        // SAFETY: as above.
        unsafe { buddy.reallocate(live.block, old, new) }
    };
    let Ok(block) = result else {
        live.assert_kept(live.bytes);
        return;
    };
    assert!(block.len() >= bytes.max(1));
    assert!(!in_place || block.cast() == live.block, "it stays where it is");
    let kept = live.bytes.min(bytes);
    live.block = block.cast();
    live.assert_kept(kept);
    live.bytes = bytes;
    if !in_place {
        live.align = align;
    }
    live.fill();
}

fn assert_books<B: Allocator + ?Sized>(buddy: &BuddyAllocator<'_, B>, live: &[Live]) {
    buddy.verify().expect("the tree is sound");
    let stats = buddy.stats();
    let granted = |live: &Live| {
        // SAFETY: the block is live.
        unsafe { buddy.allocated_size(live.block) }
    };
    assert_eq!(stats.live, live.len());
    assert_eq!(stats.granted, live.iter().map(granted).sum::<usize>());
    assert!(stats.requested <= stats.granted && stats.granted <= stats.reserved);
    assert!(stats.granted <= stats.peak_granted && stats.peak_granted <= stats.reserved);
    let mut expected: Vec<_> = live.iter().map(|live| live.block).collect();
    expected.sort_unstable();
    let mut walked = Vec::new();
    buddy.walk(&mut |block| walked.push(block.address));
    assert_eq!(walked, expected, "every live block in address order");
}

fn run(region: &mut [MaybeUninit<u8>], leaf_bytes: usize, seed: u64, calls: usize) {
    std::println!("seed {seed}, leaf {leaf_bytes}, {} bytes", region.len());
    let mut random = Random::new(seed);
    let buddy = BuddyAllocator::from_region("random", leaf_bytes, region).expect("it fits");
    let fresh = lists(&buddy);
    let mut live: Vec<Live> = Vec::new();
    for call in 0..calls {
        // Long waves of filling and of emptying reach both refusal and the empty tree.
        let filling = call / 500 % 2 == 0;
        match random.below(10) {
            0 | 1 if !live.is_empty() => {
                let at = random.below(live.len());
                resize(&buddy, &mut live[at], &mut random);
            }
            2..=5 if !live.is_empty() || filling => take(&buddy, &mut live, &mut random),
            6 | 7 if filling => take(&buddy, &mut live, &mut random),
            _ if !live.is_empty() => {
                let gone = live.swap_remove(random.below(live.len()));
                drop_one(&buddy, &gone, random.below(2) == 0);
            }
            _ => {}
        }
        if call % 64 == 0 {
            assert_books(&buddy, &live);
        }
    }
    for gone in live.drain(..) {
        drop_one(&buddy, &gone, random.below(2) == 0);
    }
    assert_books(&buddy, &live);
    let mut after = lists(&buddy);
    let mut before = fresh;
    for list in after.iter_mut().chain(&mut before) {
        list.sort_unstable();
    }
    assert_eq!(after, before, "all is merged as it was at first");
}

#[test]
fn random_calls_keep_every_byte() {
    let mut seed = 1;
    for leaf_bytes in [16, 64, 256, 1024] {
        for (len, skew) in [(3000, 0), (40_000, 16), (100_000, 3), (1 << 18, 0), (700_001, 5000)] {
            let mut region = Region::new(len, skew);
            run(region.get(), leaf_bytes, seed, 3000);
            assert!(region.margins().all(|byte| byte == 0xa5), "seed {seed} wrote outside");
            seed += 1;
        }
    }
}
