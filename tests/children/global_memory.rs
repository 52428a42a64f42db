//! A program whose global allocator serves from a static heap first, from before `main`, and hands
//! over.
#![expect(unsafe_code, reason = "it runs before main, and misuses a block on purpose")]

mod work;

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread;

use loligo_allocators::{Allocator, GlobalMemory, HeapAllocator, Locked, PageAllocator};

static PAGES: PageAllocator = PageAllocator::new("pages");

#[global_allocator]
static GLOBAL: GlobalMemory<{ 512 << 10 }, Locked<HeapAllocator<'static, PageAllocator>>> =
    GlobalMemory::new("early", Locked::new(HeapAllocator::new_in("later", &PAGES)));

/// What the constructor makes: a vector of strings, a map, a box that is never resized.
type Early = (Vec<String>, HashMap<u32, String>, Box<[u64; 20]>);

static EARLY: Mutex<Option<Early>> = Mutex::new(None);

extern "C" fn before_main() {
    let words = (0..10).map(|n| format!("word {n}")).collect();
    let map = (0..50).map(|n| (n, format!("{n} squared is {}", n * n))).collect();
    if let Ok(mut early) = EARLY.lock() {
        *early = Some((words, map, Box::new([7; 20])));
    }
}

// SAFETY: the loader calls what this section lists, with the arguments of `main`, which a function
// of no arguments may ignore; it needs nothing that is not there yet.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

fn is_early<T>(place: *const T) -> bool {
    GLOBAL.early().owns(place.cast())
}

fn check_early_blocks() {
    let early = EARLY.lock().expect("nobody has panicked").take();
    let (mut words, mut map, numbers) = early.expect("the constructor ran");
    assert!(!GLOBAL.has_handed_over(), "the start fits into the static heap");
    assert!(is_early(words.as_ptr()) && is_early(map[&49].as_ptr()), "made before main");

    // Several threads at once, in the static heap.
    let threads: Vec<_> = (0..4)
        .map(|n| thread::spawn(move || (0..100).map(|i| i * n).collect::<Vec<u64>>()))
        .collect();
    for (n, thread) in (0..).zip(threads) {
        let numbers = thread.join().expect("it only counts");
        assert!(is_early(numbers.as_ptr()) && numbers[99] == 99 * n, "thread {n}");
    }

    GLOBAL.hand_over();
    assert!(GLOBAL.later().owns(Box::new(1_u8).as_ref()), "handed over");
    // What grows moves over, with its contents.
    words.extend((10..100).map(|n| format!("word {n}")));
    assert!(GLOBAL.later().owns(words.as_ptr().cast()), "moved over");
    words[3].push_str(" and a long way after it");
    assert!(GLOBAL.later().owns(words[3].as_ptr()), "moved over");
    assert_eq!(words[3], "word 3 and a long way after it", "kept and grown");
    assert!(is_early(words[4].as_ptr()) && words[4] == "word 4", "left alone");
    map.extend((50..1000).map(|n| (n, String::new())));
    assert_eq!(map[&49], "49 squared is 2401", "kept");
    assert_eq!(*numbers, [7; 20], "kept");

    // Nine words, fifty texts of the map and the box are still in the static heap; another thread
    // frees them.
    let before = GLOBAL.early().stats();
    let freed = thread::spawn(move || drop((words, map, numbers)));
    freed.join().expect("freeing does not panic");
    let after = GLOBAL.early().stats();
    assert_eq!(before.live - after.live, 9 + 50 + 1, "{before:?} {after:?}");
    assert_eq!(after.allocations_total, before.allocations_total, "nothing new is early");
    // The standard library keeps a few blocks of the main thread.
    assert!(after.live < 10, "{after:?}");
    GLOBAL.early().verify().expect("the static heap is whole");
    println!("early blocks: kept, grown, freed");
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("double-free-early") => {
            let block = Box::into_raw(Box::new([0_u64; 8]));
            println!("misused address: {block:p}");
            assert!(is_early(block), "not handed over yet");
            GLOBAL.hand_over();
            for _ in 0..2 {
                // SAFETY: right once; the second time is the misuse.
                drop(unsafe { Box::from_raw(block) });
            }
            println!("the process went on");
        }
        Some("double-free") => {
            GLOBAL.hand_over();
            work::run();
        }
        _ => {
            check_early_blocks();
            work::run();
            let stats = GLOBAL.later().stats();
            assert!(stats.allocations_total > 10_000, "the program's blocks came from here");
            GLOBAL.later().verify().expect("the heap is sound");
        }
    }
}
