//! Limits of the books, the counters after a resize, and damage that only some tables show.

use core::mem::MaybeUninit;
use core::num::NonZero;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use super::{free, layout, take};
use crate::contract::allocator::Allocator;
use crate::linear::frame::FrameAllocator;
use crate::testing::test_backing::TestBacking;
use crate::wrappers::quarantine::{Known, QuarantineAllocator};

#[test]
fn a_list_of_none_takes_no_books() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 0, 1000, &backing, &books).expect("room");
    assert_eq!(books.requests(), 0, "there is nothing to list");
    assert!(quarantine.held.pop().is_none(), "nothing waits");
    drop(quarantine);
    let quarantine = QuarantineAllocator::new_in("q", 2, 1000, &backing, &books).expect("room");
    assert_eq!(books.requests(), 1, "the list");
    assert!(quarantine.held.pop().is_none(), "nothing waits yet");
    assert_eq!(quarantine.held_count(), 0, "nor is anything counted");
}

#[test]
fn the_last_that_waits_makes_place_too() {
    for zeroed in [false, true] {
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        let quarantine = QuarantineAllocator::new_in("q", 9, 1000, &backing, &books).expect("room");
        // One table of 64 slots, of which 48 can be used, and no other.
        books.refuse_from(1);
        let blocks = [(); 48].map(|()| take(&quarantine, 16));
        free(&quarantine, blocks[0]);
        let of = layout(16, 8);
        let again = if zeroed { quarantine.allocate_zeroed(of) } else { quarantine.allocate(of) };
        let again = again.expect("the one that waited has left for it").cast();
        assert_eq!(quarantine.held_count(), 0, "none is left");
        quarantine.verify().expect("sound");
        free(&quarantine, again);
        blocks[1..].iter().for_each(|&block| free(&quarantine, block));
    }
}

#[test]
fn nothing_leaves_while_there_is_place() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 9, 1000, &backing, &books).expect("room");
    for waiting in 0..3 {
        for zeroed in [false, true] {
            let of = layout(16, 8);
            let block =
                if zeroed { quarantine.allocate_zeroed(of) } else { quarantine.allocate(of) };
            let block = block.expect("there is place").cast();
            assert_eq!(quarantine.held_count(), 2 * waiting + usize::from(zeroed), "all wait");
            free(&quarantine, block);
        }
    }
}

#[test]
fn a_resize_in_place_counts_what_it_adds() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let books = TestBacking::new();
    let quarantine = QuarantineAllocator::new_in("q", 9, 1000, &frame, &books).expect("room");
    let block = take(&quarantine, 16);
    let mut old = 16;
    // Both calls in turn; a frame resizes its last block in place.
    for (new, total, peak) in [
        (40, 40, 40),
        (100, 100, 100),
        (60, 100, 100),
        (8, 100, 100),
        (9, 101, 100),
        (200, 292, 200),
    ] {
        let (before, after) = (layout(old, 8), layout(new, 8));
        // SAFETY: the block is live and has this layout.
        let resized = unsafe {
            if new % 8 == 0 {
                quarantine.resize_in_place(block, before, after)
            } else {
                quarantine.reallocate(block, before, after)
            }
        };
        let resized = resized.expect("there is room after it");
        assert_eq!((resized.cast(), resized.len()), (block, new), "where it was");
        let stats = quarantine.stats();
        assert_eq!((stats.live, stats.requested, stats.granted), (1, new, new), "from {old}");
        assert_eq!((stats.requested_total, stats.granted_total), (total, total), "from {old}");
        assert_eq!((stats.peak_requested, stats.peak_granted), (peak, peak), "from {old}");
        assert_eq!(quarantine.held_count(), 0, "nothing was left behind");
        quarantine.verify().expect("sound");
        old = new;
    }
    // For a larger alignment it moves, though the frame could keep it.
    // SAFETY: the block is live and has this layout.
    let moved = unsafe { quarantine.reallocate(block, layout(200, 8), layout(200, 256)) };
    let moved = moved.expect("there is room").cast::<u8>();
    assert!(moved.addr().get().is_multiple_of(256), "it is aligned");
    assert_eq!(quarantine.held_count(), usize::from(moved != block), "the old place waits");
    free(&quarantine, moved);
}

#[test]
fn a_move_is_left_out_only_where_the_alignment_allows_it() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let books = TestBacking::new();
    let quarantine = QuarantineAllocator::new_in("q", 9, 1000, &frame, &books).expect("room");
    let mut block = take(&quarantine, 16);
    for (new, moves) in [(layout(24, 8), false), (layout(32, 4), false), (layout(32, 8), true)] {
        let old = quarantine.blocks.get(block).expect("it is live").layout;
        // SAFETY: the block is live and has this layout.
        let resized = unsafe { quarantine.reallocate(block, old, new) }.expect("there is room");
        assert_eq!(quarantine.held_count(), usize::from(moves), "{old:?} to {new:?}");
        block = resized.cast();
    }
    free(&quarantine, block);
}

#[test]
fn an_entry_that_waits_nowhere_and_too_many_bytes_are_told() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let mut quarantine = QuarantineAllocator::new_in("q", 9, 1000, &backing, &books).expect("room");
    let [live, waiting] = [take(&quarantine, 16), take(&quarantine, 100)];
    free(&quarantine, waiting);
    let what = |quarantine: &QuarantineAllocator<'_, TestBacking, TestBacking>| {
        quarantine.verify().map_err(|damage| damage.what)
    };
    quarantine.bytes_max = 99;
    assert_eq!(what(&quarantine), Err("the bytes in quarantine are miscounted"), "over the limit");
    quarantine.bytes_max = 100;
    assert_eq!(what(&quarantine), Ok(()), "just within it");
    let known = quarantine.blocks.get(waiting).expect("it waits");
    // An address without an owner.
    let stray = NonNull::without_provenance(NonZero::<usize>::MIN);
    quarantine.blocks.insert(stray, Known { slot: 5, ..known });
    let sums = "the counters of a quarantine are not the sums over its table";
    assert_eq!(what(&quarantine), Err(sums), "one more waits than is listed");
    quarantine.blocks.remove(stray);
    assert_eq!(what(&quarantine), Ok(()), "as it was");
    free(&quarantine, live);
}

#[test]
fn damage_of_the_table_is_told() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 0, 1000, &backing, &books).expect("room");
    let [one, two] = [take(&quarantine, 16), take(&quarantine, 16)];
    let mut table = None;
    books.walk(&mut |block| table = Some(block));
    let table = table.expect("without a list there is the table alone");
    // SAFETY: there are this many words, all written, as the table was zero before it was used.
    let word = |at: usize| unsafe { table.address.cast::<*mut u8>().add(at) };
    let words = table.bytes / size_of::<*mut u8>();
    // SAFETY: the word is one of those.
    let is_two = |&at: &usize| unsafe { word(at).read() } == two.as_ptr();
    // Each entry has its address, and the pointer in its value.
    let places: Vec<usize> = (0..words).filter(is_two).collect();
    assert_eq!(places.len(), 2, "the second block's");
    let key = places.into_iter().find(|&at| {
        // SAFETY: as above.
        let before = unsafe { word(at).replace(one.as_ptr()) };
        let told = quarantine.verify().map_err(|damage| damage.what);
        // SAFETY: as above.
        unsafe { word(at).write(before) };
        told == Err("an entry of the table of addresses cannot be found")
    });
    assert!(key.is_some(), "the first is there twice");
    quarantine.verify().expect("as it was");
    [one, two].into_iter().for_each(|block| free(&quarantine, block));
}
