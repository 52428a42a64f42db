//! Tests of references from arenas: in each kind of arena, with memory that runs out, closures that
//! panic or allocate, and iterators that report wrong bounds.

use core::fmt;
use core::mem::{ManuallyDrop, MaybeUninit};
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, println, vec};

use super::Arena;
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::{AllocError, Allocator};
use crate::linear::frame::FrameAllocator;
use crate::linear::scratch::ScratchAllocator;
use crate::linear::shared_frame::SharedFrame;
use crate::linear::temp::TempAllocator;
use crate::testing::test_backing::{Random, TestBacking, panic_of};

const BYTES: usize = 64 << 10;

/// Runs a check in each kind of arena. What does not fit in the last one falls back.
macro_rules! in_each_arena {
    ($check:ident) => {{
        let backing = TestBacking::new();
        let mut memory = vec![MaybeUninit::uninit(); BYTES];
        let mut frame = FrameAllocator::from_region("frame", &mut memory);
        $check(&frame);
        frame.reset();
        $check(&*frame.scope());
        $check(&*frame.scope().scope());
        $check(&SharedFrame::new("shared", BYTES, &backing).expect("memory"));
        $check(&ScratchAllocator::new_in("scratch", BYTES, &backing).expect("memory"));
        $check(&TempAllocator::<BYTES, TestBacking>::new_in("temp", &backing));
        $check(&TempAllocator::<100, TestBacking>::new_in("small", &backing));
    }};
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct Line(u8);

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(4096))]
struct Page(u8);

/// A value without a size, and with an alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
struct Empty;

#[test]
fn values_of_any_kind() {
    fn check<A: Arena>(arena: &A) {
        let live = arena.stats().live;
        let small = arena.alloc(7_u8);
        let line = arena.alloc(Line(1));
        let page = arena.try_alloc(Page(2)).expect("memory");
        let built = arena.alloc_with(|| [3_u64; 20]);
        let kept = arena.alloc(ManuallyDrop::new(String::new()));
        let copied = arena.alloc_slice_copy(&[1_u16, 2, 3]);
        let cloned = arena.alloc_slice_clone(&[Line(4), Line(5)]);
        let filled = arena.alloc_slice_fill_with(5, |index| index * index);
        let listed = arena.alloc_slice_fill_iter((0..100).filter(|number| number % 7 == 0));
        let text = arena.alloc_str("text");
        let line_text = arena.format(format_args!("{} {:?}", *small + 1, line));
        // In a frame, values that follow one another share a block: here three, two and one.
        let blocks = if arena.name() == "frame" { 8 } else { 11 };
        assert_eq!(arena.stats().live - live, blocks, "a block each");
        assert_eq!((*small, *line, *page), (7, Line(1), Page(2)), "as written");
        assert_eq!((*built, kept.len()), ([3; 20], 0), "as written");
        assert_eq!((&*copied, &*cloned), (&[1, 2, 3][..], &[Line(4), Line(5)][..]), "as written");
        assert_eq!(filled, [0, 1, 4, 9, 16]);
        assert_eq!(listed.len(), 15);
        text.make_ascii_uppercase();
        assert_eq!((&*text, &*line_text), ("TEXT", "8 Line(1)"), "as written");
        for (address, align) in [
            (core::ptr::from_ref(line).addr(), 64),
            (core::ptr::from_ref(page).addr(), 4096),
            (cloned.as_ptr().addr(), 64),
            (filled.as_ptr().addr(), align_of::<usize>()),
        ] {
            assert!(address.is_multiple_of(align), "{address:#x} is aligned to {align}");
        }
        arena.verify().expect("sound");
    }
    in_each_arena!(check);
}

#[test]
fn nothing_takes_no_block() {
    fn check<A: Arena>(arena: &A) {
        let before = arena.stats();
        let empty = arena.alloc(Empty);
        assert!(core::ptr::from_ref(empty).addr().is_multiple_of(32), "aligned");
        assert_eq!(arena.alloc_slice_copy(&[Empty; 1000]).len(), 1000);
        assert_eq!(arena.alloc_slice_fill_with(1000, |_| Empty).len(), 1000);
        assert_eq!(arena.alloc_slice_fill_iter((0..1000).map(|_| Empty)).len(), 1000);
        assert_eq!(arena.alloc_slice_copy::<u64>(&[]), []);
        assert_eq!(arena.alloc_slice_clone::<Line>(&[]), []);
        assert_eq!(arena.alloc_slice_fill_iter(None::<Page>), []);
        assert_eq!(arena.alloc_str(""), "");
        assert_eq!(arena.format(format_args!("{}{}", "", "")), "");
        assert_eq!((arena.stats().live, arena.stats().requested), (before.live, before.requested));
        let wide = arena.alloc_slice_fill_with(0, |_| Line(0));
        assert!(wide.as_ptr().addr().is_multiple_of(64), "an empty slice is aligned, too");
        // A filter reports zero elements at least, so this one has a block until its end.
        let none = arena.alloc_slice_fill_iter((0..9).filter(|number| *number > 9));
        assert_eq!((none.len(), arena.stats().live), (0, before.live));
    }
    in_each_arena!(check);
}

