//! Tests of the proxy: its counters under both ways of freeing, its budget, and forwarding.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::println;
use std::vec::Vec;

use super::ProxyAllocator;
use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::tests::Noting;
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::linear::frame::FrameAllocator;
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(proxy: &dyn Allocator, size: usize) -> NonNull<u8> {
    let block = proxy.allocate(layout(size, 8)).expect("there is memory");
    block.cast()
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<ProxyAllocator<'static, dyn Allocator + Sync>>();
    assert_send::<ProxyAllocator<'static, SharedRef<'static>>>();
};
const _: () = assert!(
    ProxyAllocator::layout_for(Layout::new::<u64>()).size() == 8,
    "known before any proxy exists"
);

#[test]
fn counts_that_cannot_be_are_told() {
    let backing = TestBacking::new();
    let proxy = ProxyAllocator::new_in("proxy", &backing);
    let what = || proxy.verify().expect_err("a count is wrong").what;
    proxy.granted_total.set(1);
    assert_eq!(what(), "the counts of live blocks and live bytes differ", "bytes and no block");
    proxy.allocations_total.set(1);
    assert_eq!(what(), "more blocks are counted than the backing has", "the backing has none");
    proxy.granted_total.set(0);
    assert_eq!(what(), "the counts of live blocks and live bytes differ", "a block and no bytes");
    proxy.allocations_total.set(0);
    proxy.verify().expect("as it was");
    let mut seen = 0;
    proxy.walk(&mut |_| seen += 1);
    assert_eq!(seen, 0, "a proxy knows no single block");
}

#[test]
fn both_ways_of_freeing_lower_what_was_raised() {
    let backing = TestBacking::new();
    // The pool grants more than is requested, so the two ways could differ.
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let proxy = ProxyAllocator::new_in("proxy", &pool);
    for sized in [false, true] {
        let block = take(&proxy, 10);
        let stats = proxy.stats();
        assert_eq!((stats.live, stats.requested, stats.granted, stats.reserved), (1, 64, 64, 64));
        assert!(!stats.exact);
        // SAFETY: the block is live; any size from the asked to the granted one fits it.
        unsafe {
            if sized {
                proxy.deallocate_sized(block, layout(33, 8));
            } else {
                proxy.deallocate(block);
            }
        }
        let stats = proxy.stats();
        assert_eq!((stats.live, stats.requested, stats.granted, stats.reserved), (0, 0, 0, 0));
        assert_eq!((stats.peak_granted, stats.peak_reserved), (64, 64));
    }
    let stats = proxy.stats();
    assert_eq!((stats.allocations_total, stats.requested_total, stats.granted_total), (2, 20, 128));
}

#[test]
fn a_block_that_grows_counts_as_what_the_backing_grants() {
    let mut memory = std::vec![MaybeUninit::uninit(); 64 << 10];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("it fits");
    let proxy = ProxyAllocator::new_in("proxy", &buddy);
    // The first block of a page, so that all the bytes it grows into are after it.
    let layout = |bytes| layout(bytes, 4096);
    let block = proxy.allocate(layout(100)).expect("there is memory").cast::<u8>();
    let mut old = 100;
    for (new, granted) in [(129, 256), (256, 256), (257, 512), (60, 64), (65, 128), (2000, 2048)] {
        // SAFETY: the block is live and has this layout.
        let resized = unsafe { proxy.resize_in_place(block, layout(old), layout(new)) };
        assert_eq!(resized.map(|block| block.len()), Ok(granted), "from {old} to {new} bytes");
        let stats = proxy.stats();
        assert_eq!((stats.live, stats.granted), (1, granted), "from {old} to {new} bytes");
        assert_eq!(stats.granted, buddy.stats().granted, "from {old} to {new} bytes");
        old = new;
    }
    // SAFETY: the block is live, has this layout, and is not used again.
    unsafe { proxy.deallocate_sized(block, layout(old)) };
    let stats = proxy.stats();
    assert_eq!((stats.live, stats.granted, stats.peak_granted), (0, 0, 2048), "all is freed");
}

#[test]
fn a_budget_refuses_and_changes_nothing() {
    let backing = TestBacking::new();
    let proxy = ProxyAllocator::new_in("proxy", &backing).with_budget(100);
    assert_eq!(proxy.budget(), Some(100));
    let block = take(&proxy, 60);
    let before = (proxy.stats(), backing.stats());
    assert_eq!(proxy.allocate(layout(41, 1)), Err(AllocError));
    assert_eq!(proxy.allocate_zeroed(layout(41, 1)), Err(AllocError));
    assert_eq!(proxy.allocate(layout(isize::MAX as usize, 1)), Err(AllocError));
    // SAFETY: the block is live and has this layout.
    unsafe {
        let old = layout(60, 8);
        assert_eq!(proxy.reallocate(block, old, layout(101, 8)), Err(AllocError));
        assert_eq!(proxy.resize_in_place(block, old, layout(101, 8)), Err(AllocError));
    }
    assert_eq!((proxy.stats(), backing.stats()), before);
    let rest = take(&proxy, 40);
    // SAFETY: the blocks are live and have these layouts.
    unsafe {
        let grown = proxy.reallocate(rest, layout(40, 8), layout(20, 8)).expect("it shrinks");
        let grown = proxy.reallocate(grown.cast(), layout(20, 8), layout(40, 8)).expect("within");
        proxy.deallocate_sized(grown.cast(), layout(40, 8));
        proxy.deallocate(block);
    }
    assert!(ProxyAllocator::new_in("free", &backing).budget().is_none());
}

