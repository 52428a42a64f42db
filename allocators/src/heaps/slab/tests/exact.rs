//! What a slab passes on, to the request and to the byte: zeroed or not, when its table grows and
//! shrinks, and what damage is reported.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::vec::Vec;

use super::{LARGE, SlabAllocator, large, listed, over};
#[cfg(any(unix, windows))]
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::Allocator;
use crate::heaps::slab::passed::PassedOn;
#[cfg(any(unix, windows))]
use crate::pages::page::PageAllocator;
use crate::testing::test_backing::{TestBacking, misuse_of};

/// Bytes of a slot of the table of large blocks.
const SLOT: usize = 2 * size_of::<usize>();

fn free(slab: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the block is live and not used again.
    unsafe { slab.deallocate(block) };
}

#[test]
fn a_large_block_is_zeroed_only_where_that_is_asked() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let fresh = slab.allocate(LARGE).expect("room");
    let zeroed = slab.allocate_zeroed(LARGE).expect("room");
    for block in [fresh, zeroed] {
        assert_eq!(backing.layout_at(block.cast().as_ptr()), Some(LARGE), "both are the backing's");
    }
    // SAFETY: the block is live, and the test backing writes over each block it gives.
    assert!(unsafe { fresh.as_ref() }.iter().all(|&byte| byte == 0xa5), "as the backing gave it");
    // SAFETY: the block is live and zeroed.
    assert!(unsafe { zeroed.as_ref() }.iter().all(|&byte| byte == 0), "zeroed");
    free(&slab, fresh.cast());
    free(&slab, zeroed.cast());
}

#[test]
fn a_small_block_is_resized_where_it_is() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let [old, new] = [20, 30].map(|bytes| Layout::from_size_align(bytes, 4).expect("a layout"));
    let block = slab.allocate(old).expect("room").cast::<u8>();
    // SAFETY: the block is live with this layout.
    let resized = unsafe { slab.reallocate(block, old, new) }.expect("room");
    assert_eq!((resized.cast(), resized.len()), (block, 32), "the slot holds either");
    free(&slab, block);
}

#[test]
fn the_table_is_asked_for_when_it_is_half_full() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let blocks: Vec<_> = (0..40)
        .map(|count| {
            let before = backing.requests();
            let block = large(&slab);
            // 16 slots for the first 8, then twice as many each time.
            let asked = 1 + u64::from([0, 8, 16, 32].contains(&count));
            assert_eq!(backing.requests() - before, asked, "after {count} blocks");
            block
        })
        .collect();
    for block in blocks {
        free(&slab, block);
    }
}

#[test]
fn a_table_shrinks_where_less_than_half_is_needed() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let mut blocks: Vec<_> = (0..17).map(|_| large(&slab)).collect();
    let table = |blocks: &Vec<_>| slab.stats().reserved - 5000 * blocks.len();
    assert_eq!(table(&blocks), 64 * SLOT, "twice as many as the blocks, and a power of two");
    // Of 64 slots 17 to 9 blocks need a half, and then 8 a quarter.
    while blocks.len() > 1 {
        let before = backing.requests();
        slab.shrink();
        let slots = if blocks.len() > 8 { 64 } else { 16 };
        let moved = u64::from(blocks.len() == 8);
        assert_eq!(table(&blocks), slots * SLOT, "{} blocks", blocks.len());
        assert_eq!(backing.requests() - before, moved, "{} blocks", blocks.len());
        free(&slab, blocks.pop().expect("there are some"));
    }
    slab.verify().expect("sound");
    free(&slab, blocks[0]);
    slab.shrink();
    assert_eq!(slab.stats().reserved, 0, "without blocks there is none");
}

#[test]
#[cfg(any(unix, windows))]
fn a_backing_of_whole_pages_has_no_smaller_table() {
    let pages = PageAllocator::new("pages");
    let slab = SlabAllocator::with_region_bytes_in("slab", 64 << 10, &pages);
    let block = large(&slab);
    let before = (slab.stats().reserved, pages.stats().live, pages.stats().granted);
    for _ in 0..3 {
        slab.shrink();
        let now = (slab.stats().reserved, pages.stats().live, pages.stats().granted);
        assert_eq!(now, before, "what was taken to see went back");
    }
    slab.verify().expect("sound");
    free(&slab, block);
}

#[test]
#[cfg(any(unix, windows))]
fn a_smaller_table_is_asked_for_from_a_half_on() {
    let pages = PageAllocator::new("pages");
    let aligned = LARGE.align_to(align_of::<usize>()).expect("a layout");
    let pool = PoolAllocator::new_in("pool", aligned, &pages);
    let slab = SlabAllocator::with_region_bytes_in("slab", 64 << 10, &pool);
    // The table has a block of the pool. 65 blocks need 4096 bytes of it, 64 blocks 2048 and 32
    // blocks 1024; with 32 bits twice as many do.
    let times = 8 / size_of::<usize>();
    let most = 64 * times + 1;
    let mut blocks: Vec<_> = (0..most).map(|_| large(&slab)).collect();
    for (count, asked) in [(most, 0), (64 * times, 1), (32 * times, 1)] {
        while blocks.len() > count {
            free(&slab, blocks.pop().expect("there are more"));
        }
        let before = pool.stats().allocations_total;
        slab.shrink();
        assert_eq!(pool.stats().allocations_total - before, asked, "{count} blocks");
    }
    slab.verify().expect("sound");
    for block in blocks {
        free(&slab, block);
    }
}

