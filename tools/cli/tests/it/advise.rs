//! `loligo advise` and `loligo strategy` from outside.

use std::fs;

use loligo_replay::trace::{Event, Op, write_trace};

use crate::support::{Place, recording};

/// Returns a recording that is long enough to be cut in two.
fn long_recording() -> Vec<u8> {
    let mut events = Vec::new();
    let mut turn = 0_u64;
    for _ in 0..12 {
        for slot in 0..100 {
            let bytes = 16 + (turn * 7) % 200;
            events.push(Event { op: Op::Allocate, align_log2: 4, thread: 0, slot, bytes });
            turn += 1;
        }
        for slot in (0..100).rev() {
            events.push(Event { op: Op::Free, align_log2: 4, thread: 0, slot, bytes: 0 });
        }
    }
    let mut file = Vec::new();
    write_trace(&mut file, &events).expect("a vector takes every write");
    file
}

#[test]
fn advice_is_printed_and_written() {
    let place = Place::new();
    place.file("game.altrace", long_recording());
    let (code, stdout, stderr) = place.run(&[
        "advise",
        "game.altrace",
        "--candidates",
        "5",
        "--finalists",
        "2",
        "--rounds",
        "1",
    ]);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    for part in [
        "game: 2400 events; the first 50 % are searched on, the rest is held back.",
        " kinds of blocks, ",
        "Searched: a space of ",
        ", 5 replayed, ",
        "For speed: ",
        "For memory: ",
        "For latency: ",
        "Each was verified: every block kept its contents",
        "The strategies and their Rust lie in loligo-advice/game.",
        "The report lies in loligo-report/advice.html.",
    ] {
        assert!(stdout.contains(part), "no `{part}` in\n{stdout}");
    }
    for name in ["speed", "memory", "latency"] {
        let code = fs::read_to_string(place.path(&format!("loligo-advice/game/{name}.rs")));
        assert!(code.is_ok_and(|code| code.contains("pub fn with_strategy")), "{name}.rs");
        let strategies = "loligo-advice/game/strategies.json";
        let emit = ["strategy", strategies, "--name", name, "--emit", "rust"];
        let (code, emitted, stderr) = place.run(&emit);
        assert_eq!((code, &*stderr), (0, ""), "{name}");
        let written = fs::read_to_string(place.path(&format!("loligo-advice/game/{name}.rs")));
        assert_eq!(written.ok(), Some(emitted), "the file tells the same as its code");
    }
    let replayed = [
        "replay",
        "game.altrace",
        "--rounds",
        "1",
        "--peers=none",
        "--strategies",
        "loligo-advice/game/strategies.json,none",
        "--verify",
    ];
    let (code, stdout, stderr) = place.run(&replayed);
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    assert!(stdout.contains("nothing lost"), "{stdout}");
}

#[test]
fn what_cannot_be_searched_is_refused_before_anything_is_written() {
    let place = Place::new();
    place.recording("short.altrace");
    let mut damaged = recording();
    let last = damaged.len() - 16;
    damaged[last] = 9;
    place.file("damaged.altrace", damaged);
    for (name, parts) in [
        ("short.altrace", ["`short` has 600 events", "record a longer run"]),
        ("damaged.altrace", ["damaged.altrace", "record 599"]),
        ("none.altrace", ["none.altrace", "cannot read"]),
    ] {
        let stderr = place.refused(&["advise", name]);
        for part in parts {
            assert!(stderr.contains(part), "no `{part}` in {stderr}");
        }
    }
}

#[test]
fn damaged_strategies_are_refused_with_key_and_line() {
    let place = Place::new();
    let pool = |bytes: &str| {
        format!("{{\"strategies\": [\n{{\"name\": \"a\",\n\"tree\": {{\"pool\": {{{bytes}}}}}}}]}}")
    };
    for (text, parts) in [
        (pool("\"bytes\": 0"), ["`bytes` is 0", "line 3"]),
        (pool("\"bites\": 16"), ["`bites`", "line 3"]),
        (pool("\"bytes\": 16, \"align\": 3"), ["`align` is 3", "line 3"]),
        ("{\"strategies\": [\n{\"name\"".to_owned(), ["EOF", "line 2"]),
    ] {
        place.file("mine.json", &text);
        let stderr = place.refused(&["strategy", "mine.json"]);
        assert!(stderr.starts_with("loligo: mine.json: "), "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "no `{part}` in {stderr}");
        }
    }
    let stderr = place.refused(&["strategy", "absent.json"]);
    assert!(stderr.contains("absent.json: cannot read the strategies"), "{stderr}");
    let stderr = place.refused(&["strategy", "pools+heap", "--name", "b", "--emit", "rust"]);
    assert!(stderr.contains("has no strategy `b`"), "{stderr}");
}

#[test]
fn built_in_strategies_can_be_written() {
    let place = Place::new();
    for name in ["pools+heap", "pools+buddy", "frame+heap", "pages-for-big+heap"] {
        let (code, json, stderr) = place.run(&["strategy", name, "--emit", "json"]);
        assert_eq!((code, &*stderr), (0, ""), "{name}");
        place.file("written.json", json);
        let (code, stdout, stderr) = place.run(&["strategy", "written.json"]);
        assert_eq!((code, &*stderr), (0, ""), "{name}");
        assert_eq!(stdout, format!("written.json: valid, has {name}\n"));
    }
}
