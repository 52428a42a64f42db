//! Tests of a program's memory root: its names, its end, and every way in which its setup can fail.

use core::alloc::Layout;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::boxed::Box;
use std::panic::catch_unwind;
use std::string::String;
use std::thread;
use std::vec::Vec;

use super::{MemoryGlobals, MemoryOptions};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, SharedRef};
use crate::contract::make::Make;
use crate::contract::stats::Stats;
use crate::heaps::static_heap::StaticHeap;
use crate::testing::test_backing::{TestBacking, panic_of};

type BootHeap = StaticHeap<{ MemoryGlobals::BOOT_BYTES }>;

const SMALL: MemoryOptions =
    MemoryOptions::new().with_scratch_bytes(64 << 10).with_heap_region_bytes(1 << 20);
const LAYOUT: Layout = Layout::new::<[u64; 10]>();

fn boot(name: &'static str) -> Box<BootHeap> {
    Box::new(StaticHeap::new(name))
}

fn free(allocator: SharedRef<'_>, block: NonNull<[u8]>) {
    // SAFETY: the tests free live blocks of `LAYOUT`, each once.
    unsafe { allocator.deallocate_sized(block.cast(), LAYOUT) };
}

#[test]
fn all_is_made_in_the_boot_heap_and_given_back() {
    let boot = boot("game");
    for options in [SMALL, MemoryOptions::default(), SMALL.with_huge_pages()] {
        let globals = MemoryGlobals::init(&*boot, &options).expect("there is memory");
        // Moving the root does not move the allocators.
        let globals = Box::new(globals);
        assert_eq!(boot.stats().live, 4, "the names and three allocators");
        let names = globals.allocators().map(|allocator| String::from(allocator.name()));
        assert_eq!(names, ["game", "game/pages", "game/heap", "game/scratch"]);
        for allocator in [globals.default_allocator(), globals.scratch_allocator()] {
            assert!(boot.owns(allocator.identity().cast()), "it is in the boot heap");
            let block = allocator.allocate(LAYOUT).expect("there is memory");
            assert!(allocator.owns(block.as_ptr().cast()), "its own");
            free(allocator, block);
        }
        let pages: &dyn Allocator = globals.page_allocator();
        let heap = globals.default_allocator();
        assert_eq!(heap.backing_identity(), Some(pages.identity()), "the heap is over the pages");
        let below = globals.scratch_allocator().backing_identity();
        assert!(below.is_some_and(|below| boot.owns(below.cast())), "scratch is over the heap");
        globals.verify().expect("all are whole");
        drop(globals);
        assert_eq!(boot.stats().live, 0, "all is freed");
    }
}

#[test]
fn huge_pages_are_asked_for_where_they_are_wanted() {
    let boot = boot("game");
    for (options, expected) in [(SMALL, "huge: false"), (SMALL.with_huge_pages(), "huge: true")] {
        let globals = MemoryGlobals::init(&*boot, &options).expect("there is memory");
        let pages = std::format!("{:?}", globals.page_allocator());
        assert!(pages.contains(expected), "{pages}");
    }
}

/// A boot heap that reports damage.
struct Damaged(BootHeap);

// SAFETY: every block is the heap's.
unsafe impl Allocator for Damaged {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.0.allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: as promised by the caller.
        unsafe { self.0.deallocate(block) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: as promised by the caller.
        unsafe { self.0.allocated_size(block) }
    }

    fn stats(&self) -> Stats {
        self.0.stats()
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.0.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.0.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        Err(Damage { what: "as it says", address: core::ptr::null() })
    }
}

#[test]
fn damage_to_any_of_them_is_reported() {
    let boot = Box::new(Damaged(StaticHeap::new("damaged")));
    let globals = MemoryGlobals::init(&*boot, &SMALL).expect("there is memory");
    let said = globals.verify().map_err(|damage| damage.what);
    assert_eq!(said, Err("as it says"), "the boot heap is one of the four");
}

