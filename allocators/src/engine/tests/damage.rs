//! What a verification says of each kind of damage to pages, fronts and lists, and wrong addresses.

use core::ptr::NonNull;
use std::vec::Vec;

use super::fast::{add, layout, memory};
use crate::allocator::Block;
use crate::engine::check::WalkState;
use crate::engine::region::PageState;
use crate::engine::small::Item;
use crate::engine::{Engine, Refusal};
use crate::misuse::Misuse;
use crate::size_classes::{DefaultClasses, SizeClasses};

type Default = Engine<DefaultClasses>;

/// Page 1 of region 0, where the slots of these tests lie.
const PAGE: u32 = 1;

/// What a verification says of an engine in which slots of 496 bytes are live in page 1, another
/// has been freed, and damage is planted; beside how far from the start of the page.
fn said(plant: impl FnOnce(&mut Default, usize, &[NonNull<u8>])) -> (&'static str, isize) {
    let mut memory = memory(1 << 17);
    let mut engine = Default::new();
    assert!(add(&mut engine, &mut memory), "the memory holds pages");
    // The page before is of another class, so that page numbers matter.
    engine.allocate(layout(16, 1)).expect("there is room");
    let blocks: Vec<NonNull<u8>> =
        (0..3).map(|_| engine.allocate(layout(496, 1)).expect("there is room").cast()).collect();
    engine.deallocate(blocks[0], 496).expect("it is live");
    engine.verify().expect("sound before");
    let class = Default::class_for(layout(496, 1)).expect("a class has it");
    let start = engine.regions[0].address(PAGE * 256);
    assert_eq!(blocks[0].as_ptr(), start, "the first slot of the page");
    plant(&mut engine, class, &blocks);
    let damage = engine.verify().expect_err("damage was planted");
    (damage.what, damage.address.addr().wrapping_sub(start.addr()) as isize)
}

#[test]
fn damage_to_a_page_is_told_with_the_page() {
    let descriptor = ("a page's descriptor is damaged", 0);
    let told = said(|engine, _, _| engine.edit_desc(PAGE, |desc| desc.id ^= 1 << 20));
    assert_eq!(told, descriptor, "another's number");
    let told = said(|engine, _, _| engine.edit_desc(PAGE, |desc| desc.used = 1));
    assert_eq!(told, descriptor, "more are live than are used");
    let kind = ("a page's kind is damaged", 0);
    let told = said(|engine, class, _| engine.regions[0].set_kind(PAGE, class as u8));
    assert_eq!(told, kind, "the page is of another class than its descriptor");
    let told = said(|engine, _, _| {
        let none = DefaultClasses::TABLE.count() as u8;
        engine.regions[0].set_kind(PAGE, none + 1);
        engine.edit_desc(PAGE, |desc| desc.class = none);
    });
    assert_eq!(told, kind, "there is no such class");
    let told = said(|engine, _, _| engine.regions[0].set_start(PAGE * 256 + 5));
    assert_eq!(told, ("a live bit stands where no slot starts", 0), "inside the first slot");
}

#[test]
fn counts_that_disagree_are_told() {
    let counts = "the pages' counts disagree with the blocks handed out";
    let told = said(|engine, _, _| engine.edit_desc(PAGE, |desc| desc.used += 1));
    assert_eq!(told.0, counts, "the page has one too many");
    let told = said(|engine, class, _| {
        engine.classes[class].out += 1;
        engine.edit_desc(PAGE, |desc| desc.used += 1);
    });
    assert_eq!(told.0, counts, "the class has one too many, which is not live");
    let told = said(|engine, _, blocks| {
        let offset = blocks[2].as_ptr().addr() - engine.regions[0].base.addr();
        engine.regions[0].clear_start((offset / 16) as u32);
    });
    assert_eq!(told.0, counts, "one is not live that is handed out");
}

#[test]
fn a_front_holds_free_slots_of_its_class_alone() {
    let not_free = "a front holds what is not free";
    let told = said(|engine, _, _| engine.regions[0].set_start(PAGE * 256));
    assert_eq!(told, (not_free, 0), "it is live");
    let change = |engine: &mut Default, class: usize, item: Item| {
        engine.fronts[class].pop().expect("one was freed");
        engine.fronts[class].push(item);
    };
    let told = said(|engine, class, _| {
        let region = engine.regions[0];
        let granule = (PAGE + 3) * 256;
        region_of(engine).reach(granule);
        let item = Item { start: region.address(granule), word: region.starts_word(granule) };
        change(engine, class, item);
    });
    assert_eq!(told, (not_free, 3 * 4096), "a page of no class");
    let told = said(|engine, class, blocks| {
        let word = engine.regions[0].starts_word(PAGE * 256 + 64);
        change(engine, class, Item { start: blocks[0].as_ptr(), word });
    });
    assert_eq!(told, (not_free, 0), "the bit of another page's word");
}

fn region_of(engine: &mut Default) -> &mut crate::engine::region::Region {
    &mut engine.regions[0]
}

