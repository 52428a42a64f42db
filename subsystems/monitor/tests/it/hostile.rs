//! Consumers that are slow, panic, or drain themselves; scopes that do not nest; threads that race.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use loligo_monitor::{Consumer, DEPTH_MAX, Event, Monitor, Name, What, name};

use crate::seen::{Debug, Seen, all, small, with_heap};

/// Counts events and losses by thread, and asserts that scopes nest.
#[derive(Default)]
struct Nest {
    open: std::collections::BTreeMap<u32, Vec<String>>,
    scopes: u64,
    events: u64,
    lost: u64,
}

impl Consumer for Nest {
    fn event(&mut self, event: &Event<'_>) {
        let open = self.open.entry(event.thread).or_default();
        self.events += 1;
        match event.what {
            What::Enter { name, .. } => open.push(name.to_owned()),
            What::Leave { name, .. } => {
                assert_eq!(open.pop().as_deref(), Some(name), "the innermost scope ends");
                self.scopes += 1;
            }
            What::Lost { events } => {
                assert!(open.is_empty(), "open scopes end where events are lost: {open:?}");
                self.lost += events;
            }
            _ => {}
        }
    }
}

#[test]
fn the_oldest_is_lost_and_told() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        main.begin(name!("before"));
        main.flush();
        let mut nest = Nest::default();
        assert_eq!(monitor.drain(&mut [&mut nest]).events, 1);
        for _ in 0..20_000 {
            let _scope = main.scope(name!("scope"));
        }
        main.counter(name!("last"), 1);
        main.flush();
        monitor.validate().expect("nothing is broken");
        let lost = monitor.stats().lost;
        let drained = monitor.drain(&mut [&mut nest]);
        assert_eq!((drained.lost, nest.lost), (lost, lost), "what was lost is reported");
        assert!(lost >= 40_000 - 4 * 4096, "{lost} of 40 001 events were lost of four blocks");
        assert!(drained.events >= 3 * 4000, "the last blocks are there: {drained:?}");
        // The first scope's end, which is made, the loss, the counter, and whole scopes.
        assert_eq!(nest.scopes, 1 + (drained.events - 3) / 2, "of {drained:?}");
        // Those that come later are all seen.
        main.counter(name!("later"), 2);
        main.flush();
        assert_eq!(all(&monitor).lines, ["main later 2"]);
        assert_eq!(monitor.stats().lost, lost, "no more are lost");
    });
}

#[test]
fn a_scope_that_a_panic_leaves_has_ended() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        let result = catch_unwind(AssertUnwindSafe(|| {
            main.run(|| {
                let _outer = main.scope(name!("outer"));
                let _inner = loligo_monitor::current::scope(name!("inner"));
                std::panic::resume_unwind(Box::new("on purpose"));
            });
        }));
        assert!(result.is_err(), "it has panicked");
        assert!(!loligo_monitor::current::is_recording(), "no recorder is current");
        main.frame();
        let lines =
            ["main > outer", "main > inner", "main < inner", "main < outer", "main frame 0"];
        assert_eq!(all(&monitor).lines, lines);
    });
}

#[test]
fn scopes_that_do_not_nest_are_mended() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        main.end(name!("never begun"));
        main.begin(name!("a"));
        main.begin(name!("end forgotten"));
        main.frame();
        main.end(name!("a"));
        main.end(name!("a"));
        main.frame();
        let lines = [
            "main > a",
            "main > end forgotten",
            "main frame 0",
            "main <! end forgotten",
            "main < a",
            "main frame 1",
        ];
        assert_eq!(all(&monitor).lines, lines);
        let stats = monitor.stats();
        assert_eq!((stats.stray_ends, stats.cut_scopes, stats.frames), (2, 1, 2));
    });
}

