//! Tests of warnings: which are written, and that all are counted.

use std::string::String;
use std::vec::Vec;
use std::{format, thread};

use loligo_allocators::PageAllocator;

use super::{WarningSite, is_shown, warnings, warnings_counted};
use crate::{Level, Log, WriteSink, context};

#[test]
fn powers_of_ten_are_shown() {
    let shown: Vec<u64> = (1..=100_000).filter(|count| is_shown(*count)).collect();
    assert_eq!(shown, [1, 10, 100, 1_000, 10_000, 100_000]);
    assert!(!is_shown(u64::MAX) && is_shown(10_u64.pow(19)), "the largest do not overflow");
}

/// Returns the lines that a log gets while `work` runs.
fn lines(work: impl FnOnce(&Log<'_, PageAllocator>)) -> String {
    let pages = PageAllocator::new("log");
    let sink = WriteSink::new(Vec::new());
    let log = Log::try_new_in(&pages).expect("there is memory");
    log.try_add_sink(Level::Debug, &sink).expect("there is memory");
    work(&log);
    drop(log);
    String::from_utf8(sink.into_inner()).expect("lines are text")
}

#[test]
fn each_place_counts_its_own() {
    let before = warnings_counted();
    let written = lines(|log| {
        for unit in 0..25 {
            context!("When spawning unit", unit);
            warning!(log, "unit {unit} is heavy");
            if unit == 7 {
                warning!(log, "{} is odd", unit);
            }
        }
    });
    let (file, heavy) = (file!(), line!() - 6);
    assert_eq!(
        written,
        format!(
            "warning: unit 0 is heavy ({file}:{heavy}; When spawning unit: 0)\n\
             warning: 7 is odd ({file}:{}; When spawning unit: 7)\n\
             warning: unit 9 is heavy ({file}:{heavy}, 10 times so far; When spawning unit: 9)\n",
            heavy + 2
        )
    );
    // Other tests may warn meanwhile.
    assert!(warnings_counted() >= before + 26, "{before} before, {} after", warnings_counted());
    let site = warnings().find(|site| site.message() == "unit {unit} is heavy");
    let site = site.expect("it has warned");
    assert_eq!((site.count(), site.file(), site.line()), (25, file, heavy));
}

#[test]
fn threads_count_together_and_one_is_told_of_the_hundredth() {
    static SITE: WarningSite = WarningSite::new("threads", "file", 1);
    let shown: Vec<u64> = thread::scope(|threads| {
        let count = || (0..250).filter_map(|_| SITE.count_one()).collect::<Vec<_>>();
        let started: Vec<_> = (0..4).map(|_| threads.spawn(count)).collect();
        started.into_iter().flat_map(|thread| thread.join().expect("it runs")).collect()
    });
    let mut sorted = shown;
    sorted.sort_unstable();
    assert_eq!((sorted, SITE.count()), ([1, 10, 100, 1_000].to_vec(), 1_000));
    assert_eq!(warnings().filter(|site| site.message() == "threads").count(), 1);
    assert_eq!(size_of_val(&SITE), 64, "bytes a place, as documented");
}
