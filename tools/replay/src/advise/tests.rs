//! Tests of the search: what a trace is like, what is drawn, what is chosen, and all of it
//! together.

use super::judge::choose;
use super::profile::{BRIEF, sites_of};
use super::space::Space;
use super::*;
use crate::child::alone;
use crate::strategies::{Tree, emit_rust, heap_alone, parse, to_json};
use crate::trace::{Details, Event, Op, TraceWriter};

fn event(op: Op, slot: u32, bytes: u64) -> Event {
    Event { op, align_log2: 4, thread: 0, slot, bytes }
}

/// A trace in which 300 blocks of 40 bytes live on while each of a thousand blocks of 100 bytes
/// dies at once, then all die, the youngest first.
fn two_kinds() -> Trace {
    let mut events = Vec::new();
    for turn in 0..1000 {
        if turn < 300 {
            events.push(event(Op::Allocate, turn + 1, 40));
        }
        events.push(event(Op::Allocate, 0, 100));
        events.push(event(Op::Free, 0, 0));
    }
    events.extend((1..=300).rev().map(|slot| event(Op::Free, slot, 0)));
    // Slots are given out in the order of their first use.
    for event in &mut events {
        event.slot = match event.slot {
            0 => 1,
            1 => 0,
            other => other,
        };
    }
    Trace::from_events("kinds", events).expect("a valid trace")
}

#[test]
fn a_profile_has_sizes_lifetimes_order_and_phases() {
    let profile = Profile::of(&two_kinds());
    let sizes: Vec<(u64, u64, u64, u64)> = profile
        .sizes
        .iter()
        .map(|size| (size.bytes, size.operations, size.peak_live, size.brief))
        .collect();
    let brief = BRIEF as u64;
    // The youngest of the small ones die soon after the last of them was made only if few events
    // are between, which is not so here.
    assert_eq!(sizes, [(112, 2000, 1, 1000), (48, 600, 300, 0)], "within {brief} events");
    let frees = 1300.0;
    assert!((profile.order.brief - 1000.0 / frees).abs() < 1e-9, "{:?}", profile.order);
    assert!((profile.order.last_in - 1.0).abs() < 1e-9, "all frees take the youngest block");
    assert!(profile.order.first_in < 0.01, "{:?}", profile.order);
    assert_eq!(profile.peak_live_bytes, 300 * 40 + 100);
    assert_eq!(profile.heat.iter().flatten().sum::<u64>(), 1300, "each freed block once");
    assert_eq!(profile.heat[6].iter().sum::<u64>(), 1000, "blocks of 64 to 127 bytes");
    assert_eq!(profile.live_bytes.last(), Some(&0));
    assert!(profile.phases.len() >= 2, "it grows, rests and shrinks: {:?}", profile.phases);
    assert!(profile.sites.is_empty(), "version 1 has no call sites");
}

/// A trace of version 2 in which one site makes brief blocks and another lasting ones.
fn two_sites(turns: u32) -> Trace {
    let mut file = Vec::new();
    let mut writer = TraceWriter::new(&mut file).expect("a vector takes every write");
    let brief = writer.site("parse").expect("a name");
    let lasting = writer.site("intern").expect("a name");
    let at = |site| Details { site, ..Details::default() };
    for turn in 0..turns {
        writer.event(event(Op::Allocate, turn, 24), at(lasting)).expect("an event");
        writer.event(event(Op::Allocate, turn + 1, 200), at(brief)).expect("an event");
        writer.event(event(Op::Reallocate, turn + 1, 300), at(0)).expect("an event");
        writer.event(event(Op::Free, turn + 1, 0), at(0)).expect("an event");
    }
    writer.finish().expect("the end");
    Trace::read("sites", &file[..]).expect("a valid trace")
}

