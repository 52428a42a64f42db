//! Random programs against a model, on one thread and on several.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::collections::VecDeque;
use std::println;
use std::vec::Vec;

use super::{SIDES, layout, page};
use crate::contract::allocator::Allocator;
use crate::pages::guard_page::GuardPageAllocator;
use crate::pages::page::PageAllocator;
use crate::testing::test_backing::Random;

/// A live block, with its fill byte.
type Live = (NonNull<u8>, Layout, u8);

/// Does one step with the blocks of one thread; returns a block that was freed.
fn step(
    guards: &GuardPageAllocator<'_>,
    random: &mut Random,
    live: &mut Vec<Live>,
) -> Option<Live> {
    let fill = random.below(256) as u8;
    let request = layout(random.below(10_000) >> random.below(12), 1 << random.below(14));
    let enter = |block: NonNull<[u8]>| {
        assert_eq!(block.len(), request.size().max(1));
        // SAFETY: the block is live and this long.
        unsafe { block.cast::<u8>().write_bytes(fill, block.len()) };
        (block.cast(), request, fill)
    };
    if live.len() < 4 || (random.below(2) == 0 && live.len() < 60) {
        let block = guards.allocate(request).expect("there is memory");
        live.push(enter(block));
        return None;
    }
    let at = random.below(live.len());
    let (block, old, filled) = live.swap_remove(at);
    // SAFETY: the block is live, has this layout, and was written.
    unsafe {
        let contents = core::slice::from_raw_parts(block.as_ptr(), old.size().max(1));
        assert!(contents.iter().all(|&byte| byte == filled), "its contents are its own");
        match random.below(4) {
            0 => {
                let moved = guards.reallocate(block, old, request).expect("there is memory");
                live.push(enter(moved));
                return (moved.cast() != block).then_some((block, old, filled));
            }
            1 => guards.deallocate(block),
            _ => guards.deallocate_sized(block, old),
        }
    }
    Some((block, old, filled))
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..24 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let pages = PageAllocator::new("pages");
        let (guarded_max, waiting_max) = (random.below(60), random.below(30));
        let guards = GuardPageAllocator::new("model", &pages)
            .with_side(SIDES[random.below(2)])
            .with_guarded_max(guarded_max)
            .with_quarantine(waiting_max);
        let mut live = Vec::new();
        let mut waiting: VecDeque<NonNull<u8>> = VecDeque::new();
        for _ in 0..400 {
            let forwarded: Vec<_> = live
                .iter()
                .filter(|(block, ..): &&Live| pages.walk_has(*block))
                .map(|live| live.0)
                .collect();
            if let Some((block, ..)) = step(&guards, &mut random, &mut live)
                && !forwarded.contains(&block)
            {
                waiting.push_back(block);
                if waiting.len() > waiting_max {
                    waiting.pop_front();
                }
            }
            let requested = live.iter().map(|(_, layout, _)| layout.size().max(1)).sum::<usize>();
            let stats = guards.stats();
            assert_eq!(
                (stats.live, stats.requested, stats.granted),
                (live.len(), requested, requested)
            );
            let (guarded, forwarded) = (guards.guarded_blocks(), guards.forwarded_blocks());
            assert_eq!(guarded + forwarded, live.len());
            assert!(guarded <= guarded_max);
            assert_eq!(guards.waiting_blocks(), waiting.len());
            for block in &waiting {
                assert!(guards.describe(block.as_ptr()).is_some_and(|known| known.freed.is_some()));
            }
            let table = guards.overhead_bytes().next_multiple_of(page());
            assert_eq!(stats.reserved + table, pages.stats().reserved);
            guards.verify().expect("sound");
            pages.verify().expect("sound");
        }
        for (block, ..) in live {
            // SAFETY: the block is live.
            unsafe { guards.deallocate(block) };
        }
        drop(guards);
        assert_eq!((pages.stats().reserved, pages.committed_bytes()), (0, 0));
    }
}

impl PageAllocator {
    /// Returns `true` if a block of the pages starts there: a forwarded one.
    fn walk_has(&self, wanted: NonNull<u8>) -> bool {
        let mut has = false;
        self.walk(&mut |block| has |= block.address == wanted);
        has
    }
}

#[test]
fn several_threads_share_one() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("shared", &pages).with_guarded_max(60).with_quarantine(10);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let guards = &guards;
            scope.spawn(move || {
                println!("seed {seed}");
                let mut random = Random::new(seed);
                let mut live = Vec::new();
                for count in 0..600 {
                    step(guards, &mut random, &mut live);
                    if count % 50 == 0 {
                        guards.verify().expect("sound");
                    }
                }
                for (block, ..) in live {
                    // SAFETY: the block is live.
                    unsafe { guards.deallocate(block) };
                }
            });
        }
    });
    guards.verify().expect("sound");
    assert_eq!((guards.stats().live, guards.waiting_blocks()), (0, 10));
    drop(guards);
    assert_eq!((pages.stats().reserved, pages.committed_bytes()), (0, 0));
}
