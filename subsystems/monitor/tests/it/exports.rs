//! Traces, read back: Chrome's by a reader of JSON, Perfetto's by one of protocol buffers.

use std::collections::BTreeMap;
use std::io::{self, Write};

use loligo_monitor::{ChromeTrace, Clock, ExportError, Monitor, PerfettoTrace, name};
use serde_json::Value;

use crate::packets::Message;
use crate::seen::{Debug, SMALL, Seen, with_heap};

/// What a name may hold that formats trip over.
const ODD: &str = "a \"quoted\" \\ möwe\n\u{1}\u{1f980}";

/// Records something of each kind on two threads, and returns what was seen and both traces.
fn recorded(heap: &Debug<'_>) -> (Seen, Value, Vec<Message>) {
    let clock = Clock::new(loligo_monitor::ticks(), 1.0);
    let monitor = Monitor::try_with_clock_in(&SMALL, clock, heap).expect("there is memory");
    let mut seen = Seen::default();
    let mut chrome = ChromeTrace::try_new_in(Vec::new(), 16, heap).expect("there is memory");
    let mut perfetto = PerfettoTrace::try_new_in(Vec::new(), 16, heap).expect("there is memory");
    for thread in ["main", "a \"worker\""] {
        let recorder = monitor.try_recorder(thread).expect("there is memory");
        for round in 0..3 {
            let _outer = recorder.scope(name!("outer"));
            let _odd = recorder.scope(name!(ODD));
            recorder.counter(name!("units"), -5 + round);
            recorder.float(name!("wind"), 0.25);
            recorder.float(name!("nonsense"), f32::NAN);
            recorder.vector3(name!("camera"), [1.0, f32::MAX, -3.5]);
            recorder.vector3(name!("nonsense"), [f32::INFINITY, 0.5, 1.0]);
            recorder.allocated(name!("heap"), 0x1000, 100);
            recorder.freed(name!("heap"), 0x1000, 100);
            recorder.begin(name!("never ended"));
            recorder.frame();
        }
        drop(recorder);
        let drained = monitor.drain(&mut [&mut seen, &mut chrome, &mut perfetto]);
        assert_eq!(drained.lost, 0, "it is few");
    }
    let json = chrome.finish().expect("a vector takes every write");
    let json = serde_json::from_slice(&json).expect("it is JSON");
    let bytes = perfetto.finish().expect("a vector takes every write");
    let packets = Message::read(&bytes).0.into_iter().map(|(number, packet)| {
        assert_eq!(number, 1, "a trace is packets, not {packet:?}");
        packet.into_message()
    });
    (seen, json, packets.collect())
}

