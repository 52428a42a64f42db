//! Tests of the tables as the workloads drive them: every one finds what is in it and nothing else,
//! and counts what it walks over.

use super::*;
use crate::id_table::{OurHoles, OurPacked};
use crate::peers::id_tables as peers;

/// Inserts, looks up, removes and walks, and returns whether stale ids are refused.
fn refuses_stale<T: IdTable>() -> bool {
    let Filled { mut table, ids } = Filled::<T>::new(100);
    let expected: u64 = ids.iter().map(|id| found(table.get(*id)).value).sum();
    assert_eq!(table.sum(), expected, "the walk sees every object once");
    found(table.get_mut(ids[0])).value = 1_000_000;
    assert_eq!(found(table.get(ids[0])).value, 1_000_000);
    assert_eq!(table.remove(ids[0]).map(|object| object.value), Some(1_000_000));
    let other = table.insert(Object::new(5));
    assert_eq!(table.get(other).map(|object| object.value), Some(5));
    table.get(ids[0]).is_none() && table.remove(ids[0]).is_none()
}

#[test]
fn tables_of_ours_behave_as_tables() {
    assert!(refuses_stale::<OurHoles>());
    assert!(refuses_stale::<OurPacked>());
}

#[test]
fn tables_of_others_behave_as_tables() {
    assert!(refuses_stale::<peers::SlotMap>());
    assert!(refuses_stale::<peers::Hop>());
    assert!(refuses_stale::<peers::Thunderdome>());
    assert!(refuses_stale::<peers::GenMap>());
    assert!(refuses_stale::<peers::GenMapPacked>());
    assert!(refuses_stale::<peers::Bitarena>());
    assert!(refuses_stale::<peers::Handy>());
    assert!(refuses_stale::<peers::DenseSlotMap>());
    assert!(refuses_stale::<peers::DenseGenMap>());
    assert!(refuses_stale::<peers::DenseGenMapPacked>());
    assert!(refuses_stale::<peers::FxHashed>());
    assert!(refuses_stale::<peers::BTree>());
    #[cfg(feature = "peers-all")]
    assert!(refuses_stale::<peers::StdMap>());
}

#[test]
fn tables_without_generations_mistake_a_stale_id() {
    assert!(!refuses_stale::<peers::Slab>());
    assert!(!refuses_stale::<peers::RawVec>());
}

/// Runs an operation once and returns how many operations it says it was.
fn operations<O: Operation, T: IdTable>() -> u64 {
    O::contender::<T>("table").pass().operations
}

#[test]
fn passes_are_whole_runs_of_about_the_same_length() {
    assert_eq!(operations::<Lookup<1_000>, peers::SlotMap>(), 300_000);
    assert_eq!(operations::<Dependent<1_000>, peers::SlotMap>(), 300_000);
    assert_eq!(operations::<Stale<1_000>, peers::SlotMap>(), 300_000);
    assert_eq!(operations::<Insert<1_000>, peers::SlotMap>(), 300_000);
    assert_eq!(operations::<Grow<100_000>, peers::SlotMap>(), 300_000);
    assert_eq!(operations::<Remove<1_000>, peers::SlotMap>(), 300_000);
    assert_eq!(operations::<Mix<1_000>, peers::SlotMap>(), 300_000);
    assert_eq!(operations::<Walk<1_000, 95>, peers::SlotMap>(), 316 * 950);
}

#[test]
fn the_names_of_a_set_differ_and_those_of_two_sets_do() {
    let [first, second] = [0, 1].map(|set| perfect::names(set, 2_000));
    let all: std::collections::BTreeSet<&String> = first.iter().collect();
    assert_eq!(all.len(), 2_000, "a name occurs twice");
    assert_ne!(first, second, "each set has different names");
    assert_eq!(first, perfect::names(0, 2_000), "a set is the same whenever it is made");
}
