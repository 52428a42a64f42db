//! Every check of the suites for containers can fail: planted faults, each caught by the check that
//! is there for it.

use core::fmt::Debug;
use std::collections::BTreeSet;

use loligo_tests::Rule;
use loligo_tests::conformance::{self, MapLimits, Outcome, QueueLimits, StreamLimits, TableLimits};
use loligo_tests::models::{
    FaultyMap, FaultyQueue, FaultyStream, FaultyTable, MapFault, QueueFault, StreamFault,
    TableFault,
};

/// The rules that faults of containers break.
pub(crate) const RULES: [Rule; 5] =
    [Rule::Model, Rule::Stale, Rule::Order, Rule::Bound, Rule::Drops];

/// Runs a suite over the container without a fault and over one with each, and checks that each is
/// caught by its check, that no check is without a fault, and that each of `rules` is found broken.
fn each_is_caught<F: Copy + Debug>(
    none: F,
    caught: &[(F, &'static str)],
    rules: &[Rule],
    suite: impl Fn(F) -> Vec<Outcome>,
) {
    let clean = suite(none);
    assert!(clean.iter().all(|outcome| outcome.result.is_ok()), "{clean:#?}");
    let mut missed = Vec::new();
    let mut broken = BTreeSet::new();
    for &(fault, check) in caught {
        let outcomes = suite(fault);
        broken.extend(outcomes.iter().filter_map(|it| Some(it.result.as_ref().err()?.rule)));
        if !outcomes.iter().any(|outcome| outcome.check == check && outcome.result.is_err()) {
            let found: Vec<_> = outcomes.iter().filter(|outcome| outcome.result.is_err()).collect();
            missed.push(format!("{fault:?} is not caught by {check} but by {found:?}"));
        }
    }
    for outcome in &clean {
        if !caught.iter().any(|&(_, check)| check == outcome.check) {
            missed.push(format!("no fault is planted for {}", outcome.check));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    for rule in rules {
        assert!(broken.contains(rule), "no planted fault breaks {rule:?}");
    }
}

#[test]
fn the_suite_for_id_tables_catches() {
    each_is_caught(TableFault::None, &TableFault::CAUGHT, &RULES[..2], |fault| {
        // Some faults show in a table that grows, some in one that is bounded.
        let mut outcomes = conformance::id_table_outcomes(&TableLimits::growing(), |test| {
            test(&mut FaultyTable::new(fault, None));
        });
        let limits = TableLimits { objects_max: Some(100), ..TableLimits::growing() };
        outcomes.extend(conformance::id_table_outcomes(&limits, |test| {
            test(&mut FaultyTable::new(fault, Some(100)));
        }));
        outcomes
    });
}

#[test]
fn the_suite_for_maps_catches() {
    each_is_caught(
        MapFault::None,
        &MapFault::CAUGHT,
        &[Rule::Model, Rule::Order, Rule::Drops],
        |fault| {
            conformance::map_outcomes(&MapLimits::sorted(), |test| test(&mut FaultyMap::new(fault)))
        },
    );
}

#[test]
fn the_suite_for_queues_catches() {
    each_is_caught(
        QueueFault::None,
        &QueueFault::CAUGHT,
        &[Rule::Order, Rule::Bound, Rule::Drops],
        |fault| {
            let mut outcomes = conformance::queue_outcomes(&QueueLimits::growing(), |test| {
                test(&mut FaultyQueue::new(fault, None));
            });
            outcomes.extend(conformance::queue_outcomes(&QueueLimits::bounded(7), |test| {
                test(&mut FaultyQueue::new(fault, Some(7)));
            }));
            outcomes
        },
    );
}

#[test]
fn the_suite_for_streams_catches() {
    each_is_caught(
        StreamFault::None,
        &StreamFault::CAUGHT,
        &[Rule::Order, Rule::Alignment, Rule::Bound],
        |fault| {
            let mut outcomes = conformance::stream_outcomes(&StreamLimits::growing(8), |test| {
                test(&mut FaultyStream::new(fault, None));
            });
            let limits = StreamLimits { bytes_max: Some(32 << 10), ..StreamLimits::growing(8) };
            outcomes.extend(conformance::stream_outcomes(&limits, |test| {
                test(&mut FaultyStream::new(fault, limits.bytes_max));
            }));
            outcomes
        },
    );
}

#[test]
fn a_maker_that_passes_nothing_on_is_found() {
    let outcomes = conformance::queue_outcomes(&QueueLimits::growing(), |_test| {});
    assert!(outcomes.iter().all(|outcome| outcome.result.is_err()), "{outcomes:?}");
}

#[test]
fn a_failing_program_is_small_and_names_its_seed() {
    let outcomes = conformance::map_outcomes(&MapLimits::sorted(), |test| {
        test(&mut FaultyMap::new(MapFault::LosesItsPlace));
    });
    let programs = outcomes.iter().find(|outcome| outcome.check == "programs");
    let broken = programs.and_then(|outcome| outcome.result.as_ref().err());
    let message = &broken.expect("the fault is found").message;
    assert!(message.contains("with seed "), "{message}");
    // Four insertions and a removal do it.
    let operations = message.lines().filter(|line| line.ends_with("},")).count();
    assert!((5..=8).contains(&operations), "{operations} operations are left: {message}");
}
