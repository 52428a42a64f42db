//! Behaviour of single allocators: resets, scopes, ranges, copies, leaks and wrong frees.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use crate::bookkeeping::sites::{SiteBook, Sites};
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{TestBacking, misuse_of, panic_of};
use crate::{
    BuddyAllocator, FrameAllocator, HeapAllocator, Locked, PoolAllocator, SharedRef, SlabAllocator,
};

const BLOCK: Layout = Layout::new::<[u64; 8]>();

fn take(allocator: &dyn Allocator, layout: Layout) -> NonNull<u8> {
    allocator.allocate(layout).expect("there is memory").cast()
}

fn lines(allocator: &dyn Allocator) -> Vec<Option<u32>> {
    let mut lines = Vec::new();
    allocator.walk(&mut |block| lines.push(block.site.map(|site| site.line())));
    lines
}

#[test]
fn a_frame_drops_the_sites_of_what_it_drops() {
    let books = TestBacking::new();
    let mut memory = vec![MaybeUninit::uninit(); 16 << 10];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let mut frame = frame.with_sites(Sites::new_in(&books));
    let outer: Vec<_> = [8, 8, 8, 100, 3].map(|n| take(&frame, layout(n))).into();
    let mut scope = frame.scope();
    let inner: Vec<_> = [3, 3, 100, 8, 8].map(|n| take(&*scope, layout(n))).into();
    // SAFETY: the blocks are live and not used again; neither is the last, so both stay as dead
    // ones.
    unsafe { scope.deallocate(inner[2]) };
    // SAFETY: as above.
    unsafe { scope.deallocate(outer[1]) };
    assert_eq!(scope.sites().count(), 8);
    {
        let nested = scope.scope();
        take(&*nested, Layout::from_size_align(64, 64).expect("a layout"));
        assert_eq!(nested.sites().count(), 9);
    }
    assert_eq!(scope.sites().count(), 8, "the nested scope is closed");
    scope.verify().expect("the frame is sound");
    scope.reset();
    assert_eq!(scope.sites().count(), 4, "the scope is empty");
    take(&*scope, layout(8));
    drop(scope);
    assert_eq!(frame.sites().count(), 4, "the scope is closed");
    for block in [outer[0], outer[2], outer[3], outer[4]] {
        assert!(frame.sites().site_of(block).is_some());
    }
    // SAFETY: no live block is freed before the rewind.
    let mark = unsafe { frame.mark() };
    take(&frame, layout(40));
    // SAFETY: the mark is the frame's own, and the block after it is not used.
    unsafe { frame.rewind(mark) };
    assert_eq!(frame.sites().count(), 4, "rewound");
    frame.verify().expect("the frame is sound");
    frame.reset();
    assert_eq!(frame.sites().count(), 0, "reset");
    take(&frame, layout(8));
    assert_eq!(lines(&frame).len(), 1);
    drop(frame);
    assert_eq!(books.stats().live, 0, "the books have everything back");
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 1).expect("a layout")
}

#[test]
fn a_buddy_notes_the_blocks_of_a_range() {
    let books = TestBacking::new();
    let mut memory = vec![MaybeUninit::new(0); 64 << 10];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("room for leaves");
    let buddy = buddy.with_sites(Sites::new_in(&books));
    let offset = buddy.overhead_bytes() + 64 * 3;
    let line = line!() + 1;
    buddy.reserve_range(offset, 64 * 20).expect("the range is free");
    let live = buddy.stats().live;
    assert_eq!(lines(&buddy), vec![Some(line); live], "every block of the range");
    assert!(buddy.reserve_range(offset + 64, 64).is_err(), "it is taken");
    assert_eq!(buddy.sites().count(), live, "what is refused is not noted");
    buddy.verify().expect("the buddy is sound");
    // SAFETY: the range is not used.
    unsafe { buddy.release_range(offset, 64 * 20) };
    assert_eq!((buddy.stats().live, buddy.sites().count()), (0, 0));

    // Blocks live on in a copy; sites are not part of it.
    let block = take(&buddy, BLOCK);
    let at = buddy.offset_of(block).expect("a block of it");
    let region = buddy.into_region();
    assert_eq!(books.stats().live, 0, "the books have everything back");
    // SAFETY: all bytes were zero before the arena was made in them.
    let again = unsafe { BuddyAllocator::open("again", region) }.expect("an arena");
    let again = again.with_sites(Sites::new_in(&books));
    take(&again, BLOCK);
    let mut known: Vec<_> = lines(&again).into_iter().map(|line| line.is_some()).collect();
    known.sort_unstable();
    assert_eq!(known, [false, true]);
    again.verify().expect("the buddy is sound");
    let mut blocks = Vec::new();
    again.walk(&mut |block| blocks.push(block.address));
    assert!(blocks.contains(&again.at_offset(at).expect("the first block")));
    for block in blocks {
        // SAFETY: the walk shows live blocks, which are not used.
        unsafe { again.deallocate(block) };
    }
}

