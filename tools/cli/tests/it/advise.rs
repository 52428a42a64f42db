//! `loligo advise` and `loligo strategy` from outside.

use std::fs;
use std::process::Command;

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
    let (code, stdout, stderr) = place.run_with_phases(&[
        "advise",
        "game.altrace",
        "--candidates",
        "5",
        "--finalists",
        "2",
        "--rounds",
        "1",
    ]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    // Where the output is no terminal there is no bar, and a line for each phase.
    for phase in
        ["looking at the trace", "trying lot 1 of 4", "judging memory", "comparing contents"]
    {
        let line = format!("loligo: {phase} ..\n");
        assert_eq!(stderr.matches(&line).count(), 1, "`{line}` in {stderr}");
    }
    for part in [
        "game: 2400 events; the first 50 % are searched on, the rest is held back.",
        " kinds of blocks, ",
        "Searched: a space of ",
        ", 5 replayed, ",
        "For speed: ",
        "For memory: ",
        "For latency: ",
        "Each was verified: every block kept its contents",
        "The strategies and their Rust are in loligo-advice/game.",
        "The report is loligo-report/advice.html.",
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
        assert_eq!(written.ok(), Some(emitted), "the file gives the same code");
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

/// A tree with every kind of node.
const EVERY_KIND: &str = r#"{"strategies": [{"name": "every", "tree": {"by-lifetime": {
    "classes": [
        {"lifetime": "brief", "sites": [3, 4], "to": {"frame": {"segment_bytes": 65536, "segments": 4}}},
        {"lifetime": "long", "sizes": [[33, 48]], "to": {"pool": {"bytes": 48, "over": "rest"}}}
    ],
    "rest": {"by-site": {
        "classes": [{"sites": [7], "to": {"slab": {"classes": "small", "large": {"heap": {}}}}}],
        "rest": {"by-size": {
            "classes": [
                {"up_to": 16, "to": {"pool": {"bytes": 16, "chunk_bytes": 8192, "give_back_percent": 50}}},
                {"from": 25, "up_to": 64, "to": {"buddy": {"leaf": 64, "bytes": 65536, "over": "rest"}}},
                {"from": 100000, "up_to": 4000000000, "to": {"page": {}}}
            ],
            "rest": {"proxy": {"name": "others", "budget": 8000000, "of": {"heap": {"region_bytes": 1048576}}}}
        }}
    }}
}}}]}"#;

/// What the crate of the test does with each strategy: blocks of many sizes, which must keep their
/// first and last byte.
const PROGRAM: &str = r#"
use core::alloc::Layout;
use core::ptr::NonNull;
use loligo_allocators::{Allocator, PageAllocator};

fn exercise(name: &str, allocator: &impl Allocator) {
    let mut live = Vec::new();
    for turn in 0..3000_usize {
        let bytes = [8, 16, 40, 48, 64, 300, 5000, 150_000][turn * 7 % 8];
        let layout = Layout::from_size_align(bytes, 8).expect("a layout");
        let block = allocator.allocate(layout).expect("a block").cast::<u8>();
        // SAFETY: the block was just allocated with one byte or more, and nobody else has it.
        unsafe { block.write(turn as u8) };
        // SAFETY: the block is `bytes` long, so this is its last byte.
        let last = unsafe { block.add(bytes - 1) };
        // SAFETY: as for the first byte.
        unsafe { last.write(turn as u8) };
        live.push((block, layout, turn as u8));
        if turn % 5 == 0 {
            let at = turn % live.len();
            let (block, old, mark) = live.swap_remove(at);
            let bytes = old.size() + [1, 7, 30, 200_000][turn / 5 % 4];
            let new = Layout::from_size_align(bytes, 8).expect("a layout");
            // SAFETY: the block was on the list with the layout that it was asked with, so it is
            // live, and the new layout is as aligned and longer. The old pointer is not used again.
            let moved = unsafe { allocator.reallocate(block, old, new) }.expect("a block").cast::<u8>();
            assert_eq!(first_and_last(moved, old), [mark; 2], "{name}, turn {turn}");
            // SAFETY: the block is `bytes` long by now, so this is its last byte.
            let last = unsafe { moved.add(bytes - 1) };
            // SAFETY: the byte is the block's, which nobody else has.
            unsafe { last.write(mark) };
            live.push((moved, new, mark));
        }
        if live.len() > 100 {
            let (block, layout, mark) = live.swap_remove(turn * 31 % 100);
            assert_eq!(first_and_last(block, layout), [mark; 2], "{name}, turn {turn}");
            // SAFETY: the block was on the list with its layout, so it is live; it is not used
            // again.
            unsafe { allocator.deallocate_sized(block, layout) };
        }
        assert_eq!(allocator.stats().live, live.len(), "{name}, turn {turn}: what is lent is no block");
    }
    allocator.verify().expect("nothing is damaged");
    let asked: usize = live.iter().map(|(_, layout, _)| layout.size()).sum();
    let stats = allocator.stats();
    assert!(stats.granted >= asked && stats.reserved >= stats.granted, "{name}: {stats:?} for {asked}");
    for (turn, (block, layout, _)) in live.into_iter().enumerate() {
        // SAFETY: what is left on the list is live.
        let size = unsafe { allocator.allocated_size(block) };
        assert!(size >= layout.size(), "{name}: {layout:?}");
        if turn % 2 == 0 {
            // SAFETY: as above, with this layout; the list ends here.
            unsafe { allocator.deallocate_sized(block, layout) };
        } else {
            // SAFETY: as above.
            unsafe { allocator.deallocate(block) };
        }
    }
    assert_eq!(allocator.stats().live, 0, "{name}: all is free");
    assert_eq!(allocator.stats().granted, 0, "{name}: all is free");
    println!("{name} serves");
}

