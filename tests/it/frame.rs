//! The frame: conformance, programs, and what it alone promises.

use loligo_allocators::{Allocator, Arena, FrameAllocator, PageAllocator};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Space, run, sample};
use loligo_tests::{Limits, Oracle, Region};

use crate::subject::{
    Subject, Test, bytes, conforms_at_odd_places, conforms_with_great_alignments, tests_of,
};

/// Bytes of the frames.
const BYTES: usize = 256 << 10;

pub(crate) const FRAME: Subject = Subject {
    name: "frame",
    reporter: |_| None,
    limits: Limits { reclaims: false, reports_leaks: false, ..Limits::region(BYTES) },
    make: |test| in_region(BYTES, 0, test),
    misused: bytes(64, 16),
};

/// Bytes of a growing frame's first chunk.
const CHUNK_BYTES: usize = 4 << 10;

pub(crate) const GROWING_FRAME: Subject = Subject {
    name: "growing-frame",
    reporter: |_| None,
    limits: Limits { memory: None, ..FRAME.limits },
    make: |test| {
        let pages = PageAllocator::new("page");
        let frame = FrameAllocator::growing_in("growing-frame", CHUNK_BYTES, &pages);
        test(&frame.expect("the system has pages"));
    },
    misused: bytes(64, 16),
};

fn in_region(region_bytes: usize, offset: usize, test: Test<'_>) {
    let mut region = Region::new(region_bytes, 4 << 20).at_offset(offset);
    test(&FrameAllocator::from_region("frame", region.memory()));
}

tests_of! {
    FRAME, 300, "regressions/frame.txt";
    GROWING_FRAME, 200, "regressions/growing-frame.txt";
}

#[test]
fn conforms_at_any_address_and_length() {
    conforms_at_odd_places(FRAME.limits, in_region);
}

#[test]
fn serves_alignments_to_2_mib() {
    conforms_with_great_alignments(FRAME.limits, in_region);
}

#[test]
fn last_in_first_out_gives_all_room_back() {
    in_region(BYTES, 0, &mut |frame| {
        let limits = Limits { reclaims: true, ..FRAME.limits };
        for order in 0..3 {
            let mut oracle = Oracle::new(frame, limits).expect("an empty frame");
            let mut keys = Vec::new();
            for size in 0..400 {
                let layout = bytes(size, 1 << (size % 6));
                keys.push(oracle.allocate(layout).expect("the contract holds").expect("room"));
            }
            // Freed from the middle first, a block's room comes back with those after it.
            if order == 1 {
                keys.swap(100, 300);
            }
            if order == 2 {
                keys.rotate_left(200);
            }
            while let Some(key) = keys.pop() {
                oracle.free(key).expect("the contract holds");
            }
            oracle.finish().expect("the whole frame is free again");
        }
    });
}

#[test]
fn a_reset_frees_everything_and_a_scope_what_is_in_it() {
    let mut region = Region::new(BYTES, 64);
    let mut frame = FrameAllocator::from_region("frame", region.memory());
    let room = frame.remaining();
    for seed in 0..5 {
        {
            let mut oracle = Oracle::new(&frame, FRAME.limits).expect("an empty frame");
            run(&sample(&Space::new(64, 10, 5), 500, seed), &mut oracle).expect("the contract");
        }
        assert!(frame.stats().live > 0, "the program leaves blocks");
        frame.reset();
        let stats = frame.stats();
        assert_eq!((stats.live, stats.requested, stats.granted), (0, 0, 0));
        assert_eq!(frame.remaining(), room);
        frame.assert_empty();
        let outer = frame.allocate(bytes(100, 4)).expect("there is room").len();
        let before = frame.remaining();
        {
            let scope = frame.scope();
            scope.allocate(bytes(1000, 64)).expect("there is room");
            assert_eq!(scope.stats().live, 2);
        }
        assert_eq!((frame.remaining(), frame.stats().granted), (before, outer));
        frame.reset();
    }
}

#[test]
fn a_growing_frame_takes_nothing_for_what_it_has_done_before() {
    let memory = NaiveAllocator::new("memory", 4 << 20);
    let limits = GROWING_FRAME.limits;
    {
        let frame = FrameAllocator::growing_in("frame", CHUNK_BYTES, &memory);
        let mut frame = frame.expect("there is room");
        let program = sample(&Space::new(256, 12, 5), 2000, 7);
        let mut taken = None;
        for turn in 0..4 {
            {
                let mut oracle = Oracle::new(&frame, limits).expect("an empty frame");
                run(&program, &mut oracle).expect("the contract");
            }
            assert!(frame.stats().live > 0, "the program leaves blocks");
            let texts: Vec<&str> = (0..100)
                .map(|number| &*frame.alloc_str(if number % 2 == 0 { "even" } else { "odd" }))
                .collect();
            assert!(texts.iter().all(|text| text.len() < 5), "they are read");
            let now = memory.stats();
            assert_eq!(*taken.get_or_insert(now), now, "turn {turn} takes nothing");
            frame.reset();
        }
        assert!(memory.stats().live > 3, "it has grown");
    }
    assert_eq!(memory.stats().live, 0, "the frame ends with its chunks");
}

#[test]
fn gives_its_backing_all_back() {
    let memory = NaiveAllocator::new("memory", 64 << 10);
    {
        let frame = FrameAllocator::new_in("frame", 10_000, &memory).expect("there is room");
        frame.allocate(bytes(100, 4)).expect("there is room");
        assert_eq!(memory.stats().live, 1);
    }
    assert_eq!(memory.stats().live, 0, "the frame ends with its blocks");
    assert!(FrameAllocator::new_in("frame", 1 << 20, &memory).is_err());
}