#[test]
fn the_stated_boot_bytes_leave_room() {
    let boot = boot("boot");
    let _globals = MemoryGlobals::init(&*boot, &SMALL).expect("there is memory");
    let used = boot.stats().granted;
    // Nearly all of it are the tables of the heap.
    let stated = if usize::BITS == 64 { 31 } else { 18 };
    let kib = used.div_ceil(1 << 10);
    assert!(kib.abs_diff(stated) <= 1, "about {stated} KiB, as the docs say: {used} bytes");
}

#[test]
fn every_refusal_while_it_begins_is_survived() {
    let boot = TestBacking::new();
    let all = {
        let _globals = MemoryGlobals::init(&boot, &SMALL).expect("there is memory");
        boot.requests()
    };
    for n in 0..all {
        boot.refuse_nth(n);
        let result = MemoryGlobals::init(&boot, &SMALL);
        assert!(result.is_err(), "request {n} was refused");
        assert_eq!(boot.stats().live, 0, "nothing leaked after request {n}");
    }
    boot.refuse_none();
    // The system's refusal: of the scratch ring, through the heap and the pages. With 32 bits it
    // may have room for the last.
    let absurd = [usize::MAX, isize::MAX as usize, 3 << (usize::BITS - 3)];
    for bytes in absurd.into_iter().take(if usize::BITS == 64 { 3 } else { 2 }) {
        let result = MemoryGlobals::init(&boot, &SMALL.with_scratch_bytes(bytes));
        assert!(matches!(result, Err(AllocError)), "{bytes} bytes");
        assert_eq!(boot.stats().live, 0, "nothing leaked");
    }
    let globals = MemoryGlobals::init(&boot, &SMALL).expect("there is memory again");
    globals.verify().expect("all are whole");
}

#[test]
fn a_boot_heap_of_any_size_serves_or_refuses() {
    fn with<const BYTES: usize>() -> bool {
        let boot = Box::new(StaticHeap::<BYTES>::new("boot"));
        let is_made = MemoryGlobals::init(&*boot, &SMALL).is_ok();
        assert_eq!(boot.stats().live, 0, "nothing is left of {BYTES} bytes");
        is_made
    }
    let made = [
        with::<0>(),
        with::<4096>(),
        with::<{ 16 << 10 }>(),
        with::<{ 24 << 10 }>(),
        with::<{ 32 << 10 }>(),
        with::<{ MemoryGlobals::BOOT_BYTES }>(),
    ];
    assert!(!made[0] && !made[2] && made[5], "{made:?}");
    assert!(made.is_sorted(), "more is never less: {made:?}");
}

/// Runs `user` on a fresh root and returns the message of the panic that ends it, after checking
/// that all blocks of the boot heap were freed.
fn end_of(name: &'static str, user: impl FnOnce(&MemoryGlobals<'_>)) -> String {
    let boot = boot(name);
    let message = panic_of(|| {
        let globals = MemoryGlobals::init(&*boot, &SMALL).expect("there is memory");
        user(&globals);
    });
    assert_eq!(boot.stats().live, 0, "torn down to the end in spite of the panic");
    message
}

#[test]
fn a_leak_is_reported_by_who_had_it() {
    let proxy = end_of("a", |globals| {
        let sound = globals.proxy("sound");
        let _physics = globals.proxy("physics");
        let _ = sound.create([0_u8; 300]).expect("there is memory");
    });
    assert!(proxy.contains("`sound` was dropped with 1 live block"), "{proxy}");
    let scratch = end_of("b", |globals| {
        let _ = globals.scratch_allocator().allocate(LAYOUT).expect("there is memory");
    });
    assert!(scratch.contains("`b/scratch` was dropped with 1 live block"), "{scratch}");
    let heap = end_of("c", |globals| {
        let _ = globals.default_allocator().allocate(LAYOUT).expect("there is memory");
    });
    assert!(heap.contains("`c/heap` was dropped with 1 live block"), "{heap}");
    let pages = end_of("d", |globals| {
        let _ = globals.page_allocator().allocate(LAYOUT).expect("there is memory");
    });
    assert!(pages.contains("`d/pages` was dropped with 1 live block"), "{pages}");
}

