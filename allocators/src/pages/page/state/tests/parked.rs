//! Parked ranges and their neighbours; blocks whose pages change outside the lock.

use core::ptr::NonNull;

use super::layout;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::Misuse;
use crate::pages::page::entry::{Entry, Kind};
use crate::pages::page::state::{HUGE_BYTES, Request, State};
use crate::pages::page::system::{self, Access};

fn page() -> usize {
    system::page_size()
}

/// Pages of the test, and a state that manages them.
struct Ground {
    base: NonNull<u8>,
    state: State,
}

impl Ground {
    fn new(pages: usize) -> Self {
        let base = system::map(pages * page(), Access::ReadWrite, false).expect("there is memory");
        Self { base, state: State::new() }
    }

    fn at(&self, index: usize) -> NonNull<u8> {
        // SAFETY: the tests ask for pages of the mapping.
        unsafe { self.base.add(index * page()) }
    }

    /// Parks pages as if the kernel had refused to unmap them, regardless of their neighbours.
    fn left(&mut self, index: usize, pages: usize) {
        let entry = Entry::new(Kind::Parked, self.at(index), pages * page(), page());
        self.state.table.reserve_slot().expect("there is memory");
        self.state.table.insert(entry);
        self.state.counters.reserved(entry.mapped());
        self.state.parked += 1;
    }

    fn park(&mut self, index: usize, pages: usize) {
        self.state.park(self.at(index), pages * page());
        assert_eq!(self.state.validate(), Ok(()), "whole");
    }

    fn block(&mut self, index: usize, pages: usize) -> Entry {
        let entry = Entry::block(self.at(index), layout(pages * page()));
        self.state.table.reserve_slot().expect("there is memory");
        self.state.enter(entry);
        // SAFETY: the pages are the test's own.
        unsafe { entry.address().write_bytes(7, entry.mapped()) };
        entry
    }

    /// Removes a block and returns whether unmapping the parked ranges is worthwhile.
    fn free(&mut self, block: Entry) -> bool {
        // SAFETY: the block is live, so its pages are mapped and were written.
        let kept = unsafe { block.slice().as_ref() };
        assert!(kept.iter().all(|&byte| byte == 7), "a block lost its bytes");
        let (entry, sweep) = self.state.take(block.start(), None).expect("a live block");
        // SAFETY: the block is the test's own and was taken out of the table.
        unsafe { system::unmap(entry.address(), entry.mapped()) }.expect("no limit is near");
        sweep
    }

    fn parked(&self) -> (usize, usize) {
        let stats = self.state.stats();
        (self.state.parked, (stats.reserved - stats.granted) / page())
    }
}

#[test]
fn all_neighbours_go_with_a_range() {
    for index in 0..5 {
        let mut ground = Ground::new(5);
        (0..5).filter(|other| *other != index).for_each(|other| ground.left(other, 1));
        assert_eq!(ground.parked(), (4, 4), "on both sides");
        ground.park(index, 1);
        assert_eq!(ground.parked(), (0, 0), "all of them, with page {index}");
    }
}

#[test]
fn blocks_beside_a_range_are_not_touched() {
    let mut ground = Ground::new(5);
    let blocks = [ground.block(0, 2), ground.block(3, 2)];
    ground.park(2, 1);
    assert_eq!(ground.parked(), (1, 1), "alone between two blocks");
    assert!(!ground.free(blocks[0]), "a block is left");
    assert!(ground.free(blocks[1]), "none is left, but a parked range");
    assert!(ground.state.sweep(), "it goes");
    assert_eq!(ground.parked(), (0, 0), "gone");
    assert!(!ground.state.sweep(), "nothing to go");
}

#[test]
fn ranges_apart_stay_where_others_go() {
    let mut ground = Ground::new(4);
    ground.left(0, 1);
    ground.left(2, 1);
    ground.park(3, 1);
    assert_eq!(ground.parked(), (1, 1), "a gap is between");
    assert_eq!(ground.state.validate(), Ok(()), "whole");
    assert!(ground.state.sweep(), "it goes");
    // SAFETY: the gap is the test's own.
    unsafe { system::unmap(ground.at(1), page()) }.expect("no limit is near");
}

#[test]
fn a_sweep_takes_every_range_and_no_block() {
    let mut ground = Ground::new(9);
    let blocks = [ground.block(0, 1), ground.block(4, 2), ground.block(8, 1)];
    for (index, pages) in [(1, 1), (2, 1), (3, 1), (6, 1), (7, 1)] {
        ground.left(index, pages);
    }
    assert_eq!(ground.parked(), (5, 5), "in two runs, right after blocks and before them");
    assert!(ground.state.sweep(), "they go");
    assert_eq!(ground.parked(), (0, 0), "all of them");
    assert_eq!(ground.state.validate(), Ok(()), "whole");
    let worth = blocks.map(|block| ground.free(block));
    assert_eq!(worth, [false; 3], "nothing is parked, so no sweep is worth it");
}

