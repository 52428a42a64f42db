//! What a verification says of each kind of damage to pages, fronts and lists, and wrong addresses.

use core::ptr::NonNull;
use std::vec::Vec;

use super::fast::{add, layout, memory};
use crate::contract::allocator::Block;
use crate::contract::misuse::Misuse;
use crate::heaps::size_class_heap::check::WalkState;
use crate::heaps::size_class_heap::region::PageState;
use crate::heaps::size_class_heap::small::Item;
use crate::heaps::size_class_heap::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{HeapClasses, SizeClasses};

type Default = SizeClassHeap<HeapClasses>;

/// Page 1 of region 0, where the slots of these tests are.
const PAGE: u32 = 1;

/// What a verification says of a size-class heap in which slots of 496 bytes are live in page 1,
/// another has been freed, and damage is planted; and how far from the start of the page.
fn said(plant: impl FnOnce(&mut Default, usize, &[NonNull<u8>])) -> (&'static str, isize) {
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    // The page before is of another class, so that page numbers matter.
    inner.allocate(layout(16, 1)).expect("there is room");
    let blocks: Vec<NonNull<u8>> =
        (0..3).map(|_| inner.allocate(layout(496, 1)).expect("there is room").cast()).collect();
    inner.deallocate(blocks[0], 496).expect("it is live");
    inner.verify().expect("sound before");
    let class = Default::class_for(layout(496, 1)).expect("a class has it");
    let start = inner.regions[0].address(PAGE * 256);
    assert_eq!(blocks[0].as_ptr(), start, "the first slot of the page");
    plant(&mut inner, class, &blocks);
    let damage = inner.verify().expect_err("damage was planted");
    (damage.what, damage.address.addr().wrapping_sub(start.addr()) as isize)
}

#[test]
fn damage_to_a_page_is_told_with_the_page() {
    let descriptor = ("a page's descriptor is damaged", 0);
    let found = said(|inner, _, _| inner.edit_desc(PAGE, |desc| desc.id ^= 1 << 20));
    assert_eq!(found, descriptor, "another's number");
    let found = said(|inner, _, _| inner.edit_desc(PAGE, |desc| desc.used = 1));
    assert_eq!(found, descriptor, "more are live than are used");
    let kind = ("a page's kind is damaged", 0);
    let found = said(|inner, class, _| inner.regions[0].set_kind(PAGE, class as u8));
    assert_eq!(found, kind, "the page is of another class than its descriptor");
    let found = said(|inner, _, _| {
        let none = HeapClasses::TABLE.count() as u8;
        inner.regions[0].set_kind(PAGE, none + 1);
        inner.edit_desc(PAGE, |desc| desc.class = none);
    });
    assert_eq!(found, kind, "there is no such class");
    let found = said(|inner, _, _| inner.regions[0].set_start(PAGE * 256 + 5));
    assert_eq!(found, ("a live bit is set where no slot starts", 0), "inside the first slot");
}

#[test]
fn counts_that_disagree_are_told() {
    let counts = "the pages' counts disagree with the blocks handed out";
    let found = said(|inner, _, _| inner.edit_desc(PAGE, |desc| desc.used += 1));
    assert_eq!(found.0, counts, "the page has one too many");
    let found = said(|inner, class, _| {
        inner.classes[class].out += 1;
        inner.edit_desc(PAGE, |desc| desc.used += 1);
    });
    assert_eq!(found.0, counts, "the class has one too many, which is not live");
    let found = said(|inner, _, blocks| {
        let offset = blocks[2].as_ptr().addr() - inner.regions[0].base.addr();
        inner.regions[0].clear_start((offset / 16) as u32);
    });
    assert_eq!(found.0, counts, "one is not live that is handed out");
}

#[test]
fn a_front_holds_free_slots_of_its_class_alone() {
    let not_free = "a front holds what is not free";
    let found = said(|inner, _, _| inner.regions[0].set_start(PAGE * 256));
    assert_eq!(found, (not_free, 0), "it is live");
    let change = |inner: &mut Default, class: usize, item: Item| {
        inner.fronts[class].pop().expect("one was freed");
        inner.fronts[class].push(item);
    };
    let found = said(|inner, class, _| {
        let granule = (PAGE + 3) * 256;
        region_of(inner).reach(granule);
        let region = &inner.regions[0];
        let item = Item { start: region.address(granule), word: region.starts_word(granule) };
        change(inner, class, item);
    });
    assert_eq!(found, (not_free, 3 * 4096), "a page of no class");
    let found = said(|inner, class, blocks| {
        let word = inner.regions[0].starts_word(PAGE * 256 + 64);
        change(inner, class, Item { start: blocks[0].as_ptr(), word });
    });
    assert_eq!(found, (not_free, 0), "the bit of another page's word");
}

fn region_of(inner: &mut Default) -> &mut crate::heaps::size_class_heap::region::Region {
    &mut inner.regions[0]
}