#[test]
fn a_leak_in_the_boot_heap_is_reported_last() {
    let boot = boot("root");
    let mine = boot.allocate(LAYOUT).expect("there is room");
    // Earlier blocks are not the root's.
    drop(MemoryGlobals::init(&*boot, &SMALL).expect("there is memory"));
    let mut left = None;
    let message = panic_of(|| {
        let globals = MemoryGlobals::init(&*boot, &SMALL).expect("there is memory");
        left = globals.allocators()[0].allocate(LAYOUT).ok();
    });
    assert!(message.contains("`root` was dropped with 2 live blocks"), "{message}");
    free(&*boot, mine);
    free(&*boot, left.expect("there was room"));
}

#[test]
fn a_leak_beside_a_panic_does_not_abort() {
    let boot = boot("panics");
    let message = panic_of(|| {
        let globals = MemoryGlobals::init(&*boot, &SMALL).expect("there is memory");
        let sound = globals.proxy("sound");
        let _ = sound.create(1_u64).expect("there is memory");
        let _ = globals.scratch_allocator().allocate(LAYOUT).expect("there is memory");
        panic!("something else");
    });
    assert_eq!(message, "something else");
    assert_eq!(boot.stats().live, 0, "torn down all the same");
}

#[test]
fn threads_have_a_root_each_and_the_right_one_reports() {
    const NAMES: [&str; 4] = ["ai", "sound", "render", "net"];
    let ends: Vec<_> = thread::scope(|scope| {
        let threads = NAMES.map(|name| {
            scope.spawn(move || {
                let boot = boot(name);
                let globals = MemoryGlobals::init(&*boot, &SMALL).expect("there is memory");
                let subsystem = globals.proxy(name);
                let mut blocks: Vec<NonNull<[u8]>> = (0..500)
                    .map(|_| subsystem.allocate(LAYOUT).expect("there is memory"))
                    .collect();
                if name == "render" {
                    blocks.pop();
                }
                blocks.into_iter().for_each(|block| free(&subsystem, block));
            })
        });
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    for (name, end) in NAMES.into_iter().zip(ends) {
        match end {
            Ok(()) => assert_ne!(name, "render", "the leak was not reported"),
            Err(panic) => {
                let message = panic.downcast::<String>().expect("a message");
                assert!(name == "render" && message.contains("`render`"), "{name}: {message}");
            }
        }
    }
}

#[test]
fn it_crosses_threads() {
    fn crosses<T: Send + Sync>(_: &T) {}
    let boot = boot("boot");
    let globals = MemoryGlobals::init(&*boot, &SMALL).expect("there is memory");
    crosses(&globals);
    let sound = globals.proxy("sound");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..500 {
                    let long = sound.allocate(LAYOUT).expect("there is memory");
                    let short = globals.scratch_allocator().allocate(LAYOUT).expect("memory");
                    free(globals.scratch_allocator(), short);
                    free(&sound, long);
                }
            });
        }
    });
    assert_eq!(sound.stats().allocations_total, 2000);
    globals.verify().expect("all are whole");
    assert!(std::format!("{globals:?}").contains("boot: \"boot\""), "{globals:?}");
    drop(sound);
    let globals =
        thread::scope(|scope| scope.spawn(|| globals).join().expect("the thread ends well"));
    let caught = catch_unwind(AssertUnwindSafe(|| drop(globals)));
    assert!(caught.is_ok(), "nothing is left");
}

#[test]
fn options_keep_what_they_are_told() {
    let options = MemoryOptions::new();
    assert!(!options.huge_pages, "pages are small unless asked for");
    let changed = options.with_scratch_bytes(100).with_heap_region_bytes(200).with_huge_pages();
    assert_eq!((changed.scratch_bytes, changed.heap_region_bytes), (100, 200), "as set");
    assert!(changed.huge_pages, "as set");
}
