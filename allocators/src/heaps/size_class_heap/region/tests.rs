//! Where the tables of a region end and its pages begin.

use core::mem::MaybeUninit;
use std::vec;

#[cfg(target_pointer_width = "64")]
use super::GRANULES_MAX;
use super::{Region, plan, region_in};
use crate::heaps::size_class_heap::block_size::bin_of;
use crate::heaps::size_classes::{PAGE, PAGE_GRANULES};

#[test]
fn pages_begin_at_the_first_boundary_behind_their_tables() {
    for bytes in [20_000, 50_000, 100_000, 1 << 20] {
        for address in (1 << 20..(1 << 20) + 2 * PAGE).step_by(8) {
            let plan = plan(address, bytes).expect("it holds pages");
            let tables = |pages: usize| {
                let levels = bin_of(pages as u32 * PAGE_GRANULES) as usize / 32 + 1;
                (levels, levels * 33 * 4 + pages * 57 + pages.div_ceil(4) + 24)
            };
            let base = |pages| (address + tables(pages).1).next_multiple_of(PAGE) - address;
            let what = (address, bytes);
            assert_eq!(
                (plan.levels, plan.base),
                (tables(plan.pages).0, base(plan.pages)),
                "{what:?}"
            );
            assert!(plan.base + plan.pages * PAGE <= bytes, "{what:?}: within");
            let more = plan.pages + 1;
            assert!(base(more) + more * PAGE > bytes, "{what:?}: no page more");
        }
    }
}

/// With 32 bits no region is so large.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_region_has_no_more_granules_than_a_header_can_tell() {
    let most = GRANULES_MAX / PAGE_GRANULES as usize;
    let plan = plan(PAGE, 1 << 33).expect("it holds pages");
    assert_eq!(plan.pages, most, "28 bits of granules");
}

#[test]
fn tables_lie_apart_before_the_header_of_the_first_block() {
    for skip in (0..PAGE).step_by(8) {
        // Each has memory of its own, as a region closes what it does not give out.
        let mut memory = vec![MaybeUninit::<u8>::uninit(); 60_000];
        let inner = &mut memory[skip..skip + 50_000];
        let region = region_in(inner).expect("it holds pages");
        let pages = region.pages() as usize;
        let (words, bins) = (region.levels as usize * 4, region.levels as usize * 32 * 4);
        let head = core::ptr::from_ref(region).addr();
        assert!(head >= region.memory.addr().get(), "{skip}");
        assert!(region.bins.addr() - words >= head + size_of::<Region>(), "{skip}");
        assert!(region.bins.addr() + bins <= region.starts.addr(), "{skip}");
        assert!(region.starts.addr() + pages * 32 <= region.descs.addr(), "{skip}");
        assert!(region.descs.addr() + pages * 16 <= region.units.addr(), "{skip}");
        assert_eq!(region.units.addr() + pages * 8, region.kinds.addr(), "{skip}");
        assert_eq!(region.kinds.addr() + pages, region.ages.addr(), "{skip}");
        assert!(region.ages.addr() + pages.div_ceil(4) + 8 <= region.base.addr(), "{skip}");
    }
}

#[test]
fn what_is_asked_for_a_block_is_what_the_documents_say() {
    // Two pages more than the block's, 57 and a quarter bytes a page, three pages for alignment, and
    // the head.
    for (granules, pages) in [(1, 1), (256, 1), (257, 2), (2560, 10)] {
        let tables = (pages + 2) * 57 + (pages + 2_usize).div_ceil(4);
        let expected = (pages + 2) * 4096 + tables + 3 * 4096 + size_of::<Region>() + 64;
        assert_eq!(Region::bytes_for(granules), expected, "{granules} granules");
    }
}
