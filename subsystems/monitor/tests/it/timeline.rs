//! The timeline: spans of nested scopes, by thread, with cores.

use loligo_allocators::Allocator;
use loligo_monitor::{DEPTH_MAX, NO_CORE, Timeline, TimelineLimits, name, ticks};

use crate::seen::{small, with_heap};

const LIMITS: TimelineLimits = TimelineLimits { threads: 2, spans: 8, names: 6 };

#[test]
fn scopes_nest_by_thread() {
    with_heap(|heap| {
        let monitor = small(heap);
        let mut timeline = Timeline::try_new_in(&LIMITS, heap).expect("there is memory");
        let now = ticks() * 2;
        let main = monitor.try_recorder("main").expect("there is memory");
        let worker = monitor.try_recorder("worker").expect("there is memory");
        for recorder in [&main, &worker] {
            recorder.begin_at(name!("update"), now);
            recorder.begin_at(name!("animate"), now + 10);
            recorder.end_at(name!("animate"), now + 30);
            recorder.begin_at(name!("still open"), now + 40);
            recorder.flush();
        }
        main.end_at(name!("update"), now + 50);
        main.flush();
        assert_eq!(monitor.drain(&mut [&mut timeline]).lost, 0);
        assert_eq!((timeline.left_out(), timeline.last_ns()), (0, now + 50));
        let [main, worker] = timeline.tracks() else {
            panic!("two threads, not {timeline:?}");
        };
        assert_eq!(timeline.name(worker.name()), "worker");
        let spans: Vec<_> = main
            .spans()
            .map(|span| {
                let name = timeline.name(span.name);
                (name, span.depth, span.start_ns - now, span.end_ns - now, span.cut)
            })
            .collect();
        let ended = [
            ("animate", 1, 10, 30, false),
            ("still open", 1, 40, 50, true),
            ("update", 0, 0, 50, false),
        ];
        assert_eq!(spans, ended);
        assert_eq!(main.open(), []);
        let open: Vec<_> = worker.open().iter().map(|span| timeline.name(span.name)).collect();
        assert_eq!(open, ["update", "still open"]);
        assert_eq!(main.between(now + 31, now + 39).count(), 1, "the update alone");
        assert_eq!(main.between(now + 30, now + 40).count(), 3, "all of them");
        assert_eq!(main.between(now + 51, now + 90).count(), 0, "none so late");
    });
}

#[test]
fn cores_are_those_of_the_machine() {
    with_heap(|heap| {
        let monitor = small(heap);
        let mut timeline = Timeline::try_new_in(&LIMITS, heap).expect("there is memory");
        let main = monitor.try_recorder("main").expect("there is memory");
        drop(main.scope(name!("scope")));
        main.flush();
        assert_eq!(monitor.drain(&mut [&mut timeline]).lost, 0);
        let core = timeline.tracks()[0].spans().next().expect("it has ended").core;
        if core == NO_CORE {
            println!("this system does not say which core a thread runs on");
        } else {
            assert!(core < 8192, "core {core}");
        }
    });
}

#[test]
fn the_last_are_kept_and_the_rest_counted() {
    with_heap(|heap| {
        let monitor = small(heap);
        let mut timeline = Timeline::try_new_in(&LIMITS, heap).expect("there is memory");
        let before = heap.stats().allocations_total;
        let main = monitor.try_recorder("main").expect("there is memory");
        let made = heap.stats().allocations_total;
        for _ in 0..20 {
            drop(main.scope(name!("a")));
        }
        drop(main.scope(name!("b")));
        let begins = (0..DEPTH_MAX + 2).map(|_| main.begin(name!("deep")));
        assert_eq!(begins.count(), DEPTH_MAX + 2);
        main.flush();
        let drained = monitor.drain(&mut [&mut timeline]);
        let names = made - before;
        assert_eq!(
            heap.stats().allocations_total - made,
            0,
            "allocations, after {names} of a thread"
        );
        assert_eq!(drained.events, 42 + DEPTH_MAX as u64);
        let spans = timeline.tracks()[0].spans();
        let names: String = spans.map(|span| timeline.name(span.name)).collect();
        assert_eq!(names, "aaaaaaab", "the last eight");
        assert_eq!(timeline.tracks()[0].open().len(), DEPTH_MAX);
        drop(main);
        for thread in ["b", "c"] {
            let recorder = monitor.try_recorder(thread).expect("there is memory");
            drop(recorder.scope(name!("scope")));
        }
        assert_eq!(monitor.drain(&mut [&mut timeline]).lost, 0);
        assert_eq!(timeline.tracks().len(), 2, "there is room for two threads");
        assert_eq!(timeline.left_out(), 2, "the beginning and the end of the third one's");
    });
}