#[test]
fn exhaustion_is_an_error_and_frees_what_was_begun() {
    let mut memory = vec![MaybeUninit::uninit(); 1000];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    frame.alloc(7_u64);
    let mut calls = 0;
    let refused = [
        frame.try_alloc([0_u8; 1000]).err(),
        frame.try_alloc_with(|| [calls += 1; 1000].len()).err(),
        frame.try_alloc_slice_copy(&[0_u8; 1000]).err(),
        frame.try_alloc_slice_clone(&[0_u8; 1000]).err(),
        frame.try_alloc_slice_fill_with(1000, |_| 0_u8).err(),
        frame.try_alloc_slice_fill_iter(0..1000).err(),
        frame.try_alloc_slice_fill_iter((0..1000).filter(|_| true)).err(),
        frame.try_alloc_str(&" ".repeat(1000)).err(),
        frame.try_format(format_args!("{:1000}", "")).err(),
    ];
    let mut expected = [Some(AllocError); 9];
    expected[1] = None;
    assert_eq!((refused, calls), (expected, 1), "only the number fits");
    assert_eq!((frame.stats().live, frame.stats().requested), (2, 8 + size_of::<usize>()));
    frame.verify().expect("sound");
}

#[test]
fn a_refused_block_calls_no_closure() {
    let mut memory = [MaybeUninit::uninit(); 200];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let mut calls = 0;
    let mut call = || {
        calls += 1;
        [0_u8; 200]
    };
    assert!(frame.try_alloc_with(&mut call).is_err(), "no room");
    assert!(frame.try_alloc_slice_fill_with(2, |_| call()).is_err(), "no room");
    for len in [usize::MAX, isize::MAX as usize, isize::MAX as usize / 200 + 1] {
        assert!(frame.try_alloc_slice_fill_with(len, |_| call()).is_err(), "{len} are too many");
    }
    assert_eq!((calls, frame.stats().allocations_total), (0, 0));
}

#[test]
fn a_panic_names_allocator_bytes_and_remedy() {
    let mut memory = [MaybeUninit::uninit(); 200];
    let frame = FrameAllocator::from_region("level", &mut memory);
    let too_many = usize::MAX.to_string();
    let reports = [
        (panic_of(|| _ = frame.alloc([0_u8; 400])), "400", "try_alloc"),
        (panic_of(|| _ = frame.alloc_with(|| [0_u8; 401])), "401", "try_alloc_with"),
        (panic_of(|| _ = frame.alloc_slice_copy(&[0_u64; 50])), "400", "try_alloc_slice_copy"),
        (panic_of(|| _ = frame.alloc_slice_clone(&[0_u64; 50])), "400", "try_alloc_slice_clone"),
        (
            panic_of(|| _ = frame.alloc_slice_fill_with(usize::MAX, |_| 0_u64)),
            too_many.as_str(),
            "try_alloc_slice_fill_with",
        ),
        (
            panic_of(|| _ = frame.alloc_slice_fill_iter(0..400)),
            "this request",
            "try_alloc_slice_fill_iter",
        ),
        (panic_of(|| _ = frame.alloc_str(&"a".repeat(402))), "402", "try_alloc_str"),
        (panic_of(|| _ = frame.format(format_args!("{:400}", 1))), "this request", "try_format"),
    ];
    for (report, bytes, twin) in &reports {
        let begin = "allocator `level` has no memory left for ";
        assert!(report.starts_with(&format!("{begin}{bytes}")), "{report}");
        assert!(report.ends_with(&format!("call `{twin}`")), "{report}");
    }
    assert_eq!(frame.stats().live, 0, "nothing is left of them");
}

#[test]
fn a_panic_midway_frees_the_block() {
    fn check<A: Arena>(arena: &A) {
        let kept = arena.alloc(5_u32);
        let live = arena.stats().live;
        let fails = |index: usize| if index == 3 { panic!("element {index}") } else { index };
        let attempts: [&dyn Fn(); 4] = [
            &|| _ = arena.alloc_with(|| fails(3)),
            &|| _ = arena.alloc_slice_fill_with(10, fails),
            &|| _ = arena.alloc_slice_fill_iter((0..10).map(fails)),
            &|| _ = arena.format(format_args!("a text {}", Calls(&|| _ = fails(3)))),
        ];
        for (number, attempt) in attempts.iter().enumerate() {
            let report = panic_of(attempt);
            assert_eq!(report, "element 3", "attempt {number}");
            assert_eq!(arena.stats().live, live, "attempt {number} leaves no block");
        }
        assert_eq!(*kept, 5, "untouched");
        arena.verify().expect("sound");
    }
    in_each_arena!(check);
}

