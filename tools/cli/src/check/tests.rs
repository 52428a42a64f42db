//! What is said of figures.

use std::path::PathBuf;

use loligo_replay::check::{Answer, Candidate, Checked, Figure, Ran};
use loligo_replay::strategies::{StrategyConfig, heap_alone, parse};

use super::usage::usage;
use super::{describe, distinct};

/// Returns an allocator with ratios of processor time and memory, the first known to so much.
fn ran(name: &str, cpu: f64, to: f64, peak: f64) -> Ran {
    let figure = |ratio, to| Figure { median: ratio, ratio, from: ratio, to };
    let cpu = figure(cpu, to);
    Ran { name: name.to_owned(), cpu, wall: cpu, peak: figure(peak, peak) }
}

#[test]
fn what_is_better_at_a_price_is_named() {
    let own = ran("own", 1.0, 1.0, 1.0);
    let checked = |others: &[Ran], answer| Checked {
        command: "job".to_owned(),
        rounds: 11,
        ran: [core::slice::from_ref(&own), others].concat(),
        answer,
    };
    let keeps = Answer { speed: 0, memory: 0 };
    let text = describe(&checked(&[ran("fast", 0.8, 0.9, 1.2), ran("lean", 1.2, 1.3, 0.7)], keeps));
    for part in [
        "Keep what the program has",
        "At a price: `fast` takes 0.80 of the processor time for 1.20 of the peak memory.",
        "At a price: `lean` takes 0.70 of the peak memory for 1.20 of the processor time.",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("rounds differ"), "{text}");
    // What is advised is not named again, and noise is.
    let text = describe(&checked(&[ran("x", 0.8, 1.1, 1.0)], Answer { speed: 1, memory: 0 }));
    assert!(!text.contains("At a price"), "{text}");
    assert!(text.contains("some processor times are known to 15 % only"), "{text}");
}

#[test]
fn the_heap_and_what_is_there_already_are_left_out() {
    let pools = r#"{"strategies": [{"name": "pools", "tree": {"pool": {"bytes": 64}}}]}"#;
    let pools = parse("pools.json", pools).expect("a strategy").remove(0);
    let named =
        |name: &str, of: &StrategyConfig| StrategyConfig { name: name.into(), ..of.clone() };
    let all = [named("speed", &heap_alone()), pools.clone(), named("memory", &pools)];
    assert_eq!(distinct(all.to_vec()), [pools]);
}

#[test]
fn what_is_advised_is_said_with_how_to_use_it() {
    let names = ["own", "heap", "memory"];
    let ran = names.map(|name| ran(name, 0.8, 0.9, 0.8)).to_vec();
    let answer = Answer { speed: 1, memory: 2 };
    let checked = Checked { command: "{} 7".to_owned(), rounds: 11, ran, answer };
    let of = |name: &str, library: bool| Candidate {
        name: name.to_owned(),
        library: library.then(|| PathBuf::from(format!("a b/lib{name}.so"))),
        program: (!library && name != "own").then(|| PathBuf::from("job")),
    };
    let text = usage(&checked, &names.map(|name| of(name, true)), None);
    assert!(
        text.contains("To run it under `heap`: LD_PRELOAD='a b/libheap.so' PROGRAM 7\n"),
        "{text}"
    );
    assert!(text.contains("LD_PRELOAD='a b/libmemory.so' PROGRAM 7\n"), "{text}");
    let text = usage(&checked, &names.map(|name| of(name, false)), Some("my advice.json"));
    assert!(text.contains("To build `heap` in: docs/guide/global-allocator.md"), "{text}");
    let emit = "loligo strategy 'my advice.json' --name memory --emit rust --global";
    assert!(text.contains(emit), "{text}");
    let keeps = Checked { answer: Answer { speed: 0, memory: 0 }, ..checked };
    assert_eq!(usage(&keeps, &names.map(|name| of(name, true)), None), "");
}