#[test]
fn a_free_of_either_kind_forgets_the_site() {
    fn check(allocator: &dyn Allocator, count: &dyn Fn() -> usize) {
        let name = allocator.name();
        let line = line!() + 1;
        let blocks = [(); 3].map(|()| allocator.allocate(BLOCK).expect("there is memory").cast());
        assert_eq!(lines(allocator), [Some(line); 3], "{name}: each is known");
        assert_eq!(count(), 3, "{name}: each is known");
        let [first, second, third] = blocks;
        // SAFETY: the block is live and not used again.
        unsafe { allocator.deallocate(third) };
        assert_eq!(count(), 2, "{name}: freed by its address");
        // SAFETY: as above, and it has this layout.
        unsafe { allocator.deallocate_sized(second, BLOCK) };
        assert_eq!(count(), 1, "{name}: freed with its layout");
        assert_eq!(allocator.verify(), Ok(()), "{name}: sound");
        // SAFETY: as above.
        unsafe { allocator.deallocate_sized(first, BLOCK) };
        assert_eq!(count(), 0, "{name}: all are forgotten");
    }
    let (books, backing) = (TestBacking::new(), TestBacking::new());
    let heap = HeapAllocator::new_in("heap", &backing).with_sites(Sites::new_in(&books));
    check(&heap, &|| heap.sites().count());
    let slab = SlabAllocator::new_in("slab", &backing).with_sites(Sites::new_in(&books));
    check(&slab, &|| slab.sites().count());
    let pool = PoolAllocator::new_in("pool", BLOCK, &backing).with_sites(Sites::new_in(&books));
    check(&pool, &|| pool.sites().count());
    let frame = FrameAllocator::new_in("frame", 4096, &backing).expect("there is memory");
    let frame = frame.with_sites(Sites::new_in(&books));
    check(&frame, &|| frame.sites().count());
    let buddy = BuddyAllocator::new_in("buddy", 1 << 16, 64, &backing).expect("there is memory");
    let buddy = buddy.with_sites(Sites::new_in(&books));
    check(&buddy, &|| buddy.sites().count());
}

#[test]
fn what_lies_beside_a_range_keeps_its_site() {
    let books = TestBacking::new();
    let mut memory = vec![MaybeUninit::uninit(); 64 << 10];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("room for leaves");
    let buddy = buddy.with_sites(Sites::new_in(&books));
    let first = buddy.overhead_bytes() + 64 * 8;
    let sites = |from: usize| {
        let block = buddy.at_offset(first + from).expect("a block starts there");
        buddy.sites().site_of(block).map(|site| site.line())
    };
    let line = line!();
    buddy.reserve_range(first + 128, 64).expect("it is free");
    buddy.reserve_range(first, 128).expect("it is free");
    assert_eq!(sites(128), Some(line + 1), "the neighbour was there before");
    // SAFETY: the range is not used.
    unsafe { buddy.release_range(first, 128) };
    assert_eq!(sites(128), Some(line + 1), "the neighbour is still there");
    // A range with a free leaf in it is wrong, and none of its sites is forgotten.
    let report = misuse_of(|| {
        // SAFETY: not kept, on purpose.
        unsafe { buddy.release_range(first + 64, 128) }
    });
    assert!(report.contains("double free"), "{report}");
    assert_eq!(sites(128), Some(line + 1), "the neighbour is still there");
    buddy.verify().expect("the buddy is sound");
    // SAFETY: the range is not used.
    unsafe { buddy.release_range(first + 128, 64) };
    assert_eq!(buddy.sites().count(), 0, "all are forgotten");
}

#[test]
fn a_range_makes_room_for_two_blocks_of_each_size() {
    let books = TestBacking::new();
    let mut memory = vec![MaybeUninit::uninit(); 4 << 20];
    let buddy = BuddyAllocator::from_region("buddy", 16, &mut memory).expect("room for leaves");
    let buddy = buddy.with_sites(Sites::new_in(&books));
    let levels = buddy.levels() as usize;
    assert!((19..28).contains(&levels), "two for each of {levels} fit a first table of 56");
    let offset = buddy.overhead_bytes();
    buddy.reserve_range(offset, 16).expect("it is free");
    let first = buddy.sites().overhead_bytes();
    take(&buddy, BLOCK);
    assert_eq!(buddy.sites().overhead_bytes(), first, "as little as any block takes");
    assert!(format!("{:?}", buddy.sites()).contains("blocks: 2"), "{:?}", buddy.sites());
    let mut live = Vec::new();
    buddy.walk(&mut |block| live.push(block.address));
    for block in live {
        // SAFETY: the walk shows live blocks, which are not used.
        unsafe { buddy.deallocate(block) };
    }
}

#[test]
fn a_buddy_without_books_reserves_no_range() {
    let books = TestBacking::new();
    let mut memory = vec![MaybeUninit::uninit(); 64 << 10];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut memory).expect("room for leaves");
    let buddy = buddy.with_sites(Sites::new_in(&books));
    books.refuse_from(0);
    let before = buddy.stats();
    assert!(buddy.reserve_range(buddy.overhead_bytes(), 640).is_err());
    assert_eq!(buddy.stats(), before);
}

