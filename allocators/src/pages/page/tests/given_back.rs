//! The memory that an allocator mapped for its tables is unmapped with them.

use super::child::{self, check};
use super::limits::address_space;
use super::{fill, layout, page};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;
use crate::pages::page::entry::{Entry, Kind};
use crate::pages::page::page_map::PageMap;
use crate::pages::page::system::{self, Access};
use crate::pages::page::table::Table;

/// An entry of addresses that are never touched.
fn entry(start: usize) -> Option<Entry> {
    let address = core::num::NonZero::new(start)?;
    Some(Entry::new(Kind::Block, core::ptr::NonNull::without_provenance(address), page(), page()))
}

#[test]
fn tables_and_maps_go_with_their_owners() {
    let answer = child::run(|| {
        // The mappings of the first read of the address space itself.
        address_space();
        let before = address_space();
        for (pledges, entries) in [(0, 0), (1, 0), (171, 0), (700, 0), (0, 1), (0, 700), (400, 700)]
        {
            let mut table = Table::new();
            for _ in 0..pledges {
                check!(table.reserve_slot().is_ok());
            }
            for index in (1..=entries).rev() {
                check!(table.reserve_slot().is_ok());
                table.insert(entry(index * page()).unwrap());
            }
            let mapped = table.bytes().next_multiple_of(page());
            check!(address_space() == before + mapped);
            // Removed leaves are unmapped at once, except one.
            while let Some((place, _)) = table.at_or_below(usize::MAX) {
                table.remove(place);
            }
            check!(table.bytes() <= mapped);
            check!(address_space() == before + table.bytes().next_multiple_of(page()));
            drop(table);
            check!(address_space() == before);
        }
        for pages in [1, 100, 1 << 20] {
            let map = PageMap::new(pages).unwrap();
            check!(address_space() == before + map.bytes());
            drop(map);
            check!(address_space() == before);
        }
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}

#[test]
fn what_is_parked_goes_with_the_allocator() {
    let answer = child::run(|| {
        address_space();
        let before = address_space();
        let pages = PageAllocator::new("parked");
        let base = system::map(3 * page(), Access::ReadWrite, false).unwrap();
        pages.pages.state.with(|state| state.park(base, 3 * page()));
        let block = pages.allocate(layout(5 * page(), 8)).unwrap();
        fill(block, 1);
        // SAFETY: the block is live.
        unsafe { pages.deallocate(block.cast()) };
        let base = system::map(3 * page(), Access::ReadWrite, false).unwrap();
        pages.pages.state.with(|state| state.park(base, 3 * page()));
        let space = pages.reserve(9 * page(), page()).unwrap();
        check!(space.commit(0..page()).is_ok());
        drop(space);
        check!(address_space() > before);
        drop(pages);
        check!(address_space() == before);
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}
