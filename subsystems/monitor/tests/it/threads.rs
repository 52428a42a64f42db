//! What threads record, and what is seen of it.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::Array;
use loligo_monitor::{Monitor, MonitorError, MonitoredAllocator, Options, current, name};

use crate::seen::{Seen, all, small, with_heap};

#[test]
fn what_is_recorded_is_seen() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        {
            let _update = main.scope(name!("update"));
            main.counter(name!("units"), -12);
            main.begin(name!("animate"));
            main.float(name!("wind"), 0.5);
            main.end(name!("animate"));
            main.vector3(name!("camera"), [1.0, -2.0, f32::INFINITY]);
        }
        main.allocated(name!("heap"), 64, 48);
        main.freed(name!("heap"), 64, 48);
        assert_eq!(all(&monitor).lines, [""; 0], "nothing was handed in yet");
        main.frame();
        let seen = all(&monitor);
        let lines = [
            "main > update",
            "main units -12",
            "main > animate",
            "main wind 0.5",
            "main < animate",
            "main camera [1.0, -2.0, inf]",
            "main < update",
            "main heap +48",
            "main heap -48",
            "main frame 0",
        ];
        assert_eq!(seen.lines, lines);
        assert!(seen.times.is_sorted(), "times never go back: {:?}", seen.times);
        assert!(seen.times[0] > 0, "the machine's counter runs");
    });
}

#[test]
fn nothing_is_allocated_while_recording() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let before = heap.stats().allocations_total;
        for _ in 0..3 {
            // More than four blocks hold, so that blocks change hands and some are lost.
            for _ in 0..20_000 {
                let _scope = main.scope(name!("scope"));
                main.counter(name!("counter"), 7);
            }
            main.frame();
            let drained = monitor.drain(&mut []);
            assert!(drained.lost > 0, "20 000 scopes are more than 4 blocks: {drained:?}");
        }
        assert_eq!(heap.stats().allocations_total, before, "allocations");
    });
}

#[test]
fn threads_hand_in_when_they_end() {
    with_heap(|heap| {
        let monitor = small(heap);
        std::thread::scope(|threads| {
            for name in ["one", "two"] {
                let monitor = &monitor;
                threads.spawn(move || {
                    let recorder = monitor.try_recorder(name).expect("there is memory");
                    recorder.counter(name!("left in the buffer"), 1);
                    recorder.begin(name!("never ended"));
                });
            }
        });
        let mut lines = all(&monitor).lines;
        lines.sort();
        let of = |name| {
            [
                format!("{name} <! never ended"),
                format!("{name} > never ended"),
                format!("{name} left in the buffer 1"),
            ]
        };
        assert_eq!(lines, [of("one"), of("two")].concat());
        assert_eq!(monitor.stats().threads, 0, "both have ended");
    });
}

#[test]
fn other_threads_hand_in_when_a_frame_is_over() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let worker = monitor.try_recorder("worker").expect("there is memory");
        worker.counter(name!("first frame"), 1);
        main.frame();
        assert_eq!(all(&monitor).lines, ["main frame 0"], "the worker has not noticed");
        worker.counter(name!("second frame"), 2);
        assert_eq!(all(&monitor).lines, ["worker first frame 1"], "it has with its next event");
        worker.flush();
        assert_eq!(all(&monitor).lines, ["worker second frame 2"]);
        worker.flush();
        assert_eq!(all(&monitor).lines, [""; 0], "there is nothing to hand in");
    });
}

#[test]
fn recording_is_switched_off_and_on() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let open = main.scope(name!("begun while on"));
        monitor.set_recording(false);
        assert!(!main.is_recording() && !monitor.is_recording(), "it is off");
        let ignored = main.scope(name!("begun while off"));
        main.counter(name!("while off"), 1);
        main.frame();
        drop(open);
        monitor.set_recording(true);
        drop(ignored);
        main.counter(name!("while on"), 1);
        main.frame();
        let lines =
            ["main > begun while on", "main < begun while on", "main while on 1", "main frame 0"];
        assert_eq!(all(&monitor).lines, lines);
    });
}

#[test]
fn of_two_monitors_the_innermost_is_current() {
    with_heap(|heap| {
        let (outer, inner) = (small(heap), small(heap));
        let (one, two) = (outer.try_recorder("one"), inner.try_recorder("two"));
        let (one, two) = (one.expect("there is memory"), two.expect("there is memory"));
        assert!(!current::is_recording(), "no recorder is current");
        current::counter(name!("nowhere"), 1);
        one.run(|| {
            let _scope = current::scope(name!("outer"));
            two.run(|| {
                let _scope = current::scope(name!("inner"));
                current::vector3(name!("place"), [0.0; 3]);
            });
            current::float(name!("value"), 2.5);
        });
        assert!(!current::is_recording(), "no recorder is current");
        one.flush();
        two.flush();
        assert_eq!(all(&outer).lines, ["one > outer", "one value 2.5", "one < outer"]);
        let lines = ["two > inner", "two place [0.0, 0.0, 0.0]", "two < inner"];
        assert_eq!(all(&inner).lines, lines);
    });
}

