//! Tests of the list of rows and of what is asked of it.

use super::*;

fn rows_of(wanted: &[&str]) -> Result<Vec<String>, UnknownRow> {
    let traces = ["lua".to_owned(), "git-log".to_owned()];
    let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
    let rows = select(all(&traces), &wanted)?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// Rows that the design promises: each must stay.
const PROMISED: &[&str] = &[
    "heap-region/geomean",
    "heap/geomean",
    "heap/memory",
    "heap/shift20",
    "heap/shiftm",
    "heap/shiftw",
    "heap/worst",
    "heap/trace/lua",
    "heap/trace/lua/grow",
    "heap/trace/git-log",
    "heap/uniform50k",
    "heap/one497/5k",
    "heap/one1000/50k",
    "heap/realloc",
    "heap/resident",
    "heap/refault",
    "heap/fill",
    "pool/churn64",
    "pool/batch64",
    "pool/instructions",
    "shared/pool",
    "shared/pool2",
    "frame/32",
    "frame/mixed",
    "frame/values",
    "frame/growing",
    "frame/lifo256",
    "buddy/free5000",
    "buddy/pow2churn",
    "buddy/doubling",
    "page/large",
    "page/large/huge",
    "cost/statistics",
    "cost/proxy",
    "entities/spawn/again",
    "entities/spawn/ns",
    "entities/update90k",
    "ids/hole/insert/1k",
    "ids/hole/remove/100k",
    "ids/hole/lookup/1k",
    "ids/hole/lookup-raw/100k",
    "ids/hole/lookup-64/1k",
    "ids/packed/stale-64/100k",
    "ids/hole/dependent/100k",
    "ids/hole/stale/100k",
    "ids/hole/stale-ns/1k",
    "ids/hole/mix-raw/100k",
    "ids/hole/walk5/100k",
    "ids/hole/walk50-ns/100k",
    "ids/packed/insert/100k",
    "ids/packed/lookup-raw/1k",
    "ids/packed/mix/1k",
    "ids/packed/walk50-raw/100k",
    "ids/packed/walk95/100k",
    "ids/hole/grow/100k",
    "ids/packed/grow/100k",
    "ids/hash/perfect-seed-65k",
    "ids/hash/perfect-tries-100k",
    "ids/map/lookup/1k",
    "ids/map/lookup-std/100k",
    "containers/array/push",
    "containers/array/extend",
    "containers/array/grow1k",
    "containers/array/grow1m",
    "containers/array/uninit",
    "containers/hashmap/insert/100k",
    "containers/hashmap/lookup/100k",
    "containers/listpool/walk-k1",
    "containers/listpool/walk-k4",
    "containers/listpool/walk-unsettled-k4",
    "containers/listpool/bytes-k4",
    "containers/listpool/settle-moved",
    "containers/listpool/settle-settled",
    "containers/arrays/build-ordered/100k",
    "containers/arrays/build-scattered/100k",
    "containers/arrays/push-pop/100k",
    "containers/arrays/copy/100k",
    "containers/arrays/walk-csr/100k",
    "containers/arrays/bytes-built/100k",
    "containers/arrays/bytes-compacted/100k",
    "containers/events/append-batch",
    "containers/events/append-one",
    "containers/events/merge",
    "containers/events/visit-checked",
    "containers/events/bytes",
    "containers/open/sweep-aos/1k",
    "containers/open/sweep-soa/1k",
    "containers/keyvalues/get100",
    "containers/keyvalues/get10k",
    "containers/keyvalues/clone",
    "containers/keyvalues/memory-fx",
    "containers/keyvalues/get100-fx",
    "containers/keyvalues/get10k-fx",
    "containers/keyvalues/memory",
    "animation/sample1000",
    "animation/sample-bone",
    "animation/leap-bone",
    "animation/blend-bone",
    "animation/machine",
    "animation/ratio/cmu",
    "animation/ratio/generated",
    "engine/lines100k",
    "engine/lines100k-each",
    "physics/fields10000",
    "sound/voice",
    "sound/voice-ears",
    "sound/voices1000",
    "sound/worst-block",
    "sound/command",
    "sound/noise/8",
    "sound/parameters",
    "tasks/spawn1",
    "tasks/spawn2-ns",
    "tasks/spawn4",
    "tasks/spawn8",
    "tasks/spawn16",
    "tasks/dependents1000-1",
    "tasks/dependents1000-2",
    "tasks/frame2-bound",
    "tasks/frame16",
    "tasks/over",
    "tasks/urgent",
    "tasks/wake-p50",
    "tasks/wake-p99",
    "tasks/idle",
];

#[test]
fn every_row_of_the_table_is_there_once() {
    let names = rows_of(&[]).expect("nothing wanted is nothing unknown");
    for name in PROMISED {
        assert_eq!(names.iter().filter(|row| row == name).count(), 1, "{name}");
    }
}

#[test]
fn rows_are_chosen_by_name_or_beginning_in_the_order_of_the_table() {
    let chosen = rows_of(&["frame/32", "pool/"]).expect("they are known");
    assert_eq!(chosen, ["pool/churn64", "pool/batch64", "pool/instructions", "frame/32"]);
}

#[test]
fn an_unknown_row_names_the_known_ones() {
    let unknown = rows_of(&["pool/", "pond/"]).expect_err("there is no pond");
    let text = unknown.to_string();
    assert!(text.contains("`pond/`") && text.contains("\n  pool/churn64\n"), "{text}");
}

#[test]
fn races_turn_into_the_rows_unit_whatever_the_portions() {
    let contender =
        |name, ns| Contender::new(name, move || crate::contender::Pass { ns, operations: 2 });
    let made = core::cell::Cell::new(0);
    let twice = || {
        made.set(made.get() + 1);
        Race {
            ours: contender("ours", 4_000),
            peers: vec![contender("peer", 8_000), contender("other", 6_000)],
            absent: Vec::new(),
        }
    };
    let expected = Reading::Raced {
        ours: vec![2.0; 10],
        peers: vec![("peer".to_owned(), vec![4.0; 10]), ("other".to_owned(), vec![3.0; 10])],
        absent: Vec::new(),
    };
    assert_eq!(race(twice, 10, Unit::Us), expected);
    assert_eq!(made.get(), 4, "three portions of 3 rounds and one of 1");
    let both = || [contender("with", 9_000), contender("without", 8_000)];
    let expected = Reading::Alone { figures: vec![500.0; 9], note: None };
    assert_eq!(added(both, 9, Unit::Ns), expected);
}

#[test]
fn a_row_is_noted_unless_its_reading_is() {
    let note_of = |measure| {
        let row = Row::new("row", Unit::Ns, Aim::time(1.0, 1.0), Measure::Once(measure));
        let mut replayed = Replayed::new(crate::traces::Traces::find());
        row.noted("8 threads".to_owned()).measure(9, &mut replayed).note
    };
    assert_eq!(note_of(|| Reading::single(1.0)).as_deref(), Some("8 threads"));
    let why = note_of(|| Reading::Unmeasured("no clock".to_owned()));
    assert_eq!(why.as_deref(), Some("no clock"));
}
