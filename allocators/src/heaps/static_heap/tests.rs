//! The static heap: before anything else, from threads, after a move.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;
use std::boxed::Box;
use std::thread;
use std::vec::Vec;

use super::StaticHeap;
use crate::contract::allocator::Allocator;
use crate::heaps::heap::tests::{misuse_of, run_model};

/// This function's name is ambiguous if the type is `Unpin`: a unique reference would then be
/// assumed to be the only access to the bytes inside it.
trait Pinned<A> {
    fn is_pinned() {}
}
impl<T> Pinned<()> for T {}
impl<T: Unpin> Pinned<u8> for T {}
const _: fn() = <StaticHeap<65536> as Pinned<_>>::is_pinned;

#[test]
fn it_agrees_with_the_model() {
    let heap = Box::new(StaticHeap::<{ 256 << 10 }>::new("boot"));
    run_model(&*heap, 80, 3000, 13, 1500);
}

#[test]
fn threads_share_it() {
    static SHARED: StaticHeap<{ 1 << 20 }> = StaticHeap::new("shared");
    thread::scope(|scope| {
        for thread in 0..4_u8 {
            scope.spawn(move || {
                let layout = Layout::new::<[u8; 100]>();
                for _ in 0..50 {
                    let blocks: Vec<NonNull<u8>> = (0..20)
                        .map(|_| SHARED.allocate(layout).expect("room for all").cast())
                        .collect();
                    for &block in &blocks {
                        // SAFETY: the block is ours.
                        unsafe { block.write_bytes(thread, 100) };
                    }
                    for block in blocks {
                        // SAFETY: the block is live and was written over its whole length.
                        let bytes = unsafe { block.cast::<[u8; 100]>().read() };
                        assert_eq!(bytes, [thread; 100], "another thread wrote here");
                        // SAFETY: the block is live with this layout.
                        unsafe { SHARED.deallocate_sized(block, layout) };
                    }
                }
            });
        }
    });
    assert_eq!(SHARED.stats().live, 0, "all freed");
    SHARED.verify().expect("the structure is whole");
}

// For the tools the move is a read of the free memory in the buffer.
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
#[test]
fn a_moved_heap_starts_again_at_its_new_place() {
    let layout = Layout::new::<u64>();
    let first = Box::new(StaticHeap::<32768>::new("moved"));
    let block = first.allocate(layout).expect("room").cast::<u8>();
    // SAFETY: the block is live with this layout.
    unsafe { first.deallocate_sized(block, layout) };
    let second = Box::new(*first);
    let block = second.allocate(layout).expect("room").cast::<u8>();
    let inside = (&raw const *second).cast::<u8>().addr();
    let end = inside + size_of::<StaticHeap<32768>>();
    assert!((inside..end).contains(&block.addr().get()), "the block is in the new place");
    // SAFETY: the block is live with this layout.
    unsafe { second.deallocate_sized(block, layout) };
}

#[test]
fn it_serves_as_a_global_allocator() {
    static GLOBAL: StaticHeap<65536> = StaticHeap::new("global");
    let layout = Layout::new::<[u8; 24]>();
    // SAFETY: the layout is not of size zero.
    let block = unsafe { GLOBAL.alloc_zeroed(layout) };
    // SAFETY: the block is live with this layout.
    let grown = unsafe { GLOBAL.realloc(block, layout, 4000) };
    assert!(!grown.is_null(), "room for 4 000 bytes");
    // SAFETY: the first 24 bytes were zeroed and kept.
    let kept = unsafe { grown.cast::<[u8; 24]>().read() };
    assert_eq!(kept, [0; 24], "contents are kept");
    // SAFETY: the block is live with this layout.
    unsafe { GLOBAL.dealloc(grown, Layout::new::<[u8; 4000]>()) };
    // SAFETY: the layout is not of size zero.
    let refused = unsafe { GLOBAL.alloc(Layout::new::<[u8; 100_000]>()) };
    assert!(refused.is_null(), "too large");
    assert_eq!(GLOBAL.stats().live, 0, "all freed");
}

#[test]
fn the_lock_is_free_again_after_a_report() {
    static JUDGE: StaticHeap<65536> = StaticHeap::new("judge");
    let layout = Layout::new::<u64>();
    let block = JUDGE.allocate(layout).expect("room").cast::<u8>();
    // SAFETY: the block is live with this layout.
    unsafe { JUDGE.deallocate_sized(block, layout) };
    // SAFETY: not kept: the double free is the subject of the test.
    let report = misuse_of(|| unsafe { JUDGE.deallocate_sized(block, layout) });
    assert!(report.contains("double free") && report.contains("`judge`"), "{report}");
    assert_eq!(JUDGE.stats().live, 0, "the lock was released");
}

#[test]
fn the_lock_is_held_while_something_is_done_and_no_longer() {
    let heap = Box::new(StaticHeap::<65536>::new("locked"));
    let is_locked = || std::format!("{:?}", heap.lock).contains("true");
    for _ in 0..2 {
        assert!(!is_locked(), "no call is in progress");
        assert!(heap.with(|_| is_locked()), "a call is");
    }
    assert!(!is_locked(), "and no more");
}

// The tools would report the planted write itself.
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
#[test]
fn an_overflow_into_a_header_is_found() {
    let heap = Box::new(StaticHeap::<65536>::new("flood"));
    let layout = Layout::new::<[u8; 1000]>();
    let blocks = [(); 2].map(|()| heap.allocate(layout).expect("room"));
    heap.verify().expect("sound");
    // SAFETY: the 8 bytes after the block are the next header, inside the buffer.
    let header = unsafe { blocks[0].cast::<u8>().add(blocks[0].len()) }.cast::<[u8; 8]>();
    // SAFETY: the header was written when the second block was handed out.
    let before = unsafe { header.read() };
    // SAFETY: no reference to it exists; writing there is the subject of the test.
    unsafe { header.write([0xee; 8]) };
    assert!(heap.verify().is_err(), "verify sees the damage");
    // SAFETY: as above.
    unsafe { header.write(before) };
    heap.verify().expect("sound again");
    for block in blocks {
        // SAFETY: the block is live with this layout.
        unsafe { heap.deallocate_sized(block.cast(), layout) };
    }
}