#[test]
fn rounding_by_the_backing_is_within_the_budget_or_undone() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let proxy = ProxyAllocator::new_in("proxy", &pool).with_budget(100);
    let block = take(&proxy, 10);
    assert_eq!(proxy.allocate(layout(10, 1)), Err(AllocError));
    assert_eq!(proxy.stats().live, 1);
    assert_eq!(pool.stats().live, 1, "the block over the budget was freed");
    // SAFETY: the block is live.
    unsafe { proxy.deallocate(block) };
}

#[test]
fn everything_is_forwarded() {
    let mut memory = [MaybeUninit::uninit(); 4096];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let inner = ProxyAllocator::new_in("inner", &frame);
    let outer: ProxyAllocator<'_> = ProxyAllocator::new_in("outer", &inner);
    assert_eq!(outer.name(), "outer");
    assert_eq!(outer.backing().map(Allocator::name), Some("inner"));
    assert_eq!(outer.layout_below(layout(3, 1)), layout(3, 1));
    let block = outer.allocate_zeroed(layout(24, 8)).expect("there is memory");
    // SAFETY: the block is live and this long, and its bytes were written.
    assert_eq!(unsafe { block.as_ref() }, [0; 24]);
    let block = block.cast::<u8>();
    assert!(outer.owns(block.as_ptr()) && !outer.owns(core::ptr::null()));
    // SAFETY: the block is live and `old` is its layout, in each call.
    unsafe {
        let old = layout(24, 8);
        assert_eq!(outer.allocated_size(block), 24);
        let grown = outer.resize_in_place(block, old, layout(100, 8)).expect("it is the last");
        assert_eq!((grown.cast(), grown.len()), (block, 100));
        assert_eq!((outer.stats().granted, inner.stats().granted), (100, 100));
        assert_eq!(outer.stats().requested_total, 100);
        let shrunk = outer.reallocate(block, layout(100, 8), layout(8, 8)).expect("it shrinks");
        assert_eq!(shrunk.cast(), block);
        assert_eq!((outer.stats().granted, outer.stats().peak_granted), (8, 100));
        outer.deallocate_sized(block, layout(8, 8));
    }
    let mut listed = 0;
    outer.walk(&mut |_| listed += 1);
    assert_eq!(listed, 0);
    assert_eq!((outer.stats().live, inner.stats().live, frame.stats().live), (0, 0, 0));
}

#[test]
fn refusals_of_the_backing_change_nothing() {
    let backing = TestBacking::new();
    let proxy = ProxyAllocator::new_in("proxy", &backing);
    let block = take(&proxy, 10);
    for _ in 0..3 {
        let before = (proxy.stats(), backing.stats());
        backing.refuse_nth(0);
        assert_eq!(proxy.allocate(layout(8, 8)), Err(AllocError));
        backing.refuse_nth(0);
        assert_eq!(proxy.allocate_zeroed(layout(8, 8)), Err(AllocError));
        backing.refuse_nth(0);
        // SAFETY: the block is live and has this layout.
        let moved = unsafe { proxy.reallocate(block, layout(10, 8), layout(20, 8)) };
        assert_eq!(moved, Err(AllocError));
        assert_eq!((proxy.stats(), backing.stats()), before);
    }
    // SAFETY: the block is live.
    unsafe { proxy.deallocate(block) };
}

#[test]
fn a_leak_names_the_proxy() {
    let backing = TestBacking::new();
    let mut block = NonNull::dangling();
    let report = panic_of(|| {
        let proxy = ProxyAllocator::new_in("sound", &backing);
        block = take(&proxy, 100);
    });
    assert!(report.contains("`sound` was dropped with 1 live block of 100 bytes"), "{report}");
    // SAFETY: the block is live still, in the backing.
    unsafe { backing.deallocate(block) };
}

#[test]
fn more_than_was_given_out_is_a_foreign_free() {
    let backing = TestBacking::new();
    let proxy = ProxyAllocator::new_in("sound", &backing);
    let [own, other] = [take(&proxy, 10), take(&backing, 100)];
    // SAFETY: the block is not the proxy's on purpose; it is reported and nothing changes.
    let report = misuse_of(|| unsafe { proxy.deallocate(other) });
    assert!(report.contains("foreign free") && report.contains("`sound`"), "{report}");
    assert!(report.contains("proxy/tests.rs"), "the report names the caller: {report}");
    proxy.verify().expect("nothing has changed");
    // SAFETY: the blocks are live, each in its allocator.
    unsafe {
        proxy.deallocate(own);
        // The same again: with no live block, every free is wrong.
        assert!(
            misuse_of(|| proxy.deallocate_sized(other, layout(100, 8))).contains("foreign free")
        );
        backing.deallocate(other);
    }
}