#[test]
fn a_large_block_that_grows_counts_what_it_grows_by() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let mut block = large(&slab);
    let (mut old, mut total) = (LARGE, 5000);
    assert_eq!(slab.stats().requested_total, total, "as asked");
    for (bytes, more) in [(6000, 1000), (5500, 0), (5500, 0), (9000, 3500)] {
        let new = Layout::from_size_align(bytes, 1).expect("a layout");
        // SAFETY: the block is live with this layout.
        let moved = unsafe { slab.reallocate(block, old, new) }.expect("room");
        (block, old, total) = (moved.cast(), new, total + more);
        assert_eq!(slab.stats().requested_total, total, "to {bytes}");
        assert_eq!(slab.stats().granted, moved.len(), "to {bytes}");
    }
    free(&slab, block);
}

#[test]
fn verify_looks_at_each_slot_of_the_table() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let block = large(&slab);
    let small: Vec<_> =
        (0..400).map(|_| slab.allocate(Layout::new::<u64>()).expect("room").cast()).collect();
    for &small in &small {
        assert!(slab.passed.insert(PassedOn { address: small, bytes: 8 }), "there is a slot");
        let damage = slab.verify().expect_err("planted");
        assert_eq!(damage.what, "a large block is in a region of small ones", "{small:?}");
        assert_eq!(damage.address, small.as_ptr().cast_const(), "{damage}");
        slab.passed.remove(small);
    }
    for small in small {
        free(&slab, small);
    }
    // What is wrong with the table itself is reported as well.
    let nothing = PassedOn { address: block.map_addr(|at| at | 1), bytes: 0 };
    assert!(slab.passed.insert(nothing), "there is a slot");
    let damage = slab.verify().expect_err("planted");
    assert_eq!(damage.what, "a large block has an impossible size", "{damage}");
    slab.passed.remove(nothing.address);
    slab.verify().expect("sound again");
    free(&slab, block);
}

// The tools report the write itself, which is planted.
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
#[test]
fn verify_looks_at_the_regions() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let small = slab.allocate(Layout::new::<u64>()).expect("room").cast::<u8>();
    slab.verify().expect("sound");
    // The last 8 bytes of a page of slots are the header of what follows it.
    let page_end = small.map_addr(|at| at | 4095).as_ptr().wrapping_sub(7).cast::<[u8; 8]>();
    // SAFETY: the page is in the region, and the header is written.
    let before = unsafe { page_end.read() };
    // SAFETY: there is no reference to it; writing there is the point of the test.
    unsafe { page_end.write([0xee; 8]) };
    assert!(slab.verify().is_err(), "verify sees the damage");
    // SAFETY: as above.
    unsafe { page_end.write(before) };
    slab.verify().expect("sound again");
    free(&slab, small);
}

#[test]
fn a_table_without_a_free_slot_is_damage() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let block = large(&slab);
    let mut table = None;
    backing.walk(&mut |found| {
        if found.bytes == 16 * SLOT {
            table = Some(found.address.cast::<[usize; 2]>());
        }
    });
    let table = table.expect("16 slots");
    // SAFETY: the table has 16 slots of two words.
    let slots: Vec<_> = (0..16).map(|at| unsafe { table.add(at) }).collect();
    // A free slot is known by one word alone; the other may not have been written.
    let (_, after) = slab.passed.next(0).expect("there is one");
    let used = slots[after - 1];
    for &slot in slots.iter().filter(|&&slot| slot != used) {
        // SAFETY: both slots are in the table, are not the same, and nobody has a reference to
        // them.
        unsafe { slot.copy_from_nonoverlapping(used, 1) };
    }
    let report = misuse_of(|| {
        let _ = slab.allocate(LARGE);
    });
    assert!(report.contains("damage") && report.contains("`slab`"), "{report}");
    let mut handed_out = Vec::new();
    backing.walk(&mut |found| {
        if found.bytes == 5000 && found.address != block {
            handed_out.push(found.address);
        }
    });
    assert_eq!(handed_out.len(), 1, "one that the slab did not take");
    free(&backing, handed_out[0]);
    // All but one leave the table, which counts one.
    while slab.passed.count() > 0 {
        slab.passed.remove(block);
    }
    let memory = slab.passed.take_memory();
    slab.give_table(memory);
    slab.growing.uncount_passed_on(5000);
    free(&backing, block);
    assert_eq!(listed(&slab), [], "nothing is left");
}