/// Leaks two blocks and returns the report and the lines of their allocations.
fn leaked<A: Allocator>(allocator: A) -> (String, [u32; 2]) {
    let mut from = [0; 2];
    let report = panic_of(|| {
        from[0] = line!() + 1;
        allocator.allocate(BLOCK).expect("there is memory");
        from[1] = line!() + 1;
        allocator.allocate_zeroed(BLOCK).expect("there is memory");
        drop(allocator);
    });
    (report, from)
}

#[test]
fn leaks_tell_who_asked() {
    let books = TestBacking::new();
    let backing = TestBacking::new();
    let mut region = vec![MaybeUninit::uninit(); 64 << 10];
    let sites = || Sites::new_in(&books);
    let buddy = BuddyAllocator::from_region("leaky", 64, &mut region).expect("room for leaves");
    for (report, from) in [
        leaked(PoolAllocator::new_in("leaky", BLOCK, &backing).with_sites(sites())),
        leaked(HeapAllocator::new_in("leaky", &backing).with_sites(sites())),
        leaked(SlabAllocator::new_in("leaky", &backing).with_sites(sites())),
        leaked(buddy.with_sites(sites())),
    ] {
        assert!(report.contains("`leaky` was dropped with 2 live blocks"), "{report}");
        for line in from {
            assert!(report.contains(&format!("from {}:{line}:", file!())), "{report}");
        }
    }
    let frame = FrameAllocator::new_in("leaky", 4096, &backing).expect("there is memory");
    let frame = frame.with_sites(sites());
    let line = line!() + 1;
    frame.allocate(BLOCK).expect("there is room");
    let report = panic_of(|| frame.assert_empty());
    assert!(report.contains(&format!("from {}:{line}:", file!())), "{report}");
    drop(frame);
    assert_eq!((books.stats().live, backing.stats().live), (0, 0), "all goes back");
}

#[test]
fn wrong_frees_tell_who_asked_for_the_block() {
    let books = TestBacking::new();
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", BLOCK, &backing).with_sites(Sites::new_in(&books));
    let slab = SlabAllocator::new_in("slab", &backing).with_sites(Sites::new_in(&books));
    let frame = FrameAllocator::new_in("frame", 1 << 20, &backing).expect("there is memory");
    let frame = frame.with_sites(Sites::new_in(&books));
    for (allocator, layout) in
        [(&pool as &dyn Allocator, BLOCK), (&frame, BLOCK), (&slab, Layout::new::<[u64; 1000]>())]
    {
        let others = [take(allocator, layout), take(allocator, layout)];
        let line = line!() + 1;
        let block = allocator.allocate(layout).expect("there is memory").cast::<u8>();
        let own = format!("; the block was allocated at {}:{line}:", file!());
        let larger = Layout::array::<u64>(5000).expect("a layout");
        // SAFETY: none; a wrong size is found before anything changes.
        let report = misuse_of(|| unsafe { allocator.deallocate_sized(block, larger) });
        assert!(report.contains("wrong size") && report.contains(&own), "{report}");
        // SAFETY: the block has more than 8 bytes.
        let inside = unsafe { block.add(8) };
        // SAFETY: none; an address inside a block is found before anything changes.
        let report = misuse_of(|| unsafe { allocator.deallocate(inside) });
        assert!(report.contains("interior free") && report.contains(&own), "{report}");
        for block in others.into_iter().chain([block]) {
            // SAFETY: the block is live and not used again.
            unsafe { allocator.deallocate(block) };
        }
        // SAFETY: none; a double free is found before anything changes.
        let report = misuse_of(|| unsafe { allocator.deallocate(block) });
        assert!(!report.contains("was allocated at"), "{report}");
    }
}

fn sent<T: Send>() {}
fn shared<T: Sync>() {}

#[test]
fn sites_do_not_tie_an_allocator_to_a_thread() {
    type Book = Sites<'static, TestBacking>;
    type Shared = dyn Allocator + Sync;
    fn book<S: SiteBook + Send>() {
        sent::<HeapAllocator<'_, Shared, S>>();
        sent::<SlabAllocator<'_, TestBacking, crate::DefaultClasses, S>>();
        sent::<BuddyAllocator<'_, Shared, S>>();
        sent::<PoolAllocator<'_, Shared, S>>();
        sent::<FrameAllocator<'_, Shared, S>>();
        shared::<Locked<PoolAllocator<'_, Shared, S>>>();
    }
    book::<Book>();
    book::<Sites<'static>>();
    book::<super::NoSites>();
    let books = TestBacking::new();
    let locked =
        Locked::new(PoolAllocator::new_in("pool", BLOCK, &books).with_sites(Sites::new_in(&books)));
    let reference: SharedRef<'_> = &locked;
    let line = line!() + 1;
    let block = reference.allocate(BLOCK).expect("there is memory");
    assert_eq!(lines(reference), [Some(line)], "through the lock too");
    // SAFETY: the block is live and not used again.
    unsafe { reference.deallocate(block.cast()) };
}
