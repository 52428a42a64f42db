//! A small recording whose figures are known.

use super::*;
use crate::trace::{Details, Event, Op, Trace, TraceWriter};

/// Writes a recording with two threads; stacks where they are asked for.
///
/// | event | thread | what | live |
/// |---|---|---|---|
/// | 0 | 0 | a: 100 into slot 0 | 100 |
/// | 1 | 0 | b: 1000 into slot 1 | 1100 |
/// | 2 | 0 | frees slot 1, at once | 100 |
/// | 3 | 1 | b: 400 into slot 1 | 500 |
/// | 4 | 1 | a: slot 0 grows to 900 | 1300 |
/// | 5 | 0 | frees slot 1, which is thread 1's | 900 |
/// | 6 | 0 | `<c>`: 30 into slot 1 | 930 |
fn small(has_stacks: bool) -> Trace {
    let mut writer = TraceWriter::new(Vec::new()).expect("a vector takes every write");
    let mut write = || -> std::io::Result<()> {
        writer.note("program", "game \u{1b}[2J")?;
        let a = writer.site("game!load+0x10")?;
        let b = writer.site("game!parse+0x20")?;
        let c = writer.site("lib.so!<c> & \u{1b}[31m+0x5")?;
        let (mut under_a, mut under_b) = (0, 0);
        if has_stacks {
            let main = writer.stack(0, c)?;
            under_a = writer.stack(main, a)?;
            under_b = writer.stack(under_a, b)?;
        }
        let event = |op, thread, slot, bytes| Event { op, align_log2: 4, thread, slot, bytes };
        for (event, site, stack, time_ns) in [
            (event(Op::Allocate, 0, 0, 100), a, under_a, 10),
            (event(Op::Allocate, 0, 1, 1000), b, under_b, 20),
            (event(Op::Free, 0, 1, 0), 0, 0, 520),
            (event(Op::Allocate, 1, 1, 400), b, under_b, 600),
            (event(Op::Reallocate, 1, 0, 900), a, under_a, 2_000_000),
            (event(Op::Free, 0, 1, 0), b, 0, 3_000_000),
            (event(Op::AllocateZeroed, 0, 1, 30), c, 0, 4_000_000),
        ] {
            writer.event(event, Details { site, stack, time_ns, object: 0 })?;
        }
        Ok(())
    };
    write().expect("a vector takes every write");
    let file = writer.finish().expect("a vector takes every write");
    Trace::read("small", &file[..]).expect("valid")
}

fn site<'s>(show: &'s Show, name: &str) -> &'s Counts {
    let found = show.sites.iter().find(|site| site.name.starts_with(name));
    &found.expect("it allocates").counts
}

#[test]
fn the_figures_of_a_small_recording_are_the_known_ones() {
    for has_stacks in [false, true] {
        let show = Show::of(&small(has_stacks));
        let wanted = Totals {
            events: 7,
            allocations: 4,
            reallocations: 1,
            frees: 2,
            requested_bytes: 2430,
            temporary: 1,
            peak_bytes: 1300,
            peak_blocks: 2,
            peak_event: 4,
            peak_ns: Some(2_000_000),
            end_ns: Some(4_000_000),
            end_bytes: 930,
            end_blocks: 2,
        };
        assert_eq!(show.totals, wanted);
        let a = site(&show, "game!load");
        assert_eq!((a.allocations, a.requested_bytes, a.temporary), (2, 1000, 0));
        assert_eq!((a.peak_bytes, a.peak_blocks, a.end_bytes, a.end_blocks), (900, 1, 900, 1));
        let b = site(&show, "game!parse");
        assert_eq!((b.allocations, b.requested_bytes), (2, 1400));
        assert_eq!((b.temporary, b.temporary_bytes), (1, 1000));
        assert_eq!((b.peak_bytes, b.peak_blocks, b.end_bytes, b.end_blocks), (400, 1, 0, 0));
        let c = site(&show, "lib.so!");
        assert_eq!((c.peak_bytes, c.end_bytes, c.end_blocks), (0, 30, 1));
        assert_eq!(show.sites[0].name, "game!load+0x10", "the most at the peak is first");
    }
}