#[test]
fn an_end_serves_where_it_is_aligned() {
    let grain = 4 * page();
    for cut in 0..4 {
        let mut ground = Ground::new(16);
        ground.park(0, 16 - cut);
        ground.state.table.reserve_slot().expect("there is memory");
        let wanted = core::alloc::Layout::from_size_align(page(), grain).expect("a layout");
        let block = ground.state.reuse(wanted, page(), grain);
        let last = ground.at(16 - cut - 1);
        let is_aligned = last.addr().get().is_multiple_of(grain);
        let expected = is_aligned.then_some(last);
        assert_eq!(block.map(Entry::address), expected, "{cut} pages fewer");
        match block {
            Some(block) => {
                // SAFETY: the block is live and writable.
                unsafe { block.address().write_bytes(7, page()) };
                assert!(ground.free(block), "the rest is parked");
            }
            None => ground.state.table.cancel(),
        }
        assert!(ground.state.sweep(), "the rest goes");
        if cut > 0 {
            // SAFETY: pages that were never parked are the test's own.
            unsafe { system::unmap(ground.at(16 - cut), cut * page()) }.expect("a mapping");
        }
    }
}

#[test]
fn a_cut_that_the_kernel_refuses_is_taken_back() {
    let mut ground = Ground::new(4);
    let old = ground.block(0, 4);
    let new = Entry::block(old.address(), layout(page()));
    let before = ground.state.stats();
    assert_eq!(ground.state.cut(old, new), Ok(()), "it is live");
    assert_eq!(ground.state.in_flight, 1, "outside the lock");
    ground.state.cut_done(old, new, false);
    assert_eq!((ground.state.stats(), ground.state.in_flight), (before, 0), "as it was");
    let found = ground.state.find(old.start(), None).map(|(_, entry)| entry);
    assert_eq!((found, ground.state.validate()), (Ok(old), Ok(())), "as it was");
    assert_eq!(ground.state.cut(old, new), Ok(()), "it is live");
    ground.state.cut_done(old, new, true);
    assert_eq!((ground.state.stats().granted, ground.state.in_flight), (page(), 0), "cut");
    assert_eq!(ground.state.validate(), Ok(()), "whole");
    // SAFETY: the tail is the test's own.
    unsafe { system::unmap(ground.at(1), 3 * page()) }.expect("no limit is near");
    ground.free(new);
}

#[test]
fn a_block_that_moved_is_known_at_its_new_place_alone() {
    let mut ground = Ground::new(4);
    let old = ground.block(0, 2);
    assert_eq!(ground.state.remove_entry(old), Ok(Ok::<(), AllocError>(())), "it is live");
    assert_eq!(ground.state.in_flight, 1, "outside the lock");
    ground.state.insert_entry(old, old);
    assert_eq!((ground.state.in_flight, ground.state.validate()), (0, Ok(())), "as it was");
    let new = Entry::block(ground.at(2), layout(2 * page()));
    assert_eq!(ground.state.remove_entry(old), Ok(Ok(())), "it is live");
    ground.state.insert_entry(old, new);
    assert_eq!((ground.state.in_flight, ground.state.validate()), (0, Ok(())), "moved");
    let found = ground.state.find(old.start(), None).map(|_| ());
    assert_eq!(found, Err(Misuse::DoubleFree), "it was a block's");
    // SAFETY: the old pages are the test's own.
    unsafe { system::unmap(old.address(), old.mapped()) }.expect("no limit is near");
    // SAFETY: as are the new ones, which are mapped.
    unsafe { new.address().write_bytes(7, new.mapped()) };
    ground.free(new);
}

#[test]
fn damage_to_the_table_is_told_first() {
    let mut ground = Ground::new(2);
    let block = ground.block(0, 2);
    let (place, _) = ground.state.find(block.start(), None).expect("a live block");
    // SAFETY: an address within the block.
    let odd = unsafe { block.address().add(1) };
    ground.state.table.replace(place, Entry::new(Kind::Block, odd, block.bytes(), 1));
    let said = ground.state.validate().map_err(|damage| damage.what);
    assert_eq!(said, Err("a leaf of the page table has a wrong top"), "all sums are right");
    ground.state.table.replace(place, block);
    ground.free(block);
}

#[test]
fn requests_are_whole_pages() {
    let (page, huge) = (page(), HUGE_BYTES);
    let asked = |bytes, align, is_huge| {
        let layout = core::alloc::Layout::from_size_align(bytes, align).expect("a layout");
        let request = Request::new(layout, is_huge).expect("a possible size");
        (request.bytes, request.grain, request.huge)
    };
    assert_eq!(asked(0, 1, false), (page, page, false), "at least one");
    assert_eq!(asked(page + 1, 8, true), (2 * page, page, false), "too small to be huge");
    assert_eq!(asked(huge - page, 1, true), (huge - page, page, false), "too small to be huge");
    assert_eq!(asked(huge - page + 1, 1, true), (huge, huge, true), "just huge");
    assert_eq!(asked(3 * huge, 2 * huge, true), (3 * huge, 2 * huge, true), "as aligned as asked");
    assert_eq!(asked(3 * huge, 8, false), (3 * huge, page, false), "not asked for");
}
