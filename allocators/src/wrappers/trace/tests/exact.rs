//! Exact counters and reports, over backings that move blocks and one that never does.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;
use std::vec::Vec;
use std::{format, println};

use super::{layout, line, take};
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::Allocator;
use crate::contract::stats::Stats;
use crate::testing::test_backing::{Random, TestBacking, misuse_of};
use crate::wrappers::trace::TraceAllocator;

/// The counters, computed naively.
struct Counts {
    stats: Stats,
    granted: fn(usize) -> usize,
}

impl Counts {
    fn now(&mut self) {
        let stats = &mut self.stats;
        stats.reserved = stats.granted;
        stats.peak_requested = stats.peak_requested.max(stats.requested);
        stats.peak_granted = stats.peak_granted.max(stats.granted);
        stats.peak_reserved = stats.peak_granted;
    }

    fn record_allocation(&mut self, size: usize) {
        let granted = (self.granted)(size);
        self.stats.live += 1;
        self.stats.allocations_total += 1;
        self.stats.requested += size;
        self.stats.granted += granted;
        self.stats.requested_total += size as u64;
        self.stats.granted_total += granted as u64;
        self.now();
    }

    fn resized(&mut self, old: usize, new: usize) {
        let (granted_old, granted) = ((self.granted)(old), (self.granted)(new));
        self.stats.requested = self.stats.requested - old + new;
        self.stats.granted = self.stats.granted - granted_old + granted;
        // Shrinking does not lower the totals.
        self.stats.requested_total += new.saturating_sub(old) as u64;
        self.stats.granted_total += granted.saturating_sub(granted_old) as u64;
        self.now();
    }

    fn gave(&mut self, size: usize) {
        self.stats.live -= 1;
        self.stats.requested -= size;
        self.stats.granted -= (self.granted)(size);
        self.now();
    }
}

type Blocks = Vec<(NonNull<u8>, Layout)>;

fn step(trace: &TraceAllocator<'_>, random: &mut Random, blocks: &mut Blocks, counts: &mut Counts) {
    let new = layout(random.below(65), 8);
    let way = random.below(8);
    if way < 3 || blocks.is_empty() {
        let block = if way == 0 { trace.allocate_zeroed(new) } else { trace.allocate(new) };
        blocks.push((block.expect("nothing is refused").cast(), new));
        counts.record_allocation(new.size());
        return;
    }
    let at = random.below(blocks.len());
    let (block, old) = blocks[at];
    // SAFETY: the block is live and has this layout, in each call.
    unsafe {
        match way {
            3 | 4 => {
                blocks.swap_remove(at);
                trace.deallocate_sized(block, old);
                counts.gave(old.size());
            }
            5 | 6 => {
                let moved = trace.reallocate(block, old, new).expect("nothing is refused");
                blocks[at] = (moved.cast(), new);
                counts.resized(old.size(), new.size());
            }
            _ => {
                if trace.resize_in_place(block, old, new).is_ok() {
                    blocks[at] = (block, new);
                    counts.resized(old.size(), new.size());
                }
            }
        }
    }
}

#[test]
fn every_counter_is_exact() {
    for seed in 0..20 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
        let of_pool = seed % 2 == 0;
        let under: &dyn Allocator = if of_pool { &pool } else { &backing };
        let granted = if of_pool { |_| 64 } else { |size: usize| size.max(1) };
        let trace: TraceAllocator<'_> = TraceAllocator::new_in("trace", under, &books);
        let mut counts = Counts { stats: Stats { exact: true, ..Stats::default() }, granted };
        let mut blocks = Blocks::new();
        for number in 0..400 {
            assert_eq!(trace.stats(), counts.stats, "after {number} steps");
            assert_eq!(trace.books_bytes(), books.stats().granted, "after {number} steps");
            step(&trace, &mut random, &mut blocks, &mut counts);
        }
        for (block, layout) in blocks {
            // SAFETY: the block is live and has this layout.
            unsafe { trace.deallocate_sized(block, layout) };
            counts.gave(layout.size());
        }
        assert_eq!(trace.stats(), counts.stats, "at the end");
    }
}

#[test]
fn a_site_counts_all_that_it_ever_asked() {
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let mut usage = Vec::new();
    let many: Vec<_> = (0..5).map(|_| take(&trace, 100)).collect();
    let one = take(&trace, 7);
    for &block in &many[1..] {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    trace.walk_sites(&mut |site| {
        usage.push((site.blocks, site.bytes, site.oldest, site.allocations_total));
    });
    assert_eq!(usage, [(1, 100, 1, 5), (1, 7, 6, 1)]);
    for block in [many[0], one] {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
}

#[test]
fn a_block_that_moved_is_told_with_its_first_site() {
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let (asked, block) = (line(), take(&trace, 40));
    let moved_at = line() + 2;
    // SAFETY: the block is live and has this layout.
    let moved = unsafe { trace.reallocate(block, layout(40, 8), layout(80, 8)) };
    let moved = moved.expect("there is memory").cast::<u8>();
    assert_ne!(moved, block, "the new one was taken before the old one was freed");
    // SAFETY: none; that is the misuse, which is reported and changes nothing.
    let report = misuse_of(|| unsafe { trace.deallocate(block) });
    for text in [
        "double free",
        &format!("it was allocated from {}:{asked}:", file!()),
        &format!("and first freed from {}:{moved_at}:", file!()),
    ] {
        assert!(report.contains(text), "{text}: {report}");
    }
    // SAFETY: the block is live.
    unsafe { trace.deallocate(moved) };
}

#[test]
fn a_block_resized_where_it_lies_is_not_among_the_freed() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let trace = TraceAllocator::new_in("trace", &pool, &backing);
    let (gone, block) = (take(&trace, 8), take(&trace, 8));
    // SAFETY: the blocks are live, and the one that stays has the layout of the call before.
    unsafe {
        trace.deallocate(gone);
        for size in 8..64 {
            let same = trace.resize_in_place(block, layout(size, 8), layout(size + 1, 8));
            assert_eq!(same.map(NonNull::cast), Ok(block), "it has room");
        }
    }
    // SAFETY: none; that is the misuse, which is reported and changes nothing.
    let report = misuse_of(|| unsafe { trace.deallocate(gone) });
    assert!(report.contains("double free"), "it is the one that was freed last: {report}");
    // SAFETY: the block is live.
    unsafe { trace.deallocate(block) };
}

#[test]
fn what_lies_behind_a_block_is_foreign() {
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let block = take(&trace, 40);
    for (offset, what) in [(1, "interior free"), (39, "interior free"), (40, "foreign free")] {
        // SAFETY: within the block, or one past its end.
        let at = unsafe { block.add(offset) };
        // SAFETY: none; that is the misuse, which is reported and changes nothing.
        let report = misuse_of(|| unsafe { trace.deallocate(at) });
        assert!(report.contains(what), "{offset} bytes in: {report}");
    }
    // SAFETY: the block is live.
    unsafe { trace.deallocate(block) };
}

static HEARD: std::sync::Mutex<Vec<u64>> = std::sync::Mutex::new(Vec::new());

#[test]
fn the_first_allocation_can_be_broken_at() {
    fn hook(number: u64, _site: &'static Location<'static>) {
        HEARD.lock().expect("one thread").push(number);
    }
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    trace.break_at(1, hook);
    let blocks = [take(&trace, 1), take(&trace, 2)];
    assert_eq!(*HEARD.lock().expect("one thread"), [1], "once");
    trace.break_at(2, hook);
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    assert_eq!(*HEARD.lock().expect("one thread"), [1], "the second was before that");
}