/// Calls a function when it is formatted.
struct Calls<'c>(&'c dyn Fn());

impl fmt::Display for Calls<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("called: ")?;
        (self.0)();
        f.write_str(" and back")
    }
}

#[test]
fn closures_may_allocate_in_the_same_arena() {
    fn check<A: Arena>(arena: &A) {
        let inner = |number: usize| &*arena.alloc_slice_fill_with(number % 5, |_| number);
        let outer = arena.alloc_slice_fill_with(40, inner);
        let listed = arena.alloc_slice_fill_iter((0..40).filter(|_| true).map(inner));
        for slices in [&*outer, &*listed] {
            for (number, slice) in slices.iter().enumerate() {
                assert_eq!(*slice, vec![number; number % 5], "slice {number}");
            }
        }
        let nested = arena.alloc_with(|| arena.alloc_with(|| inner(3)));
        assert_eq!(**nested, [3, 3, 3]);
        let text = arena.format(format_args!(
            "{}, {}",
            Calls(&|| _ = arena.alloc([1_u8; 100])),
            Calls(&|| _ = arena.format(format_args!("{:70}", 1))),
        ));
        assert_eq!(text, "called:  and back, called:  and back");
        arena.verify().expect("sound");
    }
    in_each_arena!(check);
}

/// Reports the bounds that it is given, and returns the numbers below `end`.
struct Reports {
    next: u32,
    end: u32,
    bounds: (usize, Option<usize>),
}

impl Iterator for Reports {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.next += 1;
        (self.next <= self.end).then_some(self.next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.bounds
    }
}

#[test]
fn wrong_bounds_of_an_iterator_change_nothing() {
    fn check<A: Arena>(arena: &A) {
        let live = arena.stats().live;
        let before = arena.stats().requested;
        let lows = [0, 1, 9, 10, 11, 500, BYTES, usize::MAX / 4, usize::MAX];
        for (low, end) in lows.into_iter().flat_map(|low| [(low, 0), (low, 10)]) {
            let bounds = (low, Some(0));
            let values = arena.alloc_slice_fill_iter(Reports { next: 0, end, bounds });
            assert!(values.iter().copied().eq(1..=end), "{low} reported, {end} returned");
        }
        let blocks = lows.len();
        assert_eq!(arena.stats().live - live, blocks, "an empty slice has no block");
        // Blocks of the test backing, to which the last two fall back, do not shrink in place.
        let exact = arena.stats().requested - before == blocks * 40;
        assert!(exact || arena.backing().is_some_and(|backing| backing.stats().live > 1));
        arena.verify().expect("sound");
    }
    in_each_arena!(check);
}

#[test]
fn the_last_block_grows_in_place_and_others_move() {
    let mut memory = vec![MaybeUninit::uninit(); BYTES];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let room = frame.remaining();
    let text = frame.format(format_args!("{:50}{:50}{:50}{:50}", 1, 2, 3, 4));
    assert_eq!((text.len(), frame.stats().live), (200, 1));
    // A record takes 8 bytes.
    assert_eq!(room - frame.remaining(), 208, "no byte is lost");
    let mut between = Vec::new();
    let moved = frame.alloc_slice_fill_iter((0..100_u64).filter(|_| true).inspect(|number| {
        between.push(frame.alloc(*number));
    }));
    assert!(moved.iter().copied().eq(0..100), "as written");
    assert!(between.iter().map(|number| **number).eq(0..100), "as written");
    // The values between two moves share a block: 8, 8, 16, 32 and 36 of them.
    assert_eq!(frame.stats().live, 2 + 6, "the blocks from which it moved are free");
    frame.verify().expect("sound");
}

#[test]
fn a_slice_takes_the_last_bytes_of_a_frame() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let most = frame.remaining() - 8;
    // Twice the bytes that it has are never there in the second half.
    let bytes = frame.alloc_slice_fill_iter((0..most).filter(|_| true).map(|at| at as u8));
    assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == at as u8), "as written");
    assert!(frame.remaining() < 8, "the frame is full");
    frame.reset();
    let over = frame.try_alloc_slice_fill_iter((0..=most).filter(|_| true).map(|at| at as u8));
    assert_eq!(over.err(), Some(AllocError), "a byte too many");
    assert_eq!(frame.stats().live, 0, "it is freed");
}