/// Reads two bytes of a live block of this layout, both of which were written.
fn first_and_last(block: NonNull<u8>, layout: Layout) -> [u8; 2] {
    // SAFETY: the block has a first byte, which `exercise` wrote.
    let first = unsafe { block.read() };
    // SAFETY: the block is as long as the layout says, so this is its last byte.
    let last = unsafe { block.add(layout.size() - 1) };
    // SAFETY: `exercise` wrote it too.
    [first, unsafe { last.read() }]
}

fn main() {
    let pages = PageAllocator::new("pages");
"#;

/// A program of several threads over a global strategy.
const WHOLE: &str = r#"
use loligo_allocators::Allocator;

fn main() {
    let workers = (0..4).map(|number| std::thread::spawn(move || {
        let texts: Vec<String> = (0..3000).map(|at| format!("{number} {at}").repeat(at % 40)).collect();
        texts.iter().map(String::len).sum::<usize>()
    }));
    let workers: Vec<_> = workers.collect();
    let letters: usize = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
    let expected: usize = (0..4).flat_map(|_| (0..3000).map(|at: usize| {
        (2 + at.to_string().len()) * (at % 40)
    })).sum();
    assert_eq!(letters, expected);
    assert!(strategy::GLOBAL.verify().is_ok());
    assert!(strategy::GLOBAL.stats().allocations_total > 12_000);
    println!("serves the whole program");
}
"#;

/// Pools side by side whose memory comes from different lenders.
const LENDERS: &str = r#"{"strategies": [{"name": "lenders", "tree": {"by-size": {
    "classes": [
        {"up_to": 16, "to": {"pool": {"bytes": 16, "chunk_bytes": 16368, "over": "rest"}}},
        {"from": 33, "up_to": 64, "to": {"pool": {"bytes": 64, "chunk_bytes": 65536, "give_back_percent": 25}}}
    ],
    "rest": {"heap": {}}
}}}]}"#;

#[test]
fn written_code_serves_outside_the_workspace() {
    let place = Place::new();
    place.file("every.json", EVERY_KIND);
    place.file("lenders.json", LENDERS);
    fs::create_dir(place.path("src")).expect("the folder may be written");
    let names = ["every.json", "lenders.json", "pools+heap", "frame+heap", "pages-for-big+heap"];
    let mut program = String::new();
    let mut body = String::from(PROGRAM);
    for (number, name) in names.iter().enumerate() {
        let (code, text, stderr) = place.run(&["strategy", name, "--emit", "rust"]);
        assert_eq!((code, &*stderr), (0, ""), "{name}");
        place.file(&format!("src/strategy_{number}.rs"), text);
        program += &format!("mod strategy_{number};\n");
        body += &format!(
            "    strategy_{number}::with_strategy(&pages, |one| exercise(\"{name}\", one));\n"
        );
    }
    place.file("src/main.rs", program + &body + "}\n");
    for (number, name) in names.iter().enumerate() {
        let (code, text, stderr) = place.run(&["strategy", name, "--emit", "rust", "--global"]);
        assert_eq!((code, &*stderr), (0, ""), "{name}");
        let folder = place.path(&format!("src/bin/global_{number}"));
        fs::create_dir_all(folder).expect("the folder may be written");
        place.file(
            &format!("src/bin/global_{number}/main.rs"),
            "mod strategy;\n".to_owned() + WHOLE,
        );
        place.file(&format!("src/bin/global_{number}/strategy.rs"), text);
    }
    outside(&place);
    for (number, name) in names.iter().enumerate() {
        let stdout = cargo_run(&place, &format!("global_{number}"));
        assert!(stdout.contains("serves the whole program"), "{name}: {stdout}");
    }
    let stdout = cargo_run(&place, "outside");
    for name in names {
        assert!(stdout.contains(&format!("{name} serves")), "{stdout}");
    }
}

/// Makes the place a crate outside the workspace.
fn outside(place: &Place) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let lock = fs::read(format!("{root}/Cargo.lock")).expect("the workspace's own");
    place.file("Cargo.lock", lock);
    place.file(
        "Cargo.toml",
        format!(
            "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nloligo-allocators = {{ path = \"{root}/allocators\" }}\n"
        ),
    );
}

/// Runs a program of the crate outside the workspace and returns what it printed.
fn cargo_run(place: &Place, program: &str) -> String {
    let built = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--bin", program])
        .current_dir(place.path("."))
        .env("CARGO_TARGET_DIR", place.path("target"))
        .output()
        .expect("Cargo runs");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&built.stdout), String::from_utf8_lossy(&built.stderr));
    assert!(built.status.success(), "{program}: {stdout}{stderr}");
    stdout.into_owned()
}