#[test]
fn chrome_traces_are_what_the_format_asks_for() {
    let (seen, trace, _) = with_heap(recorded);
    assert_eq!(trace["displayTimeUnit"], "ns");
    let events = trace["traceEvents"].as_array().expect("an array");
    let mut open: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    let mut last: BTreeMap<u64, f64> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events {
        let kind = event["ph"].as_str().expect("each has a phase");
        *kinds.entry(kind).or_default() += 1;
        let name = event["name"].as_str().expect("each has a name");
        let tid = event["tid"].as_u64().expect("each has a thread");
        assert_eq!(event["pid"], 1, "{event}");
        if kind == "M" {
            assert_eq!(name, "thread_name");
            assert!(event["args"]["name"].is_string(), "{event}");
            assert!(open.insert(tid, Vec::new()).is_none(), "a thread is named once: {event}");
            continue;
        }
        let stack = open.get_mut(&tid).expect("a thread is named before its events");
        let time = event["ts"].as_f64().expect("each has a time");
        assert!(time >= last.insert(tid, time).unwrap_or(0.0), "times never go back: {event}");
        match kind {
            "B" => stack.push(name),
            "E" => assert_eq!(stack.pop(), Some(name), "the innermost scope ends"),
            "C" => {
                let args = event["args"].as_object().expect("a counter has values");
                assert!(!args.is_empty() && args.values().all(Value::is_number), "{event}");
            }
            "i" => assert!(["g", "p", "t"].contains(&event["s"].as_str().unwrap_or("")), "{event}"),
            _ => panic!("phase {kind} is not written"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "all scopes have ended: {open:?}");
    let count = |begin: &str| seen.lines.iter().filter(|line| line.contains(begin)).count();
    // Three rounds of three scopes on two threads.
    assert_eq!(kinds["B"], 18);
    assert_eq!(kinds["B"], count(" > "));
    assert_eq!(kinds["E"], 18);
    assert_eq!(kinds["M"], 2);
    assert_eq!(kinds["i"], count(" frame "));
    // Of each round a counter, a float, a vector, an allocation and a free; but not the NaN.
    assert_eq!(kinds["C"], 6 * 5);
    let find = |name: &str| events.iter().find(|event| event["name"] == name).expect("it is there");
    assert_eq!(find("units")["args"]["value"], -5);
    assert_eq!(find("wind")["args"]["value"], 0.25);
    assert_eq!(find("camera")["args"]["z"], -3.5);
    assert_eq!(find("heap")["args"]["live bytes"], 100);
    assert_eq!(find(ODD)["ph"], "B");
}

#[test]
fn perfetto_traces_are_what_the_format_asks_for() {
    let (seen, _, packets) = with_heap(recorded);
    // Tracks by their number: their name, and the slices open on them.
    let mut tracks: BTreeMap<u64, (String, Vec<String>)> = BTreeMap::new();
    let mut counters: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut slices = 0;
    for packet in &packets {
        assert_eq!(packet.number(10), Some(1), "one sequence");
        if let Some(track) = packet.message(60) {
            let uuid = track.number(1).expect("a track has a number");
            let process = track.message(3).map(|process| process.text(6).expect("a name"));
            let thread = track.message(4).map(|thread| thread.text(5).expect("a name"));
            assert_eq!(track.number(5).is_none(), process.is_some(), "the process is above all");
            let name = process.or(thread).or_else(|| {
                track.message(8).expect("neither process nor thread, so a counter");
                track.text(2)
            });
            let before = tracks.insert(uuid, (name.expect("a track has a name"), Vec::new()));
            assert!(before.is_none(), "a track is announced once: {track:?}");
            continue;
        }
        assert!(packet.number(8).is_some(), "an event has a time");
        let event = packet.message(11).expect("a packet is a track or an event");
        let track = event.number(11).expect("an event has a track");
        let (name, open) = tracks.get_mut(&track).expect("a track is announced before its events");
        match event.number(9) {
            Some(1) => {
                slices += 1;
                open.push(event.text(23).expect("a slice has a name"));
            }
            Some(2) => assert!(open.pop().is_some(), "a slice ends that is open"),
            Some(3) => assert_eq!(event.text(23).as_deref(), Some("frame")),
            Some(4) => {
                let value = match (event.number(30), event.double(44)) {
                    (Some(whole), None) => whole.cast_signed() as f64,
                    (None, Some(value)) => value,
                    other => panic!("a counter has one value, not {other:?}"),
                };
                counters.entry(name.clone()).or_default().push(value);
            }
            other => panic!("an event of type {other:?}"),
        }
    }
    assert!(tracks.values().all(|(_, open)| open.is_empty()), "all slices have ended");
    assert_eq!(slices, seen.lines.iter().filter(|line| line.contains(" > ")).count());
    assert_eq!(counters["units"], [-5.0, -4.0, -3.0, -5.0, -4.0, -3.0]);
    assert_eq!(counters["wind"], [0.25; 6]);
    assert_eq!(counters["camera.y"], [f64::from(f32::MAX); 6]);
    assert_eq!(counters["camera.z"], [-3.5; 6]);
    assert_eq!(counters["nonsense.y"], [0.5; 6], "what is no number is left out");
    assert!(!counters.contains_key("nonsense"), "a float that is no number");
    assert_eq!(counters["heap live bytes"], [100.0, 0.0].repeat(6));
    assert!(tracks.values().any(|(name, _)| name == "a \"worker\""), "threads have names");
}

#[test]
fn what_an_export_has_no_room_for_is_told() {
    with_heap(|heap| {
        let monitor = crate::seen::small(heap);
        let main = monitor.try_recorder("main").expect("there is memory");
        main.allocated(name!("one"), 1, 1);
        main.allocated(name!("two"), 2, 2);
        main.flush();
        let mut chrome = ChromeTrace::try_new_in(Vec::new(), 1, heap).expect("there is memory");
        let mut perfetto = PerfettoTrace::try_new_in(Vec::new(), 1, heap).expect("there is memory");
        assert_eq!(monitor.drain(&mut [&mut chrome, &mut perfetto]).events, 2);
        let refusals = [chrome.finish().err(), perfetto.finish().err()];
        for refused in refusals {
            assert!(
                matches!(refused, Some(ExportError::Names { limit: 1, events: 1 })),
                "{refused:?}"
            );
        }
    });
}

/// Takes the given number of bytes and then no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_at_the_end() {
    with_heap(|heap| {
        for room in 0..200 {
            let monitor = crate::seen::small(heap);
            let main = monitor.try_recorder("main").expect("there is memory");
            (0..9).for_each(|value| main.counter(name!("counter"), value));
            main.flush();
            let mut chrome = ChromeTrace::try_new_in(Full(room), 4, heap).expect("there is memory");
            let mut perfetto =
                PerfettoTrace::try_new_in(Full(room), 4, heap).expect("there is memory");
            assert_eq!(monitor.drain(&mut [&mut chrome, &mut perfetto]).events, 9);
            assert!(matches!(chrome.finish(), Err(ExportError::Write(_))), "room for {room}");
            assert!(matches!(perfetto.finish(), Err(ExportError::Write(_))), "room for {room}");
        }
    });
}

#[test]
fn an_empty_trace_is_a_trace() {
    with_heap(|heap| {
        let chrome = ChromeTrace::try_new_in(Vec::new(), 4, heap).expect("there is memory");
        let json = chrome.finish().expect("a vector takes every write");
        let json: Value = serde_json::from_slice(&json).expect("it is JSON");
        assert_eq!(json["traceEvents"], Value::Array(Vec::new()));
        let perfetto = PerfettoTrace::try_new_in(Vec::new(), 4, heap).expect("there is memory");
        assert_eq!(perfetto.finish().expect("a vector takes every write"), [0; 0]);
    });
}
