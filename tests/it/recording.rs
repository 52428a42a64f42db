//! Programs that record themselves, run to their end and beyond.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// What a recording contains.
struct Recorded {
    /// The live bytes at each mark, by its number.
    live_at: BTreeMap<u64, u64>,
    threads: usize,
    events: usize,
    /// Whether its last record is there.
    ended: bool,
}

/// Reads a recording by the rules of the format.
fn read(file: &[u8]) -> Recorded {
    let units = file.strip_prefix(b"ALTRACE2").expect("the magic");
    assert!(units.len().is_multiple_of(32), "whole records");
    let mut slots: BTreeMap<u64, (u64, u8)> = BTreeMap::new();
    let mut threads = BTreeSet::new();
    let mut read = Recorded { live_at: BTreeMap::new(), threads: 0, events: 0, ended: false };
    let mut times = (0, 0);
    for (index, unit) in units.chunks_exact(32).enumerate() {
        assert!(!read.ended, "nothing follows the end");
        let field = |from: usize, to: usize| {
            unit[from..to].iter().rev().fold(0_u64, |word, &byte| word << 8 | u64::from(byte))
        };
        let (slot, word, align) = (field(4, 8), field(8, 16), unit[1]);
        if let 1..=5 = unit[0] {
            threads.insert(field(2, 4));
            times = (times.1, field(24, 32));
            assert!(times.0 <= times.1, "record {index}: the clock is read in order");
        }
        match unit[0] {
            1 | 4 => {
                assert!(slots.insert(slot, (word, align)).is_none(), "record {index}: {slot}");
                assert!(word > 0, "record {index} has a size");
            }
            2 => assert_eq!(slots.remove(&slot).map(|block| block.1), Some(align), "{index}"),
            3 => {
                let old = slots.insert(slot, (word, align));
                assert_eq!(old.map(|block| block.1), Some(align), "record {index}");
            }
            5 => _ = read.live_at.insert(word, slots.values().map(|block| block.0).sum()),
            7 => assert_eq!(&unit[8..15], b"global\0", "its one allocator object"),
            8 => {
                assert_eq!(word as usize, read.events, "the events are counted");
                read.ended = true;
            }
            kind => panic!("record {index}: kind {kind}"),
        }
        read.events += usize::from((1..=4).contains(&unit[0]));
    }
    read.threads = threads.len();
    read
}

/// Runs the program, and returns what it printed of its marks, and its recording.
fn run(ending: &str) -> (BTreeMap<u64, u64>, Recorded) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = env!("CARGO_BIN_EXE_loligo-tests-recorded");
    let output = Command::new(program).arg(ending).current_dir(folder.path()).output();
    let output = output.expect("the program can be started");
    assert_eq!(output.status.success(), ending != "abort", "{ending}: {output:?}");
    assert_eq!(output.stderr, b"", "{ending}");
    let text = String::from_utf8(output.stdout).expect("text");
    let printed = text.lines().map(|line| {
        let (mark, live) = line.split_once(' ').expect("two numbers");
        (mark.parse().expect("a number"), live.parse().expect("a number"))
    });
    let file = std::fs::read(folder.path().join("run.altrace")).expect("it was recorded");
    (printed.collect(), read(&file))
}

#[test]
fn the_live_bytes_of_a_program_and_of_its_recording_agree_at_every_mark() {
    for ending in ["return", "exit", "fork"] {
        let (printed, recorded) = run(ending);
        assert_eq!(printed.len(), 100, "{ending}");
        assert_eq!(recorded.live_at, printed, "{ending}");
        assert!(recorded.ended, "{ending}: the recording is whole");
        assert_eq!(recorded.threads, 31, "{ending}: main, and thirty that it started");
    }
}

#[test]
fn a_program_that_dies_loses_the_last_buffer_at_most() {
    let (printed, recorded) = run("abort");
    assert!(!recorded.ended, "it had no time to end it");
    assert_eq!(printed.len(), 100);
    for (mark, live) in &recorded.live_at {
        assert_eq!(printed.get(mark), Some(live), "mark {mark}");
    }
    // It, too, ends with its blocks alive.
    let (_, whole) = run("exit");
    assert!(recorded.events + 300 >= whole.events, "{} of {}", recorded.events, whole.events);
}