#[test]
fn counts_that_the_backing_belies_are_found() {
    let mut memory = [MaybeUninit::uninit(); 4096];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let proxy = ProxyAllocator::new_in("proxy", &frame);
    let block = take(&proxy, 10);
    proxy.verify().expect("sound");
    // SAFETY: the block is live in the frame, though freeing it there is wrong.
    unsafe { frame.deallocate(block) };
    assert!(proxy.verify().is_err(), "the block was freed without the proxy");
    assert_eq!(take(&frame, 10), block);
    // SAFETY: the block is live again.
    unsafe { proxy.deallocate(block) };
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..40 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let backing = TestBacking::new();
        let pool = PoolAllocator::new_in("pool", layout(96, 16), &backing);
        let budget = 96 * (5 + random.below(40));
        let proxy = ProxyAllocator::new_in("model", &pool).with_budget(budget);
        let mut live: BTreeMap<usize, (NonNull<u8>, Layout)> = BTreeMap::new();
        let (mut peak, mut asked) = (0, 0);
        for _ in 0..800 {
            let request = layout(random.below(110), 1 << random.below(5));
            let nth = random.below(live.len() + 1);
            let drawn = live.keys().nth(nth).copied();
            match (random.below(5), drawn) {
                (0..3, _) | (_, None) => match proxy.allocate(request) {
                    Ok(block) => {
                        live.insert(block.cast::<u8>().addr().get(), (block.cast(), request));
                        asked += request.size() as u64;
                    }
                    Err(AllocError) => {
                        assert!(request.size() > 96 || (live.len() + 1) * 96 > budget, "refused");
                    }
                },
                (way, Some(key)) => {
                    let (block, request) = live.remove(&key).expect("the key was just read");
                    // SAFETY: the block is live and has this layout.
                    unsafe {
                        if way == 3 {
                            proxy.deallocate(block);
                        } else {
                            proxy.deallocate_sized(block, request);
                        }
                    }
                }
            }
            peak = peak.max(live.len() * 96);
            let stats = proxy.stats();
            assert_eq!((stats.live, stats.granted), (live.len(), live.len() * 96));
            assert_eq!((stats.peak_granted, stats.requested_total), (peak, asked));
            assert!(stats.granted <= budget);
            proxy.verify().expect("sound");
        }
        let rest: Vec<NonNull<u8>> = live.values().map(|&(block, _)| block).collect();
        for block in rest {
            // SAFETY: the block is live.
            unsafe { proxy.deallocate(block) };
        }
        assert_eq!(proxy.stats().granted, 0);
    }
}

#[test]
fn zeros_are_asked_for_where_they_are_wanted() {
    let noting = Noting::new();
    for budget in [None, Some(1000)] {
        let proxy = ProxyAllocator::new_in("proxy", &noting);
        let proxy = if let Some(bytes) = budget { proxy.with_budget(bytes) } else { proxy };
        for (zeroed, call) in [(false, "allocate"), (true, "allocate_zeroed")] {
            let of = layout(100, 8);
            noting.calls();
            let block = if zeroed { proxy.allocate_zeroed(of) } else { proxy.allocate(of) };
            assert_eq!(noting.calls(), [call], "budget {budget:?}, zeroed {zeroed}");
            // SAFETY: the block is live.
            unsafe { proxy.deallocate(block.expect("there is memory").cast()) };
        }
    }
}

#[test]
fn a_resize_within_what_was_granted_asks_for_nothing_more() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let proxy = ProxyAllocator::new_in("proxy", &pool);
    let block = take(&proxy, 10);
    let before = proxy.stats();
    // SAFETY: the block is live and has this layout.
    let resized = unsafe { proxy.resize_in_place(block, layout(10, 8), layout(60, 8)) };
    assert_eq!(resized.map(|block| block.len()), Ok(64), "it has them already");
    assert_eq!(proxy.stats(), before, "the backing has granted no more");
    // SAFETY: the block is live.
    unsafe { proxy.deallocate(block) };
}

#[test]
fn a_budget_holds_for_a_block_that_grows_in_place() {
    let mut memory = [MaybeUninit::uninit(); 4096];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let proxy = ProxyAllocator::new_in("proxy", &frame).with_budget(100);
    let block = take(&proxy, 60);
    // SAFETY: the block is live and has the layout, in each call.
    unsafe {
        let refused = proxy.resize_in_place(block, layout(60, 8), layout(101, 8));
        assert_eq!(refused, Err(AllocError), "a byte too many");
        assert_eq!((proxy.stats().granted, frame.stats().granted), (60, 60), "as it was");
        for (old, new) in [(60, 100), (100, 100), (100, 99), (99, 30), (30, 100)] {
            let resized = proxy.resize_in_place(block, layout(old, 8), layout(new, 8));
            assert_eq!(resized.map(|block| block.len()), Ok(new), "within the budget from {old}");
            assert_eq!((proxy.stats().granted, frame.stats().granted), (new, new), "from {old}");
        }
        proxy.deallocate_sized(block, layout(100, 8));
    }
}
