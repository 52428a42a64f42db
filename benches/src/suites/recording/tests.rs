//! Tests of recordings: what the bundled ones have, what becomes of damaged ones, and windows.

use loligo_replay::suites::counting::counted;

use super::window::{cut, window};
use super::*;
use crate::suites::replay::Replay;

const fn event(op: Op, slot: u32, bytes: u64) -> Event {
    Event { op, align_log2: 4, thread: 0, slot, bytes }
}

fn trace(events: &[Event]) -> Trace {
    Trace::from_events("test", events.to_vec()).expect("the events are a trace")
}

/// The row of a program in the table of `recordings/README.md`, without its first cells.
fn stated(name: &str) -> Vec<u64> {
    let text = include_str!("../../../recordings/README.md");
    let begin = format!("| `{name}` ");
    let row = text.lines().find(|line| line.starts_with(&begin)).expect("a row for each");
    let cells = row.split('|').skip(2).map(|cell| cell.trim().replace(' ', ""));
    cells.filter(|cell| !cell.is_empty()).map(|cell| cell.parse().expect("a number")).collect()
}

#[test]
fn bundled_recordings_have_what_their_page_states() {
    for (name, file) in [("cfrac", CFRAC), ("espresso", ESPRESSO)] {
        let trace = Trace::read_zst(name, file).expect("it is sound");
        let count = |op| trace.events.iter().filter(|event| event.op == op).count() as u64;
        let allocations = count(Op::Allocate) + count(Op::AllocateZeroed);
        let events = trace.events.len() as u64;
        let largest = trace.events.iter().map(|event| event.bytes).max().unwrap_or(0);
        let [calls, live, ref counts @ ..] = stated(name)[..] else { panic!("{name}") };
        assert_eq!(calls + live, events, "{name}");
        let found = [
            allocations,
            count(Op::Reallocate),
            count(Op::Free),
            trace.peak_live_blocks.into(),
            trace.peak_live_bytes,
            largest,
            file.len() as u64,
        ];
        assert_eq!(counts, found, "{name}");
        let first = trace.events.iter().take(live as usize);
        assert!(first.clone().all(|event| event.op == Op::Allocate), "live blocks come first");
        let recording = Recording::of(&trace).expect("it fits");
        assert_eq!(recording.slots(), trace.peak_live_blocks as usize);
        let frees = recording.steps().iter().filter(|step| step.kind() == Kind::Free).count();
        assert_eq!(frees as u64, allocations, "all blocks are freed at the end");
    }
}

#[test]
fn steps_know_the_layouts_before_and_after() {
    let events = [
        event(Op::Allocate, 0, 1),
        event(Op::AllocateZeroed, 1, 100),
        event(Op::Reallocate, 0, 40),
        event(Op::Free, 0, 0),
        event(Op::Allocate, 0, 7),
    ];
    let recording = Recording::of(&trace(&events)).expect("it fits");
    let steps = recording.steps().iter().map(|step| {
        let [old, new] = [step.old_layout(), step.layout()].map(|it| (it.size(), it.align()));
        (step.kind(), step.slot(), old, new)
    });
    let steps: Vec<_> = steps.collect();
    assert_eq!(
        steps,
        [
            (Kind::Allocate, 0, (0, 1), (1, 1)),
            (Kind::AllocateZeroed, 1, (0, 8), (100, 8)),
            (Kind::Resize, 0, (1, 1), (40, 1)),
            (Kind::Free, 0, (40, 1), (0, 1)),
            (Kind::Allocate, 0, (0, 4), (7, 4)),
            (Kind::Free, 0, (7, 4), (0, 4)),
            (Kind::Free, 1, (100, 8), (0, 8)),
        ]
    );
    assert_eq!((recording.slots(), recording.bytes() >= 7 * 12), (2, true));
}

#[test]
fn what_has_no_space_in_a_step_is_refused() {
    let error = Recording::of(&trace(&[event(Op::Allocate, 0, 1 << 32)])).expect_err("too large");
    assert!(error.to_string().contains("record 1"), "{error}");
}

#[test]
fn a_damaged_recording_is_refused_with_its_name_and_a_remedy() {
    let mut flipped = CFRAC.to_vec();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    for file in [&[][..], b"nonsense", &CFRAC[..CFRAC.len() / 2], &flipped] {
        let error = Recording::read("cfrac", file).expect_err("it is damaged");
        assert!(error.starts_with("the recording of cfrac cannot be used"), "{error}");
        assert!(error.ends_with("as benches/recordings/README.md describes"), "{error}");
    }
}

#[test]
fn a_replay_does_all_calls_in_each_pass_of_each_thread() {
    fn small() -> Result<Recording, String> {
        let events =
            [event(Op::Allocate, 0, 24), event(Op::Allocate, 1, 5), event(Op::Reallocate, 1, 90)];
        Recording::of(&trace(&events)).map_err(|error| error.to_string())
    }
    let replay = Replay::new(small, 2, 3).expect("the system measures peaks");
    let (timing, counts) = counted(|heap| replay.run(heap));
    assert_eq!(timing.operations, 2 * 3 * 5);
    // A heap that counts resizes by an allocation and a free.
    assert_eq!((counts.allocations, counts.reallocations, counts.frees), (18, 6, 18));
    assert_eq!((counts.classes[3], counts.classes[5], counts.classes[7]), (6, 6, 6));
    assert_eq!(counts.foreign_frees, 0);
}

#[test]
fn a_recording_that_cannot_be_read_is_an_error_of_the_run() {
    let error = Replay::new(|| Recording::read("cfrac", b"nonsense"), 1, 1).expect_err("damaged");
    assert!(error.contains("cfrac"), "{error}");
}

#[test]
fn a_window_begins_with_what_is_live() {
    let events = [
        event(Op::Allocate, 0, 10),
        event(Op::Allocate, 1, 20),
        event(Op::Allocate, 2, 30),
        event(Op::Reallocate, 0, 11),
        event(Op::Free, 1, 0),
        // Here the window begins.
        event(Op::Free, 2, 0),
        event(Op::AllocateZeroed, 2, 40),
        event(Op::Allocate, 1, 50),
        event(Op::Free, 0, 0),
    ];
    let (cut, live) = window(&events, 5, 3);
    let expected = [
        event(Op::Allocate, 0, 11),
        event(Op::Allocate, 1, 30),
        event(Op::Free, 1, 0),
        event(Op::AllocateZeroed, 1, 40),
        event(Op::Allocate, 2, 50),
    ];
    assert_eq!((cut.as_slice(), live), (&expected[..], 2));
    assert_eq!(trace(&cut).peak_live_blocks, 3);
    assert_eq!(window(&events, 0, 9), (events.to_vec(), 0));
}

#[test]
fn a_window_is_written_as_a_trace_and_never_past_the_end() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let (from, to) = (folder.path().join("all.altrace"), folder.path().join("few.altrace.zst"));
    let events = [event(Op::Allocate, 0, 10), event(Op::Allocate, 1, 20), event(Op::Free, 0, 0)];
    let file = std::fs::File::create(&from).expect("a file for the test");
    loligo_replay::trace::write_trace(file, &events).expect("it is written");
    assert_eq!(cut(&from, &to, 1, 2), Ok(1));
    assert_eq!(Trace::open(&to).expect("it is a trace").events.len(), 3);
    let error = cut(&from, &to, 2, 2).expect_err("there are three");
    assert!(error.contains("all.altrace") && error.contains("--max-events"), "{error}");
    assert!(cut(&to, &folder.path().join("absent/few"), 0, 1).is_err());
}