#[test]
fn a_list_of_partial_pages_ends_where_it_began() {
    let list = "a list of partial pages is damaged";
    let found = said(|inner, class, _| inner.classes[class].partial = PAGE);
    assert_eq!(found, (list, 0), "the current page is in no list");
    let found = said(|inner, class, _| {
        inner.edit_desc(PAGE, |desc| desc.state = PageState::Partial);
        let other = PAGE - 1;
        let before = inner.edit_desc(other, |desc| core::mem::replace(&mut desc.next, PAGE));
        assert_ne!(before, PAGE, "it was in no list");
        inner.edit_desc(other, |desc| desc.state = PageState::Partial);
        inner.edit_desc(PAGE, |desc| desc.next = PAGE);
        inner.classes[class].partial = other;
    });
    assert_eq!(found, (list, 0), "it goes round without its first page");
}

fn walked(inner: &Default) -> Vec<Block> {
    let mut state = WalkState::default();
    core::iter::from_fn(|| inner.walk_next(&mut state)).collect()
}

#[test]
fn a_walk_ends_where_a_header_is_damaged() {
    // The damage is done to memory that is nobody's, which these tools would report.
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    let mut memory = memory(1 << 17);
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let blocks: Vec<NonNull<u8>> =
        (0..3).map(|_| inner.allocate(layout(3000, 1)).expect("there is room").cast()).collect();
    let addresses = |inner: &Default| -> Vec<_> {
        walked(inner).into_iter().map(|block| block.address).collect()
    };
    assert_eq!(addresses(&inner), blocks, "by address");
    let header = blocks[1].as_ptr().wrapping_sub(8).cast::<u32>();
    // SAFETY: the header is before the block, in the region.
    let before = unsafe { header.replace(0) };
    assert_eq!(addresses(&inner), blocks[..1], "up to the damaged one");
    let damage = inner.verify().expect_err("a header is damaged");
    let expected = ("a block's header is damaged", blocks[1].as_ptr().cast_const());
    assert_eq!((damage.what, damage.address), expected, "the second");
    // SAFETY: as above.
    unsafe { header.write(before) };
    inner.verify().expect("as it was");
}

#[test]
fn addresses_at_which_no_block_starts_are_told_apart() {
    let mut memory = memory(1 << 18);
    let mut huge = memory_of_one_block();
    let mut inner = Default::new();
    assert!(add(&mut inner, &mut memory), "the memory holds pages");
    let block = NonNull::from(huge.as_mut_slice());
    let block = NonNull::slice_from_raw_parts(block.cast::<u8>(), huge.len());
    assert!(inner.add_huge(block, layout(huge.len(), 1)).is_some(), "there is a slot");
    let first = inner.allocate(layout(3000, 1)).expect("there is room").cast::<u8>();
    assert_eq!(first.as_ptr(), inner.regions[0].base, "at granule 0");
    let second = inner.allocate(layout(3000, 1)).expect("there is room").cast::<u8>();
    inner.deallocate(second, 3000).expect("it is live");
    let what = |inner: &Default, address: NonNull<u8>, offset: usize| {
        let address = NonNull::new(address.as_ptr().wrapping_add(offset)).expect("not null");
        match inner.locate(address) {
            Ok(_) => None,
            Err(Refusal::Wrong(what, at)) => {
                assert_eq!(at, address.as_ptr().cast_const(), "the address itself");
                Some(what)
            }
            Err(other) => panic!("{other:?}"),
        }
    };
    let huge = block.cast();
    assert_eq!(what(&inner, huge, 0), None, "the one block of its region");
    for offset in [1, 16, 4096] {
        assert_eq!(what(&inner, huge, offset), Some(Misuse::InteriorFree), "{offset}");
    }
    assert_eq!(what(&inner, huge, 20_000), Some(Misuse::ForeignFree), "past it");
    assert_eq!(what(&inner, first, 0), None, "a block");
    for offset in [1, 16, 2999] {
        assert_eq!(what(&inner, first, offset), Some(Misuse::InteriorFree), "{offset}");
    }
    assert_eq!(what(&inner, second, 0), Some(Misuse::DoubleFree), "it was freed");
    assert_eq!(what(&inner, second, 1), Some(Misuse::ForeignFree), "no block was ever there");
    let region = &inner.regions[0];
    for page in [region.initialised, region.initialised + 1, region.pages() - 1] {
        let fresh = NonNull::new(region.address(page * 256)).expect("not null");
        assert_eq!(what(&inner, fresh, 0), Some(Misuse::ForeignFree), "page {page} is fresh");
    }
    let bytes: Vec<_> = walked(&inner).into_iter().map(|block| block.bytes).collect();
    assert_eq!(bytes.len(), 2, "the first and the huge one: {bytes:?}");
    assert_eq!(bytes[1], 20_000, "as many as it has");
    inner.verify().expect("sound");
}

fn memory_of_one_block() -> Vec<core::mem::MaybeUninit<u8>> {
    memory(20_000)
}