#[test]
fn threads_and_lifetimes_are_counted() {
    let show = Show::of(&small(false));
    let [first, second] = &show.threads[..] else { panic!("two threads: {:?}", show.threads) };
    assert_eq!((first.events, first.allocations, first.frees, first.foreign_frees), (5, 3, 2, 1));
    assert_eq!((first.requested_bytes, first.peak_bytes), (1130, 1100));
    assert_eq!((second.events, second.allocations, second.frees), (2, 2, 0));
    assert_eq!((second.requested_bytes, second.peak_bytes), (1300, 1300));
    // Two blocks are freed: after 1 event and 500 ns, and after 2 events and 2.9994 ms.
    let blocks = |spans: &[Span]| spans.iter().map(|span| span.blocks).collect::<Vec<_>>();
    assert_eq!(blocks(&show.lifetimes.by_events), [1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(blocks(&show.lifetimes.by_time_ns), [1, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(show.lifetimes.by_events[1].bytes, 400);
}

#[test]
fn stacks_are_listed_with_their_frames() {
    let show = Show::of(&small(true));
    let [most, next, last] = &show.stacks[..] else { panic!("three: {:?}", show.stacks) };
    let c = "lib.so!<c> & \u{1b}[31m+0x5";
    assert_eq!(most.frames, ["game!load+0x10", c]);
    assert_eq!((most.counts.peak_bytes, most.counts.end_bytes), (900, 900));
    assert_eq!(next.frames, ["game!parse+0x20", "game!load+0x10", c]);
    assert_eq!((next.counts.peak_bytes, next.counts.end_bytes), (400, 0));
    assert_eq!(last.frames, [c], "without a stack the site alone");
    assert!(Show::of(&small(false)).stacks.is_empty());
}

#[test]
fn the_text_has_all_sections_and_no_control_characters() {
    let text = Show::of(&small(true)).text(10);
    for part in [
        "program          game \\u{1b}[2J",
        "events           7 of 2 threads",
        "peak             1300 B in 2 blocks, at event 4, at 2 ms",
        "live at the end  930 B in 2 blocks, at 4 ms",
        "Live at the end, by call site\n       900 B          1 blocks  96.8 %  game!load+0x10\n",
        "Live at the peak, by call stack\n       900 B          1 blocks\n                game!load+0x10\n",
        "Temporary: freed by the thread's next event\n      1000 B          1 blocks 100.0 %  game!parse",
        "Lifetimes in events, of freed blocks\n         up to 1          1  50.0 %  ####",
        "        over 1 s          0   0.0 %\n",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
    let short = Show::of(&small(false)).text(1);
    assert!(short.contains("and 2 more sites; --top N prints more"), "{short}");
    assert!(!short.contains("by call stack"), "{short}");
}

#[test]
fn a_flame_graph_has_the_widths_of_its_weights() {
    let trace = small(true);
    let show = Show::of(&trace);
    let svg = flame(&trace, &show, FlameBy::Peak);
    assert!(svg.contains("small: 1300 B live at the peak"), "{svg}");
    // The outermost frame has all; below it are load with all and parse with 400 of 1300.
    assert!(svg.contains("<title>all: 1300 B, 100.0 %</title><rect x=\"0.00\""), "{svg}");
    assert!(svg.contains("<title>game!load: 1300 B, 100.0 %</title>"), "{svg}");
    assert!(svg.contains("<title>game!parse: 400 B, 30.8 %</title><rect x=\"0.00\""), "{svg}");
    assert!(svg.contains("width=\"369.23\""), "{svg}");
    assert!(svg.contains("lib.so!&lt;c&gt; &amp; \u{fffd}[31m"), "{svg}");
    assert!(!svg.contains('\u{1b}') && !svg.contains("<script"), "{svg}");
    let end = flame(&trace, &show, FlameBy::End);
    assert!(end.contains("930 B live at the end") && !end.contains("game!parse"), "{end}");
    let count = flame(&trace, &show, FlameBy::Allocations);
    assert!(count.contains("small: 5 allocations in all"), "{count}");
}

#[test]
fn a_flame_graph_without_stacks_has_libraries_functions_and_sites() {
    let trace = small(false);
    let svg = flame(&trace, &Show::of(&trace), FlameBy::Peak);
    for part in [">game: 1300 B", ">game!load: 900 B", ">game!load+0x10: 900 B", ">game!parse: 400"]
    {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn empty_and_nameless_recordings_are_shown() {
    let empty = Trace::from_events("empty", Vec::new()).expect("valid");
    let show = Show::of(&empty);
    assert!(show.text(5).contains("events           0 of 0 threads"), "{}", show.text(5));
    assert!(flame(&empty, &show, FlameBy::Peak).contains("empty: 0 B live at the peak"));
    let event = Event { op: Op::Allocate, align_log2: 4, thread: 9, slot: 0, bytes: 7 };
    let nameless = Trace::from_events("nameless", vec![event]).expect("valid");
    let show = Show::of(&nameless);
    assert_eq!((show.totals.peak_ns, show.threads.len()), (None, 1));
    assert!(show.lifetimes.by_time_ns.is_empty());
    assert!(show.text(5).contains("100.0 %  (unknown call site)"), "{}", show.text(5));
    assert!(flame(&nameless, &show, FlameBy::End).contains("(unknown call site): 7 B"));
}

#[test]
fn the_json_has_the_same_figures() {
    let show = Show::of(&small(true));
    let json: serde_json::Value =
        serde_json::from_str(&show.json().expect("it is made")).expect("it is JSON");
    assert_eq!(json["totals"]["peak_bytes"], 1300);
    assert_eq!(json["sites"][0]["name"], "game!load+0x10");
    assert_eq!(json["sites"][0]["end_bytes"], 900);
    assert_eq!(json["stacks"][1]["frames"][0], "game!parse+0x20");
    assert_eq!(json["threads"][0]["foreign_frees"], 1);
}

#[test]
fn the_sums_are_those_of_the_reader() {
    let bundled = crate::bundled::bundled().iter().find(|one| one.name == "sqlite");
    let trace = bundled.expect("it is bundled").open().expect("valid");
    let show = Show::of(&trace);
    assert_eq!(show.totals.peak_bytes, trace.peak_live_bytes);
    let sum = |of: fn(&Counts) -> u64| show.sites.iter().map(|site| of(&site.counts)).sum::<u64>();
    assert_eq!(sum(|of| of.peak_bytes), trace.peak_live_bytes);
    assert_eq!(sum(|of| of.end_bytes), show.totals.end_bytes);
    assert_eq!(show.totals.allocations, trace.allocations);
}
