//! Wrong frees, of the thread's own blocks and of another's.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::string::String;
use std::sync::mpsc::channel;
use std::thread;

use super::{Filled, layout, small_heap};
use crate::bookkeeping::mark;
use crate::contract::allocator::Allocator;
use crate::heaps::thread_heap::ThreadHeap;
use crate::testing::test_backing::{TestBacking, misuse_of};

/// Sizes of every way to hold a block: a page's slot, one of a middle size, a core block, a huge
/// one.
const SIZES: [usize; 4] = [40, 1000, 100_000, 17 << 20];

/// What is said when this thread frees an address, `offset` bytes into a block of `bytes` bytes of
/// another thread's, after `before`.
fn said_of_others(
    bytes: usize,
    before: impl Fn(&ThreadHeap<'_>, NonNull<u8>),
    wrong: impl Fn(&ThreadHeap<'_>, NonNull<u8>),
    is_live: bool,
) -> String {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let (to, from) = channel::<Filled>();
    let (end, ended) = channel::<()>();
    thread::scope(|scope| {
        let heap = &heap;
        let other = scope.spawn(move || {
            // A neighbour, so that the region stays.
            let neighbour = Filled::new(heap, layout(bytes), 2);
            to.send(Filled::new(heap, layout(bytes), 1)).expect("it waits");
            ended.recv().expect("it sends");
            neighbour.free(heap);
        });
        let filled = from.recv().expect("it sends");
        before(heap, filled.block);
        let said = misuse_of(|| wrong(heap, filled.block));
        if is_live {
            filled.free(heap);
        }
        end.send(()).expect("it waits");
        other.join().expect("no panic");
        said
    })
}

fn free(heap: &ThreadHeap<'_>, block: NonNull<u8>) {
    // SAFETY: the first free of a block is right, and what a wrong one does is what is tested.
    unsafe { heap.deallocate(block) };
}

#[test]
fn a_second_free_of_another_threads_block_is_found_at_once() {
    for bytes in SIZES {
        let said = said_of_others(bytes, free, free, false);
        // A huge block is gone with its addresses.
        let kind = if bytes > 16 << 20 { "foreign free" } else { "double free" };
        assert!(said.contains(kind), "{bytes}: {said}");
        assert!(said.contains("tests/misuse.rs"), "{said}");
    }
}

#[test]
fn an_address_inside_another_threads_block_is_found_at_once() {
    for bytes in SIZES {
        for offset in [8, 16] {
            let inside = |heap: &ThreadHeap<'_>, block: NonNull<u8>| {
                // SAFETY: it is inside the block.
                free(heap, unsafe { block.add(offset) });
            };
            let said = said_of_others(bytes, |_, _| {}, inside, true);
            assert!(said.contains("interior free"), "{bytes}, {offset}: {said}");
        }
    }
}

#[test]
fn a_wrong_size_of_another_threads_block_is_found_at_once() {
    for bytes in SIZES {
        let larger = |heap: &ThreadHeap<'_>, block: NonNull<u8>| {
            let wrong = Layout::from_size_align(bytes * 2, 8).expect("a layout");
            // SAFETY: what a wrong size does is what is tested.
            unsafe { heap.deallocate_sized(block, wrong) };
        };
        let said = said_of_others(bytes, |_, _| {}, larger, true);
        assert!(said.contains("wrong size") || said.contains("size"), "{bytes}: {said}");
        let resized = |heap: &ThreadHeap<'_>, block: NonNull<u8>| {
            let wrong = Layout::from_size_align(bytes * 2, 8).expect("a layout");
            // SAFETY: as above.
            let _ = unsafe { heap.resize_in_place(block, wrong, layout(bytes)) };
        };
        let said = said_of_others(bytes, |_, _| {}, resized, true);
        assert!(said.contains("size"), "{bytes}: {said}");
    }
}

#[test]
fn a_free_by_another_thread_after_the_owners_is_found_at_once() {
    for bytes in SIZES {
        let backing = TestBacking::new();
        let heap = small_heap(&backing);
        let kept = Filled::new(&heap, layout(bytes), 1);
        let block = Filled::new(&heap, layout(bytes), 2);
        let again = Sent(block.block);
        block.free(&heap);
        let said = misuse_of(|| free_elsewhere(&heap, again));
        let kind = if bytes > 16 << 20 { "foreign free" } else { "double free" };
        assert!(said.contains(kind), "{bytes}: {said}");
        kept.free(&heap);
    }
}

#[test]
fn an_owners_free_of_a_block_that_another_freed_is_found_late() {
    for bytes in [40, 1000, 100_000] {
        let backing = TestBacking::new();
        let heap = small_heap(&backing);
        let kept = Filled::new(&heap, layout(bytes), 1);
        let block = Filled::new(&heap, layout(bytes), 2);
        let again = block.block;
        thread::scope(|scope| scope.spawn(|| block.free(&heap)).join().expect("no panic"));
        // The owner has not taken it back, so this looks right.
        free(&heap, again);
        let said = misuse_of(|| heap.collect());
        assert!(said.contains("double free"), "{bytes}: {said}");
        kept.free(&heap);
    }
}

#[test]
fn addresses_of_no_heap_are_found() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let local = 5_u64;
    let said = misuse_of(|| free(&heap, NonNull::from(&local).cast()));
    assert!(said.contains("foreign free"), "before the first block: {said}");
    let filled = Filled::new(&heap, layout(40), 1);
    let said = misuse_of(|| free(&heap, NonNull::from(&local).cast()));
    assert!(said.contains("foreign free"), "{said}");
    // The head of the chunk, before its region.
    let chunk = filled.block.addr().get() & !((1 << 20) - 1);
    let chunk = NonNull::new(filled.block.as_ptr().with_addr(chunk)).expect("not null");
    for address in [chunk, chunk.map_addr(|a| a | core::num::NonZero::<usize>::MIN)] {
        let said = misuse_of(|| free(&heap, address));
        assert!(said.contains("foreign free"), "{said}");
    }
    assert!(!heap.owns(chunk.as_ptr()), "the head is no block's");
    filled.free(&heap);
}

#[test]
fn a_header_that_was_overwritten_is_found_when_another_thread_frees() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let filled = Filled::new(&heap, layout(100_000), 1);
    let header = filled.block.as_ptr().wrapping_sub(8);
    let exchange = |word: u32| {
        mark::opened(header, 8, || {
            // SAFETY: it is the block's header, in memory of the heap; the damage is what is
            // tested, and is taken back.
            unsafe { header.cast::<u32>().replace(word) }
        })
    };
    let word = exchange(0);
    let block = Sent(filled.block);
    let said = misuse_of(|| free_elsewhere(&heap, block));
    assert!(said.contains("overwritten") || said.contains("damage"), "{said}");
    exchange(word);
    filled.free(&heap);
}

/// An address for another thread.
#[derive(Clone, Copy)]
struct Sent(NonNull<u8>);

// SAFETY: an address is only a number until it is freed.
unsafe impl Send for Sent {}

impl Sent {
    fn get(self) -> NonNull<u8> {
        self.0
    }
}

/// Frees a block in another thread, and panics as that one does.
fn free_elsewhere(heap: &ThreadHeap<'_>, block: Sent) {
    thread::scope(|scope| {
        let freed = scope.spawn(move || free(heap, block.get())).join();
        if let Err(panic) = freed {
            std::panic::resume_unwind(panic);
        }
    });
}