#[test]
fn a_scope_that_leaves_its_recorder_is_left_alone() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let escaped = main.run(|| current::scope(name!("escaped")));
        drop(main);
        drop(escaped);
        let lines = ["main > escaped", "main <! escaped"];
        assert_eq!(all(&monitor).lines, lines, "the thread's end is its end");
    });
}

#[test]
fn names_are_made_at_run_time() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let name = monitor.try_name("möwe \"7\"").expect("there is room");
        assert_eq!(monitor.try_name("möwe \"7\""), Ok(name), "the same text is the same name");
        main.counter(name, 3);
        main.flush();
        assert_eq!(all(&monitor).lines, ["main möwe \"7\" 3"]);
        for number in 0..14 {
            assert!(monitor.try_name(&format!("{number}")).is_ok(), "16 names have room");
        }
        assert_eq!(monitor.try_name("17"), Err(MonitorError::Names { limit: 16 }));
        let long = "x".repeat(2000);
        let refused = Err(MonitorError::LongName { bytes: 2000, limit: 1024 });
        assert_eq!(monitor.try_name(&long), refused);
        // Another monitor's number is a question mark here.
        let other = Monitor::try_new_in(&Options { names: 99, blocks: 2, threads: 1 }, heap)
            .expect("there is memory");
        let foreign = (0..40).map(|number| other.try_name(&format!("{number}")));
        let foreign = foreign.last().expect("there are 40").expect("there is room");
        main.counter(foreign, 1);
        main.flush();
        assert_eq!(all(&monitor).lines, ["main ? 1"]);
    });
}

#[test]
fn threads_are_bounded_and_their_numbers_used_again() {
    with_heap(|heap| {
        let monitor = small(heap);
        let names = ["a", "b", "c", "d"];
        let all_four = names.map(|name| monitor.try_recorder(name).expect("four may record"));
        let refused = monitor.try_recorder("e").err();
        assert_eq!(refused, Some(MonitorError::Threads { limit: 4 }));
        let [a, b, _c, _d] = all_four;
        let number = b.thread();
        drop(b);
        let b = monitor.try_recorder("b").expect("one has ended");
        assert_eq!(b.thread(), number, "the number is that of the thread of this name");
        a.counter(name!("last words"), 1);
        drop(a);
        let e = monitor.try_recorder("e").expect("one has ended");
        e.counter(name!("first words"), 1);
        e.flush();
        assert_eq!(all(&monitor).lines, ["a last words 1", "e first words 1"]);
    });
}

#[test]
fn stamps_come_in_any_order_and_times_do_not() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let now = loligo_monitor::ticks() * 2;
        main.begin_at(name!("gpu"), now);
        main.begin_at(name!("draw"), now - 500);
        main.end_at(name!("draw"), now - 400);
        main.end_at(name!("gpu"), now + 9);
        main.flush();
        let mut seen = Seen::default();
        assert_eq!(monitor.drain(&mut [&mut seen]).events, 4);
        assert_eq!(seen.times, [now, now, now, now + 9]);
    });
}

#[test]
fn a_heap_is_watched() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let pages = PageAllocator::new("pages");
        let units = HeapAllocator::new_in("units", &pages);
        let watched = MonitoredAllocator::new_in(name!("units"), &units);
        let mut array = Array::<u64, _>::new_in(&watched);
        array.push(1);
        main.run(|| {
            watched.record_fragmentation(name!("fragmentation"));
            array.reserve(1000);
            drop(array);
        });
        main.flush();
        let lines = all(&monitor).lines;
        let sizes = |sign: char| -> Vec<u64> {
            let size = |line: &String| line.split_once(&format!("units {sign}"))?.1.parse().ok();
            lines.iter().filter_map(size).collect()
        };
        let ([grown], [first, last]) = (&sizes('+')[..], &sizes('-')[..]) else {
            panic!("it is moved or grown, and freed: {lines:?}");
        };
        assert!(*grown >= 8008 && grown == last && first < grown, "{lines:?}");
        let share = lines[0].strip_prefix("main fragmentation ").expect("it comes first");
        let share: f32 = share.parse().expect("a number");
        assert!(share > 0.5 && share < 1.0, "a few bytes of a heap: {share}");
        assert_eq!(watched.stats().live, 0);
    });
}