/// Ignores that its text is refused.
struct Careless;

impl fmt::Display for Careless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..100 {
            let _ = f.write_str("0123456789");
        }
        Ok(())
    }
}

/// Fails without a cause.
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

#[test]
fn errors_of_a_display_are_not_taken_for_exhaustion() {
    let mut memory = [MaybeUninit::uninit(); 500];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let refused = frame.try_format(format_args!("{Careless}"));
    assert_eq!(refused.err(), Some(AllocError), "a part of the text is missing");
    let report = panic_of(|| _ = frame.try_format(format_args!("{Broken}")));
    assert!(report.contains("`Display`"), "{report}");
    assert_eq!(frame.stats().live, 0);
}

#[test]
fn any_request_below_can_be_refused() {
    let mut refusals = 0;
    for nth in 0.. {
        let backing = TestBacking::new();
        let temp = TempAllocator::<64, TestBacking>::new_in("temp", &backing);
        backing.refuse_from(nth);
        let made = (|| {
            let values = temp.try_alloc_slice_fill_iter((0..500).filter(|_| true))?;
            let text = temp.try_format(format_args!("{:300}{:600}", 1, 2))?;
            temp.try_alloc_slice_clone(&[7_u16; 400])?;
            Ok::<_, AllocError>((values.len(), text.len()))
        })();
        refusals += u32::from(made.is_err());
        assert!(made.is_err() || made == Ok((500, 900)), "{nth}");
        temp.verify().expect("sound");
        if made.is_ok() {
            break;
        }
    }
    assert!(refusals > 2, "{refusals} of the requests are needed");
}

#[test]
fn a_block_has_the_site_of_the_call() {
    let backing = TestBacking::new();
    let mut memory = vec![MaybeUninit::uninit(); BYTES];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let frame = frame.with_sites(Sites::new_in(&backing));
    let first = line!() + 1;
    frame.alloc(1_u8);
    frame.alloc_with(|| 2_u8);
    frame.alloc_slice_copy(&[3_u8]);
    frame.alloc_slice_clone(&[4_u8]);
    frame.alloc_slice_fill_with(5, |_| 5_u8);
    frame.alloc_slice_fill_iter([6_u8; 6]);
    frame.alloc_str("seven");
    frame.format(format_args!("eight"));
    let mut lines = Vec::new();
    frame.walk(&mut |block| lines.push(block.site.expect("kept").line()));
    assert!(lines.iter().copied().eq(first..first + 8), "{lines:?} from {first}");
}

#[test]
fn threads_have_separate_references_of_a_shared_frame() {
    let mut memory = vec![MaybeUninit::uninit(); 64 << 10];
    let mut frame = SharedFrame::from_region("frame", &mut memory);
    for _ in 0..10 {
        let sums: Vec<u32> = std::thread::scope(|scope| {
            let frame = &frame;
            let threads = [1_u32, 2, 3].map(|thread| {
                scope.spawn(move || {
                    let own: Vec<_> = (0..100).map(|_| frame.alloc([thread; 4])).collect();
                    own.into_iter().flatten().map(|number| *number).sum()
                })
            });
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(sums, [400, 800, 1200], "no block is another thread's");
        frame.reset();
    }
}

#[test]
fn random_values_keep_their_contents() {
    fn check<A: Arena>(arena: &A) {
        for seed in 0..10 {
            println!("seed {seed}");
            let mut random = Random::new(seed);
            let (mut bytes, mut lines, mut texts) = (Vec::new(), Vec::new(), Vec::new());
            for step in 0..60 {
                let (len, fill) = (random.below(20), random.below(256) as u8);
                match random.below(5) {
                    0 => bytes.push((arena.alloc_slice_fill_with(len, |_| fill), vec![fill; len])),
                    1 => bytes.push((
                        arena.alloc_slice_fill_iter((0..len).filter(|_| true).map(|_| fill)),
                        vec![fill; len],
                    )),
                    2 if step % 8 == 0 => lines.push((arena.alloc(Line(fill)), Line(fill))),
                    _ => texts
                        .push((arena.format(format_args!("{fill:len$}")), format!("{fill:len$}"))),
                }
            }
            bytes.iter().for_each(|(found, expected)| assert_eq!(found, expected, "{seed}"));
            lines.iter().for_each(|(found, expected)| assert_eq!(*found, expected, "{seed}"));
            texts.iter().for_each(|(found, expected)| assert_eq!(**found, **expected, "{seed}"));
            arena.verify().expect("sound");
        }
    }
    in_each_arena!(check);
}
