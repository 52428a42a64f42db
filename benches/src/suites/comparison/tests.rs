//! Tests of the table.

use super::*;
use crate::suites::peers;

fn comparison(heaps: &[&str], rounds: u32) -> Comparison {
    let heaps = heaps.iter().map(|name| peers::named(name).expect("is there")).collect();
    Comparison { suites: vec![Suite::Larson], heaps, threads: vec![2], rounds, times: 1 }
}

fn figures(seconds: f64, peak_kib: u64) -> Figures {
    Figures { operations: 1_000_000, seconds, peak_kib }
}

#[test]
fn a_row_has_medians_and_ratios_to_each_of_ours() {
    let comparison = comparison(&["locked", "glibc"], 3);
    let ours = [3.0, 1.0, 2.0].map(|seconds| figures(seconds, 2048)).to_vec();
    let theirs = vec![figures(0.5, 1024); 3];
    let rows = comparison.rows(Suite::Larson, 2, &[ours, theirs]);
    assert_eq!(rows[0], "| larson | 2 | locked | 2.000 | 50 % | 0.50 | 2.0 | 1.00 | 1.00 |");
    assert_eq!(rows[1], "| larson | 2 | glibc | 0.500 | 0 % | 2.00 | 1.0 | 4.00 | 2.00 |");
    let head = comparison.head();
    assert!(head.contains("locked/heap, time"), "{head}");
    for line in head.lines() {
        assert_eq!(line.matches('|').count(), rows[0].matches('|').count(), "{line}");
    }
}

#[test]
fn heaps_take_turns_and_a_failure_ends_the_rounds() {
    let comparison = comparison(&["locked", "glibc", "mimalloc"], 3);
    let order = core::cell::RefCell::new(String::new());
    let rounds = comparison.interleave(|heap| {
        order.borrow_mut().push_str(&heap.name[..1]);
        Ok(figures(1.0, 1))
    });
    assert_eq!(order.into_inner(), "lgmgmlmlg");
    assert_eq!(rounds.map(|rounds| rounds.iter().map(Vec::len).collect()), Ok(vec![3, 3, 3]));
    let failed = comparison.interleave(|heap| match heap.name {
        "glibc" => Err("glibc failed".to_owned()),
        _ => Ok(figures(1.0, 1)),
    });
    assert_eq!(failed, Err("glibc failed".to_owned()));
}
