//! A resize that names a wrong old size: every allocator reports it before a byte past the block is
//! read.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::layout;
use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::pool::PoolAllocator;
use crate::blocks::shared_pool::SharedPool;
use crate::contract::allocator::Allocator;
use crate::heaps::heap::HeapAllocator;
use crate::heaps::slab::SlabAllocator;
use crate::linear::frame::FrameAllocator;
use crate::linear::scratch::ScratchAllocator;
use crate::linear::shared_frame::SharedFrame;
use crate::testing::test_backing::{TestBacking, misuse_of};
use crate::wrappers::canary::CanaryAllocator;
use crate::wrappers::proxy::ProxyAllocator;
use crate::wrappers::shared_proxy::SharedProxy;

/// The size that the tests request, and the wrong old size that they pass.
const BYTES: usize = 64;
const WRONG: usize = 8 * BYTES;

/// Passes a wrong old size to each way of resizing, for the last block and for one that is not.
fn reports(allocator: &dyn Allocator) {
    let own = layout(BYTES, 16);
    let take = || allocator.allocate(own).expect("there is memory").cast::<u8>();
    let blocks = [take(), take()];
    let said = |act: &dyn Fn(NonNull<u8>, Layout, Layout), block, new| {
        let said = misuse_of(|| act(block, layout(WRONG, 16), new));
        let address = std::format!("{block:p}");
        assert!(said.contains("wrong size") && said.contains(&address), "{said}");
    };
    for block in blocks {
        let resize = |block, old, new| {
            // SAFETY: none: the old layout is not the block's, which is reported.
            let _ = unsafe { allocator.resize_in_place(block, old, new) };
        };
        said(&resize, block, own);
        said(&resize, block, layout(2 * WRONG, 16));
        let reallocate = |block, old, new| {
            // SAFETY: as above.
            let _ = unsafe { allocator.reallocate(block, old, new) };
        };
        said(&reallocate, block, layout(BYTES / 2, 16));
        said(&reallocate, block, layout(2 * WRONG, 16));
        said(&reallocate, block, layout(2 * WRONG, 64));
    }
    assert_eq!(allocator.verify(), Ok(()), "nothing has changed");
    for block in blocks.into_iter().rev() {
        // SAFETY: the block is live, of this layout, and not used again.
        unsafe { allocator.deallocate_sized(block, own) };
    }
    assert_eq!(allocator.stats().live, 0, "all came back");
}

#[test]
fn a_frame_reports_a_resize_from_a_wrong_size() {
    let backing = TestBacking::new();
    reports(&FrameAllocator::new_in("frame", 64 << 10, &backing).expect("there is memory"));
}

#[test]
fn a_shared_frame_reports_a_resize_from_a_wrong_size() {
    let backing = TestBacking::new();
    reports(&SharedFrame::new_in("shared frame", 64 << 10, &backing).expect("there is memory"));
}

#[test]
fn a_ring_reports_a_resize_from_a_wrong_size() {
    let backing = TestBacking::new();
    reports(&ScratchAllocator::new_in("ring", 64 << 10, &backing).expect("there is memory"));
}

#[test]
fn what_fell_back_reports_a_resize_from_a_wrong_size() {
    let backing = TestBacking::new();
    // Too small for any block, so that the blocks fall back.
    reports(&ScratchAllocator::new_in("fallen", 32, &backing).expect("there is memory"));
}

#[test]
fn pools_report_a_resize_from_a_wrong_size() {
    let backing = TestBacking::new();
    let own = layout(BYTES, 16);
    let pool = PoolAllocator::new_in("pool", own, &backing);
    resize_in_a_pool(&pool, own);
    let pool = SharedPool::new_in("shared pool", own, &backing);
    resize_in_a_pool(&pool, own);
}

#[test]
fn the_others_report_a_resize_from_a_wrong_size() {
    let backing = TestBacking::new();
    reports(&HeapAllocator::new_in("heap", &backing));
    reports(&SlabAllocator::new_in("slab", &backing));
    reports(&BuddyAllocator::new_in("buddy", 64 << 10, 64, &backing).expect("there is memory"));
    let heap = HeapAllocator::new_in("heap", &backing);
    reports(&CanaryAllocator::new_in("canary", &heap));
    reports(&ProxyAllocator::new_in("proxy", &heap));
    let frame = FrameAllocator::new_in("frame", 64 << 10, &backing).expect("there is memory");
    reports(&ProxyAllocator::new_in("proxy", &frame));
}

#[test]
fn a_shared_proxy_reports_a_resize_from_a_wrong_size() {
    let backing = TestBacking::new();
    let shared = SharedFrame::new_in("frame", 64 << 10, &backing).expect("there is memory");
    reports(&SharedProxy::new_in("shared proxy", &shared));
    reports(&SharedProxy::new_in("shared proxy", &shared).with_budget(1 << 20));
}

/// A pool serves no more than its size; a resize to a smaller size reports the wrong size all the
/// same.
fn resize_in_a_pool(pool: &dyn Allocator, own: Layout) {
    let block = pool.allocate(own).expect("there is memory").cast::<u8>();
    let said = misuse_of(|| {
        // SAFETY: none: the old layout is not the block's, which is reported.
        let _ = unsafe { pool.resize_in_place(block, layout(WRONG, 16), own) };
    });
    assert!(said.contains("wrong size"), "{said}");
    // SAFETY: the block is live, of this layout, and not used again.
    unsafe { pool.deallocate_sized(block, own) };
}