#[test]
fn a_list_of_partial_pages_ends_where_it_began() {
    let list = "a list of partial pages is damaged";
    let told = said(|engine, class, _| engine.classes[class].partial = PAGE);
    assert_eq!(told, (list, 0), "the current page is in no list");
    let told = said(|engine, class, _| {
        engine.edit_desc(PAGE, |desc| desc.state = PageState::Partial);
        let other = PAGE - 1;
        let before = engine.edit_desc(other, |desc| core::mem::replace(&mut desc.next, PAGE));
        assert_ne!(before, PAGE, "it was in no list");
        engine.edit_desc(other, |desc| desc.state = PageState::Partial);
        engine.edit_desc(PAGE, |desc| desc.next = PAGE);
        engine.classes[class].partial = other;
    });
    assert_eq!(told, (list, 0), "it goes round without its first page");
}

fn walked(engine: &Default) -> Vec<Block> {
    let mut state = WalkState::default();
    core::iter::from_fn(|| engine.walk_next(&mut state)).collect()
}

#[test]
fn a_walk_ends_where_a_header_is_damaged() {
    // The damage is done to memory that nobody may touch, which these tools would report.
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    let mut memory = memory(1 << 17);
    let mut engine = Default::new();
    assert!(add(&mut engine, &mut memory), "the memory holds pages");
    let blocks: Vec<NonNull<u8>> =
        (0..3).map(|_| engine.allocate(layout(3000, 1)).expect("there is room").cast()).collect();
    let addresses = |engine: &Default| -> Vec<_> {
        walked(engine).into_iter().map(|block| block.address).collect()
    };
    assert_eq!(addresses(&engine), blocks, "by address");
    let header = blocks[1].as_ptr().wrapping_sub(8).cast::<u32>();
    // SAFETY: the header is before the block, in the region.
    let before = unsafe { header.replace(0) };
    assert_eq!(addresses(&engine), blocks[..1], "up to the damaged one");
    let damage = engine.verify().expect_err("a header is damaged");
    let expected = ("a block's header is damaged", blocks[1].as_ptr().cast_const());
    assert_eq!((damage.what, damage.address), expected, "the second");
    // SAFETY: as above.
    unsafe { header.write(before) };
    engine.verify().expect("as it was");
}

#[test]
fn addresses_at_which_no_block_starts_are_told_apart() {
    let mut memory = memory(1 << 18);
    let mut huge = memory_of_one_block();
    let mut engine = Default::new();
    assert!(add(&mut engine, &mut memory), "the memory holds pages");
    let block = NonNull::from(huge.as_mut_slice());
    let block = NonNull::slice_from_raw_parts(block.cast::<u8>(), huge.len());
    assert!(engine.add_huge(block, layout(huge.len(), 1)).is_some(), "there is a slot");
    let first = engine.allocate(layout(3000, 1)).expect("there is room").cast::<u8>();
    assert_eq!(first.as_ptr(), engine.regions[0].base, "at granule 0");
    let second = engine.allocate(layout(3000, 1)).expect("there is room").cast::<u8>();
    engine.deallocate(second, 3000).expect("it is live");
    let what = |engine: &Default, address: NonNull<u8>, offset: usize| {
        let address = NonNull::new(address.as_ptr().wrapping_add(offset)).expect("not null");
        match engine.locate(address) {
            Ok(_) => None,
            Err(Refusal::Wrong(what, at)) => {
                assert_eq!(at, address.as_ptr().cast_const(), "the address itself");
                Some(what)
            }
            Err(other) => panic!("{other:?}"),
        }
    };
    let huge = block.cast();
    assert_eq!(what(&engine, huge, 0), None, "the one block of its region");
    for offset in [1, 16, 4096] {
        assert_eq!(what(&engine, huge, offset), Some(Misuse::InteriorFree), "{offset}");
    }
    assert_eq!(what(&engine, huge, 20_000), Some(Misuse::ForeignFree), "behind it");
    assert_eq!(what(&engine, first, 0), None, "a block");
    for offset in [1, 16, 2999] {
        assert_eq!(what(&engine, first, offset), Some(Misuse::InteriorFree), "{offset}");
    }
    assert_eq!(what(&engine, second, 0), Some(Misuse::DoubleFree), "it was freed");
    assert_eq!(what(&engine, second, 1), Some(Misuse::ForeignFree), "no block was ever there");
    let region = engine.regions[0];
    for page in [region.initialised, region.initialised + 1, region.pages() - 1] {
        let fresh = NonNull::new(region.address(page * 256)).expect("not null");
        assert_eq!(what(&engine, fresh, 0), Some(Misuse::ForeignFree), "page {page} is fresh");
    }
    let bytes: Vec<_> = walked(&engine).into_iter().map(|block| block.bytes).collect();
    assert_eq!(bytes.len(), 2, "the first and the huge one: {bytes:?}");
    assert_eq!(bytes[1], 20_000, "as many as it has");
    engine.verify().expect("sound");
}

fn memory_of_one_block() -> Vec<core::mem::MaybeUninit<u8>> {
    memory(20_000)
}
