//! The page allocator with sites, called from several threads.

use core::alloc::Layout;
use core::ptr::NonNull;

use std::format;
use std::thread;
use std::vec::Vec;

use super::programs::run;
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::{Random, TestBacking, panic_of};
use crate::{PageAllocator, Reservation};

type Pages<'b> = PageAllocator<Sites<'b, TestBacking>>;

const BLOCK: Layout = Layout::new::<[u64; 512]>();

fn pages(books: &TestBacking) -> Pages<'_> {
    PageAllocator::new("pages").with_sites(Sites::new_in(books))
}

#[test]
fn each_block_shows_who_asked() {
    let books = TestBacking::new();
    for seed in 1..=3 {
        run(&pages(&books), 100_000, seed);
        run(&pages(&books).with_huge_pages(), 100_000, seed);
        assert_eq!(books.stats().live, 0, "seed {seed}");
    }
}

#[test]
fn books_that_refuse_change_nothing() {
    let books = TestBacking::new();
    let pages = pages(&books);
    books.refuse_from(0);
    let before = (pages.stats(), pages.committed_bytes());
    assert_eq!(pages.allocate(BLOCK), Err(AllocError));
    assert_eq!((pages.stats(), pages.committed_bytes()), before);
    books.refuse_none();
    let block = pages.allocate(BLOCK).expect("there is memory").cast::<u8>();
    books.refuse_from(0);
    let larger = Layout::new::<[u64; 5120]>();
    // SAFETY: the block is live and has this layout.
    let moved = unsafe { pages.reallocate(block, BLOCK, larger) };
    let moved = moved.expect("a block that moves keeps its room").cast();
    pages.verify().expect("the pages are sound");
    // SAFETY: the block is live and has this layout.
    unsafe { pages.deallocate_sized(moved, larger) };
    // Requests that the kernel refuses do not keep their room. With 32 bits it may have room for
    // any layout.
    if usize::BITS == 64 {
        let absurd = Layout::from_size_align(1 << (usize::BITS - 4), 1).expect("a layout");
        assert!((0..200).all(|_| pages.allocate(absurd) == Err(AllocError)));
    }
    assert!(
        pages
            .allocate(BLOCK)
            .map(|block| {
                // SAFETY: the block is live and not used again.
                unsafe { pages.deallocate(block.cast()) };
            })
            .is_ok()
    );
}

#[test]
fn leaks_tell_who_asked() {
    let books = TestBacking::new();
    let mut from = 0;
    let mut leaked = None;
    let report = panic_of(|| {
        let pages = pages(&books);
        from = line!() + 1;
        leaked = pages.allocate(BLOCK).ok();
        drop(pages);
    });
    assert!(report.contains(&format!("from {}:{from}:", file!())), "{report}");
    assert!(leaked.is_some());
    assert_eq!(books.stats().live, 0, "the books have everything back");
}

#[test]
fn a_damaged_book_is_told() {
    let books = TestBacking::new();
    let sites = Sites::new_in(&books);
    sites.table.reserve(1, &books).expect("the books have room");
    sites.table.insert(super::address(0x1000), 7);
    let pages = PageAllocator::new("pages").with_sites(sites);
    let told = pages.verify().map_err(|damage| damage.what);
    assert_eq!(told, Err("a block has a site that has no such number"), "there is no seventh");
}

/// A block that can be sent by the thread that owns it.
struct Own(NonNull<u8>, Layout, u32);

// SAFETY: no other thread uses the block.
unsafe impl Send for Own {}

/// Allocates, moves and frees at random and returns the remaining blocks.
fn work(pages: &Pages<'_>, seed: u64) -> Vec<Own> {
    let mut random = Random::new(seed);
    let mut live: Vec<Own> = Vec::new();
    for _ in 0..1500 {
        let layout = Layout::from_size_align(1 + random.below(20_000), 8).expect("a layout");
        match random.below(5) {
            0 | 1 => {
                let block = pages.allocate(layout).expect("there is memory");
                live.push(Own(block.cast(), layout, line!() - 1));
            }
            2 => {
                let block = pages.allocate_zeroed(layout).expect("there is memory");
                live.push(Own(block.cast(), layout, line!() - 1));
            }
            3 if !live.is_empty() => {
                let Own(block, old, line) = live.swap_remove(random.below(live.len()));
                // SAFETY: the block is live and has this layout.
                let moved = unsafe { pages.reallocate(block, old, layout) };
                live.push(Own(moved.expect("there is memory").cast(), layout, line));
            }
            _ if !live.is_empty() => {
                let Own(block, layout, _) = live.swap_remove(random.below(live.len()));
                // SAFETY: the block is live, has this layout and is not used again.
                unsafe { pages.deallocate_sized(block, layout) };
            }
            _ => {}
        }
    }
    live
}

#[test]
fn threads_do_not_mix_their_sites_up() {
    let books = TestBacking::new();
    let pages = pages(&books);
    let live: Vec<Own> = thread::scope(|scope| {
        let threads: Vec<_> = (1..=4)
            .map(|seed| {
                let pages = &pages;
                scope.spawn(move || work(pages, seed))
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no thread fails")).collect()
    });
    let mut shown = Vec::new();
    pages.walk(&mut |block| shown.push((block.address, block.site.map(|site| site.line()))));
    let mut expected: Vec<_> = live.iter().map(|own| (own.0, Some(own.2))).collect();
    expected.sort_unstable();
    assert_eq!(shown, expected);
    pages.verify().expect("the pages are sound");
    for Own(block, layout, _) in live {
        // SAFETY: the block is live, has this layout and is not used again.
        unsafe { pages.deallocate_sized(block, layout) };
    }
}

#[test]
fn pages_with_sites_are_shared_as_before() {
    fn shared<T: Send + Sync>() {}
    shared::<Pages<'_>>();
    shared::<Reservation<'_>>();
    let books = TestBacking::new();
    let pages = pages(&books);
    let arena = pages.reserve(1 << 20, 4096).expect("there are addresses");
    arena.commit(0..8192).expect("there is memory");
    let mut shown = 0;
    pages.walk(&mut |_| shown += 1);
    assert_eq!((shown, pages.committed_bytes()), (0, 8192), "a reservation is no block");
}