#[test]
fn deep_scopes_are_left_out() {
    fn sink(recorder: &loligo_monitor::Recorder<'_>, left: usize) {
        let _scope = recorder.scope(name!("deeper"));
        if left > 1 {
            sink(recorder, left - 1);
        }
    }
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        sink(&main, DEPTH_MAX + 40);
        sink(&main, 2);
        main.flush();
        let mut nest = Nest::default();
        assert_eq!(monitor.drain(&mut [&mut nest]).events, 2 * (DEPTH_MAX as u64 + 2));
        assert!(nest.open[&0].is_empty(), "all have ended");
        assert_eq!(monitor.stats().deep_scopes, 40);
    });
}

/// Panics at its first event.
struct Panics;

impl Consumer for Panics {
    fn event(&mut self, _: &Event<'_>) {
        std::panic::resume_unwind(Box::new("on purpose"));
    }
}

/// Drains the monitor from within.
struct Drains<'m, 'a, 'p>(&'m Monitor<'a, Debug<'p>>, u32);

impl Consumer for Drains<'_, '_, '_> {
    fn event(&mut self, _: &Event<'_>) {
        self.1 += 1;
        assert!(self.0.drain(&mut [&mut Panics]).busy, "it is being drained");
        assert!(self.0.try_name("made from within").is_ok(), "all else can be done");
    }
}

#[test]
fn consumers_may_panic_and_drain() {
    with_heap(|heap| {
        let monitor = small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        for _ in 0..9 {
            main.counter(name!("counter"), 1);
            main.flush();
            let panicked = catch_unwind(AssertUnwindSafe(|| monitor.drain(&mut [&mut Panics])));
            assert!(panicked.is_err(), "it panics");
            monitor.validate().expect("the block is back");
        }
        main.counter(name!("counter"), 2);
        main.flush();
        let mut drains = Drains(&monitor, 0);
        assert!(!monitor.drain(&mut [&mut drains]).busy, "it is drained");
        assert_eq!(drains.1, 1, "one event");
    });
}

#[test]
fn threads_and_a_consumer_race() {
    const SCOPES: u64 = 30_000;
    with_heap(|heap| {
        let monitor = small(heap);
        let mut nest = Nest::default();
        std::thread::scope(|threads| {
            let record = |name: &'static str| {
                let recorder = monitor.try_recorder(name).expect("there is memory");
                for number in 0..SCOPES {
                    let _scope = recorder.scope(name!("scope"));
                    if number % 1000 == 999 {
                        recorder.frame();
                    }
                }
            };
            let workers = ["one", "two", "three"].map(|name| threads.spawn(move || record(name)));
            while !workers.iter().all(|worker| worker.is_finished()) {
                assert!(!monitor.drain(&mut [&mut nest]).busy, "nobody else drains");
                std::thread::yield_now();
            }
            workers.into_iter().for_each(|worker| worker.join().expect("it does not panic"));
        });
        assert!(!monitor.drain(&mut [&mut nest]).busy, "nobody else drains");
        monitor.validate().expect("nothing is broken");
        assert!(nest.open.values().all(Vec::is_empty), "all have ended");
        let stats = monitor.stats();
        assert_eq!(nest.lost, stats.lost, "what was lost is reported");
        if stats.lost == 0 {
            assert_eq!(nest.scopes, 3 * SCOPES, "every scope was seen");
        }
        assert!(nest.events > 0 && nest.scopes <= 3 * SCOPES, "{} scopes", nest.scopes);
        let missing = 3 * SCOPES - nest.scopes;
        assert!(missing <= stats.lost + 3, "{missing} scopes miss and {} events", stats.lost);
    });
}

#[test]
fn names_are_words() {
    assert_eq!(size_of::<Name>(), size_of::<usize>());
    assert_eq!(loligo_monitor::EVENT_BYTES, 16);
    assert_eq!(loligo_monitor::BLOCK_BYTES, 65_536);
    let mut seen = Seen::default();
    with_heap(|heap| assert_eq!(small(heap).drain(&mut [&mut seen]).events, 0));
}