#[test]
fn call_sites_are_told_apart() {
    let trace = two_sites(50);
    let sites = sites_of(&trace);
    let told: Vec<(&str, u64, u64, u64, u64)> = sites
        .iter()
        .map(|of| (&*of.name, of.blocks, of.bytes, of.brief, of.peak_live_bytes))
        .collect();
    assert_eq!(
        told,
        [("parse", 100, 50 * 500, 100, 300), ("intern", 50, 50 * 24, 0, 50 * 24)],
        "a reallocation by nobody known stays with the site of its block"
    );
    let half = trace.first(100).expect("a part of a trace is one");
    assert_eq!(half.events.len(), 100);
    assert_eq!(sites_of(&half)[0].blocks, 50, "a part keeps its sites");
}

#[test]
fn a_space_has_hundreds_of_strategies_and_each_is_valid() {
    for (trace, with_sites) in [(two_kinds(), false), (two_sites(600), true)] {
        let profile = Profile::of(&trace);
        let space = Space::of(&profile);
        assert!(space.len() >= 200, "{} strategies for {}", space.len(), trace.name);
        let mut drawing = space.drawing(&profile, 7);
        drawing.draw(space.len());
        let all: Vec<StrategyConfig> = drawing.candidates().cloned().collect();
        assert_eq!(all[0], heap_alone(), "the heap comes first");
        for (index, one) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other.tree != one.tree), "{} twice", one.name);
            let text = to_json(core::slice::from_ref(one));
            let read = parse("drawn", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(read, core::slice::from_ref(one), "it is what its file says");
            assert!(emit_rust(one).contains("pub fn with_strategy"), "{}", one.name);
        }
        let has = |kind: fn(&Tree) -> bool| all.iter().any(|one| kind(&one.tree));
        assert!(has(|tree| matches!(tree, Tree::ByLifetime(_))), "brief blocks apart");
        assert_eq!(has(|tree| matches!(tree, Tree::BySite(_))), with_sites, "{}", trace.name);
    }
}

#[test]
fn the_same_seed_draws_the_same_and_near_ones_differ_in_one_parameter() {
    let profile = Profile::of(&two_kinds());
    let space = Space::of(&profile);
    let names = |seed| {
        let mut drawing = space.drawing(&profile, seed);
        drawing.draw(20);
        drawing.draw_near(&[20], 5);
        drawing.candidates().map(|one| to_json(core::slice::from_ref(one))).collect::<Vec<_>>()
    };
    assert_eq!(names(3), names(3));
    assert_ne!(names(3), names(4));
    assert!(names(3).len() > 21, "there are some near the last of the pools: {}", names(3).len());
}

#[test]
fn kinds_take_turns_and_what_is_near_one_is_of_its_kind() {
    let profile = Profile::of(&two_kinds());
    let space = Space::of(&profile);
    let mut drawing = space.drawing(&profile, 3);
    drawing.draw(25);
    let kind = |one: &StrategyConfig| one.name.split('-').next().unwrap_or_default().to_owned();
    let kinds: Vec<String> = drawing.candidates().skip(1).map(kind).collect();
    for of in ["heap", "slab", "buddy", "frames"] {
        assert!(kinds.iter().any(|kind| kind == of), "no {of} among {kinds:?}");
    }
    let slab = 1 + kinds.iter().position(|kind| kind == "slab").expect("there is one");
    drawing.draw_near(&[slab], 3);
    let near: Vec<String> = drawing.candidates().skip(1 + kinds.len()).map(kind).collect();
    assert_eq!(near, ["slab", "slab", "slab"], "there are more of these");
}

fn judged(time: f64, bytes: f64, worst_ns: f64, is_sound: bool) -> Judged {
    Judged {
        name: "one".to_owned(),
        strategy: None,
        is_peer: false,
        ns_above: time * 10.0,
        time_ratio: time,
        time_range: (time - 0.02, time + 0.02),
        bytes_above: bytes * 1000.0,
        bytes_ratio: bytes,
        worst_ns,
        is_sound,
        is_on_front: false,
    }
}

#[test]
fn choices_keep_the_limits_and_are_sound() {
    let heap = judged(1.0, 1.0, 500.0, true);
    let all = [
        heap.clone(),
        judged(0.5, 1.06, 100.0, true),
        judged(0.7, 1.04, 900.0, true),
        judged(1.04, 0.6, 900.0, true),
        judged(1.06, 0.3, 900.0, true),
        judged(0.1, 0.1, 1.0, false),
        judged(1.3, 0.9, 50.0, true),
    ];
    let verdict = choose(&all);
    assert_eq!(verdict, Verdict { speed: 1, memory: 3, latency: 1, peer: None });
    let alike = [heap.clone(), judged(1.05, 0.50, 900.0, true), judged(0.9, 0.51, 900.0, true)];
    assert_eq!(choose(&alike).memory, 2, "hardly more bytes, and less time");
    assert_eq!(choose(&[heap.clone(), judged(1.1, 1.1, 600.0, true)]), Verdict::default());
    let near = [heap.clone(), judged(0.96, 0.96, 480.0, true)];
    assert_eq!(choose(&near), Verdict::default(), "4 % are no reason");
    let noisy = Judged { time_range: (0.4, 1.1), ..judged(0.7, 1.0, 500.0, true) };
    assert_eq!(choose(&[heap.clone(), noisy]).speed, 0, "it may be none");
    let peer = |time| Judged { is_peer: true, ..judged(time, 0.5, 10.0, true) };
    let with_peers = [heap, judged(0.8, 1.0, 500.0, true), peer(0.7), peer(0.79)];
    assert_eq!(choose(&with_peers), Verdict { speed: 1, memory: 0, latency: 0, peer: Some(2) });
    assert_eq!(choose(&[with_peers[0].clone(), peer(0.97)]).peer, None, "3 % are no reason");
    assert_eq!(choose(&[]), Verdict::default());
}

#[test]
fn a_short_trace_is_refused() {
    let trace = Trace::from_events("short", vec![event(Op::Allocate, 0, 8)]).expect("valid");
    let error = advise(&trace, &Options::default(), &mut |_, _, _| {}).expect_err("too short");
    let text = error.to_string();
    assert!(
        text.contains("`short` has 1 events") && text.contains("record a longer run"),
        "{text}"
    );
}

#[test]
fn a_search_recommends_what_was_verified() {
    let _alone = alone();
    for trace in [two_kinds(), two_sites(600)] {
        let options = Options { candidates: 12, finalists: 3, rounds: 1, ..Options::default() };
        let mut phases = Vec::new();
        let advice = advise(&trace, &options, &mut |what, _, _| phases.push(what.to_owned()))
            .expect("a search");
        assert_eq!(advice.tried.len(), 13, "the heap and the candidates");
        assert_eq!(advice.tried[0].strategy, heap_alone());
        let finalists = advice.tried.iter().filter(|one| one.is_finalist).count();
        assert!((1..=3).contains(&finalists), "{finalists} finalists");
        let peers = advice.judged.iter().filter(|one| one.is_peer).count();
        assert!(peers >= 2, "malloc and mimalloc at the least");
        assert_eq!(advice.judged.len(), finalists + peers + 1, "these and the heap");
        assert!(advice.judged[0].strategy.is_none(), "the heap comes first");
        let Verdict { speed, memory, latency, .. } = advice.verdict;
        for index in [speed, memory, latency] {
            assert!(advice.judged[index].is_sound, "{:?}", advice.judged[index]);
        }
        assert!(advice.judged.iter().any(|one| one.is_on_front));
        assert!(phases.iter().any(|phase| phase == "comparing contents"), "{phases:?}");
        let held_back = &trace.events[advice.held_back_from()..];
        assert!(held_back.len() * 2 >= trace.events.len(), "half is held back");
    }
}
